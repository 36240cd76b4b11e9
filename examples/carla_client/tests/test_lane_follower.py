"""The agent on a street: it stays in its lane, it stops for a car, and it finds its way among others."""

from __future__ import annotations

import queue

import carla
import pytest
from lane_follower import LaneFollower

TESLA = "vehicle.tesla.model3"


def spawn(world: carla.World, blueprint: str, pose: carla.Transform, **attributes: str) -> carla.Actor:
    wanted = world.get_blueprint_library().find(blueprint)
    for name, value in attributes.items():
        wanted.set_attribute(name, value)
    return world.spawn_actor(wanted, pose)


def straight(world: carla.World, metres: int) -> carla.Transform:
    """A spawn point before a straight piece of road."""
    for point in world.get_map().get_spawn_points():
        way = [world.get_map().get_waypoint(point.location)]
        while len(way) < metres and len(way[-1].next(1.0)) == 1 and not way[-1].is_junction:
            way.append(way[-1].next(1.0)[0])
        if len(way) == metres and abs(way[0].transform.rotation.yaw - way[-1].transform.rotation.yaw) % 360 < 1:
            return point
    pytest.skip("no straight road in this town")


def test_it_stays_in_its_lane(carla_world: carla.World) -> None:
    vehicle = spawn(carla_world, TESLA, straight(carla_world, 40))
    agent, town = LaneFollower(vehicle), carla_world.get_map()
    carla_world.tick()
    start = vehicle.get_location()
    for _ in range(120):
        vehicle.apply_control(agent.step())
        carla_world.tick()
        here = vehicle.get_location()
        assert here.distance(town.get_waypoint(here).transform.location) < 1.0
    assert vehicle.get_location().distance(start) > 20


def test_it_stops_for_a_car(carla_world: carla.World) -> None:
    place = straight(carla_world, 60)
    vehicle = spawn(carla_world, TESLA, place)
    ahead = carla_world.get_map().get_waypoint(place.location).next(35.0)[0].transform
    ahead.location.z += 0.3
    other = spawn(carla_world, "vehicle.audi.tt", ahead)
    camera = carla_world.spawn_actor(*_depth_camera(carla_world), attach_to=vehicle)
    pictures: queue.Queue[carla.Image] = queue.Queue()
    camera.listen(pictures.put)
    agent = LaneFollower(vehicle)
    for _ in range(240):
        frame = carla_world.tick()
        picture = pictures.get(timeout=30)
        assert picture.frame == frame
        agent.see(picture)
        vehicle.apply_control(agent.step())
    camera.stop()
    gap = vehicle.get_location().distance(other.get_location())
    gap -= vehicle.bounding_box.extent.x + other.bounding_box.extent.x
    assert vehicle.get_velocity().length() < 0.2
    assert 1.0 < gap < 12.0


def _depth_camera(world: carla.World) -> tuple[carla.ActorBlueprint, carla.Transform]:
    wanted = world.get_blueprint_library().find("sensor.camera.depth")
    for name, value in {"image_size_x": "64", "image_size_y": "36", "fov": "60"}.items():
        wanted.set_attribute(name, value)
    return wanted, carla.Transform(carla.Location(1.5, 0, 1.0))


def test_traffic_starts_to_move(carla_world: carla.World, carla_traffic_manager: carla.TrafficManager) -> None:
    points = carla_world.get_map().get_spawn_points()
    others = [spawn(carla_world, TESLA, point) for point in points[:4]]
    for vehicle in others:
        vehicle.set_autopilot(True, carla_traffic_manager.get_port())
    for _ in range(60):
        carla_world.tick()
    assert max(vehicle.get_velocity().length() for vehicle in others) > 2
    for vehicle in others:
        vehicle.destroy()


def test_every_test_begins_with_an_empty_town(carla_world: carla.World) -> None:
    assert not carla_world.get_actors().filter("vehicle.*")
    assert carla_world.get_settings().synchronous_mode
