"""Calibration in the tables and on the pages of studies: RMS error, AURRA and the response-rate curve."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import numpy as np

from caos.studies.presentation.plots import Axis, LinePlot, Series
from caos.studies.presentation.tables import TableColumn

CALIBRATION_COLUMNS: Final = (
    TableColumn("calibration_rms", "RMS calibration error", "percent", better="lower"),
    TableColumn("aurra", "AURRA", "percent", better="higher"),
)
CALIBRATION_NOTE: Final = (
    "RMS calibration error: how far confidence is from accuracy. AURRA: the area under accuracy against the share of "
    "pixels answered, most confident first."
)


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
