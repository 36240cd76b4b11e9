"""Scorers: what one is, and what it is given.

A scorer turns a network's outputs into one number a pixel (or an image): higher is more anomalous. How one is found by
name, or comes from outside, is told in :mod:`caos.ood_scores.scorer_interface.registry`.

    outputs = Outputs.of(logits)                   # (N, C), (C, h, w) or (N, C, h, w)
    make_scorer("max_logit").score(outputs)        # (N,), (h, w) or (N, h, w)
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

from caos.foundation.errors import CaosError
from caos.segmentation.training.config import DropoutPlace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from torch import Tensor

    from caos.ood_scores.scorer_interface.softmax import Softmax
    from caos.segmentation.models.queries import Queries

DropoutPasses = Callable[[int, "float | None", DropoutPlace], Iterator["Tensor"]]
CHUNK = 1 << 12  # features that are compared with a bank at once
MOST_PRODUCTS = 1 << 25  # of features with a bank that are kept
Layer = Literal["encoder", "classifier"]
"""Whose features a scorer reads: what the encoder made, or what enters the classifier."""
FEATURES: Final = frozenset({"features", "encoder features"})
BUILT_IN = "caos.ood_scores.scorers."
FROM_FILE = "caos_scorer_file_"
"""How the names of modules begin that hold one scorer each: those of this package, and files given by their path."""


class Outputs:
    """What a network said about one picture, or about N whole images; what several scorers need is computed once.

    Args:
        logits: Class axis first: ``(C, ...)``. :meth:`of` takes the usual layouts.
        background_id: Number of the network's background class, which the ``background`` scorer reads; None where the
            network has none, or it is unknown.
        features: ``(D, ...)`` at feature resolution: what enters dropout and classifier.
        encoder_features: ``(E, ...)`` at feature resolution: what the encoder made. Where a source does not tell them
            apart, its features.
        classify: Features ``(D, ...)`` to logits ``(C, ...)``, both at feature resolution.
        dropout_passes: A number of passes, a rate (None for the usual one) and a place to that many logits ``(C, ...)``
            at feature resolution, dropout on; see :class:`caos.ood_scores.scorers.mc_dropout.McDropout`.
        enlarge: A map ``(...)`` at feature resolution to the picture's size.
        confidence: What the confidence branch says, 0..1.
        image: The picture, floats 0..1 ``(h, w, 3)``.
        reconstruction: What an autoencoder made of it, the same shape.
        members: Logits of the other networks of an ensemble.
        outlier_logits: ``(2, ...)``, ordinary and outlier, of a head that was trained with negatives.
        void_probability: Of a further class that was trained on negatives, 0..1.
        observed_error: How probable an observer network finds an error of the network, 0..1.
        perturbed_logits: A temperature T and a step to logits ``(C, ...)`` of the picture, each value moved by the step
            to where the largest probability at T grows.
        queries: Of a mask transformer; the logits are its semantic map then.
    """

    def __init__(
        self,
        logits: Tensor,
        *,
        background_id: int | None = None,
        features: Tensor | None = None,
        encoder_features: Tensor | None = None,
        classify: Callable[[Tensor], Tensor] | None = None,
        dropout_passes: DropoutPasses | None = None,
        enlarge: Callable[[Tensor], Tensor] | None = None,
        confidence: Tensor | None = None,
        image: Tensor | None = None,
        reconstruction: Tensor | None = None,
        members: tuple[Tensor, ...] = (),
        outlier_logits: Tensor | None = None,
        void_probability: Tensor | None = None,
        observed_error: Tensor | None = None,
        perturbed_logits: Callable[[float, float], Tensor] | None = None,
        queries: Queries | None = None,
    ) -> None:
        # Nobody learns through a score; a network that was run for learning is scored as any other.
        self.logits = logits.detach()
        self.enlarge: Callable[[Tensor], Tensor] = enlarge or _as_it_is
        self.passes_s = 0.0
        """Wall time in seconds of the passes through the network that scorers made."""
        self._products: dict[int, tuple[Tensor, list[Tensor]]] = {}
        self._parts: dict[str, Any] = {
            "background class": background_id,
            "features": _detached(features),
            "encoder features": _detached(features if encoder_features is None else encoder_features),
            "classify": classify,
            "dropout passes": dropout_passes,
            "confidence": confidence,
            "image": image,
            "reconstruction": reconstruction,
            "members": members or None,
            "outlier logits": outlier_logits,
            "void probability": void_probability,
            "observed error": observed_error,
            "perturbed logits": perturbed_logits,
            "queries": queries,
            "outlier class": None if queries is None else queries.outlier,
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

    def with_logits(self, logits: Tensor) -> Outputs:
        """Other logits of the same classes, without any other part."""
        return Outputs(logits, background_id=self._parts["background class"])

    @cached_property
    def _softmax(self) -> Softmax:
        from caos.ood_scores.scorer_interface.softmax import Softmax

        return Softmax.of(self.logits)

    @property
    def maximum(self) -> Tensor:
        """Largest logit."""
        return self._softmax.maximum

    @property
    def log_partition(self) -> Tensor:
        """Logarithm of the sum of the exponentials of the logits."""
        return self._softmax.log_partition

    @property
    def entropy(self) -> Tensor:
        """Entropy of the softmax, in nats."""
        return self._softmax.entropy

    @property
    def doubt(self) -> Tensor:
        """One minus the largest probability, exact where that is nearly one."""
        return self._softmax.doubt

    @property
    def prediction(self) -> Tensor:
        """Class with the largest logit (the first of equals), uint8."""
        return self._softmax.prediction

    @property
    def probabilities(self) -> Tensor:
        """Softmax of the logits; not to be written to."""
        return self._softmax.probabilities

    @property
    def background_id(self) -> int:
        """Number of the background class."""
        part: int = self._part("background class")
        return part

    @property
    def features(self) -> Tensor:
        """What enters dropout and classifier, ``(D, ...)``."""
        part: Tensor = self._part("features")
        return part

    def of_layer(self, layer: Layer) -> Tensor:
        """Features of one of the two kinds."""
        return self.encoder_features if layer == "encoder" else self.features

    def products(self, bank: Tensor, layer: Layer) -> Iterator[Tensor]:
        """Inner products ``(m, n)`` of a bank ``(m, D)`` with the features of n places, chunk by chunk.

        Scorers that share a bank (:meth:`FitData.bank`) share its products, while those fit into memory.
        """
        import torch

        if id(bank) in self._products:
            return iter(self._products[id(bank)][1])
        features = self.of_layer(layer)
        on_device = bank.to(features.device)
        made = (on_device @ part for part in torch.split(features.reshape(len(features), -1), CHUNK, dim=1))
        if len(bank) * features[0].numel() > MOST_PRODUCTS:
            return made
        # The bank is kept, too: its number is its own as long as it lives.
        self._products[id(bank)] = (bank, list(made))
        return iter(self._products[id(bank)][1])

    @property
    def encoder_features(self) -> Tensor:
        """What the encoder made, ``(E, ...)``."""
        part: Tensor = self._part("encoder features")
        return part

    @property
    def classify(self) -> Callable[[Tensor], Tensor]:
        """What follows the features."""
        part: Callable[[Tensor], Tensor] = self._part("classify")
        return lambda features: self._timed(part, features)

    @property
    def dropout_passes(self) -> DropoutPasses:
        """Passes with dropout on."""
        part: DropoutPasses = self._part("dropout passes")

        def passes(number: int, rate: float | None, place: DropoutPlace) -> Iterator[Tensor]:
            made = iter(part(number, rate, place))
            while (logits := self._timed(next, made, None)) is not None:
                yield logits

        return passes

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

    @property
    def outlier_logits(self) -> Tensor:
        """What the head for outliers says: ordinary, outlier."""
        part: Tensor = self._part("outlier logits")
        return part

    @property
    def observed_error(self) -> Tensor:
        """Probability of an error of the network, by its observer."""
        part: Tensor = self._part("observed error")
        return part

    @property
    def void_probability(self) -> Tensor:
        """Probability of the void class."""
        part: Tensor = self._part("void probability")
        return part

    @property
    def perturbed_logits(self) -> Callable[[float, float], Tensor]:
        """Logits of the picture after a step along the network's gradient."""
        part: Callable[[float, float], Tensor] = self._part("perturbed logits")
        return lambda temperature, step: self._timed(part, temperature, step)

    @property
    def queries(self) -> Queries:
        """Class and mask logits of a mask transformer's queries."""
        part: Queries = self._part("queries")
        return part

    @property
    def outlier_class(self) -> Tensor:
        """Probability ``(Q,)`` of each query's class of outliers."""
        part: Tensor = self._part("outlier class")
        return part

    def _timed(self, call: Callable[..., Any], *words: Any) -> Any:
        start = perf_counter()
        given = call(*words)
        self.passes_s += perf_counter() - start
        return given

    def _part(self, name: str) -> Any:
        if self._parts[name] is None:
            raise CaosError(f"this scorer needs {name}, which these outputs do not have")
        return self._parts[name]


