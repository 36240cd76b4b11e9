"""Identity of what a result depends on: content hashes of files, cached so that unchanged files are read once.

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
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from caos.foundation.errors import CaosError
from caos.foundation.settings import read_json, read_record
from caos.foundation.storage.files import sha256, write_json
from caos.foundation.storage.provenance import NOT_INSTALLED, package_version

SETTLED_NS: Final = 2_000_000_000
"""A file that changed less than this before it was hashed may change again within one tick of the file system's clock:
its hash is not reused."""
HAS_CHANGE_TIME: Final = sys.platform != "win32"
"""Whether ``st_ctime`` is the time of the last change, which no program can set; on Windows it is that of creation."""


@dataclass(frozen=True)
class Seen:
    """Status of a file when it was hashed, and its hash.

    The modification time alone proves nothing: ``touch -r``, ``cp -p`` and ``tar --mtime`` set it. The change time
    (``st_ctime``) is set by the kernel at every write, rename and change of metadata.

    Attributes:
        device: Device number.
        inode: Inode number.
        size: Bytes.
        modified_ns: ``st_mtime_ns``.
        changed_ns: ``st_ctime_ns``.
        hashed_ns: Wall time just before the file was read.
        sha256: Of its bytes.
    """

    device: int
    inode: int
    size: int
    modified_ns: int
    changed_ns: int
    hashed_ns: int
    sha256: str

    def is_still(self, status: os.stat_result) -> bool:
        """Return whether a file with this status must hold the same bytes; False means: read it."""
        then = (self.device, self.inode, self.size, self.modified_ns, self.changed_ns)
        settled = self.hashed_ns - max(self.changed_ns, self.modified_ns) > SETTLED_NS
        return HAS_CHANGE_TIME and settled and then == _status(status)


def _status(status: os.stat_result) -> tuple[int, int, int, int, int]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


class FileHashes:
    """SHA-256 of files by their content.

    A file is read again unless device, inode, size, modification time and change time are those of an earlier read;
    on Windows, which records no change time, it is always read.
    """

    def __init__(self, place: Path | None = None) -> None:
        """Start with the hashes that an earlier process saved at ``place``, if any."""
        self._place, self._seen = place, _kept(place)

    def of(self, path: Path) -> str:
        """Return the hash of a file's bytes.

        Raises:
            CaosError: If it cannot be read.
        """
        name = str(path.absolute())
        try:
            status = path.stat()
            known = self._seen.get(name)
            if known is None or not known.is_still(status):
                known = Seen(*_status(status), time.time_ns(), sha256(path))
                self._seen[name] = known
        except OSError as error:
            raise CaosError(f"cannot read {path}: {error.strerror or error}") from error
        return known.sha256

    def digest(self, paths: Iterable[Path | None]) -> str:
        """Return one hash for a list of files, in its order; None stands for a missing file."""
        return digest_of([None if path is None else self.of(path) for path in paths])

    def save(self) -> None:
        """Write the hashes to disk for the next process."""
        if self._place is not None:
            write_json(self._place, {name: asdict(seen) for name, seen in self._seen.items()})


def _kept(place: Path | None) -> dict[str, Seen]:
    if place is None or not place.is_file():
        return {}
    try:
        return read_record(dict[str, Seen], read_json(place), place)
    except CaosError:
        # Only a cache, perhaps of an earlier version: without it the files are read once more.
        return {}


@dataclass(frozen=True)
class Numerics:
    """What computes the numbers of a room: a version that a developer raises when they change, and packages.

    Attributes:
        room: Name of the room.
        version: Its ``NUMERICS_VERSION``.
        packages: Names of the distributions that it computes with; those that are not installed do not count.
    """

    room: str
    version: int
    packages: tuple[str, ...] = ()


@dataclass(frozen=True)
class Fingerprint:
    """Everything that a result depends on: equal fingerprints, equal results.

    The text of the source code is not part of it: an edited comment changes no result, and a change that does raises
    the version of its room.

    Attributes:
        inputs: Digests of the content that goes in, by name, JSON-ready.
        settings: Settings by name, JSON-ready.
        numerics: What computes it.
    """

    inputs: Mapping[str, Any]
    settings: Mapping[str, Any]
    numerics: tuple[Numerics, ...]

    def plan(self) -> dict[str, Any]:
        """Return all of it as one JSON-ready table, for comparison with that of another result."""
        names = sorted({name for one in self.numerics for name in one.packages})
        versions = {name: package_version(name) for name in names}
        return {
            **self.inputs,
            **self.settings,
            "numerics": {one.room: one.version for one in self.numerics},
            "packages": {name: version for name, version in versions.items() if version != NOT_INSTALLED},
        }


def digest_of(value: Any) -> str:
    """Return a short hash of a JSON-ready value: equal values, equal hashes.

    >>> digest_of({"a": 1, "b": [2]}) == digest_of({"b": [2], "a": 1})
    True
    """
    text = json.dumps(value, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
