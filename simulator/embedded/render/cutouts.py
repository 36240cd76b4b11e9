"""Cut-outs of meshes: objects rendered alone from random views and in random light, with an anti-aliased alpha channel.

Colour is rendered at twice the output resolution and coverage is sampled by rays at four times that resolution. Alpha
is the share of rays that hit the object. The colour of a pixel averages the subpixels that belong to the object only,
so that the background does not bleed into edges.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from caos.assets.catalogue.library import Library
from caos.assets.cutout_folders.index import PICTURES, PLAN_FILE, Cutout, CutoutIndex, Rgba, cropped, write_index
from caos.assets.mesh import Mesh
from caos.assets.tags import SemanticTag
from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.settings import Limits, check_fields, read_json, read_record
from caos.foundation.storage.claims import claimed
from caos.foundation.storage.files import sha256, write_json
from caos.foundation.storage.identity import Fingerprint
from caos.foundation.storage.png import write_png
from caos.simulator.embedded.render.description import Camera, Placed
from caos.simulator.embedded.render.preview import FOV_DEG, framing, set_studio, world_points
from caos.simulator.embedded.render.quality import Quality
from caos.simulator.embedded.render.renderer import Renderer
from caos.simulator.numerics import NUMERICS
from caos.simulator.transform import Transform
from caos.simulator.weather import Weather

Floats = NDArray[np.float32]

OBJECT_ID: Final = 1
CUTOUT_QUALITY: Final = Quality(samples=4, bounces=4, denoiser="fast", sky_rows=192)
"""Four subpixels are averaged afterwards, so a slower denoiser makes no visible difference."""
FINER: Final = 2
"""Colour subpixels per pixel side; coverage rays are twice as dense again."""
PITCH_DEG: Final = (-24.0, -2.0)
"""Range of camera pitch: that of a car's camera looking at objects on the road, from near to far."""
SUN_ALTITUDE_DEG: Final = (8.0, 75.0)
FALLEN_SHARE: Final = 0.25
"""Probability that an object with a fallen pose lies on its side."""


@dataclass(frozen=True)
class View:
    """View of an object: camera direction, weather, and whether the object lies on its side."""

    yaw_deg: float
    pitch_deg: float
    weather: Weather
    fallen: bool = False
    seed: int = 0


@dataclass(frozen=True)
class CutoutOptions:
    """Options of cut-out rendering.

    Attributes:
        views: Images per object.
        size: Approximate length of an image's longer side in pixels.
        seed: Seed of views and light.
    """

    views: Annotated[int, Limits(1, 1000)] = 1
    size: Annotated[int, Limits(16, 2048)] = 256
    seed: Annotated[int, Limits(0, 2**32 - 1)] = 0

    def __post_init__(self) -> None:
        """Reject values that would only fail later."""
        check_fields(self)


def draw_view(rng: np.random.Generator, poses: Sequence[str] = ("upright",)) -> View:
    """Draw a random view."""
    weather = Weather(
        cloudiness=float(rng.uniform(0, 100)),
        sun_azimuth_angle=float(rng.uniform(0, 360)),
        sun_altitude_angle=float(rng.uniform(*SUN_ALTITUDE_DEG)),
        fog_density=0,
    )
    fallen = "fallen" in poses and bool(rng.random() < FALLEN_SHARE)
    return View(float(rng.uniform(0, 360)), float(rng.uniform(*PITCH_DEG)), weather, fallen, int(rng.integers(2**31)))


def render_cutout(mesh: Mesh, view: View, size: int, renderer: Renderer) -> tuple[Rgba, float]:
    """Render the object alone, at most ``size`` pixels per side.

    Returns:
        The RGBA image, and the height in metres that the image spans at the object's centre.

    Raises:
        CaosError: If no pixel shows the object.
    """
    placed = _standing(mesh, fallen=view.fallen)
    points = world_points([placed])
    set_studio(renderer, [placed], points, view.weather)
    camera = framing(points, (FINER * size, FINER * size), view.yaw_deg, view.pitch_deg)
    rgb = renderer.render(camera, ("rgb",), view.seed).rgb
    dense = replace(camera, width=2 * camera.width, height=2 * camera.height)
    instances = renderer.render(dense, ("instances",)).instances
    assert rgb is not None
    assert instances is not None
    seen = np.asarray(instances == OBJECT_ID, np.float32)
    if not seen.any():
        raise CaosError("the object is too thin to be rendered")
    pixels = cropped(_composed(rgb, seen, size))
    return pixels, pixels.shape[0] / _pixels_a_metre(camera, points, size)


def _standing(mesh: Mesh, *, fallen: bool) -> Placed:
    pose = Transform(0, 0, mesh.size_m[1] / 2, 0, 0, 90) if fallen else Transform()
    return Placed(mesh, pose.matrix, SemanticTag.UNLABELED, OBJECT_ID)


