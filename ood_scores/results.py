"""Results on disk. This docstring is their documentation; ``results.json`` has ``"schema": 4``.

    RESULTS/results.json      everything but what belongs to single images: :class:`ResultsContent`
    RESULTS/images.jsonl      one row for each image: :class:`caos.ood_scores.measuring.records.ImageRow`
    RESULTS/results.csv       one row for each protocol, scorer and metric; a name that a spreadsheet would run as a
                              formula begins with a single quote
    RESULTS/table.md          the table of the paper for this set, published numbers beside it where there are any
    RESULTS/groups.npz        pooled metrics without each group of images, from which they can be resampled
    RESULTS/plan.json         what the results depend on: settings, and hashes of everything that was read
    RESULTS/inputs.json       hashes of the files that were read, with their size and time, to find changes quickly
    RESULTS/predictions/<key>.png          predicted class ids, 8 bit (not for foreign score maps)
    RESULTS/previews/<scorer>/<key>.png    score codes, 8 bit, at most 640 pixels a side
    RESULTS/maps/<scorer>/<key>.npz        scores as they were given, array "scores"; with --save-maps
    RESULTS/work                           state of an unfinished run; removed at its end

The fields of the dataclasses below are the keys of ``results.json``; all shares and metrics are fractions of one. A
scorer's name is its column: ``knn``, or ``knn:k=50`` with settings, or ``knn+crf`` smoothed; in the name of a folder a
comma stands for each colon (see :func:`column_folder`).

* ``measures``: {protocol: {scorer: :class:`Measured`}}; a value is exact, an interval is a 95 % confidence interval
  over images.
* ``significance``: measures by ``frame_protocol``, paired by image, the better scorer first.
* ``pixels``: by protocol, which pixels it counts, and what random scores get; see :class:`PixelsMeasured`.
* ``components``: by SegmentMeIfYouCan's definition, with true instance ids and with connected components.
* ``hazards``: names of thresholds are ``best_f1``, ``recall_95``, ``false_alarms_1`` (at most 1 %) ...; see
  :func:`caos.ood_scores.measuring.thresholds.chosen_thresholds`.
* ``breakdowns``: see :func:`caos.ood_scores.measuring.breakdowns.breakdowns` and, for ``ordinary class``,
  :func:`~caos.ood_scores.measuring.breakdowns.by_class`.
* ``curves``: from the highest threshold down, pooled.
* ``levels``: a preview's pixel with code c has a score of at least ``threshold[c - 1]`` and less than ``threshold[c]``;
  flagging all codes >= c, or all scores >= ``threshold[c - 1]``, flags exactly those shares of all pixels of the set.
* ``open_set``: open-mIoU and closed-mIoU; null without predicted classes, or where the truth has none. See
  :mod:`caos.ood_scores.measuring.open_set`.
* ``instances``: COCO's AP of the hazards; null without true instance ids. See
  :mod:`caos.ood_scores.measuring.instances`.
* ``noticing``: sequences only: from how far away each hazard is noticed, and whether a car can stop before it. See
  :mod:`caos.ood_scores.measuring.noticing`.
* ``published``: numbers of others for exactly the same held-out classes; see
  :mod:`caos.ood_scores.measuring.published`.
* ``cost``: {name: mean seconds an image}, ``forward`` for the network.
* ``spent``: {kind of work: mean seconds of wall time per image}; see :mod:`caos.ood_scores.evaluation.time_breakdown`.
* ``clock_s``: elapsed seconds per image, from the first image to the last number; null if none was scored anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal

from caos.foundation.errors import CaosError, unknown
from caos.foundation.settings import read_json, read_record
from caos.foundation.storage.files import read_jsonl, write_json, write_jsonl, write_text
from caos.ood_scores.checked_numbers import check_numbers
from caos.ood_scores.measuring.breakdowns import BreakdownGroup
from caos.ood_scores.measuring.components import Track
from caos.ood_scores.measuring.instances import Instances
from caos.ood_scores.measuring.noticing import Noticing
from caos.ood_scores.measuring.open_set import OpenSet
from caos.ood_scores.measuring.protocols import Protocol
from caos.ood_scores.measuring.published import PublishedRow
from caos.ood_scores.measuring.records import ImageRow
from caos.ood_scores.measuring.thresholds import Threshold
from caos.scenes.labels import LabelsUsed
from caos.segmentation.training.negatives import NegativesUsed

SCHEMA: Final = 4
KIND: Final = "caos results"
METRICS: Final = ("fpr95", "auroc", "aupr")
LONGEST_NAME: Final = 200
MetricName = Literal["auroc", "aupr", "fpr95"]
Negatives = NegativesUsed | Literal["none", "unknown"]
"""What a network learnt of foreign things: how, nothing, or nobody knows (a network or maps from outside)."""
Setting = bool | int | float | str | None


@dataclass(frozen=True)
class Metric:
    """A number and its 95 % interval.

    ``reliable`` is False where the interval is of too few images, or of equal values; tables mark it.
    """

    value: float
    low: float
    high: float
    reliable: bool = True


@dataclass(frozen=True)
class Measured:
    """The three numbers of one scorer by one protocol; how many images they are of, and how many were left out."""

    auroc: Metric
    aupr: Metric
    fpr95: Metric
    images: int
    excluded: int

    def metric(self, name: str) -> Metric:
        """One of the numbers by name.

        Raises:
            CaosError: If there is none of that name.
        """
        if name not in METRICS:
            raise unknown("metric", name, METRICS)
        found: Metric = getattr(self, name)
        return found


@dataclass(frozen=True)
class PixelsMeasured:
    """The pixels of the images that a protocol measures.

    Attributes:
        pixels: All of them.
        anomalous: How many are anomalous.
        left_out: How many count neither way.
        void: How many are void, left out or not.
        random_aupr: AUPR that random scores get: the anomalous share of the pixels that count; where images are
            measured one by one, the mean of their shares. A trapezoid gives random scores the same, and one constant
            score half of the way from there to 1.
    """

    pixels: int
    anomalous: int
    left_out: int
    void: int
    random_aupr: float


@dataclass(frozen=True)
class ScoredSet:
    """The images that were scored.

    Attributes:
        base_rate: The anomalous share of all their pixels, void included; :class:`PixelsMeasured` has that of the
            pixels that a protocol counts.
        void_share: The void share of all their pixels; None in results of older versions.
        leaves_void_out: Whether measures of the set leave void out unless a protocol is asked for.
        labels_digest: Hash of the images' keys and of the content of their label and instance files, and of the label
            values that are anomalous; None in results of older versions. Sets that were moved or copied keep it.
        images_digest: Hash of the keys and the content of the image files; None likewise.
    """

    root: str
    name: str
    labels: LabelsUsed
    split: Literal["train", "val", "test"]
    images: int
    hazards: int
    base_rate: float
    void_share: float | None = None
    leaves_void_out: bool = False
    labels_digest: str | None = None
    images_digest: str | None = None


@dataclass(frozen=True)
class ScorerRecord:
    """One column of the table.

    Attributes:
        name: Name of the column.
        title: How tables print it.
        scorer: Name of the scorer, or of the folder of score maps.
        settings: All its settings; empty for score maps.
        summary: What it does, in a line.
        reference: The paper.
        note: What to know beside its number, or nothing.
    """

    name: str
    title: str
    scorer: str
    settings: Mapping[str, Setting]
    summary: str
    reference: str
    note: str = ""


@dataclass(frozen=True)
class Excluded:
    """An image that the protocol of single images cannot measure, and why."""

    key: str
    reason: str


@dataclass(frozen=True)
class Significance:
    """Whether one scorer beats another beyond chance; see :class:`caos.ood_scores.measuring.statistics.PairedTest`."""

    metric: MetricName
    first: str
    second: str
    difference: float
    low: float
    high: float
    p_value: float
    p_adjusted: float
    images: int


@dataclass(frozen=True)
class ComponentNumbers:
    """Component metrics; the counts are at an sIoU of one half, a mean is None where there is nothing to average."""

    objects: int
    regions: int
    mean_siou: float | None
    mean_ppv: float | None
    mean_f1: float | None
    found_50: int
    missed_50: int
    false_50: int


@dataclass(frozen=True)
class ComponentsOf:
    """Component metrics of one scorer at one threshold, by true instance ids and by connected components."""

    threshold: Threshold
    instances: ComponentNumbers
    connected: ComponentNumbers


@dataclass(frozen=True)
class Components:
    """Component metrics of all scorers."""

    track: Track
    definition: str
    scorers: Mapping[str, ComponentsOf]


@dataclass(frozen=True)
class FoundCount:
    """How many hazards were found, of how many."""

    found: int
    of: int


@dataclass(frozen=True)
class HazardsFound:
    """By scorer and name of a threshold: what it is, and how many hazards were found there."""

    definition: str
    thresholds: Mapping[str, Mapping[str, Threshold]]
    found: Mapping[str, Mapping[str, FoundCount]]


@dataclass(frozen=True)
class ScoreCurve:
    """Points of the pooled curves of one scorer."""

    threshold: tuple[float, ...]
    recall: tuple[float, ...]
    false_alarms: tuple[float, ...]
    precision: tuple[float, ...]


@dataclass(frozen=True)
class CodeLevels:
    """What flagging from one code of a preview on means; the first entry is for code 1."""

    threshold: tuple[float, ...]
    recall: tuple[float, ...]
    false_alarms: tuple[float, ...]


@dataclass(frozen=True)
class ResultsContent:
    """What ``results.json`` holds.

    Attributes:
        dataset: The images.
        source: What made the scores.
        scorers: The columns, in the order asked for.
        not_run: Scorers that could not run, and why.
        protocols: The definitions, in the order asked for, as they apply to this set.
        measures: The numbers, by protocol and scorer.
        excluded: Images that ``frame_protocol`` cannot measure.
        significance: Every pair of scorers.
        components: None where objects were not judged.
        hazards: None where objects were not judged.
        breakdowns: By name, groups by name.
        curves: By scorer.
        levels: By scorer.
        published: Numbers of others for exactly the same held-out classes, by any protocol.
        cost: Mean seconds an image.
        open_set: None without predicted classes.
        instances: None without true instances, or where objects were not judged.
        noticing: None without sequences in which a hazard is neared, or where objects were not judged.
        provenance: Versions, commit, seed, configuration.
        negatives: Whether the network was trained with negatives: the field keeps the two kinds of results apart.
        learnt_kinds: Kinds of hazard that are measured here though the network was trained with them.
        spent: Mean wall time per image in seconds, by kind of work.
        clock_s: Elapsed seconds per image; None if none was scored anew.
        pixels: Which pixels count, by protocol; empty in results of older versions.
        frame_protocol: Definition of single images: breakdowns, significance, ``images.jsonl`` and pages go by it.
    """

    dataset: ScoredSet
    source: Mapping[str, Any]
    scorers: tuple[ScorerRecord, ...]
    not_run: Mapping[str, str]
    protocols: tuple[Protocol, ...]
    measures: Mapping[str, Mapping[str, Measured]]
    excluded: tuple[Excluded, ...]
    significance: tuple[Significance, ...]
    components: Components | None
    hazards: HazardsFound | None
    breakdowns: Mapping[str, Mapping[str, BreakdownGroup]]
    curves: Mapping[str, ScoreCurve]
    levels: Mapping[str, CodeLevels]
    published: tuple[PublishedRow, ...]
    cost: Mapping[str, float]
    provenance: Mapping[str, Any]
    negatives: Negatives = "unknown"
    learnt_kinds: tuple[str, ...] = ()
    open_set: OpenSet | None = None
    instances: Instances | None = None
    noticing: Noticing | None = None
    spent: Mapping[str, float] = field(default_factory=dict)
    clock_s: float | None = None
    pixels: Mapping[str, PixelsMeasured] = field(default_factory=dict)
    frame_protocol: str = "caos"
    schema: int = SCHEMA
    kind: str = KIND

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the scorers."""
        return tuple(scorer.name for scorer in self.scorers)


