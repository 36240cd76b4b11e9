"""Rig rules of a recipe: the named cameras and lidars of the car, each with its place on it.

Places are in the car's axes: x forward, y right, z up, from the point of the road under the middle of the car.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Annotated, Final

from caos.foundation.errors import CaosError
from caos.foundation.settings import Limits
from caos.simulator.lens import PINHOLE, Lens, Optics
from caos.simulator.lidar import LidarBeams
from caos.simulator.transform import Transform

Offset = Annotated[float, Limits(-20, 20)]
Degrees = Annotated[float, Limits(-360, 360)]
Side = Annotated[int, Limits(16, 8192)]
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")


@dataclass(frozen=True)
class CarSensor:
    """Something on the car.

    Attributes:
        name: Small letters, digits, ``_`` and ``-``.
        x_m: Forward of the car's middle.
        y_m: To the right.
        z_m: Above the road.
        pitch_deg: Up.
        yaw_deg: To the right.
        roll_deg: Its right side down.
    """

    name: str
    x_m: Offset = 0.0
    y_m: Offset = 0.0
    z_m: Offset = 1.6
    pitch_deg: Degrees = 0.0
    yaw_deg: Degrees = 0.0
    roll_deg: Degrees = 0.0

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            told = "a name is at most 32 small letters, digits, '_' and '-'"
            raise CaosError(f"rig: a sensor is called {self.name!r}; {told}")

    @property
    def mount(self) -> Transform:
        """Its pose on the car."""
        return Transform(self.x_m, self.y_m, self.z_m, self.pitch_deg, self.yaw_deg, self.roll_deg)


@dataclass(frozen=True)
class CarCamera(CarSensor):
    """A camera on the car.

    Attributes:
        size: Width and height in pixels.
        fov_deg: Horizontal field of view, see :mod:`caos.simulator.lens`.
        lens: Model and coefficients.
    """

    size: tuple[Side, Side] = (1280, 720)
    fov_deg: Annotated[float, Limits(1, 360)] = 90.0
    lens: Lens = PINHOLE

    def __post_init__(self) -> None:
        super().__post_init__()
        problem = self.optics.problem()
        if problem is not None:
            raise CaosError(f"rig camera {self.name!r}: {problem}")

    @property
    def optics(self) -> Optics:
        """Its lens with the size of its picture."""
        return Optics(*self.size, self.fov_deg, self.lens)


@dataclass(frozen=True)
class CarLidar(CarSensor):
    """A lidar on the car.

    Attributes:
        channels: Beams, one above the other.
        columns: Directions of a turn.
        range_m: How far it sees.
        upper_deg: The highest beam.
        lower_deg: The lowest.
    """

    z_m: Offset = 1.9
    channels: Annotated[int, Limits(1, 512)] = 64
    columns: Annotated[int, Limits(8, 8192)] = 1024
    range_m: Annotated[float, Limits(1, 1000)] = 80.0
    upper_deg: Annotated[float, Limits(-90, 90)] = 3.0
    lower_deg: Annotated[float, Limits(-90, 90)] = -25.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.lower_deg > self.upper_deg:
            told = f"lower_deg {self.lower_deg:g} lies above upper_deg {self.upper_deg:g}"
            raise CaosError(f"rig lidar {self.name!r}: {told}")

    @property
    def beams(self) -> LidarBeams:
        """How it scans."""
        return LidarBeams(self.channels, self.columns, self.range_m, self.upper_deg, self.lower_deg)


@dataclass(frozen=True)
class RigRules:
    """What the car carries; without cameras it is the one of ``[camera]``.

    Attributes:
        cameras: The first is the one that scenes are planned for: hazards lie in its view.
        lidars: Semantic lidars.
    """

    cameras: tuple[CarCamera, ...] = ()
    lidars: tuple[CarLidar, ...] = field(default=())

    def __post_init__(self) -> None:
        names = [camera.name for camera in self.cameras] + [lidar.name for lidar in self.lidars]
        for name in names:
            if names.count(name) > 1:
                raise CaosError(f"rig: two sensors are called {name!r}; give each a name of its own")

    @property
    def span_deg(self) -> float | None:
        """The angle about straight ahead in which something is seen; None for a single camera or none."""
        if self.lidars:
            return 360.0
        if len(self.cameras) < 2:
            return None
        return min(360.0, 2 * max(abs(_turn(c.yaw_deg)) + c.fov_deg / 2 for c in self.cameras))

    def resized(self, size: tuple[int, int]) -> RigRules:
        """The rig with pictures of another size: the first camera's is ``size``, the others' change by its factors."""
        if not self.cameras:
            return self
        first = self.cameras[0].size
        across, down = size[0] / first[0], size[1] / first[1]

        def scaled(own: tuple[int, int]) -> tuple[int, int]:
            return max(16, round(own[0] * across)), max(16, round(own[1] * down))

        return replace(self, cameras=tuple(replace(c, size=scaled(c.size)) for c in self.cameras))


def _turn(yaw_deg: float) -> float:
    return (yaw_deg + 180) % 360 - 180
