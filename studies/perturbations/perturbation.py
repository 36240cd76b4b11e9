"""Perturbation: a sequence of frames that differ little, and the registry of all of them.

Hendrycks and Dietterich, Benchmarking Neural Network Robustness to Common Corruptions and Perturbations, 2019
(ImageNet-P). Sizes of steps are those published with ImageNet-P; lengths are fitted to the picture's size as
`corruptions.paper_scale` says. The paper names one class for a whole frame, so it may compare moved frames as they are;
a class map moves with its frame. Every frame therefore carries the matrix that takes the original's pixels to it, and
:func:`bring_back` compares like with like. Adding a file to ``kinds/`` with one subclass adds a perturbation.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, Final, NamedTuple

import cv2
import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import CaosError
from caos.scenes.labels import VOID
from caos.studies.corruptions.corruption import Group, Labels, Picture, check_picture
from caos.studies.framework.registry import Registry

FRAMES: Final = 31
Matrix = NDArray[np.float64]


class PixelPlaces(NamedTuple):
    """Where each pixel of the original is in a frame.

    Attributes:
        columns: ``(h, w)`` float32.
        rows: ``(h, w)`` float32.
        shown: ``(h, w)``; whether the frame shows it.
    """

    columns: NDArray[np.float32]
    rows: NDArray[np.float32]
    shown: NDArray[np.bool_]


class PerturbedFrame(NamedTuple):
    """One frame of a sequence.

    Attributes:
        picture: ``(h, w, 3)``.
        labels: ``(h, w)``, moved with the picture, void where nothing is known; None if none were given.
        matrix: ``(3, 3)``, takes (column, row, 1) of a pixel of the original to this frame's, up to a factor.
        places: Where the pixels of the original are in this frame, for a frame that no matrix describes.
    """

    picture: Picture
    labels: Labels | None
    matrix: Matrix
    places: PixelPlaces | None = None


class Perturbation(ABC):
    """One way in which frames differ.

    Attributes:
        title: How tables print it.
        group: Which of the paper's four groups it belongs to.
        against_first: Whether frames are unrelated (noise) and compared with the first, which is clean.
        moves_labels: Whether pixels move from frame to frame.
    """

    title: ClassVar[str]
    group: ClassVar[Group]
    against_first: ClassVar[bool] = False
    moves_labels: ClassVar[bool] = False

    def sequence(
        self, picture: Picture, rng: np.random.Generator, frames: int = FRAMES, labels: Labels | None = None
    ) -> Iterator[PerturbedFrame]:
        """The frames of a picture, one at a time.

        Raises:
            CaosError: If the picture is not uint8 ``(h, w, 3)`` of at least 8 x 8, the labels are of another size, or
                there are fewer than two frames.
        """
        check_picture(picture)
        if labels is not None and labels.shape != picture.shape[:2]:
            raise CaosError(f"labels must be {picture.shape[:2]} like their picture, not {labels.shape}")
        if frames < 2:
            raise CaosError(f"a sequence has at least 2 frames, not {frames}")
        return self._sequence(np.ascontiguousarray(picture), rng, frames, labels)

    @abstractmethod
    def _sequence(
        self, picture: Picture, rng: np.random.Generator, frames: int, labels: Labels | None
    ) -> Iterator[PerturbedFrame]: ...


class Repainting(Perturbation):
    """A perturbation that leaves every pixel in its place."""

    def _sequence(
        self, picture: Picture, rng: np.random.Generator, frames: int, labels: Labels | None
    ) -> Iterator[PerturbedFrame]:
        for painted in self._pictures(picture, rng, frames):
            yield PerturbedFrame(painted, labels, np.eye(3))

    @abstractmethod
    def _pictures(self, picture: Picture, rng: np.random.Generator, frames: int) -> Iterator[Picture]: ...


class Movement(Perturbation):
    """A perturbation that moves the pixels by a matrix a frame, the same for every picture of a size.

    What comes into the frame from outside is the picture's mirror image, so that no black wedge looks foreign; its
    labels are void.
    """

    moves_labels = True

    def _sequence(
        self, picture: Picture, rng: np.random.Generator, frames: int, labels: Labels | None
    ) -> Iterator[PerturbedFrame]:
        size = picture.shape[1::-1]
        for matrix in self._matrices(picture.shape, frames):
            moved = cv2.warpPerspective(picture, matrix, size, borderMode=cv2.BORDER_REFLECT_101)
            ids = None
            if labels is not None:
                ids = np.asarray(
                    cv2.warpPerspective(labels, matrix, size, flags=cv2.INTER_NEAREST, borderValue=VOID), np.uint8
                )
            yield PerturbedFrame(np.asarray(moved, np.uint8), ids, matrix)

    @abstractmethod
    def _matrices(self, shape: tuple[int, ...], frames: int) -> Iterator[Matrix]: ...


def about_middle(shape: tuple[int, ...], inner: Matrix) -> Matrix:
    """The matrix that does what ``inner`` does about (0, 0) about the middle of a picture ``(h, w, ...)``."""
    there, back = np.eye(3), np.eye(3)
    back[:2, 2] = (shape[1] - 1) / 2, (shape[0] - 1) / 2
    there[:2, 2] = -back[:2, 2]
    return back @ inner @ there


def bring_back(values: NDArray[Any], matrix: Matrix) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """A frame's map ``(h, w)`` of class ids or scores at the original's pixels, and which of them the frame shows."""
    size, flags = values.shape[::-1], cv2.WARP_INVERSE_MAP | cv2.INTER_NEAREST
    moved = cv2.warpPerspective(values, matrix, size, flags=flags)
    shown = cv2.warpPerspective(np.ones(values.shape, np.uint8), matrix, size, flags=flags)
    return np.asarray(moved), np.asarray(shown) > 0


def bring_back_by_places(values: NDArray[Any], places: PixelPlaces) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The same for a frame whose pixels' places are known."""
    moved = cv2.remap(values, places.columns, places.rows, cv2.INTER_NEAREST, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(moved), places.shown


REGISTRY: Final = Registry(
    "perturbation",
    Perturbation,  # type: ignore[type-abstract]
    "caos.studies.perturbations.kinds",
    Path(__file__).parent / "kinds",
)
"""All perturbations by name."""


def make_perturbation(name: str) -> Perturbation:
    """The perturbation of that name.

    Raises:
        CaosError: If there is none.
    """
    return REGISTRY.make(name)
