"""Town files: round trip, shared arrays, and safety of reading."""

from __future__ import annotations

import hashlib
import pickle
from pathlib import Path

import numpy as np
import pytest

from caos.assets.mesh import Material, Mesh, Part
from caos.assets.tags import SemanticTag
from caos.foundation.errors import CaosError
from caos.simulator.embedded.render.description import Lamp, Placed
from caos.simulator.embedded.towns.storage import MAGIC, read_town, write_town
from caos.simulator.embedded.towns.town import EnvironmentObject, Town, TrafficLightSite, TrafficSignSite, WorldBox
from caos.simulator.transform import Transform

POSE = Transform(1.5, -2.25, 0.1, 3.0, -90.0, 0.5)
BOX = WorldBox(POSE, (1.0, 2.0, 3.0))


def small_town() -> Town:
    rng = np.random.default_rng(3)
    brick = Material("brick", (0.3, 0.1, 0.1), texture=rng.random((4, 4, 3), np.float32))
    glass = Material("glass", (0.1, 0.2, 0.3), "glass", 0.05, brick.texture, rng.random((4, 4), np.float32), True)
    corners, faces = rng.random((4, 3), np.float32), np.array([(0, 1, 2), (1, 2, 3)], np.int32)
    wall = Part(corners, faces, brick, rng.random((4, 2), np.float32), smooth=True)
    pane = Part(corners, faces[:1], glass, tag=SemanticTag.UNLABELED)
    house, shed, nothing = Mesh((wall, pane)), Mesh((wall,)), Mesh()
    return Town(
        name="tiny",
        opendrive="<OpenDRIVE ä/>",
        statics=tuple(
            Placed(mesh, POSE.matrix * k, SemanticTag.BUILDING, 30_000 + k)
            for k, mesh in enumerate((house, nothing, shed, house))
        ),
        spawn_points=(POSE, Transform()),
        parking=(),
        environment_objects=(
            EnvironmentObject(7, "shed_1", SemanticTag.BUILDING, POSE, (1 / 3, 2.0, 3.0), (0.1, 0.2, 0.3), 30_002),
        ),
        traffic_lights=(TrafficLightSite(POSE, "12", 1, 0, BOX, (BOX,), (POSE, POSE), 30_003),),
        traffic_signs=(TrafficSignSite(POSE, "13", "206", 0.0, BOX, 30_004),),
        street_lamps=(Lamp((1.0, 2.0, 3.0)), Lamp((0.0, 0.0, 1.0), direction=(0.0, 0.0, -1.0))),
        navmesh=b"TESM\0\1",
        walk_points=rng.random((5, 3)),
        key="abc",
        style="suburb",
    )


@pytest.fixture
def file(tmp_path: Path) -> Path:
    write_town(tmp_path / "tiny.town", small_town())
    return tmp_path / "tiny.town"


def test_a_town_round_trips_through_its_file(file: Path) -> None:
    old, new = small_town(), read_town(file)
    for name in ("name", "opendrive", "spawn_points", "parking", "environment_objects", "traffic_lights",
                 "traffic_signs", "street_lamps", "navmesh", "key", "style"):  # fmt: skip
        assert getattr(new, name) == getattr(old, name)
    assert np.array_equal(new.walk_points, old.walk_points)
    for a, b in zip(new.statics, old.statics, strict=True):
        assert (a.tag, a.instance_id) == (b.tag, b.instance_id)
        assert np.array_equal(a.world_from_mesh, b.world_from_mesh)
        assert [same_part(p, q) for p, q in zip(a.mesh.parts, b.mesh.parts, strict=True)] == [True] * len(b.mesh.parts)


def same_part(a: Part, b: Part) -> bool:
    arrays = [(a.vertices, b.vertices), (a.faces, b.faces), (a.uv, b.uv), (a.material.texture, b.material.texture),
              (a.material.gloss_mask, b.material.gloss_mask)]  # fmt: skip
    plain = [(p.smooth, p.tag, p.material.name, p.material.color, p.material.surface, p.material.roughness,
              p.material.wettable) for p in (a, b)]  # fmt: skip
    return plain[0] == plain[1] and all(
        (x is None and y is None) or (x.dtype == y.dtype and np.array_equal(x, y)) for x, y in arrays
    )


def test_shared_arrays_stay_shared(file: Path) -> None:
    first, _, shed, again = (placed.mesh for placed in read_town(file).statics)
    assert first is again
    assert first.parts[0].material is shed.parts[0].material
    assert first.parts[0].vertices is shed.parts[0].vertices
    assert first.parts[1].material.texture is first.parts[0].material.texture


def test_a_town_kept_as_a_pickle_is_not_opened(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self):
            return Path.touch, (tmp_path / "sprung",)

    payload = pickle.dumps(Trap())
    file = tmp_path / "old.town"
    for head in (b"", MAGIC):
        file.write_bytes(head + hashlib.sha256(payload).digest() + payload)
        with pytest.raises(CaosError, match="old.town (is not a town file|refers to missing contents)"):
            read_town(file)
    assert not (tmp_path / "sprung").exists()


def resealed(data: bytes) -> bytes:
    """Replace the checksum by a valid one, as a malicious author would."""
    return data[:8] + hashlib.sha256(data[40:]).digest() + data[40:]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b'"mesh_count": 3', b'"mesh_count": 1', "refers to missing contents"),
        (b'"array_count": ', b'"array_count": 9', "refers to missing contents"),
        (b'"mesh_count": 3', b'"mesh_count": []', "key 'mesh_count': \\[\\] is not of type int"),
        (b'"surface": "glass"', b'"surface": "lava!"', "'lava!' is not one of"),
        (
            np.array([(0, 1, 2)], "<i4").tobytes(),
            np.array([(0, 1, 9)], "<i4").tobytes(),
            "face refers to a missing vertex",
        ),
        (b'"name"', b'"n\xffme"', "refers to missing contents"),
    ],
)
def test_inconsistent_records_are_refused(file: Path, old: bytes, new: bytes, words: str) -> None:
    data = file.read_bytes()
    start = data.index(old)
    longer = len(new) - len(old)
    length = int.from_bytes(data[40:48], "little")
    pad, before = -(48 + length + longer) % 64, -(48 + length) % 64
    changed = data[:start] + new + data[start + len(old) :]
    if start < 48 + length:
        text = changed[48 : 48 + length + longer]
        changed = (
            data[:40]
            + (length + longer).to_bytes(8, "little")
            + text
            + bytes(pad)
            + changed[48 + length + longer + before :]
        )
    file.write_bytes(resealed(changed))
    with pytest.raises(CaosError, match=words):
        read_town(file)


@pytest.mark.parametrize("kept", [0, 20, 60, 500])
def test_a_truncated_file_is_refused(file: Path, kept: int) -> None:
    file.write_bytes(file.read_bytes()[:kept])
    with pytest.raises(CaosError, match="is not a town file"):
        read_town(file)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CaosError, match="cannot read .*gone.town: No such file"):
        read_town(tmp_path / "gone.town")
