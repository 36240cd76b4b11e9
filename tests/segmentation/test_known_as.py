"""Anomalies of training pictures that are taught as an ordinary class: the measure of a leak."""

from __future__ import annotations

import numpy as np
import pytest

from caos.foundation.errors import CaosError
from caos.scenes.labels import STREETHAZARDS, VOID
from caos.segmentation.data.loading import BatchPlan, training_batches
from caos.segmentation.prediction.checkpoint import read_run
from caos.segmentation.training.train import train
from tests.segmentation.little import tiny, write_set

OTHER = STREETHAZARDS.trained_id("other")


@pytest.fixture(scope="module")
def exposed(tmp_path_factory):
    return write_set(tmp_path_factory.mktemp("exposed"), {"train": 2, "val": 1, "test": 1}, exposed=2)


def _labels(dataset, **changes) -> np.ndarray:
    config = tiny(epochs=1, batch_size=2, augment=(), **changes)
    samples = dataset.samples("train")
    plan = BatchPlan(len(samples), 2, 1, config.seed)
    return next(training_batches(samples, dataset.labels, config, plan)).labels.numpy()


def test_what_is_taught_as_a_class_has_its_label_and_is_void_otherwise(exposed) -> None:
    void, known = _labels(exposed), _labels(exposed, known_as="other")
    assert (void == VOID).any()
    np.testing.assert_array_equal(known, np.where(void == VOID, OTHER, void))


def test_the_run_says_what_it_was_taught(exposed, tmp_path) -> None:
    train(exposed, tmp_path / "run", tiny(epochs=1, known_as="other"))
    used = read_run(tmp_path / "run").record.negatives
    assert used is not None
    assert (str(used), used.images) == ("known as other, labelled", 2)


def test_bad_requests_are_one_line(exposed, tmp_path) -> None:
    with pytest.raises(CaosError, match="unknown class 'othr'; did you mean 'other'"):
        train(exposed, tmp_path / "run", tiny(known_as="othr"))
    plain = write_set(tmp_path / "plain", {"train": 1, "val": 1, "test": 1})
    with pytest.raises(CaosError, match="no training picture shows an anomaly to teach as 'other'"):
        train(plain, tmp_path / "run", tiny(known_as="other"))
    with pytest.raises(CaosError, match="choose one of them"):
        tiny(known_as="other", negatives="max_entropy")
    assert not (tmp_path / "run" / "run.json").exists()
