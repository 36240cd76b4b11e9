"""Links to source images: a converted set shows the user's own files, and changes nothing about them."""

from __future__ import annotations

import os
import shutil
import uuid
from pathlib import Path
from typing import Literal

from caos.foundation.errors import CaosError
from caos.foundation.files import real_path
from caos.foundation.pictures import check_picture

Link = Literal["hard", "symbolic", "copy"]


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
    """Put a copy of a picture into another set, or refuse one that nobody could open there.

    Raises:
        CaosError: If it is no picture, damaged, or cannot be placed.
    """
    check_picture(source)
    place_image(source, target, "copy")


def is_placed(source: Path, target: Path, link: Link) -> bool:
    """Whether ``target`` shows the very file ``source``; a copy has to be compared by its bytes."""
    if not target.is_file() or target.is_symlink() != (link == "symbolic"):
        return False
    return link != "copy" and target.samefile(source)
