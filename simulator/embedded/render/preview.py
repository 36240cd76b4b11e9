"""Previews of meshes: an image of one object, or a contact sheet of many, on neutral ground under a soft sky."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from caos.assets.mesh import Material, Mesh
from caos.assets.modelling.shapes import quad
from caos.assets.tags import SemanticTag
from caos.foundation.storage.files import whole_file
from caos.simulator.embedded.render.description import Camera, Images, Placed
from caos.simulator.embedded.render.quality import Quality
from caos.simulator.embedded.render.renderer import Renderer
from caos.simulator.transform import Transform
from caos.simulator.weather import Weather

Points = NDArray[np.float64]

STUDIO = Weather(cloudiness=35, sun_azimuth_angle=88, sun_altitude_angle=48, fog_density=0)
GROUND = Material("studio ground", (0.58, 0.58, 0.57))
BACKDROP = np.array([222, 224, 227], np.float64)
STUDIO_QUALITY = Quality(samples=4, bounces=4, denoiser="high", sky_rows=192)
FOV_DEG = 32.0
STUDIO_ID = 65535


def _placed(item: Mesh | Placed | Sequence[Placed]) -> list[Placed]:
    if isinstance(item, Mesh):
        return [Placed(item, np.eye(4), SemanticTag.UNLABELED, 1)]
    return [item] if isinstance(item, Placed) else list(item)


def world_points(placed: Sequence[Placed]) -> Points:
    """All vertices ``(n, 3)`` in world coordinates."""
    moved = [p.mesh.transformed(p.world_from_mesh) for p in placed]
    return np.concatenate([part.vertices for mesh in moved for part in mesh.parts]).astype(np.float64)


def framing(points: Points, size_px: tuple[int, int], yaw_deg: float, pitch_deg: float) -> Camera:
    """Return a camera that just frames all points, from the direction given by ``yaw_deg`` and ``pitch_deg``."""
    width, height = size_px
    look = Transform(0, 0, 0, pitch_deg, yaw_deg, 0).matrix[:3, :3]
    local = points @ look
    center = (local.min(0) + local.max(0)) / 2
    away = local - center
    half = np.tan(np.radians(FOV_DEG) / 2)
    sides = np.maximum(np.abs(away[:, 1]), np.abs(away[:, 2]) * width / height) / half
    distance = 1.06 * float((1.08 * sides - away[:, 0]).max())
    x, y, z = (float(c) for c in look @ (center - (distance, 0, 0)))
    return Camera(Transform(x, y, z, pitch_deg, yaw_deg, 0), width, height, FOV_DEG)


def set_studio(renderer: Renderer, placed: Sequence[Placed], points: Points, weather: Weather) -> None:
    """Replace the renderer's scene by objects on wide neutral ground; ``points`` are their vertices."""
    low, high = points.min(0), points.max(0)
    reach = 400 * float((high - low).max())
    floor = Mesh((quad((-reach, -reach, low[2]), (2 * reach, 0, 0), (0, 2 * reach, 0), GROUND),))
    renderer.load([])
    renderer.set_weather(weather)
    renderer.set_actors([*placed, Placed(floor, np.eye(4), SemanticTag.ROAD, STUDIO_ID)])


def preview_image(
    item: Mesh | Placed | Sequence[Placed],
    *,
    width: int = 480,
    height: int = 360,
    yaw_deg: float = 215.0,
    pitch_deg: float = -16.0,
    weather: Weather = STUDIO,
    renderer: Renderer | None = None,
    seed: int = 0,
) -> NDArray[np.uint8]:
    """Render an image ``(height, width, 3)`` of one mesh, or of several placed ones, that fills the frame.

    Args:
        item: Mesh or placed meshes to render.
        width: Image width in pixels.
        height: Image height in pixels.
        yaw_deg: Viewing direction: 180 shows the front (x forward), 215 the front and the left side.
        pitch_deg: Negative values look down.
        weather: Weather that sets the light.
        renderer: Renderer to reuse; None creates one.
        seed: Seed of the noise.
    """
    placed = _placed(item)
    points = world_points(placed)
    low, high = points.min(0), points.max(0)
    renderer = renderer or Renderer(STUDIO_QUALITY)
    set_studio(renderer, placed, points, weather)
    camera = framing(points, (width, height), yaw_deg, pitch_deg)
    images = renderer.render(camera, ("rgb", "depth", "instances"), seed)
    span = float(np.linalg.norm(np.array(camera.pose.location) - (low + high) / 2))
    return _with_backdrop(images, span, float(np.linalg.norm(high - low)))


def _with_backdrop(images: Images, span: float, size: float) -> NDArray[np.uint8]:
    """Fade far ground and sky to a plain backdrop, like a photographer's roll of paper."""
    assert images.rgb is not None
    assert images.depth is not None
    assert images.instances is not None
    behind = (images.instances == STUDIO_ID) | ~np.isfinite(images.depth)
    fade = np.clip((np.minimum(images.depth, 1e9) - span - 0.5 * size) / (2.5 * size + 0.5 * span), 0, 1)
    share = np.where(behind, fade * fade * (3 - 2 * fade), 0)[..., None]
    return np.asarray((images.rgb * (1 - share) + BACKDROP * share + 0.5).astype(np.uint8))


def _caption(draw: ImageDraw.ImageDraw, text: str, at: tuple[int, int], width: int, height: int) -> None:
    """Draw one line of text, in a font size that fits."""
    size = min(height - 3, 18)
    while size > 7 and draw.textlength(text, font=ImageFont.load_default(size)) > width:
        size -= 1
    draw.text(at, text, fill=(40, 40, 40), font=ImageFont.load_default(size))


def contact_sheet(
    meshes: Mapping[str, Mesh | Sequence[Placed]],
    out_png: Path | str,
    columns: int = 6,
    cell_px: int = 192,
    *,
    yaw_deg: float = 215.0,
    pitch_deg: float = -16.0,
    renderer: Renderer | None = None,
) -> Path:
    """Write a PNG with one captioned image per mesh, ``columns`` per row, and return its path."""
    renderer = renderer or Renderer(STUDIO_QUALITY)
    caption_px = max(cell_px // 11, 14)
    rows = -(-len(meshes) // columns)
    sheet = Image.new("RGB", (columns * cell_px, rows * (cell_px + caption_px)), (245, 245, 243))
    draw = ImageDraw.Draw(sheet)
    for k, (name, mesh) in enumerate(meshes.items()):
        x, y = k % columns * cell_px, k // columns * (cell_px + caption_px)
        preview = preview_image(
            mesh, width=cell_px - 2, height=cell_px - 2, yaw_deg=yaw_deg, pitch_deg=pitch_deg, renderer=renderer
        )
        sheet.paste(Image.fromarray(preview), (x + 1, y + 1))
        _caption(draw, name, (x + 4, y + cell_px), cell_px - 8, caption_px)
    with whole_file(Path(out_png)) as temporary:
        sheet.save(temporary, format="PNG")
    return Path(out_png)
