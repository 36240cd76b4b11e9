"""Valid values of a manifest: the range of every field, and what the fields of one row owe to each other.

:mod:`caos.scenes.dataset.records` declares the fields that other rooms read, and their types; this module declares the
ranges that the audit requires. Undeclared fields are not checked: a set may record more about its images.
"""

from __future__ import annotations

import typing
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal, TypedDict

from caos.foundation.errors import CaosError
from caos.foundation.settings import Below, Limits, read_record
from caos.scenes.dataset.layout import LARGEST_INSTANCE, Sample
from caos.scenes.dataset.records import Split
from caos.simulator.lens import LensModel
from caos.simulator.weather import WEATHER_LIMITS

_Count = Annotated[int, Limits(0, 2**40)]
_Side = Annotated[int, Limits(1, 2**16)]
_Metres = Annotated[float, Limits(0, 10_000)]
_Location = Annotated[float, Limits(-1e6, 1e6)]
_Angle = Annotated[float, Limits(-720, 720)]
_Share = Annotated[float, Limits(0, 1)]
_Length = Annotated[float, Limits(0.0001, 1000)]
_InstanceId = Annotated[int, Limits(1, LARGEST_INSTANCE)]
_Elevation = Annotated[float, Limits(-90, 90)]
_Matrix = tuple[tuple[float, ...], ...]
_Box = tuple[float, float, float, float]
_Size = tuple[_Length, _Length, _Length]
_LARGEST_LAB_DISTANCE: Final = 375
"""Between two colours of CIE Lab, whose lightness is 0..100 and whose other axes are -128..127."""


class _File(TypedDict, total=False):
    path: Annotated[str, Below()]
    sha256: str


class _Pose(TypedDict, total=False):
    x: _Location
    y: _Location
    z: _Location
    pitch_deg: _Angle
    yaw_deg: _Angle
    roll_deg: _Angle


class _Lens(TypedDict, total=False):
    model: LensModel
    coefficients: tuple[float, ...]


class _Camera(TypedDict, total=False):
    name: Annotated[str, Below(is_name=True)]
    width: _Side
    height: _Side
    fov_deg: Annotated[float, Limits(0.01, 360)]
    lens: _Lens
    intrinsics: _Matrix
    extrinsics: _Matrix | None
    pose: _Pose
    depth: Literal["axis", "ray"]
    files: dict[str, _File]


class _Hazard(TypedDict, total=False):
    object: str | None
    kind: str | None
    category: str | None
    level: str | None
    source: str | None
    licence: str | None
    content: str | None
    pose: _Pose
    placement: str | None
    stance: str | None
    motion: str | None
    view: str | None
    open_share: _Share | None
    scale: _Length
    size_m: _Size
    distance_m: _Metres | None
    nearest_m: _Metres | None
    pixels: _Count
    occluded_share: _Share | None
    contrast: Annotated[float, Limits(0, _LARGEST_LAB_DISTANCE)] | None
    instance_id: _InstanceId
    box: _Box | None


class _Seen(TypedDict, total=False):
    box: _Box | None
    pixels: _Count
    outline: _Box | None


class _ActorBox(TypedDict, total=False):
    instance_id: _InstanceId
    what: Literal["hazard", "vehicle", "person"]
    object: str
    type: str
    center: _Pose
    size_m: _Size
    seen: dict[str, _Seen]
    lidar_points: dict[str, _Count]


class _Lidar(TypedDict, total=False):
    name: Annotated[str, Below(is_name=True)]
    channels: Annotated[int, Limits(1, 4096)]
    columns: Annotated[int, Limits(1, 2**20)]
    range_m: Annotated[float, Limits(0.01, 10_000)]
    upper_deg: _Elevation
    lower_deg: _Elevation
    extrinsics: _Matrix
    points: _Count
    hazard_points: _Count
    files: dict[str, _File]


class _Sequence(TypedDict, total=False):
    key: str
    frame: _Count
    frames: Annotated[int, Limits(1, 2**31)]
    time_s: Annotated[float, Limits(0, 1e6)]
    rate_hz: Annotated[float, Limits(0.001, 10_000)]
    speed_kmh: Annotated[float, Limits(0, 1000)]
    ego: _Pose


class _Row(TypedDict, total=False):
    key: str
    split: Split
    town: str
    seed: Annotated[int, Limits(0)]
    camera: _Camera
    ego_pose: _Pose | None
    files: dict[str, _File]
    sources: dict[str, str]
    rejected: dict[str, _Count]
    anomaly_pixels: dict[str, _Count]
    hazards: list[_Hazard]
    cameras: list[_Camera]
    boxes: list[_ActorBox]
    lidar: list[_Lidar]
    sequence: _Sequence


def value_problems(row: Mapping[str, Any]) -> list[str]:
    """The fields of a row whose value is of the wrong type or out of its range, each in words."""
    found = list(_wrong_values(_Row, row, ""))
    weather = row.get("weather") or {}
    for name, (least, most) in WEATHER_LIMITS.items():
        if name in weather:
            hint = Annotated[float, Limits(least, most)]
            found += _wrong_values(hint, weather[name], f"weather.{name}")
    return found


