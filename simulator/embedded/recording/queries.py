"""Queries on a recording, with CARLA's output format: events, collisions, blocked actors."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from caos.simulator.embedded.recording.log_file import NOBODY, LogFile, LogFrame, Packet

CATEGORIES = "ovwtha"
"""Letters of actor kinds, in CARLA's numbering: other, vehicle, walker, traffic light, hero, any."""
LIGHTS = {
    **dict(enumerate(("Position", "LowBeam", "HighBeam", "Brake", "RightBlinker", "LeftBlinker", "Reverse"))),
    8: "Interior",
    7: "Fog",
    9: "Special1",
    10: "Special2",
}
"""Vehicle lights by bit, in CARLA's order."""


def tell_all(recording: LogFile, *, everything: bool) -> str:
    """List the events of a recording; with ``everything`` also the state of each actor in each frame."""
    lines = _head(recording)
    for frame in recording.frames:
        events, states = list(_events(frame)), list(_states(frame)) if everything else []
        if everything or events:
            lines.append(f"Frame {frame.number} at {frame.elapsed_s:g} seconds")
        lines += events + states
    return "\n".join([*lines, *_end(recording)]) + "\n"


def _head(recording: LogFile) -> list[str]:
    head = recording.head
    date = time.strftime("%x %X", time.localtime(head.date))
    return [f"Version: {head.version}", f"Map: {head.map_name}", f"Date: {date}", ""]


def _end(recording: LogFile, *, whole_seconds: bool = False) -> list[str]:
    duration = f"{recording.duration_s:.0f}" if whole_seconds else f"{recording.duration_s:g}"
    return ["", f"Frames: {recording.frames[-1].number if recording.frames else 0}", f"Duration: {duration} seconds"]


def _events(frame: LogFrame) -> Iterator[str]:
    for event in frame.added():
        yield f" Create {event.id}: {event.description.id} ({event.kind}) at {_vector(event.location)}"
        yield from (f"  {name} = {value}" for name, _, value in event.description.attributes)
    yield from (f" Destroy {row['id']}" for row in frame.records(Packet.EVENT_DEL))
    for row in frame.records(Packet.EVENT_PARENT):
        yield f" Parenting {row['id']} with {row['parent']} (parent)"
    for row in frame.records(Packet.COLLISION):
        first, second = (" (hero) " if row[name] else "" for name in ("first_hero", "second_hero"))
        yield f" Collision id {row['id']} between {row['first']}{first} with {row['second']}{second}"


def _states(frame: LogFrame) -> Iterator[str]:
    sections: tuple[tuple[Packet, str, Callable[..., str]], ...] = (
        (
            Packet.POSITION,
            "Positions",
            lambda r: f"Location: {_vector(r['location'])} Rotation: {_vector(r['rotation'])}",
        ),
        (
            Packet.STATE,
            "State traffic lights",
            lambda r: f"state: {r['state']} frozen: {int(r['frozen'])} elapsedTime: {r['elapsed']:g}",
        ),
        (
            Packet.VEHICLE,
            "Vehicle animations",
            lambda r: (
                f"Steering: {r['steer']:g} Throttle: {r['throttle']:g} Brake: {r['brake']:g} "
                f"Handbrake: {int(r['hand_brake'])} Gear: {r['gear']}"
            ),
        ),
        (Packet.WALKER, "Walker animations", lambda r: f"speed: {r['speed']:g}"),
        (Packet.VEHICLE_LIGHT, "Vehicle light animations", lambda r: _lamps(int(r["lights"]))),
        (
            Packet.KINEMATICS,
            "Dynamic actors",
            lambda r: f"linear_velocity: {_vector(r['velocity'])} angular_velocity: {_vector(r['angular_velocity'])}",
        ),
        (Packet.BOUNDING_BOX, "Actor bounding boxes", _box),
        (Packet.TRIGGER_VOLUME, "Actor trigger volumes", _box),
        (Packet.PLATFORM_TIME, "Current platform time", str),
        (
            Packet.LIGHT_TIME,
            "Traffic Light time events",
            lambda r: f"green_time: {r['green']:g} yellow_time: {r['yellow']:g} red_time: {r['red']:g}",
        ),
    )
    for kind, title, say in sections:
        if kind in frame.packets and kind == Packet.PLATFORM_TIME:
            yield f" {title}: {struct.unpack_from('<d', frame.packets[kind].tobytes().ljust(8, bytes(1)))[0]:g}"
        elif kind in frame.packets:
            records = frame.records(kind)
            yield f" {title}: {len(records)}"
            yield from (f"  Id: {record['id']} {say(record)}" for record in records)


