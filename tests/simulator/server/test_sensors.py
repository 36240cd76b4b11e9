"""Sensors of the embedded server, measured against its geometry and against each other."""

from __future__ import annotations

import math

import carla
import numpy as np
import pytest

import caos
from caos.simulator.frames import decode_depth, decode_flow, decode_instances, decode_normals, decode_tags, pixels
from tests.simulator.server.conftest import HEIGHT, WIDTH
from tests.simulator.server.test_client import TESLA, at, spawn

EYE = carla.Transform(carla.Location(20, 1.75, 1.6))
BESIDE = carla.Transform(carla.Location(20, 1.75, 1.6), carla.Rotation(yaw=12))


def bgra(image: carla.Image) -> np.ndarray:
    return pixels(image.raw_data, image.width, image.height)


def test_four_cameras_agree_in_one_frame(world: carla.World, listen) -> None:
    car = spawn(world, TESLA, at(32))
    for _ in range(12):
        world.tick()
    names = ("rgb", "semantic_segmentation", "instance_segmentation", "depth")
    cameras = [listen(f"sensor.camera.{name}", EYE, fov=80) for name in names]
    for _ in range(2):
        frame = world.tick()
        images = [camera.get() for camera in cameras]
        assert [image.frame for image in images] == [frame] * 4
    rgb, tags, instances, depth = (bgra(image) for image in images)
    assert rgb.shape == (HEIGHT, WIDTH, 4)
    assert rgb[..., :3].std() > 5
    assert np.array_equal(decode_tags(tags), decode_tags(instances))
    on_car = decode_instances(instances) == car.id & 0xFFFF
    assert on_car.sum() > 20
    assert set(decode_tags(tags)[on_car]) <= {14, 0}
    metres = decode_depth(depth)
    back = 32 - car.bounding_box.extent.x - 20
    assert metres[on_car].min() == pytest.approx(back, abs=0.35)
    assert np.isinf(metres[decode_tags(tags) == 11]).all()
    # The road straight ahead and below: planar depth against height and angle.
    row, column = HEIGHT - 1, 4
    slope = (2 * (row + 0.5) / HEIGHT - 1) * math.tan(math.radians(40)) * HEIGHT / WIDTH
    if decode_tags(tags)[row, column] in {1, 24}:
        assert metres[row, column] == pytest.approx(1.6 / slope, rel=0.02)
    assert images[0].fov == pytest.approx(80)
    assert images[0].transform.location.x == pytest.approx(20)


def test_every_instance_value_has_an_owner_and_props_have_their_tag(world: carla.World, listen) -> None:
    car, library = spawn(world, TESLA, at(32)), world.get_blueprint_library()
    blueprint = library.filter("static.prop.*")[0]
    blueprint.set_attribute("semantic_tag", "12")
    prop = world.spawn_actor(blueprint, at(26, y=0.5, z=0.0))
    assert bytes(prop.semantic_tags) == bytes([12])
    camera = listen("sensor.camera.instance_segmentation", EYE)
    world.tick()
    image = bgra(camera.get())
    numbers, tags, owners = decode_instances(image), decode_tags(image), caos.instance_owners(world)
    assert set(np.unique(numbers).tolist()) - {0} <= set(owners)
    assert owners[car.id & 0xFFFF].type_id == TESLA
    assert set(tags[numbers == prop.id & 0xFFFF].tolist()) == {12}
    houses = set(np.unique(numbers[tags == 3]).tolist())
    assert houses
    assert all(owners[number].type == carla.CityObjectLabel.Buildings for number in houses)
    blueprint.set_attribute("semantic_tag", "77")
    with pytest.raises(RuntimeError, match="semantic_tag=77 is outside 0..28, and not -1"):
        world.spawn_actor(blueprint, at(60))


def test_normals_face_the_camera_in_the_world(world: carla.World, listen) -> None:
    cameras = [listen(f"sensor.camera.{name}", BESIDE) for name in ("normals", "depth", "semantic_segmentation")]
    world.tick()
    normals, depth, tags = (bgra(camera.get()) for camera in cameras)
    unit, seen = decode_normals(normals), np.isfinite(decode_depth(depth))
    assert np.linalg.norm(unit[seen], axis=1) == pytest.approx(1, abs=1e-5)
    assert (unit[~seen] == 0).all()
    assert (normals[~seen] == (128, 128, 128, 255)).all()
    road = np.isin(decode_tags(tags), (1, 24))
    assert road.sum() > 100
    assert unit[road].mean(0) == pytest.approx([0, 0, 1], abs=0.02)


