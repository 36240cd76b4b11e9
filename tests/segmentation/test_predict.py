from __future__ import annotations

import dataclasses
import shutil
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from caos.foundation.errors import CaosError
from caos.scenes.labels import STREETHAZARDS
from caos.segmentation.models.encoders import Normalisation
from caos.segmentation.models.networks import Architecture, build_model
from caos.segmentation.models.stages import StageListener
from caos.segmentation.prediction.predict import Autoencoder, Predictor, choose_device
from tests.segmentation.little import seal


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


def test_scales_are_averaged_at_the_size_of_the_picture(tiny_run, predictor) -> None:
    pictures = _pictures(64, 96)
    single = [Predictor.load(tiny_run, "cpu", scales=(scale,)).predict(pictures) for scale in (0.5, 1.0, 1.5)]
    assert torch.equal(single[1].logits, predictor.predict(pictures).logits)
    assert not torch.allclose(single[0].logits, single[1].logits, atol=0.01)
    both = Predictor.load(tiny_run, "cpu", scales=(1.5, 0.5, 1.0))
    found = both.predict(pictures, features=True)
    assert torch.allclose(found.logits, torch.stack([s.logits for s in single]).mean(0), atol=1e-5)
    assert torch.allclose(found.confidence, torch.stack([s.confidence for s in single]).mean(0), atol=1e-5)
    # The features are those of the largest scale, and classify brings them to the size of the picture.
    assert found.features.shape[-2:] == (6, 9)
    assert torch.allclose(both.classify(found.features, (64, 96)), single[2].logits, atol=1e-5)
    with pytest.raises(CaosError, match=r"scales are \(0.0,\); each must be from 0.05 to 8"):
        Predictor.load(tiny_run, "cpu", scales=(0.0,))


def test_a_run_of_whole_pictures_predicts_at_all_of_its_sides(tiny_run, tmp_path) -> None:
    copy = shutil.copytree(tiny_run, tmp_path / "run")
    seal(copy, sides=[64, 32], longest_side=80)
    pictures = _pictures(64, 96)
    # 96 x 64 at a shorter side of 32 is half its size; at 64 the longer side would be above 80.
    wanted = Predictor.load(tiny_run, "cpu", scales=(0.5, 80 / 96)).predict(pictures).logits
    assert torch.allclose(Predictor.load(copy, "cpu").predict(pictures).logits, wanted, atol=1e-5)
    plain = Predictor.load(tiny_run, "cpu").predict(pictures).logits
    assert torch.equal(Predictor.load(copy, "cpu", scales=(1.0,)).predict(pictures).logits, plain)


def test_flips_and_scales_go_together_with_tiles(tiny_run) -> None:
    whole = Predictor.load(tiny_run, "cpu", scales=(0.5, 1.0), flips=True)
    tiled = Predictor.load(tiny_run, "cpu", scales=(0.5, 1.0), flips=True, tile=(64, 64))
    pictures = _pictures(64, 64)
    assert torch.allclose(whole.predict(pictures).logits, tiled.predict(pictures).logits, atol=1e-4)


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
    with pytest.raises(CaosError, match="is a run of model 'autoencoder'; a segmenter is needed"):
        Predictor.load(tiny_autoencoder)
    with pytest.raises(CaosError, match="is a run of model 'pspnet'; an autoencoder is needed"):
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


@pytest.mark.parametrize("name", ["pspnet", "hypercolumn", "fpn"])
def test_what_the_encoder_made_comes_at_the_resolution_of_the_features(name) -> None:
    model = build_model(Architecture(name, "resnet18", 13, head_channels=16)).eval()
    predictor = Predictor(model, STREETHAZARDS, Normalisation((0.5,) * 3, (0.5,) * 3))
    pictures = _pictures(64, 96, 1)
    assert predictor.predict(pictures, features=True).encoder_features is None
    found = predictor.predict(pictures, features=True, encoder_features=True)
    # Stages of a quarter of the picture on, the deepest first: 512, 256, 128 and 64 channels.
    assert found.encoder_features.shape == (1, 960, *found.features.shape[-2:])
    signal = (torch.from_numpy(pictures).permute(0, 3, 1, 2) / 255 - 0.5) / 0.5
    with torch.inference_mode():
        deepest = model.encoder(signal)[-1]
    grid = torch.nn.functional.interpolate(deepest, found.features.shape[-2:], mode="bilinear", align_corners=False)
    assert torch.allclose(found.encoder_features[:, :512], grid, atol=1e-4)


def test_stages_are_left_out_where_there_are_too_many_channels() -> None:
    stages = [torch.zeros(1, channels, 4, 4) for channels in (3, 64, 256, 512, 1024, 2048)]
    listener = StageListener(None)
    listener._stages = stages
    assert listener.joined(torch.zeros(1, 1, 4, 4)).shape[1] == 2048
    listener._stages = stages[:5]
    assert listener.joined(torch.zeros(1, 1, 4, 4)).shape[1] == 1024
    listener._stages = stages[:4]
    assert listener.joined(torch.zeros(1, 1, 4, 4)).shape[1] == 768


def test_two_threads_get_what_one_gets(predictor) -> None:
    """Also the stages of the encoder, which are listened to while the other thread's picture goes through it."""
    pictures = [_pictures(64, 96, 1) for _ in range(2)]
    pictures[1] = 255 - pictures[1]
    alone = [predictor.predict(picture, features=True, encoder_features=True) for picture in pictures]
    assert not torch.equal(alone[0].encoder_features, alone[1].encoder_features)

    def look(number: int) -> list[bool]:
        found = (predictor.predict(pictures[number], features=True, encoder_features=True) for _ in range(40))
        return [
            torch.equal(one.logits, alone[number].logits)
            and torch.equal(one.encoder_features, alone[number].encoder_features)
            for one in found
        ]

    with ThreadPoolExecutor(2, initializer=lambda: torch.set_num_threads(torch.get_num_threads())) as pool:
        assert all(map(all, pool.map(look, (0, 1))))
