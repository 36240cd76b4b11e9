"""The compatibility table, made from the calls themselves: ``python -m caos.simulator.embedded.compatibility``."""

from __future__ import annotations

from pathlib import Path

from caos.foundation.files import write_text
from caos.simulator.embedded.blueprints.sensors import SENSOR_BLUEPRINTS
from caos.simulator.embedded.calls.table import CALLS, Call
from caos.simulator.embedded.releases import LATEST
from caos.simulator.embedded.server import CALL_MODULES

FILE = Path(__file__).with_name("COMPATIBILITY.md")

_HEAD = f"""# What the embedded server does of CARLA {LATEST.name}

Made by `python -m caos.simulator.embedded.compatibility`; a test keeps it true. *Real*: as CARLA does it, on this
server's own world. *Simplified*: with the difference that is named. *No effect*: accepted, because nothing a client can
measure depends on it. *Refused*: the call fails with a message.

## The world

- A server speaks one release, 0.9.15 or 0.9.16 (`caos serve --release`): that of its clients. Blueprints, calls and
  their arguments are those of 0.9.16 in both.
- Six towns of this project's own, under CARLA's names (`Town01` to `Town06`, and `_Opt`); `Town10HD` is the plan of
  `Town03`. Other maps of CARLA are not found. Any OpenDRIVE text becomes a town.
- Vehicles are kinematic bicycles on the real ground: throttle, brakes, steering, slopes, falling, and collisions
  between boxes. There are no tyres, suspensions or rag dolls. TrafficManager and AI walkers run in the client, as
  with CARLA.
- In asynchronous mode the world runs in real time (20 steps a second, or `fixed_delta_seconds`), never faster.
- A world state is sent after its frame's measurements, or after one and a half seconds, whichever comes first.
- Actor ids skip numbers whose low 16 bits a visible thing uses, so that instance images are unambiguous.
- The spectator has an attribute `server`, the only mark by which a client can tell this server from CARLA.

## Sensors

| sensor | fidelity | remarks |
|---|---|---|
"""

_SENSORS = {
    "sensor.camera.rgb": (
        "simplified",
        "a pinhole; honoured: size, fov, sensor_tick, gamma, exposure_compensation, exposure_mode with iso, "
        "shutter_speed and fstop, lens_circle_multiplier (as vignetting). No effect: motion blur, bloom, flare, depth "
        "of field, grain, chromatic aberration, tone curve, white balance. Refused: lens_k, lens_kcube, "
        "lens_x_size, lens_y_size",
    ),
    "sensor.camera.semantic_segmentation": ("real", "what the ray through a pixel's centre meets first"),
    "sensor.camera.instance_segmentation": ("real", "actor ids for actors, numbers from 30000 for the town"),
    "sensor.camera.depth": ("real", "planar depth, 1000 m for the sky"),
    "sensor.lidar.ray_cast": ("real", "intensity, drop-off and noise by CARLA's formulas"),
    "sensor.lidar.ray_cast_semantic": ("real", "object_idx is 0 for the town"),
    "sensor.other.collision": ("simplified", "vehicles with vehicles, walkers, props and the town's solid things"),
    "sensor.other.gnss": ("real", "by the map's geoReference, with CARLA's noise"),
    "sensor.other.imu": ("real", "acceleration is zero until there are three places to derive it from"),
    "sensor.other.lane_invasion": ("real", "computed by the client from the map"),
    "sensor.other.obstacle": ("simplified", "the swept sphere is nine parallel rays"),
    "sensor.other.radar": ("real", "rays and closing speed by CARLA's formulas"),
}
_ABSENT = (
    "Not in the library: cameras for normals, optical flow, DVS and cosmos visualisation, RSS, V2X, "
    "`static.trigger.friction`, and CARLA's own props; `static.prop.*` are the objects of the hazard library.\n"
)
_FIDELITIES = ("real", "simplified", "no effect", "refused")


def table() -> str:
    """The whole file."""
    assert CALL_MODULES, "importing the calls fills the table"
    sensors = [f"| `{blueprint.id}` | {' | '.join(_SENSORS[blueprint.id])} |" for blueprint in SENSOR_BLUEPRINTS]
    calls = [_row(call) for _, call in sorted(CALLS.items())]
    counts = [f"{sum(c.fidelity == name for c in CALLS.values())} {name}" for name in _FIDELITIES]
    head = (
        f"## Calls\n\n{len(CALLS)} calls: {', '.join(counts)}.\n\n| call | fidelity | what it does |\n|---|---|---|\n"
    )
    return _HEAD + "\n".join(sensors) + "\n\n" + _ABSENT + "\n" + head + "\n".join(calls) + "\n"


def _row(call: Call) -> str:
    what = (call.run.__doc__ or "").strip().split("\n", maxsplit=1)[0]
    if call.fidelity == "refused":
        what = ""
    note = call.note[:1].upper() + call.note[1:] + ("." if call.note and not call.note.endswith(".") else "")
    return f"| `{call.name}` | {call.fidelity} | {' '.join(filter(None, (what, note)))} |"


if __name__ == "__main__":
    write_text(FILE, table())
