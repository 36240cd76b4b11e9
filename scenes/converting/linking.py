"""Links to source images: a converted set shows the user's own files, and changes nothing about them."""

from __future__ import annotations

import os
import shutil
import uuid
from pathlib import Path
from typing import Literal

from caos.foundation.errors import CaosError
from caos.foundation.storage.files import real_path, sha256, write_bytes
from caos.foundation.storage.images import check_image, orientation_of, upright_bytes
from caos.scenes.dataset.writer import SetFile, file_of

Link = Literal["hard", "symbolic", "copy"]


def place_upright(source: Path, root: Path, path: str, link: Link, digest: str) -> SetFile:
    """Place an image in a set so that its stored pixels are upright, for readers that ignore EXIF.

    An image with an EXIF orientation becomes a PNG of the turned pixels; any other is linked or copied as it is.

    Args:
        source: The image.
        root: Of the set.
        path: Of the image below the root, without its suffix.
        link: How an upright image gets there.
        digest: SHA-256 of the source's bytes.

    Raises:
        CaosError: If it cannot be read or placed.
    """
    if orientation_of(source) != 1:
        write_bytes(root / f"{path}.png", upright_bytes(source, "PNG"))
        return file_of(root, f"{path}.png")
    name = f"{path}{source.suffix.lower()}"
    target = root / name
    copied = link == "copy" and target.is_file() and not target.is_symlink() and sha256(target) == digest
    if not copied and not is_placed(source, target, link):
        place_image(source, target, link)
    return SetFile(name, digest)


def place_image(source: Path, target: Path, link: Link) -> None:
    """Put a source image into a set, in one step.

    A link shares the source's permissions, so nothing is set on it: unlike a file of our own, it keeps its mode.

    Raises:
        CaosError: If it cannot be placed, or is no file: a pipe or a device would be copied without end.
    """
    if not source.is_file():
        raise CaosError(f"cannot place {source} at {target}: it is not a file")
    temporary = target.with_name(f".{target.stem}.{uuid.uuid4().hex[:8]}.part{target.suffix}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if link == "symbolic":
            temporary.symlink_to(real_path(source))
        elif link == "hard":
            os.link(real_path(source), temporary)
        else:
            shutil.copyfile(source, temporary)
        # Renaming one hard link onto another of the same file does nothing and leaves both names.
        temporary.replace(target)
    except OSError as error:
        hint = "; use --link copy or symbolic" if link == "hard" else ""
        raise CaosError(f"cannot place {source} at {target}: {error.strerror or error}{hint}") from error
    finally:
        temporary.unlink(missing_ok=True)


def copy_picture(source: Path, target: Path) -> None:
    """Put a copy of an image into another set, its stored pixels upright.

    Raises:
        CaosError: If it is no image, damaged, or cannot be placed.
    """
    if orientation_of(source) == 1:
        check_image(source)
        place_image(source, target, "copy")
    else:
        write_bytes(target, upright_bytes(source))


def is_placed(source: Path, target: Path, link: Link) -> bool:
    """Whether ``target`` shows the very file ``source``; a copy has to be compared by its bytes."""
    if not target.is_file() or target.is_symlink() != (link == "symbolic"):
        return False
    return link != "copy" and target.samefile(source)
