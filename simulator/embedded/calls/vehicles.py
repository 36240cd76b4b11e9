"""Calls about vehicles: how they are driven, what they report, their lights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from caos.simulator.embedded.calls.table import Server, call
from caos.simulator.embedded.physics.vehicles import MAX_STEER_DEG, air_drag, speed_of
from caos.simulator.embedded.protocol.wire import (
    MAX_SPEED_M_S,
    BadArgumentError,
    Value,
    Vector,
    angular_velocity,
    array_of,
    fields,
    integer,
    listed,
    raw,
    real,
    speed_m_s,
    u8,
    u32,
    vector,
    velocity,
    write_transform,
)
from caos.simulator.embedded.protocol.wire import boolean as flag
from caos.simulator.embedded.world_state.actors import Actor, Vehicle, VehicleControl
from caos.simulator.embedded.world_state.skeleton import WHEEL_RADIUS_M, wheels

_CONTROL = (real, real, real, flag, flag, flag, integer)
_IMPULSES = "changes the velocity by impulse over mass; there is no torque"
LONGITUDINAL_STIFFNESS = 8
"""Index of the longitudinal stiffness in a wheel's parameters."""
WHEELS = 15
"""Index of the wheels in a physics control."""
LIGHTEST_KG, HEAVIEST_KG = 1.0, 1e6


@call(u32, raw, void=True)
def apply_control_to_vehicle(server: Server, actor: int, control: Any) -> None:
    """Set throttle, steering, brakes and gear of a vehicle."""
    vehicle = server.world.find(actor, Vehicle, "apply_control_to_vehicle")
    throttle, steer, brake, hand, reverse, manual, gear = fields(control, _CONTROL)
    # As in CARLA, a manual reverse gear drives in reverse.
    backwards = reverse or (manual and gear < 0)
    vehicle.ackermann, vehicle.just_controlled = None, True
    vehicle.control = VehicleControl(
        _unit(throttle), max(-1.0, min(1.0, steer)), _unit(brake), hand, backwards, manual, gear
    )


def _unit(value: float) -> float:
    return max(0.0, min(1.0, value))


@call(
    u32, raw, void=True, fidelity="simplified", note="speed and steering are followed directly, without the PID loops"
)
def apply_ackermann_control_to_vehicle(server: Server, actor: int, control: Any) -> None:
    """Set target speed and steering angle of a vehicle."""
    vehicle = server.world.find(actor, Vehicle, "apply_ackermann_control_to_vehicle")
    vehicle.ackermann = fields(control, (speed_m_s,) * 5)


@call(u32)
def get_ackermann_controller_settings(server: Server, actor: int) -> list[float]:
    """Return the settings of a vehicle's Ackermann controller."""
    return list(server.world.find(actor, Vehicle, "get_ackermann_controller_settings").ackermann_settings)


@call(u32, raw, void=True, fidelity="simplified", note="kept and returned; the loops they tune are not simulated")
def apply_ackermann_controller_settings(server: Server, actor: int, values: Any) -> None:
    """Change settings of a vehicle's Ackermann controller."""
    vehicle = server.world.find(actor, Vehicle, "apply_ackermann_controller_settings")
    vehicle.ackermann_settings = fields(values, (real,) * 6)


@call(u32, flag, void=True, note="autopilot is the client's TrafficManager, as in CARLA")
def set_actor_autopilot(server: Server, actor: int, enabled: bool) -> None:  # noqa: FBT001, ARG001
    """Set whether a vehicle drives itself."""
    server.world.find(actor, Vehicle, "set_actor_autopilot")


@call(u32, flag, void=True, fidelity="no effect", note="there is no screen to show telemetry on")
def show_vehicle_debug_telemetry(server: Server, actor: int, enabled: bool) -> None:  # noqa: FBT001, ARG001
    """Show a vehicle's telemetry on the server's screen."""
    server.world.find(actor, Vehicle, "show_vehicle_debug_telemetry")


@call(u32, velocity, void=True, fidelity="simplified", note="for vehicles; other actors keep still")
def set_actor_target_velocity(server: Server, actor: int, wanted: Vector) -> None:
    """Set the velocity of a vehicle."""
    found = server.world.find(actor, Actor, "set_actor_target_velocity")
    if isinstance(found, Vehicle):
        found.target_velocity = wanted


@call(u32, angular_velocity, void=True, fidelity="simplified", note="for vehicles, about the vertical axis")
def set_actor_target_angular_velocity(server: Server, actor: int, wanted: Vector) -> None:
    """Set the yaw rate of a vehicle."""
    found = server.world.find(actor, Actor, "set_actor_target_angular_velocity")
    if isinstance(found, Vehicle):
        found.target_angular_velocity = wanted


