"""Bodies of actors: CARLA's props, friction and friction triggers, bones and components."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from caos.simulator.embedded.calls.table import dispatch
from caos.simulator.embedded.protocol.wire import ActorDescription
from caos.simulator.embedded.server import EmbeddedServer, ServerOptions
from caos.simulator.embedded.world_state.actors import Actor, Vehicle, VehicleControl, Walker
from caos.simulator.embedded.world_state.world import WorldError
from caos.simulator.transform import Transform
from tests.simulator.server.street import STREET

TESLA, BICYCLE = "vehicle.tesla.model3", "vehicle.bh.crossbike"
DEBRIS, BARRIER = "static.prop.dirtdebris01", "static.prop.streetbarrier"
WHEELS, DRAG, FRICTION = 15, 12, 0


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServer]:
    file = tmp_path_factory.mktemp("street") / "street.xodr"
    file.write_text(STREET)
    server = EmbeddedServer(ServerOptions(port=0, quality="draft", opendrive=file))
    yield server
    server.close()


@pytest.fixture
def street(loaded: EmbeddedServer) -> Iterator[EmbeddedServer]:
    before = set(loaded.world.actors)
    yield loaded
    for number in set(loaded.world.actors) - before:
        loaded.world.destroy(number)


def put(server: EmbeddedServer, name: str, x: float, **values: str) -> Any:
    uid = server.world.catalogue.ids.index(name) + 1
    given = tuple((key, 4, value) for key, value in values.items())
    return server.world.spawn(ActorDescription(uid, name, given), Transform(x, 1.75, 0.1))


def ask(server: EmbeddedServer, call: str, *arguments: Any) -> Any:
    return dispatch(server._server, call, [[False], *arguments])[0]


def drive(server: EmbeddedServer, car: Vehicle, speed: float, steps: int) -> list[Any]:
    car.target_velocity = (speed, 0.0, 0.0)
    return [event for _ in range(steps) for event in server.world.step(0.05).collisions]


def test_a_car_drives_over_dirt_and_into_a_barrier(street: EmbeddedServer) -> None:
    car = put(street, TESLA, 20.0)
    put(street, DEBRIS, 30.0)
    assert drive(street, car, 10.0, 30) == []
    assert car.transform.x > 33.0
    barrier = put(street, BARRIER, 45.0)
    assert barrier.tags == bytes([21])
    events = drive(street, car, 10.0, 30)
    assert {event.other.id for event in events if event.actor is car} == {barrier.id}


def test_dirt_does_not_block_spawning(street: EmbeddedServer) -> None:
    put(street, DEBRIS, 60.0)
    put(street, TESLA, 60.0)
    put(street, DEBRIS, 60.0)
    with pytest.raises(WorldError, match="collision at spawn position"):
        put(street, BARRIER, 60.0)


def test_a_mesh_prop_is_found_by_the_last_part_of_its_path(street: EmbeddedServer) -> None:
    named = put(street, "static.prop.mesh", 60.0, mesh_path="/Game/Props/streetbarrier.streetbarrier", scale="2.0")
    assert named.box.extent == pytest.approx((1.21, 0.37, 1.07))
    assert put(street, "static.prop.mesh", 60.0).tags == b""
    with pytest.raises(WorldError, match="invalid actor description: unknown object 'nothing'"):
        put(street, "static.prop.mesh", 80.0, mesh_path="/Game/nothing")


def test_without_friction_and_drag_nothing_slows_a_car(street: EmbeddedServer) -> None:
    car = put(street, TESLA, 20.0)
    drive(street, car, 0.0, 3)
    control = ask(street, "get_physics_control", car.id)[1]
    control[DRAG] = 0.0
    control[WHEELS] = [[0.0, *wheel[1:]] for wheel in control[WHEELS]]
    ask(street, "apply_physics_control", car.id, control)
    car.control = VehicleControl(brake=1.0, steer=1.0)
    drive(street, car, 10.0, 40)
    assert car.velocity[:2] == pytest.approx((10.0, 0.0), abs=1e-6)
    assert ask(street, "get_physics_control", car.id)[1][WHEELS][0][FRICTION] == 0.0


def test_more_friction_brakes_sooner_and_more_drag_slows_more(street: EmbeddedServer) -> None:
    ends = []
    for friction, drag in ((3.5, 0.3), (1.0, 0.3), (1.0, 30.0)):
        car = put(street, TESLA, 20.0)
        drive(street, car, 0.0, 3)
        car.tyre_friction, car.drag_coefficient = friction, drag
        car.control = VehicleControl(brake=1.0)
        drive(street, car, 12.0, 15)
        ends.append(car.velocity[0])
        street.world.destroy(car.id)
    assert ends[0] < ends[2] < ends[1] < 12.0


def test_soft_tyres_pull_less(street: EmbeddedServer) -> None:
    speeds = []
    for stiffness in (100.0, 1000.0, 2000.0):
        car = put(street, TESLA, 20.0)
        drive(street, car, 0.0, 3)
        car.tyre_stiffness, car.control = stiffness, VehicleControl(throttle=1.0)
        drive(street, car, 0.0, 15)
        speeds.append(car.velocity[0])
        street.world.destroy(car.id)
    assert speeds[0] < 0.85 * speeds[1]
    assert speeds[1] == speeds[2]


def test_a_trigger_sets_friction_while_a_car_is_in_it(street: EmbeddedServer) -> None:
    put(street, "static.trigger.friction", 50.0, friction="0.5", extent_x="500", extent_y="300", extent_z="300")
    car, felt = put(street, TESLA, 30.0), []
    for x in (30.0, 50.0, 70.0):
        street.world.place(car, replace(car.transform, x=x))
        street.world.step(0.05)
        felt.append(ask(street, "get_physics_control", car.id)[1][WHEELS][0][FRICTION])
    assert felt == [3.5, 0.5, 3.5]


def test_two_wheelers_have_four_wheels_as_in_carla(street: EmbeddedServer) -> None:
    bicycle = put(street, BICYCLE, 30.0)
    wheels = ask(street, "get_physics_control", bicycle.id)[1][WHEELS]
    assert len(wheels) == 4
    assert wheels[0][9][0] - wheels[2][9][0] == pytest.approx(100 * bicycle.wheelbase_m)


def named(server: EmbeddedServer, actor: Actor) -> dict[str, list[float]]:
    rows = ask(server, "get_bones_transform", actor.id)[1][0]
    return {name: world[0] for name, world, _, _ in rows}


def test_a_walker_has_carlas_bones_in_place(street: EmbeddedServer) -> None:
    walker: Walker = put(street, "walker.pedestrian.0002", 30.0)
    street.world.step(0.05)
    bones = named(street, walker)
    assert len(bones) == 68
    ground = walker.transform.z - walker.half_height_m
    assert bones["crl_root"] == pytest.approx([walker.transform.x, walker.transform.y, ground])
    assert bones["crl_Head__C"][2] > bones["crl_hips__C"][2] > bones["crl_foot__L"][2] > ground
    assert bones["crl_hand__L"][1] < walker.transform.y < bones["crl_hand__R"][1]
    assert ask(street, "get_actor_bone_names", walker.id)[1] == list(bones)


def test_client_bones_are_blended_by_their_weight(street: EmbeddedServer) -> None:
    walker: Walker = put(street, "walker.pedestrian.0002", 30.0)
    street.world.step(0.05)
    elbow, hanging = named(street, walker)["crl_foreArm__R"], named(street, walker)["crl_hand__R"]
    own = {row[0]: row[3] for row in ask(street, "get_bones_transform", walker.id)[1][0]}
    raised = [[0.0, 0.0, -own["crl_hand__R"][0][2]], [0.0, 0.0, 0.0]]
    ask(street, "set_bones_transform", walker.id, [[["crl_hand__R", raised], ["a tail", raised]]])
    assert named(street, walker)["crl_hand__R"] == hanging
    ask(street, "blend_pose", walker.id, 1.0)
    assert named(street, walker)["crl_hand__R"][2] == pytest.approx(2 * elbow[2] - hanging[2])
    assert named(street, walker)["crl_handIndex__R"][2] > elbow[2]
    ask(street, "blend_pose", walker.id, 0.5)
    assert named(street, walker)["crl_hand__R"][2] == pytest.approx(elbow[2])
    assert "a tail" not in named(street, walker)


def test_a_vehicles_parts_have_carlas_names(street: EmbeddedServer) -> None:
    car = put(street, "vehicle.audi.tt", 30.0)
    assert ask(street, "get_actor_bone_names", car.id)[1][:2] == ["Vehicle_Base", "Wheel_Front_Left"]
    place = ask(street, "get_actor_component_world_transform", car.id, "front-blinker-r-1")[1][0]
    assert place[0] > car.transform.x + 1.5
    assert place[1] > car.transform.y
    told = ask(street, "get_actor_component_world_transform", car.id, "wing")[1]
    assert told == [
        "Responding error from function get_actor_component_world_transform: "
        "Component could not be found in this actor.  Component Name: wing"
    ]


@pytest.mark.parametrize(("call", "argument"), [("send", "hello"), ("get_gbuffer_token", 0)])
def test_unsupported_sensor_calls_are_refused_with_carlas_wording(
    street: EmbeddedServer, call: str, argument: Any
) -> None:
    camera = put(street, "sensor.camera.rgb", 30.0)
    words = f"Responding error from function {call}: Actor does not match the expected type.  Actor Id: {camera.id}"
    assert ask(street, call, camera.id, argument)[1] == [words]


@pytest.mark.parametrize("sensor", ["sensor.lidar.ray_cast_semantic", "sensor.other.radar", "sensor.camera.rgb"])
def test_vehicle_meshes_are_built_before_a_sensor_needs_them(street: EmbeddedServer, sensor: str) -> None:
    prepares = street.engine._arrived
    prepares.clear()
    put(street, TESLA, 20.0)
    assert not prepares.is_set()
    put(street, sensor, 20.0)
    assert prepares.is_set()
    prepares.clear()
    put(street, TESLA, 40.0)
    assert prepares.is_set()


def test_warm_up_builds_every_vehicle_unless_the_server_stops(
    street: EmbeddedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    monkeypatch.setattr(street.renderer, "render", lambda *_: None)
    monkeypatch.setattr(street.renderer, "make", made.append)
    street.warm_up()
    assert len(made) == sum(name.startswith("vehicle.") for name in street.world.catalogue.ids)
    monkeypatch.setattr(street, "is_leaving", True)
    made.clear()
    street.warm_up()
    assert made == []


def test_an_actor_at_a_non_finite_location_is_removed_with_its_children(street: EmbeddedServer) -> None:
    car, other = put(street, TESLA, 20.0), put(street, BICYCLE, 40.0)
    uid = street.world.catalogue.ids.index("sensor.other.imu") + 1
    carried = street.world.spawn(ActorDescription(uid, "sensor.other.imu", ()), Transform(), car.id)
    car.transform = replace(car.transform, x=float("nan"))
    street.world.spectator.transform = Transform(z=float("inf"))
    street.world.drop_lost()
    assert {car.id, carried.id}.isdisjoint(street.world.actors)
    assert other.id in street.world.actors
    assert street.world.spectator.transform == Transform()
    street.world.step(0.05)
