"""Rigs on the embedded server: many sensors in one tick, lenses and lidar against an independent ray caster."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from caos.assets.catalogue.library import Library
from caos.foundation.errors import CaosError
from caos.simulator.actor_pool import Spawn
from caos.simulator.embedded.launch import ServerProcess
from caos.simulator.lens import Lens, Optics
from caos.simulator.lidar import LidarBeams
from caos.simulator.rig import CameraView, Scanner
from caos.simulator.session import Session
from caos.simulator.transform import Transform
from tests.second_caster import first_hits

EYE = Transform(20, 1.75, 1.6, -5, 3, 0)
TOP = Transform(20, 1.75, 2.0, 0, 10, 0)
BEAMS = LidarBeams(channels=48, columns=720, range_m=60.0, upper_deg=0.0, lower_deg=-30.0)
FISHEYE = Optics(72, 54, 190.0, Lens("fisheye", (0.02, -0.004)))
LABELS = ("tags", "instances", "depth")
OBJECT, PLACE = "crate_02", Transform(23, 1.2, 0, 0, 35, 0)


@pytest.fixture(scope="module")
def session(server: ServerProcess) -> Iterator[Session]:
    with Session.open(f"127.0.0.1:{server.port}") as opened:
        yield opened


@pytest.fixture(scope="module")
def hazard(session: Session) -> int:
    return session.spawn_hazard(OBJECT, PLACE)


def _triangles() -> np.ndarray:
    """The hazard and the road plane, from client data only."""
    mesh = Library.open(None).mesh(OBJECT, 1.0)
    parts = [part.transformed(PLACE.matrix) for part in mesh.parts]
    road = np.array(
        [[[-500, -500, 0], [500, -500, 0], [500, 500, 0]], [[-500, -500, 0], [500, 500, 0], [-500, 500, 0]]]
    )
    return np.concatenate([road, *(part.vertices.astype(float)[part.faces] for part in parts)])


def _met(origin: Transform, local: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mask of rays that hit the hazard first, by the independent caster, and their distances."""
    rays = local @ origin.matrix[:3, :3].T
    towards = np.subtract(PLACE.location, origin.location)
    near = np.flatnonzero(rays @ towards > 0.8 * np.linalg.norm(rays, axis=1) * np.linalg.norm(towards))
    distance, triangle = np.full(len(rays), np.inf), np.full(len(rays), -1)
    distance[near], triangle[near] = first_hits(np.tile(origin.location, (len(near), 1)), rays[near], _triangles())
    return triangle >= 2, distance


def test_cameras_and_lidar_see_the_same_tick(session: Session, hazard: int) -> None:
    views = [CameraView(EYE, Optics(64, 36, 70.0), ("rgb", *LABELS), "front"), CameraView(EYE, FISHEYE, LABELS, "wide")]
    frames, scans = session.capture_all(views, [Scanner("top", TOP, BEAMS)])
    assert {frame.frame for frame in frames.values()} == {scans["top"].frame}
    assert frames["front"].rgb is not None
    assert frames["wide"].rgb is None
    again, second = session.capture_all(views, [Scanner("top", TOP, BEAMS)])
    assert np.array_equal(again["wide"].depth, frames["wide"].depth)
    assert np.array_equal(second["top"].xyz, scans["top"].xyz)


def test_a_fisheye_picture_is_pixel_exact(session: Session, hazard: int) -> None:
    frame = session.capture(EYE, FISHEYE.width, FISHEYE.height, FISHEYE.fov_deg, LABELS, lens=FISHEYE.lens)
    y, x = np.mgrid[0 : FISHEYE.height, 0 : FISHEYE.width] + 0.5
    expected, distance = _met(EYE, FISHEYE.rays(x.ravel(), y.ravel()))
    seen = session.hazard_masks(frame, [hazard])[hazard].ravel()
    assert expected.sum() > 30
    assert np.array_equal(seen, expected)
    # CARLA's depth has a resolution of 0.06 mm.
    assert np.abs(frame.depth.ravel()[seen] - distance[seen]).max() < 1e-3
    assert frame.depth.ravel()[0] > 0


