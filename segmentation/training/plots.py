"""Pictures of a run: its learning curve, its confusion matrix, and what it predicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from caos.foundation.execution.matplotlib_settings import load_matplotlib
from caos.foundation.storage.files import whole_file
from caos.scenes.labels import VOID, LabelTable
from caos.segmentation.training.evaluate import SegmentationQuality

INK: Final = "#33363b"
LINE: Final = "#0b6e99"
SECOND: Final = "#c8553d"


CAPTIONS: Final = ("picture", "truth", "prediction")
MEASURES: Final = {"miou_present": "mIoU of the classes present", "difference": "difference"}


def draw_curves(path: Path, history: Sequence[Mapping[str, Any]], watched: str) -> None:
    """Loss and the watched validation measure over the epochs."""
    figure, axes = _figure(9.0, 3.4, columns=2)
    epochs = [row["epoch"] for row in history]
    axes[0].plot(epochs, [row["loss"] for row in history], color=SECOND, marker="o", markersize=3)
    axes[0].set(title="training loss", xlabel="epoch")
    measured = [(row["epoch"], row[watched]) for row in history if row.get(watched) is not None]
    axes[1].plot(*zip(*measured, strict=True) if measured else ([], []), color=LINE, marker="o", markersize=3)
    axes[1].set(title=f"validation: {MEASURES.get(watched, watched)}", xlabel="epoch")
    for axis in axes:
        axis.grid(alpha=0.25)
        axis.set_ylim(0, 1.05 * axis.get_ylim()[1])
        axis.xaxis.get_major_locator().set_params(integer=True)
    _save(figure, path)


def draw_confusion(path: Path, quality: SegmentationQuality, title: str) -> None:
    """Shares of each true class by predicted class."""
    truth = quality.confusion.sum(1, keepdims=True)
    shares = np.where(truth > 0, quality.confusion / np.maximum(truth, 1), np.nan)
    count = len(quality.names)
    side = 2.6 + 0.42 * count
    figure, axes = _figure(side, side * 0.92, columns=1)
    axis = axes[0]
    image = axis.imshow(shares, cmap="viridis", vmin=0, vmax=1)
    axis.set_xticks(range(count), quality.names, rotation=60, ha="right")
    axis.set_yticks(range(count), quality.names)
    axis.set(title=title, xlabel="predicted", ylabel="truth")
    axis.title.set_fontsize(10)
    for row, column in np.ndindex(count, count):
        share = shares[row, column]
        if share >= 0.005:
            color = "white" if share < 0.6 else "black"
            axis.text(column, row, f"{100 * share:.0f}", ha="center", va="center", fontsize=6.5, color=color)
    for row in np.flatnonzero(truth[:, 0] == 0):
        axis.text((count - 1) / 2, row, "no pixel in the truth", ha="center", va="center", fontsize=7, color="#777777")
    figure.colorbar(image, ax=axis, fraction=0.046, pad=0.03, label="share of the true class")
    _save(figure, path)


def draw_reconstructions(path: Path, rows: Sequence[tuple[NDArray[np.uint8], NDArray[np.uint8]]]) -> None:
    """One row a picture: the picture, and what the autoencoder makes of it."""
    _sheet(path, [list(row) for row in rows], ("picture", "reconstruction"))


def draw_predictions(
    path: Path, rows: Sequence[tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]], table: LabelTable
) -> None:
    """One row a picture: the picture, the truth, the prediction (void pixels of the truth white in both)."""
    sheet = []
    for picture, truth, predicted in rows:
        shown = np.where(truth == VOID, np.uint8(VOID), predicted)
        sheet.append([picture, table.colorize(truth), table.colorize(shown)])
    _sheet(path, sheet, CAPTIONS)


def labelled(picture: NDArray[np.uint8], text: str, width: int) -> NDArray[np.uint8]:
    """A picture at a width, for a sheet, its name in the corner."""
    import cv2

    size = (width, round(width * picture.shape[0] / picture.shape[1]))
    tile = cv2.resize(picture, size, interpolation=cv2.INTER_AREA)
    if text:
        cv2.rectangle(tile, (0, 0), (8 * len(text) + 16, 17), (0, 0, 0), cv2.FILLED)
        cv2.putText(tile, text, (4, 13), cv2.FONT_HERSHEY_SIMPLEX, 0.42, (255, 255, 255), 1, cv2.LINE_AA)
    return np.asarray(tile, np.uint8)


def _sheet(
    path: Path, rows: Sequence[Sequence[NDArray[np.uint8]]], captions: Sequence[str], width: int = 400, gap: int = 4
) -> None:
    from PIL import Image

    lines = [_caption_row(captions, width, gap)]
    for row in rows:
        cells = [Image.fromarray(cell).resize((width, round(width * cell.shape[0] / cell.shape[1]))) for cell in row]
        line = [np.pad(np.asarray(cell), ((0, gap), (0, gap), (0, 0)), constant_values=255) for cell in cells]
        lines.append(np.concatenate(line, 1))
    with whole_file(path) as temporary:
        Image.fromarray(np.concatenate(lines)[:-gap, :-gap]).save(temporary, format="PNG")


def _caption_row(captions: Sequence[str], width: int, gap: int) -> NDArray[np.uint8]:
    from PIL import Image, ImageDraw, ImageFont

    row = Image.new("RGB", (len(captions) * (width + gap), 26), "white")
    for column, caption in enumerate(captions):
        ImageDraw.Draw(row).text((column * (width + gap) + 4, 4), caption, fill=INK, font=ImageFont.load_default(15))
    return np.asarray(row)


def _figure(width: float, height: float, columns: int) -> tuple[Any, Any]:
    load_matplotlib()
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, columns, squeeze=False)[0]
    for axis in axes:
        axis.tick_params(labelsize=8, colors=INK)
    return figure, axes


def _save(figure: Any, path: Path) -> None:
    with whole_file(path) as temporary:
        figure.savefig(temporary, dpi=130, format="png", bbox_inches="tight")