def _detached(values: Tensor | None) -> Tensor | None:
    return None if values is None else values.detach()


def _as_it_is(values: Tensor) -> Tensor:
    return values


@dataclass(frozen=True, eq=False)
class FitData:
    """A sample of in-distribution pixels (or images).

    Attributes:
        logits: ``(n, C)``; ``(n, 0)`` of a network without classes.
        labels: ``(n,)`` true class ids, or -1 where unknown.
        features: ``(m, D)``, when a scorer asked for them.
        feature_labels: ``(m,)`` true class ids, or -1.
        encoder_features: ``(m, E)`` at the same places, when a scorer asked for them.
    """

    logits: Tensor
    labels: Tensor
    features: Tensor | None = None
    feature_labels: Tensor | None = None
    encoder_features: Tensor | None = None
    _banks: dict[tuple[Layer, int], Tensor] = field(default_factory=dict, init=False, repr=False)

    def bank(self, layer: Layer, number: int) -> Tensor:
        """At most so many features ``(m, D)`` of a layer, evenly spread; the same tensor for all who ask for the same.

        Raises:
            CaosError: If there are none.
        """
        if (layer, number) not in self._banks:
            features = self.of_layer(layer)
            import torch

            chosen = torch.linspace(0, len(features) - 1, min(number, len(features)), dtype=torch.float64)
            self._banks[layer, number] = features[chosen.round().long()].float()
        return self._banks[layer, number]

    def of_layer(self, layer: Layer) -> Tensor:
        """Features of one of the two kinds; those before the classifier where the encoder's are not known apart.

        Raises:
            CaosError: If there are none.
        """
        chosen = self.encoder_features if layer == "encoder" else None
        found = self.features if chosen is None else chosen
        if found is None:
            raise CaosError("this scorer is fitted on features, and none were given")
        return found


