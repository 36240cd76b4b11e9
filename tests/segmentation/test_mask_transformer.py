"""The mask transformer that trains here: its outputs, its loss with and without negatives, a run and its scores."""

from __future__ import annotations

import csv

import numpy as np
import pytest
import torch

from caos.foundation.errors import CaosError
from caos.ood_scores.command import Request, run_request
from caos.ood_scores.scorer_interface.registry import scorer_class, scorer_names
from caos.scenes.labels import STREETHAZARDS, VOID
from caos.segmentation.models.encoders import Normalisation
from caos.segmentation.models.networks import Architecture, build_model, upsample
from caos.segmentation.models.stages import FINEST_STAGE
from caos.segmentation.prediction.checkpoint import read_run
from caos.segmentation.prediction.export import export_onnx
from caos.segmentation.prediction.predict import Predictor
from caos.segmentation.training.config import make_config
from caos.segmentation.training.mask_task import MaskTask
from caos.segmentation.training.negatives import NEGATIVE, NegativePixels, make_loss
from caos.segmentation.training.set_loss import set_loss
from caos.segmentation.training.tasks import make_task
from caos.segmentation.training.train import train
from tests.segmentation.little import write_set

pytest.importorskip("transformers")

SMALL = {
    "model": "mask2former",
    "encoder": "tu-test_resnet",
    "encoder_weights": "none",
    "head_channels": 32,
    "queries": 10,
    "decoder_layers": 1,
    "device": "cpu",
}


def small(**changes):
    return make_config({**SMALL, **changes})


@pytest.fixture(scope="module")
def exposed_set(tmp_path_factory):
    return write_set(tmp_path_factory.mktemp("exposed"), {"train": 12, "val": 4, "test": 3}, exposed=8)


@pytest.fixture(scope="module")
def uno_run(exposed_set, tmp_path_factory):
    out = tmp_path_factory.mktemp("masks") / "run"
    # Below thirty epochs its classes come and go with the rounding of a machine.
    learning = {"epochs": 50, "val_every": 50, "batch_size": 6, "lr": 6e-3, "encoder_lr": 1.0, "schedule": "constant"}
    pictures = {"augment": ("flip",), "crop": (64, 64), "loss_stride": 2}
    train(exposed_set, out, small(negatives="uno", negative_weight=2.0, **learning, **pictures))
    return out


def test_defaults_are_the_authors_and_quick_ones_smaller():
    paper, quick = make_config({"model": "mask2former"}), make_config({"model": "mask2former"}, preset="quick")
    assert (paper.optimizer, paper.lr, paper.weight_decay, paper.queries, paper.decoder_layers) == (
        "adamw",
        1e-4,
        0.05,
        100,
        6,
    )
    assert (quick.optimizer, quick.encoder_weights, quick.head_channels, quick.queries) == ("adamw", "bundled", 64, 20)
    assert (quick.batch_size, quick.lr, quick.freeze, quick.loss_stride, paper.loss_stride) == (
        2,
        3e-3,
        "encoder",
        4,
        4,
    )
    transfer = make_config({"model": "mask2former", "queries": 7}, preset="transfer")
    assert (transfer.queries, transfer.lr, "camera" in transfer.augment) == (7, 3e-3, True)


def test_logits_are_the_semantic_map_at_the_size_of_the_picture():
    torch.manual_seed(0)
    model = build_model(Architecture.of(small(), 5)).eval()
    predictor = Predictor(model, STREETHAZARDS, Normalisation())
    pictures = np.random.default_rng(0).integers(0, 256, (2, 50, 77, 3)).astype(np.uint8)
    found = predictor.predict(pictures, features=True)
    assert found.logits.shape == (2, 5, 50, 77)
    assert found.features.shape == (2, 32, 16, 24)
    # Stages at strides 4 to 32 of the little encoder, side by side at the stride of the features.
    stages = predictor.predict(pictures, encoder_features=True).encoder_features
    assert stages.shape == (2, sum(model.encoder.out_channels[FINEST_STAGE:]), 16, 24)
    second = found.queries[1]
    assert (second.class_logits.shape, second.mask_logits.shape) == ((10, 6), (10, 16, 24))
    masks = upsample(second.mask_logits[None], (64, 96))[0, :, :50, :77].sigmoid()
    expected = torch.einsum("qk,qhw->khw", second.class_logits.softmax(1)[:, :5], masks)
    assert found.logits[1].numpy() == pytest.approx(expected.numpy(), abs=1e-5)
    mirrored = Predictor(model, STREETHAZARDS, Normalisation(), flips=True).predict(pictures)
    assert torch.equal(mirrored.queries[1].mask_logits, second.mask_logits)
    assert not torch.equal(mirrored.logits, found.logits)
    assert Predictor(model, STREETHAZARDS, Normalisation(), tile=(48, 48)).predict(pictures).queries is None


def batch():
    generator = torch.Generator().manual_seed(0)
    pictures = torch.randint(0, 256, (2, 60, 64, 3), dtype=torch.uint8, generator=generator)
    labels = torch.zeros((2, 60, 64), dtype=torch.uint8)
    labels[:, 20:], labels[0, 30:40, :32], labels[1, :10] = 3, NEGATIVE, VOID
    return pictures, labels


