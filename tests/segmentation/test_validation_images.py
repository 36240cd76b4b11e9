"""Validation on a few images of a large split."""

from __future__ import annotations

import csv

from caos.segmentation.training.train import train
from tests.segmentation.little import tiny, write_set


def test_a_validation_of_one_image_measures_that_one(tmp_path) -> None:
    few = write_set(tmp_path / "few", {"train": 2, "val": 1})
    many = write_set(tmp_path / "many", {"train": 2, "val": 3})
    told = []
    for name, dataset, changes in (("one", few, {}), ("chosen", many, {"val_images": 1}), ("all", many, {})):
        train(dataset, tmp_path / name, tiny(epochs=1, evaluate=(), **changes))
        with (tmp_path / name / "curves.csv").open() as stream:
            told.append([row["pixel_accuracy"] for row in csv.DictReader(stream)])
    assert told[0] == told[1] != told[2]
    assert all(len(rows) == 1 for rows in told)
