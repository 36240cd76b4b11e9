"""State of an unfinished scoring run on disk, so that it can go on where it stopped.

``work/calibrations.json`` holds how scores are counted, ``work/rows.jsonl`` the rows of the images so far,
``work/state.npz`` the counts over all pixels and which images they include. Rows of images that the saved counts do not
include are measured again. What the run depends on is in ``plan.json`` beside ``work``.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from caos.foundation.errors import CaosError
from caos.foundation.settings import parse_json, read_json, read_record
from caos.foundation.storage.arrays import read_npz
from caos.foundation.storage.files import json_line, whole_file, write_json
from caos.ood_scores.evaluation.code_maps import CodeMaps
from caos.ood_scores.measuring.pixel_counts import Calibration, PixelCounts
from caos.ood_scores.measuring.records import ImageRow

SAVE_EVERY_S: Final = 20.0


class UnfinishedRun:
    """The folder ``work`` of a scoring run, whose coded score maps may be in memory."""

    def __init__(self, out: Path, code_maps: CodeMaps) -> None:
        self.folder, self._code_maps = out / "work", code_maps
        self._rows: dict[str, ImageRow] = {}
        self._saved_at = time.monotonic()

    def calibrations(self, columns: Sequence[str]) -> dict[str, Calibration] | None:
        """The calibrations of the run that is to be continued, in the order of the columns, or None for a new one."""
        path = self.folder / "calibrations.json"
        if not path.is_file():
            return None
        saved = read_record(dict[str, Calibration], read_json(path), path)
        if set(saved) != set(columns):
            raise self._damaged(path)
        return {column: saved[column] for column in columns}

    def begin(self, calibrations: Mapping[str, Calibration]) -> None:
        """Write down the calibrations, which every later part of the run must share."""
        write_json(self.folder / "calibrations.json", calibrations)

    def restore(self, counts: PixelCounts) -> set[str]:
        """Load what was saved into empty counts; the keys of the images they include.

        Raises:
            CaosError: If the state is damaged.
        """
        state = self.folder / "state.npz"
        done: set[str] = set()
        if state.is_file():
            try:
                arrays = read_npz(state)
                counts.restore(arrays)
                done = set(read_record(tuple[str, ...], parse_json(str(arrays["keys"]), state), state))
            except (CaosError, ValueError, KeyError, TypeError, IndexError) as error:
                raise self._damaged(state) from error
        self._rows = {row.key: row for row in self._written() if row.key in done}
        if self._rows.keys() != done:
            raise self._damaged(self.folder / "rows.jsonl")
        with whole_file(self.folder / "rows.jsonl") as temporary:
            temporary.write_text("".join(map(json_line, self._rows.values())), encoding="utf-8")
        return done

    def _damaged(self, path: Path) -> CaosError:
        return CaosError(f"{path} is damaged; remove {self.folder} and score again")

    def rows(self) -> list[ImageRow]:
        """The rows so far, those of earlier processes that the counts include first."""
        return list(self._rows.values())

    def _written(self) -> list[ImageRow]:
        """The rows on disk; a last line cut off by a crash is left out.

        Raises:
            CaosError: If another line is damaged.
        """
        path = self.folder / "rows.jsonl"
        if not path.is_file():
            return []
        with path.open(encoding="utf-8") as stream:
            lines = [line for line in stream if line.endswith("\n")]
        places = (f"{path}, line {number}" for number in range(1, len(lines) + 1))
        return [read_record(ImageRow, parse_json(*pair), pair[1]) for pair in zip(lines, places, strict=True)]

    def append(self, rows: Sequence[ImageRow], counts: PixelCounts) -> None:
        """Add measured images; the counts, which include them, are saved now and then."""
        with (self.folder / "rows.jsonl").open("a", encoding="utf-8") as stream:
            stream.writelines(map(json_line, rows))
        self._rows |= {row.key: row for row in rows}
        counts.is_whole = True
        if time.monotonic() - self._saved_at > SAVE_EVERY_S:
            self._save(counts)

    def _save(self, counts: PixelCounts) -> None:
        self._code_maps.save()
        with whole_file(self.folder / "state.npz") as temporary, temporary.open("wb") as stream:
            arrays: dict[str, Any] = counts.arrays()
            np.savez(stream, keys=np.array(json.dumps(sorted(self._rows))), **arrays)
        self._saved_at = time.monotonic()

    @contextlib.contextmanager
    def saved_when_stopped(self, counts: PixelCounts) -> Iterator[None]:
        """Save the counts when the work inside does not come to its end.

        Work that was stopped in the middle of an image leaves counts of half an image: those are not saved, and what
        was measured since the last time they were is measured again.
        """
        try:
            yield
        except BaseException:
            if counts.is_whole and self.folder.exists():
                self._save(counts)
            raise

    def remove(self) -> None:
        """Remove what only an unfinished run needs."""
        if self.folder.exists():
            shutil.rmtree(self.folder)
