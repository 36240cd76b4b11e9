"""Training: steps, schedule, validation, checkpoints, on one CPU or many GPUs (Lightning Fabric).

A run is a function of its configuration and its set. All chance is drawn from (seed, step), never from the state of a
generator, so a run that was killed continues from ``last.ckpt`` and ends with the weights of one that was not.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast

import torch
from torch import Tensor, nn

from caos.foundation.errors import CaosError, first_line
from caos.foundation.execution.progress import SILENT, Progress
from caos.foundation.execution.progress import Task as Bar
from caos.foundation.settings import read_record
from caos.foundation.storage.files import real_path, sha256
from caos.foundation.storage.provenance import provenance
from caos.scenes.dataset.layout import Dataset
from caos.segmentation.augmentation.deep_augment import DeepAugment
from caos.segmentation.augmentation.mixing import cut_mix
from caos.segmentation.augmentation.painters import load_painters
from caos.segmentation.data.loading import (
    Batch,
    BatchPlan,
    check_samples,
    check_table,
    training_batches,
)
from caos.segmentation.data.pasting import check_cutouts, negatives_used
from caos.segmentation.models.whole_images import WholeImageTask
from caos.segmentation.prediction.checkpoint import (
    LAST_FILE,
    WEIGHTS_FILE,
    Run,
    RunRecord,
    TrainResults,
    check_labels,
    copy_weights,
    load_last,
    read_run,
    save_last,
    save_weights,
    write_run,
)
from caos.segmentation.training import report
from caos.segmentation.training.config import WHOLE_IMAGES, TrainConfig
from caos.segmentation.training.devices import make_fabric
from caos.segmentation.training.memory import check_memory
from caos.segmentation.training.negatives import NegativesUsed
from caos.segmentation.training.optimization import make_optimizer, rate_factor, set_rate
from caos.segmentation.training.run_folder import Opening, as_results, clear, find_opening, finished, held
from caos.segmentation.training.tasks import AnyTask, make_task, negative_weight


@dataclass
class Standing:
    """Where training stands: everything besides weights and optimiser that a resumed run needs."""

    step: int = 0
    best: float | None = None
    best_epoch: int = 0
    loss_sum: float = 0.0
    seconds: float = 0.0
    history: list[dict[str, int | float | None]] = field(default_factory=list)


def train(
    dataset: Dataset,
    out: Path,
    config: TrainConfig,
    *,
    overwrite: bool = False,
    progress: Progress = SILENT,
) -> dict[str, Any]:
    """Train as ``config`` says and leave a run at ``out``; returns what its ``run.json`` calls ``results``.

    A stopped run of the same set, settings and code goes on where it was; a finished one is left as it is.

    Raises:
        CaosError: If the set, the configuration or ``out`` is wrong, ``out`` holds another run and is not to be
            overwritten, or another process trains there; nothing is then written.
    """
    if _rank() != 0:
        done = None if overwrite else finished(out)
        return as_results(done) if done else Trainer(dataset, out, config, None, progress).run()
    with held(out):
        check_table(dataset)
        load_painters(config.autoencoder, config.super_resolution, torch.device("cpu"))
        used = None
        if overwrite or not (out / LAST_FILE).exists():
            samples = [*dataset.samples("train"), *dataset.splits.get("val", ())]
            shown = check_samples(samples, dataset.labels, config.workers, progress)
            used = with_inherited(_negatives_used(dataset, config, shown, progress), config.init)
        opening = find_opening(dataset, out, config, used, overwrite=overwrite, progress=progress)
        if opening.results is not None:
            progress.say(f"{out} is already finished; --overwrite trains it again")
            return as_results(opening.results)
        return Trainer(dataset, out, config, opening, progress).run()


def _negatives_used(dataset: Dataset, config: TrainConfig, shown: int, progress: Progress) -> NegativesUsed | None:
    if config.negatives is not None:
        cutouts = None if config.paste is None else check_cutouts(config.paste, dataset, progress)
        if not shown and cutouts is None:
            raise CaosError(
                f"{dataset.root}: no training picture shows an anomaly, so there is nothing to learn from with "
                "--negatives; use a set with negatives in its training pictures, or paste some with --paste"
            )
        return negatives_used(dataset, config.negatives, negative_weight(config), shown, cutouts)
    if config.known_as is not None:
        dataset.labels.trained_id(config.known_as)
        if not shown:
            raise CaosError(f"{dataset.root}: no training picture shows an anomaly to teach as {config.known_as!r}")
        return negatives_used(dataset, f"known as {config.known_as}", 1.0, shown, None)
    if shown:
        total = len(dataset.samples("train"))
        progress.say(f"{shown} of {total} training pictures show anomalies, which count as void without --negatives")
    return None


def with_inherited(used: NegativesUsed | None, init: Path | None) -> NegativesUsed | None:
    """The negatives of a run that starts from the weights of ``init``: what those have seen, it has seen, too."""
    before = None if init is None else read_run(init).record.negatives
    if used is None or before is None:
        return used or before
    return replace(used, kinds=tuple(sorted({*used.kinds, *before.kinds})))


class Trainer:
    """One training run.

    Args:
        dataset: The set.
        out: Folder of the run.
        config: Settings.
        opening: What was found there; None in processes that help the first.
        progress: Who is told.
    """

    def __init__(
        self, dataset: Dataset, out: Path, config: TrainConfig, opening: Opening | None, progress: Progress
    ) -> None:
        self.dataset, self.out, self.config, self.progress = dataset, out, config, progress
        self.opening = opening
        self.fabric = make_fabric(config)
        self.fabric.launch()
        self.standing, self._losses = Standing(), list[Tensor]()
        count = len(dataset.samples("train"))
        self.plan = BatchPlan(
            count=count,
            batch=min(config.batch_size, max(count // self.fabric.world_size, 1)),
            epochs=config.epochs,
            seed=config.seed,
            rank=self.fabric.global_rank,
            world=self.fabric.world_size,
            epoch_steps=config.epoch_steps,
        )
        goes_on = bool(self.fabric.broadcast(opening is not None and opening.goes_on))
        self.task = self._make_task(starting=not goes_on)
        check_memory(self.task.model, config, self.plan.batch, self.fabric.device)
        self.optimizer = make_optimizer(self.task, config)
        if goes_on:
            self._restore(load_last(out))
        if self.fabric.is_global_zero:
            self._open(goes_on=goes_on)
        self.writer = report.Curves(out, self.standing.history) if self.fabric.is_global_zero else None
        self.deep_augment = _deep_augment(config, self.fabric.device, self.fabric.global_rank)
        self.fabric.barrier()

    def run(self) -> dict[str, Any]:
        """Train to the end and measure the best weights."""
        module, optimizer = self._set_up()
        batches = training_batches(
            self.dataset.samples("train"),
            self.dataset.labels,
            self.config,
            self.plan,
            self.standing.step,
            self.task.answer_numbers() if isinstance(self.task, WholeImageTask) else None,
        )
        with self.progress.task(f"training {self.out.name}", self.plan.steps, self.standing.step) as bar:
            for batch in batches:
                self._step(module, optimizer, batch, bar)
                if self.standing.step % self.plan.steps_per_epoch == 0:
                    self._finish_epoch(bar)
                elif self._is_time_to_save():
                    self._save_last()
        results: dict[str, Any] = {}
        if self.fabric.is_global_zero:
            results = self._finish()
        self.fabric.barrier()
        return results

    def _make_task(self, *, starting: bool) -> AnyTask:
        pretrained = starting and self.config.init is None
        if self.config.model in WHOLE_IMAGES:
            torch.manual_seed(self.config.seed)
            task: AnyTask = WholeImageTask(self.config, self.dataset, pretrained=pretrained)
        else:
            task = make_task(self.config, self.dataset.labels, pretrained=pretrained)
        if starting and self.config.init is not None:
            check_labels(read_run(self.config.init), self.dataset.labels)
            copy_weights(task.model, self.config.init)
        return task.to(memory_format=torch.channels_last) if self.config.channels_last else task

    def _set_up(self) -> tuple[Any, Any]:
        module: nn.Module = self.task
        if self.fabric.world_size > 1 and self.fabric.device.type == "cuda":
            module = nn.SyncBatchNorm.convert_sync_batchnorm(module)  # type: ignore[no-untyped-call]
        if self.config.compile:
            module = cast("nn.Module", torch.compile(module))
        wrapped = self.fabric.setup(module, self.optimizer)
        wrapped[0].train()
        return wrapped[0], wrapped[1]

    def _step(self, module: Any, optimizer: Any, batch: Batch, bar: Bar) -> None:
        """One batch: forward, backward, and an update when enough batches are gathered."""
        started = time.monotonic()
        config, standing = self.config, self.standing
        torch.manual_seed(_mixed(config.seed, standing.step, self.fabric.global_rank))
        set_rate(optimizer, config, standing.step / self.plan.steps)
        device = self.fabric.device
        pictures, labels = (t.to(device, non_blocking=True) for t in batch)
        if self.deep_augment is not None:
            pictures = self.deep_augment(pictures, standing.step)
        if "cutmix" in config.augment:
            pictures, labels = cut_mix(pictures, labels)
        position = standing.step % self.plan.steps_per_epoch + 1
        updates = position % config.accumulate == 0 or position == self.plan.steps_per_epoch
        with self.fabric.no_backward_sync(module, enabled=not updates):
            loss = module(pictures, labels)
            self.fabric.backward(loss / config.accumulate)
        if updates:
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        standing.step += 1
        self._losses.append(loss.detach())
        ends_epoch = standing.step % self.plan.steps_per_epoch == 0
        # Asking a GPU for a number makes it wait; a CPU has it already.
        if ends_epoch or device.type == "cpu" or len(self._losses) >= 20:
            self._count_losses()
        standing.seconds += time.monotonic() - started
        bar.advance(note="" if ends_epoch or self._losses else self._note())

    def _count_losses(self) -> None:
        for loss in map(float, self._losses):
            if not math.isfinite(loss):
                raise self._diverged(f"the loss became {loss}")
            self.standing.loss_sum += loss
        self._losses.clear()

    def _check_weights(self) -> None:
        """Refuse weights that are no numbers: those of an epoch's last update, which no loss has seen yet."""
        weights = self.task.model.state_dict().values()
        if not all(bool(w.isfinite().all()) for w in weights if w.is_floating_point()):
            raise self._diverged("weights became infinite or NaN")

    def _diverged(self, what: str) -> CaosError:
        where = f"{what} by step {self.standing.step}"
        return CaosError(f"{where}; lower --lr (now {self.config.lr}), or use --precision 32")

    def _note(self) -> str:
        standing = self.standing
        epoch, position = divmod(standing.step - 1, self.plan.steps_per_epoch)
        finished = position + 1 == self.plan.steps_per_epoch and standing.history
        loss = standing.history[-1]["loss"] if finished else standing.loss_sum / (position + 1)
        note = f"epoch {epoch + 1}/{self.config.epochs}  loss {loss:.3f}"
        measured = [row for row in standing.history if row.get(self.task.watched) is not None]
        name = {"miou_present": "mIoU"}.get(self.task.watched, self.task.watched)
        return note + (f"  {name} {measured[-1][self.task.watched]:.3f}" if measured else "")

    def _finish_epoch(self, bar: Bar) -> None:
        """Validate, keep the weights if they are the best so far, and write down where training stands."""
        self._check_weights()
        standing = self.standing
        epoch = standing.step // self.plan.steps_per_epoch
        row: dict[str, Any] = {
            "epoch": epoch,
            "step": standing.step,
            "loss": standing.loss_sum / self.plan.steps_per_epoch,
            "lr": self.config.lr * rate_factor(self.config, standing.step / self.plan.steps),
        }
        last = epoch == self.config.epochs
        if self.dataset.splits.get("val") and (last or epoch % self.config.val_every == 0):
            row |= self._validate()
        row["seconds"] = round(standing.seconds, 2)
        standing.history.append(row)
        standing.loss_sum = 0.0
        self._keep_best(row, last=last)
        if self.writer is not None:
            self.writer.add(row, standing.history)
        self._save_last()
        bar.advance(0, note=self._note())

    def _validate(self) -> dict[str, float]:
        every, few = self.dataset.samples("val"), self.config.val_images
        samples = (report.spread(every, few) if few else every)[self.fabric.global_rank :: self.fabric.world_size]
        counts = self.task.counts(samples, self.fabric.device)
        if self.fabric.world_size > 1:
            counts = [cast("Tensor", self.fabric.all_reduce(part, reduce_op="sum")) for part in counts]
        self.task.train()
        return self.task.measures(counts)

    def _keep_best(self, row: Mapping[str, Any], *, last: bool) -> None:
        value, standing = row.get(self.task.watched), self.standing
        if not self._is_kept(value, last=last):
            return
        standing.best, standing.best_epoch = value, row["epoch"]
        if self.fabric.is_global_zero:
            save_weights(self.out / WEIGHTS_FILE, self.task.model.state_dict())

    def _is_kept(self, value: float | None, *, last: bool) -> bool:
        """Whether the weights of an epoch that measured ``value`` take the place of those kept so far."""
        best = self.standing.best
        if self.config.keep == "last" or value is None:
            return last and (self.config.keep == "last" or best is None)
        if best is None:
            return True
        return value > best if self.task.higher_is_better else value < best

    def _is_time_to_save(self) -> bool:
        every, step = self.config.checkpoint_steps, self.standing.step
        gathered = step % self.plan.steps_per_epoch % self.config.accumulate == 0
        return every > 0 and gathered and step % every < self.config.accumulate

    def _save_last(self) -> None:
        self._count_losses()
        if not self.fabric.is_global_zero:
            return
        state = {
            "standing": vars(self.standing),
            "task": self.task.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "precision": dict(self.fabric.strategy.precision.state_dict()),
        }
        save_last(self.out, state)

    def _restore(self, state: dict[str, Any]) -> None:
        try:
            self.task.load_state_dict(state["task"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.fabric.strategy.precision.load_state_dict(state["precision"])
            self.standing = read_record(Standing, state["standing"], self.out / LAST_FILE)
        except (KeyError, TypeError, ValueError, RuntimeError, AttributeError) as error:
            reason = first_line(error)
            raise CaosError(f"{self.out / LAST_FILE} does not belong to this run: {reason}") from error

    def _run(self, status: Literal["training", "finished"], results: TrainResults) -> Run:
        config, dataset = self.config.as_dict(), self.dataset
        record = RunRecord(
            status=status,
            config=config,
            dataset={"name": dataset.name, "root": str(real_path(dataset.root)), "train": self.plan.count},
            provenance=provenance(config, self.config.seed),
            identity=dict(self.opening.identity) if self.opening else {},
            negatives=self.opening.negatives if self.opening else None,
            results=results,
        )
        return Run(
            self.out,
            self.task.architecture,
            dataset.labels,
            self.task.normalisation,
            self.config.size,
            record,
            self.config.sides,
            self.config.longest_side,
        )

    def _open(self, *, goes_on: bool) -> None:
        """Write what the run is, in place of what was there if it starts anew."""
        if not goes_on:
            clear(self.out)
        write_run(self.out, self._run("training", TrainResults()))
        if self.opening is not None:
            self.opening.hashes.save()

    def _finish(self) -> dict[str, Any]:
        """Measure the best weights, draw the pictures, and mark the run as finished."""
        standing = self.standing
        measured = report.write_quality(
            self.out, self.dataset, self.task, self.fabric.device, standing.history, self.progress
        )
        results = TrainResults(
            best_epoch=standing.best_epoch,
            epochs=self.config.epochs,
            watched=self.task.watched,
            training_seconds=round(standing.seconds, 1),
            weights_sha256=sha256(self.out / WEIGHTS_FILE),
            splits=measured,
            **{self.task.watched: standing.best},
        )
        write_run(self.out, self._run("finished", results))
        if self.writer is not None:
            self.writer.close()
        return as_results(results)


def _deep_augment(config: TrainConfig, device: torch.device, rank: int) -> DeepAugment | None:
    if "deepaugment" not in config.augment:
        return None
    painters = load_painters(config.autoencoder, config.super_resolution, device)
    return DeepAugment(painters, _mixed(config.seed, 0, rank))


def _rank() -> int:
    return int(os.environ.get("RANK", os.environ.get("LOCAL_RANK", "0")))


def _mixed(seed: int, step: int, rank: int) -> int:
    return (seed * 1_000_003 + step * 1_009 + rank) % 2**63