class Scorer(ABC):
    """One way to say how foreign a pixel looks.

    The arguments of its constructor are its settings, with their usual values; each is kept as an attribute of the same
    name. What is annotated as ``Annotated[int, Limits(1, 100)]`` is checked.

    Attributes:
        title: How tables print it.
        note: What a reader has to know beside its number, without a full stop; tables and pages print it.
        needs: Parts of `Outputs` beyond the logits it reads: ``features``, ``encoder features``, ``classify``,
            ``dropout passes``,
            ``confidence``, ``image``, ``reconstruction``, ``members``, ``outlier logits``, ``void probability``,
            ``perturbed logits``, ``queries``, ``outlier class``, ``background class``.
        reads_logits: Whether it reads logits, which a frozen encoder does not give.
    """

    title: ClassVar[str]
    note: str = ""
    needs: frozenset[str] = frozenset()
    reads_logits: bool = True

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
        if self.needs & FEATURES and data.features is None and data.encoder_features is None:
            raise CaosError(f"scorer {scorer_name(type(self))!r} is fitted on features, and none were given")
        self._fit(data, rng)
        self._is_fitted = True

    def score(self, outputs: Outputs) -> Tensor:
        """One number a pixel (or image), higher is more anomalous.

        Raises:
            CaosError: If the scorer was not fitted.
        """
        if not self._is_fitted:
            raise CaosError(f"scorer {scorer_name(type(self))!r} must be fitted on ordinary data before it can score")
        return self._score(outputs)

    @abstractmethod
    def _fit(self, data: FitData, rng: np.random.Generator) -> None: ...

    @abstractmethod
    def _score(self, outputs: Outputs) -> Tensor: ...


def needed_for(layer: Layer) -> str:
    """The part of `Outputs` that holds the features of a layer."""
    return "encoder features" if layer == "encoder" else "features"


def scorer_name(scorer: type[Scorer]) -> str:
    """The name of a scorer: that of its file, where it has one for itself, else that of its class.

    >>> scorer_name(type("MyScorer", (Scorer,), {}))
    'my_scorer'
    """
    if scorer.__module__.startswith(BUILT_IN):
        return scorer.__module__.removeprefix(BUILT_IN)
    if scorer.__module__.startswith(FROM_FILE):
        return scorer.__module__.removeprefix(FROM_FILE).partition("_")[2]
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", scorer.__name__).lower()
