"""Tape of a world: records its steps or replays a recording into them, never both."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from caos.foundation.storage.cache import cache_root
from caos.simulator.embedded.recording.log_file import MAGIC, LogFile, read_recording
from caos.simulator.embedded.recording.recorder import Recorder
from caos.simulator.embedded.recording.replayer import Replayer, ReplayOptions

if TYPE_CHECKING:
    from caos.simulator.embedded.world_state.world import Step, World

log = logging.getLogger(__name__)

LARGEST = 2**29
"""Size limit in bytes of a recording to replay or query."""


class Tape:
    """Recording or replay of a world's steps. Callers must hold the world's lock.

    Attributes:
        options: Options of replays.
        is_open: Whether clients may name any file of this machine, as in CARLA.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self._recorder: Recorder | None = None
        self._replayer: Replayer | None = None
        self._waiting: tuple[LogFile, ReplayOptions] | None = None
        self.options = ReplayOptions()
        self.is_open = True

    def path(self, name: str) -> Path:
        """Path of a recording: a plain name refers to a folder of the server, a path to itself.

        Raises:
            ValueError: If it is a path, and remote clients may connect.
        """
        if any(mark in name for mark in "/\\:"):
            if not self.is_open:
                raise ValueError("a server that others can reach records under plain names only, without folders")
            return Path(name)
        folder = cache_root() / "recordings"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name

    def before(self, delta_s: float) -> None:
        """Hook at the start of a step."""
        self._leave_other_episodes()
        if self._waiting is not None and self._waiting[0].head.map_name == self._world.episode.loaded_town.town.name:
            self.play(*self._waiting)
        elif self._replayer is not None:
            self._replayer.play(delta_s)

    def after(self, step: Step) -> None:
        """Hook at the end of a step."""
        if self._recorder is not None:
            self._recorder.record(step)
        if self._replayer is not None:
            self._replayer.set_lights()
            if self._replayer.is_over:
                self.stop_playing(to_the_end=False)

    def record(self, file: Path, *, additional: bool) -> None:
        """Start recording.

        Raises:
            OSError: If the file cannot be written, or is something other than a recording.
        """
        self.stop_playing(to_the_end=True)
        self.stop_recording()
        if file.exists() and not (file.is_file() and (not file.stat().st_size or _is_recording(file))):
            # Opening a pipe would block the world until it is read, and a device would be written to.
            raise FileExistsError(f"{file} is not a recording and is not overwritten")
        self._recorder = Recorder(self._world, file, additional=additional)

    def stop_recording(self) -> None:
        """Stop recording, if active."""
        if self._recorder is not None:
            self._recorder.close()
            self._recorder = None

    def play(self, recording: LogFile, options: ReplayOptions) -> None:
        """Start the replay of a recording of the current town."""
        self.stop_recording()
        self.stop_playing(to_the_end=True)
        self._waiting = None
        self._replayer = Replayer(self._world, recording, options)

    def play_after_load(self, recording: LogFile, options: ReplayOptions) -> None:
        """Start the replay when the recording's town is loaded."""
        self.stop_recording()
        self.stop_playing(to_the_end=False)
        self._waiting = recording, options

    def stop_playing(self, *, to_the_end: bool) -> None:
        """Stop the replay, if active."""
        self._waiting = None
        if self._replayer is not None:
            self._replayer.finish(to_the_end=to_the_end)
            self._replayer = None

    def set_factor(self, factor: float) -> None:
        """Set the time factor of replays, including the current one."""
        self._set(replace(self.options, factor=factor))

    def ignore(self, *, hero: bool | None = None, spectator: bool | None = None) -> None:
        """Set whether replays ignore the hero and the spectator, including the current one."""
        if hero is not None:
            self._set(replace(self.options, ignore_hero=hero))
        if spectator is not None:
            self._set(replace(self.options, ignore_spectator=spectator))

    def _set(self, options: ReplayOptions) -> None:
        self.options = options
        if self._replayer is not None:
            now = self._replayer.options
            self._replayer.options = replace(
                now,
                factor=options.factor,
                ignore_hero=options.ignore_hero,
                ignore_spectator=options.ignore_spectator,
            )

    def _leave_other_episodes(self) -> None:
        """Stop recording and replay if another town has been loaded."""
        if self._recorder is not None and self._recorder.episode_id != self._world.episode_id:
            self.stop_recording()
        if self._replayer is not None and self._replayer.episode_id != self._world.episode_id:
            self._replayer = None


def read_log(file: Path) -> LogFile:
    """Read a recording.

    Raises:
        OSError: If the file is missing, not a regular file, or too large.
        RecordingError: If it is not a recording.
    """
    if not file.is_file():
        # Opening a pipe or a device would block indefinitely.
        raise FileNotFoundError(f"{file} is not a file")
    if file.stat().st_size > LARGEST:
        raise OSError(f"{file} has more than {LARGEST} bytes")
    return read_recording(file.read_bytes())


def _is_recording(file: Path) -> bool:
    try:
        with file.open("rb") as beginning:
            start = beginning.read(2 + 2 + len(MAGIC))
    except OSError:
        return False
    return start.endswith(MAGIC.encode())
