"""Next steps: what is in this folder, and the command that goes on from there (``caos`` alone)."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

MARKS: Final = {
    "comparison": ("comparison.json",),
    "site": ("site.json",),
    "study": ("study.json",),
    "results": ("results.json",),
    "demo": ("demo.json",),
    "run": ("run.json",),
    "set": ("dataset.json", "manifest.jsonl", "train.odgt", "test.odgt", "train/train.odgt", "test/test.odgt"),
}
"""Files by which a folder is known; the first kind that fits counts."""
PLURALS: Final = {"study": "studies", "results": "results"}
PICTURES: Final = (".jpg", ".jpeg", ".png", ".webp")
MOST: Final = 200
"""So many entries of the folder are looked at."""


@dataclass
class Found:
    """Folders of each kind, newest first, those of sets that have nothing to train on, and pictures."""

    folders: dict[str, list[Path]] = field(default_factory=dict)
    untrainable: set[Path] = field(default_factory=set)
    pictures: list[Path] = field(default_factory=list)

    def newest(self, kind: str) -> str | None:
        """The newest folder of a kind, as one would type it."""
        there = self.folders.get(kind, [])
        return shlex.quote(str(there[0])) if there else None


def look_around(here: Path) -> Found:
    """What the folder and its subfolders, one and two deep, hold of the project's things."""
    found = Found()
    for path in _nearby(here):
        if path.is_dir():
            kind = next((kind for kind, names in MARKS.items() if any((path / n).is_file() for n in names)), None)
            if kind:
                found.folders.setdefault(kind, []).append(path.relative_to(here))
            if kind == "set" and _has_tests_only(path):
                found.untrainable.add(path.relative_to(here))
        elif path.suffix.lower() in PICTURES and path.parent == here:
            found.pictures.append(path.relative_to(here))
    for folders in found.folders.values():
        folders.sort(key=lambda folder: -(here / folder).stat().st_mtime)
    return found


def _has_tests_only(folder: Path) -> bool:
    """Whether a set lists test images and no training images, as converted photographs do."""
    tests, training = folder / "test/test.odgt", folder / "train/train.odgt"
    return tests.is_file() and (not training.is_file() or training.stat().st_size <= len("[]\n"))


def _nearby(here: Path) -> Iterator[Path]:
    for path in _entries(here):
        yield path
        known = any((path / name).is_file() for names in MARKS.values() for name in names)
        if path.is_dir() and (not known or (path / "demo.json").is_file()):
            yield from _entries(path)


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(p for p in folder.iterdir() if not p.name.startswith("."))[:MOST]
    except OSError:
        return []


def next_steps(here: Path) -> str:
    """What is here and what to type next, for people."""
    found = look_around(here)
    steps = list(_steps(found))
    there = [_counted(kind, found.folders[kind]) for kind in MARKS if kind in found.folders]
    if found.pictures:
        there.append(_counted("picture", found.pictures))
    lines = ["CAOS measures whether a car's segmenter notices what should not be on the road.", ""]
    if there:
        lines += ["In this folder:", *(f"  {line}" for line in there), ""]
    width = max(len(command) for command, _ in steps) + 3
    lines += ["You can:" if not there else "Next you can:", *(f"  {command:<{width}}{why}" for command, why in steps)]
    return "\n".join([*lines, "", "All commands: caos --help. What this machine offers: caos doctor."])


def _counted(kind: str, paths: list[Path]) -> str:
    names = ", ".join(str(path) for path in paths[:4]) + (" ..." if len(paths) > 4 else "")
    count = f"a {kind}" if len(paths) == 1 else f"{len(paths)} {PLURALS.get(kind, kind + 's')}"
    return f"{kind if kind == 'results' and len(paths) == 1 else count}: {names}"


def _steps(found: Found) -> Iterator[tuple[str, str]]:
    for kind in ("comparison", "site", "study"):
        if place := found.newest(kind):
            yield f"open {place}/index.html", "in a browser"
    yield from _with_results(found)
    yield from _with_a_set(found)
    if found.pictures:
        yield f"caos look {shlex.quote(str(found.pictures[0]))} --out seen", "what looks foreign in it"
    if not found.folders.get("results") and not found.folders.get("set"):
        yield from _first_steps(found)


def _first_steps(found: Found) -> Iterator[tuple[str, str]]:
    if (demo := found.newest("demo")) is not None:
        yield f"caos demo --out {demo}", "continue the demo"
        return
    run = found.newest("run")
    if not found.pictures:
        yield f"caos look PHOTO.jpg --out seen{f' --run {run}' if run else ''}", "what looks foreign in a photograph"
    yield "caos scenes view --out look", "a street of the simulator"
    yield "caos scenes streethazards --out data", "streets with and without hazards"
    yield "caos demo", "the whole benchmark in small"


def _with_results(found: Found) -> Iterator[tuple[str, str]]:
    several = found.folders.get("results", [])
    if several and not found.folders.get("site"):
        yield f"caos report {found.newest('results')} --out site", "pages to look at"
    if len(several) > 1 and not found.folders.get("comparison"):
        yield f"caos report {_typed(several)} --out compared", "these results side by side"


def _with_a_set(found: Found) -> Iterator[tuple[str, str]]:
    data, run = found.newest("set"), found.newest("run")
    if data and not run:
        has_streets = found.folders["set"][0] not in found.untrainable
        if has_streets:
            yield f"caos train {data} --out run", "learn the ordinary classes"
        why = "score it with the network of the package"
        yield f"caos score {data} --run bundled --out results", f"or {why}" if has_streets else why
    if data and run and not found.folders.get("results"):
        yield f"caos score {data} --run {run} --out results", "who finds the hazards?"
    if data:
        yield f"caos scenes audit {data}", "check every label"


def _typed(folders: list[Path]) -> str:
    return " ".join(shlex.quote(str(folder)) for folder in folders[:4])
