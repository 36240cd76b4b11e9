"""The observer network: its attack, its loss, and that it learns where a segmenter errs."""

from __future__ import annotations

import math
import shutil

import numpy as np
import pytest
import torch
from torch import nn

from caos.foundation.errors import CaosError
from caos.scenes.labels import STREETHAZARDS, VOID
from caos.segmentation.data.loading import read_pair
from caos.segmentation.models.networks import SegmenterOutputs
from caos.segmentation.models.observer import Observer, attack, error_loss, random_regions
from caos.segmentation.prediction.checkpoint import WEIGHTS_FILE, read_run
from caos.segmentation.prediction.packing import pack_run
from caos.segmentation.prediction.predict import Predictor
from caos.segmentation.training.observer_task import ObserverTask
from caos.segmentation.training.train import train
from tests.segmentation.little import tiny


class _Linear(nn.Module):
    """Logits ``(x0, -x0)``: of three channels only the first matters."""

    def forward(self, pictures):
        logits = torch.stack([pictures[:, 0], -pictures[:, 0]], 1)
        return SegmenterOutputs(logits, None, None, pictures)


def test_an_attack_steps_along_the_sign_of_the_gradient_inside_the_region_alone() -> None:
    pictures = torch.full((1, 3, 2, 3), 0.5)
    targets = torch.tensor([[[0, 1, 0], [1, VOID, 1]]], dtype=torch.uint8)
    region = torch.tensor([[[[1.0, 1, 0], [1, 1, 0]]]])
    found = attack(_Linear(), pictures, targets, region, 0.1)
    # Class 0 is likelier the larger the first channel is, so an attack makes it smaller where 0 is true and larger
    # where 1 is; where nothing is known, in the other channels and outside, nothing moves.
    expected = pictures.clone()
    expected[0, 0, 0, 0], expected[0, 0, 0, 1], expected[0, 0, 1, 0] = 0.4, 0.6, 0.6
    assert torch.allclose(found, expected)
    assert not found.requires_grad
    assert (pictures == 0.5).all()


def test_an_attack_makes_the_loss_larger_and_leaves_the_segmenter_alone(tiny_run) -> None:
    model = Predictor.load(tiny_run, "cpu").model
    pictures = torch.randn(2, 3, 64, 64, generator=torch.Generator().manual_seed(0))
    targets = model(pictures).logits.argmax(1).byte()
    before = {name: value.clone() for name, value in model.state_dict().items()}
    moved = attack(model, pictures, targets, torch.ones(2, 1, 64, 64), 0.1)
    wrong = [float((model(given).logits.argmax(1) != targets).float().mean()) for given in (pictures, moved)]
    assert wrong[0] == 0
    assert wrong[1] > 0.05
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert all(parameter.grad is None for parameter in model.parameters())


def test_regions_follow_the_seed_and_are_neither_empty_nor_everything() -> None:
    torch.manual_seed(3)
    first = random_regions(16, 40, 60, torch.device("cpu"))
    torch.manual_seed(3)
    assert torch.equal(first, random_regions(16, 40, 60, torch.device("cpu")))
    assert first.shape == (16, 1, 40, 60)
    assert set(first.unique().tolist()) == {0.0, 1.0}
    shares = first.mean((1, 2, 3))
    assert 0 < float(shares.min()) < float(shares.max()) < 0.6
    assert len(set(shares.tolist())) > 10


def test_errors_weigh_three_times_and_unknown_pixels_nothing() -> None:
    seen = torch.tensor([[[0.0, 2.0, 5.0]]])
    wrong = torch.tensor([[[True, False, True]]])
    counted = torch.tensor([[[True, True, False]]])
    by_hand = (3 * math.log(2) + math.log(1 + math.exp(2))) / 2
    assert float(error_loss(seen, wrong, counted)) == pytest.approx(by_hand, rel=1e-6)
    assert float(error_loss(seen, wrong, torch.zeros_like(counted))) == 0


def _settings(run, **changes):
    return tiny(model="obsnet", watches=run, optimizer="adamw", lr=2e-3, schedule="one-cycle", **changes)


@pytest.fixture(scope="module")
def observed(little_set, tiny_run, tmp_path_factory):
    """An observer of the little run."""
    out = tmp_path_factory.mktemp("observed") / "observer"
    before = (tiny_run / WEIGHTS_FILE).read_bytes()
    results = train(little_set, out, _settings(tiny_run, epochs=8))
    assert (tiny_run / WEIGHTS_FILE).read_bytes() == before
    return out, results


