"""Calls about the episode: version, settings, ticks, towns, files, weather."""

from __future__ import annotations

import hashlib
import logging
from dataclasses import replace
from typing import Any

from caos.foundation.errors import CaosError
from caos.simulator.embedded.calls.table import Server, call
from caos.simulator.embedded.protocol.rpc import Later
from caos.simulator.embedded.protocol.streams import WORLD_STREAM
from caos.simulator.embedded.protocol.wire import (
    Settings,
    gravity_m_s2,
    listed,
    raw,
    real,
    settings,
    text,
    u8,
    u16,
    u32,
)
from caos.simulator.embedded.protocol.wire import boolean as flag
from caos.simulator.embedded.towns.town import Town
from caos.simulator.embedded.world_state.maps import SUFFIX, dressed
from caos.simulator.embedded.world_state.opendrive_check import check_opendrive
from caos.simulator.embedded.world_state.world import WorldError
from caos.simulator.weather import WEATHER_LIMITS, Weather

log = logging.getLogger(__name__)

OPENDRIVE_MAP = "OpenDriveMap"
MOST_OFFERED = 4
"""Number of navigation meshes of earlier towns that can still be downloaded."""


@call()
def version(server: Server) -> str:
    """Return the CARLA release that this server speaks."""
    return server.version


@call()
def get_episode_info(server: Server) -> list[Any]:
    """Return the episode's number and the token of the world stream."""
    episode = server.world.episode
    log.info("a client joins %s: %s", episode.loaded_town.town.name, episode.origin)
    return [server.world.episode_id, [server.streams.token(WORLD_STREAM)]]


@call(u32, locked=False)
def get_sensor_token(server: Server, stream: int) -> list[bytes]:
    """Return the token of a sensor's stream."""
    server.streams.expect(stream)
    return [server.streams.token(stream)]


@call(locked=False)
def get_episode_settings(server: Server) -> list[Any] | Later:
    """Return the episode's settings; while a load is pending, only TrafficManager threads call this, and must wait."""
    if server.engine.is_asked_to_change:
        return Later(lambda: server.engine.withhold(server.world.settings.write()))
    server.turn.note_question()
    return server.world.settings.write()


@call(
    settings,
    fidelity="simplified",
    note="of the settings, synchronous_mode, fixed_delta_seconds and no_rendering_mode have an effect",
)
def set_episode_settings(server: Server, wanted: Settings) -> int:
    """Change the settings; return the frame from which they apply."""
    server.world.settings = wanted
    server.engine.settings_changed()
    return server.world.frame


@call(locked=False)
def tick_cue(server: Server) -> int | Later:
    """Step the world in synchronous mode; return the number of the frame."""
    if not server.managers or not server.world.settings.synchronous:
        return server.engine.cue()
    if server.turn.is_open:
        return Later(lambda: server.turn.tick_after(server.engine.cue))
    return server.turn.tick_after(server.engine.cue)


@call()
def get_available_maps(server: Server) -> list[str]:
    """Return the names of the towns that can be loaded."""
    return [f"/Game/Carla/Maps/{name}" for name in server.maps.names]


@call(
    text,
    flag,
    u16,
    void=True,
    locked=False,
    note="the roads are this server's own, not CARLA's, unless it was started with --maps; Town07 and Town10HD are "
    "plans of other towns",
)
def load_new_episode(server: Server, name: str, reset_settings: bool, layers: int) -> Later:  # noqa: FBT001
    """Load a town (or the current one again) with some map layers; it starts shortly after the answer."""
    return Later(lambda: load_town(server, name, layers, reset_settings=reset_settings))


def load_town(server: Server, name: str, layers: int, *, reset_settings: bool) -> None:
    """Prepare a town; its episode starts shortly after this returns.

    Raises:
        WorldError: If the town is unknown.
    """
    with server.loading:
        town, origin = _wanted_town(server, name)
        episode = server.world.prepare(town, layers, origin)
        log.info("%s: %s", town.name, origin)
        with server.world.lock:
            if reset_settings:
                server.world.settings = Settings()
                server.engine.settings_changed()
        server.engine.change_episode(episode, has_managers=bool(server.managers))


def _wanted_town(server: Server, name: str) -> tuple[Town, str]:
    """Return the town of a name, and the source of its roads."""
    wanted = name.rsplit("/", 1)[-1]
    try:
        if not wanted:
            with server.world.lock:
                return server.world.episode.loaded_town.town, server.world.episode.origin
        if wanted == OPENDRIVE_MAP and server.opendrive:
            town = dressed(f"{OPENDRIVE_MAP}{SUFFIX}", server.opendrive["text"])
            return replace(town, name=OPENDRIVE_MAP), "the roads of an OpenDRIVE text that a client sent"
        if wanted not in server.maps.names:
            known = ", ".join(server.maps.plain_names)
            raise WorldError(f"Map '{name}' not found; this server has {known}; others come with caos serve --maps DIR")
        return server.maps.town(wanted), server.maps.origin(wanted)
    except CaosError as error:
        raise WorldError(str(error)) from error


