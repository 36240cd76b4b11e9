"""The documentation as a site: it builds without a warning, and its reference shows every public name."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import caos
from tests.docs.pages import ROOT

REFERENCE = ROOT / "docs/api.md"


def test_the_reference_lists_every_public_name_once() -> None:
    listed = re.findall(r"^::: caos\.(\w+)$", REFERENCE.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(caos.__all__)


def test_the_command_line_reference_shows_the_options_of_every_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import command_line

    text = command_line.reference()
    parts = {part.partition("`")[0]: part for part in re.split(r"^#+ `", text, flags=re.MULTILINE)[1:]}
    assert "| `--corruptions` |" in parts["caos study corruptions"]
    assert "| `--quality` | Quality of the embedded renderer. | `standard` |" in parts["caos scenes render"]
    groups = {name for name in parts if any(other.startswith(f"{name} ") for other in parts)}
    assert [name for name, part in parts.items() if name not in groups and "| option |" not in part] == [
        "caos scenes recipe list"
    ]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_site_builds_strictly_and_its_reference_comes_from_the_docstrings(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    page = (tmp_path / "site/api.html").read_text(encoding="utf-8")
    for name in caos.__all__:
        assert f'id="caos.{name}"' in page, name
    first_lines = (caos.score_model.__doc__, caos.serve.__doc__, caos.Results.__doc__)
    for text in first_lines:
        assert text.splitlines()[0].replace("'", "&#39;") in page.replace("'", "&#39;")
    assert not re.search(r":(class|func|meth|mod|attr|data):", page)


def test_an_option_of_a_command_is_not_broken_after_its_hyphens(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import option_words

    page = option_words.on_page_content('<p>a --b</p><code><i title="--no">caos</i> --fit-on SET x--y</code>')
    wanted = '<p>a --b</p><code><i title="--no">caos</i> <span class="option">--fit-on</span> SET x--y</code>'
    assert page == wanted


def test_the_bar_is_a_landmark_and_tables_have_a_place_that_scrolls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import landmarks

    bar = '<div role="navigation" aria-label="Documentation" class="navbar fixed-top bg"></div>'
    assert landmarks.on_post_page('<div class="navbar fixed-top bg"></div>') == bar
    assert landmarks.on_page_content("<table></table>") == '<div class="wide"><table></table></div>'
    with pytest.raises(ValueError, match="0 bars"):
        landmarks.on_post_page("another theme")
