"""Whole-image study: detectors on classifiers of pictures, with and without a hazard, and on classic outliers."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.identity import FileHashes, Fingerprint
from caos.scenes.dataset.layout import Dataset, Sample, open_dataset, read_class_ids, read_image
from caos.segmentation.training.calibration import calibration_of
from caos.studies.framework.named_folders import Named, named, told_apart
from caos.studies.framework.seeding import generator_for
from caos.studies.framework.study import Study, StudyFolder, study_folder
from caos.studies.numerics import NUMERICS
from caos.studies.whole_images.answers import answer_cells, truths
from caos.studies.whole_images.measuring import Logits, logits_of, scores_of
from caos.studies.whole_images.outliers import OUTLIERS, photographs
from caos.studies.whole_images.presentation import WholeImageRun, present

if TYPE_CHECKING:
    from caos.segmentation.models.whole_images import WholeImageClassifier

NAME: Final = "whole-images"
HAZARD: Final = "hazard"
ORDINARY: Final = "ordinary"
FIT: Final = "fit"
PHOTOGRAPHS: Final = "photographs"
FEWEST_TO_FIT: Final = 30
"""Validation pictures from which on detectors are fitted on them; else training pictures join."""


@dataclass(frozen=True)
class WholeImageSettings:
    """How whole images are studied.

    Attributes:
        outliers: Pictures of each kind of classic outlier.
        photographs: Folder of photographs to take as outliers; None for none.
        device: As for ``caos score``.
        seed: Of outliers, fits, and of drawing anew.
        draws: How many draws of pictures for intervals.
    """

    outliers: int = 100
    photographs: Path | None = None
    device: str = "auto"
    seed: int = 0
    draws: int = 1000

    def __post_init__(self) -> None:
        """Refuse values that could only fail later."""
        if self.outliers < 2:
            raise CaosError(f"outliers is {self.outliers}; it must be at least 2")


def study_whole_images(
    dataset: str | Path,
    runs: Sequence[str | Path],
    out: str | Path,
    *,
    settings: WholeImageSettings | None = None,
    progress: Progress = SILENT,
) -> Study:
    """Measure what classifiers of whole pictures notice of hazards and of outliers.

    Args:
        dataset: A set with hazards in its test part; twins make exact pairs.
        runs: Runs of ``caos train --model multi-label`` or ``multi-class``, each perhaps with a name.
        out: Folder of the study.
        settings: How it is studied.
        progress: Where progress is shown.

    Raises:
        CaosError: If a folder or run cannot be used, or the set has no ordinary pictures or no hazards.
    """
    from caos.segmentation.models.whole_images import WholeImageClassifier

    settings = settings or WholeImageSettings()
    opened = open_dataset(Path(dataset))
    pictures = Pictures.of(opened)
    places = told_apart([named(str(run)) for run in runs], "run")
    if not places:
        raise CaosError("no run given; write --run RUN, repeated for several")
    classifiers = {place.name: WholeImageClassifier.load(place.path, settings.device) for place in places}
    with study_folder(Path(out), NAME, progress) as place:
        work = _Work(place, opened, pictures, settings)
        found = [work.run(one, classifiers[one.name]) for one in places]
        asked = {**asdict(settings), "photographs": str(settings.photographs or ""), "set": str(dataset)}
        return place.finish(
            work.identities, asked, lambda: present(found, settings.seed, settings.draws), settings.seed
        )


@dataclass(frozen=True)
class Pictures:
    """The files of a set by their use.

    Attributes:
        ordinary: Without a hazard: twins where there are some, else test pictures without one, else validation.
        hazard: Test pictures with a hazard.
        fit: What detectors are fitted on.
        paired: Whether ordinary and hazard pictures are exact pairs.
        size: Width and height of the first one.
        samples: By group of pictures, the samples that say what is right of them; a twin has that of its pair.
    """

    ordinary: tuple[Path, ...]
    hazard: tuple[Path, ...]
    fit: tuple[Path, ...]
    paired: bool
    size: tuple[int, int]
    samples: Mapping[str, tuple[Sample, ...]]

    @staticmethod
    def of(dataset: Dataset) -> Pictures:
        """The pictures of a set.

        Raises:
            CaosError: If it has no pictures to fit on, no hazards, or nothing ordinary.
        """
        test = dataset.samples("test")
        shown = [sample for sample in test if _shows_hazard(sample, dataset)]
        twins = [sample.twin for sample in shown if sample.twin is not None]
        paired = len(twins) == len(shown)
        val = dataset.splits.get("val", ())
        known = shown if paired else [sample for sample in test if sample not in shown] or list(val)
        ordinary = twins if paired else [sample.image for sample in known]
        joined = val if len(val) >= FEWEST_TO_FIT else [*val, *dataset.splits.get("train", ())]
        fit = [sample.image for sample in joined]
        if not shown or len(ordinary) < 2 or len(fit) < 2:
            raise CaosError(
                f"{dataset.root} has {len(shown)} test pictures with hazards, {len(ordinary)} ordinary ones and "
                f"{len(fit)} to fit detectors on; at least 1, 2 and 2 are needed"
            )
        image = read_image(shown[0].image)
        size = (image.shape[1], image.shape[0])
        hazard = tuple(sample.image for sample in shown)
        samples = {ORDINARY: tuple(known), HAZARD: tuple(shown)}
        return Pictures(tuple(ordinary), hazard, tuple(fit), paired, size, samples)


def _shows_hazard(sample: Sample, dataset: Dataset) -> bool:
    return bool(np.isin(read_class_ids(sample, dataset.labels), dataset.labels.anomaly_ids).any())


class _Work:
    """The logits of every run on every group of pictures, part by part."""

    def __init__(self, place: StudyFolder, dataset: Dataset, pictures: Pictures, settings: WholeImageSettings) -> None:
        self._place, self._dataset, self._pictures, self._settings = place, dataset, pictures, settings
        self._hashes = FileHashes(place.folder / "inputs.json")
        self.identities: dict[str, Any] = {}

    def run(self, place: Named, classifier: WholeImageClassifier) -> WholeImageRun:
        """What every detector says of every group, on one run."""
        from caos.segmentation.bundled import run_folder
        from caos.segmentation.prediction.checkpoint import WEIGHTS_FILE, read_run

        record = read_run(place.path)
        architecture = record.architecture
        weights = self._hashes.of(run_folder(place.path) / WEIGHTS_FILE)
        logits: dict[str, Logits] = {}
        for group, (identity, make) in self._groups().items():
            logits[group] = self._logits(place.name, group, [weights, identity], make, classifier)
        self._hashes.save()
        multi_label = architecture.model == "multi-label"
        fit = logits.pop(FIT)
        scores = scores_of(fit, logits, multi_label=multi_label, seed=self._settings.seed)
        target = "" if multi_label else str(record.record.config.get("target", ""))
        known = [sample.annotation for samples in self._pictures.samples.values() for sample in samples]
        manifest = [path for path in (self._dataset.root / "manifest.jsonl",) if path.is_file()]
        self.identities[f"{place.name}/truths"] = [self._hashes.digest([*known, *manifest]), target]
        calibration = {
            group: calibration_of(answer_cells(logits[group], truths(self._dataset, samples, classifier, target)))
            for group, samples in self._pictures.samples.items()
        }
        return WholeImageRun(
            place.name, architecture.model, architecture.answers, scores, self._pictures.paired, len(fit), calibration
        )

    def _groups(self) -> dict[str, tuple[Any, Callable[[], Iterable[npt.NDArray[np.uint8]]]]]:
        """By name, what a group of pictures depends on, and how to make it."""
        settings, size = self._settings, self._pictures.size
        groups: dict[str, tuple[Any, Callable[[], Iterable[npt.NDArray[np.uint8]]]]] = {}
        for name, files in (
            (FIT, self._pictures.fit),
            (ORDINARY, self._pictures.ordinary),
            (HAZARD, self._pictures.hazard),
        ):
            groups[name] = (self._hashes.digest(files), functools.partial(map, read_image, files))
        for name, make in OUTLIERS.items():

            def drawn(name: str = name, make: Any = make) -> Iterable[npt.NDArray[np.uint8]]:
                for number in range(settings.outliers):
                    yield make(size, generator_for(settings.seed, str(number), name))

            groups[name] = ([settings.outliers, settings.seed, size, Fingerprint({}, {}, (NUMERICS,)).plan()], drawn)
        if settings.photographs is not None:
            shown = photographs(settings.photographs, size, settings.outliers)
            groups[PHOTOGRAPHS] = ([_digest(shown)], lambda: shown)
        return groups

    def _logits(
        self,
        run: str,
        group: str,
        identity: Any,
        make: Callable[[], Iterable[npt.NDArray[np.uint8]]],
        classifier: WholeImageClassifier,
    ) -> Logits:
        def made() -> Any:
            pictures = make()
            with self._place.progress.task(f"{run}: {group}", None) as task:

                def watched() -> Iterable[npt.NDArray[np.uint8]]:
                    for picture in pictures:
                        yield picture
                        task.advance()

                return logits_of(classifier, watched()).tolist()

        name = f"{run.replace('/', '_')}/{group}"
        self.identities[name] = identity
        return np.asarray(self._place.part(name, identity, made), np.float32)


def _digest(pictures: Sequence[npt.NDArray[np.uint8]]) -> str:
    import hashlib

    total = hashlib.sha256()
    for picture in pictures:
        total.update(picture.tobytes())
    return total.hexdigest()
