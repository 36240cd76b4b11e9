"""Refused calls, which this server cannot serve truthfully: each is refused with a message, never silently accepted."""

from __future__ import annotations

from typing import Any

from caos.simulator.embedded.calls.table import Server, call
from caos.simulator.embedded.wire import raw
from caos.simulator.embedded.world import WorldError

_RECORDER = "the recorder is not supported by the embedded server"
_PHYSICS = "rigid-body physics is not supported by the embedded server"
_TEXTURES = "changing textures is not supported by the embedded server"
_BUFFERS = "g-buffers are not supported by the embedded server"
_ROS = "ROS 2 is not supported by the embedded server"
_SKELETON = "setting bones is not supported by the embedded server"

# name, number of arguments, whether CARLA expects a value, reason
_REFUSED = (
    ("start_recorder", 2, True, _RECORDER),
    ("stop_recorder", 0, False, _RECORDER),
    ("show_recorder_file_info", 2, True, _RECORDER),
    ("show_recorder_collisions", 3, True, _RECORDER),
    ("show_recorder_actors_blocked", 3, True, _RECORDER),
    ("replay_file", 5, True, _RECORDER),
    ("stop_replayer", 1, False, _RECORDER),
    ("set_replayer_time_factor", 1, False, _RECORDER),
    ("set_replayer_ignore_hero", 1, False, _RECORDER),
    ("set_replayer_ignore_spectator", 1, False, _RECORDER),
    ("add_actor_angular_impulse", 2, False, _PHYSICS),
    ("add_actor_torque", 2, False, _PHYSICS),
    ("enable_carsim", 2, False, _PHYSICS),
    ("use_carsim_road", 2, False, _PHYSICS),
    ("enable_chrono_physics", 7, False, _PHYSICS),
    ("restore_physx_physics", 1, False, _PHYSICS),
    ("apply_color_texture_to_objects", 3, False, _TEXTURES),
    ("apply_float_color_texture_to_objects", 3, False, _TEXTURES),
    ("enable_gbuffers", 2, False, _BUFFERS),
    ("get_gbuffer_token", 2, True, _BUFFERS),
    ("enable_sensor_for_ros", 1, False, _ROS),
    ("disable_sensor_for_ros", 1, False, _ROS),
    ("send", 2, False, "V2X is not supported by the embedded server"),
    ("set_bones_transform", 2, False, _SKELETON),
    ("blend_pose", 2, False, _SKELETON),
    ("get_pose_from_animation", 1, False, _SKELETON),
    ("console_command", 1, True, "console commands are not supported by the embedded server"),
)


def _refuse(name: str, arguments: int, reason: str, *, gives_value: bool) -> None:
    @call(*((raw,) * arguments), name=name, void=not gives_value, fidelity="refused", note=reason, locked=False)
    def refused(server: Server, *values: Any) -> None:  # noqa: ARG001
        raise WorldError(reason)


for _name, _arguments, _gives_value, _reason in _REFUSED:
    _refuse(_name, _arguments, _reason, gives_value=_gives_value)


@call(raw, fidelity="no effect", note=_BUFFERS)
def are_gbuffers_enabled(server: Server, actor: Any) -> bool:  # noqa: ARG001
    """Whether a camera sends its g-buffers."""
    return False


@call(raw, fidelity="no effect", note=_ROS)
def is_sensor_enabled_for_ros(server: Server, stream: Any) -> bool:  # noqa: ARG001
    """Whether a sensor publishes to ROS."""
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
