"""Safe extraction of zip archives: no member is written outside the target folder."""

from __future__ import annotations

import contextlib
import errno
import lzma
import shutil
import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from caos.foundation.errors import CaosError
from caos.foundation.storage.files import real_path

MAX_BYTES = 64 * 2**30
MAX_RATIO = 400
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""Errors of the target disk, which stop the extraction; any other concerns one member only."""
DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, NotImplementedError, EOFError, ValueError)


def unpack(archive: Path, folder: Path) -> list[tuple[str, str]]:
    """Extract into ``folder``; return the refused members, each with the reason.

    Raises:
        CaosError: If the file is not a zip archive or is larger than can be unpacked.
    """
    refused = []
    try:
        with zipfile.ZipFile(archive) as opened:
            members = [m for m in opened.infolist() if not m.filename.endswith("/")]  # folders
            objections = {id(member): _objection(member, folder) for member in members}
            _check_room(archive, sum(m.file_size for m in members if not objections[id(m)]), folder)
            for member in members:
                reason = objections[id(member)] or _extract(opened, member, folder)
                if reason:
                    refused.append((f"{archive.name}:{member.filename}", reason))
    except (*DAMAGED, OSError) as error:
        raise CaosError(f"{archive} cannot be unpacked: {error}") from error
    return refused


def _check_room(archive: Path, size: int, folder: Path) -> None:
    if size > MAX_BYTES:
        raise CaosError(f"{archive} unpacks to more than {MAX_BYTES / 2**30:.0f} GB; unpack it yourself")
    free = shutil.disk_usage(folder).free
    if size > free:
        raise CaosError(f"{archive} unpacks to {size / 1e9:.1f} GB, and {folder.parent} has {free / 1e9:.1f} GB left")


def _objection(member: zipfile.ZipInfo, folder: Path) -> str | None:
    """Reason not to extract a member, or None."""
    path = PurePosixPath(member.filename.replace("\\", "/"))
    if not path.name:
        return "has no name"
    inside = real_path(folder / path).is_relative_to(real_path(folder))
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0] or not inside:
        return "its path leads outside the archive's folder"
    if stat.S_ISLNK(member.external_attr >> 16):
        return "is a symbolic link"
    if member.flag_bits & 1:
        return "is encrypted"
    if member.file_size > 10**7 and member.file_size > MAX_RATIO * max(member.compress_size, 1):
        return f"is compressed more than {MAX_RATIO} times"
    return None


def _extract(opened: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path) -> str | None:
    """Extract a member; return the reason if that fails, or None."""
    target = folder / PurePosixPath(member.filename.replace("\\", "/"))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with opened.open(member) as source, target.open("wb") as sink:
            shutil.copyfileobj(source, sink)
    except (*DAMAGED, OSError) as error:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            raise
        with contextlib.suppress(OSError):
            target.unlink(missing_ok=True)
        return f"cannot be unpacked: {error.strerror if isinstance(error, OSError) and error.errno else error}"
    return None
