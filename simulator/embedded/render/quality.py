"""Quality levels of the renderer: samples, light grid, denoiser."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from caos.foundation.errors import unknown


@dataclass(frozen=True)
class Quality:
    """Settings of the path tracer and the denoiser.

    Attributes:
        samples: Light paths per cell of the light grid.
        bounces: Maximum path length, in segments.
        denoiser: Quality setting of the denoiser.
        sky_rows: Height of the sky image; its width is twice that.
        light_rows: Approximate rows of the light grid; surfaces, shadows and mirrors have full resolution. None: one
            cell per pixel.
        smooth: Whether additional rays anti-alias edges of surfaces and shadows.
        sketched: Whether traced light corrects the direct-light image; otherwise the denoised traced light is the
            image.
    """

    samples: int
    bounces: int
    denoiser: Literal["fast", "balanced", "high"]
    sky_rows: int
    light_rows: int | None = None
    smooth: bool = True
    sketched: bool = True

    def square(self, rows: int) -> int:
        """Side in pixels of the squares for which light is traced, in an image of ``rows`` rows."""
        return 1 if self.light_rows is None else max(round(rows / self.light_rows), 1)


PREVIEW = "preview"
"""The quality below all others: first hits with shadows, no path tracing (``image/preview_shading.py``)."""

QUALITIES: dict[str, Quality] = {
    "draft": Quality(samples=2, bounces=3, denoiser="fast", sky_rows=384, light_rows=120, smooth=False),
    "standard": Quality(samples=4, bounces=3, denoiser="fast", sky_rows=640, light_rows=240),
    "plain": Quality(samples=2, bounces=3, denoiser="fast", sky_rows=640, sketched=False),
    "high": Quality(samples=8, bounces=4, denoiser="high", sky_rows=768),
}


def quality(name: str) -> Quality:
    """Return the named quality.

    Raises:
        CaosError: If the name is unknown.
    """
    if name not in QUALITIES:
        raise unknown("quality", name, QUALITIES)
    return QUALITIES[name]


def check_quality(name: str) -> None:
    """Check that a quality is known to the server, ``preview`` included.

    Raises:
        CaosError: If the name is unknown.
    """
    if name != PREVIEW and name not in QUALITIES:
        raise unknown("quality", name, (PREVIEW, *QUALITIES))
