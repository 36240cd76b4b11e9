"""Rules of a recipe: typed sections that say what its scenes are drawn from. The defaults are StreetHazards'."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Final, Literal

from caos.assets.catalogue.library import EXPOSURE_SHARE, SplitBy
from caos.foundation.errors import CaosError, unknown
from caos.foundation.settings import Limits
from caos.scenes.scene import Motion, Placement
from caos.simulator.weather import PRESETS

Share = Annotated[float, Limits(0, 1)]
Metres = Annotated[float, Limits(0, 1000)]
Pixels = Annotated[int, Limits(16, 8192)]
Count = Annotated[int, Limits(0, 200)]

WEATHER_MIX: Final[Mapping[str, float]] = {
    "clear": 0.28,
    "cloudy": 0.22,
    "overcast": 0.16,
    "wet": 0.10,
    "rain": 0.08,
    "fog": 0.06,
    "low-sun": 0.10,
}
"""Share of each weather in a generated set. Night is left to ``--weather night``: see docs/validity.md."""


@dataclass(frozen=True)
class CameraRules:
    """The camera of a car.

    Attributes:
        size: Width and height in pixels.
        fov_deg: Horizontal field of view: lowest and highest.
        height_m: Above the road: lowest and highest.
        pitch_deg: Mean and spread of the downward tilt (negative looks down), cut off at 6 down and 2 up by default.
        pitch_limits_deg: Where the tilt is cut off.
        yaw_spread_deg: Spread of the turn away from the lane's direction, cut off at three times that.
    """

    size: tuple[Pixels, Pixels] = (1280, 720)
    fov_deg: tuple[Annotated[float, Limits(5, 170)], Annotated[float, Limits(5, 170)]] = (90.0, 90.0)
    height_m: tuple[Metres, Metres] = (1.35, 1.85)
    pitch_deg: tuple[float, Annotated[float, Limits(0, 45)]] = (-2.0, 1.2)
    pitch_limits_deg: tuple[float, float] = (-6.0, 2.0)
    yaw_spread_deg: Annotated[float, Limits(0, 60)] = 3.0

    def __post_init__(self) -> None:
        _ordered("camera", fov_deg=self.fov_deg, height_m=self.height_m, pitch_limits_deg=self.pitch_limits_deg)


@dataclass(frozen=True)
class OutputRules:
    """What is written of each frame besides picture, labels and instances.

    Attributes:
        depth: Depth maps.
        twins: Each frame with hazards once more without them.
        normals: Surface normals.
        flow: In sequences, where what a pixel shows was in the frame before.
    """

    depth: bool = False
    twins: bool = False
    normals: bool = False
    flow: bool = False


Percent = Annotated[float, Limits(0, 100)]


@dataclass(frozen=True)
class WeatherRules:
    """Weather and hour. A range, where one is given, takes the place of what the named weather says.

    Attributes:
        mix: Weight of each named weather; weights need not add up to one.
        sun_jitter_deg: How far the sun's height is drawn around the named weather's, by day.
        lowest_sun_deg: By day the sun is never lower.
        hour: Earliest and latest hour of the day (solar time, 0 to 24; 22 to 28 goes past midnight); the sun stands
            where it does then, at ``latitude_deg`` on ``day_of_year``.
        latitude_deg: Of the town, for ``hour``.
        day_of_year: 1 to 366, for ``hour``.
        sun_altitude_deg: Lowest and highest sun.
        cloudiness: Percent, least and most; the same for the next four.
        precipitation: Rain.
        puddles: Water on the road.
        wetness: Of what the rain falls on.
        fog_density: Fog.
    """

    mix: Mapping[str, Annotated[float, Limits(0)]] = field(default_factory=lambda: dict(WEATHER_MIX))
    sun_jitter_deg: Annotated[float, Limits(0, 90)] = 8.0
    lowest_sun_deg: Annotated[float, Limits(-90, 90)] = 5.0
    hour: tuple[Annotated[float, Limits(0, 48)], Annotated[float, Limits(0, 48)]] | None = None
    latitude_deg: Annotated[float, Limits(-66, 66)] = 45.0
    day_of_year: Annotated[int, Limits(1, 366)] = 172
    sun_altitude_deg: tuple[Annotated[float, Limits(-90, 90)], Annotated[float, Limits(-90, 90)]] | None = None
    cloudiness: tuple[Percent, Percent] | None = None
    precipitation: tuple[Percent, Percent] | None = None
    puddles: tuple[Percent, Percent] | None = None
    wetness: tuple[Percent, Percent] | None = None
    fog_density: tuple[Percent, Percent] | None = None

    def __post_init__(self) -> None:
        spans = ("hour", "sun_altitude_deg", "cloudiness", "precipitation", "puddles", "wetness", "fog_density")
        _ordered("weather", **{name: span for name in spans if (span := getattr(self, name)) is not None})
        if self.hour is not None and self.sun_altitude_deg is not None:
            raise CaosError("weather: hour and sun_altitude_deg both say where the sun is; give one of them")
        for name in self.mix:
            if name not in PRESETS:
                raise unknown("weather", name, PRESETS)
        if not sum(self.mix.values()) > 0:
            raise CaosError("a mix of weathers needs at least one with a weight above 0")


@dataclass(frozen=True)
class TrafficRules:
    """Ordinary vehicles and people in view: how many (fewest and most), how far away, of which sorts.

    Attributes:
        vehicles: Moving vehicles.
        parked: Parked ones.
        walkers: People on sidewalks.
        vehicle_range_m: Nearest and farthest moving vehicle.
        parked_range_m: Nearest and farthest parked one.
        walker_range_m: Nearest and farthest person.
        walking_share: How many of the people are in mid-step.
        vehicle_types: Share of each of CARLA's base types in moving traffic.
        parked_types: Share of each among the parked.
    """

    vehicles: tuple[Count, Count] = (1, 7)
    parked: tuple[Count, Count] = (0, 5)
    walkers: tuple[Count, Count] = (2, 8)
    vehicle_range_m: tuple[Metres, Metres] = (7.0, 70.0)
    parked_range_m: tuple[Metres, Metres] = (5.0, 50.0)
    walker_range_m: tuple[Metres, Metres] = (5.0, 40.0)
    walking_share: Share = 0.6
    vehicle_types: Mapping[str, Annotated[float, Limits(0)]] = field(
        default_factory=lambda: {
            "car": 0.68,
            "van": 0.09,
            "truck": 0.08,
            "bus": 0.03,
            "motorcycle": 0.06,
            "bicycle": 0.06,
        }
    )
    parked_types: Mapping[str, Annotated[float, Limits(0)]] = field(default_factory=lambda: {"car": 0.9, "van": 0.1})

    def __post_init__(self) -> None:
        ranges = {n: getattr(self, n) for n in ("vehicle_range_m", "parked_range_m", "walker_range_m")}
        _ordered("traffic", vehicles=self.vehicles, parked=self.parked, walkers=self.walkers, **ranges)


@dataclass(frozen=True)
class SequenceRules:
    """Frames of one scene through time, while the car that carries the camera drives along its lane.

    Attributes:
        speed_kmh: Of the car; sequence after sequence takes the next one.
        rate_hz: Frames a second.
        frames: How many, unless ``approach_m`` is given.
        approach_m: Distance to the first hazard, which lies ahead in the lane, in the first and the last frame; as many
            frames as that takes.
        traffic_kmh: Slowest and fastest of the other vehicles.
        walking_kmh: Of people that walk.
    """

    speed_kmh: tuple[Annotated[float, Limits(1, 250)], ...] = (50.0,)
    rate_hz: Annotated[float, Limits(0.1, 100)] = 5.0
    frames: Annotated[int, Limits(2, 9999)] = 40
    approach_m: tuple[Metres, Metres] | None = None
    traffic_kmh: tuple[Annotated[float, Limits(0, 250)], Annotated[float, Limits(0, 250)]] = (25.0, 50.0)
    walking_kmh: Annotated[float, Limits(0.1, 15)] = 4.7

    def __post_init__(self) -> None:
        _ordered("sequence", traffic_kmh=self.traffic_kmh)
        if not self.speed_kmh:
            raise CaosError("sequence: speed_kmh names no speed; give one or more")
        if self.approach_m is not None and self.approach_m[0] <= self.approach_m[1]:
            first, last = self.approach_m
            raise CaosError(f"sequence: approach_m goes from {first:g} to {last:g}; give the farther distance first")

    def speed_of(self, number: int) -> float:
        """The car's speed in sequence ``number``, counted from 1, in km/h."""
        return self.speed_kmh[(number - 1) % len(self.speed_kmh)]

    def frames_of(self, number: int) -> int:
        """Frames of sequence ``number``."""
        if self.approach_m is None:
            return self.frames
        step_m = self.speed_of(number) / 3.6 / self.rate_hz
        return int((self.approach_m[0] - self.approach_m[1]) / step_m + 1e-6) + 1


