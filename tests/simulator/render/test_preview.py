"""Previews and contact sheets of meshes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from caos.assets.mesh import Material, Mesh
from caos.assets.modelling import shapes
from caos.simulator.embedded.render.description import Placed
from caos.simulator.embedded.render.path_tracing.geometry import split
from caos.simulator.embedded.render.path_tracing.materials import metres_per_uv
from caos.simulator.embedded.render.path_tracing.mitsuba_scene import MitsubaScene
from caos.simulator.embedded.render.preview import STUDIO_QUALITY, contact_sheet, preview_image
from caos.simulator.embedded.render.renderer import Renderer
from caos.simulator.transform import Transform

RED = Material("red", (0.6, 0.03, 0.03), "paint", 0.2)


def _box(size: float) -> Mesh:
    return Mesh((shapes.box((-size, -size / 2, 0), (size, size / 2, size), RED),))


def test_a_preview_fills_the_frame_whatever_the_size() -> None:
    renderer = Renderer(STUDIO_QUALITY)
    for size in (0.05, 8.0):
        image = preview_image(_box(size), width=96, height=96, renderer=renderer).astype(int)
        red = image[..., 0] > image[..., 1] + 40
        rows, columns = np.nonzero(red)
        assert 0.15 < red.mean() < 0.8
        assert np.ptp(columns) > 50 or np.ptp(rows) > 50
        assert columns.min() > 2
        assert columns.max() < 93


def test_a_contact_sheet_has_a_cell_for_each_mesh(tmp_path: Path) -> None:
    path = contact_sheet({"small": _box(0.3), "large": _box(3.0), "third": _box(1.0)}, tmp_path / "s.png", 2, 64)
    sheet = Image.open(path)
    assert sheet.width == 128
    assert sheet.height > 128
    cells = np.asarray(sheet).astype(int)
    assert (cells[:64, :64, 0] > cells[:64, :64, 1] + 40).mean() > 0.1
    assert (cells[-70:, 64:, 0] > cells[-70:, 64:, 1] + 40).mean() == 0


def test_repeated_meshes_are_instanced_and_single_ones_joined() -> None:
    tree, house = _box(1.0), _box(2.0)
    statics = [Placed(tree, Transform(x, 0, 0).matrix, 9) for x in (0.0, 5.0)] + [Placed(house, np.eye(4), 3)]
    single, repeated = split(statics)
    assert single.triangles == house.triangles
    assert [p.mesh for p in repeated] == [tree, tree]


def test_scene_keeps_slots_of_removed_meshes() -> None:
    renderer = Renderer("draft", "scalar_rgb")
    stage: MitsubaScene = renderer._stage
    crate = _box(1.0)
    two = [Placed(crate, Transform(x, 0, 0).matrix, 20, 1) for x in (5.0, 9.0)]
    stage.place(two)
    first = stage.scene
    stage.place(two[:1])
    stage.place([])
    stage.place(two)
    assert stage.scene is first
    stage.place([*two, two[0]])
    assert stage.scene is not first
    stage.prepare([_box(2.0)])
    assert stage.builds == 2
    _ = stage.scene
    assert stage.builds == 3


def test_metres_per_uv_is_measured_from_the_triangles() -> None:
    assert metres_per_uv(shapes.quad((0, 0, 0), (10, 0, 0), (0, 4, 0), RED, uv_per_m=0.125)) == 8.0
