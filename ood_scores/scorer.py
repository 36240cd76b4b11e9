"""What a scorer is, what it is given, and how one is found by name.

A scorer turns a network's outputs into one number a pixel (or an image): higher is more anomalous. Adding one is adding
a file to ``scorers/`` with one subclass of `Scorer`; its file name is its name, the first line of its docstring its
description. Nothing heavy is imported to list them.

    outputs = Outputs.of(logits)                   # (N, C), (C, h, w) or (N, C, h, w)
    make_scorer("max_logit").score(outputs)        # (N,), (h, w) or (N, h, w)
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from foundation.errors import CaosError, unknown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

BLOCK = 1 << 14  # pixels
SCORERS_FOLDER = Path(__file__).parent / "scorers"


class Outputs:
    """What a network said about one picture, or about N whole images; what several scorers need is computed once.

    Args:
        logits: Class axis first: ``(C, ...)``. :meth:`of` takes the usual layouts.
        background_id: Which class the ``background`` scorer reads.
        features: ``(D, ...)`` at feature resolution: what enters dropout and classifier.
        classify: Features ``(D, ...)`` to logits ``(C, ...)``, both at feature resolution.
        dropout_passes: A number of passes to that many logits ``(C, ...)`` at feature resolution, dropout on.
        enlarge: A map ``(...)`` at feature resolution to the picture's size.
        confidence: What the confidence branch says, 0..1.
        image: The picture, floats 0..1 ``(h, w, 3)``.
        reconstruction: What an autoencoder made of it, the same shape.
        members: Logits of the other networks of an ensemble.
    """

    def __init__(
        self,
        logits: Tensor,
        *,
        background_id: int = 0,
        features: Tensor | None = None,
        classify: Callable[[Tensor], Tensor] | None = None,
        dropout_passes: Callable[[int], Iterator[Tensor]] | None = None,
        enlarge: Callable[[Tensor], Tensor] | None = None,
        confidence: Tensor | None = None,
        image: Tensor | None = None,
        reconstruction: Tensor | None = None,
        members: tuple[Tensor, ...] = (),
    ) -> None:
        self.logits, self.background_id = logits, background_id
        self.enlarge: Callable[[Tensor], Tensor] = enlarge or _as_it_is
        self._parts: dict[str, Any] = {
            "features": features,
            "classify": classify,
            "dropout passes": dropout_passes,
            "confidence": confidence,
            "image": image,
            "reconstruction": reconstruction,
            "members": members or None,
        }

    @staticmethod
    def of(logits: Tensor | NDArray[np.floating[Any]], **parts: Any) -> Outputs:
        """Outputs from logits ``(N, C)``, ``(C, h, w)`` or ``(N, C, h, w)``, torch or numpy.

        Raises:
            CaosError: If the array has another number of axes or a single class.
        """
        import torch

        tensor = torch.as_tensor(logits)
        if tensor.ndim not in (2, 3, 4):
            raise CaosError(f"logits must be (N, C), (C, h, w) or (N, C, h, w), not {tuple(tensor.shape)}")
        first = tensor if tensor.ndim == 3 else tensor.movedim(1, 0)
        if not 2 <= first.shape[0] <= 255:
            raise CaosError(f"logits must have 2 to 255 classes, not shape {tuple(tensor.shape)}")
        return Outputs(first.float(), **parts)

    def blocks(self) -> Iterator[tuple[slice, Tensor, Tensor]]:
        """Where, logits ``(C, n)`` and probabilities ``(C, n)`` of one block of pixels after another.

        A block stays in the cache of the processor; whole maps of every class would not.
        """
        flat = self.logits.reshape(len(self.logits), -1)
        for start in range(0, flat.shape[1], BLOCK):
            where = slice(start, start + BLOCK)
            logits = flat[:, where]
            exponentials = (logits - logits.amax(dim=0)).exp_()
            yield where, logits, exponentials.div_(exponentials.sum(dim=0))

    @cached_property
    def _shared(self) -> tuple[Tensor, ...]:
        """Largest logit, log of the sum of exponentials, entropy and doubt, in one pass over the logits."""
        import torch

        pixels = self.logits[0].numel()
        maximum, partition, entropy, doubt = torch.empty((4, pixels), device=self.logits.device)
        # Double precision keeps what the other classes add to the 1 of the largest; not every device has it.
        wide = torch.float32 if self.logits.device.type == "mps" else torch.float64
        flat = self.logits.reshape(len(self.logits), -1)
        for start in range(0, pixels, BLOCK):
            where = slice(start, start + BLOCK)
            logits = flat[:, where]
            top = logits.amax(dim=0)
            shifted = logits - top
            exponentials = shifted.exp()
            total = exponentials.sum(dim=0, dtype=wide)
            log_total = total.log()
            maximum[where], partition[where] = top, top + log_total
            # -sum p log p = log Z - sum p l, which needs no logarithm of a probability that may be zero.
            entropy[where] = log_total - exponentials.mul_(shifted).sum(dim=0) / total
            doubt[where] = (total - 1) / total
        return tuple(part.reshape(self.logits.shape[1:]) for part in (maximum, partition, entropy, doubt))

    @property
    def maximum(self) -> Tensor:
        """Largest logit."""
        return self._shared[0]

    @property
    def log_partition(self) -> Tensor:
        """Logarithm of the sum of the exponentials of the logits."""
        return self._shared[1]

    @property
    def entropy(self) -> Tensor:
        """Entropy of the softmax, in nats."""
        return self._shared[2]

    @property
    def doubt(self) -> Tensor:
        """One minus the largest probability, exact where that is nearly one."""
        return self._shared[3]

    @cached_property
    def prediction(self) -> Tensor:
        """Class with the largest logit (the first of equals), as integers of one byte."""
        import torch

        flat = self.logits.reshape(len(self.logits), -1)
        classes = torch.zeros(flat.shape[1], dtype=torch.uint8, device=flat.device)
        for start in range(0, flat.shape[1], BLOCK):
            block, chosen = flat[:, start : start + BLOCK], classes[start : start + BLOCK]
            best = block[0].clone()
            for k in range(1, len(block)):
                chosen.masked_fill_(block[k] > best, k)
                torch.maximum(best, block[k], out=best)
        return classes.reshape(self.logits.shape[1:])

    @cached_property
    def probabilities(self) -> Tensor:
        """Softmax of the logits."""
        return (self.logits - self.log_partition).exp_()

    @property
    def features(self) -> Tensor:
        """What enters dropout and classifier, ``(D, ...)``."""
        part: Tensor = self._part("features")
        return part

    @property
    def classify(self) -> Callable[[Tensor], Tensor]:
        """What follows the features."""
        part: Callable[[Tensor], Tensor] = self._part("classify")
        return part

    @property
    def dropout_passes(self) -> Callable[[int], Iterator[Tensor]]:
        """Passes with dropout on."""
        part: Callable[[int], Iterator[Tensor]] = self._part("dropout passes")
        return part

    @property
    def confidence(self) -> Tensor:
        """What the confidence branch says."""
        part: Tensor = self._part("confidence")
        return part

    @property
    def image(self) -> Tensor:
        """The picture, 0..1."""
        part: Tensor = self._part("image")
        return part

    @property
    def reconstruction(self) -> Tensor:
        """The autoencoder's picture, 0..1."""
        part: Tensor = self._part("reconstruction")
        return part

    @property
    def members(self) -> tuple[Tensor, ...]:
        """Logits of the other networks of the ensemble."""
        part: tuple[Tensor, ...] = self._part("members")
        return part

    def _part(self, name: str) -> Any:
        if self._parts[name] is None:
            raise CaosError(f"this scorer needs {name}, which these outputs do not have")
        return self._parts[name]


