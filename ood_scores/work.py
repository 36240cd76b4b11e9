"""The state of an unfinished run on disk, so that it can go on where it stopped.

``work/plan.json`` says what the run depends on, ``work/rows.jsonl`` holds one row an image, ``work/state.npz`` the
counts over all pixels and which images they include. Rows of images that the saved counts do not include are measured
again.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from foundation.errors import CaosError
from foundation.files import read_json, whole_file, write_json
from ood_scores.pooled import Grid
from ood_scores.tally import Calibration, Tally

SAVE_EVERY_S: Final = 20.0


class Work:
    """The state of an unfinished run: ``work/plan.json``, ``work/rows.jsonl``, ``work/state.npz``."""

    def __init__(self, out: Path, plan: dict[str, Any]) -> None:
        self.out, self.folder, self.plan = out, out / "work", plan
        self.codes = self.folder / "codes"
        self.done: set[str] = set()
        self._saved_at = time.monotonic()
        for path in (out / "results.json", self.folder / "plan.json"):
            if path.is_file() and read_json(path).get("plan") != plan:
                raise CaosError(f"{out} holds results of other settings; choose another --out, or remove it")

    def is_finished(self) -> bool:
        """Whether the results of this plan are complete."""
        return (self.out / "results.json").is_file() and not (self.folder / "plan.json").is_file()

    def calibrations(self) -> dict[str, Calibration] | None:
        """The calibrations of the run that is to be continued, or None for a new one."""
        path = self.folder / "plan.json"
        if not path.is_file():
            return None
        saved = read_json(path)["calibrations"]
        return {
            column: Calibration(Grid(**saved[column]["grid"]), tuple(saved[column]["levels"]))
            for column in self.plan["columns"]
        }

    def begin(self, calibrations: dict[str, Calibration]) -> None:
        """Write the plan down, with the calibrations that every later part of the run must share."""
        saved = {column: asdict(calibration) for column, calibration in calibrations.items()}
        write_json(self.folder / "plan.json", {"plan": self.plan, "calibrations": saved})

    def restore(self, tally: Tally) -> set[str]:
        """Load what was saved; the keys of the images it holds."""
        state = self.folder / "state.npz"
        if state.is_file():
            with np.load(state, allow_pickle=False) as arrays:
                tally.restore(arrays)
                self.done = set(json.loads(str(arrays["keys"])))
        kept = [row for row in self.rows() if row["key"] in self.done]
        text = "".join(json.dumps(row, allow_nan=False) + "\n" for row in kept)
        with whole_file(self.folder / "rows.jsonl") as temporary:
            temporary.write_text(text, encoding="utf-8")
        return set(self.done)

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows so far; a last line cut off by a crash is left out."""
        path = self.folder / "rows.jsonl"
        if not path.is_file():
            return
        with path.open(encoding="utf-8") as stream:
            for line in stream:
                if line.endswith("\n"):
                    yield json.loads(line)

    def append(self, rows: Sequence[dict[str, Any]], tally: Tally) -> None:
        """Add measured images; the counts, which include them, are saved now and then."""
        with (self.folder / "rows.jsonl").open("a", encoding="utf-8") as stream:
            stream.writelines(json.dumps(row, allow_nan=False) + "\n" for row in rows)
        self.done |= {row["key"] for row in rows}
        if time.monotonic() - self._saved_at > SAVE_EVERY_S:
            self.save(tally)

    def save(self, tally: Tally) -> None:
        """Save the counts."""
        with whole_file(self.folder / "state.npz") as temporary, temporary.open("wb") as stream:
            arrays: dict[str, Any] = tally.arrays()
            np.savez(stream, keys=np.array(json.dumps(sorted(self.done))), **arrays)
        self._saved_at = time.monotonic()

    @contextlib.contextmanager
    def saving(self, tally: Tally) -> Iterator[None]:
        """Save the counts when the work inside ends, in whatever way."""
        try:
            yield
        finally:
            self.save(tally)

    def remove(self) -> None:
        """Remove what only an unfinished run needs."""
        shutil.rmtree(self.folder)
