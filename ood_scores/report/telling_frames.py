"""Most telling frames of a scoring run: a hazard that the best scorer notices, one that it misses, a false alarm."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from caos.ood_scores.measuring.records import HazardRow, ImageRow
from caos.ood_scores.measuring.thresholds import FOUND_SHARE
from caos.ood_scores.report.pictures import DrawnFrame
from caos.ood_scores.results import ResultsContent

FOUND_AT: Final = "false_alarms_1"
"""The threshold at which the pages say that a hazard was found: at most one false alarm in a hundred pixels."""
Kind = Literal["noticed", "missed", "false alarm"]


@dataclass(frozen=True)
class TellingFrame:
    """A frame to show first.

    Attributes:
        kind: What it tells.
        frame: Its number among the rows.
        hazard: Number of the hazard in the frame; None for a false alarm.
        scorer: Whose marks are shown.
        text: What is seen, in a sentence.
    """

    kind: Kind
    frame: int
    hazard: int | None
    scorer: str
    text: str


def best_scorer(content: ResultsContent) -> str:
    """The scorer with the highest AUROC by the first protocol."""
    measured = content.measures[content.protocols[0].name]
    return max(measured, key=lambda scorer: measured[scorer].auroc.value)


def telling_frames(
    content: ResultsContent, rows: Sequence[ImageRow], drawn: Mapping[str, DrawnFrame]
) -> list[TellingFrame]:
    """At most one frame of each kind; none where hazards were not judged."""
    scorer = best_scorer(content)
    title = next((column.title for column in content.scorers if column.name == scorer), scorer)
    seen = [(number, index, hazard) for number, index, hazard in _hazards(rows) if _marked(hazard, scorer) is not None]
    found = [one for one in seen if _share(one[2], scorer) >= FOUND_SHARE]
    missed = [one for one in seen if _share(one[2], scorer) < FOUND_SHARE]
    chosen = []
    if found:
        chosen.append(
            _told(
                "noticed",
                max(found, key=lambda one: _share(one[2], scorer) * math.log(one[2].pixels + 1)),
                scorer,
                title,
            )
        )
    if missed:
        chosen.append(
            _told("missed", max(missed, key=lambda one: one[2].pixels * (1 - _share(one[2], scorer))), scorer, title)
        )
    alarm = _worst_alarm(rows, drawn, scorer, title, {one.frame for one in chosen})
    return [*chosen, *([alarm] if alarm else [])]


def _hazards(rows: Sequence[ImageRow]) -> Iterator[tuple[int, int, HazardRow]]:
    for number, row in enumerate(rows):
        for index, hazard in enumerate(row.hazards):
            yield number, index, hazard


def _marked(hazard: HazardRow, scorer: str) -> float | None:
    return hazard.flagged.get(scorer, {}).get(FOUND_AT)


def _share(hazard: HazardRow, scorer: str) -> float:
    return _marked(hazard, scorer) or 0.0


def _told(kind: Kind, one: tuple[int, int, HazardRow], scorer: str, title: str) -> TellingFrame:
    number, index, hazard = one
    far = "" if hazard.facts.distance_m is None else f" {hazard.facts.distance_m:.0f} m away"
    name = hazard.facts.kind or hazard.facts.object or "a hazard"
    text = f"{name.replace('_', ' ')}{far}: {title} marks {100 * _share(hazard, scorer):.0f} % of it."
    return TellingFrame(kind, number, index, scorer, text)


def _worst_alarm(
    rows: Sequence[ImageRow], drawn: Mapping[str, DrawnFrame], scorer: str, title: str, taken: set[int]
) -> TellingFrame | None:
    alarms = {
        number: drawn[row.key].alarms[scorer].share
        for number, row in enumerate(rows)
        if row.key in drawn and scorer in drawn[row.key].alarms and number not in taken
    }
    if not alarms:
        return None
    worst = max(alarms, key=lambda number: alarms[number])
    if alarms[worst] == 0:
        return None
    text = f"{title} marks {100 * alarms[worst]:.1f} % of the ordinary street."
    return TellingFrame("false alarm", worst, None, scorer, text)
