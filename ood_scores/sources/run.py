"""Source of score maps from runs of ``caos train``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.storage.identity import FileHashes, Numerics
from caos.ood_scores.results import Negatives
from caos.ood_scores.scorer_interface.scorer import FEATURES, DropoutPasses, Outputs
from caos.ood_scores.scorer_interface.specifications import ScorerColumn, columns_of
from caos.ood_scores.sources.class_names import BACKGROUND_PART, background_id, names_in_table, why_no_background
from caos.ood_scores.sources.model import ModelSource
from caos.ood_scores.sources.torch_model import seed_of
from caos.scenes.dataset.layout import open_dataset
from caos.segmentation.bundled import BUNDLED, run_folder
from caos.segmentation.training.config import MASK2FORMER, DropoutPlace

if TYPE_CHECKING:
    from torch import Tensor

    from caos.segmentation.models.observer import Observer
    from caos.segmentation.prediction.predict import Autoencoder, Predictor
    from caos.segmentation.training.negatives import Head

OF_QUERIES: Final = frozenset({"queries", "outlier class"})
"""The parts of the outputs that runs of mask transformers give."""
GIVEN: Final = frozenset(
    {
        *FEATURES,
        BACKGROUND_PART,
        *("classify", "dropout passes", "confidence", "image", "reconstruction", "members", "observed error"),
    }
)
"""The parts of the outputs that runs can give, besides those of a head for negatives."""
HEADS: Final = {
    "outlier logits": ("outlier", "outlier_head or dense_hybrid"),
    "void probability": ("void", "void_class"),
}
"""The head for negatives that gives a part of the outputs, and the loss that trains it."""
OF_CLASSIFIER: Final = frozenset({"classify", "dropout passes"})
"""What a mask transformer has not."""


@dataclass(frozen=True)
class RunPaths:
    """The folders of trained runs that scoring reads; None where there is none."""

    run: Path
    autoencoder: Path | None = None
    confidence: Path | None = None
    members: tuple[Path, ...] = ()
    observer: Path | None = None

    @staticmethod
    def around(
        run: Path,
        autoencoder: Path | None = None,
        confidence: Path | None = None,
        members: tuple[Path, ...] = (),
        observer: Path | None = None,
    ) -> RunPaths:
        """The given folders; else those in ``run``: autoencoder, confidence, observer, seed1, seed2 ..."""
        run = run_folder(run)

        def inside(name: str) -> Path | None:
            return run / name if (run / name / "run.json").is_file() else None

        seeds = tuple(sorted(p for p in run.glob("seed*") if (p / "run.json").is_file()))
        return RunPaths(
            run,
            autoencoder or inside("autoencoder"),
            confidence or inside("confidence"),
            members or seeds,
            observer or inside("observer"),
        )

    def all(self) -> tuple[Path, ...]:
        """Every run there is."""
        return tuple(
            p for p in (self.run, self.autoencoder, self.confidence, self.observer, *self.members) if p is not None
        )

    def missing(self, needs: frozenset[str], *, has_confidence: bool, head: Head) -> str | None:
        """Why a scorer with these needs cannot run, or None when it can; ``head`` is that for negatives."""
        if "reconstruction" in needs and self.autoencoder is None:
            return f"no autoencoder: give --autoencoder RUN{self._or_train('one', 'autoencoder')}"
        if "confidence" in needs and self.confidence is None and not has_confidence:
            return f"no confidence branch: give --confidence RUN{self._or_train('one', 'confidence')}"
        if "observed error" in needs and self.observer is None:
            return f"no observer: give --observer RUN{self._or_train('one', 'observer')}"
        if "members" in needs and not self.members:
            return f"no other networks: give --ensemble RUN{self._or_train('more seeds', 'seed1')}"
        return self._missing_head(needs, head) or _not_given(needs)

    def missing_of_masks(self, needs: frozenset[str], *, is_mask: bool, head: Head) -> str | None:
        """Why a scorer with these needs cannot run on this kind of network, or None when it can."""
        if is_mask and needs & OF_CLASSIFIER:
            return f"{self._shown} is a mask transformer, which has no classifier on its features"
        if not is_mask and "queries" in needs:
            return f"{self._shown} is no mask transformer: train one with --model mask2former"
        if "outlier class" in needs and head != "outlier class":
            return f"{self._shown} has no class of outliers: train it with --negatives uno"
        return None

    @property
    def _shown(self) -> str:
        return f"the run {BUNDLED!r}" if self._is_bundled else str(self.run)

    @property
    def _is_bundled(self) -> bool:
        return self.run == run_folder(Path(BUNDLED))

    def _or_train(self, what: str, folder: str) -> str:
        """Where a missing run would be found by itself; nobody trains into the package."""
        return "" if self._is_bundled else f", or train {what} into {self.run / folder}"

    def _missing_head(self, needs: frozenset[str], head: Head) -> str | None:
        for part, (needed, loss) in HEADS.items():
            if part in needs and head != needed:
                return f"{self._shown} has no {needed} head: train it with --negatives {loss}"
        return None


def _not_given(needs: frozenset[str]) -> str | None:
    if "perturbed logits" in needs:
        return "a run gives no gradient at the picture: leave the perturbation at 0"
    foreign = sorted(needs - GIVEN - HEADS.keys() - OF_QUERIES)
    return f"a run gives no {', '.join(foreign)}" if foreign else None


class RunSource(ModelSource):
    """Scorers on a run of ``caos train``: one forward pass serves them all.

    Args:
        paths: The runs.
        scorers: Names, paths and settings; see :func:`caos.ood_scores.scorer_interface.specifications.columns_of`.
        explicit: Whether the scorers were given one by one; else those that cannot run are left out, and named.
        left_out: Scorers that were left out before, and why.
        fit_on: Folder of the set to fit scorers on, if it is not the scored one.
        seed: For the dropout masks.
        device: As for the predictor.
        scales: Average the networks' outputs over the picture at these factors of its size; see
            :class:`caos.segmentation.prediction.predict.Predictor`. Empty: as the run was trained.
        flips: Average over the picture and its mirror image.
    """

    def __init__(
        self,
        paths: RunPaths,
        scorers: Sequence[str],
        *,
        explicit: bool = True,
        left_out: Mapping[str, str] | None = None,
        fit_on: Path | None = None,
        seed: int = 0,
        device: str = "auto",
        scales: Sequence[float] = (),
        flips: bool = False,
    ) -> None:
        from caos.segmentation.prediction.predict import Autoencoder, Predictor

        self.paths, self._seed = paths, seed
        self._seeing: dict[str, Any] = {"device": device, "scales": tuple(scales), "flips": flips}
        # Before the weights are read: what changes meanwhile must not pass for what was read.
        self._hashed = {path: _hashes_of(path) for path in paths.all()}
        self._predictor: Predictor = Predictor.load(paths.run, **self._seeing)
        usable, skipped = self._usable(columns_of(scorers), explicit=explicit)
        self._skipped = {**(left_out or {}), **skipped}
        labels = self._predictor.labels
        super().__init__(usable, labels, None if fit_on is None else open_dataset(fit_on, labels.name))
        self._autoencoder: Autoencoder | None = None
        self._branch: Predictor | None = None
        self._members: list[Predictor] = []
        self._observer: Observer | None = None
        if "observed error" in self.needs and paths.observer is not None:
            from caos.segmentation.models.observer import Observer

            self._observer = Observer.load(paths.observer, self._predictor)
        if "reconstruction" in self.needs and paths.autoencoder is not None:
            self._autoencoder = Autoencoder.load(paths.autoencoder, device=device)
        if "confidence" in self.needs and paths.confidence is not None:
            self._branch = self._beside(paths.confidence)
            if not self._branch.has_confidence:
                raise CaosError(f"{paths.confidence} has no confidence branch; train it with --confidence-branch")
        if "members" in self.needs:
            self._members = [self._beside(path) for path in paths.members]

    def _usable(self, columns: Sequence[ScorerColumn], *, explicit: bool) -> tuple[list[ScorerColumn], dict[str, str]]:
        usable, skipped = [], {}
        assert self._predictor.run is not None
        architecture = self._predictor.run.architecture
        has_confidence, head = self._predictor.has_confidence, architecture.negative_head
        is_mask = architecture.model == MASK2FORMER
        for column in columns:
            needs = column.scorer.needs
            reason = self.paths.missing_of_masks(needs, is_mask=is_mask, head=head)
            reason = reason or self._missing_class(needs)
            reason = reason or self.paths.missing(needs, has_confidence=has_confidence, head=head)
            if reason is None:
                usable.append(column)
            elif explicit:
                raise CaosError(f"scorer {column.name!r} cannot run: {reason}")
            else:
                skipped[column.name] = reason
        return usable, skipped

    def _missing_class(self, needs: frozenset[str]) -> str | None:
        """Why a scorer with these needs cannot read its class, or None when it can."""
        labels = self._predictor.labels
        names = names_in_table(labels)
        if BACKGROUND_PART not in needs or background_id(names, labels) is not None:
            return None
        return why_no_background(names)

    def _beside(self, path: Path) -> Predictor:
        from caos.segmentation.prediction.predict import Predictor

        other = Predictor.load(path, **self._seeing)
        if other.labels.digest != self._predictor.labels.digest:
            raise CaosError(
                f"{path} was trained with label table {other.labels.name!r}, but {self.paths.run} with "
                f"{self._predictor.labels.name!r}"
            )
        return other

    @property
    def can_prefetch(self) -> bool:
        """See :class:`Source`; false where torch may use one thread only, and on MPS, which takes one at a time."""
        import torch

        device = self._predictor.device.type
        return device == "cuda" or (device == "cpu" and torch.get_num_threads() > 1)

    def numerics(self) -> tuple[Numerics, ...]:
        """See :class:`Source`."""
        from caos.segmentation.numerics import NUMERICS

        return (*super().numerics(), NUMERICS)

    def skipped(self) -> dict[str, str]:
        """See :class:`Source`."""
        return dict(self._skipped)

    def negatives(self) -> Negatives:
        """See :class:`Source`; of the members of an ensemble the first that was."""
        from caos.segmentation.prediction.checkpoint import read_run

        used = [read_run(path).record.negatives for path in (self.paths.run, *self.paths.members)]
        return next((one for one in used if one is not None), "none")

    def describe(self) -> dict[str, Any]:
        """See :class:`Source`."""
        used = self._used()
        names = {name: None if path is None else str(path) for name, path in used.items()}
        members = [str(path) for path in self.paths.members] if self._members else []
        weights = self._hashed[self.paths.run]["weights"][:16]
        fit_on = {} if self.fit_set is None else {"fit_on": str(self.fit_set.root)}
        dropout = {"dropout_rate": self._predictor.model.dropout.p} if "dropout passes" in self.needs else {}
        return {
            "kind": "run",
            **names,
            "ensemble": members,
            "weights": weights,
            "labels": self.labels.name,
            **self._averaged_over(),
            **dropout,
            **fit_on,
        }

    def _averaged_over(self) -> dict[str, Any]:
        """What the outputs are means over."""
        sides = () if self._predictor.scales else self._predictor.sides
        return {"scales": list(self._predictor.scales), "sides": list(sides), "flips": self._predictor.flips}

    def _used(self) -> dict[str, Path | None]:
        return {
            "run": self.paths.run,
            "autoencoder": self.paths.autoencoder if self._autoencoder else None,
            "confidence": self.paths.confidence if self._branch else None,
            "observer": self.paths.observer if self._observer else None,
        }

    def identity(self, hashes: FileHashes) -> Any:
        """See :class:`Source`."""
        columns = [column.identity() for column in self.scorer_columns]
        if None in columns:
            return None
        networks = {name: None if path is None else self._still(path) for name, path in self._used().items()}
        members = [self._still(path) for path in self.paths.members] if self._members else []
        device = self._predictor.device.type
        return {**networks, "ensemble": members, "columns": columns, "device": device, **self._averaged_over()}

    def _still(self, run: Path) -> dict[str, str]:
        """The hashes of a run that was loaded, which must be those of the files now."""
        if _hashes_of(run) != self._hashed[run]:
            raise CaosError(f"{run} changed while it was used; score again")
        return self._hashed[run]

    def outputs(self, key: str, image: npt.NDArray[np.uint8]) -> Outputs:
        """See :class:`ModelSource`."""
        import torch

        batch = np.ascontiguousarray(image)[None]
        wants_features = bool(self.needs & {*FEATURES, "classify", "dropout passes"})
        prediction = self._predictor.predict(
            batch, features=wants_features, encoder_features="encoder features" in self.needs
        )
        features = prediction.features
        confidence = prediction.confidence
        if self._branch is not None:
            confidence = self._branch.predict(batch).confidence
        reconstruction = None if self._autoencoder is None else self._autoencoder.reconstruct(batch)[0]
        picture = None
        if "image" in self.needs:
            picture = torch.from_numpy(batch[0]).to(prediction.logits.device).float() / 255
        size = (image.shape[0], image.shape[1])
        return Outputs(
            prediction.logits[0],
            background_id=background_id(names_in_table(self.labels), self.labels),
            features=None if features is None else features[0],
            encoder_features=None if prediction.encoder_features is None else prediction.encoder_features[0],
            classify=lambda values: self._predictor.classify(values[None], None)[0],
            dropout_passes=None if features is None else self._passes(features, key),
            enlarge=lambda values: self._predictor.at_picture_size(values[None, None].float(), size)[0, 0],
            confidence=None if confidence is None else confidence[0],
            image=picture,
            reconstruction=reconstruction,
            members=tuple(member.predict(batch).logits[0] for member in self._members),
            outlier_logits=None if prediction.outlier_logits is None else prediction.outlier_logits[0],
            observed_error=None if self._observer is None else self._observer.observe(batch)[0],
            void_probability=None if prediction.void_probability is None else prediction.void_probability[0],
            queries=None if prediction.queries is None else prediction.queries[0],
        )

    def _passes(self, features: Tensor, key: str) -> DropoutPasses:
        def run(number: int, rate: float | None, place: DropoutPlace) -> Iterator[Tensor]:
            import torch

            generator = torch.Generator(device=features.device)
            generator.manual_seed(seed_of(self._seed, key))
            passes = self._predictor.dropout_passes(features, number, generator, rate, place)
            yield from (logits[0] for logits in passes)

        return run


def _hashes_of(run: Path) -> dict[str, str]:
    """Hashes of a run's weights and description, so that retrained weights are not taken for the old ones."""
    from caos.segmentation.prediction.checkpoint import RUN_FILE, WEIGHTS_FILE

    hashes = FileHashes()
    files = {"weights": run / WEIGHTS_FILE, "description": run / RUN_FILE}
    return {name: hashes.of(path) if path.is_file() else "missing" for name, path in files.items()}
