"""Refused calls: methods that this server cannot support faithfully; each returns an error instead of doing nothing."""

from __future__ import annotations

from typing import Any

from caos.simulator.embedded.calls.table import Server, call
from caos.simulator.embedded.protocol.wire import raw, text, u32
from caos.simulator.embedded.world_state.actors import Actor
from caos.simulator.embedded.world_state.world import WorldError, refusal

_PHYSICS = "rigid-body physics is not supported by the embedded server"
_TEXTURES = "changing textures is not supported by the embedded server"
_BUFFERS = "g-buffers are not supported by the embedded server"
_ROS = "ROS 2 is not supported by the embedded server"

# name, number of arguments, whether CARLA expects a return value, reason
_REFUSED = (
    ("add_actor_angular_impulse", 2, False, _PHYSICS),
    ("add_actor_torque", 2, False, _PHYSICS),
    ("enable_carsim", 2, False, _PHYSICS),
    ("use_carsim_road", 2, False, _PHYSICS),
    ("enable_chrono_physics", 7, False, _PHYSICS),
    ("restore_physx_physics", 1, False, _PHYSICS),
    ("apply_color_texture_to_objects", 3, False, _TEXTURES),
    ("apply_float_color_texture_to_objects", 3, False, _TEXTURES),
    ("enable_gbuffers", 2, False, _BUFFERS),
    ("enable_sensor_for_ros", 1, False, _ROS),
    ("disable_sensor_for_ros", 1, False, _ROS),
    ("console_command", 1, True, "console commands are not supported by the embedded server"),
)


def _refuse(name: str, arguments: int, reason: str, *, gives_value: bool) -> None:
    @call(*((raw,) * arguments), name=name, void=not gives_value, fidelity="refused", note=reason, locked=False)
    def refused(server: Server, *values: Any) -> None:  # noqa: ARG001
        raise WorldError(reason)


for _name, _arguments, _gives_value, _reason in _REFUSED:
    _refuse(_name, _arguments, _reason, gives_value=_gives_value)


@call(u32, u32, fidelity="refused", note="no camera has g-buffers here")
def get_gbuffer_token(server: Server, actor: int, buffer: int) -> None:  # noqa: ARG001
    """Return the token of a camera's g-buffer: refused as CARLA refuses it for sensors without g-buffers."""
    _no_such_sensor(server, actor, "get_gbuffer_token")


@call(u32, text, void=True, fidelity="refused", note="there are no V2X sensors here")
def send(server: Server, actor: int, message: str) -> None:  # noqa: ARG001
    """Send a V2X message: refused as CARLA refuses it for other sensors."""
    _no_such_sensor(server, actor, "send")


def _no_such_sensor(server: Server, actor: int, doing: str) -> None:
    server.world.find(actor, Actor, doing)
    raise refusal(doing, "Actor does not match the expected type", f"Actor Id: {actor}")


@call(raw, fidelity="no effect", note=_BUFFERS)
def are_gbuffers_enabled(server: Server, actor: Any) -> bool:  # noqa: ARG001
    """Return whether a camera sends its g-buffers."""
    return False


@call(raw, fidelity="no effect", note=_ROS)
def is_sensor_enabled_for_ros(server: Server, stream: Any) -> bool:  # noqa: ARG001
    """Return whether a sensor publishes to ROS."""
    return False


_SCREEN = "debug drawings are for a window; they never appear in sensor images here"


@call(raw, void=True, fidelity="no effect", note=_SCREEN)
def draw_debug_shape(server: Server, shape: Any) -> None:  # noqa: ARG001
    """Draw a debug shape on the server's screen."""
    return


@call(void=True, fidelity="no effect", note=_SCREEN)
def clear_debug_shape(server: Server) -> None:  # noqa: ARG001
    """Clear debug shapes."""
    return


@call(void=True, fidelity="no effect", note=_SCREEN)
def clear_debug_string(server: Server) -> None:  # noqa: ARG001
    """Clear debug texts."""
    return
