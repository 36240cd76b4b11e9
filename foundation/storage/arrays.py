"""Arrays in files: ``.npy`` and ``.npz`` read only after their headers say that they fit into memory.

A small compressed file may declare gigabytes, and a pickled one may run code: both are refused before anything is read.
"""

from __future__ import annotations

import lzma
import math
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
from numpy.typing import NDArray

from caos.foundation.errors import CaosError

LARGEST_BYTES: Final = 2 * 1024**3
"""Bytes that the arrays of one file may take; no map, mesh or state of ours comes near it."""
_DAMAGE: Final = (
    OSError,
    ValueError,
    KeyError,
    EOFError,
    SyntaxError,
    TypeError,
    MemoryError,
    NotImplementedError,
    RuntimeError,
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    lzma.LZMAError,
)
"""What zipfile and numpy raise over a file that is cut short, changed or none of theirs (zlib: by name below)."""


def read_npz(
    path: Path, only: Iterable[str] | None = None, *, most_bytes: int = LARGEST_BYTES, remedy: str = ""
) -> dict[str, NDArray[Any]]:
    """The arrays of an ``.npz`` file by name.

    Args:
        path: The file.
        only: Read these; others are left alone.
        most_bytes: What they may take in memory, together.
        remedy: What to do about a damaged file, for messages.

    Raises:
        CaosError: If the file is missing, damaged, holds objects, lacks an array, or declares too much.
    """
    import zlib

    _check_file(path)
    try:
        with path.open("rb") as stream, zipfile.ZipFile(stream) as archive:
            members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}
            names = list(members) if only is None else list(only)
            declared = sum(members[name].file_size for name in names)
            if declared > most_bytes:
                raise CaosError(f"{path} declares {declared} bytes of arrays, more than {most_bytes}")
            return {name: _member(archive, members[name]) for name in names}
    except (*_DAMAGE, zlib.error) as error:
        raise CaosError(f"cannot read {path}: {_reason(error)}{remedy}") from error


def read_npy(path: Path, *, most_bytes: int = LARGEST_BYTES) -> NDArray[Any]:
    """The array of an ``.npy`` file.

    Raises:
        CaosError: If the file is missing, damaged, holds objects, or declares too much.
    """
    _check_file(path)
    try:
        with path.open("rb") as stream:
            return _array(stream, min(path.stat().st_size, most_bytes))
    except _DAMAGE as error:
        raise CaosError(f"cannot read {path}: {_reason(error)}") from error


def names_in_npz(path: Path) -> list[str]:
    """Names of the arrays of an ``.npz`` file.

    Raises:
        CaosError: If it is no such file.
    """
    _check_file(path)
    try:
        with zipfile.ZipFile(path) as archive:
            return [name.removesuffix(".npy") for name in archive.namelist()]
    except _DAMAGE as error:
        raise CaosError(f"cannot read {path}: {_reason(error)}") from error


def _check_file(path: Path) -> None:
    if not path.is_file():
        # A pipe or a device would be waited for without end.
        raise CaosError(f"cannot read {path}: {'it is not a file' if path.exists() else 'No such file or directory'}")


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> NDArray[Any]:
    with archive.open(info) as stream:
        return _array(stream, info.file_size)


def _array(stream: IO[bytes], most_bytes: int) -> NDArray[Any]:
    """The array of an open file whose header must not declare more than ``most_bytes``."""
    shape, fortran, dtype = _header(stream)
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which are never read")
    if min(shape, default=0) < 0 or math.prod(shape) * dtype.itemsize > most_bytes:
        raise ValueError(f"it declares an array of shape {shape}, which is more than it holds")
    data = stream.read(math.prod(shape) * dtype.itemsize)
    return np.frombuffer(bytearray(data), dtype).reshape(shape, order="F" if fortran else "C")


def _header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    try:
        return read(stream)
    except Exception as error:  # numpy reads it as Python, and lets through what Python's reader says of noise
        raise ValueError(f"its header is damaged ({_reason(error)})") from error


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return (str(error).splitlines() or [type(error).__name__])[0][:160]
