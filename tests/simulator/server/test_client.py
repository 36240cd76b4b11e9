"""The genuine client against the embedded server, over a real socket."""

from __future__ import annotations

import math
import subprocess
import sys

import carla
import pytest

from caos.simulator.embedded.launch import ServerProcess
from caos.simulator.embedded.protocol.releases import client_release
from caos.simulator.semantic_tags import CURRENT

TESLA = "vehicle.tesla.model3"


def at(x: float, y: float = 1.75, z: float = 0.3, yaw: float = 0.0) -> carla.Transform:
    return carla.Transform(carla.Location(x, y, z), carla.Rotation(yaw=yaw))


def spawn(world: carla.World, name: str, pose: carla.Transform) -> carla.Actor:
    return world.spawn_actor(world.get_blueprint_library().find(name), pose)


def test_versions_agree(client: carla.Client) -> None:
    assert client.get_server_version() == client.get_client_version() == client_release()


def test_map_is_the_opendrive_text(world: carla.World) -> None:
    town = world.get_map()
    assert town.name == "Carla/Maps/OpenDriveMap"
    assert town.get_waypoint(carla.Location(40, 1.75, 0)).road_id == 7
    assert len(town.get_spawn_points()) >= 8
    assert len(town.get_crosswalks()) >= 5


def test_synchronous_ticks_are_consecutive_and_stand_still_between(world: carla.World) -> None:
    first = world.tick()
    before = world.get_snapshot()
    second = world.tick()
    after = world.get_snapshot()
    assert (second, before.frame, after.frame) == (first + 1, first, second)
    assert after.timestamp.elapsed_seconds - before.timestamp.elapsed_seconds == pytest.approx(0.05)


def test_library_has_carlas_names_and_attributes(world: carla.World) -> None:
    library = world.get_blueprint_library()
    lidar = library.find("sensor.lidar.ray_cast")
    assert lidar.get_attribute("dropoff_intensity_limit").as_float() == pytest.approx(0.8)
    assert library.find("sensor.camera.rgb").get_attribute("exposure_mode").recommended_values == [
        "histogram",
        "manual",
    ]
    assert library.find(TESLA).get_attribute("number_of_wheels").as_int() == 4
    assert len(library.filter("static.prop.*")) > 100
    with pytest.raises(ValueError, match="read-only|not modifiable|modifiable"):
        library.find(TESLA).set_attribute("number_of_wheels", "3")


def test_spawn_collision_and_destroy(world: carla.World) -> None:
    car = spawn(world, TESLA, at(40))
    with pytest.raises(RuntimeError, match="collision at spawn position"):
        spawn(world, "vehicle.audi.tt", at(41))
    world.tick()
    assert car.get_transform().location.x == pytest.approx(40)
    assert list(car.semantic_tags) == [14]
    assert 2.0 < car.bounding_box.extent.x < 3.0
    assert car.destroy()
    world.tick()
    assert car.id not in [actor.id for actor in world.get_actors()]
    assert not world.get_snapshot().has_actor(car.id)


def test_a_car_drives_stops_and_keeps_to_the_ground(world: carla.World) -> None:
    car = spawn(world, TESLA, at(20))
    for _ in range(20):
        world.tick()
    assert car.get_location().z == pytest.approx(0.0, abs=0.03)
    car.apply_control(carla.VehicleControl(throttle=1.0))
    for _ in range(40):
        world.tick()
    assert car.get_velocity().x > 5
    assert car.get_location().y == pytest.approx(1.75, abs=0.01)
    assert car.get_speed_limit() == pytest.approx(40)
    car.apply_control(carla.VehicleControl(brake=1.0))
    for _ in range(60):
        world.tick()
    assert car.get_velocity().length() == 0


def test_batch_with_then_and_errors(client: carla.Client, world: carla.World) -> None:
    library = world.get_blueprint_library()
    command = carla.command
    there = at(70, -1.75, 0.0, 180)
    spawned = (
        command.SpawnActor(library.find(TESLA), at(30))
        .then(command.SetSimulatePhysics(command.FutureActor, False))
        .then(command.ApplyTransform(command.FutureActor, there))
    )
    again = command.SpawnActor(library.find(TESLA), there)
    answers = client.apply_batch_sync([spawned, again, command.DestroyActor(999_999)], True)
    assert [bool(a.error) for a in answers] == [False, True, True]
    assert "not found" in answers[2].error
    car = world.get_actor(answers[0].actor_id)
    assert car.get_transform().location.x == pytest.approx(70)
    assert abs(car.get_transform().rotation.yaw) == pytest.approx(180)


