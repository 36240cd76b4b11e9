"""Pairs of photograph and mask in the folders of other benchmarks, as they are released; one row a layout.

A mask's name leads to its photograph's: what marks it as a mask is cut off, and the photograph of the remaining name is
looked for below the same folder.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath
from typing import Final, Literal

from caos.foundation.errors import CaosError, unknown
from caos.foundation.storage.files import paths_below, real_path
from caos.scenes.dataset.layout import PICTURE_SUFFIXES

Meaning = Literal["ordinary", "anomaly", "void"]

_ARCHIVES: Final = frozenset({".zip", ".tar", ".gz", ".tgz", ".7z", ".rar"})
_NO_MASK: Final = ("_color", "_instance", "_instanceIds", "_labelColors")


@dataclass(frozen=True)
class MaskLayout:
    """One way in which masks lie in a folder.

    Attributes:
        masks: Pattern of their paths.
        name: Finds the photograph's name in the path of a mask, as its first group.
        ending: What a photograph has after that name, before its suffix.
        values: What the mask's values mean.
        rest: What every other value means; None refuses them.
    """

    masks: str
    name: str
    values: Mapping[int, Meaning]
    ending: str = ""
    rest: Meaning | None = None


@dataclass(frozen=True)
class PhotoRelease:
    """A benchmark's release: its title and the layouts it comes in, the first that finds masks is taken."""

    title: str
    layouts: tuple[MaskLayout, ...]


USUAL_VALUES: Final[Mapping[int, Meaning]] = {0: "ordinary", 1: "anomaly", 255: "void"}
_LABELGRAB: Final[Mapping[int, Meaning]] = {0: "ordinary", 1: "ordinary", 2: "anomaly", 255: "void"}
_SMIYC: Final = MaskLayout("labels_masks/*.png", r"([^/]+?)(?:_labels_semantic)?\.png$", USUAL_VALUES)
_RESTORED: Final[Mapping[int, Meaning]] = {**USUAL_VALUES, 2: "anomaly"}
"""Of RoadAnomaly in the folders of SegmentMeIfYouCan, where some keep the 2 of the release and some write 1."""
_PROCESSED: Final = MaskLayout("labels/*.png", r"([^/]+)\.png$", USUAL_VALUES)
RELEASES: Final[Mapping[str, PhotoRelease]] = {
    "roadanomaly": PhotoRelease(
        "RoadAnomaly",
        (
            MaskLayout("*.labels/labels_semantic.png", r"([^/]+)\.labels/labels_semantic\.png$", _LABELGRAB),
            MaskLayout("labels/*.png", r"([^/]+)\.png$", _LABELGRAB),
            replace(_SMIYC, values=_RESTORED),
        ),
    ),
    "smiyc": PhotoRelease("SegmentMeIfYouCan", (_SMIYC,)),
    "fishyscapes": PhotoRelease(
        "Fishyscapes",
        (
            MaskLayout("*_labels.png", r"(?:\d{4}_)?([^/]+?)_labels\.png$", USUAL_VALUES, ending="_leftImg8bit"),
            MaskLayout("*_labels.png", r"([^/]+?)_labels\.png$", USUAL_VALUES, ending="_rgb"),
            MaskLayout("*_labels.png", r"([^/]+?)_labels\.png$", USUAL_VALUES),
            _PROCESSED,
            _SMIYC,
        ),
    ),
    "lostandfound": PhotoRelease(
        "LostAndFound",
        (
            MaskLayout(
                "*_gtCoarse_labelTrainIds.png",
                r"([^/]+?)_gtCoarse_labelTrainIds\.png$",
                {0: "void", 1: "ordinary", 2: "anomaly", 255: "void"},
                ending="_leftImg8bit",
            ),
            MaskLayout(
                "*_gtCoarse_labelIds.png",
                r"([^/]+?)_gtCoarse_labelIds\.png$",
                {0: "void", 1: "ordinary", 255: "void"},
                ending="_leftImg8bit",
                rest="anomaly",
            ),
        ),
    ),
}
FOLDER: Final = "folder"
"""Any folder of images and masks; what the mask's values mean is said with it."""


@dataclass(frozen=True)
class PhotoPair:
    """A photograph and its mask; ``name`` is unique in the set."""

    name: str
    photo: Path
    mask: Path


@dataclass(frozen=True, eq=False)
class FoundPhotos:
    """What was found: pairs, how to read their masks, masks without a photograph and photographs without a mask."""

    title: str
    layout: MaskLayout
    pairs: tuple[PhotoPair, ...]
    alone: tuple[Path, ...] = field(default=())
    unmasked: tuple[Path, ...] = field(default=())


def find_photos(kind: str, root: Path, images: Path | None = None) -> FoundPhotos:
    """The pairs of a release of that kind below ``root``; photographs may lie below ``images`` instead.

    Raises:
        CaosError: If the kind is unknown, the folder holds no such release, or names repeat.
    """
    for folder in (root, images or root):
        if not folder.is_dir():
            raise CaosError(f"{folder} is not a folder; give the folder that the release unpacks to")
    if kind not in RELEASES:
        raise unknown("release", kind, (*RELEASES, FOLDER))
    release, photos = RELEASES[kind], _photos_by_name(images or root)
    tried = [_paired(release.title, layout, root, photos) for layout in release.layouts]
    best = max(tried, key=lambda found: len(found.pairs))
    if not best.pairs:
        patterns = ", ".join(dict.fromkeys(layout.masks for layout in release.layouts))
        reason = _why_nothing(root, max((found.alone for found in tried), key=len))
        raise CaosError(f"{root} holds no {release.title}: no photograph with a mask ({patterns}) below it{reason}")
    return best


