"""Output that cannot steer a terminal, whatever stands in the files of others.

Names and words of sets, results and libraries are shown as they are. A terminal obeys some characters instead of
showing them: it may be given another title, its clipboard be filled, or lines be hidden. Those are shown by numbers;
the colours and moving lines of our own pass.
"""

from __future__ import annotations

import io
import re
from typing import Final, TextIO

_STEERING: Final = "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]"
_COLOURS: Final = r"\x1b\[[0-9;]*m|\r\n"
_MOVES: Final = r"\r(?=\x1b\[)|\x1b\[\?25[hl]|\x1b\[2K|\x1b\[1A"
"""What a line of progress is drawn again with."""


class HarmlessText(io.TextIOWrapper):
    """A text stream over the bytes of another; ``moves`` says whether lines of progress may be drawn again on it."""

    def __init__(self, stream: io.TextIOWrapper, *, moves: bool) -> None:
        super().__init__(
            stream.buffer,
            encoding=stream.encoding,
            errors="backslashreplace",
            line_buffering=stream.line_buffering,
            write_through=stream.write_through,
        )
        own = f"{_COLOURS}|{_MOVES}" if moves else _COLOURS
        self._pattern = re.compile(f"({own})|{_STEERING}")

    def write(self, text: str, /) -> int:
        """Write the text, and what steers a terminal by its number."""
        return super().write(text if text.isprintable() else self._pattern.sub(_shown, text))


def _shown(found: re.Match[str]) -> str:
    return found[1] or found[0].encode("unicode_escape").decode()


def harmless(stream: TextIO, *, moves: bool = False) -> TextIO:
    """The stream, or one in its place that cannot steer a terminal; the first has to outlive it."""
    return HarmlessText(stream, moves=moves) if isinstance(stream, io.TextIOWrapper) else stream
