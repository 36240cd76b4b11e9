"""Scores of images, kept until every image is scored: in memory while they are few, else in a file.

Pooled metrics need, for each score of an anomalous pixel of any image, how many ordinary pixels of all images score
less. Which scores will matter is not known before the last image, so all of them are kept, exactly as they were given:
four bytes a pixel for float32. They are kept category by category (anomalous, each ordinary class, void): metrics that
leave out different categories are read from the same scores.
"""

from __future__ import annotations

import os
import tempfile
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError

ScoreArray = npt.NDArray[Any]
"""Scores of type float32, float64, int64 or uint64."""
IntArray = npt.NDArray[np.int64]
MOST_IN_MEMORY: Final = 1 << 26
"""Scores of one store; more go to a file."""
_EXACT_FLOAT64: Final = 1 << 53
_PROCESS: Final = uuid.uuid4().hex
ANOMALOUS: Final = 0
"""The category of anomalous pixels; all others are ordinary."""


@dataclass(frozen=True, eq=False)
class PixelOrder:
    """Pixels of an image by category, the same for all its score maps.

    Attributes:
        pixels: Indices into the flattened image, category after category.
        ends: Where each category ends in ``pixels``, ``(categories,)``.
    """

    pixels: npt.NDArray[np.intp]
    ends: npt.NDArray[np.int64]

    @staticmethod
    def of(category: npt.NDArray[np.uint8], categories: int) -> PixelOrder:
        """The order of the pixels of a map of categories; those of ``categories`` and more are left out."""
        flat = category.ravel()
        ends = np.cumsum(np.bincount(flat, minlength=categories)[:categories])
        return PixelOrder(np.argsort(flat, kind="stable")[: ends[-1]], ends)


@dataclass(frozen=True, eq=False)
class CategoryScores:
    """Scores of one image by category.

    Attributes:
        values: Category after category.
        ends: Where each category ends in ``values``.
    """

    values: ScoreArray
    ends: npt.NDArray[np.int64]

    @staticmethod
    def of(scores: ScoreArray, order: PixelOrder) -> CategoryScores:
        """The scores of a map, of any shape."""
        return CategoryScores(scores.ravel().take(order.pixels), order.ends)

    def __getitem__(self, category: int) -> ScoreArray:
        """The scores of one category."""
        return self.values[self.ends[category - 1] if category else 0 : self.ends[category]]

    def sorted(self, categories: Sequence[int]) -> ScoreArray:
        """The scores of some categories together, ascending."""
        found = np.concatenate([self.values[:0], *(self[category] for category in categories)])
        found.sort()
        return found

    def regrouped(self, sets: Sequence[Sequence[int]]) -> CategoryScores:
        """The scores of each set of categories as one category, ascending."""
        parts = [self.sorted(one) for one in sets]
        return CategoryScores(np.concatenate(parts), np.cumsum([part.size for part in parts]))


@dataclass(frozen=True, eq=False)
class _Part:
    """Scores of one image: in memory, or in a file from ``offset`` on."""

    image: int
    ends: npt.NDArray[np.int64]
    dtype: np.dtype[Any]
    values: ScoreArray | None
    file: str = ""
    offset: int = 0