def _why_nothing(root: Path, alone: tuple[Path, ...]) -> str:
    """What a folder without pairs holds instead, in words, or nothing."""
    if alone:
        return f"; {len(alone)} masks such as {alone[0]} have none of their name: --images says where they are"
    packed = next((path for path in _files(root) if path.suffix.lower() in _ARCHIVES), None)
    return f"; unpack {packed} first" if packed else ""


def find_in_folders(images: Path, masks: Path, values: Mapping[int, Meaning]) -> FoundPhotos:
    """Pairs of equal names in two folders; a mask may have ``_mask`` or ``_labels...`` after the name.

    Raises:
        CaosError: If a folder is missing or no photograph has a mask.
    """
    for folder in (images, masks):
        if not folder.is_dir():
            raise CaosError(f"{folder} is not a folder")
    layout = MaskLayout("*.png", r"([^/]+?)(?:_masks?|_labels?|_labels_semantic|_gt)?\.png$", values)
    found = _paired(real_path(images).parent.name, layout, masks, _photos_by_name(images))
    if not found.pairs:
        raise CaosError(f"no photograph in {images} has a mask of its name (*.png) in {masks}")
    return found


def _paired(title: str, layout: MaskLayout, root: Path, photos: Mapping[str, list[Path]]) -> FoundPhotos:
    pairs, alone = [], []
    pattern = layout.masks.lower()
    for mask in _files(root):
        match = re.search(layout.name, mask.as_posix(), re.IGNORECASE)
        if match is None or mask.stem.endswith(_NO_MASK) or not PurePath(mask.as_posix().lower()).match(pattern):
            continue
        candidates = [p for p in photos.get(match[1] + layout.ending, ()) if p != mask]
        if candidates:
            pairs.append(PhotoPair(match[1], _nearest(mask, candidates), mask))
        elif match[1] + layout.ending != mask.stem or mask not in photos.get(mask.stem, ()):
            alone.append(mask)
    used = {*alone, *(path for pair in pairs for path in (pair.photo, pair.mask))}
    unmasked = sorted(path for paths in photos.values() for path in paths if path not in used)
    return FoundPhotos(title, layout, _unique(pairs, root), tuple(alone), tuple(unmasked))


def _nearest(mask: Path, candidates: list[Path]) -> Path:
    """Of several photographs of one name, the one whose folder has most in common with the mask's."""

    def shared(photo: Path) -> int:
        return len(set(photo.parent.parts) & set(mask.parent.parts))

    best = max(map(shared, candidates))
    chosen = [photo for photo in candidates if shared(photo) == best]
    if len(chosen) > 1:
        raise CaosError(
            f"{mask} matches two photographs: {chosen[0]} and {chosen[1]}; keep one of them below the folder"
        )
    return chosen[0]


def _unique(pairs: list[PhotoPair], root: Path) -> tuple[PhotoPair, ...]:
    """The pairs, those whose names repeat named by their folders too.

    Raises:
        CaosError: If two still fall on one name: one would be written over the other.
    """
    groups: dict[str, list[PhotoPair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.name].append(pair)
    named = []
    for name, group in groups.items():
        for pair in group:
            folder = pair.mask.relative_to(root).parent.as_posix().replace("/", "-")
            named.append(pair if len(group) == 1 else PhotoPair(f"{folder}-{name}", pair.photo, pair.mask))
    first: dict[str, PhotoPair] = {}
    for pair in named:
        if (other := first.setdefault(pair.name, pair)) is not pair:
            raise CaosError(f"{other.mask} and {pair.mask} would both be called {pair.name!r}; rename one of them")
    return tuple(named)


def _photos_by_name(root: Path) -> dict[str, list[Path]]:
    """Pictures below a folder by stem; those in folders of masks are no photographs."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in _files(root):
        inside = {part.lower() for part in path.relative_to(root).parts[:-1]}
        is_mask = bool(inside & {"labels", "labels_masks", "masks", "gtcoarse"}) or path.parent.suffix == ".labels"
        if path.suffix.lower() in PICTURE_SUFFIXES and not is_mask:
            found[path.stem].append(path)
    return found


def _files(root: Path) -> list[Path]:
    """Files below a folder in order, but for hidden ones and what a Mac adds to archives."""
    paths = ((path, path.relative_to(root).parts) for path in paths_below(root))
    shown = (path for path, parts in paths if not any(p.startswith(".") or p == "__MACOSX" for p in parts))
    return sorted(path for path in shown if path.is_file())


def parse_values(text: str) -> dict[int, Meaning]:
    """Meanings from ``ordinary=0,anomaly=1+2,void=255``.

    >>> parse_values("ordinary=0,anomaly=1+2,void=255")
    {0: 'ordinary', 1: 'anomaly', 2: 'anomaly', 255: 'void'}

    Raises:
        CaosError: If a word or a number is wrong, or no value means an anomaly.
    """
    values: dict[int, Meaning] = {}
    meanings: tuple[Meaning, ...] = ("ordinary", "anomaly", "void")
    for part in filter(None, (part.strip() for part in text.split(","))):
        word, _, numbers = part.partition("=")
        meaning = next((m for m in meanings if m == word.strip()), None)
        parsed = [n.strip() for n in numbers.split("+")]
        if meaning is None or not all(n.isascii() and n.isdigit() and int(n) <= 255 for n in parsed):
            raise CaosError(f"--values {text!r}: {part!r} is not ordinary=, anomaly= or void= with numbers 0 to 255")
        values |= {int(n): meaning for n in parsed}
    if "anomaly" not in values.values():
        raise CaosError(f"--values {text!r} names no anomaly; for example ordinary=0,anomaly=1,void=255")
    return values
