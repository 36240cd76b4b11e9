"""The one exception that reaches a user as a line and not as a traceback."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class CaosError(Exception):
    """Something the user can put right: bad input, a missing file, an unreachable server.

    The text is one line: what was wrong, the value, what is allowed, what to do. The command line prints it and exits
    with code 2.
    """


def unknown(what: str, value: str, known: Iterable[str]) -> CaosError:
    """An error for a name that is not in a list, with the nearest one suggested.

    >>> str(unknown("scorer", "enrgy", ["energy", "msp"]))
    "unknown scorer 'enrgy'; did you mean 'energy'? (known: energy, msp)"
    """
    names = sorted(known)
    close = difflib.get_close_matches(value, names, n=1)
    hint = f" did you mean {close[0]!r}?" if close else ""
    return CaosError(f"unknown {what} {value!r};{hint} (known: {', '.join(names)})")
