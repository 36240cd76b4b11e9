"""Identity of what a result depends on: content hashes of files, remembered so that untouched files are read once.

A result may be reused or resumed only if everything it depends on is the same. Its folder keeps, besides the settings,
the hashes of its inputs::

    hashes = FileHashes(out / "inputs.json")
    configuration = {"pictures": hashes.digest(paths), ...}
    with claimed(out, "plan.json", configuration, "scoring"):
        hashes.save()
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from caos.foundation.errors import CaosError
from caos.foundation.files import sha256, write_json
from caos.foundation.settings import read_json, read_record

SETTLED_NS: Final = 2_000_000_000
"""A file younger than this when it was hashed may have changed since without a new time: it is hashed again."""


@dataclass(frozen=True)
class Seen:
    """A file as it was when it was hashed: size, time of its last change, time of the hash (both ns), and the hash."""

    size: int
    changed_ns: int
    hashed_ns: int
    sha256: str

    def is_still(self, status: os.stat_result) -> bool:
        """Whether a file with this status must hold the same bytes."""
        same = (self.size, self.changed_ns) == (status.st_size, status.st_mtime_ns)
        return same and self.hashed_ns - self.changed_ns > SETTLED_NS


class FileHashes:
    """SHA-256 of files by their content. Size and time say whether a file that was hashed before is read again."""

    def __init__(self, place: Path | None = None) -> None:
        """Start with what an earlier process kept at ``place``, if it did."""
        self._place, self._seen = place, _kept(place)

    def of(self, path: Path) -> str:
        """The hash of a file's bytes.

        Raises:
            CaosError: If it cannot be read.
        """
        name = str(path.absolute())
        try:
            status = path.stat()
            known = self._seen.get(name)
            if known is None or not known.is_still(status):
                known = Seen(status.st_size, status.st_mtime_ns, time.time_ns(), sha256(path))
                self._seen[name] = known
        except OSError as error:
            raise CaosError(f"cannot read {path}: {error.strerror or error}") from error
        return known.sha256

    def digest(self, paths: Iterable[Path | None]) -> str:
        """One hash for a list of files, in its order; None stands for a file that is not there."""
        return digest_of([None if path is None else self.of(path) for path in paths])

    def save(self) -> None:
        """Keep what was found out for the next process."""
        if self._place is not None:
            write_json(self._place, {name: asdict(seen) for name, seen in self._seen.items()})


def _kept(place: Path | None) -> dict[str, Seen]:
    if place is None or not place.is_file():
        return {}
    try:
        return read_record(dict[str, Seen], read_json(place), place)
    except CaosError:
        # Only a memory of hashes: without it the files are read once more.
        return {}


def digest_of(value: Any) -> str:
    """A short hash of a JSON-ready value: equal values, equal hashes.

    >>> digest_of({"a": 1, "b": [2]}) == digest_of({"b": [2], "a": 1})
    True
    """
    text = json.dumps(value, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
