"""Views of a picture that a model's logits are averaged over: scales and mirror images."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from caos.foundation.errors import CaosError

if TYPE_CHECKING:
    from torch import Tensor

SMALLEST, LARGEST = 0.05, 8.0
OWN_SIZE: Final = (1.0,)


@dataclass(frozen=True)
class Views:
    """What is looked at.

    Attributes:
        scales: Factors of the picture's size; empty for its own size only.
        flips: Also the mirror image, at each scale.
    """

    scales: tuple[float, ...] = ()
    flips: bool = False

    def __post_init__(self) -> None:
        if not all(SMALLEST <= scale <= LARGEST for scale in self.scales):
            raise CaosError(f"scales are {self.scales}; each must be from {SMALLEST} to {LARGEST}")

    def described(self) -> dict[str, Any]:
        """For records, JSON-ready."""
        return {"scales": list(self.scales), "flips": self.flips}

    def mean(self, model: Callable[[Tensor], Tensor], picture: Tensor) -> Tensor:
        """The mean of the logits ``(1, C, h, w)`` of all views, each at the size of the picture ``(1, 3, h, w)``.

        Enlarging and shrinking are bilinear; what shrinks is smoothed first.
        """
        found = [logits for scale in self.scales or OWN_SIZE for logits in self._at(scale, model, picture)]
        return found[0] if len(found) == 1 else sum(found[1:], found[0]) / len(found)

    def _at(self, scale: float, model: Callable[[Tensor], Tensor], picture: Tensor) -> list[Tensor]:
        height, width = picture.shape[-2:]
        view = _resized(picture, (max(round(height * scale), 1), max(round(width * scale), 1)))
        seen = [model(view)]
        if self.flips:
            seen.append(model(view.flip(-1)).flip(-1))
        return [_resized(logits, (height, width)) for logits in seen]


def _resized(maps: Tensor, size: tuple[int, int]) -> Tensor:
    from torch.nn import functional

    if tuple(maps.shape[-2:]) == size:
        return maps
    return functional.interpolate(maps, size, mode="bilinear", align_corners=False, antialias=True)
