from __future__ import annotations

import numpy as np
import pytest
import torch

from caos.scenes.labels import STREETHAZARDS, VOID
from caos.segmentation.evaluate import CELLS, SegmentationQuality, SegmentationTally, aurra, calibration_rms, evaluate
from caos.segmentation.predict import Predictor


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
    assert tally.cells[:, 0].sum() == 2
    sure = torch.softmax(logits, 1).amax(1)[0, 0, :2]
    assert float(tally.cells[:, 2].sum()) == pytest.approx(float(sure.sum()))


def _random_pixels(count=20_000):
    rng = np.random.default_rng(0)
    sure = np.clip(1 - rng.exponential(0.15, count), 0.3, 0.99999)
    right = rng.random(count) < sure**2
    return sure, right


def _tallied(sure, right) -> SegmentationTally:
    """A tally of two-class pixels with these confidences."""
    tally = SegmentationTally(2)
    other = torch.log(torch.from_numpy(1 - sure))
    logits = torch.stack([torch.log(torch.from_numpy(sure)), other])[None, :, None]
    sure_enough = sure > 0.5
    labels = torch.from_numpy(np.where(right, 0, 1).astype(np.uint8))[None, None]
    tally.add(logits[..., sure_enough], labels[..., sure_enough])
    return tally


def test_calibration_and_aurra_agree_with_sorting_every_pixel() -> None:
    sure, right = _random_pixels()
    keep = sure > 0.5
    sure, right = sure[keep], right[keep]
    cells = _tallied(sure, right).cells.numpy()
    order = np.argsort(-sure)
    exact_area = np.mean(np.cumsum(right[order]) / np.arange(1, len(sure) + 1))
    assert aurra(cells) == pytest.approx(exact_area, abs=2e-3)
    groups = np.array_split(order, 100)
    exact_error = np.sqrt(sum(len(g) / len(sure) * (sure[g].mean() - right[g].mean()) ** 2 for g in groups))
    assert calibration_rms(cells) == pytest.approx(exact_error, abs=5e-3)


def test_theory_of_constant_confidence() -> None:
    cells = np.zeros((CELLS, 3))
    cells[100] = (1000, 700, 900)
    assert calibration_rms(cells) == pytest.approx(0.2)
    assert aurra(cells) == pytest.approx(0.7)
    assert aurra(np.zeros((CELLS, 3))) is None
    assert calibration_rms(np.zeros((CELLS, 3))) is None


def test_a_split_is_measured_at_the_size_of_its_pictures(little_set, tiny_run) -> None:
    samples = little_set.samples("test")
    tally = evaluate(Predictor.load(tiny_run, "cpu"), samples)
    quality = tally.quality(STREETHAZARDS)
    counted = int(tally.confusion.sum())
    assert 0 < counted < 64 * 64 * len(samples)
    assert quality.measures().pixels == counted
    assert quality.class_iou["fence"] is None
