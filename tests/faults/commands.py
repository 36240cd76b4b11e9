"""Commands of ``caos`` over the files of a little world: at least one call of each, as somebody would type it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

Needs = Literal["files", "network", "drive", "renderer"]
"""What a call costs: files alone, a network to be loaded, files of a generated drive, or a simulator to be started."""
SHARES: dict[str, float] = {"files": 1.0, "drive": 1.0, "network": 0.15, "renderer": 0.04}
"""Share of the cases that is tried, by what a call costs."""
GROUPS = ("scenes", "scenes recipe", "assets", "study", "export")
ELSEWHERE = {"demo", "doctor"}
"""The machine's own, and a call of all others."""


@dataclass(frozen=True)
class Command:
    """A command over the files of a world; ``{out}`` stands for a place that is not there yet.

    Attributes:
        words: What is typed.
        needs: What it costs.
        refusals: Exit codes that say no.
        lasts: Whether it works until it is told to end.
    """

    words: tuple[str, ...]
    needs: Needs = "files"
    refusals: tuple[int, ...] = (2,)
    lasts: bool = False

    @property
    def name(self) -> str:
        """Its first words, without those that are its arguments."""
        starts = (" ".join(self.words[:count]) for count in range(1, len(self.words) + 1))
        return next(start for start in starts if start not in GROUPS)

    @property
    def share(self) -> float:
        """Share of its cases."""
        return SHARES[self.needs]


def _calls(text: str, needs: Needs, *refusals: int, lasts: bool = False) -> tuple[Command, ...]:
    lines = (line.strip() for line in text.strip().splitlines())
    return tuple(Command(tuple(line.split()), needs, refusals or (2,), lasts) for line in lines)