@call(u32, velocity, void=True)
def enable_actor_constant_velocity(server: Server, actor: int, wanted: Vector) -> None:
    """Keep a vehicle at a velocity in its own frame."""
    server.world.find(actor, Vehicle, "enable_actor_constant_velocity").constant_velocity = wanted


@call(u32, void=True)
def disable_actor_constant_velocity(server: Server, actor: int) -> None:
    """End the constant velocity of a vehicle."""
    server.world.find(actor, Vehicle, "disable_actor_constant_velocity").constant_velocity = None


@call(u32, vector, void=True, fidelity="simplified", note=_IMPULSES)
def add_actor_impulse(server: Server, actor: int, impulse: Vector) -> None:
    """Apply an impulse to a vehicle."""
    _push(server, actor, impulse, 1.0, "add_actor_impulse")


@call(u32, vector, vector, void=True, fidelity="simplified", note=_IMPULSES)
def add_actor_impulse_at_location(server: Server, actor: int, impulse: Vector, place: Vector) -> None:  # noqa: ARG001
    """Apply an impulse to a vehicle at a point."""
    _push(server, actor, impulse, 1.0, "add_actor_impulse_at_location")


@call(
    u32,
    vector,
    void=True,
    fidelity="simplified",
    note="acts for one step: velocity changes by force times step over mass",
)
def add_actor_force(server: Server, actor: int, force: Vector) -> None:
    """Apply a force to a vehicle for one step."""
    _push(server, actor, force, server.world.settings.fixed_delta_s or 0.05, "add_actor_force")


@call(u32, vector, vector, void=True, fidelity="simplified", note="as add_actor_force")
def add_actor_force_at_location(server: Server, actor: int, force: Vector, place: Vector) -> None:  # noqa: ARG001
    """Apply a force to a vehicle at a point for one step."""
    _push(server, actor, force, server.world.settings.fixed_delta_s or 0.05, "add_actor_force_at_location")


def _push(server: Server, actor: int, force: Vector, seconds: float, doing: str) -> None:
    found = server.world.find(actor, Actor, doing)
    if isinstance(found, Vehicle) and found.physics:
        base = found.target_velocity or found.velocity
        pushed = (v + f * seconds / found.mass_kg for v, f in zip(base, force, strict=True))
        x, y, z = (max(-MAX_SPEED_M_S, min(MAX_SPEED_M_S, v)) for v in pushed)
        found.target_velocity = (x, y, z)


@call(u32)
def get_vehicle_light_state(server: Server, actor: int) -> list[int]:
    """Return the light state of a vehicle."""
    return [server.world.find(actor, Vehicle, "get_vehicle_light_state").lights]


@call(u32, raw, void=True, note="the low and high beams light the road at night; the other lamps are kept and returned")
def set_vehicle_light_state(server: Server, actor: int, state: Any) -> None:
    """Set the light state of a vehicle."""
    flags = state if isinstance(state, int) else listed(state, 1)[0]
    server.world.find(actor, Vehicle, "set_vehicle_light_state").lights = u32(flags)


@call()
def get_vehicle_light_states(server: Server) -> list[list[int]]:
    """Return the light states of all vehicles."""
    return [[vehicle.id, vehicle.lights] for vehicle in server.world.of_kind(Vehicle)]


@call(u32, u8, void=True, fidelity="no effect", note="doors do not open")
def open_vehicle_door(server: Server, actor: int, door: int) -> None:  # noqa: ARG001
    """Open a door."""
    server.world.find(actor, Vehicle, "open_vehicle_door")


@call(u32, u8, void=True, fidelity="no effect", note="doors do not open")
def close_vehicle_door(server: Server, actor: int, door: int) -> None:  # noqa: ARG001
    """Close a door."""
    server.world.find(actor, Vehicle, "close_vehicle_door")


@call(u32, u8, real, void=True, fidelity="no effect", note="wheels are drawn straight")
def set_wheel_steer_direction(server: Server, actor: int, wheel: int, angle: float) -> None:  # noqa: ARG001
    """Set the visible angle of a wheel."""
    server.world.find(actor, Vehicle, "set_wheel_steer_direction")


@call(u32, u8)
def get_wheel_steer_angle(server: Server, actor: int, wheel: int) -> float:
    """Return the steering angle of a wheel in degrees."""
    vehicle = server.world.find(actor, Vehicle, "get_wheel_steer_angle")
    return vehicle.steer_deg if wheel in {0, 1} else 0.0


