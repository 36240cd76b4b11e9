"""Kinds of spoilt pictures that can be painted and rendered: what is asked of the simulator, and what is painted.

Fog, motion blur and defocus are painted as ImageNet-C has them. It has neither rain nor night: these are painted here
by the same means, streaks over a duller picture, and a darker and bluer one. As paint lies over what is there, fog and
rain are added to the weather of a scene, and the rest of it stays. Rendered severities are chosen so that a
rendered picture is about as spoilt as the painted one: a streak as long, a disc as wide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np

from caos.foundation.errors import CaosError, unknown
from caos.studies.corruptions.blurring import streak_blur
from caos.studies.corruptions.corruption import Picture, make_corruption
from caos.studies.corruptions.draws import normal_layer
from caos.studies.corruptions.paper_scale import PAPER_SIDE, enlarge, length_scale, paper_grid

Paint = Callable[[Picture, int, np.random.Generator], Picture]
STREAKS: Final = ((0.88, 0.25), (0.82, 0.35), (0.76, 0.45), (0.70, 0.55), (0.62, 0.65))
"""Of painted rain: the threshold of its noise, and how bright a streak is."""
RAIN_TRAIL: Final = (14.0, 7.0)
RAIN_DULL: Final = (0.95, 0.9, 0.85, 0.8, 0.75)
NIGHT: Final = (0.6, 0.45, 0.32, 0.22, 0.14)
"""Of painted night: what is left of screen values."""
NIGHT_TINT: Final = (0.85, 0.92, 1.1)


@dataclass(frozen=True)
class RenderedKind:
    """One way of spoiling, both ways.

    Attributes:
        title: How tables print it.
        rendered: Changes of the scene, by severity; see ``caos scenes shift --list``.
        paint: Spoils a picture.
    """

    title: str
    rendered: tuple[tuple[str, ...], ...]
    paint: Paint

    def changes(self, severity: int) -> tuple[str, ...]:
        """The changes of a severity from 1 to 5."""
        return self.rendered[severity - 1]


def _corruption(name: str) -> Paint:
    return lambda picture, severity, rng: make_corruption(name).corrupt(picture, severity, rng)


def paint_rain(picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
    """Slanted streaks over a duller picture."""
    threshold, bright = STREAKS[severity - 1]
    noise = enlarge(normal_layer(0.3, 0.25, paper_grid(picture.shape, 0.75), rng), picture.shape)
    drops = np.where(noise > threshold, 255, 0).astype(np.uint8)
    scale = length_scale(picture.shape)
    streaks = streak_blur(drops, scale * RAIN_TRAIL[0], scale * RAIN_TRAIL[1], float(rng.uniform(-105, -75)))
    lit = np.minimum(streaks.astype(np.float32) * 4, 255)[..., None] * np.float32(bright)
    mean = picture.mean(axis=(0, 1), keepdims=True, dtype=np.float32)
    dull = mean + (picture - mean) * np.float32(RAIN_DULL[severity - 1])
    return np.asarray(np.clip(np.maximum(dull, 0) * (1 - lit / 510) + lit / 2, 0, 255), np.uint8)


def paint_night(picture: Picture, severity: int, rng: np.random.Generator) -> Picture:
    """A darker, bluer picture, with the noise of a sensor in little light."""
    gains = np.array(NIGHT_TINT, np.float32) * np.float32(NIGHT[severity - 1])
    noise = normal_layer(0.0, 2.0 + severity, picture.shape, rng)
    return np.asarray(np.clip(picture * gains + noise, 0, 255), np.uint8)


def _each(*changes: str, values: tuple[float, ...]) -> tuple[tuple[str, ...], ...]:
    return tuple((*changes[:-1], f"{changes[-1]}={value:g}") for value in values)


_FOG: Final = (20, 35, 50, 70, 95)
_WET: Final = ("weather.cloudiness=90", "weather.wetness=100", "weather.precipitation_deposits=80")
_DISCS: Final = tuple(round(radius / PAPER_SIDE, 5) for radius in (3, 4, 6, 8, 10))
KINDS: Final[Mapping[str, RenderedKind]] = {
    "fog": RenderedKind(
        "Fog", _each("weather.fog_distance=5", "weather.fog_density+", values=_FOG), _corruption("fog")
    ),
    "rain": RenderedKind("Rain", _each(*_WET, "weather.precipitation+", values=(20, 40, 60, 80, 100)), paint_rain),
    "night": RenderedKind("Night", _each("weather.sun_altitude_angle", values=(2, -4, -10, -18, -30)), paint_night),
    "motion": RenderedKind(
        "Motion blur", _each("camera.shutter_turn_deg", values=(1.7, 2.9, 4.6, 6.9, 8.6)), _corruption("motion_blur")
    ),
    "defocus": RenderedKind("Defocus blur", _each("camera.defocus", values=_DISCS), _corruption("defocus_blur")),
}
"""Kinds by name."""


def kinds_of(text: str) -> tuple[str, ...]:
    """The kinds that a text names, ``all`` for every one.

    Raises:
        CaosError: If one is unknown.
    """
    if text.strip() == "all":
        return tuple(KINDS)
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    for name in names:
        if name not in KINDS:
            raise unknown("kind", name, KINDS)
    if not names:
        raise CaosError(f"no kind in {text!r}; give 'all' or some of {', '.join(KINDS)}")
    return names