@call(
    text,
    raw,
    void=True,
    fidelity="simplified",
    note="the roads are dressed with sidewalks, buildings and vegetation; the mesh parameters are ignored; documents "
    "are checked, and read by a child process, first",
    locked=False,
)
def copy_opendrive_to_file(server: Server, opendrive: str, parameters: Any) -> None:
    """Keep an OpenDRIVE text, to be loaded as the next town."""
    listed(parameters)
    try:
        check_opendrive(OPENDRIVE_MAP, opendrive)
    except CaosError as error:
        raise WorldError(f"opendrive could not be correctly parsed: {error}") from error
    server.opendrive["text"] = opendrive


@call(u16, void=True)
def load_map_layer(server: Server, layers: int) -> None:
    """Show map layers."""
    scape = server.world.episode.loaded_town
    scape.set_layers(scape.layers | layers)


@call(u16, void=True)
def unload_map_layer(server: Server, layers: int) -> None:
    """Hide map layers."""
    scape = server.world.episode.loaded_town
    scape.set_layers(scape.layers & ~layers)


@call()
def get_map_info(server: Server) -> list[Any]:
    """Return the town's name and spawn points."""
    town = server.world.episode.loaded_town.town
    points = [[list(point.location), list(point.rotation)] for point in town.spawn_points]
    return [f"Carla/Maps/{town.name}", points]


@call()
def get_map_data(server: Server) -> str:
    """Return the town's OpenDRIVE text."""
    return server.world.episode.loaded_town.town.opendrive


@call()
def get_navigation_mesh(server: Server) -> bytes:
    """Return the walkers' navigation mesh."""
    return server.world.episode.loaded_town.town.navmesh


def _navigation_file(server: Server) -> str:
    """File name of the navigation mesh; it contains a hash, because clients cache the file indefinitely."""
    town = server.world.episode.loaded_town.town
    return f"Carla/Maps/Nav/{town.name}-{hashlib.sha256(town.navmesh).hexdigest()[:12]}.bin"


@call(text, note="the only file offered is the navigation mesh; clients read the road network by get_map_data")
def get_required_files(server: Server, folder: str) -> list[str]:
    """Return the names of the files that a client may download."""
    mesh = server.world.episode.loaded_town.town.navmesh
    if folder.strip("/") != "Nav" or not mesh:
        return []
    name = _navigation_file(server)
    # A client may request the list in one town and the file in the next: a load is answered before the town changes.
    server.offered.pop(name, None)
    server.offered[name] = mesh
    while len(server.offered) > MOST_OFFERED:
        del server.offered[next(iter(server.offered))]
    return [name]


@call(
    text, note="serves the file that get_required_files names and nothing else; no path of this machine is ever opened"
)
def request_file(server: Server, name: str) -> bytes:
    """Return a file by name."""
    if name == _navigation_file(server):
        return server.world.episode.loaded_town.town.navmesh
    if name not in server.offered:
        raise WorldError(f"file {name!r} is not offered by this server")
    return server.offered[name]


@call()
def get_weather_parameters(server: Server) -> list[float]:
    """Return the weather."""
    return list(server.world.weather.__dict__.values())


@call(
    raw,
    void=True,
    note="rendered as far as the renderer supports each parameter; values are clamped to CARLA's ranges",
)
def set_weather_parameters(server: Server, values: Any) -> None:
    """Change the weather."""
    given = (real(v) for v in listed(values, 14)[:14])
    limits = zip(given, WEATHER_LIMITS.values(), strict=True)
    server.world.weather = Weather(*(min(max(value, low), high) for value, (low, high) in limits))


@call()
def get_imui_gravity(server: Server) -> float:
    """Return the gravity used by IMUs."""
    return server.world.gravity


@call(gravity_m_s2, void=True)
def set_imui_gravity(server: Server, gravity: float) -> None:
    """Set the gravity used by IMUs."""
    server.world.gravity = gravity


@call(u16)
def is_traffic_manager_running(server: Server, port: int) -> bool:
    """Whether a TrafficManager is registered at a port."""
    return port in server.managers


@call(u16)
def get_traffic_manager_running(server: Server, port: int) -> list[Any]:
    """Return address and port of a registered TrafficManager."""
    return [server.managers[port], port] if port in server.managers else ["", 0]


@call(raw, fidelity="simplified", note="registered under 127.0.0.1: the manager runs in a client on the same machine")
def add_traffic_manager_running(server: Server, info: Any) -> bool:
    """Register a TrafficManager."""
    address, port = listed(info, 2)[:2]
    text(address)
    if u16(port) in server.managers:
        return False
    server.managers[port] = "127.0.0.1"
    server.turn.begin_anew()
    return True


@call(u16)
def destroy_traffic_manager(server: Server, port: int) -> bool:
    """Unregister a TrafficManager."""
    return server.managers.pop(port, None) is not None


@call(u8, name="get_all_level_BBs")
def get_all_level_boxes(server: Server, tag: int) -> list[Any]:
    """Return bounding boxes of the town's objects with a tag."""
    from caos.simulator.embedded.world_state.loaded_town import thing_record

    return [thing_record(thing)[1] for thing in server.world.episode.loaded_town.things(tag)]
