"""Workers of a scoring run: in this process, or in others that make the source of score maps anew."""

from __future__ import annotations

import functools
import os
import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from caos.ood_scores.evaluation.image_pass import ImagePass
from caos.ood_scores.evaluation.options import ScoringOptions
from caos.ood_scores.measuring.pixel_counts import Calibration, PixelCounts
from caos.ood_scores.measuring.records import ImageRow
from caos.ood_scores.sources.model import ModelSource
from caos.ood_scores.sources.source import Source
from caos.scenes.dataset.layout import Dataset, Sample

Chunk = Sequence[tuple[int, Sample]]
"""Images with their numbers in the set."""
MakeSource = Callable[[], Source]


@dataclass(frozen=True, eq=False)
class CountedChunk:
    """The rows of a chunk, and the counts of another process, or None where this process counted them in place."""

    rows: Sequence[ImageRow]
    arrays: Mapping[str, npt.NDArray[Any]] | None = None

    def merge_into(self, counts: PixelCounts, scratch: PixelCounts) -> None:
        """Add what another process counted; ``scratch`` are counts that nobody needs."""
        if self.arrays is not None:
            scratch.restore(self.arrays)
            counts.merge(scratch)


@dataclass(frozen=True, eq=False)
class ProcessFactory:
    """Work in another process, perhaps on another machine that sees the same files.

    Attributes:
        make_source: Makes the source there.
        fitted: The scorers, pickled: fitted once, so that every process scores with the same numbers. They are read
            after the source is made, for that loads the files that foreign scorers are defined in.
        dataset: The set.
        options: Settings.
        out: Folder of the results.
        calibrations: How scores are counted.
    """

    make_source: MakeSource
    fitted: bytes | None
    dataset: Dataset
    options: ScoringOptions
    out: Path
    calibrations: Mapping[str, Calibration]

    @staticmethod
    def of(make_source: MakeSource, image_pass: ImagePass) -> ProcessFactory:
        """A factory for the work of this pass."""
        source = image_pass.source
        fitted = pickle.dumps(source.scorer_columns) if isinstance(source, ModelSource) else None
        return ProcessFactory(
            make_source, fitted, image_pass.dataset, image_pass.options, image_pass.out, image_pass.calibrations
        )

    def __call__(self, number: int) -> Callable[[Chunk], CountedChunk]:
        """Make the function that measures one chunk after the other, in the worker of this number."""
        source = on_own_device(self.make_source, number)()
        if isinstance(source, ModelSource) and self.fitted is not None:
            import torch

            if self.options.ray is None:
                torch.set_num_threads(max(1, (os.cpu_count() or 1) // self.options.workers))
            # Our own bytes, which our own process sent a moment ago.
            source.scorer_columns = pickle.loads(self.fitted)  # noqa: S301
        image_pass = ImagePass(source, self.dataset, self.options, self.out, self.calibrations)

        def measure(chunk: Chunk) -> CountedChunk:
            counts = image_pass.new_counts()
            rows = [image_pass.measure(n, sample, counts) for n, sample in chunk]
            arrays = {name: _shortened(array) for name, array in counts.arrays().items()}
            return CountedChunk(rows, arrays)

        return measure


def _shortened(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same numbers in as few bytes as the largest needs: what a few images count travels as an eighth."""
    return array.astype(np.min_scalar_type(array.max(initial=0))) if array.dtype == np.int64 else array


def on_own_device(make_source: MakeSource, number: int) -> MakeSource:
    """The maker for the worker of this number: where there are several GPUs, each takes the next one."""
    if not isinstance(make_source, functools.partial) or make_source.keywords.get("device") != "auto":
        return make_source
    import torch

    gpus = torch.cuda.device_count()
    return functools.partial(make_source, device=f"cuda:{number % gpus}") if gpus > 1 else make_source