@call(u32)
def get_physics_control(server: Server, actor: int) -> list[Any]:
    """Return a vehicle's physical parameters."""
    vehicle = server.world.find(actor, Vehicle, "get_physics_control")
    control = list(vehicle.physics_control or _default_physics(vehicle))
    places = _wheel_places(vehicle)
    shown = [[*wheel[:9], place] for wheel, place in zip(control[WHEELS], places, strict=False)]
    if vehicle.trigger_friction is not None:
        shown = [[vehicle.trigger_friction, *wheel[1:]] for wheel in shown]
    control[WHEELS] = shown + control[WHEELS][len(places) :]
    return control


@call(
    u32,
    raw,
    void=True,
    fidelity="simplified",
    note="kept and returned; of it, the mass, the drag, and friction and longitudinal stiffness of the tyres act",
)
def apply_physics_control(server: Server, actor: int, control: Any) -> None:
    """Set a vehicle's physical parameters."""
    vehicle = server.world.find(actor, Vehicle, "apply_physics_control")
    # Other clients read this back: it must be complete.
    values = list(fields(control, _PHYSICS))
    vehicle.physics_control, vehicle.mass_kg, vehicle.drag_coefficient = values, values[11], max(0.0, values[12])
    if values[WHEELS]:
        vehicle.tyre_friction = _mean([wheel[0] for wheel in values[WHEELS]])
        vehicle.tyre_stiffness = _mean([wheel[LONGITUDINAL_STIFFNESS] for wheel in values[WHEELS]])


def _mean(values: Sequence[float]) -> float:
    return max(0.0, sum(values) / len(values))


def _row(*readers: Callable[[Value], Any]) -> Callable[[Value], list[Any]]:
    return lambda value: list(fields(value, readers))


def _mass_kg(value: Value) -> float:
    mass = real(value)
    if not LIGHTEST_KG <= mass <= HEAVIEST_KG:
        raise BadArgumentError(f"expected a mass in {LIGHTEST_KG:g}..{HEAVIEST_KG:g} kg, got {mass:g}")
    return mass


_CURVE = array_of(_row(real, real))
_WHEEL = _row(*(real,) * 9, _row(real, real, real))
_PHYSICS = (
    _CURVE, *(real,) * 5, flag, *(real,) * 3, array_of(_row(real, real, real)), _mass_kg, real, _row(real, real, real),
    _CURVE, array_of(_WHEEL), flag,
)  # fmt: skip
"""CARLA's physics control, field by field."""


def _default_physics(v: Vehicle) -> list[Any]:
    gears = [[4.0, 0.5, 0.65], [2.0, 0.5, 0.65], [1.3, 0.5, 0.65], [1.0, 0.5, 0.65], [0.8, 0.5, 0.65]]
    places = _wheel_places(v)
    rows = [
        [
            3.5,
            0.25,
            MAX_STEER_DEG if k < 2 else 0.0,
            WHEEL_RADIUS_M * 100,
            1500.0,
            0.0 if k < 2 else 3000.0,
            2.0,
            17.0,
            1000.0,
            p,
        ]
        for k, p in enumerate(places)
    ]
    torque, steering = [[0.0, 400.0], [5000.0, 400.0]], [[0.0, 1.0], [120.0, 0.5]]
    head = [torque, 5800.0, 1.0, 0.15, 2.0, 0.35, True, 0.5, 10.0, 4.0]
    return [*head, gears, v.mass_kg, 0.3, [0.0, 0.0, 0.0], steering, rows, True]


def _wheel_places(v: Vehicle) -> list[list[float]]:
    """World locations of the wheels in centimetres, as CARLA reports them."""
    return [[c * 100 for c in (v.transform @ hub).location] for hub in wheels(v).values()]


@call(u32, fidelity="simplified", note="speed and controls are real; tyre forces are zero in a kinematic model")
def get_telemetry_data(server: Server, actor: int) -> list[Any]:
    """Return a vehicle's telemetry."""
    v = server.world.find(actor, Vehicle, "get_telemetry_data")
    speed = speed_of(v.velocity)
    omega = speed / WHEEL_RADIUS_M
    rpm = 800.0 + 5000.0 * v.control.throttle
    wheel = [v.friction, 0.0, 0.0, omega, v.mass_kg * 9.81 / 4, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    gear = -1 if v.control.reverse else int(speed > 0.1)
    return [
        speed,
        v.control.steer,
        v.control.throttle,
        v.control.brake,
        rpm,
        gear,
        air_drag(v, speed) * v.mass_kg,
        [wheel] * 4,
    ]


@call(u32, fidelity="simplified", note="the wheels; bodies have no other bones")
def get_vehicle_bone_world_transforms(server: Server, actor: int) -> list[Any]:
    """Return world poses of a vehicle's wheels."""
    v = server.world.find(actor, Vehicle, "get_vehicle_bone_world_transforms")
    rotation = list(v.transform.rotation)
    return [[[c / 100 for c in place], rotation] for place in _wheel_places(v)] or [write_transform(v.transform)]
