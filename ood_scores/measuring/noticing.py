"""Noticed in time: from how far away a detector marks a hazard that a car nears, beside the way the car needs to stop.

In a frame a hazard is *marked* at a level when at least half of its visible pixels reach it; the frame has a *false
alarm* there when ordinary pixels that reach it form a region of a ten-thousandth of the image or more. The level of a
detector is the lowest that gives no more than so many false alarms per hour of driving, counted by seconds with any. A
hazard is *noticed* at the first frame from which on it is marked in every frame that shows it; *in time* if that is no
nearer than the stopping distance, v t + v^2 / (2 mu g). An approach that begins nearer than that says nothing of it.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError, unknown
from caos.ood_scores.measuring.components import connected_components
from caos.ood_scores.measuring.thresholds import FOUND_SHARE

Scores = npt.NDArray[np.float32]
UNKNOWN: Final = "unknown"
GRAVITY: Final = 9.81
WORDS: Final[Mapping[str, str]] = {
    "alarms": "false_alarms_per_hour",
    "reaction": "reaction_s",
    "dry": "friction_dry",
    "wet": "friction_wet",
}
"""What the command line calls the rules."""
ALARM_IMAGE_SHARE: Final = 1e-4
RATES: Final = (6.0, 60.0, 600.0, 1800.0)
"""False alarms an hour at which detectors are compared besides."""
SIZES_M: Final = (0.5, 1.0, 2.0, 4.0)
DEFINITION: Final = (
    f"a hazard is marked in a frame if at least {100 * FOUND_SHARE:.0f} % of its visible pixels are, and noticed at "
    "the first frame from which it stays marked; a false alarm is a second of driving in which an ordinary region "
    "of 0.01 % of the image is marked"
)


@dataclass(frozen=True)
class StoppingRules:
    """How a car comes to a stop, and how often it may be alarmed for nothing.

    Attributes:
        reaction_s: From the mark to the brake.
        friction_dry: Between tyre and dry road.
        friction_wet: Between tyre and wet road.
        false_alarms_per_hour: At most, on the whole set.
    """

    reaction_s: float = 1.0
    friction_dry: float = 0.7
    friction_wet: float = 0.4
    false_alarms_per_hour: float = 60.0

    def distance_m(self, speed_kmh: float, *, wet: bool) -> float:
        """The way a car needs to stop.

        >>> round(StoppingRules().distance_m(50, wet=False), 2)
        27.93
        """
        speed = speed_kmh / 3.6
        friction = self.friction_wet if wet else self.friction_dry
        return speed * self.reaction_s + speed**2 / (2 * friction * GRAVITY)


def stopping_rules(text: str) -> StoppingRules:
    """The rules with what ``"alarms=20,reaction=1.5"`` says; words are alarms, reaction, dry and wet.

    Raises:
        CaosError: If a word is unknown, or a number is not above 0.
    """
    rules = StoppingRules()
    for item in filter(None, (part.strip() for part in text.split(","))):
        word, _, value = item.partition("=")
        if word not in WORDS:
            raise unknown("word of --stopping", word, WORDS)
        try:
            number = float(value)
        except ValueError:
            number = 0.0
        if not 0 < number < float("inf"):
            raise CaosError(f"--stopping {item!r}: give a number above 0")
        rules = replace(rules, **{WORDS[word]: number})
    return rules


@dataclass(frozen=True)
class ApproachFrame:
    """One frame of an approach as one detector sees it.

    Attributes:
        key: Of the image.
        distance_m: To the nearest point of the hazard.
        mark: Highest score at which the hazard is marked; None where no pixel shows it.
        alarm: Highest score at which there is a false alarm; None where no region is large enough for one.
    """

    key: str
    distance_m: float
    mark: float | None
    alarm: float | None


@dataclass(frozen=True)
class Approach:
    """A sequence in which a car nears a hazard: what it was, and its frames in order."""

    key: str
    object: str
    category: str
    size_m: float
    weather: str
    hour: str
    wet: bool
    speed_kmh: float
    rate_hz: float
    frames: tuple[ApproachFrame, ...]
    level: str = UNKNOWN


@dataclass(frozen=True)
class Noticed:
    """What became of one approach.

    Attributes:
        key: Of the sequence.
        object: The hazard.
        category: Of the hazard.
        size_m: Its largest side.
        weather: By name.
        hour: Part of the day.
        speed_kmh: Of the car.
        stopping_m: What it needs to stop.
        first_m: Distance in the first frame that shows the hazard.
        noticed_m: Distance from which on it was marked, or None.
        in_time: Whether that was far enough; None where the approach begins nearer than the stopping distance.
        lost: How often the mark went away again.
        marked: Of each frame, whether the hazard was marked; None where no pixel shows it.
        distances_m: Of each frame.
        frames: Keys of the images.
        level: Corner-case level of the hazard.
    """

    key: str
    object: str
    category: str
    size_m: float
    weather: str
    hour: str
    speed_kmh: float
    stopping_m: float
    first_m: float | None
    noticed_m: float | None
    in_time: bool | None
    lost: int
    marked: tuple[bool | None, ...]
    distances_m: tuple[float, ...]
    frames: tuple[str, ...]
    level: str = UNKNOWN


@dataclass(frozen=True)
class NoticedGroup:
    """Approaches of one sort: how many, how many were noticed at all, in time, and could be judged; and means.

    ``median_m`` is the median distance of those noticed, ``lost`` the mean number of times a mark went away.
    """

    approaches: int
    noticed: int
    in_time: int
    judged: int
    median_m: float | None
    lost: float


@dataclass(frozen=True)
class NoticedBy:
    """One detector: its level, what that costs in false alarms, each approach, and groups of them.

    What scores above ``threshold`` is flagged; None flags everything. ``at_rates`` has the numbers for other limits on
    the false alarms per hour, by limit.
    """

    threshold: float | None
    false_alarms_per_hour: float
    every: NoticedGroup
    at_rates: Mapping[str, NoticedGroup]
    groups: Mapping[str, Mapping[str, NoticedGroup]]
    approaches: tuple[Noticed, ...]


@dataclass(frozen=True)
class Noticing:
    """The numbers of all detectors on the approaches of a set, and the hours of driving they are of."""

    definition: str
    rules: StoppingRules
    hours: float
    scorers: Mapping[str, NoticedBy]


GROUPS: Final[Mapping[str, Callable[[Noticed], str]]] = {
    "speed": lambda one: f"{one.speed_kmh:g} km/h",
    "category": lambda one: one.category,
    "level": lambda one: one.level,
    "size": lambda one: _size(one.size_m),
    "weather": lambda one: one.weather,
    "hour": lambda one: one.hour,
}


def mark_level(scores: Scores) -> float | None:
    """The highest score that at least half of a hazard's pixels ``(n,)`` reach; None without pixels."""
    if not scores.size:
        return None
    needed = int(np.ceil(FOUND_SHARE * scores.size))
    return float(np.sort(scores)[-needed])


