"""Parts of the server without a socket: boxes, ground, vehicles, lights, wire readers, the call table."""

from __future__ import annotations

import math
import socket
import struct
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from caos.assets.mesh import Material, Mesh, Part
from caos.assets.modelling import shapes
from caos.simulator.embedded.blueprints.catalogue import Catalogue, InvalidDescriptionError
from caos.simulator.embedded.blueprints.sensors import SENSOR_BLUEPRINTS
from caos.simulator.embedded.compatibility import FILE, table
from caos.simulator.embedded.engine import Engine, OutgoingStep
from caos.simulator.embedded.physics.boxes import Footprint, separation
from caos.simulator.embedded.physics.collisions import Obstacle, Obstacles, collide
from caos.simulator.embedded.physics.ground import Ground
from caos.simulator.embedded.physics.vehicles import step_vehicles
from caos.simulator.embedded.protocol import wire
from caos.simulator.embedded.protocol.streams import StreamServer
from caos.simulator.embedded.render.description import Placed
from caos.simulator.embedded.sensors.events import note_events
from caos.simulator.embedded.sensors.job import SensorJob
from caos.simulator.embedded.server import EmbeddedServer, ServerOptions
from caos.simulator.embedded.towns.town import load_town
from caos.simulator.embedded.world_state.actors import (
    GREEN,
    RED,
    STATE_BYTES,
    YELLOW,
    Actor,
    Prop,
    Sensor,
    TrafficLight,
    Vehicle,
    VehicleControl,
)
from caos.simulator.embedded.world_state.loaded_town import LoadedTown
from caos.simulator.embedded.world_state.shared_renderer import Shown
from caos.simulator.embedded.world_state.traffic_lights import form_groups
from caos.simulator.frames import decode_depth, decode_instances, decode_rgb, encode_depth, encode_instances, encode_rgb
from caos.simulator.transform import Transform
from tests.simulator.server.street import STREET

BOX = wire.Box((0.0, 0.0, 0.75), (2.3, 1.0, 0.75))


def plane(rise: float = 0.0) -> Ground:
    """A large square of road that rises along x."""
    corners = np.array([(x, y, rise * x) for x, y in ((-99, -99), (99, -99), (99, 99), (-99, 99))], np.float32)
    faces = np.array([(0, 1, 2), (0, 2, 3)], np.int32)
    mesh = Mesh((Part(corners, faces, Material("road")),))
    return Ground([Placed(mesh, np.eye(4), 1)])


def car(number: int = 1, **values: object) -> Vehicle:
    return Vehicle(
        number, wire.ActorDescription(1, "vehicle.x.y", ()), values.pop("at", Transform()), BOX, b"\x0e", **values
    )  # type: ignore[arg-type]


def test_compatibility_table_is_current() -> None:
    assert FILE.read_text(encoding="utf-8") == table(), "run python -m caos.simulator.embedded.compatibility"


def test_every_state_has_carlas_size() -> None:
    for kind in (Actor, Vehicle, TrafficLight, Prop):
        assert len(kind(1, wire.ActorDescription(0, "a.b.c", ()), Transform()).state()) == STATE_BYTES


