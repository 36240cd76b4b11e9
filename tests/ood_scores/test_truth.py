"""Ground truth of an image: instances that would lose hazards are refused, and every room reads the same pixels."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from caos.foundation.errors import CaosError
from caos.ood_scores.evaluation.truth import Truth
from caos.ood_scores.looking.photographs import read_photograph
from caos.ood_scores.sources.source import read_picture
from caos.scenes.dataset.layout import Sample, read_image
from caos.scenes.labels import STREETHAZARDS, LabelTable

LABELS = np.full((8, 12), 8, np.uint8)
LABELS[2:4, 1:5], LABELS[5:7, 6:9] = 14, 14
INSTANCES = np.zeros((8, 12), np.uint16)
INSTANCES[2:4, 1:5], INSTANCES[5:7, 6:9], INSTANCES[0] = 1, 2, 101
ROW = {"hazards": [{"instance_id": 1, "pixels": 8}, {"instance_id": 2, "pixels": 6}]}


def sample(folder: Path, instances: np.ndarray) -> Sample:
    paths = [folder / f"{name}.png" for name in ("image", "labels", "instances")]
    for path, array in zip(paths, (np.zeros((8, 12, 3), np.uint8), LABELS, instances), strict=True):
        Image.fromarray(array).save(path)
    return Sample("test/t5/1", "test", "t5", *paths)


def test_instances_that_agree_are_the_objects(tmp_path: Path) -> None:
    truth = Truth.read(sample(tmp_path, INSTANCES), STREETHAZARDS, (8, 12), ROW)
    assert np.unique(truth.objects, return_counts=True)[1].tolist() == [82, 8, 6]


@pytest.mark.parametrize(
    ("where", "value", "words"),
    [
        (np.s_[2:4, 1:5], 0, "8 anomalous pixels have no instance; hazard 1 of the manifest (8 pixels) has no pixel"),
        (np.s_[2, 1:3], 0, "2 anomalous pixels have no instance"),
        (np.s_[5:7, 6:9], 1, "hazard 2 of the manifest (6 pixels) has no pixel"),
        (np.s_[7, :], 2, "hazard 2 has 12 pixels with an ordinary label"),
        (np.s_[7, :4], 3, "hazard 3 has 4 pixels with an ordinary label; hazard 3 (4 pixels) is not in the manifest"),
        (np.s_[5, 6], 9, "hazard 9 (1 pixels) is not in the manifest"),
    ],
)
def test_instances_that_lose_or_add_hazards_are_refused(tmp_path: Path, where, value: int, words: str) -> None:
    changed = INSTANCES.copy()
    changed[where] = value
    with pytest.raises(CaosError) as caught:
        Truth.read(sample(tmp_path, changed), STREETHAZARDS, (8, 12), ROW)
    assert str(caught.value) == f"{tmp_path}/instances.png disagrees with {tmp_path}/labels.png: {words}"


def test_vehicles_may_be_anomalous_and_hazards_void_in_another_table(tmp_path: Path) -> None:
    """Tables decide what is anomalous: an actor's number on an anomaly, or a hazard's on void, loses nothing."""
    from dataclasses import replace

    rows = tuple(
        replace(row, class_id=255, role="ignore") if row.name == "anomaly" else row for row in STREETHAZARDS.classes
    )
    table = LabelTable("hazards-are-void", 1, rows, "background")
    assert not Truth.read(sample(tmp_path, INSTANCES), table, (8, 12), ROW).anomalous.any()
    changed = np.where(INSTANCES == 2, 102, INSTANCES).astype(np.uint16)
    truth = Truth.read(sample(tmp_path, changed), STREETHAZARDS, (8, 12))
    assert sorted(set(truth.objects.ravel().tolist())) == [0, 1, 102]


def test_every_room_reads_a_turned_photograph_alike(tmp_path: Path) -> None:
    pixels = np.random.default_rng(0).integers(0, 255, (16, 24, 3), dtype=np.uint8)
    exif = Image.Exif()
    exif[0x0112] = 6
    Image.fromarray(pixels).transpose(Image.Transpose.ROTATE_90).save(tmp_path / "a.png", exif=exif)
    for read in (read_image, read_picture, read_photograph):
        assert np.array_equal(read(tmp_path / "a.png"), pixels)
