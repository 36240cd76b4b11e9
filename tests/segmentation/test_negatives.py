from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
import torch

from caos.foundation.errors import CaosError
from caos.foundation.execution.progress import SILENT
from caos.scenes.labels import STREETHAZARDS, VOID
from caos.segmentation.data.loading import read_pair
from caos.segmentation.models.networks import Architecture, build_model
from caos.segmentation.prediction.checkpoint import read_run
from caos.segmentation.prediction.predict import Predictor
from caos.segmentation.training.config import make_config
from caos.segmentation.training.negatives import (
    NEGATIVE,
    OF_QUERIES,
    NegativePixels,
    loss_names,
    loss_summary,
    make_loss,
)
from caos.segmentation.training.tasks import SegmentationTask
from caos.segmentation.training.train import train
from tests.segmentation.little import tiny, write_set


def _pixels(logits, labels, extra=None) -> NegativePixels:
    """One row of pixels: logits and extra by pixel, labels with ``VOID`` and ``NEGATIVE``."""
    target = torch.tensor(labels)[None, None]
    maps = [None if v is None else torch.tensor(v, dtype=torch.float32).T[None, :, None] for v in (logits, extra)]
    ordinary = (target != VOID) & (target != NEGATIVE)
    return NegativePixels(maps[0], maps[1], ordinary, target == NEGATIVE)


LABELS = [0, NEGATIVE, VOID, NEGATIVE]
LOGITS = [[3.0, 1.0], [2.0, 0.0], [9.0, -9.0], [0.0, 0.0]]


def _lse(*values: float) -> float:
    return math.log(sum(map(math.exp, values)))


def test_max_entropy_wants_uniform_probabilities_on_negatives() -> None:
    expected = ((_lse(2, 0) - 1) + (_lse(0, 0) - 0)) / 2
    assert float(make_loss("max_entropy").loss(_pixels(LOGITS, LABELS), 0.5)) == pytest.approx(0.5 * expected)
    # The least it can be is the logarithm of the number of classes, where all logits are equal.
    assert float(make_loss("max_entropy").loss(_pixels([[7.0, 7.0]], [NEGATIVE]), 1.0)) == pytest.approx(math.log(2))


def test_energy_hinge_has_a_margin_on_both_sides() -> None:
    ordinary = (12 - _lse(3, 1)) ** 2
    # Both negatives have energies above -6 already; a confident one has not.
    assert float(make_loss("energy_hinge").loss(_pixels(LOGITS, LABELS), 0.1)) == pytest.approx(0.1 * ordinary)
    sure = _pixels([[13.0, 0.0], [10.0, 0.0]], [0, NEGATIVE])
    assert float(make_loss("energy_hinge").loss(sure, 1.0)) == pytest.approx((_lse(10, 0) - 6) ** 2, rel=1e-4)


def test_dense_hybrid_lowers_the_likelihood_and_trains_its_head() -> None:
    head = [[2.0, 0.0], [0.0, 1.0], [5.0, 5.0], [0.0, 0.0]]
    likelihood = (_lse(2, 0) + _lse(0, 0)) / 2
    wrong = ((_lse(2, 0) - 2) + (_lse(0, 1) - 1) + math.log(2)) / 3
    found = make_loss("dense_hybrid").loss(_pixels(LOGITS, LABELS, head), 0.03)
    assert float(found) == pytest.approx(0.03 * (likelihood + 10 * wrong))
    with pytest.raises(CaosError, match="the network has none"):
        make_loss("dense_hybrid").loss(_pixels(LOGITS, LABELS), 0.03)


def test_outlier_head_counts_negatives_three_times_and_leaves_the_classes_alone() -> None:
    head = [[2.0, 0.0], [0.0, 1.0], [5.0, 5.0], [0.0, 0.0]]
    wrong = ((_lse(2, 0) - 2) + 3 * (_lse(0, 1) - 1) + 3 * math.log(2)) / 3
    found = make_loss("outlier_head").loss(_pixels(LOGITS, LABELS, head), 0.5)
    assert float(found) == pytest.approx(0.5 * wrong)


def test_void_class_is_the_cross_entropy_of_one_more_class() -> None:
    void = [[0.5], [1.0], [4.0], [-1.0]]
    whole = torch.tensor([[*a, *b] for a, b in zip(LOGITS, void, strict=True)])
    further = torch.nn.functional.cross_entropy(whole[[1, 3]], torch.tensor([2, 2]))
    ordinary = torch.nn.functional.cross_entropy(whole[:1], torch.tensor([0]))
    plain = torch.nn.functional.cross_entropy(whole[:1, :2], torch.tensor([0]))
    found = make_loss("void_class").loss(_pixels(LOGITS, LABELS, void), 0.7)
    assert float(plain + found) == pytest.approx(float(ordinary + 0.7 * further), rel=1e-5)


