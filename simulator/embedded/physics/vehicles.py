"""Vehicles: a kinematic bicycle model with ground contact, free fall, and CARLA's controls."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from caos.simulator.embedded.physics.ground import Ground
from caos.simulator.embedded.protocol.wire import Vector
from caos.simulator.embedded.world_state.actors import ZERO, Vehicle, VehicleControl
from caos.simulator.transform import Transform

THROTTLE_ACCELERATION = 4.5
BRAKE_DECELERATION = 8.0
AIR_DRAG_PER_M = 0.0004
"""Air drag at the drag coefficient of CARLA's vehicles."""
USUAL_DRAG = 0.3
USUAL_STIFFNESS = 1000.0
SOFTNESS = 0.1
"""Slip of soft tyres under traction: a tenth of the nominal stiffness costs a fifth of the acceleration."""
USUAL_FRICTION = 3.5
"""Friction of CARLA's tyres; lower values scale traction, braking, rolling and grip, higher ones have no effect."""
ROLLING_DECELERATION = 0.05
GRIP_PER_S = 6.0
"""Decay rate of lateral velocity."""
MAX_STEER_DEG = 35.0
GRAVITY = 9.81
MAX_SPEED = 70.0
TOUCH_M = 0.02
UNEVEN_M = 0.025
"""Height differences between the axles below this are paint or seams of asphalt, not a slope."""
REST_SPEED = 0.02
HELD_SPEED = 0.5
"""Below this speed in m/s, a vehicle without throttle does not roll down a slope."""
_TRACK = 0.8
"""Lateral position of the wheels as a share of the half width."""


def step_vehicles(vehicles: Sequence[Vehicle], ground: Ground, dt: float) -> None:
    """Advance all vehicles with physics enabled by one step."""
    active = [vehicle for vehicle in vehicles if _is_active(vehicle)]
    for vehicle in vehicles:
        if vehicle.physics and not _is_active(vehicle):
            vehicle.acceleration = ZERO
    if not active:
        return
    moved = [_drive(vehicle, dt) for vehicle in active]
    wheels = np.concatenate([_wheel_points(vehicle, pose) for vehicle, pose in zip(active, moved, strict=True)])
    heights = ground.below(wheels)[0].reshape(-1, 4)
    for vehicle, pose, under in zip(active, moved, heights, strict=True):
        _stand(vehicle, pose, under, dt)


def _is_active(v: Vehicle) -> bool:
    if not v.physics:
        return False
    wanted = v.target_velocity is not None or v.constant_velocity is not None or v.target_angular_velocity is not None
    driven = v.control.throttle > 0 or v.ackermann is not None
    return wanted or driven or not v.on_ground or v.velocity != ZERO


def _drive(v: Vehicle, dt: float) -> Transform:
    """Return the pose after ``dt`` and update the velocities, without ground contact."""
    before = v.velocity
    if v.target_velocity is not None:
        v.velocity, v.target_velocity = v.target_velocity, None
    if v.ackermann is not None:
        v.control = _follow_ackermann(v)
    yaw = math.radians(v.transform.yaw_deg)
    c, s = math.cos(yaw), math.sin(yaw)
    forward, sideways = v.velocity[0] * c + v.velocity[1] * s, v.velocity[1] * c - v.velocity[0] * s
    if v.constant_velocity is not None:
        forward, sideways = v.constant_velocity[0], v.constant_velocity[1]
    elif v.on_ground:
        forward = _longitudinal(v, forward, dt)
        sideways *= math.exp(-GRIP_PER_S * grip(v) * dt)
    v.steer_deg = MAX_STEER_DEG * v.control.steer
    rate = _yaw_rate(v, forward)
    yaw += rate * dt
    c, s = math.cos(yaw), math.sin(yaw)
    if abs(forward) < REST_SPEED and abs(sideways) < REST_SPEED and v.control.throttle == 0:
        forward = sideways = 0.0
    x_speed, y_speed = forward * c - sideways * s, forward * s + sideways * c
    v.velocity = (x_speed, y_speed, v.velocity[2])
    v.angular_velocity = (0.0, 0.0, math.degrees(rate))
    v.acceleration = tuple((now - then) / dt for now, then in zip(v.velocity, before, strict=True))  # type: ignore[assignment]
    t = v.transform
    # A vehicle at rest keeps its pose exactly.
    yaw_deg = t.yaw_deg if rate == 0 else math.degrees(math.remainder(yaw, 2 * math.pi))
    return replace(t, x=t.x + x_speed * dt, y=t.y + y_speed * dt, yaw_deg=yaw_deg)


def grip(v: Vehicle) -> float:
    """Tyre grip relative to nominal friction, 0..1."""
    return min(1.0, v.friction / USUAL_FRICTION)


def air_drag(v: Vehicle, speed: float) -> float:
    """Deceleration by air drag at a speed, with the speed's sign."""
    return AIR_DRAG_PER_M * (v.drag_coefficient / USUAL_DRAG) * speed * abs(speed)