def alarm_level(scores: Scores, ordinary: npt.NDArray[np.bool_]) -> float | None:
    """The highest score that a large enough region of ordinary pixels ``(h, w)`` reaches; None if there is none."""
    least = max(1, round(ALARM_IMAGE_SHARE * scores.size))
    falling = np.unique(scores[ordinary])[::-1]
    low, high = 0, falling.size
    while low < high:
        middle = (low + high) // 2
        # Regions only grow when the level falls, so once there is one there always is.
        sizes = np.bincount(connected_components(ordinary & (scores >= falling[middle])).ravel())[1:]
        if sizes.size and sizes.max() >= least:
            high = middle
        else:
            low = middle + 1
    return float(falling[low]) if low < falling.size else None


def measure_noticing(detectors: Mapping[str, Sequence[Approach]], rules: StoppingRules) -> Noticing | None:
    """How early each detector notices the hazards of the same approaches; None where there are none."""
    if not any(detectors.values()):
        return None
    hours = _hours(next(iter(detectors.values())))
    found = {name: _noticed_by(approaches, rules, hours) for name, approaches in detectors.items()}
    return Noticing(DEFINITION, rules, hours, found)


def _hours(approaches: Sequence[Approach]) -> float:
    return sum(len(one.frames) / one.rate_hz for one in approaches) / 3600


