"""Audit of a set in the StreetHazards layout: ours, the genuine release, or BDD-Anomaly."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from caos.foundation.execution import executor
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.files import paths_below
from caos.scenes.dataset.checks import Checked, Problem, SampleChecker, SampleJob
from caos.scenes.dataset.genuine_release import genuine_share
from caos.scenes.dataset.layout import PLACES, SPLITS, Dataset, Sample, listed_sizes, listed_twice
from caos.scenes.labels import LabelTable, contradiction_of
from caos.scenes.recipes.hazard_limits import PartLimits, limits_of_parts

FEWEST_FOR_CLASSES: Final = 30
"""Smaller splits may lack a class by chance."""
FEWEST_FOR_WORKERS: Final = 64
"""Smaller sets are checked before a second process has started."""


@dataclass(frozen=True, eq=False)
class Audit:
    """The outcome: problems, images per split, sizes, class shares per split and town, and limits on the hazards."""

    problems: tuple[Problem, ...]
    counts: Mapping[str, int]
    sizes: Mapping[str, int]
    shares: tuple[Mapping[str, Any], ...]
    limits: tuple[PartLimits, ...] = ()

    @property
    def errors(self) -> int:
        """How many problems are errors."""
        return sum(problem.level == "error" for problem in self.problems)

    def to_json(self) -> dict[str, Any]:
        """Plain values for ``--json``."""
        rules = Counter((p.level, p.rule) for p in self.problems)
        return {
            "ok": self.errors == 0,
            "errors": self.errors,
            "warnings": len(self.problems) - self.errors,
            "rules": [{"level": level, "rule": rule, "count": n} for (level, rule), n in sorted(rules.items())],
            "problems": [vars(problem) for problem in self.problems],
            "counts": dict(self.counts),
            "sizes": dict(self.sizes),
            "class_shares": [dict(row) for row in self.shares],
            "hazard_limits": [asdict(part) for part in self.limits],
        }


def audit(dataset: Dataset, *, workers: int | None = None, progress: Progress = SILENT) -> Audit:
    """Check every file of a set. Problems are collected, never raised.

    Raises:
        CaosError: If the manifest cannot be read at all.
    """
    manifest = dataset.manifest()
    samples = [sample for split in SPLITS for sample in dataset.splits.get(split, ())]
    results = _checked(dataset, samples, manifest, workers or os.cpu_count() or 1, progress)
    problems = [*_description_problems(dataset), *(problem for result in results for problem in result.problems)]
    problems += _unlisted(dataset, samples) + _duplicates(results) + _missing_from_manifest(dataset, manifest, samples)
    problems += (
        _missing_classes(results, dataset.labels) + _on_both_sides(dataset, manifest) + _labels_as_images(results)
    )
    counts: dict[str, int] = {split: len(dataset.splits.get(split, ())) for split in SPLITS}
    sizes = Counter(f"{r.size[0]}x{r.size[1]}" for r in results if r.size[0])
    shares = tuple(class_shares(results, dataset.labels))
    return Audit(tuple(problems), counts, sizes, shares, limits_of_parts(dataset))


def _checked(
    dataset: Dataset, samples: Sequence[Sample], manifest: Mapping[str, Any], workers: int, progress: Progress
) -> list[Checked]:
    """What each sample showed, in the order of the lists."""
    with_images = bool(dataset.info.get("images", True))
    checker = SampleChecker(dataset.root, dataset.labels, with_images, exposed_parts(dataset))
    sizes = listed_sizes(dataset.root)
    jobs = [
        SampleJob(i, sample, manifest.get(sample.key, {}), sizes.get(sample.annotation, (None, None)))
        for i, sample in enumerate(samples)
    ]
    results = []
    with progress.task("checking", len(jobs)) as task:
        for result in executor.run(jobs, checker, workers if len(jobs) >= FEWEST_FOR_WORKERS else 1):
            results.append(result)
            task.advance()
    return sorted(results, key=lambda result: result.number)


def exposed_parts(dataset: Dataset) -> frozenset[str]:
    """Parts outside test that have hazards on purpose: ``split/town``."""
    parts = dataset.info.get("parts", ())
    return frozenset(f"{part['split']}/{part['folder']}" for part in parts if part.get("objects"))


def _description_problems(dataset: Dataset) -> list[Problem]:
    """What is wrong with the lists, and with the label table that ``dataset.json`` names."""
    problems = [
        Problem("error", "listed twice", key, f"the lists name this image {count} times")
        for key, count in listed_twice(dataset.splits).items()
    ]
    return [*problems, *_count_problems(dataset), *_table_problems(dataset)]


def _count_problems(dataset: Dataset) -> list[Problem]:
    file, found = str(dataset.root / "dataset.json"), {split: len(dataset.splits.get(split, ())) for split in SPLITS}
    return [
        Problem(
            "error", "wrong count", file, f"counts.{split} is {count}, but the lists name {found.get(split, 0)} images"
        )
        for split, count in dataset.info.get("counts", {}).items()
        if count != found.get(split, 0)
    ]


def _table_problems(dataset: Dataset) -> list[Problem]:
    own, file, problems = dataset.info.get("labels", {}), str(dataset.root / "dataset.json"), []
    if own.get("name") != dataset.labels.name:
        return []
    if own.get("digest", dataset.labels.digest) != dataset.labels.digest:
        text = f"labelled with a table of digest {own['digest']}; {own['name']!r} has {dataset.labels.digest} here"
        problems.append(Problem("error", "label table changed", file, text))
    if wrong := contradiction_of(dataset.info.get("classes", ()), dataset.labels):
        problems.append(Problem("error", "classes contradict the label table", file, wrong))
    return problems


def _on_both_sides(dataset: Dataset, manifest: Mapping[str, Mapping[str, Any]]) -> list[Problem]:
    """Kinds of hazard, and categories in a set divided by them, that training or validation and test show."""
    by_category = any(part.get("split_by") == "category" for part in dataset.info.get("parts", ()))
    problems = []
    for what in ("kind", "category") if by_category else ("kind",):
        sides: dict[bool, set[str]] = {True: set(), False: set()}
        for row in manifest.values():
            sides[row.get("split") == "test"] |= {str(hazard.get(what)) for hazard in row.get("hazards", ())}
        text = f"a {what} of hazard that training and test both show"
        problems += [Problem("error", f"{what} on both sides", n, text) for n in sorted(sides[True] & sides[False])]
    return problems


def _unlisted(dataset: Dataset, samples: Sequence[Sample]) -> list[Problem]:
    listed = {sample.annotation for sample in samples}
    found = [
        p
        for place in PLACES.values()
        for p in paths_below(dataset.root / place.top / "annotations" / place.folder, "*.png")
    ]
    text = "an annotation that no list names"
    return [Problem("warning", "unlisted file", str(p), text) for p in sorted(set(found) - listed) if p.name[0] != "."]


def _duplicates(results: Sequence[Checked]) -> list[Problem]:
    same: dict[str, list[Sample]] = defaultdict(list)
    for result in results:
        if result.image_hash:
            same[result.image_hash].append(result.sample)
    return [
        Problem("warning", "duplicate image", str(copy.image), f"the same bytes as {group[0].key}")
        for group in same.values()
        for copy in group[1:]
    ]


def _labels_as_images(results: Sequence[Checked]) -> list[Problem]:
    """Images that are the label file of another image; those of their own labels are found one by one."""
    labels = {result.label_hash: result.sample.key for result in results if result.label_hash}
    return [
        Problem(
            "error", "label as image", str(r.sample.image), f"the same bytes as the labels of {labels[r.image_hash]}"
        )
        for r in results
        if r.image_hash in labels and r.image_hash != r.label_hash
    ]


def _missing_from_manifest(dataset: Dataset, manifest: Mapping[str, Any], samples: Sequence[Sample]) -> list[Problem]:
    path = dataset.root / "manifest.jsonl"
    if not manifest:
        text = f"it has no row, but the lists name {len(samples)} images"
        return [Problem("error", "empty manifest", str(path), text)] if path.exists() and samples else []
    keys = {sample.key for sample in samples}
    lost = [
        Problem("error", "not on disk", key, "the manifest names an image no list has")
        for key in manifest
        if key not in keys
    ]
    text = "the manifest has no row for this image"
    return lost + [Problem("error", "not in manifest", s.key, text) for s in samples if s.key not in manifest]


def _missing_classes(results: Sequence[Checked], table: LabelTable) -> list[Problem]:
    """Classes that a split of some size never shows: their IoU is undefined there."""
    problems = []
    for split in SPLITS:
        own = [result for result in results if result.sample.split == split]
        if len(own) < FEWEST_FOR_CLASSES:
            continue
        for row in (r for r in table.classes if r.role == "train"):
            if not any(result.pixels.get(row.name) for result in own):
                text = f"no pixel of {row.name!r} in {len(own)} images"
                problems.append(Problem("warning", "class missing", split, text))
    return problems


def class_shares(results: Iterable[Checked], table: LabelTable) -> list[dict[str, Any]]:
    """Percent of pixels of each class per split and town, with the genuine release's beside it where it has one."""
    totals: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for result in results:
        totals[result.sample.split, result.sample.town].update(result.pixels)
    rows = []
    for (split, town), pixels in totals.items():
        whole = sum(pixels.values())
        for entry in table.classes:
            share = 100 * pixels[entry.name] / whole if whole else 0.0
            genuine = genuine_share(entry.name, split, town) if table.name.startswith("streethazards") else None
            rows.append({"split": split, "town": town, "class": entry.name, "percent": share, "genuine": genuine})
    return rows
