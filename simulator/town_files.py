"""Towns from files: plans (TOML) and OpenDRIVE files, by path or by entry point."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from caos.foundation.command_line.plugins import find_file
from caos.foundation.errors import CaosError, unknown
from caos.foundation.settings import read_text
from caos.simulator.embedded.towns.plan import (
    COUNTRY_OPTION,
    TOWN_GROUP,
    TOWN_NAMES,
    countries,
    country_digest,
    load_plan,
    read_plan,
    town_and_country,
)
from caos.simulator.embedded.towns.roads.opendrive_writer import with_option, write_opendrive
from caos.simulator.embedded.world_state.opendrive_check import check_opendrive

OPENDRIVE_SUFFIX: Final = ".xodr"


def opendrive_of(name: str) -> str | None:
    """Return the OpenDRIVE text of a town that is a file; None for a name that only a server can resolve.

    Raises:
        CaosError: If the file is missing, or is neither a plan nor OpenDRIVE.
    """
    own, country = town_and_country(name)
    file = find_file(TOWN_GROUP, own)
    if file is None:
        return None
    text = read_text(file) if file.suffix == OPENDRIVE_SUFFIX else _planned(file)
    try:
        check_opendrive(file.stem, text)
    except CaosError as error:
        raise CaosError(f"{file} gives no valid OpenDRIVE: {error}") from error
    return _abroad(text, country)


def roads_of(town: str) -> str | None:
    """Return the OpenDRIVE text of a town that has a plan here or is a file; None for one that only a server has.

    Raises:
        CaosError: If its file is missing or invalid.
    """
    own, country = town_and_country(town)
    if own not in TOWN_NAMES:
        return opendrive_of(town)
    text = write_opendrive(load_plan(own))
    return _abroad(text, country)


def _abroad(text: str, country: str) -> str:
    """Set the country of an OpenDRIVE text, if one is given."""
    if not country:
        return text
    if country not in countries():
        raise unknown("country", country, countries())
    # Towns are cached by this text: it must change when the country's file does.
    marked = with_option(text, f"{COUNTRY_OPTION}_digest", country_digest(country))
    return with_option(marked, COUNTRY_OPTION, country)


def _planned(file: Path) -> str:
    return write_opendrive(read_plan(file))