def _noticed_by(approaches: Sequence[Approach], rules: StoppingRules, hours: float) -> NoticedBy:
    threshold, rate = quiet_threshold(approaches, rules.false_alarms_per_hour, hours)
    noticed = tuple(_noticed(one, threshold, rules) for one in approaches)
    levels = {f"{most:g}": quiet_threshold(approaches, most, hours)[0] for most in RATES}
    at_rates = {most: _group([_noticed(one, level, rules) for one in approaches]) for most, level in levels.items()}
    groups = {
        name: {group: _group([n for n in noticed if of(n) == group]) for group in sorted({of(n) for n in noticed})}
        for name, of in GROUPS.items()
        # A set of before levels says nothing of them.
        if name != "level" or any(n.level != UNKNOWN for n in noticed)
    }
    return NoticedBy(threshold, rate, _group(noticed), at_rates, groups, noticed)


def quiet_threshold(approaches: Sequence[Approach], most_per_hour: float, hours: float) -> tuple[float | None, float]:
    """The score above which pixels may be flagged within the limit, and the false alarms per hour there are then."""
    seconds: list[float] = []
    for one in approaches:
        second = (np.arange(len(one.frames)) / one.rate_hz + 1e-9).astype(int)
        alarms = np.array([-np.inf if frame.alarm is None else frame.alarm for frame in one.frames])
        seconds += [float(alarms[second == s].max()) for s in np.unique(second)]
    falling = np.sort([level for level in seconds if level > -np.inf])[::-1]
    allowed = int(most_per_hour * hours + 1e-9)
    if allowed >= falling.size:
        return None, falling.size / hours
    threshold = float(falling[allowed])
    return threshold, float((falling > threshold).sum()) / hours


def _noticed(one: Approach, threshold: float | None, rules: StoppingRules) -> Noticed:
    marked = tuple(None if f.mark is None else threshold is None or f.mark > threshold for f in one.frames)
    shown = [(frame.distance_m, mark) for frame, mark in zip(one.frames, marked, strict=True) if mark is not None]
    stopping = rules.distance_m(one.speed_kmh, wet=one.wet)
    noticed = noticed_distance([d for d, _ in shown], [m for _, m in shown])
    judged = bool(one.frames) and one.frames[0].distance_m >= stopping
    return Noticed(
        key=one.key,
        object=one.object,
        category=one.category,
        size_m=one.size_m,
        weather=one.weather,
        hour=one.hour,
        speed_kmh=one.speed_kmh,
        stopping_m=stopping,
        first_m=shown[0][0] if shown else None,
        noticed_m=noticed,
        in_time=(noticed is not None and noticed >= stopping) if judged else None,
        lost=sum(before and not after for (_, before), (_, after) in itertools.pairwise(shown)),
        marked=marked,
        distances_m=tuple(frame.distance_m for frame in one.frames),
        frames=tuple(frame.key for frame in one.frames),
        level=one.level,
    )


def noticed_distance(distances_m: Sequence[float], marked: Sequence[bool]) -> float | None:
    """Distance of the first frame from which on all are marked; None if the last one is not.

    >>> noticed_distance([40, 30, 20, 10], [True, False, True, True])
    20
    """
    found = None
    for distance, mark in zip(reversed(distances_m), reversed(marked), strict=True):
        if not mark:
            break
        found = distance
    return found


def _group(found: Sequence[Noticed]) -> NoticedGroup:
    distances = [one.noticed_m for one in found if one.noticed_m is not None]
    return NoticedGroup(
        approaches=len(found),
        noticed=len(distances),
        in_time=sum(one.in_time is True for one in found),
        judged=sum(one.in_time is not None for one in found),
        median_m=float(np.median(distances)) if distances else None,
        lost=float(np.mean([one.lost for one in found])),
    )


def _size(size_m: float) -> str:
    for limit in SIZES_M:
        if size_m < limit:
            return f"under {limit:g} m"
    return f"{SIZES_M[-1]:g} m or more"
