"""The code fences and links of the project's pages."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Fence:
    """A block of code on a page."""

    page: Path
    language: str
    text: str

    @property
    def needs(self) -> str | None:
        """What the block needs that a test does not have: the rest of a first line ``# needs ...``."""
        first = self.text.splitlines()[0] if self.text else ""
        return first.removeprefix("# needs ") if first.startswith("# needs ") else None

    @property
    def commands(self) -> list[list[str]]:
        """The words of each line ``$ caos ...``, after ``caos``."""
        lines = [line for line in self.text.splitlines() if line.startswith("$ caos ")]
        return [shlex.split(line)[2:] for line in lines]


def fences(language: str) -> Iterator[Fence]:
    """Every block of one language."""
    for page in PAGES:
        for found, text in _FENCE.findall(page.read_text(encoding="utf-8")):
            if found == language:
                yield Fence(page, found, text)


def links(page: Path) -> list[str]:
    """Where a page's relative links lead."""
    found = _LINK.findall(page.read_text(encoding="utf-8"))
    return [link.split("#")[0] for link in found if "://" not in link and not link.startswith("#")]