def test_optical_flow_follows_camera_and_car(world: carla.World, listen) -> None:
    car = spawn(world, TESLA, at(32))
    car.set_simulate_physics(False)
    names = ("optical_flow", "depth", "instance_segmentation")
    cameras = [listen(f"sensor.camera.{name}", EYE) for name in names]
    world.tick()
    first = [camera.get() for camera in cameras]
    assert not np.frombuffer(first[0].raw_data, np.float32).any()
    car.set_transform(at(32, y=2.25))
    for camera in cameras:
        camera.actor.set_transform(carla.Transform(carla.Location(21, 1.75, 1.6)))
    world.tick()
    flow, depth, instances = (camera.get() for camera in cameras)
    moved, metres = decode_flow(flow.raw_data, WIDTH, HEIGHT), decode_depth(bgra(depth))
    on_car = decode_instances(bgra(instances)) == car.id & 0xFFFF
    right, down = np.meshgrid(np.arange(WIDTH) + 0.5 - WIDTH / 2, np.arange(HEIGHT) + 0.5 - HEIGHT / 2)
    # At 90 degrees half the image is one metre wide at one metre; the camera has moved one metre closer.
    share = np.where(np.isinf(metres), 0, 1 / (metres + 1))
    assert moved[~on_car, 1] == pytest.approx((down * share)[~on_car], abs=0.05)
    assert moved[~on_car, 0] == pytest.approx((right * share)[~on_car], abs=0.05)
    sideways = (right * share + 0.5 * share * WIDTH / 2)[on_car]
    assert on_car.sum() > 20
    assert moved[on_car, 0] == pytest.approx(sideways, abs=0.05)
    assert flow.get_color_coded_flow().width == WIDTH


def test_events_and_cosmos_reach_the_client(world: carla.World, listen) -> None:
    events, cosmos = listen("sensor.camera.dvs", EYE), listen("sensor.camera.cosmos_visualization", EYE)
    world.tick()
    drawn = bgra(cosmos.get())
    assert {(56, 103, 221), (98, 183, 249)} <= {tuple(color) for color in drawn.reshape(-1, 4)[:, 2::-1].tolist()}
    events.actor.set_transform(carla.Transform(carla.Location(20, 1.75, 1.6), carla.Rotation(yaw=40)))
    frame = world.tick()
    seen = events.get()
    assert isinstance(seen, carla.DVSEventArray)
    assert seen.frame == frame
    assert len(seen) > 100
    assert {event.pol for event in seen} == {True, False}
    assert all(seen.timestamp - 0.0501 <= event.t * 1e-9 <= seen.timestamp + 1e-6 for event in seen)


def test_a_new_camera_loses_no_frame(world: carla.World, listen) -> None:
    for k in range(12):
        camera = listen("sensor.camera.depth", EYE, image_size_x=16, image_size_y=9)
        frame = world.tick()
        assert camera.get(10).frame == frame, f"try {k}"


def test_listening_again_after_stop(world: carla.World, listen) -> None:
    camera = listen("sensor.camera.depth", EYE)
    world.tick()
    camera.get()
    camera.actor.stop()
    world.tick()
    assert camera.messages.empty()
    camera.actor.listen(camera.messages.put)
    frame = world.tick()
    assert camera.get().frame == frame


def test_sensor_tick(world: carla.World, listen) -> None:
    fix = listen("sensor.other.gnss", carla.Transform(), sensor_tick=0.2)
    for _ in range(12):
        world.tick()
    world.tick()
    assert fix.messages.qsize() in {3, 4}


def test_lidar_measures_the_road_below(world: carla.World, listen) -> None:
    values = {"channels": 8, "range": 60, "points_per_second": 16000, "rotation_frequency": 20, "upper_fov": -10}
    high = carla.Transform(carla.Location(40, 0, 2.5))
    plain = listen("sensor.lidar.ray_cast", high, dropoff_general_rate=0, dropoff_intensity_limit=0, **values)
    dropped = listen("sensor.lidar.ray_cast", high, **values)
    semantic = listen("sensor.lidar.ray_cast_semantic", high, **values)
    world.tick()
    first, second, third = plain.get(), dropped.get(), semantic.get()
    points = np.frombuffer(first.raw_data, "<f4").reshape(-1, 4)
    kind = np.dtype([("xyz", "<f4", 3), ("cos", "<f4"), ("index", "<u4"), ("tag", "<u4")])
    labels = np.frombuffer(third.raw_data, kind)
    assert len(points) == len(labels) == sum(first.get_point_count(c) for c in range(8))
    road = np.isin(labels["tag"], (1, 24))
    assert road.sum() > 50
    assert np.allclose(points[road, 2], -2.5, atol=0.03)
    assert np.allclose(points[:, 3], np.exp(-0.004 * np.linalg.norm(points[:, :3], axis=1)), atol=1e-4)
    steep = -points[road, 2] / np.linalg.norm(points[road, :3], axis=1)
    assert np.allclose(labels["cos"][road], steep, atol=0.02)
    share = len(np.frombuffer(second.raw_data, "<f4")) / 4 / len(points)
    assert 0.3 < share < 0.7


