"""The one exception that reaches a user as a line and not as a traceback."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

LONGEST_LIST: Final = 48
"""A longer list of names is not printed whole."""


class CaosError(Exception):
    """Something the user can put right: bad input, a missing file, an unreachable server.

    The text is one line: what was wrong, the value, what is allowed, what to do. The command line prints it and exits
    with code 2.
    """


class LostError(CaosError):
    """What answered before does not any more, such as a simulator; the work may be done elsewhere, or again."""


def first_line(error: BaseException, longest: int = 120) -> str:
    """What another library's error says, in one line; its kind where it says nothing.

    >>> first_line(ValueError("no such key\\nTraceback ...")), first_line(EOFError())
    ('no such key', 'EOFError')
    """
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:longest]


def unknown(what: str, value: str, known: Iterable[str]) -> CaosError:
    """An error for a name that is not in a list, with the nearest one suggested, and the list when it is short.

    >>> str(unknown("scorer", "enrgy", ["energy", "msp"]))
    "unknown scorer 'enrgy'; did you mean 'energy'? (known: energy, msp)"
    """
    names = sorted(known)
    near = difflib.get_close_matches(value, names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    if len(names) <= LONGEST_LIST:
        return CaosError(f"unknown {what} {value!r}{hint} (known: {', '.join(names)})")
    some = ", ".join(difflib.get_close_matches(value, names, n=LONGEST_LIST // 4, cutoff=0.4) or names[:6])
    return CaosError(f"unknown {what} {value!r}{hint} ({len(names)} are known, such as {some})")
