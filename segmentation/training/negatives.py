"""Losses with negatives: what one is, what it is given, and how it is found by name.

Negatives are pixels of training pictures that show something foreign: their labels are anomalies. A loss says what a
network learns from them beside the cross entropy of ordinary pixels. Adding one is adding a file to ``losses/`` with
one subclass of `NegativeLoss`; its file name is its name, the first line of its docstring its description. Nothing
heavy is imported to list them.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final, Literal

from caos.foundation.errors import CaosError, unknown

if TYPE_CHECKING:
    from torch import Tensor

NEGATIVE: Final = 254
"""Label of a negative pixel while training; no class has it."""
LOSSES_FOLDER: Final = Path(__file__).parents[1] / "losses"
Head = Literal["none", "void", "outlier", "queries", "outlier class"]
"""What stands beside the classifier: nothing, the logit of one more class, or the two logits ordinary and outlier; or,
in place of a classifier, the queries of a mask transformer, perhaps with one more class."""
OF_QUERIES: Final[tuple[Head, ...]] = ("queries", "outlier class")
"""What only a mask transformer has."""


@dataclass(frozen=True, eq=False)
class NegativePixels:
    """What a loss is given of a batch; every map has the size ``(n, h, w)`` of the labels the loss looks at.

    Attributes:
        logits: ``(n, K, h, w)`` of the ordinary classes.
        extra: ``(n, 1 or 2, h, w)`` of the head that the loss asked for, or None; of a mask transformer, the semantic
            map of the class of outliers, as its logits are the semantic map of the ordinary classes.
        ordinary: Where an ordinary class is labelled; void pixels are neither ordinary nor negative.
        negative: Where something foreign is labelled.
    """

    logits: Tensor
    extra: Tensor | None
    ordinary: Tensor
    negative: Tensor

    @property
    def head(self) -> Tensor:
        """The extra head's logits.

        Raises:
            CaosError: If the network has none.
        """
        if self.extra is None:
            raise CaosError("this loss trains a head beside the classifier, and the network has none")
        return self.extra


class NegativeLoss(ABC):
    """One way to learn from negatives.

    Attributes:
        weight: Usual weight of the loss.
        needs: The head beside the classifier that it trains, or what it needs of a mask transformer.
    """

    weight: ClassVar[float]
    needs: ClassVar[Head] = "none"

    @abstractmethod
    def loss(self, pixels: NegativePixels, weight: float) -> Tensor:
        """What is added to the cross entropy of the ordinary pixels; finite in a batch without negatives, too."""


@dataclass(frozen=True)
class NegativesUsed:
    """What a run says about its negatives.

    Attributes:
        loss: Name of the loss.
        weight: Its weight.
        images: Training pictures of the set that showed some.
        source: ``rendered`` (into the scenes of a generated set), ``labelled`` (in another set), ``pasted``, or two of
            them, such as ``rendered and pasted``.
        cutouts: How many cut-outs were pasted from.
        kinds: What was shown, as far as it is known: none of it may be tested.
    """

    loss: str
    weight: float
    images: int
    source: str = "labelled"
    cutouts: int = 0
    kinds: tuple[str, ...] = ()

    def __str__(self) -> str:
        """In a few words, for tables."""
        return f"{self.loss}, {self.source}"


def mean_where(values: Tensor, mask: Tensor) -> Tensor:
    """Mean of ``values`` over ``mask``, 0 where that is empty; a product, since choosing pixels waits for a GPU."""
    return (values * mask).sum() / mask.sum().clamp(min=1)


def loss_names() -> tuple[str, ...]:
    """Every loss with negatives there is, in alphabetical order."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules([str(LOSSES_FOLDER)])))


def loss_summary(name: str) -> str:
    """The first paragraph of a loss's description, read from its file without importing it."""
    _check_name(name)
    text = ast.get_docstring(ast.parse((LOSSES_FOLDER / f"{name}.py").read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split())


def make_loss(name: str) -> NegativeLoss:
    """The loss of that name.

    Raises:
        CaosError: If the name is unknown, or its file does not define exactly one loss.
    """
    _check_name(name)
    module = importlib.import_module(f"caos.segmentation.losses.{name}")
    own = [
        item
        for item in vars(module).values()
        if inspect.isclass(item) and issubclass(item, NegativeLoss) and item.__module__ == module.__name__
    ]
    if len(own) != 1:
        raise CaosError(f"{module.__file__} must define exactly one loss with negatives, not {len(own)}")
    loss: NegativeLoss = own[0]()
    return loss


def _check_name(name: str) -> None:
    if name not in loss_names():
        raise unknown("loss with negatives", name, loss_names())