def test_lidar_is_point_exact(session: Session, hazard: int) -> None:
    _, scans = session.capture_all([], [Scanner("top", TOP, BEAMS)])
    scan = scans["top"]
    pitch = np.radians(np.repeat(np.linspace(BEAMS.upper_deg, BEAMS.lower_deg, BEAMS.channels), BEAMS.columns))
    yaw = np.radians(np.tile(np.arange(BEAMS.columns) * 360 / BEAMS.columns - 180, BEAMS.channels))
    rays = np.stack([np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch)], 1)
    expected, distance = _met(TOP, rays)
    on_hazard = scan.actor == hazard & 0xFFFF
    assert expected.sum() > 100
    assert on_hazard.sum() == expected.sum()
    assert np.abs(scan.xyz[on_hazard] - rays[expected] * distance[expected, None]).max() < 2e-3
    assert (np.linalg.norm(scan.xyz, axis=1) <= BEAMS.range_m).all()
    assert (scan.actor[np.isin(scan.tag, (1, 24))] == 0).all()


def test_an_invalid_lens_is_refused_by_the_server(session: Session) -> None:
    why = "cannot make a depth camera of 64x64, 300 degrees, fisheye: .*does not reach the corners of 64x64"
    with pytest.raises(CaosError, match=why):
        session.capture(EYE, 64, 64, 300.0, ("depth",), lens=Lens("fisheye"))
    with pytest.raises(CaosError, match="are not comma-separated numbers"):
        session.capture(EYE, 64, 64, 90.0, ("depth",), lens=Lens("brown", ("x", 0, 0, 0)))  # type: ignore[arg-type]


def test_legs_move_and_wheels_turn_from_place_to_place(session: Session) -> None:
    near = Transform(30, 1.75, 0)
    spawns = [Spawn("static.prop.cow_01", replace(near, yaw_deg=90.0), walking=True)]
    spawns.append(Spawn("vehicle.audi.tt", replace(near, y=-1.75, yaw_deg=90.0), "160,20,20", speed_mps=10.0))
    cow, car = session.spawn_many(spawns)
    assert cow is not None
    assert car is not None
    optics = Optics(160, 90, 40.0)

    def seen(shift_m: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        session.move({cow: replace(near, y=1.75 + shift_m, yaw_deg=90.0)})
        session.move({car: replace(near, y=-1.75 + shift_m, yaw_deg=90.0)})
        # The camera moves along, so that only legs and wheels change.
        view = CameraView(Transform(23, shift_m, 1.0), optics, ("rgb", "instances", "depth"))
        frame = session.capture_all([view])[0][""]
        assert frame.rgb is not None
        return frame.mask(cow), frame.mask(car), frame.rgb.astype(int)

    first, second = seen(0.0), seen(0.2)
    assert first[0].sum() > 100
    # The cow's trunk and the car's outline stay the same, a part of the legs does not.
    assert 0.02 < (first[0] ^ second[0]).sum() / first[0].sum() < 0.4
    assert (first[1] ^ second[1]).sum() < 0.03 * first[1].sum()
    session.destroy([cow, car])


def test_a_camera_hides_hazards_only(session: Session, hazard: int) -> None:
    (bystander,) = session.spawn_many([Spawn("static.prop.crate_02", Transform(26, -1.5, 0, 0, 0, 0))])
    assert bystander is not None
    frame = session.capture(EYE, 96, 54, 80.0, ("rgb", "instances", "cleared"))
    session.destroy([hazard])
    alone = session.capture(EYE, 96, 54, 80.0, ("rgb", "instances"))
    session.destroy([bystander])
    assert frame.rgb is not None
    assert frame.cleared is not None
    assert alone.rgb is not None
    there, other = frame.mask(hazard), frame.mask(bystander)
    assert there.sum() > 20
    assert other.sum() > 20
    change = np.abs(frame.rgb.astype(int) - frame.cleared).max(-1)
    assert (change[there] > 8).mean() > 0.6
    assert change[other].mean() < 4
    assert np.abs(frame.cleared.astype(int) - alone.rgb).max(-1).mean() < 2