@dataclass(frozen=True)
class HazardRules:
    """Which objects become hazards, how many, where, and what counts as a good one.

    Attributes:
        objects: Where they come from: ``all``, ``built-in``, ``imported``, ``stock``, or names, kinds and categories
            with commas between them; what ``--hazards`` says.
        kinds: Of these only the kinds named here ...
        categories: ... and those of these categories ...
        names: ... and these objects; all of them where none of the three is given.
        without: Names, kinds and categories that are left out.
        side: ``exposure`` or ``test`` takes one side of a split of all objects, so that what is learnt from is never
            what is tested on; ``all`` takes both.
        split_by: Whether the split keeps each ``kind`` on one side, or each ``category``.
        split_share: Share of the kinds (of every category) or categories on the side ``exposure``.
        split_seed: Which split it is.
        share: How many of the images get any.
        number_shares: Share of images with one, two, three ... hazards among those that get any.
        range_m: Nearest and farthest distance from the camera.
        placements: Share of each place.
        views: In whose picture a hazard is placed: the ``first`` camera's, or that of ``any`` of the rig.
        view_share: Of half the field of view, where the middle of a hazard may lie; above 1, the frame cuts some.
        min_image_share: Fewest visible pixels, as a share of the image.
        max_image_share: Most visible pixels.
        min_visible_share: Smallest share of the silhouette that is not hidden by something else.
        max_visible_share: Largest share that is not hidden; below 1 for hazards behind something.
        size_scale: Smallest and largest factor on an object's own size.
        min_contrast: Nearest to the colour of the ground around it; None: any. See
            :mod:`caos.scenes.generation.contrast`.
        max_contrast: Farthest from the colour of the ground around it; None: any.
        min_shaded_share: Smallest share of points of its box that the sun does not reach.
        fallen_share: How often an object that may lie on its side does.
        motions: Weight of each motion in a sequence, of those that suit the object; see
            :mod:`caos.scenes.sequences.motion`.
        smallest_fragment_px: A placement whose mask has a smaller fragment is drawn again.
    """

    objects: str = "all"
    kinds: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    side: Literal["all", "exposure", "test"] = "all"
    split_by: SplitBy = "kind"
    split_share: Annotated[float, Limits(0.01, 0.99)] = EXPOSURE_SHARE
    split_seed: Annotated[int, Limits(0, 2**32 - 1)] = 0
    share: Share = 1.0
    number_shares: tuple[Annotated[float, Limits(0)], ...] = (0.6, 0.27, 0.13)
    range_m: tuple[Annotated[float, Limits(0.5)], Metres] = (4.0, 45.0)
    placements: Mapping[Placement, Annotated[float, Limits(0)]] = field(
        default_factory=lambda: {"road": 0.72, "roadside": 0.14, "sidewalk": 0.1, "anywhere": 0.04}
    )
    views: Literal["first", "any"] = "first"
    view_share: Annotated[float, Limits(0.05, 1.5)] = 0.92
    min_image_share: Share = 3e-4
    max_image_share: Share = 0.12
    min_visible_share: Share = 0.5
    max_visible_share: Share = 1.0
    size_scale: tuple[Annotated[float, Limits(0.1, 10)], Annotated[float, Limits(0.1, 10)]] = (1.0, 1.0)
    min_contrast: Annotated[float, Limits(0, 300)] | None = None
    max_contrast: Annotated[float, Limits(0, 300)] | None = None
    min_shaded_share: Share = 0.0
    fallen_share: Share = 0.25
    motions: Mapping[Motion, Annotated[float, Limits(0)]] = field(default_factory=lambda: {"still": 1.0})
    smallest_fragment_px: Annotated[int, Limits(0)] = 10

    def __post_init__(self) -> None:
        visible, image = "min_visible_share to max_visible_share", "min_image_share to max_image_share"
        spans = {visible: (self.min_visible_share, self.max_visible_share)}
        spans |= {image: (self.min_image_share, self.max_image_share)}
        if self.min_contrast is not None and self.max_contrast is not None:
            spans["min_contrast to max_contrast"] = (self.min_contrast, self.max_contrast)
        _ordered("hazards", range_m=self.range_m, size_scale=self.size_scale, **spans)
        if not min(sum(self.number_shares), sum(self.placements.values()), sum(self.motions.values())) > 0:
            raise CaosError("hazards: number_shares, placements and motions each need a weight above 0")


def _ordered(section: str, **spans: tuple[float, float]) -> None:
    for name, (low, high) in spans.items():
        if low > high:
            raise CaosError(f"{section}: {name} goes from {low:g} to {high:g}; give the lower number first")
