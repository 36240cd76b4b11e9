"""Fidelity: how near the qualities come to what many samples of every pixel show.

``python -m caos.simulator.embedded.render.fidelity`` prints a table; it takes minutes a view. The reference is the path
tracer's mean alone, without sketch or denoiser, so its own grain is part of every distance: the last column says what
that is, measured between its two halves. ``plain`` is what others do: Mitsuba's render of every pixel at two samples,
denoised with albedo and normals.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from caos.simulator.embedded.render.description import Camera
from caos.simulator.embedded.render.quality import QUALITIES, Quality
from caos.simulator.embedded.render.renderer import Renderer
from caos.simulator.embedded.towns.town import load_town
from caos.simulator.embedded.towns.views import parked_cars, sample_views, signal_heads
from caos.simulator.weather import preset

Bytes = NDArray[np.uint8]
COMPARED = ("draft", "standard", "plain")
COLUMNS = (*COMPARED, "reference")
# Below these rows light would be traced for every pixel: there its grid is as coarse as it is in a picture of so many.
LEAST_ROWS = 360
# Constants of SSIM for 8-bit pictures (Wang and others, 2004).
C1, C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2


@dataclass(frozen=True)
class Distance:
    """How far one picture is from another: root mean square in 8-bit steps, and structural similarity."""

    rmse: float
    ssim: float


def distance(picture: Bytes, reference: Bytes) -> Distance:
    """The distance between two pictures ``(h, w, 3)``."""
    a, b = picture.astype(np.float32), reference.astype(np.float32)
    return Distance(float(np.sqrt(np.mean((a - b) ** 2))), _ssim(a, b))


def _ssim(a: NDArray[np.float32], b: NDArray[np.float32]) -> float:
    import cv2

    def blur(image: Any) -> NDArray[Any]:
        return np.asarray(cv2.GaussianBlur(image, (11, 11), 1.5))

    mean_a, mean_b = blur(a), blur(b)
    var_a, var_b = blur(a * a) - mean_a**2, blur(b * b) - mean_b**2
    both = blur(a * b) - mean_a * mean_b
    similar = (2 * mean_a * mean_b + C1) * (2 * both + C2) / ((mean_a**2 + mean_b**2 + C1) * (var_a + var_b + C2))
    return float(similar.mean())


def compare(
    town_name: str, weathers: Sequence[str], size: tuple[int, int], samples: int, seed: int = 0
) -> Iterator[tuple[str, dict[str, Distance]]]:
    """Distances of each quality, and of the reference's halves, to a reference of ``samples``: a view a weather."""
    town = load_town(town_name)
    renderer = Renderer("standard")
    renderer.load(town.statics, cache_key=town.key)
    renderer.set_actors(signal_heads(town) + parked_cars(town, np.random.default_rng([seed, 1])), town.street_lamps)
    poses = sample_views(town, len(weathers), np.random.default_rng(seed))
    for weather, pose in zip(weathers, poses, strict=True):
        renderer.set_weather(preset(weather))
        yield f"{town_name} {weather}", _distances(renderer, Camera(pose, *size), samples)


def _distances(renderer: Renderer, camera: Camera, samples: int) -> dict[str, Distance]:
    renderer.quality = QUALITIES["plain"]
    # Mitsuba's sampler takes square numbers.
    half = int(np.ceil(np.sqrt(samples / 2))) ** 2
    lights = [np.nan_to_num(renderer.radiance(camera, seed, half)) for seed in (101, 102)]
    halves = [renderer.picture(camera, light) for light in lights]
    reference = renderer.picture(camera, np.mean(lights, 0, dtype=np.float32))
    out = {"reference": distance(*halves)}
    for name in COMPARED:
        renderer.quality = as_in_large_pictures(QUALITIES[name], camera.height)
        rgb = renderer.render(camera, ("rgb",)).rgb
        assert rgb is not None
        out[name] = distance(rgb, reference)
    return out


def as_in_large_pictures(quality: Quality, rows: int) -> Quality:
    """The quality with light as coarse, for a small picture of ``rows``, as it is in one of ``LEAST_ROWS``."""
    if quality.light_rows is None or rows >= LEAST_ROWS:
        return quality
    return replace(quality, light_rows=max(round(rows / quality.square(LEAST_ROWS)), 1))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--towns", default="Town01,Town02,Town03,Town05")
    parser.add_argument("--weathers", default="clear,cloudy,overcast,wet,fog,night", help="one view of each town each")
    parser.add_argument("--size", default="320x180")
    parser.add_argument("--samples", type=int, default=256, help="paths a pixel in the reference")
    found = parser.parse_args(arguments)
    width, height = (int(side) for side in found.size.split("x"))
    table = []
    sys.stdout.write(f"| view | {' | '.join(COLUMNS)} |\n|---|{'---|' * len(COLUMNS)}\n")
    for town in found.towns.split(","):
        for view, row in compare(town, found.weathers.split(","), (width, height), found.samples):
            table.append([(row[name].rmse, row[name].ssim) for name in COLUMNS])
            _write(view, table[-1])
    values = np.array(table)
    _write("mean", values.mean(0).tolist())
    _write("worst", np.stack([values[..., 0].max(0), values[..., 1].min(0)], 1).tolist())


def _write(view: str, row: Sequence[Sequence[float]]) -> None:
    sys.stdout.write(f"| {view} | {' | '.join(f'{rmse:.2f}, {ssim:.3f}' for rmse, ssim in row)} |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