def test_rba_rejects_negatives_by_every_class() -> None:
    # Scores -(tanh 1 + tanh 0) and 0 lie 5 + tanh 1 and 5 below the margin.
    pixels = _pixels([[9.0, 9.0], [1.0, 0.0], [9.0, 9.0], [0.0, 0.0]], LABELS)
    expected = ((5 + math.tanh(1)) ** 2 + 25) / 2
    assert float(make_loss("rba").loss(pixels, 0.5)) == pytest.approx(0.5 * expected)


OF_CLASSIFIERS = [name for name in loss_names() if make_loss(name).needs not in OF_QUERIES]
OF_PIXELS = [*OF_CLASSIFIERS, "rba"]


@pytest.mark.parametrize("name", OF_PIXELS)
def test_every_loss_is_described_and_finite_without_negatives_and_looks_at_no_void_pixel(name) -> None:
    assert loss_summary(name).endswith(".")
    loss = make_loss(name)
    width = {"none": None, "void": 1, "outlier": 2, "queries": None}[loss.needs]
    generator = torch.Generator().manual_seed(0)
    logits = ((2 if name == "rba" else 20) * torch.randn((2, 5, 4, 4), generator=generator)).requires_grad_()
    extra = None if width is None else torch.randn((2, width, 4, 4), generator=generator).requires_grad_()
    nowhere = torch.zeros((2, 4, 4), dtype=torch.bool)
    without = loss.loss(NegativePixels(logits, extra, ~nowhere, nowhere), loss.weight).detach()
    assert math.isfinite(float(without))
    half = nowhere.clone()
    half[:, :2] = True
    loss.loss(NegativePixels(logits, extra, nowhere, half), loss.weight).backward()
    learnt = [maps.grad for maps in (logits, extra) if maps is not None and maps.grad is not None]
    assert all((gradient[:, :, 2:] == 0).all() for gradient in learnt)
    assert any((gradient[:, :, :2] != 0).any() for gradient in learnt)
    assert (logits.grad is None) == (name == "outlier_head")


def test_losses_are_listed_without_anything_heavy() -> None:
    code = "import sys, caos.segmentation.training.negatives as n; print(n.loss_names(), 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names, heavy = done.stdout.strip().rsplit(" ", 1)
    assert heavy == "False"
    assert names == "('dense_hybrid', 'energy_hinge', 'max_entropy', 'outlier_head', 'rba', 'uno', 'void_class')"
    with pytest.raises(CaosError, match=r"unknown loss with negatives 'void_clas'; did you mean 'void_class'\?"):
        make_loss("void_clas")


def test_negative_pixels_are_no_class_of_the_ordinary_loss() -> None:
    pictures = torch.randint(0, 256, (2, 64, 64, 3), dtype=torch.uint8, generator=torch.Generator().manual_seed(0))
    labels = torch.zeros((2, 64, 64), dtype=torch.uint8)
    void = labels.clone()
    void[:, :32], labels[:, :32] = VOID, NEGATIVE
    losses = {}
    for name, weight in ((None, None), ("max_entropy", 0.0), ("max_entropy", 1.0)):
        task = SegmentationTask(tiny(negatives=name, negative_weight=weight, dropout=0.0), STREETHAZARDS)
        torch.manual_seed(0)
        for parameter in task.parameters():
            torch.nn.init.normal_(parameter, std=0.02)
        losses[name, weight] = float(task.train()(pictures, void if name is None else labels).detach())
    assert losses["max_entropy", 0.0] == pytest.approx(losses[None, None], rel=1e-5)
    assert losses["max_entropy", 1.0] > losses[None, None] + 0.5


@pytest.fixture(scope="module")
def exposed_set(tmp_path_factory):
    return write_set(tmp_path_factory.mktemp("exposed"), {"train": 12, "val": 3, "test": 4}, exposed=8)


def _learn(dataset, out, **changes):
    config = tiny(epochs=14, optimizer="adamw", lr=3e-3, schedule="one-cycle", loss_stride=2, **changes)
    return train(dataset, out, config)


@pytest.fixture(scope="module")
def plain_run(exposed_set, tmp_path_factory):
    """A run on the same pictures for which anomalies were void."""
    out = tmp_path_factory.mktemp("plain") / "run"
    _learn(exposed_set, out)
    return out


def _separation(predictor, dataset, score) -> float:
    """How often a random anomalous pixel scores above a random ordinary one."""
    anomalous, ordinary = [], []
    for sample in dataset.samples("test"):
        picture, labels = read_pair(sample, dataset.labels, None, NEGATIVE)
        values = score(predictor.predict(picture[None]))[0].numpy()
        anomalous.append(values[labels == NEGATIVE])
        ordinary.append(values[(labels != NEGATIVE) & (labels != VOID)])
    high, low = np.concatenate(anomalous), np.sort(np.concatenate(ordinary))
    return float(np.searchsorted(low, high).mean() / len(low))


