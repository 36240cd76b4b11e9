"""Source of score maps for any torch model, with features where somebody says how to get them.

A model maps pictures ``(1, 3, h, w)``, floats 0..1, to logits ``(1, C, h, w)``. Scorers that read features need a
second function::

    def split(pictures):                       # (1, 3, h, w)
        features = encoder(pictures)           # (1, D, h', w')
        return features, head                  # head: features to logits (1, C, h'', w'')
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.storage.identity import FileHashes
from caos.ood_scores.scorer_interface.scorer import FEATURES, Outputs
from caos.ood_scores.scorer_interface.specifications import ScorerColumn
from caos.ood_scores.sources.class_names import (
    BACKGROUND_PART,
    background_id,
    names_in_config,
    names_in_table,
    why_no_background,
    without_background,
)
from caos.ood_scores.sources.model import ModelSource
from caos.ood_scores.sources.source import Scored
from caos.ood_scores.sources.views import Views
from caos.scenes.labels import PHOTOGRAPHS, LabelTable
from caos.segmentation.training.config import DropoutPlace

if TYPE_CHECKING:
    from torch import Tensor

Model = Callable[["Tensor"], "Tensor"]
Classify = Callable[["Tensor"], "Tensor"]
Split = Callable[["Tensor"], tuple["Tensor", Classify]]
FROM_FEATURES: Final = frozenset({*FEATURES, "classify", "dropout passes"})
ALWAYS: Final = frozenset({"image", "perturbed logits", BACKGROUND_PART})


class TorchModelSource(ModelSource):
    """Scorers on any torch model.

    A network that is a ``torch.nn.Module`` is put into evaluation mode while it works.

    Args:
        model: Pictures ``(1, 3, h, w)``, floats 0..1, to logits ``(1, C, h, w)``.
        columns: The scorers.
        labels: The label table of the set. Unless it is that of photographs, the network's classes are its own.
        classes: Names of the network's classes in the order of its logits; None for those of its settings
            (``config.id2label``) or of the label table. Scorers that read a class are left out where it is unknown.
        features: Pictures to features ``(1, D, h', w')`` and a function from such features to logits.
        dropout_rate: Share of the feature channels that MC-Dropout drops in each pass.
        seed: Of the dropout masks.
        device: Where the pictures are put.
        scales: Average the logits over the picture at these factors of its size; empty for its own size only.
        flips: Average over the picture and its mirror image.

    Raises:
        CaosError: If a scorer needs what this source does not give, the rate is no share, or a scale is no size.
    """

    def __init__(
        self,
        model: Model,
        columns: Sequence[ScorerColumn],
        labels: LabelTable,
        *,
        classes: Sequence[str] | None = None,
        features: Split | None = None,
        dropout_rate: float = 0.5,
        seed: int = 0,
        device: str = "cpu",
        scales: Sequence[float] = (),
        flips: bool = False,
    ) -> None:
        self._classes = _class_names(model, labels, classes)
        self._background_id = background_id(self._classes, labels)
        self._skipped: dict[str, str] = {}
        if self._background_id is None:
            hint = "; give them with classes=..."
            columns, self._skipped = without_background(columns, why_no_background(self._classes, hint))
        super().__init__(columns, labels)
        given = ALWAYS | (FROM_FEATURES if features is not None else frozenset())
        for column in columns:
            if lacking := sorted(column.scorer.needs - given):
                hint = "; give features=..." if set(lacking) <= FROM_FEATURES else ""
                raise CaosError(
                    f"scorer {column.name!r} needs {', '.join(lacking)}, which a plain model does not give{hint}"
                )
        if not 0 <= dropout_rate < 1:
            raise CaosError(f"dropout_rate is {dropout_rate!r}, not a share from 0 up to, but not including, 1")
        self._model, self._features, self._device = model, features, device
        self._views = Views(tuple(scales), flips)
        self._dropout_rate, self._seed = dropout_rate, seed

    @property
    def _num_classes(self) -> int | None:
        """How many classes the logits have; None where any number is right."""
        if self.labels != PHOTOGRAPHS:
            return self.labels.num_classes
        return None if self._classes is None else len(self._classes)

    def skipped(self) -> dict[str, str]:
        """See :class:`Source`."""
        return dict(self._skipped)

    def describe(self) -> dict[str, Any]:
        """See :class:`Source`."""
        rate = {"dropout_rate": self._dropout_rate} if "dropout passes" in self.needs else {}
        return {"kind": "torch model", "model": type(self._model).__name__, **rate, **self._views.described()}

    def identity(self, hashes: FileHashes) -> Any:
        """See :class:`Source`; None for plain functions: what they do cannot be told from outside."""
        parts = {
            "model": _identity_of(self._model),
            "features": "none" if self._features is None else _identity_of(self._features),
            "columns": [column.identity() for column in self.scorer_columns],
        }
        if None in (parts["model"], parts["features"], *parts["columns"]):
            return None
        return {**parts, "dropout_rate": self._dropout_rate, "device": self._device, **self._views.described()}

    def outputs(self, key: str, image: npt.NDArray[np.uint8]) -> Outputs:
        """See :class:`ModelSource`."""
        import torch

        picture = torch.from_numpy(np.ascontiguousarray(image)).to(self._device).permute(2, 0, 1)[None].float() / 255
        classes = self._num_classes

        def seen(view: Tensor) -> Tensor:
            logits = self._model(view)
            shape = tuple(logits.shape) if isinstance(logits, torch.Tensor) else ()
            # Photographs with masks do not say what the classes are: any number is right.
            wanted = (1, classes or (shape[1] if len(shape) == 4 else "C"), *view.shape[-2:])
            if shape != wanted:
                got = shape or type(logits).__name__
                raise CaosError(f"the model must return logits of shape {wanted} for {key!r}, not {got}")
            return logits

        with evaluating(self._model), evaluating(self._features):
            logits = self._views.mean(seen, picture)
            parts = self._feature_parts(picture, key) if self.needs & FROM_FEATURES else {}
        return Outputs(
            logits[0].float(),
            background_id=self._background_id,
            image=picture[0].permute(1, 2, 0),
            perturbed_logits=lambda temperature, step: self._perturbed(picture, key, temperature, step),
            **parts,
        )

    def score_outputs(
        self, outputs: Outputs, image: npt.NDArray[np.uint8], seconds: Mapping[str, float] | None = None
    ) -> Scored:
        """See :class:`ModelSource`; on photographs the classes are the network's own, which no table names."""
        scored = super().score_outputs(outputs, image, seconds)
        return replace(scored, prediction=None) if self.labels == PHOTOGRAPHS else scored

    def _perturbed(self, picture: Tensor, key: str, temperature: float, step: float) -> Tensor:
        """Logits of the picture, each value moved by ``step`` to where the largest probability grows."""
        import torch

        with torch.inference_mode(mode=False), torch.enable_grad(), evaluating(self._model):
            moved = picture.clone().requires_grad_()
            logits = self._views.mean(self._model, moved)
            if not logits.requires_grad:
                raise CaosError(f"the model gives no gradient at the picture {key!r}: leave the perturbation at 0")
            sure = (logits / temperature).log_softmax(dim=1).amax(dim=1).sum()
            (gradient,) = torch.autograd.grad(sure, moved)
            with torch.no_grad():
                found = self._views.mean(self._model, moved + step * gradient.sign())
        return found[0].float()

    def _feature_parts(self, picture: Tensor, key: str) -> dict[str, Any]:
        assert self._features is not None
        features, classify = _checked_split(self._features(picture), key)
        size = (picture.shape[-2], picture.shape[-1])

        def classified(values: Tensor) -> Tensor:
            with evaluating(self._features), evaluating(classify):
                logits = classify(values)
            classes = logits.shape[1:2] if self._num_classes is None else (self._num_classes,)
            if logits.ndim != 4 or logits.shape[:2] != (1, *classes):
                wanted = (1, *classes, "h", "w")
                raise CaosError(f"what follows the features must return logits {wanted}, not {tuple(logits.shape)}")
            return logits[0].float()

        return {
            "features": features[0].float(),
            "classify": lambda values: classified(values[None]),
            "dropout_passes": functools.partial(self._dropped, features, classified, key),
            "enlarge": lambda values: _enlarged(values, size),
        }

    def _dropped(
        self,
        features: Tensor,
        classified: Callable[[Tensor], Tensor],
        key: str,
        number: int,
        rate: float | None,
        place: DropoutPlace,
    ) -> Iterator[Tensor]:
        """Logits of passes in which whole channels, or single values, of the features are dropped at random."""
        import torch

        generator = torch.Generator().manual_seed(seed_of(self._seed, key))
        share = self._dropout_rate if rate is None else rate
        shape = features.shape if place == "values" else (*features.shape[:2], 1, 1)
        for _ in range(number):
            kept = torch.rand(shape, generator=generator) >= share
            yield classified(features * (kept / (1 - share)).to(features.device))


