"""An agent that follows its lane and brakes for what a depth camera sees in its way."""

from __future__ import annotations

import math

import carla
import numpy as np


class LaneFollower:
    """Drives a vehicle along its lane.

    Args:
        vehicle: The vehicle to drive.
        speed: Wanted, in metres a second.
    """

    def __init__(self, vehicle: carla.Vehicle, speed: float = 6.0) -> None:
        self.vehicle, self.speed = vehicle, speed
        self._map = vehicle.get_world().get_map()
        self._free_m = math.inf

    def see(self, image: carla.Image) -> None:
        """Take in a picture of a depth camera that looks ahead."""
        bgra = np.frombuffer(image.raw_data, np.uint8).reshape(image.height, image.width, 4).astype(np.float64)
        metres = (bgra[..., 2] + 256 * bgra[..., 1] + 65536 * bgra[..., 0]) * (1000 / (256**3 - 1))
        middle = metres[image.height // 2 - 2 : image.height // 2 + 2, image.width * 9 // 20 : image.width * 11 // 20]
        self._free_m = float(middle.min())

    def step(self) -> carla.VehicleControl:
        """The control for the next tick."""
        here = self.vehicle.get_transform()
        velocity = self.vehicle.get_velocity()
        speed = math.hypot(velocity.x, velocity.y)
        ahead = self._map.get_waypoint(here.location).next(4.0 + 0.5 * speed)
        if not ahead or self._free_m < 4.0 + speed * speed / 6.0:
            return carla.VehicleControl(brake=1.0)
        target = ahead[0].transform.location - here.location
        angle = math.degrees(math.atan2(target.y, target.x)) - here.rotation.yaw
        steer = max(-1.0, min(1.0, ((angle + 180) % 360 - 180) / 35))
        wanted = self.speed * (1 - 0.5 * abs(steer))
        return carla.VehicleControl(
            throttle=max(0.0, min(0.8, 0.4 * (wanted - speed) + 0.2)),
            steer=steer,
            brake=0.4 if speed > wanted + 2 else 0.0,
        )
