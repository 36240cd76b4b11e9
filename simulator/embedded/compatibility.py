"""The compatibility table, generated from the calls: ``python -m caos.simulator.embedded.compatibility``."""

from __future__ import annotations

from pathlib import Path

from caos.foundation.storage.files import write_text
from caos.simulator.embedded.blueprints.sensors import SENSOR_BLUEPRINTS
from caos.simulator.embedded.calls.table import CALLS, Call
from caos.simulator.embedded.limits import limits
from caos.simulator.embedded.protocol.releases import LATEST
from caos.simulator.embedded.server import CALL_MODULES

FILE = Path(__file__).with_name("COMPATIBILITY.md")

_HEAD = f"""# What the embedded server supports of CARLA {LATEST.name}

Made by `python -m caos.simulator.embedded.compatibility`; a test keeps it true. *Real*: as in CARLA, in this
server's own world. *Simplified*: with the difference named. *No effect*: accepted, because nothing that a client can
measure depends on it. *Refused*: the call fails with a message.

## The world

- A server speaks one release, 0.9.15 or 0.9.16 (`caos serve --release`), which must be that of its clients. Blueprints,
  calls and arguments are those of 0.9.16 in both cases.
- The towns have CARLA's names (`Town01` to `Town07`, `Town10HD`, and `_Opt`) but are this project's own: their roads
  are not CARLA's, and coordinates of CARLA's towns mean nothing there. `Town07` is the plan of `Town06`, `Town10HD`
  that of `Town03`. With `caos serve --maps DIR` a name means the OpenDRIVE file of that name in the folder. Other
  names are not found. Any OpenDRIVE text can become a town.
- A new episode begins a moment after `load_new_episode` is answered, as in CARLA; the world state says when.
- Vehicles are kinematic bicycles on the real ground: throttle, brakes, steering, slopes, falling, friction, drag, and
  collisions between boxes. There are no tyres, suspensions or rag dolls. TrafficManager and AI walkers run in the
  client, as with CARLA.
- In asynchronous mode the world runs in real time (20 steps a second, or `fixed_delta_seconds`), never faster.
- In synchronous mode the world waits for its sensors. The answer to a tick comes after the measurements, or after 1.2
  seconds; the world state follows, or comes after another 1.5. A client that waits two seconds is never late.
- Actor ids skip numbers whose low 16 bits a visible thing uses, so that instance images are unambiguous.
- The spectator has the attributes `server` and `roads`: only by these can a client tell this server from CARLA; `roads`
  says where the roads come from.

## Sensors

| sensor | fidelity | remarks |
|---|---|---|
"""

_SENSORS = {
    "sensor.camera.rgb": (
        "simplified",
        "a pinhole; honoured: size, fov, sensor_tick, gamma, exposure_compensation, exposure_mode with iso, "
        "shutter_speed and fstop, lens_circle_multiplier (as vignetting). No effect: motion blur, bloom, flare, depth "
        "of field, grain, chromatic aberration, tone curve, white balance. Not CARLA's own: lens_model, "
        "lens_coefficients, and hidden_role: actors with that role_name are left out, with their shadows and "
        "reflections, but for the lights of vehicles. Refused: lens_k, lens_kcube, lens_x_size, lens_y_size",
    ),
    "sensor.camera.semantic_segmentation": ("real", "what the ray through a pixel's centre meets first"),
    "sensor.camera.instance_segmentation": ("real", "actor ids for actors, numbers from 30000 for the town"),
    "sensor.camera.depth": ("real", "planar depth, 1000 m for the sky"),
    "sensor.camera.normals": ("real", "shading normals of the world, as 0.9.16 sends them; grey for the sky"),
    "sensor.camera.optical_flow": ("real", "since the camera's previous picture; a walker's legs move with its body"),
    "sensor.camera.dvs": ("real", "by CARLA's formulas from the rgb camera's picture; silent where nothing changes"),
    "sensor.camera.cosmos_visualization": (
        "simplified",
        "CARLA's colours on whole surfaces, where CARLA draws lines and boxes; not in 0.9.15",
    ),
    "sensor.lidar.ray_cast": ("real", "intensity, drop-off and noise by CARLA's formulas"),
    "sensor.lidar.ray_cast_semantic": ("real", "object_idx is 0 for the town"),
    "sensor.other.collision": ("simplified", "vehicles with vehicles, walkers, props and the town's solid things"),
    "sensor.other.gnss": ("real", "by the map's geoReference, with CARLA's noise"),
    "sensor.other.imu": ("real", "acceleration is zero until three positions are known"),
    "sensor.other.lane_invasion": ("real", "computed by the client from the map"),
    "sensor.other.obstacle": ("simplified", "the swept sphere is nine parallel rays"),
    "sensor.other.radar": ("real", "rays and closing speed by CARLA's formulas"),
}
_ABSENT = (
    "RSS and V2X sensors are missing. `static.prop.*` are CARLA's 98 props, as this project's own meshes in CARLA's "
    "sizes (cars drive over dirt, tiles and litter), and the objects of the hazard library; `static.prop.mesh` takes "
    "any of these by the last part of `mesh_path`. `static.trigger.friction` works.\n"
)
_LIMITS = """
## Limits

Only the client that caused an error hears of it. Numbers that are not finite are refused everywhere.

| what | limit | beyond it |
|---|---|---|
"""
_FIDELITIES = ("real", "simplified", "no effect", "refused")


def table() -> str:
    """Return the whole file."""
    assert CALL_MODULES, "importing the calls fills the table"
    sensors = [f"| `{blueprint.id}` | {' | '.join(_SENSORS[blueprint.id])} |" for blueprint in SENSOR_BLUEPRINTS]
    calls = [_row(call) for _, call in sorted(CALLS.items())]
    counts = [f"{sum(c.fidelity == name for c in CALLS.values())} {name}" for name in _FIDELITIES]
    head = (
        f"## Calls\n\n{len(CALLS)} calls: {', '.join(counts)}.\n\n| call | fidelity | what it does |\n|---|---|---|\n"
    )
    body = _HEAD + "\n".join(sensors) + "\n\n" + _ABSENT + "\n" + head + "\n".join(calls) + "\n"
    return body + _LIMITS + "\n".join(f"| {' | '.join(row)} |" for row in limits()) + "\n"


def _row(call: Call) -> str:
    what = (call.run.__doc__ or "").strip().split("\n", maxsplit=1)[0]
    if call.fidelity == "refused":
        what = ""
    note = call.note[:1].upper() + call.note[1:] + ("." if call.note and not call.note.endswith(".") else "")
    return f"| `{call.name}` | {call.fidelity} | {' '.join(filter(None, (what, note)))} |"


if __name__ == "__main__":
    write_text(FILE, table())