@dataclass(eq=False)
class ScoreStore:
    """The scores of many images by one score map.

    Stores of several processes are merged by adding the places of their scores, not the scores.

    Attributes:
        categories: How many kinds of pixels are told apart; the first is ``ANOMALOUS``.
        folder: Where scores go that are too many for the memory; None for a temporary folder that is removed with the
            store.
        most: How many scores stay in memory.
    """

    categories: int
    folder: Path | None = None
    most: int = MOST_IN_MEMORY
    _parts: list[_Part] = field(default_factory=list)
    _held: int = 0
    _temporary: tempfile.TemporaryDirectory[str] | None = None

    def add(self, image: int, scores: CategoryScores) -> None:
        """Keep the scores of an image, which has this number in the set."""
        self._keep(_Part(image, scores.ends, scores.values.dtype, scores.values))

    def merge(self, other: ScoreStore) -> None:
        """Add the images of another store; those in files must be in the same folder.

        Raises:
            CaosError: If they tell other categories apart.
        """
        if other.categories != self.categories:
            raise CaosError(f"scores of {other.categories} categories cannot be merged with those of {self.categories}")
        is_shared = self.folder is not None and self.folder == other.folder
        for part in other._parts:
            is_elsewhere = part.values is None and not is_shared
            self._keep(replace(part, values=np.array(other._read(part, {}))) if is_elsewhere else part)

    def _keep(self, part: _Part) -> None:
        self._parts.append(part)
        self._held += 0 if part.values is None else part.values.size
        if self._held > self.most:
            self.save()

    def save(self) -> None:
        """Move all scores in memory to a file."""
        held = [part for part in self._parts if part.values is not None]
        if not held:
            return
        # One file for each process: a process that is continued by another one leaves its file as it is.
        path = self._place() / f"{_PROCESS}-{os.getpid()}.scores"
        path.parent.mkdir(parents=True, exist_ok=True)
        moved: dict[int, _Part] = {}
        with path.open("ab") as stream:
            for part in held:
                assert part.values is not None
                stream.write(b"\0" * (-stream.tell() % 8))
                moved[id(part)] = replace(part, values=None, file=path.name, offset=stream.tell())
                stream.write(np.ascontiguousarray(part.values).data)
        self._parts = [moved.get(id(part), part) for part in self._parts]
        self._held = 0

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The state as arrays; all scores are in files then."""
        self.save()
        return {
            "image": np.array([part.image for part in self._parts], np.int64),
            "ends": np.array([part.ends for part in self._parts], np.int64).reshape(-1, self.categories),
            "dtype": np.array([part.dtype.str for part in self._parts], np.str_),
            "file": np.array([part.file for part in self._parts], np.str_),
            "offset": np.array([part.offset for part in self._parts], np.int64),
        }

    def restore(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        """Set the state to that of saved arrays, whose files are in the same folder.

        Raises:
            CaosError: If a file is missing or too short.
        """
        columns = zip(*(arrays[name].tolist() for name in ("image", "dtype", "file", "offset")), strict=True)
        self._parts = [
            _Part(image, ends.astype(np.int64), np.dtype(dtype), None, file, offset)
            for (image, dtype, file, offset), ends in zip(columns, arrays["ends"], strict=True)
        ]
        self._held = 0
        for part in self._parts:
            path = self._place() / part.file
            needed = part.offset + int(part.ends[-1]) * part.dtype.itemsize
            if not path.is_file() or path.stat().st_size < needed:
                raise CaosError(f"{path} is missing or cut short")

    def images(self) -> Iterator[tuple[int, CategoryScores]]:
        """The number and the scores of each image, in one number type, by number.

        Raises:
            CaosError: If there is no type that keeps the order of all scores.
        """
        parts = sorted(self._parts, key=lambda part: part.image)
        files: dict[str, npt.NDArray[np.uint8]] = {}
        values = in_one_type([self._read(part, files) for part in parts])
        for part, own in zip(parts, values, strict=True):
            yield part.image, CategoryScores(own, part.ends)

    def sorted_by(self, sets: Sequence[Sequence[int]]) -> ScoreStore:
        """A store of the same images, each set of categories being one category, ascending within each image."""
        found = ScoreStore(len(sets), None, self.most)
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            found._temporary = tempfile.TemporaryDirectory(prefix="sorted-", dir=self.folder)
        for image, scores in self.images():
            found.add(image, scores.regrouped(sets))
        return found

    def _read(self, part: _Part, files: dict[str, npt.NDArray[np.uint8]]) -> ScoreArray:
        """The scores of a part; ``files`` holds the files that are mapped into memory."""
        if part.values is not None:
            return part.values
        if not part.ends[-1]:
            return np.zeros(0, part.dtype)
        if part.file not in files:
            files[part.file] = np.memmap(self._place() / part.file, np.uint8, "r")
        end = part.offset + int(part.ends[-1]) * part.dtype.itemsize
        return np.asarray(files[part.file])[part.offset : end].view(part.dtype)

    def _place(self) -> Path:
        if self.folder is not None:
            return self.folder
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="caos-scores-")
        return Path(self._temporary.name)


def in_one_type(arrays: list[ScoreArray]) -> list[ScoreArray]:
    """The arrays in one number type that keeps the order of all their values.

    Raises:
        CaosError: If there is none: integers beyond 2^53 beside fractions, or beside integers of another range.
    """
    kinds = {array.dtype for array in arrays}
    if len(kinds) <= 1:
        return arrays
    for kind in (np.dtype(np.float64), np.dtype(np.int64), np.dtype(np.uint64)):
        if all(_fits(array, kind) for array in arrays):
            return [array.astype(kind, copy=False) for array in arrays]
    names = ", ".join(sorted(map(str, kinds)))
    raise CaosError(f"scores of types {names} have no common type that keeps their order; save all maps as one type")


def _fits(array: ScoreArray, kind: np.dtype[Any]) -> bool:
    """Whether the type can hold all values exactly."""
    if array.dtype == kind or not array.size or (kind.kind == array.dtype.kind == "f"):
        return True
    if array.dtype.kind == "f" and (array != np.floor(array)).any():
        return False
    low, high = (-_EXACT_FLOAT64, _EXACT_FLOAT64) if kind.kind == "f" else (np.iinfo(kind).min, np.iinfo(kind).max)
    return bool(low <= int(array.min()) and int(array.max()) <= high)


def distinct(ordered: ScoreArray) -> tuple[ScoreArray, IntArray]:
    """The distinct values of a sorted array, and how often each occurs; -0.0 and 0.0 are one."""
    first = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if ordered.size else np.zeros(0, np.int64)
    return ordered[first], np.diff(first, append=ordered.size)
