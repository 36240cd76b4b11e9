"""Tables on a terminal fit its width and colour the best; a file gets Markdown."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from caos.ood_scores.measuring.statistics import paired_tests
from caos.ood_scores.report.alarms import AlarmLevels, false_alarms
from caos.ood_scores.results import Results
from caos.ood_scores.terminal_tables import show_comparison, show_results


@pytest.fixture(scope="module")
def results(data: Path, run: Path, tmp_path_factory: pytest.TempPathFactory) -> Results:
    from caos.ood_scores.command import Request, run_request

    request = Request(dataset=data, run=run, out=tmp_path_factory.mktemp("scored") / "out", scorers="msp,max_logit")
    return run_request(request)


def printed(results: Results, width: int, *, terminal: bool = True) -> str:
    text = io.StringIO()
    console = Console(file=text, width=width, force_terminal=terminal, color_system="standard", highlight=False)
    show_results(results, console=console)
    return text.getvalue()


def plain(text: str) -> list[str]:
    from rich.text import Text

    return Text.from_ansi(text).plain.splitlines()


@pytest.mark.parametrize("width", [60, 100, 130])
def test_a_table_fits_the_width(results: Results, width: int) -> None:
    table = [line for line in plain(printed(results, width)) if line[:1] in "┏┃┡│└"]
    assert table
    assert max(map(len, table)) <= width
    interval = results.measured("msp").auroc
    assert (f"{100 * interval.low:.1f}–{100 * interval.high:.1f}" in "".join(table)) == (width >= 90)


def test_the_best_of_each_column_is_coloured(results: Results) -> None:
    best = max(("msp", "max_logit"), key=lambda name: results.value(name, "auroc"))
    assert f"\x1b[1;32m{100 * results.value(best, 'auroc'):.1f}" in printed(results, 100)


def test_the_end_says_what_came_out_and_what_is_next(results: Results) -> None:
    last = plain(printed(results, 100))
    assert any(line.startswith("Best AUROC: ") and "of 10 hazards at 1 % false alarms" in line for line in last)
    assert last[-1] == f"Next: caos report {results.folder} --out site"
    text = io.StringIO()
    show_results(results, has_pages=True, console=Console(file=text, width=100, force_terminal=True))
    assert "Next:" not in text.getvalue()


def test_scorers_left_out_for_one_reason_share_a_line_and_stars_are_explained_only_where_they_stand(
    results: Results,
) -> None:
    left_out = {"eam": "no mask transformer", "rba": "no mask transformer", "obsnet": "no observer"}
    lines = plain(printed(replace(results, content=replace(results.content, not_run=left_out)), 100))
    assert "Not run: eam, rba (no mask transformer)" in lines
    assert "Not run: obsnet (no observer)" in lines
    many = {name: f"no {name}" for name in ("eam", "rba", "obsnet", "uno")}
    lines = plain(printed(replace(results, content=replace(results.content, not_run=many)), 100))
    assert "Not run, as the run lacks what they need (table.md says what): eam, rba, obsnet, uno." in lines
    for width in (80, 130):
        stars = [line for line in plain(printed(results, width)) if "*" in line]
        assert len(stars) in {0, 2}


def test_intervals_stand_under_intervals(results: Results) -> None:
    rows = [line for line in plain(printed(results, 100)) if line.startswith("│")]
    assert len({tuple(i for i, letter in enumerate(row) if letter == "–") for row in rows}) == 1


def test_a_file_gets_markdown(results: Results) -> None:
    assert printed(results, 80, terminal=False) == results.markdown()


def test_the_best_of_compared_results_is_coloured() -> None:
    text = io.StringIO()
    rows = [["a", "MSP", "10.0", "90.0", "5.0", ""], ["b", "MSP", "20.0", "80.0", "7.0", ""]]
    show_comparison(rows, "of two", Console(file=text, width=80, force_terminal=True, color_system="standard"))
    assert "\x1b[1;32m90.0" in text.getvalue()
    assert "\x1b[1;32m80.0" not in text.getvalue()


def test_what_all_compared_results_learnt_from_is_said_once() -> None:
    rows = [["a", "MSP", "10.0", "90.0", "5.0", "max_entropy, pasted"], ["b", "MSP", "9.0", "80.0", "7.0", "other"]]
    said = []
    for chosen in (rows, rows[:1]):
        text = io.StringIO()
        show_comparison(chosen, "of two", Console(file=text, width=80, force_terminal=True))
        said.append("\n".join(plain(text.getvalue())))
    assert "│ max_entropy, pasted │" in said[0]
    assert "│ max_entropy" not in said[1]
    assert "negatives: max_entropy, pasted" in said[1]


def test_false_alarms_are_regions_that_touch_no_hazard() -> None:
    codes, hazard = np.zeros((40, 50), np.uint8), np.zeros((40, 50), bool)
    codes[2:8, 2:8], codes[20:26, 20:26], codes[30:34, 40:44], codes[0, 49] = 200, 200, 90, 250
    hazard[24:30, 20:26] = True
    levels = AlarmLevels(found=100, ladder=(50, 100))
    found = false_alarms(codes, hazard, levels)
    assert found.regions == (2, 1)
    assert found.share == pytest.approx((36 + 24 + 1) / (2000 - 36))


def test_levels_are_where_few_enough_pixels_are_marked() -> None:
    levels = AlarmLevels.of(7, [0.5, 0.08, 0.03, 0.015, 0.004, 0.0001])
    assert levels == AlarmLevels(7, (2, 3, 4, 5, 6))


def test_twenty_scorers_can_be_told_apart() -> None:
    rng = np.random.default_rng(0)
    values = {f"s{i}": rng.normal(0.01 * i, 0.001, 30) for i in range(22)}
    assert max(test.p_adjusted for test in paired_tests(values, rng)) < 0.05