SCORES = {
    "max_entropy": lambda p: -torch.softmax(p.logits, 1).amax(1),
    "energy_hinge": lambda p: -p.logits.logsumexp(1),
    "dense_hybrid": lambda p: -p.logits.logsumexp(1) + torch.log_softmax(p.outlier_logits, 1)[:, 1],
    "void_class": lambda p: p.void_probability,
}
SCORES["outlier_head"] = lambda p: torch.log_softmax(p.outlier_logits, 1)[:, 1]


PLAIN = {
    **SCORES,
    "dense_hybrid": SCORES["energy_hinge"],
    "outlier_head": SCORES["energy_hinge"],
    "void_class": SCORES["max_entropy"],
}
"""The nearest scores of a run without a head for negatives."""
WEIGHTS = {"max_entropy": None, "energy_hinge": 0.2, "dense_hybrid": 0.4, "outlier_head": None, "void_class": None}


@pytest.mark.parametrize("name", OF_CLASSIFIERS)
def test_what_was_shown_as_foreign_is_found(exposed_set, plain_run, tmp_path, name) -> None:
    weight = WEIGHTS[name]
    start = plain_run if name == "energy_hinge" else None  # its margins are those of a network that knows its classes
    _learn(exposed_set, tmp_path / "run", negatives=name, negative_weight=weight, init=start)
    before, after = (Predictor.load(path, "cpu") for path in (plain_run, tmp_path / "run"))
    assert _separation(after, exposed_set, SCORES[name]) > _separation(before, exposed_set, PLAIN[name]) + 0.2
    used = read_run(tmp_path / "run").record.negatives
    assert (used.loss, used.images) == (name, 8)
    assert used.weight == (make_loss(name).weight if weight is None else weight)


def test_a_run_without_negatives_takes_anomalies_for_void_and_says_so(exposed_set, tmp_path) -> None:
    said = []

    class Listener:
        def say(self, text: str) -> None:
            said.append(text)

        def task(self, title: str, *sizes: int):
            return SILENT.task(title, *sizes)

    train(exposed_set, tmp_path / "run", tiny(epochs=1), progress=Listener())
    assert said == ["8 of 12 training pictures show anomalies, which count as void without --negatives"]
    assert read_run(tmp_path / "run").record.negatives is None


def test_negatives_must_be_there(little_set, tmp_path) -> None:
    with pytest.raises(CaosError, match="no training picture shows an anomaly"):
        train(little_set, tmp_path / "run", tiny(negatives="max_entropy"))
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("name", "channels"), [("dense_hybrid", 2), ("void_class", 1), ("max_entropy", 0)])
def test_heads_are_said_at_the_size_of_the_picture(name, channels) -> None:
    architecture = Architecture.of(make_config({"encoder": "resnet18", "head_channels": 16, "negatives": name}), 5)
    model = build_model(architecture).eval()
    predictor = Predictor(model, STREETHAZARDS, SegmentationTask(tiny(), STREETHAZARDS).normalisation)
    picture = np.random.default_rng(0).integers(0, 256, (1, 50, 77, 3)).astype(np.uint8)
    found = predictor.predict(picture)
    assert found.logits.shape == (1, 5, 50, 77)
    assert (found.outlier_logits is not None, found.void_probability is not None) == (channels == 2, channels == 1)
    if channels == 2:
        assert found.outlier_logits.shape == (1, 2, 50, 77)
    if channels == 1:
        assert found.void_probability.shape == (1, 50, 77)
        assert 0 < float(found.void_probability.min()) <= float(found.void_probability.max()) < 1
        with torch.no_grad():
            model.negative_head.bias += 50
        assert float(predictor.predict(picture).void_probability.min()) > 0.99


def test_a_head_of_its_own_leaves_the_classifier_alone() -> None:
    config = tiny(model="hypercolumn", negatives="outlier_head", negative_channels=8, freeze="encoder")
    task = SegmentationTask(config, STREETHAZARDS)
    model = task.model
    outputs = model(torch.rand(1, 3, 64, 96))
    assert outputs.extra.shape == (1, 2, 8, 12)
    outputs.extra.square().sum().backward()
    learnt = {name.split(".")[0] for name, value in model.named_parameters() if value.grad is not None}
    assert learnt == {"negative_head"}


def test_bodies_without_stages_share_the_features_of_the_classifier() -> None:
    config = make_config({"encoder": "resnet18", "negatives": "outlier_head", "negative_channels": 8})
    assert Architecture.of(config, 5).negative_channels == 0