def _wrong_values(hint: Any, value: Any, where: str) -> Iterator[str]:
    """Every wrong value below one, where :func:`read_record` would stop at the first."""
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if typing.is_typeddict(hint) and isinstance(value, Mapping):
        hints = typing.get_type_hints(hint, include_extras=True)
        for key in value.keys() & hints.keys():
            yield from _wrong_values(hints[key], value[key], f"{where}.{key}" if where else key)
    elif origin is list and isinstance(value, list):
        for number, item in enumerate(value):
            yield from _wrong_values(arguments[0], item, f"{where}[{number}]")
    elif origin is dict and isinstance(value, Mapping):
        for key, item in value.items():
            yield from _wrong_values(arguments[1], item, f"{where}.{key}")
    else:
        try:
            read_record(hint, value, where)
        except CaosError as error:
            yield str(error)


def agreement_problems(
    row: Mapping[str, Any], sample: Sample, root: Path, size: tuple[int, int], pixels: Mapping[str, int]
) -> list[str]:
    """What a row with valid values says that its image, its files, or the row itself contradicts, in words.

    Args:
        row: The row of the manifest.
        sample: The files of the image.
        root: Of the set.
        size: Width and height of the labels.
        pixels: Pixels of the labels by class.
    """
    found = [*_wrong_files(row, sample, root), *_wrong_sizes(row, size), *_wrong_boxes(row, size)]
    if row.get("split", sample.split) != sample.split:
        found.append(f"split is {row['split']}, but the image is listed in {sample.split}")
    found += [f"{what} {name!r} occurs {n} times" for what, name, n in _repeated(row)]
    for name, said in (row.get("anomaly_pixels") or {}).items():
        if said != pixels.get(name, 0):
            found.append(f"anomaly_pixels.{name} is {said}, but the labels have {pixels.get(name, 0)}")
    for number, lidar in enumerate(row.get("lidar", ())):
        if lidar.get("hazard_points", 0) > lidar.get("points", lidar.get("hazard_points", 0)):
            found.append(f"lidar[{number}]: {lidar['hazard_points']} hazard_points are more than its points")
        if lidar.get("upper_deg", 90) < lidar.get("lower_deg", -90):
            found.append(f"lidar[{number}]: upper_deg {lidar['upper_deg']} is below lower_deg {lidar['lower_deg']}")
    sequence = row.get("sequence") or {}
    if "frame" in sequence and "frames" in sequence and sequence["frame"] >= sequence["frames"]:
        found.append(f"sequence.frame {sequence['frame']} is not below sequence.frames {sequence['frames']}")
    return found


def _wrong_files(row: Mapping[str, Any], sample: Sample, root: Path) -> list[str]:
    found = []
    for kind, entry in row.get("files", {}).items():
        own: Path | None = getattr(sample, kind, None)
        if own is not None and "path" in entry and root / entry["path"] != own:
            found.append(f"files.{kind} is {entry['path']}, not {own.relative_to(root).as_posix()}")
        digest = entry.get("sha256")
        if digest and (len(digest) != 64 or set(digest) - set("0123456789abcdef")):
            found.append(f"files.{kind}: {digest[:80]!r} is not a SHA-256 in hexadecimal digits")
    return found


def _wrong_sizes(row: Mapping[str, Any], size: tuple[int, int]) -> list[str]:
    cameras = [("camera", row.get("camera") or {})] + [("cameras[0]", c) for c in row.get("cameras", ())[:1]]
    return [
        f"{where}.{side} is {camera[side]}, but the labels have {own}"
        for where, camera in cameras
        for side, own in zip(("width", "height"), size, strict=True)
        if camera.get(side, own) != own
    ]


def _wrong_boxes(row: Mapping[str, Any], size: tuple[int, int]) -> list[str]:
    sizes = {camera.get("name"): (camera.get("width"), camera.get("height")) for camera in row.get("cameras", ())}
    found = []
    boxes: list[tuple[str, Mapping[str, Any], tuple[Any, Any]]]
    boxes = [(f"hazards[{i}]", h, size) for i, h in enumerate(row.get("hazards", ()))]
    for number, thing in enumerate(row.get("boxes", ())):
        for name, seen in thing.get("seen", {}).items():
            if name not in sizes:
                found.append(f"boxes[{number}].seen: no camera is called {name!r}")
            else:
                boxes.append((f"boxes[{number}].seen.{name}", seen, sizes[name]))
    for where, thing, (width, height) in boxes:
        if (box := thing.get("box")) is not None and width and height:
            left, top, right, bottom = box
            if not (0 <= left < right <= width and 0 <= top < bottom <= height):
                found.append(f"{where}: box {shown_box(box)} is not in an image of {width}x{height}")
        if width and height and thing.get("pixels", 0) > width * height:
            found.append(f"{where}: {thing['pixels']} pixels are more than an image of {width}x{height} has")
    return found


def shown_box(box: Sequence[float] | None) -> str:
    """A box as a message shows it.

    >>> shown_box((1.0, 2.0, 3.5, 4.0)), shown_box(None)
    ('[1, 2, 3.5, 4]', 'null')
    """
    return "null" if box is None else f"[{', '.join(f'{value:g}' for value in box)}]"


def _repeated(row: Mapping[str, Any]) -> Iterator[tuple[str, Any, int]]:
    named = (("hazards", "instance_id"), ("boxes", "instance_id"), ("cameras", "name"), ("lidar", "name"))
    for table, field in named:
        counts = Counter(entry[field] for entry in row.get(table, ()) if field in entry)
        yield from ((f"{table}: {field}", name, n) for name, n in counts.items() if n > 1)
