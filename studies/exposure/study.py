"""Exposure study: trains the arms of a grid, scores each on several sets, and says what each step was worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.files import real_path
from caos.foundation.storage.identity import FileHashes, Fingerprint
from caos.ood_scores.command import Request, run_request
from caos.ood_scores.results import Results
from caos.scenes.dataset.layout import Dataset, open_dataset
from caos.studies.exposure.arms import USUAL_ARMS, Arm, Arms, read_arms
from caos.studies.exposure.presentation import ScoredArm, present
from caos.studies.framework.named_folders import Named, named, told_apart
from caos.studies.framework.study import Study, StudyFolder, study_folder
from caos.studies.protocols import study_protocols

if TYPE_CHECKING:
    from caos.segmentation.training.config import TrainConfig

NAME: Final = "exposure"
DRAWS: Final = 1000


@dataclass(frozen=True)
class ExposureSettings:
    """How an exposure study trains and scores.

    Attributes:
        arms: TOML file of the arms; None for those of the package.
        only: Names of the arms to run; empty for all.
        epochs: Of every arm; None for what its settings say.
        protocols: The definitions, comma-separated; None for those of the sets (:mod:`caos.studies.protocols`).
        device: As for ``caos train``.
        workers: Processes that score.
        seed: Of trainings, fits and of drawing images anew.
        draws: How many sets of images are drawn for intervals.
        overwrite: Whether runs and results in the study's folder that no longer fit are made again.
    """

    arms: Path | None = None
    only: tuple[str, ...] = ()
    epochs: int | None = None
    protocols: str | None = None
    device: str = "auto"
    workers: int = 1
    seed: int = 0
    draws: int = DRAWS
    overwrite: bool = False


def study_exposure(
    dataset: str | Path,
    out: str | Path,
    *,
    on: Sequence[str | Path] = (),
    places: Sequence[str] = (),
    settings: ExposureSettings | None = None,
    progress: Progress = SILENT,
) -> Study:
    """Train a grid of settings on a set with negatives, score each run on several sets, and compare them.

    Runs are kept under ``out/runs``, scorings under ``out/results``; both are reused if nothing they depend on has
    changed. The first arm is the reference of the differences.

    Args:
        dataset: Set with negatives in its training images, and a test part of its own.
        out: Folder of the study.
        on: Other sets to score on, each perhaps with a name: ``"photos=/data/ra21"``.
        places: Folders that arms refer to as ``@NAME``: ``"cutouts=/data/cuts"``.
        settings: How it trains and scores.
        progress: Where progress is shown.

    Raises:
        CaosError: If a set, an arm or a folder cannot be used, or training or scoring fails.
    """
    settings = settings or ExposureSettings()
    work = _Work.of(Path(dataset), on, places, settings)
    with study_folder(Path(out), NAME, progress) as place:
        scored = work.run(place)
        hashes = FileHashes()
        return place.finish(
            [entry.identity(hashes) for entry in scored],
            {"set": str(dataset), "on": [one.name for one in work.sets], "protocols": list(work.protocols),
             "arms": [arm.name for arm in work.arms.arm], "left out": work.left_out,
             "seed": settings.seed, "draws": settings.draws},
            lambda: present(scored, work.protocols, work.left_out, settings.seed, settings.draws),
            settings.seed,
        )  # fmt: skip


@dataclass(frozen=True)
class _Work:
    """What is to be trained and scored, checked."""

    dataset: Dataset
    arms: Arms
    sets: tuple[Named, ...]
    places: Mapping[str, Path]
    protocols: tuple[str, ...]
    left_out: Mapping[str, str]
    settings: ExposureSettings

    @staticmethod
    def of(root: Path, on: Sequence[str | Path], places: Sequence[str], settings: ExposureSettings) -> _Work:
        dataset = open_dataset(root)
        dataset.samples("test")
        sets = told_apart([Named("its own test part", root), *(named(str(one)) for one in on)], "set")
        for one in sets[1:]:
            open_dataset(one.path)
        given = {one.name: one.path for one in map(named, places)}
        for name, path in given.items():
            if not path.is_dir():
                raise CaosError(f"--with {name}={path}: {path} is not a folder")
        arms = read_arms(settings.arms or USUAL_ARMS)
        arms = arms.only(settings.only) if settings.only else arms
        kept, left_out = _kept(arms, given)
        work = _Work(
            dataset=dataset,
            arms=kept,
            sets=sets,
            places=given,
            protocols=study_protocols(settings.protocols, [one.path for one in sets]),
            left_out=left_out,
            settings=settings,
        )
        work.check()
        return work

    def check(self) -> None:
        """Refuse settings that are wrong before anything is trained."""
        # A run that does not exist yet stands for itself: its folder is enough to check the settings.
        promised = dict(self.places) | {arm.name: Path(arm.folder) for arm in self.arms.arm}
        for arm in self.arms.arm:
            self.arms.config(arm, promised, self._given())

    def _given(self) -> dict[str, Any]:
        epochs = {} if self.settings.epochs is None else {"epochs": self.settings.epochs}
        return {"seed": self.settings.seed, "device": self.settings.device, **epochs}

    def run(self, place: StudyFolder) -> list[ScoredArm]:
        """Every arm on every set, trained and scored, or found finished."""
        scored, places = [], dict(self.places)
        for number, arm in enumerate(self.arms.arm, 1):
            place.progress.say(f"[{number}/{len(self.arms.arm)}] {arm.name}")
            run = place.folder / "runs" / arm.folder
            places[arm.name] = run
            config = self.arms.config(arm, places, self._given())
            self._train(arm, run, config, place.progress)
            miou = self._miou(arm, run, place)
            for one in self.sets:
                scored.append(ScoredArm(arm, one.name, self._score(arm, run, one, place), run, miou))
        return scored

    def _train(self, arm: Arm, run: Path, config: TrainConfig, progress: Progress) -> None:
        from caos.segmentation.training.train import train

        root = self.dataset.root if arm.set is None else self.places[arm.set.removeprefix("@")]
        dataset = open_dataset(root, config.labels)
        stale = self.settings.overwrite and is_other_run(dataset, run, config, progress)
        train(dataset, run, config, overwrite=stale, progress=progress)

    def _score(self, arm: Arm, run: Path, one: Named, place: StudyFolder) -> Results:
        folder = place.folder / "results" / arm.folder / f"{self.sets.index(one)}-{real_path(one.path).name}"
        request = Request(
            dataset=one.path,
            run=run,
            out=folder,
            scorers=self.arms.scorers_of(arm),
            protocols=",".join(self.protocols),
            components=False,
            workers=self.settings.workers,
            device=self.settings.device,
            seed=self.settings.seed,
            fit_on=self.dataset.root,
            overwrite=self.settings.overwrite,
        )
        return run_request(request, place.progress)

    def _miou_identity(self, run: Path) -> dict[str, Any]:
        from caos.segmentation.numerics import NUMERICS
        from caos.segmentation.prediction.checkpoint import WEIGHTS_FILE, read_run

        hashes, samples = FileHashes(), self.dataset.samples("test")
        inputs = {
            "weights": hashes.of(run / WEIGHTS_FILE),
            "network": read_run(run).settings_digest,
            "labels": self.dataset.labels.digest,
            "pictures": hashes.digest(sample.image for sample in samples),
            "annotations": hashes.digest(sample.annotation for sample in samples),
        }
        return Fingerprint(inputs, {}, (NUMERICS,)).plan()

    def _miou(self, arm: Arm, run: Path, place: StudyFolder) -> float:
        """Mean IoU of the ordinary classes on the set's own test part."""
        from caos.segmentation.prediction.predict import Predictor
        from caos.segmentation.training.evaluate import evaluate

        def measured() -> float:
            predictor = Predictor.load(run, device=self.settings.device)
            samples = self.dataset.samples("test")
            tally = evaluate(predictor, samples, calibration=False, progress=place.progress, name="ordinary classes")
            return tally.quality(predictor.labels).miou_present

        return float(place.part(f"miou/{arm.folder}", self._miou_identity(run), measured))


