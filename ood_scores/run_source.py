"""Score maps from runs of ``caos train``: one forward pass serves all scorers."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from foundation.errors import CaosError
from ood_scores.scorer import Outputs, scorer_class
from ood_scores.smoothing import SUFFIX
from ood_scores.sources import ModelSource

if TYPE_CHECKING:
    from torch import Tensor

    from segmentation.predict import Autoencoder, Predictor


@dataclass(frozen=True)
class RunPaths:
    """The folders of trained runs that scoring reads; None where there is none."""

    run: Path
    autoencoder: Path | None = None
    confidence: Path | None = None
    members: tuple[Path, ...] = ()

    @staticmethod
    def around(
        run: Path,
        autoencoder: Path | None = None,
        confidence: Path | None = None,
        members: tuple[Path, ...] = (),
    ) -> RunPaths:
        """The given folders; where one is not given, that inside ``run``: autoencoder, confidence, seed1, seed2 ..."""

        def inside(name: str) -> Path | None:
            return run / name if (run / name / "run.json").is_file() else None

        seeds = tuple(sorted(p for p in run.glob("seed*") if (p / "run.json").is_file()))
        return RunPaths(run, autoencoder or inside("autoencoder"), confidence or inside("confidence"), members or seeds)

    def missing(self, needs: frozenset[str], *, has_confidence: bool) -> str | None:
        """Why a scorer with these needs cannot run, or None when it can."""
        if "reconstruction" in needs and self.autoencoder is None:
            return f"no autoencoder: give --autoencoder RUN, or train one into {self.run / 'autoencoder'}"
        if "confidence" in needs and self.confidence is None and not has_confidence:
            return f"no confidence branch: give --confidence RUN, or train one into {self.run / 'confidence'}"
        if "members" in needs and not self.members:
            return f"no other networks: give --ensemble RUN, or train more seeds into {self.run / 'seed1'}"
        return None


class RunSource(ModelSource):
    """Scorers on a run of ``caos train``: one forward pass serves them all.

    Args:
        paths: The runs.
        names: Scorers.
        explicit: Whether the names were given one by one; else those that cannot run are left out, and named.
        left_out: Scorers that were left out before, and why.
        seed: For the dropout masks.
        device: As for the predictor.
    """

    def __init__(
        self,
        paths: RunPaths,
        names: Sequence[str],
        *,
        explicit: bool = True,
        left_out: Mapping[str, str] | None = None,
        seed: int = 0,
        device: str = "auto",
    ) -> None:
        from segmentation.predict import Autoencoder, Predictor

        self.paths, self._seed, self._device = paths, seed, device
        self._predictor: Predictor = Predictor.load(paths.run, device=device)
        usable, skipped = self._usable(names, explicit=explicit)
        self._skipped = {**(left_out or {}), **skipped}
        super().__init__(usable, self._predictor.labels)
        self._autoencoder: Autoencoder | None = None
        self._branch: Predictor | None = None
        self._members: list[Predictor] = []
        if "reconstruction" in self.needs and paths.autoencoder is not None:
            self._autoencoder = Autoencoder.load(paths.autoencoder, device=device)
        if "confidence" in self.needs and paths.confidence is not None:
            self._branch = self._beside(paths.confidence)
            if not self._branch.has_confidence:
                raise CaosError(f"{paths.confidence} has no confidence branch; train it with --confidence-branch")
        if "members" in self.needs:
            self._members = [self._beside(path) for path in paths.members]

    def _usable(self, names: Sequence[str], *, explicit: bool) -> tuple[list[str], dict[str, str]]:
        usable, skipped = [], {}
        for name in names:
            needs = scorer_class(name.removesuffix(SUFFIX)).needs
            reason = self.paths.missing(needs, has_confidence=self._predictor.has_confidence)
            if reason is None:
                usable.append(name)
            elif explicit:
                raise CaosError(f"scorer {name!r} cannot run: {reason}")
            else:
                skipped[name] = reason
        return usable, skipped

    def _beside(self, path: Path) -> Predictor:
        from segmentation.predict import Predictor

        other = Predictor.load(path, device=self._device)
        if other.labels.digest != self._predictor.labels.digest:
            raise CaosError(
                f"{path} was trained with label table {other.labels.name!r}, but {self.paths.run} with "
                f"{self._predictor.labels.name!r}"
            )
        return other

    def skipped(self) -> dict[str, str]:
        """See :class:`Source`."""
        return dict(self._skipped)

    def describe(self) -> dict[str, Any]:
        """See :class:`Source`."""
        runs = {
            "run": self.paths.run,
            "autoencoder": self.paths.autoencoder if self._autoencoder else None,
            "confidence": self.paths.confidence if self._branch else None,
        }
        record = {name: None if path is None else str(path) for name, path in runs.items()}
        members = [str(path) for path in self.paths.members] if self._members else []
        return {"kind": "run", **record, "ensemble": members, "weights": _fingerprint(self.paths.run)}

    def outputs(self, key: str, image: npt.NDArray[np.uint8]) -> Outputs:
        """See :class:`ModelSource`."""
        import torch

        batch = np.ascontiguousarray(image)[None]
        wants_features = bool(self.needs & {"features", "classify", "dropout passes"})
        prediction = self._predictor.predict(batch, features=wants_features)
        features = prediction.features
        confidence = prediction.confidence
        if self._branch is not None:
            confidence = self._branch.predict(batch).confidence
        reconstruction = None if self._autoencoder is None else self._autoencoder.reconstruct(batch)[0]
        device = prediction.logits.device
        picture = None
        if reconstruction is not None:
            picture = torch.from_numpy(batch[0]).to(device).float() / 255
        size = (image.shape[0], image.shape[1])
        return Outputs(
            prediction.logits[0],
            background_id=self.labels.background_id,
            features=None if features is None else features[0],
            classify=lambda values: self._predictor.classify(values[None], None)[0],
            dropout_passes=None if features is None else self._passes(features, key),
            enlarge=lambda values: self._predictor.at_picture_size(values[None, None].float(), size)[0, 0],
            confidence=None if confidence is None else confidence[0],
            image=picture,
            reconstruction=reconstruction,
            members=tuple(member.predict(batch).logits[0] for member in self._members),
        )

    def _passes(self, features: Tensor, key: str) -> Callable[[int], Iterator[Tensor]]:
        def run(number: int) -> Iterator[Tensor]:
            import torch

            # The masks depend on the image and the seed only, not on the order of work.
            digest = hashlib.sha256(f"{self._seed}/{key}".encode()).digest()
            generator = torch.Generator(device=features.device)
            generator.manual_seed(int.from_bytes(digest[:7], "big"))
            yield from (logits[0] for logits in self._predictor.dropout_passes(features, number, generator))

        return run


def _fingerprint(run: Path) -> str:
    """Short hash of a run's weights, so that retrained weights are not taken for the old ones."""
    digest = hashlib.sha256()
    with (run / "model.safetensors").open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()[:16]