def test_attached_actors_move_and_are_removed_with_their_parent(world: carla.World) -> None:
    car = spawn(world, TESLA, at(30, yaw=30))
    library = world.get_blueprint_library()
    mount = carla.Transform(carla.Location(1.5, 0.2, 2.0), carla.Rotation(pitch=-10, yaw=5))
    sensor = world.spawn_actor(library.find("sensor.other.gnss"), mount, attach_to=car)
    for _ in range(12):
        world.tick()
    expected = car.get_transform().transform(carla.Location(1.5, 0.2, 2.0))
    assert sensor.get_location().distance(expected) < 0.01
    assert sensor.parent.id == car.id
    car.destroy()
    world.tick()
    assert sensor.id not in [actor.id for actor in world.get_actors()]


def test_weather_round_trip(world: carla.World) -> None:
    found = world.get_weather()
    world.set_weather(carla.WeatherParameters.HardRainSunset)
    now = world.get_weather()
    assert now.precipitation == carla.WeatherParameters.HardRainSunset.precipitation
    world.set_weather(found)
    assert world.get_weather().precipitation == found.precipitation


def test_rays_hit_the_road(world: carla.World) -> None:
    hits = world.cast_ray(carla.Location(30, 1.75, 20), carla.Location(30, 1.75, -5))
    road = next(hit for hit in hits if hit.label == carla.CityObjectLabel.Roads)
    assert road.location.z == pytest.approx(0.0, abs=0.02)
    point = world.ground_projection(carla.Location(30, 1.75, 3), 10.0)
    assert point.location.z == pytest.approx(0.0, abs=0.02)
    assert world.ground_projection(carla.Location(30, 1.75, 30), 10.0) is None


def test_objects_of_the_town_can_be_hidden(world: carla.World) -> None:
    houses = world.get_environment_objects(carla.CityObjectLabel.Buildings)
    assert houses
    assert len(world.get_level_bbs(carla.CityObjectLabel.Buildings)) == len(houses)
    house = houses[0]
    center = house.bounding_box.location
    above = carla.Location(center.x, center.y, center.z + house.bounding_box.extent.z + 5)
    below = carla.Location(center.x, center.y, -1)

    def labels() -> set[object]:
        return {point.label for point in world.cast_ray(above, below)}

    assert carla.CityObjectLabel.Buildings in labels()
    world.enable_environment_objects({house.id}, False)
    assert carla.CityObjectLabel.Buildings not in labels()
    world.enable_environment_objects({house.id}, True)
    world.unload_map_layer(carla.MapLayer.Buildings)
    assert carla.CityObjectLabel.Buildings not in labels()
    assert world.get_environment_objects(carla.CityObjectLabel.Buildings) == []
    world.load_map_layer(carla.MapLayer.Buildings)
    assert carla.CityObjectLabel.Buildings in labels()


def test_a_traffic_light_cycles_and_stops_a_car(world: carla.World) -> None:
    (light,) = world.get_actors().filter("traffic.traffic_light")
    light.set_green_time(1.0)
    light.set_yellow_time(0.5)
    light.set_red_time(0.5)
    light.reset_group()
    seen = []
    for _ in range(45):
        world.tick()
        if not seen or seen[-1] != light.get_state():
            seen.append(light.get_state())
    states = carla.TrafficLightState
    assert seen[:4] == [states.Green, states.Yellow, states.Red, states.Green]
    car = spawn(world, TESLA, at(95))
    light.set_state(states.Red)
    light.freeze(True)
    world.tick()
    assert car.is_at_traffic_light()
    assert car.get_traffic_light().id == light.id
    assert car.get_traffic_light_state() == states.Red
    assert light.is_frozen()
    light.freeze(False)
    assert len(light.get_light_boxes()) == 1
    assert [member.id for member in light.get_group_traffic_lights()] == [light.id]


def test_walkers_have_a_place_to_go(world: carla.World) -> None:
    place = world.get_random_location_from_navigation()
    assert place is not None
    walker = spawn(world, "walker.pedestrian.0001", carla.Transform(place + carla.Location(z=1.0)))
    brain = world.spawn_actor(world.get_blueprint_library().find("controller.ai.walker"), carla.Transform(), walker)
    world.tick()
    brain.start()
    brain.go_to_location(world.get_random_location_from_navigation())
    brain.set_max_speed(1.5)
    start = walker.get_location()
    for _ in range(100):
        world.tick()
    assert walker.get_location().distance(start) > 0.5
    ground = world.ground_projection(walker.get_location() - carla.Location(z=walker.bounding_box.extent.z - 0.3), 5.0)
    feet = walker.get_location().z - walker.bounding_box.extent.z
    assert ground is not None
    assert feet == pytest.approx(ground.location.z, abs=0.35)
    brain.stop()