# Hypothesis draws slowly on a busy machine, which is not a defect of the boxes.
@hypothesis.settings(deadline=None, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(st.floats(-50, 50), st.floats(-50, 50), st.floats(0, 6.3), st.floats(-4, 4), st.floats(-4, 4))
def test_separation_shift_separates_two_boxes(x: float, y: float, yaw: float, dx: float, dy: float) -> None:
    a = Footprint(x + dx, y + dy, yaw, 2.0, 1.0, 0.0, 1.5)
    b = Footprint(x, y, 0.3, 1.5, 1.5, 0.5, 3.0)
    shift = separation(a, b)
    if shift is not None:
        moved = Footprint(a.x + shift[0] * 1.001, a.y + shift[1] * 1.001, yaw, 2.0, 1.0, 0.0, 1.5)
        assert separation(moved, b) is None


def test_boxes_above_each_other_do_not_touch() -> None:
    assert separation(Footprint(0, 0, 0, 1, 1, 0, 1), Footprint(0, 0, 0, 1, 1, 1.5, 2)) is None


def test_a_vehicle_falls_and_comes_to_rest() -> None:
    vehicle, ground = car(at=Transform(z=1.0)), plane()
    step_vehicles([vehicle], ground, 0.1)
    assert vehicle.transform.z == pytest.approx(1.0 - 9.81 * 0.01)
    for _ in range(20):
        step_vehicles([vehicle], ground, 0.1)
    assert vehicle.transform.z == pytest.approx(0.0, abs=1e-4)
    assert vehicle.on_ground


def test_a_vehicle_stands_along_the_slope_and_does_not_roll() -> None:
    vehicle, ground = car(), plane(rise=0.1)
    for _ in range(30):
        step_vehicles([vehicle], ground, 0.05)
    assert vehicle.transform.pitch_deg == pytest.approx(math.degrees(math.atan(0.1)), abs=0.01)
    assert vehicle.transform.x == pytest.approx(0.0, abs=1e-6)
    sideways = car(at=Transform(yaw_deg=90))
    for _ in range(30):
        step_vehicles([sideways], ground, 0.05)
    # Facing y, the slope rises to the left: the right side is lower.
    assert sideways.transform.roll_deg == pytest.approx(math.degrees(math.atan(0.1)), abs=0.01)


def test_a_steered_vehicle_drives_the_bicycles_circle() -> None:
    vehicle, ground = car(control=VehicleControl(steer=0.5)), plane()
    step_vehicles([vehicle], ground, 0.01)
    vehicle.constant_velocity = (6.0, 0.0, 0.0)
    start, radius = vehicle.transform, vehicle.wheelbase_m / math.tan(math.radians(17.5))
    for _ in range(round(math.pi * radius / 6.0 / 0.01)):
        step_vehicles([vehicle], ground, 0.01)
    across = math.hypot(vehicle.transform.x - start.x, vehicle.transform.y - start.y)
    assert across == pytest.approx(2 * radius, rel=0.01)
    assert vehicle.transform.y > start.y


def test_collisions_keep_momentum_and_stop_at_walls() -> None:
    left = car(1, at=Transform(x=-4.0), velocity=(10.0, 0.0, 0.0), mass_kg=1000.0)
    right = car(2, at=Transform(x=0.4), velocity=(-2.0, 0.0, 0.0), mass_kg=3000.0)
    events = collide([left, right], Obstacles(), 0.05)
    assert {(e.actor.id, e.other.id) for e in events} == {(1, 2), (2, 1)}  # type: ignore[union-attr]
    assert 1000 * left.velocity[0] + 3000 * right.velocity[0] == pytest.approx(10_000 - 6_000)
    assert left.velocity[0] < right.velocity[0]
    wall = Obstacle(4, Footprint(4.0, 0.0, 0.0, 1.0, 5.0, 0.0, 3.0))
    mover = car(3, at=Transform(x=1.0), velocity=(8.0, 1.0, 0.0))
    (event,) = collide([mover], Obstacles([wall]), 0.05)
    assert event.other is wall
    assert mover.velocity[0] <= 0
    assert mover.velocity[1] == pytest.approx(1.0)
    assert mover.transform.x + 2.3 <= 3.0 + 1e-9


@pytest.mark.parametrize("speed", [2.0, 6.0, 10.0, 19.0])
def test_a_narrow_vehicle_does_not_slip_through_the_seam_of_two_walls(speed: float) -> None:
    walls = [Obstacle(4, Footprint(10.0, y, math.pi / 2, 2.0, 0.2, 0.0, 3.0)) for y in (-2.0, 2.0)]
    bicycle = car(velocity=(speed, 0.0, 0.0))
    bicycle.box = wire.Box((0.0, 0.0, 0.9), (0.9, 0.3, 0.9))
    events = []
    while bicycle.velocity[0] > 0:
        bicycle.transform = replace(bicycle.transform, x=bicycle.transform.x + bicycle.velocity[0] * 0.05)
        events += collide([bicycle], Obstacles(walls), 0.05)
    (event,) = events
    assert event.other in walls
    assert bicycle.transform.x == pytest.approx(10.0 - 0.2 - 0.9)
    assert bicycle.transform.y == pytest.approx(0.0)


def test_a_junction_cycles_through_its_phases() -> None:
    lights = [TrafficLight(k, wire.ActorDescription(0, "traffic.traffic_light", ()), Transform()) for k in (1, 2, 3)]
    for light in lights:
        light.green_s, light.yellow_s, light.red_s = 1.0, 0.5, 0.25
    (group,) = form_groups([(lights[0], "a", 0), (lights[1], "a", 1), (lights[2], "a", 0)])
    seen = []
    for _ in range(40):
        state = tuple(light.state_now for light in lights)
        if not seen or seen[-1] != state:
            seen.append(state)
        group.advance(0.1)
    assert seen[:6] == [
        (GREEN, RED, GREEN),
        (YELLOW, RED, YELLOW),
        (RED, RED, RED),
        (RED, GREEN, RED),
        (RED, YELLOW, RED),
        (RED, RED, RED),
    ]
    lights[1].frozen = True
    before = [light.state_now for light in lights]
    for _ in range(60):
        group.advance(0.1)
    assert [light.state_now for light in lights] == before


def test_readers_reject_invalid_values() -> None:
    assert wire.transform([[1, 2, 3], [4, 5, 6.5]]) == Transform(1, 2, 3, 4, 5, 6.5)
    assert wire.optional(wire.real)([True, 2]) == 2.0
    assert wire.settings(wire.Settings(synchronous=True, fixed_delta_s=0.1).write()).fixed_delta_s == 0.1
    for read, bad in (
        (wire.transform, [[1, 2], [3, 4, 5]]),
        (wire.vector, [1, 2, float("inf")]),
        (wire.boolean, 1),
        (wire.u8, 256),
        (wire.u8, True),
        (wire.text, b"x"),
        (wire.optional(wire.real), [True]),
        (wire.description, [1, "a"]),
        (wire.settings, wire.Settings(fixed_delta_s=11.0).write()),
    ):
        with pytest.raises(wire.BadArgumentError, match="expected"):
            read(bad)


def test_descriptions_are_completed_and_checked() -> None:
    catalogue = Catalogue()
    uid = catalogue.ids.index("sensor.camera.rgb") + 1
    whole = catalogue.complete(wire.ActorDescription(uid, "sensor.camera.rgb", (("fov", 3, "70"),)))
    assert whole.values["fov"] == "70"
    assert whole.values["image_size_x"] == "800"
    for attributes in ((("fov", 3, "wide"),), (("exposure_mode", 4, "magic"),)):
        with pytest.raises(InvalidDescriptionError):
            catalogue.complete(wire.ActorDescription(uid, "sensor.camera.rgb", attributes))
    with pytest.raises(InvalidDescriptionError, match="no blueprint"):
        catalogue.complete(wire.ActorDescription(uid, "sensor.camera.depth", ()))


def test_images_survive_encoding_and_decoding() -> None:
    rng = np.random.default_rng(0)
    rgb = rng.integers(0, 256, (5, 7, 3), np.uint8)
    assert np.array_equal(decode_rgb(encode_rgb(rgb)), rgb)
    ids = rng.integers(0, 2**16, (5, 7), np.uint32)
    assert np.array_equal(decode_instances(encode_instances(np.zeros((5, 7), np.uint8), ids)), ids)
    depth = rng.uniform(0.1, 990, (5, 7)).astype(np.float32)
    depth[0, 0] = np.inf
    back = decode_depth(encode_depth(depth))
    assert np.isinf(back[0, 0])
    assert np.allclose(back[1:], depth[1:], atol=1e-4)


@pytest.fixture
def street(tmp_path: Path) -> Iterator[EmbeddedServer]:
    (tmp_path / "street.xodr").write_text(STREET)
    server = EmbeddedServer(ServerOptions(port=0, quality="draft", opendrive=tmp_path / "street.xodr"))
    yield server
    server.close()


def spawned(server: EmbeddedServer, name: str, x: float) -> Actor:
    uid = server.world.catalogue.ids.index(name) + 1
    return server.world.spawn(wire.ActorDescription(uid, name, ()), Transform(x, 1.75, 5.0))


def test_cast_number_changes_when_the_last_visible_actor_leaves(street: EmbeddedServer) -> None:
    world, start = street.world, street.world.snapshot().cast
    world.destroy(spawned(street, "sensor.camera.rgb", 0.0).id)
    assert world.snapshot().cast == start
    sofas = [spawned(street, "static.prop.sofa_01", x).id for x in (20.0, 40.0)]
    world.destroy(sofas[0])
    assert world.snapshot().cast == start
    world.destroy(sofas[1])
    assert world.snapshot().cast == start + 1


def test_no_image_is_rendered_for_a_camera_without_listeners(street: EmbeddedServer) -> None:
    camera = spawned(street, "sensor.camera.rgb", 0.0)
    step = street.world.step(0.05)
    job = street.engine._job(camera, step)
    around = street.engine._surroundings(step)
    state = street.engine._state(step)
    frame = OutgoingStep(street.world.episode_id, step, state, [job], around, lossless=True, deadline=0.0)
    street.engine._measure(frame)
    assert street.renderer._renderer is None


def test_meshes_of_unchanged_actors_are_not_rebuilt(street: EmbeddedServer) -> None:
    made = []

    def mesh() -> Mesh:
        made.append(1)
        return Mesh((shapes.box((0, 0, 0), (1, 1, 1), Material("crate")),))

    crate, other = Shown(mesh, np.eye(4), 20, 7), Shown(mesh, Transform(5.0).matrix, 20, 8)
    straight_down = np.array([[0.5, 0.5, 5.0]]), np.array([[0.0, 0.0, -1.0]])
    for actors, count in (((crate,), 1), ((crate,), 1), ((crate, other), 2), ((other,), 2)):
        hits = street.renderer.cast(replace(street.world.snapshot(), actors=actors), *straight_down)
        assert len(made) == count
        assert (hits.instance_id[0] == 7) == (crate in actors)


def test_heads_of_a_light_are_cached_per_state() -> None:
    scape = LoadedTown(load_town("Town01"), 0x1FF)
    light = scape.light_actors()[0]
    red = scape.light_heads([light])
    assert red
    assert all(a is b for a, b in zip(scape.light_heads([light]), red, strict=True))
    light.state_now = GREEN
    green = scape.light_heads([light])
    assert [head.mesh() for head in green] != [head.mesh() for head in red]
    assert all(np.array_equal(a.world_from_mesh, b.world_from_mesh) for a, b in zip(green, red, strict=True))


def test_dimming_a_lamp_returns_a_new_lamp() -> None:
    scape = LoadedTown(load_town("Town01"), 0x1FF)
    before = scape.lamps()
    assert scape.lamps() == before
    scape.lamp_states[0].intensity /= 2
    after = scape.lamps()
    assert after[0].intensity == before[0].intensity / 2
    assert after[1:] == before[1:]


def test_events_of_one_pixel_match_hand_computed_values() -> None:
    sensor = Sensor(1, wire.ActorDescription(0, "sensor.camera.dvs", ()), Transform())
    values = {b.id: b for b in SENSOR_BLUEPRINTS}["sensor.camera.dvs"].attributes
    dvs = {attribute.id: attribute.value for attribute in values} | {"log_eps": "0.000001"}

    def look(time_s: float, *greys: int, **changed: str) -> list[tuple[int, ...]]:
        job = SensorJob(sensor, dvs | changed, Transform(), 1, time_s, 1.0)
        return [tuple(event) for event in note_events(job, np.array([[[g] * 3 for g in greys]], np.uint8)).tolist()]

    assert look(1.0, 50, 200) == []
    # ln 2 spans two steps of 0.3, crossed at 0.3 and 0.6 of ln 2.
    rising = look(2.0, 100, 200)
    assert [event[:2] + event[3:] for event in rising] == [(0, 0, True)] * 2
    assert [event[2] * 1e-9 for event in rising] == pytest.approx(
        [1 + 0.3 / math.log(2), 1 + 0.6 / math.log(2)], rel=1e-5
    )
    # On the way back the next level is 0.3 below the last one crossed; the second pixel is in its refractory period.
    assert [event[3] for event in look(3.0, 52, 200)] == [False]
    assert look(4.0, 52, 20, refractory_period_ns="0")[0][:2] == (1, 0)
    assert look(5.0, 52, 200, refractory_period_ns="5000000000") == []


def test_flush_waits_until_messages_are_sent() -> None:
    streams = StreamServer("127.0.0.1", 0)
    streams.start()
    number = streams.open_stream()
    streams.expect(number)
    with socket.create_connection(("127.0.0.1", streams.port), timeout=30) as reader:
        reader.sendall(struct.pack("<I", number))
        streams.settle()
        for k in range(20):
            streams.send(number, (bytes([k]),), lossless=True)
            streams.flush(number)
            reader.settimeout(5.0)
            assert reader.recv(4096) == b"\x01\x00\x00\x00" + bytes([k])
    streams.close()


def test_a_batch_answer_is_withheld_until_all_episode_changes_are_complete() -> None:
    engine, released = Engine(SimpleNamespace(), SimpleNamespace(), SimpleNamespace()), threading.Event()  # type: ignore[arg-type]
    engine._settled.clear()
    engine._changes = 2  # the second change began before the first was complete
    waiter = threading.Thread(target=lambda: (engine.withhold([]), released.set()))
    waiter.start()
    engine._settle(1)
    assert not released.wait(0.2)
    engine._settle(2)
    assert released.wait(30.0)
    waiter.join()
