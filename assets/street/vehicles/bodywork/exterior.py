"""Exterior of vehicles as data: lamps, grille, windows and doors drawn on a body, and the fittings on it."""

from __future__ import annotations

from dataclasses import dataclass, field

from caos.assets.mesh import Material
from caos.assets.street.vehicles import finishes
from caos.assets.street.vehicles.wheels import WheelStyle


@dataclass(frozen=True)
class HeadLamp:
    """A headlamp of the right side.

    Attributes:
        inner_y: Distance of its inner end from the plane y = 0.
        reach: Length of its part on the side, measured backwards from the front bumper.
        low, high: Heights of the inner end.
        outer_low, outer_high: Heights of the outer end.
        round_radius: When positive, the lamp is a circle of that radius at ``inner_y`` and the middle of low and high.
    """

    inner_y: float
    reach: float
    low: float
    high: float
    outer_low: float
    outer_high: float
    round_radius: float = 0.0


@dataclass(frozen=True)
class TailLamp:
    """A tail lamp of the right side; ``reach`` is measured forward from the rear bumper."""

    inner_y: float
    reach: float
    low: float
    high: float
    outer_low: float
    outer_high: float
    full_width: bool = False


@dataclass(frozen=True)
class Grille:
    """An opening in the front: half width at its top and bottom, heights, and bars across it."""

    half_top: float
    half_bottom: float
    low: float
    high: float
    bars: int = 4
    frame: bool = True
    upright: bool = False
    bar_material: Material = finishes.CHROME


@dataclass(frozen=True)
class Panes:
    """Windows.

    Attributes:
        low, high: Lower and upper edge as shares of the cabin's height.
        side_from, side_to: First and last x-distance of side glass; None reaches to the pillars.
        posts: Distances from the front where posts split the side glass.
        post_width: Width of a post.
        slant: Offset of the foot of the rear pillar ahead of its top.
        windscreen, rear: Whether there is glass at the front and at the rear.
        radius: Corner radius.
        split: Whether the windscreen or rear window is divided in the middle.
    """

    low: float = 0.07
    high: float = 0.9
    side_from: float | None = None
    side_to: float | None = None
    posts: tuple[float, ...] = ()
    post_width: float = 0.07
    slant: float = 0.0
    windscreen: bool = True
    rear: bool = True
    radius: float = 0.045
    split: bool = False
    rear_low: float | None = None


@dataclass(frozen=True)
class Exterior:
    """Exterior of one model: everything but its proportions."""

    head: HeadLamp
    tail: TailLamp | None
    panes: Panes
    grille: Grille | None = None
    intake: tuple[float, float, float] | None = None
    wheel: WheelStyle = field(default_factory=WheelStyle)
    cladding: bool = False
    chrome_belt: bool = False
    roof: Material | None = None
    pillars: Material | None = None
    two_tone: Material | None = None
    two_tone_z: float = 0.0
    stripe: Material | None = None
    roof_rails: bool = False
    mirror_size: float = 1.0
    exhausts: int = 1
    spoiler: bool = False
    handles: bool = True
    plate_z: tuple[float, float] = (0.45, 0.78)
    spare_wheel: bool = False
    beacons: bool = False
    sign: bool = False
    black_arches: bool = False
    black_bumpers: bool = False
    wipers: bool = True
