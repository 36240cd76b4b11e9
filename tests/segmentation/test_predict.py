from __future__ import annotations

import dataclasses

import numpy as np
import pytest
import torch

from foundation.errors import CaosError
from segmentation.predict import Autoencoder, Predictor, choose_device


@pytest.fixture(scope="module")
def predictor(tiny_run) -> Predictor:
    return Predictor.load(tiny_run, "cpu")


def _pictures(height: int, width: int, count: int = 2):
    return np.random.default_rng(0).integers(0, 256, (count, height, width, 3)).astype(np.uint8)


@pytest.mark.parametrize(("height", "width"), [(64, 64), (50, 77), (17, 130), (8, 8)])
def test_any_size(predictor, height, width) -> None:
    found = predictor.predict(_pictures(height, width), features=True)
    assert found.logits.shape == (2, 13, height, width)
    assert found.logits.dtype == torch.float32
    assert found.confidence.shape == (2, height, width)
    assert ((found.confidence >= 0) & (found.confidence <= 1)).all()
    assert torch.equal(predictor.classify(found.features, (height, width)), found.logits)
    assert predictor.classify(found.features, None).shape[-2:] == found.features.shape[-2:]


def test_predictions_repeat_and_do_not_depend_on_the_batch(predictor) -> None:
    pictures = _pictures(40, 56)
    both, again = predictor.predict(pictures).logits, predictor.predict(pictures).logits
    assert torch.equal(both, again)
    assert torch.allclose(both[1:], predictor.predict(pictures[1:]).logits, atol=1e-4)
    assert predictor.predict(pictures).features is None


def test_dropout_passes_follow_their_generator(predictor) -> None:
    features = predictor.predict(_pictures(64, 64), features=True).features
    plain = predictor.classify(features, None)
    drawn = [next(predictor.dropout_passes(features, 1, torch.Generator().manual_seed(s))) for s in (0, 0, 1)]
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])
    assert not torch.equal(drawn[0], plain)


def test_flips_make_the_prediction_symmetric(tiny_run) -> None:
    flipping = Predictor.load(tiny_run, "cpu", flips=True)
    pictures = _pictures(64, 64)
    straight, mirrored = flipping.predict(pictures), flipping.predict(pictures[:, :, ::-1].copy())
    assert torch.allclose(straight.logits, mirrored.logits.flip(-1), atol=1e-4)
    assert torch.allclose(straight.confidence, mirrored.confidence.flip(-1), atol=1e-5)


def test_tiles_cover_large_pictures(tiny_run, predictor) -> None:
    tiled = Predictor.load(tiny_run, "cpu", tile=(64, 64))
    small = _pictures(64, 64)
    assert torch.allclose(tiled.predict(small).logits, predictor.predict(small).logits, atol=1e-5)
    found = tiled.predict(_pictures(100, 170))
    assert found.logits.shape == (2, 13, 100, 170)
    assert torch.isfinite(found.logits).all()
    assert found.confidence.shape == (2, 100, 170)
    with pytest.raises(CaosError, match="features are made from whole pictures"):
        tiled.predict(small, features=True)


def test_a_training_size_is_applied_and_undone(predictor, tiny_run) -> None:
    assert predictor.run is not None
    sized = Predictor(predictor.model, predictor.labels, predictor.run.normalisation, size=(48, 32))
    found = sized.predict(_pictures(90, 130), features=True)
    assert found.logits.shape == (2, 13, 90, 130)
    assert found.features.shape[-2:] == (2, 3)
    assert torch.equal(sized.classify(found.features, (90, 130)), found.logits)


def test_bf16_is_close(tiny_run, predictor) -> None:
    pictures = _pictures(64, 64)
    half = Predictor.load(tiny_run, "cpu", precision="bf16").predict(pictures).logits
    assert half.dtype == torch.float32
    assert (half - predictor.predict(pictures).logits).abs().mean() < 0.1


def test_wrong_input_is_one_line(predictor, tiny_run, tiny_autoencoder, tmp_path) -> None:
    with pytest.raises(CaosError, match=r"pictures must be uint8 \(n, h, w, 3\)"):
        predictor.predict(np.zeros((2, 3, 8, 8), np.uint8))
    with pytest.raises(CaosError, match="unknown precision 'fp8'"):
        Predictor.load(tiny_run, "cpu", precision="fp8")
    with pytest.raises(CaosError, match="is an autoencoder; a segmenter is needed"):
        Predictor.load(tiny_autoencoder)
    with pytest.raises(CaosError, match=r"is a pspnet; an autoencoder is needed"):
        Autoencoder.load(tiny_run)
    with pytest.raises(CaosError, match="is not a training run"):
        Predictor.load(tmp_path)
    with pytest.raises(CaosError, match="device 'tpu9' is not one of"):
        choose_device("tpu9")


def test_reconstructions_have_the_size_of_the_pictures(tiny_autoencoder) -> None:
    painter = Autoencoder.load(tiny_autoencoder, "cpu")
    painted = painter.reconstruct(_pictures(50, 77))
    assert painted.shape == (2, 50, 77, 3)
    assert 0 <= float(painted.min()) <= float(painted.max()) <= 1


def test_a_predictor_leaves_the_model_in_the_mode_it_found(predictor) -> None:
    predictor.model.train()
    predictor.predict(_pictures(32, 32))
    assert predictor.model.training
    predictor.model.eval()
    assert dataclasses.is_dataclass(predictor.predict(_pictures(32, 32)))