def test_an_observer_learns_where_the_segmenter_errs(little_set, tiny_run, observed) -> None:
    out, results = observed
    assert results["watched"] == "error_auroc"
    assert results["error_auroc"] > 0.7
    assert results["splits"]["val"] == {"error_auroc": pytest.approx(results["error_auroc"])}
    predictor = Predictor.load(tiny_run, "cpu")
    observer = Observer.load(out, predictor)
    right, wrong = [], []
    for sample in little_set.samples("val"):
        picture, labels = read_pair(sample, little_set.labels, None)
        error = observer.observe(picture[None])[0].numpy()
        assert error.shape == labels.shape
        assert 0 <= error.min() <= error.max() <= 1
        predicted = predictor.predict(picture[None]).logits[0].argmax(0).numpy()
        right.append(error[(predicted == labels) & (labels != VOID)])
        wrong.append(error[(predicted != labels) & (labels != VOID)])
    low, high = np.sort(np.concatenate(right)), np.concatenate(wrong)
    auroc = (np.searchsorted(low, high) + np.searchsorted(low, high, "right")).mean() / 2 / len(low)
    assert auroc == pytest.approx(results["error_auroc"], abs=2e-3)


def test_an_observer_is_no_segmenter_and_watches_one_network(little_set, tiny_run, observed, tmp_path) -> None:
    out, _ = observed
    assert read_run(out).architecture.observes == read_run(tiny_run).architecture.model
    with pytest.raises(CaosError, match="is a run of model 'obsnet'; a segmenter is needed here"):
        Predictor.load(out)
    with pytest.raises(CaosError, match="an observer is needed"):
        Observer.load(tiny_run, Predictor.load(tiny_run, "cpu"))
    pack_run(tiny_run, tmp_path / "packed")
    assert Observer.load(out, Predictor.load(tmp_path / "packed", "cpu")).model.training is False
    train(little_set, tmp_path / "other", tiny(epochs=1, seed=5))
    with pytest.raises(CaosError, match="watches another network than this run"):
        Observer.load(out, Predictor.load(tmp_path / "other", "cpu"))


def test_a_stopped_observer_ends_with_the_same_weights(little_set, tiny_run, tmp_path, monkeypatch) -> None:
    from caos.segmentation.training.train import Trainer

    config = _settings(tiny_run, epochs=1, checkpoint_steps=1)
    train(little_set, tmp_path / "whole", config)
    step, taken = Trainer._step, []

    def stop(self, *parts):
        if len(taken) == 2:
            raise KeyboardInterrupt
        taken.append(step(self, *parts))

    monkeypatch.setattr(Trainer, "_step", stop)
    with pytest.raises(KeyboardInterrupt):
        train(little_set, tmp_path / "stopped", config)
    monkeypatch.setattr(Trainer, "_step", step)
    moved = shutil.copytree(tiny_run, tmp_path / "moved")
    train(little_set, tmp_path / "stopped", _settings(moved, epochs=1, checkpoint_steps=1))
    assert (tmp_path / "stopped" / WEIGHTS_FILE).read_bytes() == (tmp_path / "whole" / WEIGHTS_FILE).read_bytes()


def test_the_measure_of_errors_by_hand(tiny_run) -> None:
    task = ObserverTask(_settings(tiny_run), STREETHAZARDS)
    counts = torch.zeros(2, 1024, dtype=torch.float64)
    counts[0, [10, 500]] = torch.tensor([3.0, 1.0], dtype=torch.float64)
    counts[1, [500, 900]] = torch.tensor([1.0, 1.0], dtype=torch.float64)
    # The error at 500 beats three right pixels and draws with one; that at 900 beats all four.
    assert task.measures([counts]) == {"error_auroc": pytest.approx((3.5 + 4) / 8)}
    assert task.measures([torch.zeros(2, 1024)]) == {}


def test_an_observer_sees_pictures_as_its_segmenter_does(little_set, tiny_run, tmp_path) -> None:
    with pytest.raises(CaosError, match="give the same --size and --sides"):
        train(little_set, tmp_path / "run", _settings(tiny_run, size=(32, 32)))
    assert not (tmp_path / "run").exists()
