"""Known things among meshes to import: those that ordinary streets show are left out and counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from caos.assets.importing.job import Report
from caos.assets.street.contents import clash


@dataclass(frozen=True)
class KnownThings:
    """Decides what is left out for being an ordinary sight.

    Attributes:
        report: Where it is counted, or noted when it is taken all the same.
        allowed: Whether the user insists on known things.
    """

    report: Report
    allowed: bool = False

    def turn_away(self, source: str, names: Sequence[str]) -> bool:
        """Whether the object called ``names`` is left out; what it clashes with goes into the report."""
        for name in names:
            thing = clash(name)
            if thing is None:
                continue
            if self.allowed:
                text = f"{name} is taken though streets show it: {thing.name}, class {thing.training_class}"
                self.report.notes.append((source, text))
                return False
            self.report.left_out[thing.training_class, name] += 1
            return True
        return False
