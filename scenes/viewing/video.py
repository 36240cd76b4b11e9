"""Videos of sequences: animated WebP at their rate, the hazard framed, with distance and speed in a line below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from PIL import Image, ImageDraw

from caos.foundation.errors import CaosError, unknown
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.files import write_bytes
from caos.scenes.dataset.layout import Dataset, Sample, read_image

FRAME_COLOUR: Final = (255, 64, 64)
QUALITY: Final = 80
BAND_PX: Final = 18


@dataclass(frozen=True)
class FilmedFrame:
    """A frame of a sequence in a set: its files, and its row of the manifest."""

    sample: Sample
    row: Mapping[str, Any]


def sequences_of(dataset: Dataset) -> dict[str, list[FilmedFrame]]:
    """The sequences of a set by key, their frames in order; none in a set of single images."""
    rows = dataset.manifest()
    found: dict[str, list[FilmedFrame]] = {}
    for samples in dataset.splits.values():
        for sample in samples:
            told = rows.get(sample.key, {}).get("sequence")
            if isinstance(told, Mapping):
                found.setdefault(str(told["key"]), []).append(FilmedFrame(sample, rows[sample.key]))
    return {key: sorted(frames, key=lambda f: int(f.row["sequence"]["frame"])) for key, frames in sorted(found.items())}


def write_videos(
    dataset: Dataset, out: Path, only: str | None = None, *, plain: bool = False, progress: Progress = SILENT
) -> list[Path]:
    """Write a video of each sequence, or of one: ``<out>/<key with dashes>.webp``.

    Args:
        dataset: A set with sequences.
        out: Folder for the videos.
        only: Key of one sequence.
        plain: Without frame and words.
        progress: Told how far it is.

    Raises:
        CaosError: If the set has no sequences, or none of that key.
    """
    found = sequences_of(dataset)
    if not found:
        raise CaosError(f"{dataset.root} has no sequences; make some with: caos scenes generate approach --out DIR")
    if only is not None and only not in found:
        raise unknown("sequence", only, found)
    chosen = found if only is None else {only: found[only]}
    files = []
    with progress.task("videos", len(chosen)) as task:
        for key, frames in chosen.items():
            files.append(out / f"{key.replace('/', '-')}.webp")
            write_bytes(files[-1], animated(frames, plain=plain))
            task.advance(note=key)
    return files


def animated(frames: Sequence[FilmedFrame], *, plain: bool = False) -> bytes:
    """The bytes of an animated WebP."""
    pictures = [Image.fromarray(read_image(f.sample.image)) if plain else annotated(f) for f in frames]
    every_ms = round(1000 / float(frames[0].row["sequence"]["rate_hz"]))
    stream = BytesIO()
    pictures[0].save(
        stream, "WEBP", save_all=True, append_images=pictures[1:], duration=every_ms, loop=0, quality=QUALITY, method=4
    )
    return stream.getvalue()


def annotated(frame: FilmedFrame) -> Image.Image:
    """The picture of a frame, its hazards framed, with a line under it that says how near they are."""
    picture = Image.fromarray(read_image(frame.sample.image))
    out = Image.new("RGB", (picture.width, picture.height + BAND_PX))
    out.paste(picture)
    draw = ImageDraw.Draw(out)
    for hazard in frame.row.get("hazards", ()):
        if hazard.get("box") is not None:
            left, top, right, bottom = hazard["box"]
            draw.rectangle((left - 2, top - 2, right + 1, bottom + 1), outline=FRAME_COLOUR)
    draw.text((4, picture.height + 3), told(frame.row), fill=(255, 255, 255))
    return out


def told(row: Mapping[str, Any]) -> str:
    """Time, speed and the distance of the nearest hazard, in a line."""
    sequence = row["sequence"]
    line = f"{sequence['time_s']:.2f} s   {sequence['speed_kmh']:g} km/h"
    gaps = [hazard["nearest_m"] for hazard in row.get("hazards", ()) if "nearest_m" in hazard]
    return line + (f"   {min(gaps):.1f} m" if gaps else "")