@dataclass(frozen=True, eq=False)
class Results:
    """Results of one scoring run, as they are on disk."""

    folder: Path
    content: ResultsContent

    def measured(self, scorer: str, protocol: str | None = None) -> Measured:
        """The numbers of one scorer; by the first protocol unless one is named.

        Raises:
            CaosError: If there is no such scorer or protocol in these results.
        """
        measures = self.content.measures
        name = protocol or self.content.protocols[0].name
        if name not in measures:
            raise unknown("protocol of these results", name, measures)
        if scorer not in measures[name]:
            raise unknown("scorer of these results", scorer, measures[name])
        return measures[name][scorer]

    def value(self, scorer: str, metric: str, protocol: str | None = None) -> float:
        """One number, for example ``results.value("max_logit", "auroc")``.

        Raises:
            CaosError: If these results do not have it.
        """
        return self.measured(scorer, protocol).metric(metric).value

    def images(self) -> tuple[ImageRow, ...]:
        """The rows of ``images.jsonl``.

        Raises:
            CaosError: If the file is missing or a row is damaged.
        """
        path = self.folder / "images.jsonl"
        rows = []
        for number, row in enumerate(read_jsonl(path), 1):
            rows.append(read_record(ImageRow, row, f"{path}, line {number}"))
            check_numbers(rows[-1], f"{path}, line {number}")
        return tuple(rows)

    def markdown(self, *, published: bool = False) -> str:
        """The tables, one for each protocol, in Markdown; ``published`` adds what others published by the same."""
        from caos.ood_scores.report.tables import markdown

        return markdown(self.content, published=published)


