"""A genuine CARLA client as a program: with a word on standard input it says whether it is served well.

python genuine_client.py PORT            one line, well or badly, for each line it is given; a line names the actors
                                         that stay, all others but its own are destroyed
python genuine_client.py PORT --spawn    makes a car, a walker and a lidar, prints their numbers, and goes
"""

from __future__ import annotations

import json
import os
import queue
import sys

import carla

PATIENCE_S = 60.0


def spawn(world: carla.World) -> list[int]:
    """Actors to be named by others."""
    library = world.get_blueprint_library()
    names = ("vehicle.tesla.model3", "walker.pedestrian.0002", "sensor.lidar.ray_cast")
    places = (carla.Location(30, -1.75, 1.0), carla.Location(60, 4.5, 1.0), carla.Location(40, 0, 5.0))
    return [
        world.spawn_actor(library.find(name), carla.Transform(place)).id
        for name, place in zip(names, places, strict=True)
    ]


def tidy(client: carla.Client, world: carla.World, kept: set[int]) -> None:
    """Destroy what others left: recordings that are played bring actors that nobody else destroys."""
    movable = ("vehicle.", "walker.", "sensor.", "static.prop.", "static.trigger.", "controller.")
    left = [actor.id for actor in world.get_actors() if actor.type_id.startswith(movable) and actor.id not in kept]
    client.apply_batch_sync([carla.command.DestroyActor(number) for number in left])


def serve_rounds(client: carla.Client, world: carla.World) -> None:
    """Answer each line of standard input: a newer frame, a newer picture, and an answer."""
    blueprint = world.get_blueprint_library().find("sensor.camera.semantic_segmentation")
    for name, value in (("image_size_x", "64"), ("image_size_y", "36"), ("sensor_tick", "0.2")):
        blueprint.set_attribute(name, value)
    camera = world.spawn_actor(blueprint, carla.Transform(carla.Location(x=10, z=2)))
    pictures: queue.Queue[carla.Image] = queue.Queue(maxsize=1000)
    camera.listen(pictures.put)
    for line in sys.stdin:
        if line.strip():
            tidy(client, world, {camera.id, *map(int, line.split())})
        before = world.get_snapshot().frame
        while not pictures.empty():
            pictures.get()
        well = world.wait_for_tick(PATIENCE_S).frame > before
        well = well and pictures.get(timeout=PATIENCE_S).width == 64 and world.get_weather().cloudiness >= 0
        sys.stdout.write("well\n" if well else "badly\n")
        sys.stdout.flush()


def main() -> None:
    """Connect, and do what the arguments say."""
    client = carla.Client("127.0.0.1", int(sys.argv[1]))
    client.set_timeout(PATIENCE_S)
    world = client.get_world()
    if "--spawn" in sys.argv:
        sys.stdout.write(json.dumps(spawn(world)))
        sys.stdout.flush()
        os._exit(0)  # the client's own threads may crash at exit
    serve_rounds(client, world)


if __name__ == "__main__":
    main()
