"""Training: steps, schedule, validation, checkpoints, on one CPU or many GPUs (Lightning Fabric).

A run is a function of its configuration and its set. All chance is drawn from (seed, step), never from the state of a
generator, so a run that was killed continues from ``last.ckpt`` and ends with the weights of one that was not.
"""

from __future__ import annotations

import logging
import math
import os
import time
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, cast

import torch
from torch import Tensor, nn

from foundation.errors import CaosError
from foundation.files import sha256
from foundation.progress import SILENT, Progress
from foundation.progress import Task as Bar
from foundation.provenance import provenance
from scenes.layout import Dataset
from segmentation import report
from segmentation.checkpoint import (
    LAST_FILE,
    WEIGHTS_FILE,
    Run,
    check_labels,
    copy_weights,
    load_last,
    read_run,
    save_last,
    save_weights,
    write_run,
)
from segmentation.config import TrainConfig
from segmentation.data import Batch, Plan, check_samples, training_batches
from segmentation.deep_augment import DeepAugment
from segmentation.optimization import make_optimizer, rate_factor, set_rate
from segmentation.places import check_out, clear, finished_results
from segmentation.predict import Autoencoder, choose_device
from segmentation.tasks import AutoencoderTask, SegmentationTask, make_task

_FABRIC_PRECISION: Final[dict[str, Any]] = {"32": "32-true", "bf16": "bf16-mixed", "16": "16-mixed"}


@dataclass
class Standing:
    """Where training stands: everything besides weights and optimiser that a resumed run needs."""

    step: int = 0
    best: float | None = None
    best_epoch: int = 0
    loss_sum: float = 0.0
    seconds: float = 0.0
    history: list[dict[str, Any]] = field(default_factory=list)


def train(
    dataset: Dataset,
    out: Path,
    config: TrainConfig,
    *,
    resume: bool = False,
    overwrite: bool = False,
    progress: Progress = SILENT,
) -> dict[str, Any]:
    """Train as ``config`` says and leave a run at ``out``; returns what its ``run.json`` calls ``results``.

    Raises:
        CaosError: If the set, the configuration or ``out`` is wrong; nothing is then written.
    """
    if _rank() == 0:
        check_out(out, resume=resume, overwrite=overwrite)
        if not (resume and (out / LAST_FILE).exists()):
            samples = [*dataset.samples("train"), *dataset.splits.get("val", ())]
            check_samples(samples, dataset.labels, config.workers, progress)
    if resume and (done := finished_results(out)) is not None:
        progress.say(f"{out} is finished already; nothing to resume")
        return done
    trainer = Trainer(dataset, out, config, resume=resume, overwrite=overwrite, progress=progress)
    return trainer.run()