def _box(record: dict[str, list[float]]) -> str:
    return f"origin: {_vector(record['origin'])} extension: {_vector(record['extent'])}"


def _vector(values: object) -> str:
    return f"({', '.join(f'{float(value):g}' for value in values)})"  # type: ignore[attr-defined]


def _lamps(lights: int) -> str:
    lit = [name for bit, name in LIGHTS.items() if lights >> bit & 1]
    return " ".join(lit) or "None"


def tell_collisions(recording: LogFile, first: str, second: str) -> str:
    """List collisions between kinds of ``CATEGORIES``; a continued contact is listed once."""
    lines = [*_head(recording), f"{'Time':>8} {'Types':>6} {'Id':>6} {'Actor 1':<35} {'Id':>6} {'Actor 2':<35}"]
    header, kinds, names = len(lines), {}, {}
    before: set[tuple[int, int]] = set()
    for frame in recording.frames:
        for event in frame.added():
            kinds[event.id], names[event.id] = event.kind, event.description.id
        now = set()
        for row in frame.records(Packet.COLLISION):
            one, two = int(row["first"]), int(row["second"])
            letters = [_letter(kinds, actor) for actor in (one, two)]
            if not (_fits(first, letters[0], row["first_hero"]) and _fits(second, letters[1], row["second_hero"])):
                continue
            now.add((one, two))
            if (one, two) not in before:
                who = f"{one:>6} {names.get(one, ''):<35} {two:>6} {names.get(two, ''):<35}"
                lines.append(f"{frame.elapsed_s:>8.0f}   {letters[0]} {letters[1]}  {who}")
        before = now
    return "\n".join([*lines, *_end(recording, whole_seconds=len(lines) > header)]) + "\n"


def _letter(kinds: dict[int, int], actor: int) -> str:
    return "o" if actor == NOBODY else CATEGORIES[min(kinds.get(actor, 0), len(CATEGORIES) - 1)]


def _fits(wanted: str, letter: str, is_hero: object) -> bool:
    return wanted in {"a", letter} or (wanted == "h" and bool(is_hero))


@dataclass
class _Stay:
    """Time that an actor has stayed within a distance of a location."""

    place: tuple[float, float, float] = (0.0, 0.0, 0.0)
    since_s: float = 0.0
    duration_s: float = 0.0


def tell_blocked(recording: LogFile, least_s: float, distance_cm: float) -> str:
    """List actors that stayed within ``distance_cm`` for at least ``least_s`` seconds, the longest first."""
    lines = [*_head(recording), f"{'Time':>8} {'Id':>6} {'Actor':<35} {'Duration':>10}"]
    names: dict[int, str] = {}
    stays: dict[int, _Stay] = {}
    found: list[tuple[float, str]] = []

    def note(actor: int, stay: _Stay) -> None:
        if stay.duration_s >= least_s:
            name, seconds = names.get(actor, ""), stay.duration_s
            found.append((seconds, f"{stay.since_s:>8.0f} {actor:>6} {name:<35} {seconds:>10.0f}"))

    for frame in recording.frames:
        names |= {event.id: event.description.id for event in frame.added()}
        for row in frame.records(Packet.POSITION):
            actor, stay = int(row["id"]), stays.setdefault(int(row["id"]), _Stay())
            x, y, z = (float(v) for v in row["location"])
            if sum((a - b) ** 2 for a, b in zip(stay.place, (x, y, z), strict=True)) ** 0.5 < distance_cm:
                stay.since_s = stay.since_s if stay.duration_s else frame.elapsed_s
                stay.duration_s += max(frame.duration_s, 0.0)
            else:
                note(actor, stay)
                stays[actor] = _Stay((x, y, z))
    for actor, stay in stays.items():
        note(actor, stay)
    ordered = [line for _, line in sorted(found, key=lambda one: -one[0])]
    return "\n".join([*lines, *ordered, *_end(recording)]) + "\n"