def _class_names(model: Model, labels: LabelTable, given: Sequence[str] | None) -> tuple[str, ...] | None:
    """The names of a network's classes; None where nobody says them.

    Raises:
        CaosError: If they are given for a set whose label table has another number of classes, or one occurs twice.
    """
    if given is None:
        of_table = names_in_table(labels)
        own = names_in_config(_owner(model))
        return own if own is not None and (of_table is None or len(own) == len(of_table)) else of_table
    if isinstance(given, str) or len(set(given)) != len(given) or not all(isinstance(name, str) for name in given):
        raise CaosError(f"classes={given!r}: give the network's class names, each once, in the order of its logits")
    if labels != PHOTOGRAPHS and len(given) != labels.num_classes:
        raise CaosError(
            f"classes= names {len(given)} classes, but the set's label table {labels.name!r} has {labels.num_classes}"
        )
    return tuple(given)


def seed_of(seed: int, key: str) -> int:
    """A seed that depends on the image and the seed of the run only, not on the order of work."""
    return int.from_bytes(hashlib.sha256(f"{seed}/{key}".encode()).digest()[:7], "big")


def _checked_split(found: Any, key: str) -> tuple[Tensor, Classify]:
    import torch

    if not (isinstance(found, tuple) and len(found) == 2 and isinstance(found[0], torch.Tensor) and callable(found[1])):
        kind = type(found).__name__
        raise CaosError(f"features must return a tensor and the function that follows it for {key!r}, not {kind}")
    if found[0].ndim != 4 or len(found[0]) != 1:
        raise CaosError(f"features must have the shape (1, D, h, w) for {key!r}, not {tuple(found[0].shape)}")
    return found


def _enlarged(values: Tensor, size: tuple[int, int]) -> Tensor:
    from torch.nn import functional

    return functional.interpolate(values[None, None].float(), size=size, mode="bilinear", align_corners=False)[0, 0]


def _owner(function: Any) -> Any:
    """The network behind a function: itself, or the one whose method it is; None for a plain function."""
    import torch

    owner = function.__self__ if inspect.ismethod(function) else function
    return owner if isinstance(owner, torch.nn.Module) else None


def _identity_of(function: Any) -> Any:
    owner = _owner(function)
    if owner is None:
        return None
    from caos.ood_scores.sources.network_identity import network_digest

    method = function.__name__ if inspect.ismethod(function) else "forward"
    return {"network": network_digest(owner), "method": method}


@contextlib.contextmanager
def evaluating(function: Any) -> Iterator[None]:
    """Evaluation mode for the network behind a function, if there is one; each part's mode is put back afterwards."""
    owner = _owner(function)
    if owner is None:
        yield
        return
    modes = [(part, part.training) for part in owner.modules()]
    owner.eval()
    try:
        yield
    finally:
        for part, mode in modes:
            part.training = mode