def _as_it_is(values: Tensor) -> Tensor:
    return values


@dataclass(frozen=True, eq=False)
class FitData:
    """A sample of in-distribution pixels (or images).

    Attributes:
        logits: ``(n, C)``.
        labels: ``(n,)`` true class ids, or -1 where unknown.
        features: ``(m, D)``, when a scorer asked for them.
        feature_labels: ``(m,)`` true class ids, or -1.
    """

    logits: Tensor
    labels: Tensor
    features: Tensor | None = None
    feature_labels: Tensor | None = None


class Scorer(ABC):
    """One way to say how foreign a pixel looks; constructor arguments are its settings, with their usual values.

    Attributes:
        title: How tables print it.
        needs: Parts of `Outputs` beyond the logits it reads: ``features``, ``classify``, ``dropout passes``,
            ``confidence``, ``image``, ``reconstruction``, ``members``.
    """

    title: ClassVar[str]
    needs: ClassVar[frozenset[str]] = frozenset()

    @abstractmethod
    def score(self, outputs: Outputs) -> Tensor:
        """One number a pixel (or image), higher is more anomalous."""


class FittedScorer(Scorer):
    """A scorer that learns something from in-distribution data first."""

    _is_fitted = False

    def fit(self, data: FitData, rng: np.random.Generator) -> None:
        """Learn from ordinary data.

        Raises:
            CaosError: If the data is too little or has no features where they are needed.
        """
        if "features" in self.needs and data.features is None:
            raise CaosError(f"scorer {scorer_name(type(self))!r} is fitted on features, and none were given")
        self._fit(data, rng)
        self._is_fitted = True

    def score(self, outputs: Outputs) -> Tensor:
        """One number a pixel (or image), higher is more anomalous.

        Raises:
            CaosError: If the scorer was not fitted.
        """
        if not self._is_fitted:
            raise CaosError(f"scorer {scorer_name(type(self))!r} has to be fitted on ordinary data before it can score")
        return self._score(outputs)

    @abstractmethod
    def _fit(self, data: FitData, rng: np.random.Generator) -> None: ...

    @abstractmethod
    def _score(self, outputs: Outputs) -> Tensor: ...


