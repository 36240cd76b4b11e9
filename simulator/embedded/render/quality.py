"""Quality levels: what a frame may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from caos.foundation.errors import unknown


@dataclass(frozen=True)
class Quality:
    """Settings of the path tracer and the denoiser.

    Attributes:
        samples: Light paths for each pixel of the grid that light is traced on.
        bounces: Longest path, in segments.
        denoiser: Quality of the denoiser.
        sky_rows: Height of the sky image; its width is twice that.
        light_rows: Rows of that grid, about; surfaces, shadows and mirrors are as fine as the picture. None: all rows.
        smooth: Whether more rays smooth the edges of surfaces and of shadows.
        sketched: Whether that light corrects a sketch; otherwise it is the picture, denoised.
    """

    samples: int
    bounces: int
    denoiser: Literal["fast", "balanced", "high"]
    sky_rows: int
    light_rows: int | None = None
    smooth: bool = True
    sketched: bool = True

    def square(self, rows: int) -> int:
        """Side of the squares of pixels that light is traced for, in a picture of so many rows."""
        return 1 if self.light_rows is None else max(round(rows / self.light_rows), 1)


PREVIEW = "preview"
"""The quality below all others: first hits in sun and shadow, without paths of light (``shading.py``)."""

QUALITIES: dict[str, Quality] = {
    "draft": Quality(samples=2, bounces=3, denoiser="fast", sky_rows=384, light_rows=120, smooth=False),
    "standard": Quality(samples=4, bounces=3, denoiser="fast", sky_rows=640, light_rows=240),
    "plain": Quality(samples=2, bounces=3, denoiser="fast", sky_rows=640, sketched=False),
    "high": Quality(samples=8, bounces=4, denoiser="high", sky_rows=768),
}


def quality(name: str) -> Quality:
    """The named quality.

    Raises:
        CaosError: If there is none of that name.
    """
    if name not in QUALITIES:
        raise unknown("quality", name, QUALITIES)
    return QUALITIES[name]


def check_quality(name: str) -> None:
    """See to it that a server can have a quality.

    Raises:
        CaosError: If there is none of that name.
    """
    if name != PREVIEW and name not in QUALITIES:
        raise unknown("quality", name, (PREVIEW, *QUALITIES))