def _longitudinal(v: Vehicle, speed: float, dt: float) -> float:
    control, hold = v.control, grip(v)
    power = (
        hold
        * min(1.0, (v.tyre_stiffness / USUAL_STIFFNESS) ** SOFTNESS)
        * THROTTLE_ACCELERATION
        * control.throttle
        * max(0.0, 1.0 - abs(speed) / MAX_SPEED)
    )
    pull = -power if control.reverse else power
    slope = _slope(v)
    speed += (pull + slope - air_drag(v, speed)) * dt
    brakes = max(control.brake, 1.0 if control.hand_brake else 0.0)
    stop = hold * (BRAKE_DECELERATION * brakes + ROLLING_DECELERATION) * dt
    if control.throttle == 0 and abs(speed) < HELD_SPEED:
        # Tyre friction holds a standing vehicle on the slopes of a town.
        stop += hold * abs(slope) * dt
    speed = math.copysign(max(0.0, abs(speed) - stop), speed)
    return max(-MAX_SPEED, min(MAX_SPEED, speed))


def _slope(v: Vehicle) -> float:
    """Acceleration by the slope below a vehicle; small height differences are absorbed by the suspension."""
    rise = math.sin(math.radians(v.transform.pitch_deg))
    return -GRAVITY * rise if abs(rise) * v.wheelbase_m > UNEVEN_M else 0.0


def _yaw_rate(v: Vehicle, forward: float) -> float:
    rate = grip(v) * forward / v.wheelbase_m * math.tan(math.radians(v.steer_deg)) if v.on_ground else 0.0
    if v.target_angular_velocity is not None:
        rate, v.target_angular_velocity = math.radians(v.target_angular_velocity[2]), None
    return rate


def _follow_ackermann(v: Vehicle) -> VehicleControl:
    """Controls that approach an Ackermann target: steering angle, speed, acceleration."""
    steer, _, speed, acceleration, _ = (v.ackermann or (0.0,) * 5)[:5]
    now = math.hypot(v.velocity[0], v.velocity[1])
    lack = abs(speed) - now
    limit = abs(acceleration) if acceleration else THROTTLE_ACCELERATION
    throttle = min(max(lack, 0.0), limit, THROTTLE_ACCELERATION) / THROTTLE_ACCELERATION
    brake = min(max(-lack, 0.0), limit if acceleration else BRAKE_DECELERATION, BRAKE_DECELERATION) / BRAKE_DECELERATION
    ratio = max(-1.0, min(1.0, math.degrees(steer) / MAX_STEER_DEG))
    return VehicleControl(throttle, ratio, brake, hand_brake=False, reverse=speed < 0, manual_gear_shift=False, gear=0)


def _wheel_points(v: Vehicle, pose: Transform) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    yaw = math.radians(pose.yaw_deg)
    c, s = math.cos(yaw), math.sin(yaw)
    fore, side = v.wheelbase_m / 2, v.box.extent[1] * _TRACK
    corners = ((fore, side), (fore, -side), (-fore, side), (-fore, -side))
    return np.array([(pose.x + c * a - s * b, pose.y + s * a + c * b, pose.z) for a, b in corners])


def _stand(v: Vehicle, pose: Transform, under: np.ndarray[tuple[int, ...], np.dtype[np.float64]], dt: float) -> None:
    """Place the vehicle on the ground below its wheels, or let it fall."""
    known = under[np.isfinite(under)]
    level = float(known.mean()) if len(known) else -math.inf
    falls = v.gravity and pose.z > level + TOUCH_M + 0.02 * math.hypot(*v.velocity[:2])
    if v.constant_velocity is not None:
        falls = False
    if falls:
        vertical = v.velocity[2] - GRAVITY * dt
        z = pose.z + vertical * dt
        if z > level:
            v.on_ground = False
            v.velocity = (v.velocity[0], v.velocity[1], vertical)
            v.transform = replace(pose, z=z)
            return
    if not len(known):
        v.transform = pose
        return
    if not v.gravity and pose.z > level:
        v.transform = pose
        return
    v.on_ground = True
    lifted = replace(pose, z=level)
    vertical = (level - v.transform.z) / dt if v.velocity[:2] != (0.0, 0.0) else 0.0
    v.velocity = (v.velocity[0], v.velocity[1], max(-MAX_SPEED, min(MAX_SPEED, vertical)))
    v.transform = _aligned(v, lifted, under) if len(known) == 4 else lifted


def _aligned(v: Vehicle, pose: Transform, under: np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> Transform:
    front, back = (under[0] + under[1]) / 2, (under[2] + under[3]) / 2
    pitch = math.degrees(math.atan2(front - back, v.wheelbase_m))
    if v.two_wheeled:
        return replace(pose, pitch_deg=pitch, roll_deg=0.0)
    # y points right, and a positive roll lowers the right side.
    right, left = (under[0] + under[2]) / 2, (under[1] + under[3]) / 2
    roll = math.degrees(math.atan2(left - right, 2 * v.box.extent[1] * _TRACK))
    return replace(pose, pitch_deg=pitch, roll_deg=roll)


def speed_of(velocity: Vector) -> float:
    """Speed in metres per second."""
    return math.sqrt(sum(v * v for v in velocity))
