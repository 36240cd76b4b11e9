"""Protocols of a study for which none are asked for: one of single images and one of pooled pixels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from caos.ood_scores.evaluation.void_pixels import leaves_void_out
from caos.ood_scores.measuring.protocols import DEFAULT, FRAMES_WITHOUT_VOID, WITHOUT_VOID, protocols_by_name
from caos.ood_scores.results import ResultsContent
from caos.scenes.dataset.layout import open_dataset

USUAL: Final = (DEFAULT, WITHOUT_VOID)
ON_VOID: Final = (FRAMES_WITHOUT_VOID, WITHOUT_VOID)
"""Where a set leaves void out, both leave it out, so that all sets are measured by one definition."""


def study_protocols(
    asked: str | None, sets: Sequence[Path], finished: Sequence[ResultsContent] = ()
) -> tuple[str, ...]:
    """The names of the protocols asked for, or those that the sets of a study need.

    Args:
        asked: Comma-separated names; None for those of the sets.
        sets: Folders of the sets that will be scored.
        finished: Results that join; of protocols that nobody asked for only those that all of them have are taken.

    Raises:
        CaosError: If a name is unknown, or a set cannot be read.
    """
    if asked is not None:
        return tuple(protocol.name for protocol in protocols_by_name(asked))
    has_void = any(one.dataset.leaves_void_out for one in finished)
    has_void = has_void or any(leaves_void_out(open_dataset(place), "test") for place in sets)
    names = ON_VOID if has_void else USUAL
    return tuple(name for name in names if all(name in one.measures for one in finished)) or names
