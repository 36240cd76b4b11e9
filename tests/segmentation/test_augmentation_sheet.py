"""The sheet of augmentations: a row for each, pictures beside their labels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from caos.cli import _run
from caos.foundation.errors import CaosError
from caos.scenes.dataset.layout import Dataset
from caos.segmentation.augmentation.sheet import PICTURES, WIDTH, augmentation_sheet
from tests.segmentation.little import tiny

GAP = 4


def rows(path: Path) -> np.ndarray:
    """The sheet as ``(rows, columns, side, side, 3)``; little pictures are square."""
    sheet = np.asarray(Image.open(path).convert("RGB"))
    assert sheet.shape[1] == 2 * PICTURES * WIDTH
    lines = sheet.reshape(-1, WIDTH + GAP, 2 * PICTURES, WIDTH, 3)[:, :WIDTH]
    return lines.transpose(0, 2, 1, 3, 4)


def test_each_augmentation_has_a_row(little_set: Dataset, tmp_path: Path) -> None:
    path = tmp_path / "new" / "sheet.png"
    names = ("flip", "cutout", "cutmix", "mixup", "adversarial")
    shown = augmentation_sheet(little_set, tiny(augment=names), path)
    assert shown == ("as it is", *names[:-1])
    plain, flip, cutout, cutmix, mixup = rows(path)
    below = np.s_[:, 20:]  # the name stands above
    mirrored = [(flip[i][below] == plain[i][:, ::-1][below]).mean() > 0.9 for i in range(2 * PICTURES)]
    assert any(mirrored)
    assert mirrored[::2] == mirrored[1::2]  # labels go with their picture
    white = [(labels == 255).all(-1).mean() for labels in cutout[1::2]]
    assert max(white) > 0
    assert all((labels != 255).any() for labels in plain[1::2])
    assert (cutmix[1::2] != plain[1::2]).any()
    assert (mixup[::2] != plain[::2]).any()


def test_the_same_seed_gives_the_same_sheet(little_set: Dataset, tmp_path: Path) -> None:
    for name in ("one.png", "two.png"):
        augmentation_sheet(little_set, tiny(augment=("cutmix", "style")), tmp_path / name)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_nothing_to_show_is_said(little_set: Dataset, tmp_path: Path) -> None:
    with pytest.raises(CaosError, match="--augment adversarial has nothing to show"):
        augmentation_sheet(little_set, tiny(augment=("adversarial",)), tmp_path / "sheet.png")
    assert not (tmp_path / "sheet.png").exists()


def test_from_the_command_line(little_set: Dataset, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sheet = tmp_path / "sheet.png"
    command = ["train", str(little_set.root), "--preset", "quick", "--augment", "flip", "--show-augmentations"]
    assert _run([*command, str(sheet)]) == 0
    assert "as it is, flip" in capsys.readouterr().out
    assert sheet.is_file()
    assert _run(["train", str(little_set.root), "--preset", "quick"]) == 2
    assert "give --out RUN" in capsys.readouterr().err
