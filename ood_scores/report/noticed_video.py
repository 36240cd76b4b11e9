"""Videos of approaches as a detector sees them: what it marks, whether the hazard is marked, and the stopping distance.

Below each frame a line shows the way to the hazard, from far (left) to near (right): green where the hazard was marked,
red where it was not, with the stopping distance on it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from caos.foundation.errors import CaosError, unknown
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.files import write_bytes
from caos.ood_scores import results as scoring
from caos.ood_scores.measuring.noticing import Noticed, Noticing
from caos.ood_scores.report.noticing_table import best_first
from caos.ood_scores.results import Results, column_folder
from caos.scenes.dataset.layout import open_dataset, read_image, read_png_values
from caos.scenes.viewing.video import FilmedFrame, sequences_of

BAND_PX: Final = 62
MARK_COLOUR: Final = (255, 176, 0)
FOUND_COLOUR: Final = (80, 220, 120)
MISSED_COLOUR: Final = (255, 72, 72)
GREY: Final = (110, 110, 116)
INK: Final = (240, 240, 240)
PAINT: Final = 0.55
"""How strongly marked pixels are painted."""
QUALITY: Final = 72
LAST_FRAME_MS: Final = 1500
"""How long the end stands still before the video begins again."""


@dataclass(frozen=True)
class SeenApproach:
    """One approach with what one detector made of it.

    Attributes:
        frames: Its frames in order.
        noticed: What became of it.
        codes: Files of the detector's score maps, by key of the image.
        least_code: From which on a pixel of these is marked.
        title: Of the detector.
        rate_hz: Frames in a second.
    """

    frames: Sequence[FilmedFrame]
    noticed: Noticed
    codes: Mapping[str, Path]
    least_code: int
    title: str
    rate_hz: float


def write_noticed_videos(
    results_folder: Path,
    out: Path,
    *,
    scorer: str | None = None,
    only: str | None = None,
    dataset_root: Path | None = None,
    width: int = 640,
    progress: Progress = SILENT,
) -> list[Path]:
    """Write a video of each approach that was scored, or of one: ``<out>/<key with dashes>.webp``.

    Args:
        results_folder: What ``caos score`` wrote on a set with approaches.
        out: Folder for the videos.
        scorer: Whose marks are shown; by default the one that notices most in time.
        only: Key of one sequence.
        dataset_root: The set, if it has moved since it was scored.
        width: Of the videos, in pixels.
        progress: Told how far it is.

    Raises:
        CaosError: If the results have no approaches, or not that scorer or sequence, or no score maps to show.
    """
    results = scoring.read(results_folder)
    noticing = results.content.noticing
    if noticing is None:
        raise CaosError(f"{results_folder} has no approaches; score a set made with: caos scenes generate approach")
    scorer = scorer or best_first(noticing)[0]
    if scorer not in noticing.scorers:
        raise unknown("scorer", scorer, noticing.scorers)
    seen = _seen(results, noticing, scorer, dataset_root)
    if only is not None and only not in seen:
        raise unknown("sequence", only, seen)
    files = []
    chosen = seen if only is None else {only: seen[only]}
    with progress.task("videos", len(chosen)) as task:
        for key, approach in chosen.items():
            files.append(out / f"{key.replace('/', '-')}.webp")
            write_bytes(files[-1], animated_approach(approach, width))
            task.advance(note=key)
    return files


def _seen(results: Results, noticing: Noticing, scorer: str, root: Path | None) -> dict[str, SeenApproach]:
    dataset = open_dataset(root or Path(results.content.dataset.root), results.content.dataset.labels.name)
    filmed = sequences_of(dataset)
    folder = results.folder / "previews" / column_folder(scorer)
    title = {column.name: column.title for column in results.content.scorers}.get(scorer, scorer)
    level = noticing.scorers[scorer].threshold
    codes_from = results.content.levels[scorer].threshold
    # A level between two codes, or above the last one, is shown at the next code there is.
    least = 1 if level is None else min(sum(value <= level for value in codes_from) + 1, len(codes_from))
    found = {}
    for one in noticing.scorers[scorer].approaches:
        if one.key not in filmed:
            raise CaosError(f"{dataset.root} has no sequence {one.key!r}; say where the set is now with --dataset")
        frames, shown = filmed[one.key], set(one.frames)
        kept = [frame for frame in frames if frame.sample.key in shown]
        codes = {frame.sample.key: folder / f"{frame.sample.key}.png" for frame in kept}
        rate = float(kept[0].row["sequence"]["rate_hz"])
        found[one.key] = SeenApproach(kept, one, codes, least, title, rate)
    return found


def animated_approach(approach: SeenApproach, width: int) -> bytes:
    """The bytes of an animated WebP."""
    pictures = [drawn_frame(approach, at, width) for at in range(len(approach.frames))]
    every_ms = round(1000 / approach.rate_hz)
    durations = [*[every_ms] * (len(pictures) - 1), LAST_FRAME_MS]
    stream = BytesIO()
    pictures[0].save(
        stream, "WEBP", save_all=True, append_images=pictures[1:], duration=durations, loop=0, quality=QUALITY, method=6
    )
    return stream.getvalue()


def drawn_frame(approach: SeenApproach, at: int, width: int) -> Image.Image:
    """One frame of the video: the picture with what is marked on it, and the line below."""
    frame = approach.frames[at]
    image = read_image(frame.sample.image)
    codes = read_png_values(approach.codes[frame.sample.key])
    height = round(width * image.shape[0] / image.shape[1])
    painted = Image.fromarray(_painted(image, codes >= approach.least_code))
    out = Image.new("RGB", (width, height + BAND_PX))
    out.paste(painted.resize((width, height), Image.Resampling.LANCZOS))
    pen = ImageDraw.Draw(out)
    _frame_hazard(pen, frame, approach.noticed.marked[at], width / image.shape[1])
    _write_line(pen, approach, at, (width, height))
    return out


def _painted(image: NDArray[np.uint8], marked: NDArray[np.bool_]) -> NDArray[np.uint8]:
    height, width = image.shape[:2]
    same = Image.fromarray(marked.astype(np.uint8)).resize((width, height), Image.Resampling.NEAREST)
    share = PAINT * np.asarray(same, np.float32)[..., None]
    painted: NDArray[np.uint8] = (image * (1 - share) + share * np.array(MARK_COLOUR)).round().astype(np.uint8)
    return painted


def _frame_hazard(pen: ImageDraw.ImageDraw, frame: FilmedFrame, marked: bool | None, scale: float) -> None:  # noqa: FBT001
    for hazard in frame.row.get("hazards", ()):
        if hazard.get("box") is not None:
            left, top, right, bottom = (scale * value for value in hazard["box"])
            corners = (left - 3, top - 3, right + 2, bottom + 2)
            pen.rectangle(corners, outline=FOUND_COLOUR if marked else MISSED_COLOUR, width=2)


def _write_line(pen: ImageDraw.ImageDraw, approach: SeenApproach, at: int, size: tuple[int, int]) -> None:
    """Words, and the way to the hazard with what was marked so far."""
    (width, top), one = size, approach.noticed
    words, small = ImageFont.load_default(15), ImageFont.load_default(11)
    marked = one.marked[at]
    state = {None: "out of sight", True: "marked", False: "not marked"}[marked]
    told = f"{one.distances_m[at]:.0f} m   {one.speed_kmh:g} km/h   "
    pen.text((8, top + 5), told, fill=INK, font=words)
    at_x = 8 + pen.textlength(told, font=words)
    pen.text((at_x, top + 5), state, fill=FOUND_COLOUR if marked else MISSED_COLOUR, font=words)
    pen.text((width - 8, top + 7), approach.title, fill=GREY, font=small, anchor="ra")
    farthest = max(one.distances_m)

    def x_of(metres: float) -> float:
        return 8 + (width - 16) * (1 - metres / farthest)

    line = top + 34
    pen.line((x_of(farthest), line, x_of(0), line), fill=GREY, width=2)
    for metres, mark in zip(one.distances_m[: at + 1], one.marked, strict=False):
        pen.line(
            (x_of(metres), line - 4, x_of(metres), line + 4), fill=FOUND_COLOUR if mark else MISSED_COLOUR, width=3
        )
    stop = x_of(min(one.stopping_m, farthest))
    pen.line((stop, line - 8, stop, line + 8), fill=INK, width=2)
    pen.text((stop, line + 11), f"stopping distance {one.stopping_m:.0f} m", fill=INK, font=small, anchor="ma")
