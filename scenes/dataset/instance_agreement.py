"""Agreement of an image's instance map with its labels and with the hazards that the manifest lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caos.scenes.dataset.layout import ACTOR_IDS_FROM

_MOST_NAMED: Final = 3
"""Hazards of one kind that a message names; the others are counted."""


def disagreements(
    instances: NDArray[np.uint16],
    anomalous: NDArray[np.bool_],
    ordinary: NDArray[np.bool_],
    listed: Mapping[int, int],
) -> list[str]:
    """How an instance map loses hazards or adds some, in words; empty where everything agrees.

    Anomalous pixels may have the instance of a vehicle or person: a label table may call such a class anomalous.

    Args:
        instances: Instance ids ``(h, w)``; hazards are 1 to ``ACTOR_IDS_FROM - 1``, and those that are listed.
        anomalous: True where the label is an anomaly ``(h, w)``.
        ordinary: True where the label is a trained class ``(h, w)``.
        listed: Pixels of each hazard by instance id, as the manifest says; empty if it lists none.
    """
    hazards = hazard_mask(instances, listed)
    found = []
    if without := int(np.count_nonzero(anomalous & (instances == 0))):
        found.append(f"{without} anomalous pixels have no instance")
    on_ordinary = _pixels_by_id(instances[hazards & ordinary])
    found += _named(f"hazard {number} has {n} pixels with an ordinary label" for number, n in on_ordinary.items())
    if listed:
        present = _pixels_by_id(instances[hazards])
        lost = {number: n for number, n in listed.items() if n > 0 and number not in present}
        more = {number: n for number, n in present.items() if number not in listed}
        found += _named(f"hazard {number} of the manifest ({n} pixels) has no pixel" for number, n in lost.items())
        found += _named(f"hazard {number} ({n} pixels) is not in the manifest" for number, n in more.items())
    return found


def hazard_mask(instances: NDArray[np.uint16], listed: Mapping[int, int]) -> NDArray[np.bool_]:
    """True on the pixels of hazards ``(h, w)``: of small instance ids, and of those that are listed."""
    hazards: NDArray[np.bool_] = (instances > 0) & (instances < ACTOR_IDS_FROM)
    if others := [number for number in listed if number >= ACTOR_IDS_FROM]:
        hazards |= np.isin(instances, others)
    return hazards


def listed_pixels(row: Mapping[str, Any]) -> dict[int, int]:
    """Pixels of each hazard by instance id, from an image's row of the manifest."""
    hazards = row.get("hazards", ())
    return {h["instance_id"]: h["pixels"] for h in hazards if {"instance_id", "pixels"} <= h.keys()}


def _pixels_by_id(ids: NDArray[np.uint16]) -> dict[int, int]:
    counts = np.bincount(ids)
    return {int(number): int(counts[number]) for number in np.flatnonzero(counts)}


def _named(texts: Iterable[str]) -> list[str]:
    every = list(texts)
    rest = len(every) - _MOST_NAMED
    return every if rest <= 0 else [*every[:_MOST_NAMED], f"{rest} further hazards likewise"]
