"""Site of several results: a leaderboard, differences frame by frame, and the pages of each below it.

SITE/index.html       the leaderboard and the differences; data.js and scripts beside it
SITE/<name>/          the site of one results folder, or the page of a study
SITE/comparison.json  marks the folder
"""

from __future__ import annotations

import itertools
import json
import re
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.settings import read_json
from caos.foundation.storage.claims import claimed
from caos.foundation.storage.files import real_path, write_text
from caos.foundation.storage.provenance import provenance
from caos.ood_scores import results as scoring
from caos.ood_scores.measuring.statistics import paired_tests
from caos.ood_scores.report.build import Site, build_site, color_scale, copy_static, made_by, page_templates
from caos.ood_scores.report.comparison import group_of
from caos.ood_scores.report.pixel_words import pixel_words
from caos.ood_scores.report.same_set import check_sets_of_one_name
from caos.ood_scores.report.telling_frames import FOUND_AT
from caos.ood_scores.results import METRICS, Results

STATIC: Final = ("style.css", "common.js", "plots.js", "score_maps.js", "compare.js")
STUDY_FILES: Final = ("*.html", "*.js", "*.css", "*.md", "*.csv", "study.json")
PLAIN: Final = re.compile(r"[^A-Za-z0-9._-]+")
FEWEST: Final = 6
"""With fewer images no difference can be told from chance."""
Json = dict[str, Any]


@dataclass(frozen=True)
class Compared:
    """One entry of a comparison: a name, a folder of results or of a study, and where its pages are below the site."""

    name: str
    folder: Path
    place: str

    @property
    def is_study(self) -> bool:
        """Whether the folder holds a study."""
        return (self.folder / "study.json").is_file()


def compared(words: Sequence[str]) -> tuple[Compared, ...]:
    """The entries that words such as ``results/plain`` or ``plain=results/plain`` stand for.

    Without a name, the folder's; where two folders have one name, as much of their paths as tells them apart.

    Raises:
        CaosError: If a folder does not exist, or a name is given twice.
    """
    pairs = [_pair(word) for word in words]
    names = [name or _short_name(folder, [other for _, other in pairs]) for name, folder in pairs]
    for name in names:
        if names.count(name) > 1:
            raise CaosError(f"two results are called {name!r}; name them: caos report first=DIR second=DIR --out SITE")
    places = [PLAIN.sub("-", name).strip(".-") or "results" for name in names]
    places = [f"{place}-{number}" if places.count(place) > 1 else place for number, place in enumerate(places)]
    return tuple(Compared(n, folder, place) for n, (_, folder), place in zip(names, pairs, places, strict=True))


def _pair(word: str) -> tuple[str, Path]:
    name, _, path = word.partition("=")
    if Path(word).exists() or not path:
        name, path = "", word
    if not Path(path).is_dir():
        raise CaosError(f"{path} is not a folder; give folders that 'caos score' or 'caos study' wrote")
    return name, Path(path)


def _short_name(folder: Path, folders: Sequence[Path]) -> str:
    parts = real_path(folder).parts
    for length in range(1, len(parts)):
        tail = parts[-length:]
        if sum(real_path(other).parts[-length:] == tail for other in folders) == 1:
            return "/".join(tail)
    return str(folder)


def build_comparison(
    entries: Sequence[Compared],
    out: Path,
    *,
    dataset_root: Path | None = None,
    workers: int | None = None,
    unchecked: bool = False,
    progress: Progress = SILENT,
) -> Site:
    """Build one site of several results and studies; pages that are up to date stay.

    Args:
        entries: At least one of them results; see :func:`compared`.
        out: Folder of the site.
        dataset_root: The set of all results, if it has moved since it was scored.
        workers: Processes that draw; None for all cores.
        unchecked: Take results of older versions, which have no digest of their set, for what their set is called.
        progress: Where progress is shown.

    Raises:
        CaosError: If a folder holds neither results nor a study, a set cannot be found, two sets have one name, or
            ``out`` holds something else than a comparison.
    """
    found = {entry.name: scoring.read(entry.folder) for entry in entries if not entry.is_study}
    if not found:
        raise CaosError("a comparison needs at least one folder of results; give one that 'caos score' wrote")
    check_sets_of_one_name(list(found.values()), unchecked=unchecked)
    with claimed(out, "comparison.json", {"comparison": 1}, "comparison of results"):
        _remove_others(out, entries)
        frames = 0
        for entry in entries:
            if entry.is_study:
                _copy_study(entry.folder, out / entry.place)
                continue
            site = build_site(
                entry.folder,
                out / entry.place,
                dataset_root=dataset_root,
                workers=workers,
                above="Compare",
                progress=progress,
            )
            frames += site.frames
        _write_page(entries, found, out)
    return Site(out / "index.html", frames)


def _remove_others(out: Path, entries: Sequence[Compared]) -> None:
    """Remove the pages of entries that are no longer compared; nothing else."""
    kept = {entry.place for entry in entries}
    for folder in out.iterdir():
        ours = (folder / "site.json").is_file() or (folder / "study.json").is_file()
        if folder.is_dir() and folder.name not in kept and ours:
            shutil.rmtree(folder)