def read(folder: Path) -> Results:
    """The results in a folder.

    Raises:
        CaosError: If there are none, they are damaged, or of another schema.
    """
    path = folder / "results.json"
    if not path.is_file():
        raise CaosError(
            f"{folder} holds no results.json; make results with: caos score DATASET --run RUN --out {folder}"
        )
    content = read_json(path)
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise CaosError(f"{path} is not a results file of schema {SCHEMA}; score the set again")
    record = read_record(ResultsContent, content, path)
    check_numbers(record, path)
    check_columns(record.columns, path)
    named = [protocol.name for protocol in record.protocols]
    if sorted(named) != sorted(record.measures):
        raise CaosError(f"{path}: protocols are {named}, but there are measures of {list(record.measures)}")
    return Results(folder, record)


def write(folder: Path, content: ResultsContent, rows: Sequence[ImageRow]) -> Results:
    """Write every file but the pictures; ``results.json`` last, for it says that the others are whole."""
    from caos.ood_scores.report.tables import as_csv, markdown

    write_jsonl(folder / "images.jsonl", rows)
    write_text(folder / "results.csv", as_csv(content))
    write_text(folder / "table.md", markdown(content))
    write_json(folder / "results.json", content)
    return Results(folder, content)


def column_folder(name: str) -> str:
    """The name of a column's folder: not every file system has colons in names."""
    return name.replace(":", ",")


def check_columns(names: Sequence[str], where: object) -> None:
    """Refuse names of columns that cannot be the name of one folder each.

    Raises:
        CaosError: If a name is a path, too long or empty, or two would share a folder.
    """
    taken: dict[str, str] = {}
    for name in names:
        if not name.strip(" .") or len(name) > LONGEST_NAME or not name.isprintable() or set(name) & set('/\\<>"|?*'):
            raise CaosError(f"{where}: {name[:LONGEST_NAME]!r} cannot name a scorer: it is not a valid file name")
        other = taken.setdefault(column_folder(name), name)
        if other != name:
            raise CaosError(f"{where}: the scorers {other!r} and {name!r} would share one folder; rename one")
    if len(set(names)) < len(names):
        twice = next(name for name in names if list(names).count(name) > 1)
        raise CaosError(f"{where}: two scorers are called {twice!r}; give one of them other settings or another name")