def _pixels_a_metre(camera: Camera, points: NDArray[np.float64], size: int) -> float:
    middle = (points.min(0) + points.max(0)) / 2
    distance = float(np.linalg.norm(middle - camera.pose.location))
    return float(size / 2 / np.tan(np.radians(FOV_DEG) / 2) / distance)


def _composed(rgb: NDArray[np.uint8], seen: Floats, size: int) -> Rgba:
    """Combine colour ``(2s, 2s, 3)`` and coverage ``(4s, 4s)`` in {0, 1} into RGBA ``(s, s, 4)``."""
    alpha = cv2.resize(seen, (size, size), interpolation=cv2.INTER_AREA)
    finer = cv2.resize(seen, rgb.shape[1::-1], interpolation=cv2.INTER_AREA)
    # A half-covered subpixel contains background colour; the high power favours fully covered subpixels if any exist.
    weight = np.asarray(finer**8 + 1e-6 * finer, np.float32)
    color, total = (
        cv2.resize(values, (size, size), interpolation=cv2.INTER_AREA) for values in (rgb * weight[..., None], weight)
    )
    # Pixels with hardly any coverage take their colour from covered neighbours.
    near = [cv2.GaussianBlur(values, (0, 0), 1.0) for values in (color, total)]
    own = np.clip(total * 4, 0, 1)
    color = color * own[..., None] + near[0] * (1 - own[..., None])
    total = total * own + near[1] * (1 - own)
    mean = color / np.maximum(total, 1e-12)[..., None]
    return np.dstack([mean + 0.5, alpha * 255 + 0.5]).clip(0, 255).astype(np.uint8)


@dataclass(frozen=True)
class _Written:
    """A cut-out that was rendered, and the SHA-256 of its image."""

    cutout: Cutout
    sha256: str


@dataclass(frozen=True)
class _Plan:
    """One image to render."""

    name: str
    number: int
    file: str


def render_cutouts(
    library: Library,
    names: Sequence[str],
    out: Path,
    options: CutoutOptions,
    *,
    overwrite: bool = False,
    progress: Progress = SILENT,
) -> CutoutIndex:
    """Write cut-outs of the named objects; an interrupted run resumes.

    Raises:
        CaosError: If ``names`` is empty, an object cannot be rendered, or ``out`` holds another result.
    """
    if not names:
        raise CaosError("no objects to cut out; choose others")
    library.build(progress, names)
    with claimed(out, PLAN_FILE, _identity(library, names, options), "set of cut-outs", overwrite=overwrite):
        plans = [_Plan(n, v, f"{PICTURES}/{n}-{v}.png") for n in names for v in range(options.views)]
        with progress.task("rendering cut-outs", len(plans)) as task:
            made = []
            for cutout in _made(library, plans, out, options):
                made.append(cutout)
                task.advance(note=cutout.name)
        index = CutoutIndex(tuple(made), "objects rendered alone")
        write_index(out, index)
    return index


def _identity(library: Library, names: Sequence[str], options: CutoutOptions) -> dict[str, Any]:
    objects = {name: library.info(name).content for name in names}
    return Fingerprint({"objects": objects}, asdict(options), (NUMERICS,)).plan()


def _made(library: Library, plans: Sequence[_Plan], out: Path, options: CutoutOptions) -> Iterator[Cutout]:
    renderer: Renderer | None = None
    for plan in plans:
        found = _found(out, plan)
        if found is None:
            renderer = renderer or Renderer(CUTOUT_QUALITY)
            found = _rendered(library, plan, out, options, renderer)
        yield found


def _rendered(library: Library, plan: _Plan, out: Path, options: CutoutOptions, renderer: Renderer) -> Cutout:
    info = library.info(plan.name)
    rng = np.random.default_rng([options.seed, zlib.crc32(plan.name.encode()), plan.number])
    try:
        pixels, height_m = render_cutout(library.mesh(plan.name), draw_view(rng, info.poses), options.size, renderer)
    except CaosError as error:
        raise CaosError(f"object {plan.name!r}: {error}") from error
    height, width = pixels.shape[:2]
    cutout = Cutout(plan.file, info.name, info.kind, info.category, width, height, round(height_m, 4))
    write_png(out / plan.file, pixels)
    write_json((out / plan.file).with_suffix(".json"), asdict(_Written(cutout, sha256(out / plan.file))))
    return cutout


def _found(out: Path, plan: _Plan) -> Cutout | None:
    """Return the cut-out rendered earlier, or None unless its image still has the bytes that were written."""
    record = (out / plan.file).with_suffix(".json")
    if not record.is_file():
        return None
    written = read_record(_Written, read_json(record), record)
    file = out / plan.file
    return written.cutout if file.is_file() and sha256(file) == written.sha256 else None
