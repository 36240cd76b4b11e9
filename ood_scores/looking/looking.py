"""Looking at photographs with a run: one overlay each, a page to compare them on, and where the foreign regions are.

Scores are made readable by ordinary scores (:mod:`caos.ood_scores.looking.ordinary_scores`): those kept with the run,
else those of a set to fit on, else those of the photograph itself, whose rarest pixels are then flagged whatever they
show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import cv2
import numpy as np

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.claims import claimed
from caos.foundation.storage.files import real_path
from caos.foundation.storage.identity import FileHashes, digest_of
from caos.foundation.storage.png import write_png
from caos.foundation.storage.provenance import package_version
from caos.ood_scores.looking.ordinary_scores import RATES, KnownScores, OrdinaryScores, measure_known, read_known
from caos.ood_scores.looking.overlay import draw_overlay
from caos.ood_scores.looking.page import PageRow, write_page
from caos.ood_scores.looking.photographs import Picture, find_photographs, read_photograph, shrunk
from caos.ood_scores.looking.regions import ForeignRegion, find_regions
from caos.ood_scores.measuring.pixel_counts import ScoreMap
from caos.ood_scores.scorer_interface.scorer import FittedScorer
from caos.ood_scores.scorer_interface.specifications import columns_of
from caos.ood_scores.sources.score_maps import write_map
from caos.ood_scores.sources.source import finite
from caos.scenes.dataset.layout import Dataset, open_dataset
from caos.segmentation.bundled import BUNDLED, run_folder

if TYPE_CHECKING:
    from caos.ood_scores.sources.run import RunSource

USUAL_SCORER: Final = "entropy"
"""For runs that keep no ordinary scores."""
USUAL_SIDE: Final = 1280
PAGE: Final = "index.html"
SPLIT_WORDS: Final = {"train": "training", "val": "validation"}


@dataclass(frozen=True)
class LookOptions:
    """How to look.

    Attributes:
        run: The trained run, or ``bundled`` for the one of this package.
        scorer: One scorer, with settings perhaps; None for the one the run recommends.
        false_alarms: Share of ordinary pixels that is flagged.
        side: Longer side of the picture that the network sees; None for that of the pictures its scores hold for.
        fit_on: Set to fit the scorer and to measure ordinary scores on, in place of what the run keeps.
        maps: Also write the score maps.
        device: As for training.
        seed: Of fits.
    """

    run: Path = Path(BUNDLED)
    scorer: str | None = None
    false_alarms: float = 0.05
    side: int | None = None
    fit_on: Path | None = None
    maps: bool = False
    device: str = "auto"
    seed: int = 0


@dataclass(frozen=True)
class LookedAt:
    """What was found in one photograph.

    Attributes:
        photograph: The file.
        overlay: The picture that was written.
        regions: What is flagged, largest first.
        threshold: The score from which a pixel is flagged.
    """

    photograph: Path
    overlay: Path
    regions: tuple[ForeignRegion, ...]
    threshold: float

    def line(self) -> str:
        """Where the largest foreign region is, in one line."""
        if not self.regions:
            return f"{self.photograph.name}: nothing looks foreign (no region scores {self.threshold:.3g} or more)"
        first = self.regions[0]
        left, top, width, height = first.box
        others = "" if len(self.regions) == 1 else f"; {len(self.regions) - 1} smaller"
        return (
            f"{self.photograph.name}: largest foreign region at the {first.place}, "
            f"{100 * first.share:.1f} % of the picture ({width}x{height} pixels at {left},{top}), "
            f"score {first.score:.3g}, outlined from {self.threshold:.3g}{others}"
        )


@dataclass(frozen=True)
class Look:
    """What ``caos look`` made: the page, what its threshold means, and each photograph."""

    page: Path
    meaning: str
    photographs: tuple[LookedAt, ...]


@dataclass(frozen=True)
class _Eye:
    """A run that is ready to look: its scorer, what its scores mean, and the size of picture it sees."""

    source: RunSource
    known: KnownScores | None
    side: int
    meaning: str

    def scores(self, name: str, picture: Picture) -> ScoreMap:
        """The score map of a photograph, at its size."""
        seen = shrunk(picture, self.side)
        scores = finite(self.source.score_picture(name, seen), name).maps[self.source.columns[0]]
        size = (picture.shape[1], picture.shape[0])
        return scores if seen is picture else np.asarray(cv2.resize(scores, size, interpolation=cv2.INTER_LINEAR))

    def ordinary(self, scores: ScoreMap) -> OrdinaryScores:
        """What ordinary pixels score."""
        return OrdinaryScores.of(scores) if self.known is None else self.known.scorers[self.source.columns[0]]


def look(
    photographs: Sequence[Path | str],
    out: Path | str,
    options: LookOptions | None = None,
    *,
    overwrite: bool = False,
    progress: Progress = SILENT,
) -> Look:
    """Draw over each photograph what looks foreign in it, and write a page to compare them on.

    Args:
        photographs: JPEG, PNG or WebP files, or folders of them.
        out: Folder for one overlay each (PNG), and ``index.html``.
        options: How to look; by default with the run that comes with the package.
        overwrite: Replace what another look left in ``out``.
        progress: Where progress is shown.

    Raises:
        CaosError: If a file is no photograph, the run or the scorer cannot be used, or ``out`` holds something else.
    """
    options, out = options or LookOptions(), Path(out)
    if not RATES[-1] <= options.false_alarms <= RATES[0]:
        raise CaosError(f"false alarms are {options.false_alarms:g}; give a share from {RATES[-1]:g} to {RATES[0]:g}")
    paths = find_photographs([Path(path) for path in photographs])
    eye = _opened(options, progress)
    identity = _identity(paths, eye, options)
    remedy = "choose a new folder, or --overwrite"
    with claimed(out, "look.json", identity, "look", overwrite=overwrite, remedy=remedy):
        with progress.task("looking", len(paths)) as task:
            seen = []
            for path, name in zip(paths, _names(paths), strict=True):
                seen.append(_look_at(path, name, out, eye, options))
                task.advance(note=path.name)
        write_page(out / PAGE, [row for _, row in seen], eye.meaning)
    return Look(out / PAGE, eye.meaning, tuple(found for found, _ in seen))


def _opened(options: LookOptions, progress: Progress) -> _Eye:
    """The run, its scorer fitted where it has to be.

    Raises:
        CaosError: If they cannot be used.
    """
    from caos.ood_scores.sources.run import RunPaths, RunSource

    folder = run_folder(options.run)
    known = read_known(folder)
    scorer = options.scorer or (known.recommended if known else USUAL_SCORER)
    columns = columns_of(scorer)
    if len(columns) > 1:
        raise CaosError(f"give one scorer, not {scorer!r}")
    if isinstance(columns[0].scorer, FittedScorer) and options.fit_on is None:
        raise CaosError(f"scorer {columns[0].name!r} must be fitted on ordinary pictures; name a set with --fit-on")
    source = RunSource(
        RunPaths.around(folder), (scorer,), fit_on=options.fit_on, seed=options.seed, device=options.device
    )
    if options.fit_on is not None:
        known = _fitted(source, open_dataset(options.fit_on, source.labels.name), options.seed, progress)
    elif known is not None and source.columns[0] not in known.scorers:
        known = None
    side = options.side or (known.side if known else USUAL_SIDE)
    return _Eye(source, known, side, _meaning(source.columns[0], known, options.false_alarms))


def _fitted(source: RunSource, dataset: Dataset, seed: int, progress: Progress) -> KnownScores:
    source.prepare(dataset, seed, progress)
    return measure_known(source, dataset, "val" if dataset.splits.get("val") else "train", progress)


def _meaning(scorer: str, known: KnownScores | None, rate: float) -> str:
    """What the threshold stands for."""
    if known is None:
        return (
            f"Scorer {scorer}. This run keeps no ordinary scores for it: outlined are the {100 * rate:g} % most "
            "foreign pixels of each photograph, whether it shows something foreign or not. A set named with --fit-on "
            "gives a threshold that can also find nothing."
        )
    split = SPLIT_WORDS.get(known.on.split, known.on.split)
    return (
        f"Scorer {scorer}. Outlined is what scores as high as the highest {100 * rate:g} % of ordinary pixels in "
        f"{known.on.images} {split} images of {known.on.name}: on pictures like those, {100 * rate:g} % of "
        "the ordinary pixels would be outlined as well; on others it may be more or less."
    )


def _identity(paths: Sequence[Path], eye: _Eye, options: LookOptions) -> dict[str, Any]:
    """Everything the overlays depend on."""
    hashes = FileHashes()
    return {
        "photographs": [[path.name, hashes.of(path)] for path in paths],
        "source": eye.source.identity(hashes),
        "meaning": eye.meaning,
        "side": eye.side,
        "fitted on": None if options.fit_on is None else str(real_path(options.fit_on)),
        "ordinary scores": None if eye.known is None else digest_of(asdict(eye.known)),
        "maps": options.maps,
        "version": package_version("caos-bench"),
    }


def _names(paths: Sequence[Path]) -> list[str]:
    """A name for the overlay of each photograph: that of its file, numbered where two have the same."""
    names: list[str] = []
    for path in paths:
        name, number = path.stem, 1
        while name in names:
            number += 1
            name = f"{path.stem}-{number}"
        names.append(name)
    return names


def _look_at(path: Path, name: str, out: Path, eye: _Eye, options: LookOptions) -> tuple[LookedAt, PageRow]:
    picture = read_photograph(path)
    scores = eye.scores(name, picture)
    ordinary = eye.ordinary(scores)
    threshold = ordinary.threshold(options.false_alarms)
    regions, flagged = find_regions(scores, threshold)
    overlay = draw_overlay(picture, ordinary.rarity(scores), flagged, regions)
    write_png(out / f"{name}.png", overlay)
    if options.maps:
        write_map(out / "maps" / f"{name}.npz", scores)
    found = LookedAt(path, out / f"{name}.png", regions, threshold)
    return found, PageRow.of(found.line(), picture, overlay)