COMMANDS = (
    *_calls("scenes audit set --workers 1\nassets check --library library", "files", 1, 2),
    *_calls(
        """
        scenes describe set --out {out}.png
        scenes card set --out {out}.md
        scenes export set --format smiyc --out {out}
        scenes export set --format cityscapes --out {out}
        scenes export set --format coco-panoptic --out {out}
        scenes export set --format coco-instances --out {out}
        scenes export set --format webdataset --out {out}
        scenes export set --format hugging-face --out {out}
        scenes convert photos --from folder --out {out} --workers 1
        scenes convert photos --from folder --images photos/images --masks photos/masks --out {out} --workers 1
        scenes convert photos_smiyc --from smiyc --out {out} --workers 1
        scenes convert photos_roadanomaly --from roadanomaly --out {out} --workers 1
        scenes bdd-anomaly --images bdd/images --labels bdd/labels --out {out} --workers 1
        scenes recipe list
        scenes recipe show little.toml
        scenes recipe check little.toml --library library
        scenes shift --list
        score set --maps maps --out {out}
        compare results others --out {out}.md
        report results --dataset set --out {out}
        study transfer --results results --results others --out {out}
        assets list --library library
        assets cutouts --from cuts --out {out}
        assets package gourd_01 --library library --out {out}
        """,
        "files",
    ),
    *_calls(
        """
        scenes validity drive
        scenes sensors drive --boxes --out {out}.png
        scenes video drive --out {out}
        scenes export drive --format kitti-object --out {out}
        scenes export drive --format kitti-odometry --out {out}
        scenes export drive --format nuscenes --out {out}
        """,
        "drive",
    ),
    *_calls(
        """
        score set --run run --scorers max_logit,mahalanobis --fit-on set --out {out}
        score set --run run --scorers autoencoder --autoencoder painter --out {out}
        score set --run run --scorers confidence_branch --confidence confident --out {out}
        score set --run run --scorers obsnet --observer observer --out {out}
        score set --run run --scorers ensemble --ensemble other --out {out}
        score set --encoder test_vit --encoder-weights vit.safetensors --scorers knn --out {out}
        look photos/images/1.png --run run --scorer max_logit --fit-on set --out {out}
        train set --out {out} --config train.toml
        train set --out {out} --config train.toml --show-augmentations {out}.png
        train set --out {out} --config train.toml --init run
        train set --out {out} --config train.toml --model obsnet --watches run
        train set --out {out} --config train.toml --negatives max_entropy --paste pasted
        train set --out {out} --config train.toml --augment deepaugment --autoencoder painter \
            --super-resolution enlarger
        train set --out {out} --config train.toml --encoder-weights encoder.safetensors
        export bundle run --ordinary set --scorers max_logit --results found --failures fails.md --out {out}
        scenes video drive --results found --out {out}
        scenes filter drive --run run --most-found 1 --out {out}
        study corruptions set --run run --corruptions brightness --severities 1 --images 1 --scorers msp \
            --fit-on set --out {out}
        study perturbations set --run run --perturbations brightness --frames 2 --images 1 --scorers msp \
            --fit-on set --out {out}
        study transfer-hard drive --hard hard --run run --scorers msp --out {out}
        study membership kinds --steps 1 --repeats 1 --queries 4 --shots 1 --batch 2 --side 16 --out {out}
        study whole-images set --run whole --outliers 2 --photographs photos/images --out {out}
        study exposure set --arms arms.toml --on plain --out {out}
        study hypotheses set --grid grid.toml --on set --images 1 --out {out}
        study transfer set plain --run run --fit-on set --scorers msp,energy,max_logit --out {out}
        """,
        "network",
    ),
    *_calls(
        """
        scenes generate little.toml --library library --quality draft --workers 1 --out {out}
        scenes streethazards --quality draft --workers 1 --train 1 --val 0 --test 0 --size 96x64 \
            --library library --out {out}
        scenes render scene.json --library library --size 64x48 --quality draft --out {out}
        scenes view --town plan.toml --n 1 --size 64x48 --quality draft --out {out}
        scenes shift drive --change weather=fog --images 1 --library library --quality draft --workers 1 --out {out}
        study shifts drive --run run --change weather=fog --images 1 --scorers msp --fit-on set \
            --library library --quality draft --out {out}
        study rendered drive --run run --kinds fog --images 1 --scorers msp --fit-on set --library library \
            --quality draft --out {out}
        study perturbations drive --run run --rendered --perturbations all --frames 2 --images 1 \
            --scorers msp --library library --quality draft --out {out}
        assets cutouts gourd_01 --library library --n 2 --views 2 --size 32 --out {out}
        assets preview gourd_01 --library library --cell 48 --out {out}.png
        assets import meshes --library {out}
        assets import packed.zip --library {out}
        """,
        "renderer",
    ),
    *_calls(
        "serve --port 0 --quality draft --opendrive street.xodr --library library --maps roads", "renderer", lasts=True
    ),
)


def every_command() -> Iterator[tuple[str, Any]]:
    """All commands with their names, as the command line knows them."""
    import typer

    from caos.cli import app

    found: Any = typer.main.get_command(app)
    yield from _leaves(found, found.make_context("caos", ["x"], resilient_parsing=True), "")


def _leaves(group: Any, context: Any, name: str) -> Iterator[tuple[str, Any]]:
    for word in group.list_commands(context):
        _, command, _ = group.resolve_command(context, [word])
        full = f"{name} {word}".strip()
        if hasattr(command, "list_commands"):
            yield from _leaves(command, command.make_context(word, ["x"], parent=context, resilient_parsing=True), full)
        else:
            yield full, command


def not_covered() -> set[str]:
    """Commands, and options that take a file or a folder, that the world has no call of."""
    covered = {(one.name, word) for one in COMMANDS for word in ("", *one.words)}
    wanted = {(name, word) for name, command in every_command() for word in ("", *_places(command))}
    return {" ".join(pair).strip() for pair in wanted - covered if pair[0] not in ELSEWHERE}


def _places(command: Any) -> Iterator[str]:
    """The options of a command that take a path."""
    for name, given in inspect.get_annotations(command.callback, eval_str=True).items():
        if Path in _types_in(given):
            yield from (one.opts[0] for one in command.params if one.name == name and one.opts[0].startswith("--"))


def _types_in(hint: Any) -> Iterator[Any]:
    yield hint
    for inner in get_args(hint):
        yield from _types_in(inner)
