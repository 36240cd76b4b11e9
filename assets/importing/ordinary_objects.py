"""Filter of meshes that show objects of ordinary streets: they are not hazards and are left out of an import."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from caos.assets.importing.job import Report
from caos.assets.street.contents import clash


@dataclass(frozen=True)
class OrdinaryObjectFilter:
    """Decides by name which objects are left out, and records them.

    Attributes:
        report: Counts what is left out, and notes what is imported in spite of its name.
        allowed: Whether such objects are imported nevertheless (--allow-known).
    """

    report: Report
    allowed: bool = False

    def excludes(self, source: str, names: Sequence[str]) -> bool:
        """Whether an object with these names is left out; the street object that it matches goes into the report."""
        for name in names:
            thing = clash(name)
            if thing is None:
                continue
            if self.allowed:
                text = (
                    f"{name} is imported although ordinary streets show it: {thing.name}, class {thing.training_class}"
                )
                self.report.notes.append((source, text))
                return False
            self.report.left_out[thing.training_class, name] += 1
            return True
        return False