class Trainer:
    """One training run."""

    def __init__(
        self, dataset: Dataset, out: Path, config: TrainConfig, *, resume: bool, overwrite: bool, progress: Progress
    ) -> None:
        self.dataset, self.out, self.config, self.progress = dataset, out, config, progress
        self.fabric = _fabric(config)
        self.fabric.launch()
        self.standing, self._losses = Standing(), list[Tensor]()
        count = len(dataset.samples("train"))
        self.plan = Plan(
            count=count,
            batch=min(config.batch_size, max(count // self.fabric.world_size, 1)),
            epochs=config.epochs,
            seed=config.seed,
            rank=self.fabric.global_rank,
            world=self.fabric.world_size,
        )
        self.task = self._make_task(starting=not (resume and (out / LAST_FILE).exists()))
        self.run_record = self._run_record()
        self.optimizer = make_optimizer(self.task, config)
        if resume and (out / LAST_FILE).exists():
            self._restore(load_last(out))
        elif self.fabric.is_global_zero:
            self._open(overwrite=overwrite)
        self.writer = report.Curves(out, self.standing.history) if self.fabric.is_global_zero else None
        self.deep_augment = _deep_augment(config, self.fabric.device)
        self.fabric.barrier()

    def run(self) -> dict[str, Any]:
        """Train to the end and measure the best weights."""
        module, optimizer = self._set_up()
        batches = training_batches(
            self.dataset.samples("train"), self.dataset.labels, self.config, self.plan, self.standing.step
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

    def _make_task(self, *, starting: bool) -> SegmentationTask | AutoencoderTask:
        task = make_task(self.config, self.dataset.labels, pretrained=starting and self.config.init is None)
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
                where = f"the loss became {loss} by step {self.standing.step}"
                raise CaosError(f"{where}; lower --lr (now {self.config.lr}), or use --precision 32")
            self.standing.loss_sum += loss
        self._losses.clear()

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
        samples = self.dataset.samples("val")[self.fabric.global_rank :: self.fabric.world_size]
        counts = self.task.counts(samples, self.fabric.device)
        if self.fabric.world_size > 1:
            counts = [cast("Tensor", self.fabric.all_reduce(part, reduce_op="sum")) for part in counts]
        self.task.train()
        return self.task.measures(counts)

    def _keep_best(self, row: Mapping[str, Any], *, last: bool) -> None:
        value, standing = row.get(self.task.watched), self.standing
        if value is None and not (last and standing.best is None):
            return
        if value is not None and standing.best is not None:
            better = value > standing.best if self.task.higher_is_better else value < standing.best
            if not better:
                return
        standing.best, standing.best_epoch = value, row["epoch"]
        if self.fabric.is_global_zero:
            save_weights(self.out / WEIGHTS_FILE, self.task.model.state_dict())

    def _is_time_to_save(self) -> bool:
        every, step = self.config.checkpoint_steps, self.standing.step
        gathered = step % self.plan.steps_per_epoch % self.config.accumulate == 0
        return every > 0 and gathered and step % every < self.config.accumulate

    def _save_last(self) -> None:
        self._count_losses()
        if not self.fabric.is_global_zero:
            return
        state = {
            **vars(self.standing),
            "task": self.task.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "precision": dict(self.fabric.strategy.precision.state_dict()),
            "training_set": self._training_set(),
        }
        save_last(self.out, state)

    def _restore(self, state: dict[str, Any]) -> None:
        if state.pop("training_set") != self._training_set():
            raise CaosError(
                f"{self.out} was started on another training set than {self.dataset.root}; resume on that one"
            )
        try:
            self.task.load_state_dict(state.pop("task"))
            self.optimizer.load_state_dict(state.pop("optimizer"))
            self.fabric.strategy.precision.load_state_dict(state.pop("precision"))
            self.standing = Standing(**state)
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            reason = str(error).splitlines()[0]
            raise CaosError(f"{self.out / LAST_FILE} does not belong to this run: {reason}") from error

    def _training_set(self) -> list[Any]:
        samples = self.dataset.samples("train")
        return [len(samples), samples[0].key, samples[-1].key, self.dataset.labels.digest]

    def _run_record(self) -> Run:
        record = {
            "config": self.config.as_dict(),
            "dataset": {"name": self.dataset.name, "root": str(self.dataset.root.resolve()), "train": self.plan.count},
            "provenance": provenance(self.config.as_dict(), self.config.seed),
            "status": "training",
            "results": {},
        }
        size = self.config.size
        return Run(
            self.out,
            self.task.architecture,
            self.dataset.labels,
            self.task.normalisation,
            None if size is None else (size[0], size[1]),
            record,
        )

    def _open(self, *, overwrite: bool) -> None:
        if overwrite:
            clear(self.out)
        write_run(self.out, self.run_record)

    def _finish(self) -> dict[str, Any]:
        """Measure the best weights, draw the pictures, and mark the run as finished."""
        standing = self.standing
        quality = report.write_quality(
            self.out, self.dataset, self.task, self.fabric.device, standing.history, self.progress
        )
        results = {
            "best_epoch": standing.best_epoch,
            "watched": self.task.watched,
            self.task.watched: standing.best,
            "epochs": self.config.epochs,
            "training_seconds": round(standing.seconds, 1),
            "weights_sha256": sha256(self.out / WEIGHTS_FILE),
            "splits": quality,
        }
        record = {**self.run_record.record, "status": "finished", "results": results}
        write_run(self.out, replace(self.run_record, record=record))
        if self.writer is not None:
            self.writer.close()
        return results


def _deep_augment(config: TrainConfig, device: torch.device) -> DeepAugment | None:
    if "deepaugment" not in config.augment or config.autoencoder is None:
        return None
    return DeepAugment(Autoencoder.load(config.autoencoder, str(device)).model, config.seed)


def _fabric(config: TrainConfig) -> Any:
    """Lightning's Fabric for the wanted device, precision and number of processes.

    Raises:
        CaosError: If the device does not exist or cannot do this.
    """
    from lightning.fabric import Fabric

    device = choose_device(config.device)
    if config.precision == "16" and device.type == "cpu":
        raise CaosError("precision 16 needs a GPU; use --precision bf16 or 32 on a CPU")
    if device.type == "cuda" and config.devices > torch.cuda.device_count():
        raise CaosError(f"devices is {config.devices} but this machine has {torch.cuda.device_count()} GPUs")
    many = config.devices * config.nodes > 1
    own_parts_only = config.model in {"pspnet", "autoencoder"} and config.encoder_depth == 5 and config.freeze == "none"
    with _quiet():
        return Fabric(
            accelerator=device.type,
            devices=[device.index] if device.index is not None else config.devices,
            num_nodes=config.nodes,
            strategy=("ddp" if own_parts_only else "ddp_find_unused_parameters_true") if many else "auto",
            precision=_FABRIC_PRECISION[config.precision],
        )


@contextmanager
def _quiet() -> Iterator[None]:
    logging.getLogger("lightning.fabric").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _rank() -> int:
    return int(os.environ.get("RANK", os.environ.get("LOCAL_RANK", "0")))


def _mixed(seed: int, step: int, rank: int) -> int:
    return (seed * 1_000_003 + step * 1_009 + rank) % 2**63
