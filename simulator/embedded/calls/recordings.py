"""Calls about recordings: record, query, replay."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from caos.simulator.embedded.calls.episode import load_town
from caos.simulator.embedded.calls.table import Server, call
from caos.simulator.embedded.protocol.wire import boolean, real, text, transform, u8, u32
from caos.simulator.embedded.recording.log_file import LogFile, RecordingError
from caos.simulator.embedded.recording.queries import CATEGORIES, tell_all, tell_blocked, tell_collisions
from caos.simulator.embedded.recording.replayer import ReplayOptions
from caos.simulator.embedded.recording.sanity import check_recording
from caos.simulator.embedded.recording.tape import read_log
from caos.simulator.embedded.world_state.world import WorldError
from caos.simulator.transform import Transform

FILES = "CARLA's file format; plain names refer to the folder recordings of the cache; other files are not overwritten"
_OFFSET = ReplayOptions().offset


@call(text, boolean, note=FILES)
def start_recorder(server: Server, name: str, additional: bool) -> str:  # noqa: FBT001
    """Start recording; return the path of the file, or an empty text if it cannot be written."""
    try:
        file = server.world.tape.path(name)
        server.world.tape.record(file, additional=additional)
    except (OSError, ValueError) as error:
        raise WorldError(f"cannot record to {name!r}: {error}") from error
    return str(file)


@call(void=True)
def stop_recorder(server: Server) -> None:
    """Stop recording."""
    server.world.tape.stop_recording()


@call(text, boolean, locked=False, note="without the physics of vehicles, wheels and bones")
def show_recorder_file_info(server: Server, name: str, everything: bool) -> str:  # noqa: FBT001
    """Return the events of a recording."""
    return _ask(server, name, lambda recording: tell_all(recording, everything=everything))


@call(text, u8, u8, locked=False)
def show_recorder_collisions(server: Server, name: str, first: int, second: int) -> str:
    """Return the collisions between two kinds of actors, given by letters."""
    letters = [chr(letter) for letter in (first, second)]
    if any(letter not in CATEGORIES for letter in letters):
        raise WorldError(f"kinds of actors are {', '.join(CATEGORIES)}, not {', '.join(letters)}")
    return _ask(server, name, lambda recording: tell_collisions(recording, *letters))


@call(text, real, real, locked=False)
def show_recorder_actors_blocked(server: Server, name: str, least_s: float, distance_cm: float) -> str:
    """Return the actors that stood still."""
    return _ask(server, name, lambda recording: tell_blocked(recording, least_s, distance_cm))


@call(
    text,
    real,
    real,
    u32,
    boolean,
    transform,
    added_later=1,
    locked=False,
    note="a frame stands at its own time, in CARLA a step later; actors have their recorded ids where those are free",
)
def replay_file(
    server: Server,
    name: str,
    start_s: float,
    duration_s: float,
    follow: int,
    sensors: bool,  # noqa: FBT001
    offset: Transform = _OFFSET,
) -> str:
    """Replay a recording in its town."""
    file = _named(server, name)
    said = f"Replaying File: {file}\n"
    try:
        recording = read_log(file)
        check_recording(recording)
    except (OSError, ValueError):
        return f"{said}File {file} not found on server\n"
    except RecordingError as error:
        return f"{said}{error}\n"
    world, wanted = server.world, recording.head.map_name
    with world.lock:
        options = replace(
            world.tape.options, start_s=start_s, duration_s=duration_s, follow=follow, sensors=sensors, offset=offset
        )
        is_here = world.episode.loaded_town.town.name == wanted
        if is_here:
            world.tape.play(recording, options)
    if not is_here:
        try:
            load_town(server, wanted, 0xFFFF, reset_settings=False)
        except WorldError:
            return f"{said}Could not load mapfile {wanted}\n"
        said += f"Loading map {wanted}\nReplayer will start after map is loaded...\n"
        with world.lock:
            world.tape.play_after_load(recording, options)
    return said + _plan(recording, options)


@call(boolean, void=True)
def stop_replayer(server: Server, keep_actors: bool) -> None:  # noqa: FBT001
    """Stop the replay; without ``keep_actors``, actors that the recording removes later are removed."""
    server.world.tape.stop_playing(to_the_end=not keep_actors)


@call(real, void=True)
def set_replayer_time_factor(server: Server, factor: float) -> None:
    """Set the speed of replays."""
    if not 0 <= factor <= 1e6:
        raise WorldError(f"a time factor of {factor:g} is outside 0..1e6")
    server.world.tape.set_factor(factor)


@call(boolean, void=True)
def set_replayer_ignore_hero(server: Server, ignored: bool) -> None:  # noqa: FBT001
    """Set whether replays leave the hero vehicle to the client."""
    server.world.tape.ignore(hero=ignored)


@call(boolean, void=True)
def set_replayer_ignore_spectator(server: Server, ignored: bool) -> None:  # noqa: FBT001
    """Set whether replays leave the spectator where it is."""
    server.world.tape.ignore(spectator=ignored)


def _ask(server: Server, name: str, answer: Callable[[LogFile], str]) -> str:
    file = _named(server, name)
    try:
        return answer(read_log(file))
    except (OSError, ValueError):
        return f"File {file} not found on server\n"
    except RecordingError as error:
        return f"{error}\n"


def _named(server: Server, name: str) -> Path:
    try:
        return server.world.tape.path(name)
    except ValueError as error:
        raise WorldError(str(error)) from error


def _plan(recording: LogFile, options: ReplayOptions) -> str:
    total = recording.duration_s
    start_s, stop_s = options.span(total)
    lines = [
        f"Total time recorded: {total:g}",
        f"Replaying from {start_s:g} s - {stop_s:g} s ({total:g} s) at {options.factor:.1f}x",
        *(["Ignoring Hero vehicle"] if options.ignore_hero else []),
        *(["Ignoring Spectator camera"] if options.ignore_spectator else []),
    ]
    return "\n".join(lines) + "\n"