@dataclass(frozen=True)
class ScorerInfo:
    """What is known of a scorer without importing it."""

    name: str
    summary: str
    reference: str


def scorer_names() -> tuple[str, ...]:
    """Every scorer there is, in alphabetical order."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules([str(SCORERS_FOLDER)])))


def scorer_info(name: str) -> ScorerInfo:
    """Name, one-line description and paper of a scorer, read from its file without importing it."""
    _check_name(name)
    text = ast.get_docstring(ast.parse((SCORERS_FOLDER / f"{name}.py").read_text(encoding="utf-8"))) or ""
    paragraphs = [" ".join(part.split()) for part in text.split("\n\n")]
    return ScorerInfo(name, paragraphs[0], paragraphs[-1] if len(paragraphs) > 1 else "")


def scorer_class(name: str) -> type[Scorer]:
    """The scorer of that name.

    Raises:
        CaosError: If the name is unknown, or its file does not define exactly one scorer.
    """
    _check_name(name)
    module = importlib.import_module(f"ood_scores.scorers.{name}")
    own = [
        item
        for item in vars(module).values()
        if inspect.isclass(item) and issubclass(item, Scorer) and item.__module__ == module.__name__
    ]
    if len(own) != 1:
        raise CaosError(f"{module.__file__} must define exactly one scorer, not {len(own)}")
    return own[0]


def make_scorer(name: str, **settings: Any) -> Scorer:
    """A scorer by name, with settings other than the usual ones where given."""
    return scorer_class(name)(**settings)


def scorer_name(scorer: type[Scorer]) -> str:
    """The name a scorer is found by: that of its file."""
    return scorer.__module__.rpartition(".")[2]


def parse_names(names: str) -> tuple[str, ...]:
    """The scorers of a comma-separated list, checked; ``all`` for every one.

    Raises:
        CaosError: If a name is unknown or the list is empty.
    """
    if names.strip() == "all":
        return scorer_names()
    wanted = tuple(dict.fromkeys(name.strip() for name in names.split(",") if name.strip()))
    if not wanted:
        raise CaosError(f"no scorer in {names!r}; give 'all' or some of {', '.join(scorer_names())}")
    for name in wanted:
        _check_name(name)
    return wanted


def _check_name(name: str) -> None:
    if name not in scorer_names():
        raise unknown("scorer", name, scorer_names())
