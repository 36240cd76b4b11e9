"""The folder of a run: what may be written there, what is replaced, and what a resumed run may change."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from foundation.errors import CaosError
from segmentation.checkpoint import LAST_FILE, RUN_FILE, WEIGHTS_FILE, read_run
from segmentation.config import TrainConfig, config_from_dict

PRODUCTS: Final = (RUN_FILE, WEIGHTS_FILE, LAST_FILE, "metrics.json", "curves.csv", "curves.png", "confusion-val.png",
                   "confusion-test.png", "predictions-val.png", "predictions-test.png", "reconstructions-val.png",
                   "reconstructions-test.png", "model.onnx")  # fmt: skip
MOVABLE: Final = frozenset({"device", "workers", "checkpoint_steps"})
"""Settings that a resumed run may change: they do not change what is learnt."""


def check_out(out: Path, *, resume: bool, overwrite: bool) -> None:
    """Refuse a folder that must not be written to.

    Raises:
        CaosError: If there is nothing to resume, a run that was not to be replaced, or something else.
    """
    is_run = (out / RUN_FILE).is_file()
    if resume and not is_run:
        raise CaosError(f"{out} cannot be resumed: it has no {RUN_FILE}; start it without --resume")
    if resume or not out.exists():
        return
    if not out.is_dir():
        raise CaosError(f"{out} is a file; give a folder to --out")
    if is_run and not overwrite:
        raise CaosError(f"{out} holds a run already; continue it with --resume or replace it with --overwrite")
    if not is_run and any(p.is_file() for p in out.iterdir()):
        raise CaosError(f"{out} is not empty and not a training run; choose another --out")


def clear(out: Path) -> None:
    """Remove what a training run leaves, and nothing else."""
    for name in PRODUCTS:
        (out / name).unlink(missing_ok=True)
    shutil.rmtree(out / "tensorboard", ignore_errors=True)


def finished_results(out: Path) -> dict[str, Any] | None:
    """The results of a finished run, or None while it is unfinished."""
    record = read_run(out).record
    return dict(record["results"]) if record.get("status") == "finished" else None


def resumed_config(out: Path, flags: Mapping[str, Any]) -> TrainConfig:
    """The configuration a run was started with; flags may only say where and how it runs on.

    Raises:
        CaosError: If there is no run, or a flag would change what is learnt.
    """
    stored = config_from_dict(read_run(out).record.get("config", {}), out / RUN_FILE)
    for name, value in flags.items():
        if value is not None and name not in MOVABLE and value != getattr(stored, name):
            raise CaosError(
                f"{out} was started with {name} = {getattr(stored, name)}; it cannot be resumed with {value} (leave it "
                "out, or train into another folder)"
            )
    return replace(stored, **{k: v for k, v in flags.items() if k in MOVABLE and v is not None})
