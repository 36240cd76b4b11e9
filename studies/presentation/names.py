"""Names of scorers as people read them: tables and pages print titles, files for programs what commands take."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from caos.ood_scores.scorer_interface.registry import scorer_class, scorer_names

COLUMN: Final = re.compile(r"(?P<name>\w+)(?P<settings>(:[\w.]+=[^:+]+)*)(?P<smoothing>\+\w+)?")


@cache
def scorer_title(column: str) -> str:
    """The title of a column of scores, with its settings; what names no scorer stays as it is.

    >>> scorer_title("max_logit"), scorer_title("knn:k=50"), scorer_title("fog")
    ('MaxLogit', 'KNN (k=50)', 'fog')
    """
    found = COLUMN.fullmatch(column)
    if found is None or found["name"] not in scorer_names():
        return column
    settings = found["settings"].lstrip(":").replace(":", ", ")
    return scorer_class(found["name"]).title + (f" ({settings})" if settings else "") + (found["smoothing"] or "")


def with_titles(name: str) -> str:
    """A name of a plot in which a scorer may stand, alone or after that of a run.

    >>> with_titles("ours: msp"), with_titles("ours, clean")
    ('ours: MSP', 'ours, clean')
    """
    *run, scorer = name.split(": ")
    return ": ".join([*run, scorer_title(scorer)])
