"""Published numbers, to stand beside ours: another network, so compare the order and not the digits.

They are in ``published.toml``, a row for each method with its set, protocol, network, negatives and source. They stand
only beside sets with exactly the same classes held out, and only under the protocol they were made with.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Final

from caos.foundation.errors import CaosError, unknown
from caos.foundation.settings import Limits, read_record, read_toml
from caos.ood_scores.measuring.protocols import PROTOCOLS

FILE: Final = Path(__file__).with_name("published.toml")
UNSTATED: Final = "unstated"
OPEN_SET: Final = "open-set"
"""The protocol of open-mIoU."""
Percent = Annotated[float, Limits(0, 100)] | None


@dataclass(frozen=True)
class PublishedRow:
    """What somebody printed of one method; numbers are fractions of one, None where there is none.

    Attributes:
        set: Which set.
        protocol: Name of the definitions, ``open-set`` for open-mIoU, or ``unstated``.
        method: As the source calls it.
        source: Where it is printed.
        network: Or ``unstated``.
        negatives: Whether it was trained with negatives; None where the source does not say.
        scorer: Our scorer of the same rule, if there is one.
    """

    set: str
    protocol: str
    method: str
    source: str
    network: str = UNSTATED
    negatives: bool | None = None
    scorer: str | None = None
    fpr95: Percent = None
    auroc: Percent = None
    aupr: Percent = None
    open_miou: Percent = None
    anomaly_iou: Percent = None

    @property
    def trained(self) -> str:
        """Network and negatives in words."""
        negatives = {True: "with negatives", False: "without negatives", None: None}[self.negatives]
        network = None if self.network == UNSTATED else self.network
        return ", ".join(part for part in (network, negatives) if part is not None)


@dataclass(frozen=True)
class PublishedSet:
    """A set; the names of the label tables with exactly its anomalous classes."""

    label_tables: tuple[str, ...]


@dataclass(frozen=True)
class PublishedFile:
    """The file."""

    sets: Mapping[str, PublishedSet]
    sources: Mapping[str, str]
    results: tuple[PublishedRow, ...]


@functools.cache
def read_published(file: Path = FILE) -> PublishedFile:
    """The published results in a file, sources written out.

    Raises:
        CaosError: If the file is wrong, or a row names a set, source or protocol that is not there, or no number.
    """
    read = read_record(PublishedFile, read_toml(file), file)
    rows = tuple(_checked(row, read, f"{file}, result {number}") for number, row in enumerate(read.results, 1))
    return PublishedFile(read.sets, read.sources, rows)


def published_for(label_table: str) -> tuple[PublishedRow, ...]:
    """The published rows for sets with this label table."""
    published = read_published()
    names = {name for name, one in published.sets.items() if label_table in one.label_tables}
    return tuple(row for row in published.results if row.set in names)


NUMBERS: Final = ("fpr95", "auroc", "aupr", "open_miou", "anomaly_iou")


def _checked(row: PublishedRow, read: PublishedFile, where: str) -> PublishedRow:
    known = {"set": read.sets, "source": read.sources, "protocol": (*PROTOCOLS, OPEN_SET, UNSTATED)}
    for name, allowed in known.items():
        if getattr(row, name) not in allowed:
            raise CaosError(f"{where}: {unknown(name, getattr(row, name), allowed)}")
    numbers = {name: getattr(row, name) for name in NUMBERS}
    if all(number is None for number in numbers.values()):
        raise CaosError(f"{where}: no number; give one or more of {', '.join(NUMBERS)}")
    values: dict[str, Any] = {field.name: getattr(row, field.name) for field in fields(row)}
    values |= {name: None if number is None else number / 100 for name, number in numbers.items()}
    return PublishedRow(**{**values, "source": read.sources[row.source]})
