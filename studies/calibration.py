"""Calibration in the tables and on the pages of studies: RMS error, AURRA and the response-rate curve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from caos.studies.measuring import response_curve
from caos.studies.plots import Axis, LinePlot, Series
from caos.studies.tables import TableColumn

CALIBRATION_COLUMNS: Final = (
    TableColumn("calibration_rms", "RMS calibration error", "percent", better="lower"),
    TableColumn("aurra", "AURRA", "percent", better="higher"),
)
CALIBRATION_NOTE: Final = (
    "RMS calibration error: how far confidence is from accuracy. AURRA: the area under accuracy against the share of "
    "pixels answered, most confident first."
)


@dataclass(frozen=True)
class AnswerCalibration:
    """How well confidence tells right from wrong answers; None and empty where nothing was answered."""

    rms: float | None
    aurra: float | None
    response: tuple[float, ...]


def calibration_of(cells: npt.NDArray[np.float64]) -> AnswerCalibration:
    """The calibration of answers counted in cells ``(n, 3)`` of confidence: answers, right ones, sum of confidences."""
    from caos.segmentation.evaluate import aurra, calibration_rms

    return AnswerCalibration(calibration_rms(cells), aurra(cells), response_curve(cells))


def response_plot(curves: Mapping[str, Iterable[Sequence[float]]], answers: str = "pixels") -> LinePlot:
    """Accuracy against the share of answers given: one line a name, the mean of its curves; none without a curve."""
    series = []
    for name, several in curves.items():
        there = [curve for curve in several if curve]
        if there:
            mean = np.mean(there, axis=0)
            series.append(Series(name, tuple((i / (mean.size - 1), float(v)) for i, v in enumerate(mean))))
    return LinePlot(
        "Response rate and accuracy",
        f"Accuracy of the most confident share of the {answers}; AURRA is the area below.",
        Axis(f"share of the {answers}, most confident first, %", 0.0, 1.0, is_percent=True),
        Axis("accuracy, %", is_percent=True),
        tuple(series),
    )
