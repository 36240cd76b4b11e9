"""The pages say nothing untrue: their commands run, their Python compiles, their links lead somewhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import PAGES, ROOT, fences, links

ORDER = ("README.md", "scenes.md", "training.md", "scoring.md", "studies.md")


def in_order() -> list[tuple[str, list[str]]]:
    """Each different command once, pages that build on others after them."""
    blocks = sorted(
        (fence for fence in fences("console") if fence.needs is None),
        key=lambda fence: ORDER.index(fence.page.name) if fence.page.name in ORDER else len(ORDER),
    )
    commands: dict[tuple[str, ...], str] = {}
    for fence in blocks:
        for words in fence.commands:
            commands.setdefault(tuple(words), fence.page.name)
    return [(page, list(words)) for words, page in commands.items()]


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_commands_of_the_pages_run_one_after_the_other(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "2"}
    for page, words in in_order():
        done = subprocess.run(
            [sys.executable, "-m", "caos", *words],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{page}: caos {' '.join(words)}\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}"


def test_there_are_commands_to_run() -> None:
    first_words = {words[0] for _, words in in_order()}
    assert {"scenes", "train", "score", "report", "assets"} <= first_words


@pytest.mark.parametrize("fence", [f for f in fences("console") if f.needs], ids=lambda f: f"{f.page.name}: {f.needs}")
def test_commands_that_cannot_run_here_exist_with_their_options(fence) -> None:
    from typer.testing import CliRunner

    from caos.cli import app

    for words in fence.commands:
        names = words[: 2 if words[0] in {"scenes", "assets", "study"} else 1]
        shown = CliRunner().invoke(app, [*names, "--help"], terminal_width=200)
        assert shown.exit_code == 0
        for option in (word for word in words if word.startswith("--")):
            assert option in shown.output


@pytest.mark.parametrize("fence", list(fences("python")), ids=lambda f: f.page.name)
def test_python_on_the_pages_compiles(fence) -> None:
    compile(fence.text, str(fence.page), "exec")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    assert [link for link in links(page) if not (page.parent / link).exists()] == []
