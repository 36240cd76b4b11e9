from __future__ import annotations

import numpy as np
import pytest
import torch

from caos.scenes.labels import STREETHAZARDS, VOID
from caos.segmentation.prediction.predict import Predictor
from caos.segmentation.training.calibration import Confidences, calibration_of, grouped
from caos.segmentation.training.evaluate import SegmentationQuality, SegmentationTally, evaluate


def test_both_means_of_the_iou() -> None:
    confusion = np.array([[6, 2, 0], [1, 3, 0], [0, 0, 0]])
    quality = SegmentationQuality(("a", "b", "c"), confusion, None, None)
    assert quality.class_iou == {"a": pytest.approx(6 / 9), "b": pytest.approx(3 / 6), "c": None}
    assert quality.miou_present == pytest.approx((6 / 9 + 3 / 6) / 2)
    assert quality.miou_all == pytest.approx((6 / 9 + 3 / 6) / 3)
    assert quality.pixel_accuracy == pytest.approx(9 / 12)


def test_a_tally_counts_pixels_and_leaves_void_out() -> None:
    logits = torch.tensor([[[[5.0, 0.0, 1.0]], [[0.0, 3.0, 2.0]]]])
    tally = SegmentationTally(2)
    tally.add(logits, torch.tensor([[[0, 0, VOID]]], dtype=torch.uint8))
    assert tally.confusion.tolist() == [[1, 1], [0, 0]]
    sure = torch.softmax(logits.double(), 1).amax(1)[0, 0, :2]
    found = tally.confidences.calibration()
    assert found.aurra == pytest.approx((1 + 0.5) / 2)
    assert found.rms == pytest.approx(float(((1 - sure[0]) ** 2 / 2 + sure[1] ** 2 / 2).sqrt()), abs=1e-6)


@pytest.mark.parametrize("kind", ["spread", "saturated", "tied"])
def test_calibration_and_aurra_are_those_of_sorting_every_pixel(kind) -> None:
    rng = np.random.default_rng(1)
    sure = (rng.permutation(20_000) + 0.5) / 20_000
    right = rng.random(20_000) < sure**2
    doubt = {"spread": 1 - sure, "saturated": (1 - sure) ** 9, "tied": (1 - sure).round(2)}[kind].astype(np.float32)
    confidences = Confidences()
    for part in np.array_split(np.arange(sure.size), 3):
        confidences.add(doubt[part], right[part])
    found = confidences.calibration()
    areas, errors = [], []
    for _ in range(200 if kind == "tied" else 1):  # equally confident pixels come in any order
        order = np.lexsort([rng.random(sure.size), doubt])
        areas.append(np.mean(np.cumsum(right[order]) / np.arange(1, sure.size + 1)))
        gaps = (1 - doubt[order].astype(np.float64) - right[order]).reshape(100, -1).mean(axis=1)
        errors.append(gaps**2)
    spread = 4 * np.std(areas) / np.sqrt(len(areas))
    assert found.aurra == pytest.approx(np.mean(areas), abs=1e-12 + spread)
    assert found.rms == pytest.approx(np.sqrt(np.mean(errors)), abs=1e-12 if kind != "tied" else 2e-3)
    assert found.response[-1] == pytest.approx(right.mean())
    groups = grouped(doubt.astype(np.float64), right, 256)
    assert calibration_of(groups).aurra == pytest.approx(found.aurra, abs=2e-3)
    assert calibration_of(groups).rms == pytest.approx(found.rms, abs=2e-3)


def test_saturated_confidence_keeps_the_order_of_pixels() -> None:
    """Softmax in float32 gives 1 for all of them."""
    rng = np.random.default_rng(2)
    margin = np.sort(rng.uniform(18, 60, 2000)).astype(np.float32)
    right = rng.random(2000) < np.linspace(0.2, 1, 2000)
    logits = torch.from_numpy(np.stack([margin, np.zeros_like(margin)]))[None, :, None]
    tally = SegmentationTally(2)
    tally.add(logits, torch.from_numpy(np.where(right, 0, 1).astype(np.uint8))[None, None])
    exact = np.mean(np.cumsum(right[::-1]) / np.arange(1, 2001))
    assert tally.confidences.calibration().aurra == pytest.approx(exact, abs=1e-12)


def test_theory_of_constant_confidence() -> None:
    found = calibration_of(np.array([[1000.0, 700.0, 900.0]]))
    assert (found.rms, found.aurra) == (pytest.approx(0.2), pytest.approx(0.7))
    assert calibration_of(np.array([[600.0, 300.0, 540.0], [400.0, 400.0, 360.0]])) == found
    for empty in (calibration_of(np.zeros((4, 3))), Confidences().calibration()):
        assert (empty.rms, empty.aurra, empty.response) == (None, None, ())


def test_a_split_is_measured_at_the_size_of_its_pictures(little_set, tiny_run) -> None:
    samples = little_set.samples("test")
    tally = evaluate(Predictor.load(tiny_run, "cpu"), samples)
    quality = tally.quality(STREETHAZARDS)
    counted = int(tally.confusion.sum())
    assert 0 < counted < 64 * 64 * len(samples)
    assert quality.measures().pixels == counted
    assert quality.class_iou["fence"] is None
