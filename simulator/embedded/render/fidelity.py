"""Fidelity: error of each render quality against a path-traced reference with many samples per pixel.

``python -m caos.simulator.embedded.render.fidelity`` prints a table; it takes minutes per view. The reference is the
path tracer's mean alone, without direct-light image or denoiser, so its own noise adds to every error: the last column
gives that noise, measured between its two halves. ``plain`` is the common baseline: Mitsuba's render of every pixel at
two samples, denoised with albedo and normals.
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
# Smaller images than this would trace light for every pixel; they use the grid spacing of an image with so many rows.
LEAST_ROWS = 360
# Constants of SSIM for 8-bit images (Wang et al., 2004).
C1, C2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2


@dataclass(frozen=True)
class Distance:
    """Difference between two images: root mean square error in 8-bit steps, and structural similarity (SSIM)."""

    rmse: float
    ssim: float


def distance(image: Bytes, reference: Bytes) -> Distance:
    """Compute the difference between two images ``(h, w, 3)``."""
    a, b = image.astype(np.float32), reference.astype(np.float32)
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
    """Compare each quality, and both halves of the reference, with a reference of ``samples``; one view per weather."""
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
    # Mitsuba's sampler accepts square numbers of samples only.
    half = int(np.ceil(np.sqrt(samples / 2))) ** 2
    lights = [np.nan_to_num(renderer.radiance(camera, seed, half)) for seed in (101, 102)]
    halves = [renderer.developed(camera, light) for light in lights]
    reference = renderer.developed(camera, np.mean(lights, 0, dtype=np.float32))
    out = {"reference": distance(*halves)}
    for name in COMPARED:
        renderer.quality = as_in_large_pictures(QUALITIES[name], camera.height)
        rgb = renderer.render(camera, ("rgb",)).rgb
        assert rgb is not None
        out[name] = distance(rgb, reference)
    return out


def as_in_large_pictures(quality: Quality, rows: int) -> Quality:
    """Return the quality with the light grid of an image of ``LEAST_ROWS`` rows, for an image of ``rows`` rows."""
    if quality.light_rows is None or rows >= LEAST_ROWS:
        return quality
    return replace(quality, light_rows=max(round(rows / quality.square(LEAST_ROWS)), 1))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--towns", default="Town01,Town02,Town03,Town05")
    parser.add_argument("--weathers", default="clear,cloudy,overcast,wet,fog,night", help="one view per weather")
    parser.add_argument("--size", default="320x180")
    parser.add_argument("--samples", type=int, default=256, help="samples per pixel in the reference")
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
