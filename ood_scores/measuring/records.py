"""Rows of measured images and hazards: the shape of ``images.jsonl``, from the worker to the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class ImageMeasures:
    """AUROC, AUPR and FPR95 of one score map by one protocol, as fractions of one."""

    auroc: float
    aupr: float
    fpr95: float


@dataclass(frozen=True)
class HazardMeasures:
    """AUROC and FPR95 (first recall of at least 0.95) of one hazard's pixels against the ordinary ones of its image."""

    auroc: float
    fpr95: float


@dataclass(frozen=True)
class HazardFacts:
    """What the manifest says of a hazard; None where it says nothing."""

    object: str | None = None
    kind: str | None = None
    category: str | None = None
    level: str | None = None
    source: str | None = None
    size_m: tuple[float, ...] | None = None
    distance_m: float | None = None
    occluded_share: float | None = None
    placement: str | None = None
    box: tuple[float, float, float, float] | None = None


@dataclass(frozen=True)
class HazardRow:
    """One hazard that shows in an image.

    Attributes:
        instance_id: Its number in the image: the instance id, or that of a connected component without instances.
        pixels: How many show.
        facts: What the manifest says of it.
        measures: By scorer.
        flagged: By scorer and name of a threshold: the share of its pixels that is flagged there.
    """

    instance_id: int
    pixels: int
    facts: HazardFacts = HazardFacts()
    measures: Mapping[str, HazardMeasures] = field(default_factory=dict)
    flagged: Mapping[str, Mapping[str, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class FrameLevels:
    """A frame of a sequence: the highest scores at which its first hazard, and an ordinary region, is marked.

    See :mod:`caos.ood_scores.measuring.noticing`; None where there is no such pixel.
    """

    mark: float | None
    alarm: float | None


@dataclass(frozen=True)
class ImageRow:
    """One image.

    Attributes:
        key: ``<split>/<town>/<stem>``.
        town: Folder of its part of the set: a town, or what a recipe calls it.
        weather: By name, or None where the manifest does not say.
        width: Pixels.
        height: Pixels.
        anomalous: How many pixels are.
        ordinary: All others.
        excluded: Why the protocol of single images cannot measure it, or None.
        measures: By scorer and per-image protocol.
        hazards: Those with a visible pixel.
        seconds: What it cost, by scorer; ``forward`` is the network.
        levels: By scorer, for frames of sequences with a hazard.
        spent: Wall time in seconds, by kind of work; see :mod:`caos.ood_scores.evaluation.time_breakdown`.
        left_out: How many pixels count neither way, by name of a policy
            (:class:`caos.ood_scores.measuring.pixel_counts.Policy`); ``void`` is always there.
    """

    key: str
    town: str
    weather: str | None
    width: int
    height: int
    anomalous: int
    ordinary: int
    excluded: str | None
    measures: Mapping[str, Mapping[str, ImageMeasures]]
    hazards: tuple[HazardRow, ...]
    seconds: Mapping[str, float]
    levels: Mapping[str, FrameLevels] = field(default_factory=dict)
    spent: Mapping[str, float] = field(default_factory=dict)
    left_out: Mapping[str, int] = field(default_factory=dict)
