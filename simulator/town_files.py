"""Towns from files: plans (TOML) and OpenDRIVE roads of other projects, by path or by an entry point's name."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from caos.foundation.errors import CaosError
from caos.foundation.plugins import find_file
from caos.foundation.settings import read_text
from caos.simulator.embedded.opendrive_check import check_opendrive
from caos.simulator.embedded.towns.plan import TOWN_GROUP, read_plan

OPENDRIVE_SUFFIX: Final = ".xodr"


def opendrive_of(name: str) -> str | None:
    """The OpenDRIVE text of a town that is a file; None for a name that a server has to know.

    Raises:
        CaosError: If the file is missing, or is neither a plan nor OpenDRIVE.
    """
    file = find_file(TOWN_GROUP, name)
    if file is None:
        return None
    text = read_text(file) if file.suffix == OPENDRIVE_SUFFIX else _planned(file)
    try:
        check_opendrive(file.stem, text)
    except CaosError as error:
        raise CaosError(f"{file} gives no valid OpenDRIVE: {error}") from error
    return text


def _planned(file: Path) -> str:
    from caos.simulator.embedded.towns.opendrive import write_opendrive

    return write_opendrive(read_plan(file))
