"""What runs reached, on a terminal and in a file."""

from __future__ import annotations

import io
from pathlib import Path

from rich.console import Console
from rich.text import Text

from caos.segmentation.training.terminal_tables import show_runs, told

SPLIT = {
    "miou_present": 0.5,
    "miou_all": 0.4,
    "pixel_accuracy": 0.9,
    "calibration_rms": 0.1,
    "aurra": 0.95,
    "class_iou": {"road": 0.912, "car": None},
}
RUNS = {
    Path("many"): {"best_epoch": 3, "epochs": 9, "splits": {"val": SPLIT}},
    Path("many/seed1"): {"best_epoch": 8, "epochs": 9, "splits": {"val": {"error_auroc": None}}},
}


def printed(*, terminal: bool) -> list[str]:
    text = io.StringIO()
    console = Console(file=text, width=100, force_terminal=terminal, highlight=False)
    show_runs(RUNS, Path("data"), ["road", "car"], console)
    return [line.strip() for line in Text.from_ansi(text.getvalue()).plain.splitlines()]


def test_a_terminal_gets_a_table_and_one_summary_at_the_end() -> None:
    lines = printed(terminal=True)
    assert any("road" in line and "0.912" in line for line in lines)
    assert any("car" in line and "absent" in line for line in lines)
    end = lines[lines.index("many: best epoch 3 of 9") :]
    assert end[1].startswith("val: mIoU 0.500 over the classes present, 0.400 over all")
    assert end[2:4] == ["many/seed1: best epoch 8 of 9", "val: AUROC of the segmenter's errors undefined"]
    assert end[4].startswith("Done after ")
    assert end[5] == "Next: caos score data --run many --out results"


def test_a_file_gets_plain_lines() -> None:
    lines = printed(terminal=False)
    assert lines[2] == "road           0.912"
    assert not any("Done after" in line for line in lines)


def test_each_kind_of_network_says_its_own_number() -> None:
    assert told({"f1": 0.5, "accuracy": None}) == "F1 0.500"
    assert told({"f1": None, "accuracy": None}) == "no picture has an answer that training knew"
    assert told({"difference": 0.12345}) == "mean absolute difference of picture and reconstruction 0.1235"
