"""Quality levels: what a frame may cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from caos.foundation.errors import unknown


@dataclass(frozen=True)
class Quality:
    """Settings of the path tracer and the denoiser.

    Attributes:
        samples: Light paths a pixel.
        bounces: Longest path, in segments.
        denoiser: Quality of the denoiser.
        sky_rows: Height of the sky image; its width is twice that.
    """

    samples: int
    bounces: int
    denoiser: Literal["fast", "balanced", "high"]
    sky_rows: int


QUALITIES: dict[str, Quality] = {
    "draft": Quality(samples=1, bounces=3, denoiser="fast", sky_rows=384),
    "standard": Quality(samples=2, bounces=3, denoiser="fast", sky_rows=640),
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