def _kept(arms: Arms, places: Mapping[str, Path]) -> tuple[Arms, dict[str, str]]:
    """The arms whose folders are given, and why others are left out.

    Raises:
        CaosError: If none is left.
    """
    from dataclasses import replace

    kept: list[Arm] = []
    left_out: dict[str, str] = {}
    for arm in arms.arm:
        missing = arm.missing({**places, **{earlier.name: Path(earlier.folder) for earlier in kept}})
        if missing is None:
            kept.append(arm)
        else:
            left_out[arm.name] = f"{missing} was not given (--with {missing.removeprefix('@')}=FOLDER)"
    if not kept:
        raise CaosError(f"no arm can be run: {next(iter(left_out))!r}: {next(iter(left_out.values()))}")
    return replace(arms, arm=tuple(kept)), left_out


def is_other_run(dataset: Dataset, run: Path, config: TrainConfig, progress: Progress) -> bool:
    """Whether a folder holds a run that depends on other things than this one would."""
    from caos.foundation.storage.claims import first_difference
    from caos.segmentation.prediction.checkpoint import RUN_FILE, read_run
    from caos.segmentation.training.run_folder import identity_of

    if not (run / RUN_FILE).is_file():
        return False
    wanted = identity_of(dataset, config, FileHashes(run / "inputs.json"), progress)
    return first_difference(read_run(run).record.identity, wanted) is not None
