"""Columns of a table of results: one scorer with its settings each, perhaps smoothed.

    columns_of("msp,knn:k=50,knn:k=5:bank=2048,max_logit+crf,./mine.py")

A comma separates scorers; each setting follows a colon. ``+crf`` at the end smooths the map of a scorer,
``+dense_crf`` the class probabilities that it reads.
"""

from __future__ import annotations

import copy
import inspect
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from caos.foundation.errors import CaosError
from caos.ood_scores.results import ScorerRecord, check_columns
from caos.ood_scores.scorer_interface.file_digest import source_digest
from caos.ood_scores.scorer_interface.object_digest import ObjectDigest
from caos.ood_scores.scorer_interface.registry import (
    ScorerInfo,
    build,
    is_path,
    scorer_class,
    scorer_info,
    scorer_names,
)
from caos.ood_scores.scorer_interface.scorer import BUILT_IN, FROM_FILE, FittedScorer, Scorer, scorer_name
from caos.ood_scores.scorer_interface.settings import (
    check_scorer,
    is_plain,
    parsed_settings,
    plain_settings,
    settings_of,
    unusual_settings,
)

SMOOTHINGS: Final = {"+crf": " + CRF", "+dense_crf": " + dense CRF"}
"""Ends of names, and what tables print for them."""
PROBABILITIES: Final = "+dense_crf"
"""The end for smoothed class probabilities, not a smoothed map."""
_SETTING: Final = re.compile(r":([A-Za-z_]\w*)=([^:]*)$")


@dataclass(frozen=True, eq=False)
class ScorerColumn:
    """One column.

    Attributes:
        name: Of the column, also of its folder.
        scorer: Not fitted yet, where it has to be.
        info: Where the scorer comes from and what it does.
        smoothing: The end of the name that says what is smoothed, or nothing.
    """

    name: str
    scorer: Scorer
    info: ScorerInfo
    smoothing: str = ""

    @property
    def plain_name(self) -> str:
        """The name of the column without the smoothing."""
        return self.name.removesuffix(self.smoothing)

    def record(self) -> ScorerRecord:
        """For the results."""
        changed = self.plain_name.partition(":")[2]
        title = self.scorer.title + (f" ({changed.replace(':', ', ')})" if changed else "")
        return ScorerRecord(
            name=self.name,
            title=title + SMOOTHINGS.get(self.smoothing, ""),
            scorer=self.info.name,
            settings=plain_settings(self.scorer),
            summary=self.info.summary,
            reference=self.info.reference,
            note=self.scorer.note,
        )

    def identity(self) -> dict[str, Any] | None:
        """Everything the column's numbers depend on besides the network, JSON-ready; None if that cannot be told."""
        settings = settings_of(self.scorer)
        if not all(map(is_plain, settings.values())):
            return None
        return {"name": self.name, "settings": settings, "code": _code_of(type(self.scorer))}


def columns_of(scorers: str | Sequence[str | Scorer]) -> tuple[ScorerColumn, ...]:
    """The columns for scorers given by name, path or as instances; ``all`` for every one there is.

    An instance is copied: what it learns here does not change the one that was given.

    Raises:
        CaosError: If a name or a setting is unknown, a value is not allowed, or two columns would have one name.
    """
    if isinstance(scorers, str):
        wanted: Sequence[str | Scorer] = scorer_names() if scorers.strip() == "all" else split_list(scorers)
    else:
        wanted = list(dict.fromkeys(scorers))
    if not wanted:
        raise CaosError(f"no scorer in {scorers!r}; give 'all' or some of {', '.join(scorer_names())}")
    columns = [_asked_for(one) if isinstance(one, str) else _made(one) for one in wanted]
    check_columns([column.name for column in columns], "scorers")
    # A plain column and its smoothed one share their scorer, so that it is fitted and scores once.
    shared: dict[str, Scorer] = {}
    return tuple(replace(c, scorer=shared.setdefault(c.plain_name, c.scorer)) for c in columns)


def split_list(text: str) -> tuple[str, ...]:
    """The parts of a comma-separated list, each once."""
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def _asked_for(text: str) -> ScorerColumn:
    """The column for a name or a path, perhaps with settings."""
    smoothing = next((end for end in SMOOTHINGS if text.endswith(end)), "")
    asked, texts = text.removesuffix(smoothing), {}
    while match := _SETTING.search(asked):
        if match[1] in texts:
            raise CaosError(f"scorer {text!r} has the setting {match[1]!r} twice")
        texts[match[1]] = match[2]
        asked = asked[: match.start()]
    if ":" in asked and not is_path(asked):
        raise CaosError(f"scorer {text!r}: write a setting as NAME=VALUE after a colon, such as knn:k=50")
    scorer = scorer_class(asked)
    settings = parsed_settings(scorer, asked, texts)
    name = Path(asked).stem if is_path(asked) else asked
    built = build(scorer, asked, settings)
    if smoothing == PROBABILITIES and (built.needs - {"background class"} or isinstance(built, FittedScorer)):
        raise CaosError(f"scorer {text!r}: {smoothing} smooths class probabilities, and {name!r} reads more than those")
    return _column(name, built, settings, scorer_info(asked), smoothing)


def _made(scorer: Scorer) -> ScorerColumn:
    """The column for an instance."""
    if not isinstance(scorer, Scorer):
        raise CaosError(f"a scorer is a name, a path or an instance of caos.Scorer, not {type(scorer).__name__}")
    check_scorer(scorer)
    kind, name = type(scorer), scorer_name(type(scorer))
    built_in = kind.__module__.startswith(BUILT_IN)
    summary = (inspect.getdoc(kind) or "a scorer given in Python").splitlines()[0]
    info = scorer_info(name) if built_in else ScorerInfo(name, summary, "")
    return _column(name, copy.deepcopy(scorer), unusual_settings(scorer), info)


def _column(name: str, scorer: Scorer, settings: dict[str, Any], info: ScorerInfo, smoothing: str = "") -> ScorerColumn:
    changed = "".join(f":{key}={_in_name(value)}" for key, value in settings.items() if is_plain(value))
    return ScorerColumn(name + changed + smoothing, scorer, info, smoothing)


def _in_name(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)


def _code_of(scorer: type[Scorer]) -> str:
    """Hash of the code of a scorer that is not of this package; empty for one that is.

    A scorer given as a file counts with the modules that it imports from its folder; any other one with what its
    methods refer to, installed packages by their version.
    """
    if scorer.__module__.startswith(FROM_FILE):
        return source_digest(Path(str(sys.modules[scorer.__module__].__file__)))
    if scorer.__module__.startswith("caos."):
        return ""
    digest = ObjectDigest()
    digest.add_class(scorer)
    return digest.hexdigest()
