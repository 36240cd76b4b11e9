"""Scoring of a test set: joins a source of score maps, protocols and metrics in one pass, in constant memory.

The work is cut into small chunks that processes, or a Ray cluster, share. After each chunk the counts are merged and,
now and then, saved under ``RESULTS/work``; a run that is started again with the same dependencies goes on where the
last one stopped.

    results = score_dataset(open_dataset(Path("data")), RunSource(...), Path("results"))
    print(results.markdown())
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.foundation.execution import executor
from caos.foundation.execution.prefetch import begun_ahead
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.storage.claims import claimed
from caos.foundation.storage.files import remove_parts
from caos.foundation.storage.identity import FileHashes
from caos.ood_scores import results
from caos.ood_scores.evaluation.approaches import approaches
from caos.ood_scores.evaluation.assembling import assemble, with_flagged
from caos.ood_scores.evaluation.code_maps import CodeMaps
from caos.ood_scores.evaluation.dependencies import INPUTS, PLAN, SetDigests, dependencies
from caos.ood_scores.evaluation.image_groups import measure_protocols, write_groups
from caos.ood_scores.evaluation.image_pass import ImagePass
from caos.ood_scores.evaluation.judging import judge_hazards
from caos.ood_scores.evaluation.options import ScoringOptions
from caos.ood_scores.evaluation.time_breakdown import Spent, mean_spent, spent_line
from caos.ood_scores.evaluation.truth import Truth
from caos.ood_scores.evaluation.unfinished import UnfinishedRun
from caos.ood_scores.evaluation.void_pixels import leaves_void_out
from caos.ood_scores.evaluation.workers import Chunk, CountedChunk, MakeSource, ProcessFactory
from caos.ood_scores.measuring.noticing import measure_noticing
from caos.ood_scores.measuring.pixel_counts import Calibration, PixelCounts, ScoreMap
from caos.ood_scores.results import Results, check_columns
from caos.ood_scores.scorer_interface.scorer import Scorer
from caos.ood_scores.scorer_interface.specifications import columns_of
from caos.ood_scores.sources.source import Source, finite, read_picture, spread
from caos.ood_scores.sources.torch_model import Model, Split, TorchModelSource
from caos.scenes.dataset.layout import Dataset, Sample, open_dataset

CHUNK: Final = 4
LARGEST_CHUNK: Final = 16
CHUNKS_A_WORKER: Final = 8
"""Images that a worker measures before it sends what it counted: the more the dearer is a crash, the fewer the mail."""
CALIBRATION_PIXELS: Final = 100_000


def score_dataset(
    dataset: Dataset,
    source: Source,
    out: Path,
    options: ScoringOptions | None = None,
    *,
    overwrite: bool = False,
    progress: Progress = SILENT,
    make_source: MakeSource | None = None,
) -> Results:
    """Score and measure a split; the results are written to ``out`` and returned.

    Results that are there already are returned if nothing they depend on has changed; an unfinished run goes on.

    Args:
        dataset: The set.
        source: Where score maps come from; it is prepared (fitted) here.
        out: Folder for the results.
        options: Settings.
        overwrite: Replace other results in ``out``.
        progress: Where progress is shown.
        make_source: Picklable maker of an equal source in another process; needed for more than one worker.

    Raises:
        CaosError: If the set has no hazard, ``out`` holds other results or another process works there, or an image
            or map cannot be used.
    """
    options = options or ScoringOptions()
    options = options.on(dataset.labels, leaves_void_out=leaves_void_out(dataset, options.split))
    check_columns(source.columns, out)
    if options.is_spread and make_source is None:
        raise CaosError("this source cannot be copied to several workers; use --workers 1")
    hashes = FileHashes(out / INPUTS)
    needed = dependencies(dataset, source, options, hashes)
    if not overwrite:
        needed.refuse_old_results(out)
    remedy = "choose a new folder, or overwrite it (--overwrite)"
    with claimed(out, PLAN, needed.plan, "scoring", overwrite=overwrite, remedy=remedy):
        if (out / "results.json").is_file():
            progress.say(f"{out} already holds these results")
            return results.read(out)
        scoring = _Scoring(dataset, source, options, out, progress)
        scoring.start(hashes)
        with scoring.saved_when_stopped():
            scoring.run(make_source)
            needed.refuse_change(dependencies(dataset, source, options, hashes), dataset.root)
            return scoring.finish(needed.digests)


def score_model(
    model: Model,
    dataset: str | Path | Dataset,
    scorers: str | Sequence[str | Scorer] = ("msp", "max_logit", "energy"),
    out: str | Path = "results",
    *,
    classes: Sequence[str] | None = None,
    features: Split | None = None,
    dropout_rate: float = 0.5,
    device: str = "cpu",
    scales: Sequence[float] = (),
    flips: bool = False,
    options: ScoringOptions | None = None,
    overwrite: bool = False,
    progress: Progress = SILENT,
) -> Results:
    """Score a test set with any torch model, and measure it.

    A ``torch.nn.Module`` is known by its weights and structure: results in ``out`` are returned if they were made with
    the same one. A plain function is not known by anything: results in ``out`` are an error then, or are replaced.

    Args:
        model: Pictures ``(1, 3, h, w)``, floats 0..1 on ``device``, to logits ``(1, C, h, w)``; or a mask transformer
            (:class:`caos.MaskTransformer`, or a network of ``transformers`` as it is), for scorers on queries.
        dataset: The set, or its folder.
        scorers: Names with settings (``"knn:k=50"``), paths of files with a scorer, or instances.
        out: Folder for the results.
        classes: Names of the network's classes in the order of its logits, for scorers that read a class by its name,
            such as ``background``. None takes those of its settings (``config.id2label``), or of the set's label table
            where that has classes. A scorer whose class is unknown is left out, and the results say why.
        features: Pictures to features ``(1, D, h', w')`` and a function from features to logits ``(1, C, h'', w'')``,
            for scorers that read features or drop some. A method of a network is known by the network. A mask
            transformer has its own.
        dropout_rate: Share of the feature channels that MC-Dropout drops in each pass.
        device: Where the pictures are put.
        scales: Average the logits over the picture at these factors of its size, such as ``(0.5, 1.0, 1.5)``; features
            stay those of the picture as it is.
        flips: Average over the picture and its mirror image.
        options: Settings.
        overwrite: Replace other results in ``out``.
        progress: Where progress is shown.

    Raises:
        CaosError: As :func:`score_dataset`, or if a scorer needs what the model does not give.
    """
    opened = dataset if isinstance(dataset, Dataset) else open_dataset(Path(dataset))
    options = options or ScoringOptions()
    from caos.ood_scores.sources.mask_transformer import MaskTransformerSource, as_mask_transformer

    source: Source
    if (masks := as_mask_transformer(model)) is not None:
        if scales or flips:
            raise CaosError("scales and flips average logits; the queries of a mask transformer have no mean")
        source = MaskTransformerSource(masks, columns_of(scorers), opened.labels, device=device)
    else:
        source = TorchModelSource(
            model,
            columns_of(scorers),
            opened.labels,
            classes=classes,
            features=features,
            dropout_rate=dropout_rate,
            seed=options.seed,
            device=device,
            scales=scales,
            flips=flips,
        )
    return score_dataset(opened, source, Path(out), options, overwrite=overwrite, progress=progress)


class _Scoring:
    """One scoring run from its first image to its results."""

    def __init__(
        self, dataset: Dataset, source: Source, options: ScoringOptions, out: Path, progress: Progress
    ) -> None:
        self._dataset, self._source, self._options, self._out = dataset, source, options, out
        self._progress = progress
        self._samples = dataset.samples(options.split)
        self._code_maps = CodeMaps(out)
        self._unfinished = UnfinishedRun(out, self._code_maps)

    def start(self, hashes: FileHashes) -> None:
        """Fit the scorers and look at the range of their scores, or take up what an earlier process left."""
        self._source.prepare(self._dataset, self._options.seed, self._progress)
        saved = self._unfinished.calibrations(self._source.columns)
        calibrations = saved or _calibrate(self._source, self._dataset, self._samples, self._progress)
        self._unfinished.begin(calibrations)
        hashes.save()
        self._pass = ImagePass(self._source, self._dataset, self._options, self._out, calibrations, self._code_maps)
        self._counts = self._pass.new_counts()
        self._done = self._unfinished.restore(self._counts)

    def saved_when_stopped(self) -> AbstractContextManager[None]:
        """Save what was done if the work inside does not come to its end."""
        return self._unfinished.saved_when_stopped(self._counts)

    def run(self, make_source: MakeSource | None) -> None:
        """Score the images that are left."""
        left = [(number, sample) for number, sample in enumerate(self._samples) if sample.key not in self._done]
        self._left, self._start = len(left), perf_counter()
        scratch = self._pass.new_counts() if self._options.is_spread else self._counts  # else nothing is merged
        with (
            self._progress.task("score", len(self._samples), done=len(self._done)) as shown,
            contextlib.closing(self._counted(left, make_source)) as chunks,
        ):
            for counted in chunks:
                counted.merge_into(self._counts, scratch)
                self._unfinished.append(counted.rows, self._counts)
                shown.advance(len(counted.rows), note=counted.rows[-1].key)
        if self._options.is_spread:
            remove_parts(self._out)  # of workers that died

    def _counted(self, images: Chunk, make_source: MakeSource | None) -> Generator[CountedChunk]:
        """Measure the images in worker processes, or in this one; the next one is begun while one is measured."""
        if self._options.is_spread:
            assert make_source is not None
            yield from self._spread(images, ProcessFactory.of(make_source, self._pass))
        elif self._source.can_prefetch:
            with contextlib.closing(begun_ahead(images, lambda image: self._pass.begin(*image))) as begun:
                for image in begun:
                    yield CountedChunk([self._pass.finish(image, self._counts)])
        else:
            for number, sample in images:
                yield CountedChunk([self._pass.measure(number, sample, self._counts)])

    def _spread(self, images: Chunk, factory: ProcessFactory) -> Iterator[CountedChunk]:
        share = len(images) // (CHUNKS_A_WORKER * self._options.workers)
        size = max(CHUNK, min(share, LARGEST_CHUNK))
        chunks = [images[i : i + size] for i in range(0, len(images), size)]
        return executor.run(chunks, factory, self._options.workers, self._options.ray)

    def finish(self, digests: SetDigests) -> Results:
        """Judge the hazards and write the results, with what tells the set from others."""
        _refuse_without_hazards(self._counts, self._dataset, self._options)
        judging, spent = self._options.judging, Spent()
        judgement = noticing = None
        if judging is not None:
            judgement = judge_hazards(
                self._dataset, self._samples, self._counts, self._code_maps, judging, self._progress
            )
            spent.on("components")
        order = {sample.key: number for number, sample in enumerate(self._samples)}
        rows = with_flagged(sorted(self._unfinished.rows(), key=lambda row: order[row.key]), judgement)
        if judging is not None:
            columns = tuple(self._counts.calibrations)
            neared = approaches(self._dataset, self._pass.manifest, rows, columns)
            noticing = measure_noticing(neared, judging.stopping)
        pooled = measure_protocols(self._counts, self._options.protocols, len(rows))
        content = assemble(self._dataset, self._source, self._options, rows, self._counts, judgement, noticing, pooled)
        write_groups(self._out, pooled)
        spent.on("results")
        clock_s = (perf_counter() - self._start) / self._left if self._left else None
        content = replace(
            content,
            dataset=replace(content.dataset, labels_digest=digests.labels, images_digest=digests.images),
            spent=mean_spent([row.spent for row in rows], spent.seconds),
            clock_s=clock_s,
        )
        written = results.write(self._out, content, rows)
        self._unfinished.remove()
        self._progress.say(spent_line(content.spent, clock_s))
        return written


def _calibrate(
    source: Source, dataset: Dataset, samples: Sequence[Sample], progress: Progress
) -> dict[str, Calibration]:
    """Cells and levels of each column, from a few images spread over the set."""
    chosen = spread(samples, min(8, max(2, len(samples) // 10)))
    values: dict[str, list[ScoreMap]] = {column: [] for column in source.columns}
    masks: list[npt.NDArray[np.bool_]] = []
    with progress.task("look at the range of scores", len(chosen)) as task:
        for sample in chosen:
            image = read_picture(sample.image)
            truth = Truth.read(sample, dataset.labels, image.shape[:2])
            step = max(1, truth.ids.size // CALIBRATION_PIXELS)
            masks.append(truth.anomalous.ravel()[::step])
            for column, scores in finite(source.score(sample, image), sample.image).maps.items():
                values[column].append(scores.ravel()[::step])
            task.advance()
    anomalous = np.concatenate(masks)
    return {column: Calibration.of(np.concatenate(parts), anomalous) for column, parts in values.items()}


def _refuse_without_hazards(counts: PixelCounts, dataset: Dataset, options: ScoringOptions) -> None:
    if not counts.anomalous:
        number = len(dataset.samples(options.split))
        raise CaosError(
            f"{dataset.root} has no anomalous pixel in the {number} images of split {options.split!r}: "
            "there is nothing to measure (is the label table right?)"
        )
