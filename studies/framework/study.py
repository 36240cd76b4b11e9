"""Study on disk: a folder that one process at a time works in, that is resumed part by part, and what it leaves there.

STUDY/study.json     everything: :class:`StudyContent`; written last, so where it is the others are whole
STUDY/table.md       its tables for people
STUDY/table.csv      its first table for programs; the others have their own names
STUDY/index.html     the page, with style.css, its scripts and data.js beside it
STUDY/claim.json     which study the folder belongs to
STUDY/parts/         finished parts, each with what it depends on

with study_folder(out, "transfer", progress) as place:
    value = place.part("plain/fog-3", {"weights": digest, "severity": 3}, measure)
    return place.finish({"parts": ...}, settings, lambda: Finding(...))
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any, Final

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.settings import read_json, read_record
from caos.foundation.storage.cache import code_digest
from caos.foundation.storage.claims import claimed
from caos.foundation.storage.files import write_json, write_text
from caos.foundation.storage.identity import FileHashes, digest_of
from caos.foundation.storage.provenance import package_version, provenance
from caos.studies.presentation.page import write_page
from caos.studies.presentation.plots import Plot
from caos.studies.presentation.tables import StudyTable

SCHEMA: Final = 1
KIND: Final = "caos study"
ROOM: Final = Path(__file__).parents[1]


@dataclass(frozen=True)
class Finding:
    """What a study found.

    Attributes:
        title: Heading of the page.
        lead: The answer in a few plain sentences.
        tables: Its tables; the first one is called ``table``.
        plots: What the page draws.
        details: All numbers, JSON-ready.
        script: Name of a script in ``assets/pages`` that draws into the element ``own``, from ``CAOS.details``.
    """

    title: str
    lead: str
    tables: tuple[StudyTable, ...]
    plots: tuple[Plot, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    script: str | None = None


@dataclass(frozen=True)
class StudyContent:
    """What ``study.json`` holds.

    Attributes:
        study: Its name.
        title: Its heading.
        lead: The answer in a few plain sentences.
        settings: What was asked for.
        identity: Digest of everything the numbers depend on.
        details: All numbers; each study's documentation says which.
        provenance: Versions, commit, seed.
    """

    study: str
    title: str
    lead: str
    settings: Mapping[str, Any]
    identity: str
    details: Mapping[str, Any]
    provenance: Mapping[str, Any]
    schema: int = SCHEMA
    kind: str = KIND


@dataclass(frozen=True, eq=False)
class Study:
    """A finished study."""

    folder: Path
    content: StudyContent

    @property
    def page(self) -> Path:
        """The page to open."""
        return self.folder / "index.html"

    def markdown(self) -> str:
        """The tables for people."""
        return (self.folder / "table.md").read_text(encoding="utf-8")


def read_study(folder: Path) -> Study:
    """The study in a folder.

    Raises:
        CaosError: If there is none, or it is damaged or of another schema.
    """
    path = folder / "study.json"
    if not path.is_file():
        raise CaosError(f"{folder} holds no study.json; make one with: caos study NAME ... --out {folder}")
    content = read_json(path)
    if not isinstance(content, dict) or content.get("schema") != SCHEMA:
        raise CaosError(f"{path} is not a study of schema {SCHEMA}; make it again")
    return Study(folder, read_record(StudyContent, content, path))


@contextlib.contextmanager
def study_folder(out: Path, study: str, progress: Progress = SILENT) -> Iterator[StudyFolder]:
    """The folder of a study, new or to go on with; no other process can work in it meanwhile.

    Raises:
        CaosError: If it holds something else, or another process works there.
    """
    with claimed(out, "claim.json", {"study": study, "schema": SCHEMA}, "study"):
        yield StudyFolder(out, study, progress)


@dataclass(frozen=True, eq=False)
class StudyFolder:
    """The folder of a study at work; get it from :func:`study_folder`."""

    folder: Path
    study: str
    progress: Progress

    def part(self, name: str, identity: Any, make: Callable[[], Any]) -> Any:
        """A part of the study: what ``make`` gives, or what it gave when everything in ``identity`` was the same.

        Args:
            name: Of the part, a path below ``parts``.
            identity: Everything the part depends on, JSON-ready.
            make: Makes the part, JSON-ready.
        """
        path, wanted = self.folder / "parts" / f"{name}.json", json.loads(json.dumps(identity))
        if path.is_file():
            kept = read_record(dict[str, Any], read_json(path), path)
            if kept.get("identity") == wanted and "value" in kept:
                return kept["value"]
        value = make()
        write_json(path, {"identity": wanted, "value": value})
        return json.loads(json.dumps(value))

    def has_part(self, name: str, identity: Any) -> bool:
        """Whether :meth:`part` would have nothing to make."""
        path = self.folder / "parts" / f"{name}.json"
        return path.is_file() and read_json(path).get("identity") == json.loads(json.dumps(identity))

    def finish(
        self, identity: Any, settings: Mapping[str, Any], find: Callable[[], Finding], seed: int | None = None
    ) -> Study:
        """The finished study: what ``find`` finds, or what is there if nothing it depends on changed.

        Args:
            identity: What the finding depends on, JSON-ready; code and pages are added here.
            settings: What was asked for, JSON-ready.
            find: Computes the finding.
            seed: Of what is drawn.
        """
        digest = digest_of([identity, dict(settings), self._code()])
        if (self.folder / "study.json").is_file():
            there = read_study(self.folder)
            if there.content.identity == digest and there.page.is_file():
                self.progress.say(f"{self.folder} is up to date")
                return there
        finding = find()
        content = StudyContent(
            study=self.study,
            title=finding.title,
            lead=finding.lead,
            settings=json.loads(json.dumps(dict(settings))),
            identity=digest,
            details=json.loads(json.dumps(finding.details)),
            provenance=provenance({}, seed),
        )
        self._write(finding, content)
        return Study(self.folder, content)

    def _write(self, finding: Finding, content: StudyContent) -> None:
        shown = [table.markdown() for table in finding.tables if "markdown" in table.shown_in]
        write_text(self.folder / "table.md", "\n".join([f"# {finding.title}\n\n{finding.lead}\n", *shown]))
        for table in finding.tables:
            if "csv" in table.shown_in:
                write_text(self.folder / f"{table.name}.csv", table.csv())
        write_page(
            self.folder,
            title=finding.title,
            lead=finding.lead,
            tables=finding.tables,
            plots=finding.plots,
            details=finding.details,
            script=finding.script,
            provenance=content.provenance,
        )
        write_json(self.folder / "study.json", asdict(content))

    def _code(self) -> list[str]:
        """What computes and draws the study."""
        own = ROOM / self.study.replace("-", "_")
        places = [ROOM / "framework", ROOM / "presentation", *([own] if own.is_dir() else [])]
        pages = sorted(Path(str(page)) for page in resources.files("caos.assets.pages").iterdir() if page.is_file())
        return [code_digest(*places)[:16], FileHashes().digest(pages), package_version("caos-bench")]
