"""Limits on hazards: what the rules of a set's parts never let through, and how often it was drawn and refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from caos.scenes.dataset.layout import Dataset
from caos.scenes.recipes.rules import HazardRules

REASONS: Final[Mapping[str, str]] = {
    "hidden": "less than the smallest visible share",
    "in full view": "more than the largest visible share",
    "too few pixels": "smaller in the image than allowed",
    "too many pixels": "larger in the image than allowed",
    "dust": "in fragments smaller than allowed",
    "stands out": "another colour than the ground",
    "blends in": "too near the colour of the ground",
    "sunlit": "in the sun",
}
"""Why a hazard that is there, and seen, may be refused for how it looks."""
OF_A_HAZARD: Final = ("hazard: ", "frame: ")


@dataclass(frozen=True)
class PartLimits:
    """What one part of a set shows of hazards by its rules, and what was refused for it.

    Attributes:
        part: ``split/folder``.
        limits: The rules in words.
        refused: Drawn hazards that were refused, by reason (see ``REASONS``); places where nothing can stand or
            nothing is seen are not among them.
    """

    part: str
    limits: str
    refused: Mapping[str, int]


def limits_in_words(rules: HazardRules) -> str:
    """The limits on a hazard's appearance.

    >>> limits_in_words(HazardRules())
    '50 % visible or more, 0.03 to 12 % of the image, 4 to 45 m away, fragments of 10 px or more'
    """
    visible = f"{100 * rules.min_visible_share:g} % visible or more"
    if rules.max_visible_share < 1:
        visible = f"{100 * rules.min_visible_share:g} to {100 * rules.max_visible_share:g} % visible"
    told = [
        visible,
        f"{100 * rules.min_image_share:g} to {100 * rules.max_image_share:g} % of the image",
        f"{rules.range_m[0]:g} to {rules.range_m[1]:g} m away",
        f"fragments of {rules.smallest_fragment_px} px or more",
    ]
    if rules.size_scale != (1.0, 1.0):
        told.append(f"{rules.size_scale[0]:g} to {rules.size_scale[1]:g} times their size")
    if rules.min_contrast is not None:
        told.append(f"{rules.min_contrast:g} or more from the ground's colour")
    if rules.max_contrast is not None:
        told.append(f"within {rules.max_contrast:g} of the ground's colour")
    if rules.min_shaded_share:
        told.append(f"{100 * rules.min_shaded_share:g} % in shade or more")
    return ", ".join(told)


def limits_of_parts(dataset: Dataset) -> tuple[PartLimits, ...]:
    """The limits of each part with hazards, as ``dataset.json`` has them; none for a set that does not say."""
    refused = _refused(dataset.manifest())
    parts = [part for part in dataset.info.get("parts", ()) if part.get("limits")]
    keys = [(f"{part['split']}/{part['folder']}", str(part["limits"])) for part in parts]
    return tuple(PartLimits(key, limits, dict(refused.get(key, Counter()).most_common())) for key, limits in keys)


def _refused(manifest: Mapping[str, Mapping[str, Any]]) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {}
    for key, row in manifest.items():
        own = counts.setdefault(key.rpartition("/")[0], Counter())
        for told, number in row.get("rejected", {}).items():
            reason = told.removeprefix(OF_A_HAZARD[0]).removeprefix(OF_A_HAZARD[1])
            if told.startswith(OF_A_HAZARD) and reason in REASONS:
                own[reason] += int(number)
    return counts