_AUTOPILOT = """
import os, sys, carla
client = carla.Client("127.0.0.1", int(sys.argv[1]))
client.set_timeout(60.0)
world = client.get_world()
settings = world.get_settings()
settings.synchronous_mode, settings.fixed_delta_seconds = True, 0.05
world.apply_settings(settings)
manager = client.get_trafficmanager(18_731)
manager.set_synchronous_mode(True)
manager.set_random_device_seed(7)
world.tick()
for light in world.get_actors().filter("traffic.traffic_light"):
    light.set_state(carla.TrafficLightState.Green)
    light.freeze(True)
blueprint = world.get_blueprint_library().find("vehicle.tesla.model3")
car = world.spawn_actor(blueprint, carla.Transform(carla.Location(20, 1.75, 0.3)))
world.tick()
car.set_autopilot(True, 18_731)
furthest = 0.0
for _ in range(150):
    world.tick()
    furthest = max(furthest, abs(car.get_location().y - 1.75))
print(car.get_location().x, furthest)
car.set_autopilot(False, 18_731)
world.tick()
car.destroy()
for light in world.get_actors().filter("traffic.traffic_light"):
    light.freeze(False)
world.tick()
settings.synchronous_mode, settings.fixed_delta_seconds = False, None
world.apply_settings(settings)
sys.stdout.flush()
os._exit(0)
"""


def test_autopilot_keeps_the_lane(server: ServerProcess) -> None:
    # In a process of its own: a TrafficManager stays in its client's process, and can crash it later.
    done = subprocess.run(
        [sys.executable, "-c", _AUTOPILOT, str(server.port)], capture_output=True, text=True, check=True, timeout=120
    )
    x, furthest = (float(value) for value in done.stdout.split())
    assert x > 40
    assert furthest < 0.5


def test_refused_calls_name_the_reason(client: carla.Client, world: carla.World) -> None:
    with pytest.raises(RuntimeError, match="Map 'Town99' not found"):
        client.load_world("Town99")
    library = world.get_blueprint_library()
    camera = library.find("sensor.camera.rgb")
    camera.set_attribute("lens_k", "3.0")
    with pytest.raises(RuntimeError, match="lens_k=3.0 is not supported"):
        world.spawn_actor(camera, carla.Transform())
    camera = library.find("sensor.camera.rgb")
    camera.set_attribute("image_size_x", "100000")
    with pytest.raises(RuntimeError, match="outside 1..8192"):
        world.spawn_actor(camera, carla.Transform())
    with pytest.raises(RuntimeError, match="opendrive could not be correctly parsed: .* is not OpenDRIVE"):
        client.generate_opendrive_world("<nonsense/>")


def test_lamps_can_be_switched(world: carla.World) -> None:
    manager = world.get_lightmanager()
    lamps = manager.get_all_lights(carla.LightGroup.Street)
    if not lamps:
        pytest.skip("this street has no lamps")
    manager.turn_off(lamps)
    world.tick()
    world.tick()
    assert not any(lamp.is_on for lamp in world.get_lightmanager().get_all_lights())
    manager.turn_on(lamps)
    world.tick()


def test_vehicle_reports(world: carla.World) -> None:
    car = spawn(world, TESLA, at(50))
    car.set_light_state(carla.VehicleLightState.LowBeam)
    world.tick()
    assert car.get_light_state() == carla.VehicleLightState.LowBeam
    control = car.get_physics_control()
    assert len(control.wheels) == 4
    control.mass = 2345.0
    car.apply_physics_control(control)
    assert car.get_physics_control().mass == pytest.approx(2345.0)
    car.apply_control(carla.VehicleControl(steer=0.5, throttle=0.2))
    for _ in range(12):
        world.tick()
    assert car.get_wheel_steer_angle(carla.VehicleWheelLocation.FL_Wheel) == pytest.approx(17.5)
    assert car.get_transform().rotation.yaw > 0.3
    car.enable_constant_velocity(carla.Vector3D(8, 0, 0))
    world.tick()
    world.tick()
    assert car.get_velocity().length() == pytest.approx(8, abs=0.1)
    car.disable_constant_velocity()


def test_tags_are_carlas() -> None:
    for name, number in (("Road", "Roads"), ("SideWalk", "Sidewalks"), ("Building", "Buildings"), ("Car", "Car")):
        assert int(getattr(carla.CityObjectLabel, number)) == CURRENT.number(name)
    assert math.isclose(float(int(carla.CityObjectLabel.Any)), 255)