def test_masks_are_the_classes_of_a_picture():
    pictures, labels = batch()
    for negatives, expected in ((None, [0, 3]), ("uno", [0, 3, STREETHAZARDS.num_classes])):
        task = make_task(small(negatives=negatives), STREETHAZARDS)
        assert isinstance(task, MaskTask)
        found = task._targets_of(labels[0])
        assert found.classes.tolist() == expected
        assert found.masks.sum((1, 2)).tolist() == [20 * 64, 40 * 64 - 320, 320][: len(expected)]
        assert torch.equal(task._targets_of(labels[1]).counted, labels[1] != VOID)
        assert task._targets_of(torch.full((4, 4), VOID, dtype=torch.uint8)).masks.shape == (0, 4, 4)
        assert torch.isfinite(task(pictures, torch.full_like(labels, VOID)))


def test_rba_is_added_to_the_loss_of_the_masks(monkeypatch):
    task = make_task(small(negatives="rba", negative_weight=2.0, loss_stride=4), STREETHAZARDS)
    assert isinstance(task, MaskTask)
    real, seen = task.segmenter.learning, []

    def learning(signal):
        seen.append(real(signal))
        return seen[-1]

    # One pass, not one with and one without: untrained queries are matched by a hair, and rounding decides for whom.
    monkeypatch.setattr(task.segmenter, "learning", learning)
    pictures, labels = batch()
    whole = task(pictures, labels).item()
    ((layers, outputs),) = seen
    assert len(layers) == 2  # before the one layer of the decoder, and after it
    padded = torch.nn.functional.pad(labels, (0, 0, 0, 4), value=VOID)
    targets = [task._targets_of(picture) for picture in padded[:, 2::4, 2::4]]
    ordinary = sum(set_loss(*layer, targets, task.class_weights) for layer in layers)
    negative = torch.zeros((2, 16, 16), dtype=torch.bool)
    negative[0, 7:10, :8] = True  # every fourth pixel from the second on: rows 30, 34, 38 and columns 2 to 30
    added = make_loss("rba").loss(NegativePixels(outputs.logits, None, ~negative, negative), 2.0).item()
    assert whole == pytest.approx(ordinary.item() + added, rel=1e-6)
    assert added > 40


def test_the_weight_of_uno_is_that_of_its_class():
    task = make_task(small(negatives="uno", negative_weight=3.0), STREETHAZARDS)
    assert task.class_weights.tolist() == pytest.approx([1.0] * STREETHAZARDS.num_classes + [3.0, 0.1])


def test_a_run_learns(exposed_set, uno_run):
    record = read_run(uno_run)
    assert (record.architecture.model, record.architecture.negative_head) == ("mask2former", "outlier class")
    assert (record.record.negatives.loss, record.record.negatives.weight, record.record.negatives.images) == (
        "uno",
        2,
        8,
    )
    with (uno_run / "curves.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert float(rows[-1]["loss"]) < 0.75 * float(rows[0]["loss"])
    untrained = make_task(small(negatives="uno"), exposed_set.labels)
    counts = untrained.counts(exposed_set.samples("val"), torch.device("cpu"))
    assert float(rows[-1]["miou_present"]) > untrained.measures(counts)["miou_present"] + 0.02


def test_a_run_is_scored_by_its_queries(exposed_set, uno_run, tmp_path):
    found = run_request(Request(exposed_set.root, uno_run, tmp_path / "out", device="cpu", components=False))
    assert set(found.content.columns) >= {"rba", "eam", "mask2anomaly", "uno", "msp", "max_logit", "energy", "knn"}
    needing = {name for name in scorer_names() if "classify" in scorer_class(name).needs}
    for name in needing:
        assert "is a mask transformer, which has no classifier on its features" in found.content.not_run[name]
    assert "has no void head" in found.content.not_run["void_class"]


def test_what_does_not_go_together_is_one_line(exposed_set, uno_run, tmp_path):
    words = {
        "loss with negatives 'rba' is for a mask transformer": {"model": "pspnet", "negatives": "rba"},
        "loss with negatives 'void_class' is for a network with a classifier": {"negatives": "void_class"},
        "has no confidence branch": {"confidence_branch": True},
        "head_channels is 48; mask2former needs a multiple of 32": {"head_channels": 48},
        "cannot use encoder 'tu-test_vit'": {"encoder": "tu-test_vit"},
        "consistency compares logits of views": {"consistency": 12.0, "augment": ("augmix",)},
    }
    for expected, changes in words.items():
        with pytest.raises(CaosError, match=expected) as caught:
            train(exposed_set, tmp_path / "run", small(**changes))
        assert "\n" not in str(caught.value)
        assert not (tmp_path / "run").exists()
    with pytest.raises(CaosError, match="is a mask transformer, which cannot be written as ONNX"):
        export_onnx(uno_run, (64, 64))
    with pytest.raises(CaosError, match="scorer 'react' cannot run: .* is a mask transformer"):
        run_request(Request(exposed_set.root, uno_run, tmp_path / "out", scorers="react", device="cpu"))
