"""Corruption: one way in which a picture is spoilt, in five severities, and the registry of all of them.

Hendrycks and Dietterich, Benchmarking Neural Network Robustness to Common Corruptions and Perturbations, 2019
(ImageNet-C): 15 corruptions to test with and 4 held out to tune with. The tables of severities are those published with
ImageNet-C; `paper_scale` says how they are fitted to a picture's size. Adding a file to ``kinds/`` with one subclass of
`Corruption` adds a corruption; its file name is its name, the first paragraph of its docstring its description.

    rng = generator_for(seed=0, image_key="t5/12.png", change="fog", severity=3)
    foggy = make_corruption("fog").corrupt(picture, 3, rng)
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, ClassVar, Final, Literal

import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import CaosError
from caos.studies.framework.registry import Registry

Picture = NDArray[np.uint8]
Labels = NDArray[np.uint8]
Group = Literal["noise", "blur", "weather", "digital"]

SEVERITIES: Final = (1, 2, 3, 4, 5)
SMALLEST_SIDE: Final = 8


class Corruption(ABC):
    """One corruption, five severities.

    Attributes:
        title: How tables print it.
        group: Which of the paper's four groups it belongs to.
        held_out: Whether it is kept for tuning and not one of the 15.
        moves_labels: Whether labels move with the picture; use :meth:`corrupt_pair` then.
        rising: Chains of severities along which the picture moves away from the original. Some of the paper's tables
            change their kind midway, and rise within each kind only.
    """

    title: ClassVar[str]
    group: ClassVar[Group]
    held_out: ClassVar[bool] = False
    moves_labels: ClassVar[bool] = False
    rising: ClassVar[tuple[tuple[int, ...], ...]] = (SEVERITIES,)

    def corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
        """A new picture ``(h, w, 3)``, spoilt.

        Raises:
            CaosError: If the picture is not uint8 ``(h, w, 3)`` of at least 8 x 8, or the severity is not 1..5.
        """
        _check(picture, severity)
        return self._corrupt(np.ascontiguousarray(picture), severity, rng)

    def corrupt_pair(
        self, picture: Picture, labels: Labels, severity: int, rng: np.random.Generator
    ) -> tuple[Picture, Labels]:
        """The spoilt picture and its labels ``(h, w)``, which are those given unless :attr:`moves_labels`.

        Raises:
            CaosError: As :meth:`corrupt`, or if the labels are of another size.
        """
        _check(picture, severity)
        if labels.shape != picture.shape[:2]:
            raise CaosError(f"labels must be {picture.shape[:2]} like their picture, not {labels.shape}")
        return self._corrupt_pair(np.ascontiguousarray(picture), labels, severity, rng)

    @abstractmethod
    def _corrupt(self, picture: Picture, severity: int, rng: np.random.Generator) -> Picture: ...

    def _corrupt_pair(
        self, picture: Picture, labels: Labels, severity: int, rng: np.random.Generator
    ) -> tuple[Picture, Labels]:
        return self._corrupt(picture, severity, rng), labels


def _check(picture: NDArray[Any], severity: int) -> None:
    check_picture(picture)
    if severity not in SEVERITIES:
        raise CaosError(f"severity must be 1..5, not {severity!r}")


def check_picture(picture: NDArray[Any]) -> None:
    """Refuse what is not a colour picture of bytes.

    Raises:
        CaosError: If the picture is not uint8 ``(h, w, 3)`` of at least 8 x 8.
    """
    right = picture.dtype == np.uint8 and picture.ndim == 3 and picture.shape[2] == 3
    if not right or min(picture.shape[:2]) < SMALLEST_SIDE:
        raise CaosError(
            f"a picture must be uint8 (h, w, 3) of at least {SMALLEST_SIDE} x {SMALLEST_SIDE}, "
            f"not {picture.dtype} {picture.shape}"
        )


REGISTRY: Final = Registry(
    "corruption",
    Corruption,  # type: ignore[type-abstract]
    "caos.studies.corruptions.kinds",
    Path(__file__).parent / "kinds",
)
"""All corruptions by name."""


def make_corruption(name: str) -> Corruption:
    """The corruption of that name.

    Raises:
        CaosError: If there is none.
    """
    return REGISTRY.make(name)


def common_corruptions() -> tuple[str, ...]:
    """Names of the 15 to test with, which the paper calls common."""
    return tuple(name for name in REGISTRY.names() if not REGISTRY.entry(name).traits.get("held_out", False))


def extra_corruptions() -> tuple[str, ...]:
    """Names of the 4 to tune with, which the paper calls extra."""
    return tuple(name for name in REGISTRY.names() if REGISTRY.entry(name).traits.get("held_out", False))


def severities_of(text: str) -> tuple[int, ...]:
    """The severities that a text names.

    >>> severities_of("3,1")
    (1, 3)

    Raises:
        CaosError: If one is none.
    """
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not parts or any(part not in {str(level) for level in SEVERITIES} for part in parts):
        raise CaosError(f"severities are some of 1,2,3,4,5 separated by commas, not {text!r}")
    return tuple(sorted({int(part) for part in parts}))
