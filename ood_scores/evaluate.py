"""Joins a source of score maps, a test set, protocols and metrics: one pass over the images, in constant memory.

The work is cut into small chunks that processes share. After each chunk the counts are merged and, now and then, saved
under ``RESULTS/work``; a run that is started again with the same plan goes on where the last one stopped.

    results = score_dataset(open_dataset(Path("data")), RunSource(...), Path("results"))
    print(results.markdown())
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from foundation.errors import CaosError
from foundation.progress import SILENT, Progress
from ood_scores import results
from ood_scores.found import find_hazards
from ood_scores.job import Job, Options, checked
from ood_scores.results import Results
from ood_scores.sources import CallableSource, ModelSource, Source, read_picture, spread
from ood_scores.tally import Calibration, Tally, Truth
from ood_scores.work import Work
from scenes.layout import Dataset, Sample, open_dataset

if TYPE_CHECKING:
    from torch import Tensor

CHUNK: Final = 4
CALIBRATION_PIXELS: Final = 100_000


def score_dataset(
    dataset: Dataset,
    source: Source,
    out: Path,
    options: Options | None = None,
    *,
    progress: Progress = SILENT,
    make_source: Callable[[], Source] | None = None,
) -> Results:
    """Score and measure a split; the results are written to ``out`` and returned.

    Args:
        dataset: The set.
        source: Where score maps come from; it is prepared (fitted) here.
        out: Folder for the results.
        options: Settings.
        progress: Where progress is shown.
        make_source: Picklable maker of an equal source in another process; needed for more than one worker.

    Raises:
        CaosError: If the set has no hazard, ``out`` holds other results, or an image or map cannot be used.
    """
    options = options or Options()
    samples = dataset.samples(options.split)
    plan = _plan(dataset, source, options)
    work = Work(out, plan)
    if work.is_finished():
        progress.say(f"{out} holds these results already")
        return results.read(out)
    source.prepare(dataset, options.seed, progress)
    calibrations = work.calibrations() or _calibrate(source, dataset, samples, progress)
    work.begin(calibrations)
    tally = Tally(calibrations, options.policies)
    job = Job(source, dataset, options, out, calibrations)
    done = work.restore(tally)
    with work.saving(tally):
        _run(job, samples, done, work, tally, progress, make_source)
    _refuse_without_hazards(tally, dataset, options)
    found = None
    if options.found is not None:
        found = find_hazards(dataset, samples, calibrations, tally, work.codes, options.found, progress)
    return _finish(dataset, source, out, options, work, tally, found)


def score_model(
    model: Callable[[Tensor], Tensor],
    dataset: str | Path | Dataset,
    scorers: Sequence[str] = ("msp", "max_logit", "energy"),
    out: str | Path = "results",
    *,
    device: str = "cpu",
    progress: Progress = SILENT,
    **options: Any,
) -> Results:
    """Score a test set with any torch model, and measure it.

    Args:
        model: Pictures ``(1, 3, h, w)``, floats 0..1 on ``device``, to logits ``(1, C, h, w)``.
        dataset: The set, or its folder.
        scorers: Names of scorers that need logits only.
        out: Folder for the results.
        device: Where the pictures are put.
        progress: Where progress is shown.
        **options: Fields of :class:`Options`.
    """
    opened = dataset if isinstance(dataset, Dataset) else open_dataset(Path(dataset))
    source = CallableSource(model, scorers, opened.labels, device=device, description=type(model).__name__)
    return score_dataset(opened, source, Path(out), Options(**options), progress=progress)


def _plan(dataset: Dataset, source: Source, options: Options) -> dict[str, Any]:
    """Everything the results depend on, JSON-ready: two runs with one plan can be continued."""
    chosen = {k: v for k, v in asdict(options).items() if k not in {"workers", "protocols"}}
    keys = [sample.key for sample in dataset.samples(options.split)]
    return {
        "schema": results.SCHEMA,
        "dataset": {"root": str(dataset.root.resolve()), "labels": dataset.labels.digest, "images": keys},
        "source": source.describe(),
        "columns": list(source.columns),
        "protocols": [protocol.name for protocol in options.protocols],
        "options": json.loads(json.dumps(chosen)),
    }


def _calibrate(
    source: Source, dataset: Dataset, samples: Sequence[Sample], progress: Progress
) -> dict[str, Calibration]:
    """Cells and levels of each column, from a few images spread over the set."""
    chosen = spread(samples, min(8, max(2, len(samples) // 10)))
    values: dict[str, list[npt.NDArray[np.float32]]] = {column: [] for column in source.columns}
    masks: list[npt.NDArray[np.bool_]] = []
    with progress.task("look at the range of scores", len(chosen)) as task:
        for sample in chosen:
            image = read_picture(sample.image)
            truth = Truth.read(sample, dataset.labels, image.shape[:2])
            step = max(1, truth.ids.size // CALIBRATION_PIXELS)
            masks.append(truth.anomalous.ravel()[::step])
            for column, scores in checked(source.score(sample, image), sample).maps.items():
                values[column].append(scores.ravel()[::step])
            task.advance()
    anomalous = np.concatenate(masks)
    return {column: Calibration.of(np.concatenate(parts), anomalous) for column, parts in values.items()}


_Chunk = list[tuple[int, Sample]]


def _run(
    job: Job,
    samples: Sequence[Sample],
    done: set[str],
    work: Work,
    tally: Tally,
    progress: Progress,
    make_source: Callable[[], Source] | None,
) -> None:
    left = [(number, sample) for number, sample in enumerate(samples) if sample.key not in done]
    chunks = [left[i : i + CHUNK] for i in range(0, len(left), CHUNK)]
    with progress.task("score", len(samples), done=len(done)) as task:
        if job.options.workers <= 1 or len(chunks) <= 1:
            for number, sample in left:
                work.append([job.measure(number, sample, tally)], tally)
                task.advance(note=sample.key)
            return
        if make_source is None:
            raise CaosError("several workers need a source that can be made again in each; use --workers 1")
        for rows, counted in _in_processes(job, chunks, make_source):
            part = job.new_tally()
            part.restore(counted)
            tally.merge(part)
            work.append(rows, tally)
            task.advance(len(rows), note=rows[-1]["key"])


def _in_processes(
    job: Job, chunks: Sequence[_Chunk], make_source: Callable[[], Source]
) -> Iterator[tuple[list[dict[str, Any]], dict[str, npt.NDArray[Any]]]]:
    """Results of the chunks as they are ready; at most two chunks a worker are under way."""
    import multiprocessing

    fitted = getattr(job.source, "scorers", None)
    context = multiprocessing.get_context("spawn")
    workers = min(job.options.workers, len(chunks))
    started = context.Value("i", 0)
    setup = (make_source, fitted, job.dataset, job.options, job.out, job.calibrations, workers, started)
    with ProcessPoolExecutor(workers, context, initializer=_start_worker, initargs=setup) as pool:
        yield from _bounded(pool, chunks, 2 * workers)


def _bounded(
    pool: Executor, chunks: Sequence[_Chunk], most: int
) -> Iterator[tuple[list[dict[str, Any]], dict[str, npt.NDArray[Any]]]]:
    waiting: list[Future[Any]] = []
    try:
        for chunk in chunks:
            waiting.append(pool.submit(_measure_chunk, chunk))
            if len(waiting) >= most:
                yield waiting.pop(0).result()
        while waiting:
            yield waiting.pop(0).result()
    finally:
        for future in waiting:
            future.cancel()


_worker_job: Job | None = None


def _start_worker(
    make_source: Callable[[], Source],
    fitted: Any,
    dataset: Dataset,
    options: Options,
    out: Path,
    calibrations: dict[str, Calibration],
    workers: int,
    started: Any,
) -> None:
    global _worker_job  # noqa: PLW0603 - the one way to give a pool's process its state
    with started.get_lock():
        number = started.value
        started.value += 1
    source = on_own_device(make_source, number)()
    if isinstance(source, ModelSource):
        import os

        import torch

        torch.set_num_threads(max(1, (os.cpu_count() or 1) // workers))
        # Fitted once, in the parent: every process must score with the same numbers.
        source.scorers = fitted
    _worker_job = Job(source, dataset, options, out, calibrations)


def on_own_device(make_source: Callable[[], Source], number: int) -> Callable[[], Source]:
    """The maker for the worker of this number: where there are several GPUs, each takes the next one."""
    if not isinstance(make_source, functools.partial) or make_source.keywords.get("device") != "auto":
        return make_source
    import torch

    gpus = torch.cuda.device_count()
    return functools.partial(make_source, device=f"cuda:{number % gpus}") if gpus > 1 else make_source


def _measure_chunk(chunk: _Chunk) -> tuple[list[dict[str, Any]], dict[str, npt.NDArray[Any]]]:
    assert _worker_job is not None
    tally = _worker_job.new_tally()
    rows = [_worker_job.measure(number, sample, tally) for number, sample in chunk]
    return rows, tally.arrays()


def _refuse_without_hazards(tally: Tally, dataset: Dataset, options: Options) -> None:
    pool = next(iter(tally.pools.values()))
    if not pool.positives.sum():
        number = len(dataset.samples(options.split))
        raise CaosError(
            f"{dataset.root} has no anomalous pixel in the {number} images of split {options.split!r}: "
            "there is nothing to measure (is the label table right?)"
        )


def _finish(
    dataset: Dataset,
    source: Source,
    out: Path,
    options: Options,
    work: Work,
    tally: Tally,
    found: dict[str, Any] | None,
) -> Results:
    order = {sample.key: number for number, sample in enumerate(dataset.samples(options.split))}
    rows = sorted(work.rows(), key=lambda row: order[row["key"]])
    finished = results.assemble(dataset, source, options.protocols, options.split, options.seed, rows, tally, found)
    finished["plan"] = work.plan
    written = results.write(out, finished, rows)
    work.remove()
    return written