def test_gnss_and_imu(world: carla.World, listen) -> None:
    car = spawn(world, TESLA, at(30, yaw=90, z=0.0))
    for _ in range(12):
        world.tick()
    fix, imu = (listen(f"sensor.other.{name}", carla.Transform(), car) for name in ("gnss", "imu"))
    for _ in range(4):
        world.tick()
        place, motion = fix.get(), imu.get()
    expected = world.get_map().transform_to_geolocation(fix.actor.get_location())
    assert place.latitude == pytest.approx(expected.latitude, abs=1e-9)
    assert place.longitude == pytest.approx(expected.longitude, abs=1e-9)
    assert motion.accelerometer.z == pytest.approx(9.81, abs=0.05)
    assert motion.compass == pytest.approx(math.pi, abs=1e-3)
    assert abs(motion.gyroscope.z) < 1e-6


def test_collision_between_cars(world: carla.World, listen) -> None:
    struck = spawn(world, TESLA, at(60))
    mover = spawn(world, "vehicle.audi.tt", at(40))
    for _ in range(12):
        world.tick()
    bump = listen("sensor.other.collision", carla.Transform(), mover)
    mover.set_target_velocity(carla.Vector3D(12, 0, 0))
    for _ in range(40):
        world.tick()
    event = bump.get(5)
    assert event.other_actor.id == struck.id
    assert event.actor.id == mover.id
    assert event.normal_impulse.x < -1000
    assert struck.get_location().x > 60.2
    assert mover.get_location().x < struck.get_location().x - 3


def test_obstacle_and_radar_see_the_car_ahead(world: carla.World, listen) -> None:
    front = spawn(world, TESLA, at(50))
    own = spawn(world, "vehicle.audi.tt", at(38))
    for _ in range(12):
        world.tick()
    nose = carla.Transform(carla.Location(x=2.4, z=0.8))
    detector = listen("sensor.other.obstacle", nose, own, distance=20, hit_radius=0.2, only_dynamics="true")
    radar = listen("sensor.other.radar", nose, own, points_per_second=3000, horizontal_fov=10, vertical_fov=6)
    front.set_target_velocity(carla.Vector3D(5, 0, 0))
    world.tick()
    found, echoes = detector.get(), radar.get()
    assert found.other_actor.id == front.id
    gap = front.get_location().x - front.bounding_box.extent.x - (own.get_location().x + 2.4)
    assert found.distance == pytest.approx(gap, abs=0.4)
    near = [echo for echo in echoes if abs(echo.depth - gap) < 1.0 and abs(echo.velocity) > 1]
    assert near
    assert np.median([echo.velocity for echo in near]) == pytest.approx(5, abs=0.6)


def test_lane_invasion_is_seen_by_the_client(world: carla.World, listen) -> None:
    car = spawn(world, TESLA, at(40))
    world.tick()
    lines = listen("sensor.other.lane_invasion", carla.Transform(), car)
    car.set_simulate_physics(False)
    for y in (1.75, 0.6, -0.6, -1.75):
        car.set_location(carla.Location(40, y, 0))
        world.tick()
    event = lines.get(10)
    assert event.crossed_lane_markings


def test_exposure_and_gamma_change_the_picture(world: carla.World, listen) -> None:
    usual = listen("sensor.camera.rgb", EYE)
    bright = listen("sensor.camera.rgb", EYE, exposure_compensation=1.5)
    again = listen("sensor.camera.rgb", EYE)
    world.tick()
    first, second, third = (bgra(camera.get())[..., :3].astype(int) for camera in (usual, bright, again))
    assert second.mean() > first.mean() + 10
    assert np.array_equal(first, third)


def test_same_calls_give_the_same_world_and_pictures(client: carla.Client, world: carla.World, listen) -> None:
    def run() -> tuple[list[tuple[float, ...]], bytes, bytes]:
        cars = [
            spawn(world, name, at(30 + 14 * k))
            for k, name in enumerate(("vehicle.audi.tt", TESLA, "vehicle.seat.leon"))
        ]
        lidar = listen("sensor.lidar.ray_cast", EYE, noise_seed=5, noise_stddev=0.02, range=40)
        cars[0].set_target_velocity(carla.Vector3D(14, 0, 0))
        cars[1].apply_control(carla.VehicleControl(throttle=0.6, steer=0.1))
        states = []
        for _ in range(25):
            world.tick()
            lidar_bytes = bytes(lidar.get().raw_data)
            for car in cars:
                pose, speed = car.get_transform(), car.get_velocity()
                states.append((pose.location.x, pose.location.y, pose.location.z, pose.rotation.yaw, speed.x, speed.y))
        camera = listen("sensor.camera.rgb", BESIDE)
        world.tick()
        camera_bytes = bytes(camera.get().raw_data)
        for listener in (camera, lidar):
            listener.actor.stop()
        client.apply_batch_sync([carla.command.DestroyActor(car.id) for car in cars], False)
        world.tick()
        return states, camera_bytes, lidar_bytes

    first, second = run(), run()
    assert first[0] == second[0]
    assert first[1] == second[1]
    assert first[2] == second[2]