def _copy_study(folder: Path, place: Path) -> None:
    place.mkdir(parents=True, exist_ok=True)
    for path in itertools.chain.from_iterable(folder.glob(pattern) for pattern in STUDY_FILES):
        shutil.copyfile(path, place / path.name)


def _write_page(entries: Sequence[Compared], found: dict[str, Results], out: Path) -> None:
    results = [_entry(entry, found[entry.name], out) for entry in entries if entry.name in found]
    _tell_apart(results)
    studies = [_study(entry) for entry in entries if entry.name not in found]
    data = {"entries": results, "studies": studies, "scorers": []}
    write_text(out / "data.js", f"window.CAOS = {json.dumps(data, separators=(',', ':'))};\n")
    copy_static(out, STATIC)
    page = page_templates().get_template("compare.html.j2")
    pages = [("index.html", "Compare"), *((f"{entry.place}/index.html", entry.name) for entry in entries)]
    footer = made_by(provenance({}, None), f"{len(results)} results. ")
    text = page.render(
        here="index.html", title="Compare", pages=pages, scale=color_scale(), footer=footer, script_of_index="compare"
    )
    write_text(out / "index.html", text)


def _study(entry: Compared) -> Json:
    content = read_json(entry.folder / "study.json")
    return {
        "name": entry.name,
        "place": entry.place,
        "title": content.get("title", ""),
        "lead": content.get("lead", ""),
    }


def _entry(entry: Compared, results: Results, out: Path) -> Json:
    """What the comparison shows of one results folder."""
    content, about = results.content, results.content.dataset
    shown = _site_frames(out / entry.place)
    protocol = content.frame_protocol
    rows = [row for row in results.images() if row.key in shown]
    return {
        "name": entry.name,
        "place": entry.place,
        "set": about.name,
        "split": about.split,
        "images": about.images,
        "group": group_of(results),
        "frame_protocol": protocol,
        "scorers": list(content.columns),
        "titles": {scorer.name: scorer.title for scorer in content.scorers},
        "table": {name: _rows(results, name) for name in content.measures},
        "pixels": {one.name: pixel_words(content, one) for one in content.protocols},
        "frames": {
            row.key: {
                "dir": f"{entry.place}/{shown[row.key]['dir']}",
                "size": [row.width, row.height],
                "has": shown[row.key]["has"],
                "truth": [row.anomalous, row.ordinary],
                "auroc": [
                    None if (one := row.measures.get(s, {}).get(protocol)) is None else round(one.auroc, 4)
                    for s in content.columns
                ],
            }
            for row in rows
        },
    }


def _tell_apart(entries: Sequence[Json]) -> None:
    """Give each entry ``against``: by scorer, how far its AUROC is below the best on that set, and the adjusted p."""
    for entry in entries:
        entry["against"] = {}
    kinds = dict.fromkeys((entry["set"], entry["split"], entry["frame_protocol"]) for entry in entries)
    for kind in kinds:
        same = [one for one in entries if (one["set"], one["split"], one["frame_protocol"]) == kind]
        keys = _shared_keys(same)
        columns = {
            (place, scorer): np.array([one["frames"][key]["auroc"][number] for key in keys])
            for place, one in enumerate(same)
            for number, scorer in enumerate(one["scorers"])
        }
        if len(keys) < FEWEST or len(columns) < 2:
            continue
        names = {f"{place} {scorer}": (place, scorer) for place, scorer in columns}
        values = {name: columns[column] for name, column in names.items()}
        best = max(values, key=lambda name: float(values[name].mean()))
        place, scorer = names[best]
        same[place]["against"][scorer] = {"difference": 0.0, "p": 1.0}
        for test in paired_tests(values, np.random.default_rng(0), against=best):
            place, scorer = names[test.second]
            same[place]["against"][scorer] = {"difference": test.difference, "p": test.p_adjusted}


def _shared_keys(entries: Sequence[Json]) -> list[str]:
    """Images that all entries measured, with the same truth, by all scorers."""
    first, *others = (entry["frames"] for entry in entries)
    return [
        key
        for key, frame in first.items()
        if all(key in other and other[key]["truth"] == frame["truth"] for other in others)
        and all(None not in frames[key]["auroc"] for frames in (first, *others))
    ]


def _site_frames(place: Path) -> dict[str, Json]:
    text = (place / "data.js").read_text(encoding="utf-8")
    data = json.loads(text.removeprefix("window.CAOS = ").rstrip().rstrip(";"))
    return {frame["key"]: frame for frame in data["frames"]}


def _rows(results: Results, protocol: str) -> list[Json]:
    hazards = results.content.hazards
    rows = []
    for scorer, measured in results.content.measures[protocol].items():
        found = None if hazards is None else hazards.found.get(scorer, {}).get(FOUND_AT)
        metrics = {name: measured.metric(name) for name in METRICS}
        numbers = {name: [one.value, one.low, one.high, one.reliable] for name, one in metrics.items()}
        rows.append({"scorer": scorer, **numbers, "found": None if found is None else [found.found, found.of]})
    return rows
