"""Plots of a study's page, as data: what is shown, not how it is drawn (``assets/pages/study.js`` draws it)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

from caos.studies.presentation.names import with_titles

Point = tuple[float, float]


@dataclass(frozen=True)
class Axis:
    """An axis.

    Attributes:
        label: What it shows.
        low: Where it begins; None for the least value there is.
        high: Where it ends; None for the greatest value there is.
        is_percent: Whether fractions of one are printed times 100.
        names: Of its ticks 0, 1, 2 ..., for an axis of names in place of numbers.
    """

    label: str
    low: float | None = None
    high: float | None = None
    is_percent: bool = False
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Series:
    """Points joined by a line, by name."""

    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True)
class LinePlot:
    """Lines over one axis; where there are many, the best have colours: those with high values, or with low ones."""

    kind: ClassVar[str] = "lines"
    title: str
    note: str
    x: Axis
    y: Axis
    series: tuple[Series, ...]
    better: Literal["higher", "lower"] = "higher"


@dataclass(frozen=True)
class Dot:
    """A labelled point, with intervals both ways where they are known."""

    name: str
    x: float
    y: float
    x_interval: Point | None = None
    y_interval: Point | None = None


@dataclass(frozen=True)
class ScatterPlot:
    """Labelled dots; ``diagonal`` draws where x equals y."""

    kind: ClassVar[str] = "scatter"
    title: str
    note: str
    x: Axis
    y: Axis
    dots: tuple[Dot, ...]
    diagonal: bool = False


@dataclass(frozen=True)
class MatrixPlot:
    """Numbers of rows against columns, from ``low`` (orange) to ``high`` (blue), which may be the smaller one.

    None stands where there is no number.

    ``details`` says more of a cell when it is pointed at.
    """

    kind: ClassVar[str] = "matrix"
    title: str
    note: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    details: tuple[tuple[str, ...], ...]
    low: float
    high: float
    is_percent: bool = False
    digits: int = 2


@dataclass(frozen=True)
class Bar:
    """A bar by name, with an interval where it is known; None where there is no value."""

    name: str
    value: float | None
    interval: Point | None = None


@dataclass(frozen=True)
class BarPlot:
    """Horizontal bars over one axis."""

    kind: ClassVar[str] = "bars"
    title: str
    note: str
    x: Axis
    bars: tuple[Bar, ...]


Plot = LinePlot | ScatterPlot | MatrixPlot | BarPlot


def plot_data(plot: Plot) -> dict[str, Any]:
    """What the page's script draws, JSON-ready: scorers by their titles."""
    data = {"kind": plot.kind, **asdict(plot)}
    for part in ("series", "dots", "bars"):
        data[part] = [{**one, "name": with_titles(one["name"])} for one in data.get(part, ())]
    for part in ("rows", "columns"):
        data[part] = [with_titles(name) for name in data.get(part, ())]
    return data
