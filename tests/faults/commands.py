"""Commands of ``caos`` over the files of a little world: at least one call of each, as somebody would type it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

Needs = Literal["files", "network", "drive", "renderer"]
"""What a call costs: files alone, a network to be loaded, files of a generated drive, or a simulator to be started."""
SHARES: dict[str, float] = {"files": 1.0, "drive": 1.0, "network": 0.15, "renderer": 0.04}
"""Share of the cases that is tried, by what a call costs."""
GROUPS = ("scenes", "scenes recipe", "assets", "study", "export")
ELSEWHERE = {"demo", "doctor", "serve"}
"""The machine's own, a call of all others, and one that ends only when it is told to (the storm tells it)."""


@dataclass(frozen=True)
class Command:
    """A command over the files of a world; ``{out}`` stands for a place that is not there yet.

    Attributes:
        words: What is typed.
        needs: What it costs.
        refusals: Exit codes that say no.
    """

    words: tuple[str, ...]
    needs: Needs = "files"
    refusals: tuple[int, ...] = (2,)

    @property
    def name(self) -> str:
        """Its first words, without those that are its arguments."""
        starts = (" ".join(self.words[:count]) for count in range(1, len(self.words) + 1))
        return next(start for start in starts if start not in GROUPS)

    @property
    def share(self) -> float:
        """Share of its cases."""
        return SHARES[self.needs]


def _calls(text: str, needs: Needs, *refusals: int) -> tuple[Command, ...]:
    lines = (line.strip() for line in text.strip().splitlines())
    return tuple(Command(tuple(line.split()), needs, refusals or (2,)) for line in lines)


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
        scenes convert photos_smiyc --from smiyc --out {out} --workers 1
        scenes convert photos_roadanomaly --from roadanomaly --out {out} --workers 1
        scenes bdd-anomaly --images bdd/images --labels bdd/labels --out {out} --workers 1
        scenes recipe list
        scenes recipe show little.toml
        scenes recipe check little.toml
        scenes shift --list
        score set --maps maps --out {out}
        compare results others
        report results --out {out}
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
        score set --run run --scorers max_logit --out {out}
        look photos/images/1.png --run run --scorer max_logit --fit-on set --out {out}
        train set --out {out} --config train.toml
        train set --out {out} --config train.toml --show-augmentations {out}.png
        export bundle run --ordinary set --scorers max_logit --out {out}
        scenes filter drive --run run --most-found 1 --out {out}
        study corruptions set --run run --corruptions brightness --severities 1 --images 1 --scorers msp --out {out}
        study perturbations set --run run --perturbations brightness --frames 2 --images 1 --scorers msp --out {out}
        study transfer-hard drive --hard hard --run run --scorers msp --out {out}
        study membership kinds --steps 1 --repeats 1 --queries 4 --shots 1 --batch 2 --side 16 --out {out}
        study whole-images set --run whole --outliers 2 --out {out}
        study exposure set --arms arms.toml --out {out}
        study hypotheses set --grid grid.toml --images 1 --out {out}
        """,
        "network",
    ),
    *_calls(
        """
        scenes generate little.toml --quality draft --workers 1 --out {out}
        scenes streethazards --quality draft --workers 1 --train 1 --val 0 --test 0 --size 96x64 --out {out}
        scenes render scene.json --size 64x48 --quality draft --out {out}
        scenes view --town plan.toml --n 1 --size 64x48 --quality draft --out {out}
        scenes shift drive --change weather=fog --images 1 --quality draft --workers 1 --out {out}
        study shifts drive --run run --change weather=fog --images 1 --scorers msp --quality draft --out {out}
        study rendered drive --run run --kinds fog --images 1 --scorers msp --quality draft --out {out}
        assets preview gourd_01 --library library --cell 48 --out {out}.png
        assets import meshes --library {out}
        """,
        "renderer",
    ),
)


def every_command() -> Iterator[str]:
    """The names of all commands, as the command line knows them."""
    import typer

    from caos.cli import app

    found: Any = typer.main.get_command(app)
    yield from _leaves(found, found.make_context("caos", ["x"], resilient_parsing=True), "")


def _leaves(group: Any, context: Any, name: str) -> Iterator[str]:
    for word in group.list_commands(context):
        _, command, _ = group.resolve_command(context, [word])
        full = f"{name} {word}".strip()
        if hasattr(command, "list_commands"):
            yield from _leaves(command, command.make_context(word, ["x"], parent=context, resilient_parsing=True), full)
        else:
            yield full


def not_covered() -> set[str]:
    """Commands that the world has no call of."""
    return set(every_command()) - {command.name for command in COMMANDS} - ELSEWHERE
