"""Pairs of label and image in a download, matched by their paths below its ``train`` and ``val`` folders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final, Literal

from caos.foundation.errors import CaosError
from caos.foundation.storage.files import paths_below, sha256

SourceSplit = Literal["train", "val"]
SOURCE_SPLITS: Final[tuple[SourceSplit, ...]] = ("train", "val")
LABEL_SUFFIXES: Final = ("_train_id.png", "_gtFine_labelTrainIds.png", "_labelTrainIds.png", "_gtFine_labelIds.png")
OTHER_MAPS: Final = ("_color", "_instanceIds", "_labelIds")
IMAGE_SUFFIXES: Final = (".jpg", ".jpeg", ".png")
IMAGE_ENDINGS: Final = ("", "_leftImg8bit")
NO_LABELS: Final = frozenset({"color_labels", "colormaps", "images", "color"})
"""Folders below the labels that hold colour maps or pictures."""


@dataclass(frozen=True)
class SourcePair:
    """One label file and, unless only labels are converted, its image.

    Attributes:
        name: Path below the split's folder, without suffixes: ``aachen/aachen_000000_000019``.
        split: Part of the download.
        label: The label file.
        image: Its image.
    """

    name: str
    split: SourceSplit
    label: Path
    image: Path | None


def find_pairs(labels: Path, images: Path | None) -> tuple[list[SourcePair], str]:
    """Pairs below the two folders, found by looking for ``train`` and ``val`` folders with pictures.

    Both conventions of BDD100K and Cityscapes' one are covered. The second value is a sentence that says what was
    found where.

    Raises:
        CaosError: If no labels are found, or a label has no image, or several that differ.
    """
    if not labels.is_dir():
        raise CaosError(f"--labels {labels} is not a folder")
    pairs: list[SourcePair] = []
    told = []
    for split in SOURCE_SPLITS:
        folder, found = _label_folder(labels, split)
        if folder is None:
            told.append(f"no {split} labels")
            continue
        index = _ImageIndex(images, split, found) if images else None
        pairs += [
            SourcePair(name, split, path, index.image_of(name, path) if index else None)
            for name, path in sorted(found.items())
        ]
        told.append(f"{len(found)} {split} labels in {folder}")
    if not pairs:
        raise CaosError(
            f"no label PNGs in a 'train' or 'val' folder below {labels} (looked for seg/labels, masks, gtFine)"
        )
    return pairs, "; ".join(told)


def _split_folders(root: Path, split: str) -> list[Path]:
    own = [root] if root.name == split else []
    return own + sorted((p for p in paths_below(root, split) if p.is_dir()), key=lambda p: (len(p.parts), p.as_posix()))


def _label_folder(root: Path, split: str) -> tuple[Path | None, dict[str, Path]]:
    """The folder named ``split`` with the most id maps; colour maps and images are passed over by name."""
    best: tuple[Path | None, dict[str, Path]] = (None, {})
    for folder in _split_folders(root, split):
        if NO_LABELS & set(folder.relative_to(root).parts):
            continue
        names = _label_names(folder)
        if len(names) > len(best[1]):
            best = (folder, names)
    return best


def _label_names(folder: Path) -> dict[str, Path]:
    """Label files by their path below a folder, without the suffix that marks them."""
    files = [p for p in sorted(paths_below(folder, "*.png")) if not p.name.startswith(".") and p.is_file()]
    for suffix in LABEL_SUFFIXES:
        marked = {_below(p, folder).removesuffix(suffix): p for p in files if p.name.endswith(suffix)}
        if marked:
            return marked
    return {_below(p, folder).removesuffix(".png"): p for p in files if not p.stem.endswith(OTHER_MAPS)}


def _below(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


class _ImageIndex:
    """The images of a split: by their paths below its folders, and by their bare names."""

    def __init__(self, root: Path, split: str, labels: Mapping[str, Path]) -> None:
        self._root = root
        self._by_path: dict[str, list[Path]] = defaultdict(list)
        self._by_name: dict[str, list[Path]] = defaultdict(list)
        for folder in _split_folders(root, split) or [root]:
            for path in sorted(paths_below(folder)):
                is_picture = path.suffix.lower() in IMAGE_SUFFIXES and path.is_file()
                if is_picture and "labels" not in path.relative_to(root).parts:
                    self._add(path, folder)
        names = [PurePosixPath(name).name for name in labels]
        self._repeated = {name for name in names if names.count(name) > 1} if len(set(names)) < len(names) else set()

    def _add(self, path: Path, folder: Path) -> None:
        for index, key in ((self._by_path, _below(path.with_suffix(""), folder)), (self._by_name, path.stem)):
            if path not in index[key]:
                index[key].append(path)

    def image_of(self, name: str, label: Path) -> Path:
        """The image of a label: the one at the same path, or else the only one of its name."""
        for ending in IMAGE_ENDINGS:
            if found := self._by_path.get(name + ending):
                return self._only(found, label)
        bare = PurePosixPath(name).name
        for ending in IMAGE_ENDINGS:
            found = self._by_name.get(bare + ending)
            if found and bare not in self._repeated:
                return self._only(found, label)
        raise CaosError(
            f"{label} has no image: {name}.jpg is not below {self._root} (use --labels-only to convert labels alone)"
        )

    @staticmethod
    def _only(found: Sequence[Path], label: Path) -> Path:
        """The first of several images, if they are all the same.

        Raises:
            CaosError: If they differ.
        """
        if len(found) > 1 and len({sha256(path) for path in found}) > 1:
            raise CaosError(
                f"{label} has several images that differ: {found[0]} and {found[1]}; give --images the folder of one"
            )
        return found[0]
