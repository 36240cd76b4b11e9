"""A set with the folders, lists and files of the genuine StreetHazards: few pictures, but of its size."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from caos.ood_scores.evaluation.options import ScoringOptions
from caos.ood_scores.evaluation.scoring import score_model
from caos.scenes.dataset.layout import open_dataset

WIDTH, HEIGHT = 1280, 720
FILES = {
    ("train", "train.odgt"): ("training/t1-3", (1, 2, 10)),
    ("train", "validation.odgt"): ("validation/t4", (1,)),
    ("test", "test.odgt"): ("test/t5", (1, 2)),
}
SIXTH = ("test/t6", (1025,))


def write_pair(top: Path, folder: str, number: int, rng: np.random.Generator, *, anomaly: bool) -> dict[str, object]:
    """One picture (RGBA) and its annotation (values 1..13, 14 for the anomaly), and their entry of a list."""
    values = np.kron(rng.permutation(np.arange(9 * 16) % 13 + 1).reshape(9, 16), np.ones((80, 80), int)).astype(
        np.uint8
    )
    if anomaly:
        values[300:400, 600:800] = 14
    image = np.stack([values * 17, values * 5, 255 - values, np.full_like(values, 255)], axis=2)
    paths = {"fpath_img": f"images/{folder}/{number}.png", "fpath_segm": f"annotations/{folder}/{number}.png"}
    for path, picture in zip(paths.values(), (image, values), strict=True):
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        Image.fromarray(picture).save(top / path, compress_level=1)
    return {"dbName": "StreetHazards", "width": WIDTH, "height": HEIGHT, **paths}


@pytest.fixture(scope="module")
def genuine(tmp_path_factory) -> Path:
    root, rng = tmp_path_factory.mktemp("genuine"), np.random.default_rng(0)
    for (top, name), place in FILES.items():
        folders = [place, SIXTH] if top == "test" else [place]
        entries = [
            write_pair(root / top, folder, number, rng, anomaly=top == "test")
            for folder, numbers in folders
            for number in numbers
        ]
        # One array on one line, in lexicographic order: 1, 10, 2.
        entries.sort(key=lambda entry: str(entry["fpath_img"]))
        (root / top / name).write_text(json.dumps(entries))
        (root / top / "README.txt").write_text("The StreetHazards dataset.\n")
    return root


def test_it_is_read(genuine):
    dataset = open_dataset(genuine)
    assert dataset.labels.name == "streethazards"
    keys = {split: [sample.key for sample in samples] for split, samples in dataset.splits.items()}
    assert keys == {
        "train": ["train/t1-3/1", "train/t1-3/10", "train/t1-3/2"],
        "val": ["val/t4/1"],
        "test": ["test/t5/1", "test/t5/2", "test/t6/1025"],
    }
    assert dataset.manifest() == {}


class Reader(torch.nn.Module):
    """Reads the class from the red channel, which is 17 times the PNG value; certain of all but the anomaly (14)."""

    def forward(self, pictures):
        value = (pictures[:, :1] * 255 / 17).round()
        classes = torch.arange(1, 14, device=pictures.device).reshape(1, 13, 1, 1)
        return torch.where(value == classes, 9.0, 0.0)


def test_it_is_scored(genuine, tmp_path):
    options = ScoringOptions(previews=False)
    found = score_model(Reader(), genuine, ["max_logit"], tmp_path / "out", options=options)
    assert found.content.dataset.images == 3
    assert found.content.dataset.base_rate == pytest.approx(200 * 100 / (WIDTH * HEIGHT))
    assert (found.value("max_logit", "auroc"), found.value("max_logit", "fpr95")) == (1.0, 0.0)
    open_set = found.content.open_set
    assert open_set.towns == {"t5": 2, "t6": 1}
    assert (open_set.closed_miou, len(open_set.classes)) == (1.0, 12)
    assert open_set.scorers["max_logit"]["best_f1"].open_miou == pytest.approx(1.0)
    assert open_set.scorers["max_logit"]["best_f1"].anomaly_iou == pytest.approx(1.0)
    # The release has no instance ids: hazards are connected regions, and there is no AP of instances.
    assert found.content.dataset.hazards == 3
    assert found.content.instances is None
    assert "| MaxLogit | 0.0 [0.0, " in found.markdown()
