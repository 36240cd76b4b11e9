from __future__ import annotations

import os

import cv2
import pytest
import skimage.data
import timm
import torch
from huggingface_hub import constants
from safetensors.torch import save_file
from segmentation_models_pytorch.encoders import get_encoder

from caos.foundation.errors import CaosError
from caos.segmentation.models.encoders import (
    BUNDLED_ENCODER,
    bundled_state,
    check_encoder,
    load_encoder_weights,
    normalisation_of,
    read_state,
)


def _classify(picture) -> int:
    model = timm.create_model("tf_efficientnet_lite0").eval()
    model.load_state_dict(bundled_state())
    side = min(picture.shape[:2])
    top, left = (picture.shape[0] - side) // 2, (picture.shape[1] - side) // 2
    square = cv2.resize(picture[top : top + side, left : left + side], (224, 224), interpolation=cv2.INTER_AREA)
    normalisation = normalisation_of(BUNDLED_ENCODER)
    assert normalisation.mean == normalisation.std == (0.5, 0.5, 0.5)
    signal = (torch.from_numpy(square).permute(2, 0, 1)[None] / 255 - 0.5) / 0.5
    with torch.no_grad():
        return int(model(signal).argmax())


def test_the_bundled_weights_know_a_cat_and_a_cup_of_coffee() -> None:
    assert _classify(skimage.data.chelsea()) in {281, 282, 283, 284, 285}
    assert _classify(skimage.data.coffee()) in {967, 968, 504}


def test_the_bundled_weights_reach_the_dilated_encoder() -> None:
    encoder = get_encoder(BUNDLED_ENCODER, weights=None, output_stride=8)
    load_encoder_weights(encoder, BUNDLED_ENCODER, "bundled")
    stored = bundled_state()
    assert torch.equal(encoder.state_dict()["model.conv_stem.weight"], stored["conv_stem.weight"])
    assert torch.equal(encoder.state_dict()["model.blocks.6.0.bn3.bias"], stored["blocks.6.0.bn3.bias"])


def test_bundled_weights_fit_one_encoder_only() -> None:
    with pytest.raises(CaosError, match="bundled weights are those of encoder 'tu-tf_efficientnet_lite0'"):
        load_encoder_weights(get_encoder("resnet18", weights=None), "resnet18", "bundled")


def test_unknown_encoders_are_named() -> None:
    check_encoder("resnet101")
    check_encoder("tu-resnet10t")
    with pytest.raises(CaosError, match="did you mean 'resnet101'"):
        check_encoder("resnet1001")
    with pytest.raises(CaosError, match="unknown encoder 'tu-resnet10tt'; did you mean 'tu-resnet10t'"):
        check_encoder("tu-resnet10tt")


def test_weights_from_a_file_with_another_prefix(tmp_path) -> None:
    source, target = (get_encoder("resnet18", weights=None) for _ in range(2))
    save_file({f"encoder.{k}": v for k, v in source.state_dict().items()}, tmp_path / "w.safetensors")
    load_encoder_weights(target, "resnet18", str(tmp_path / "w.safetensors"))
    assert torch.equal(source.state_dict()["layer4.0.conv1.weight"], target.state_dict()["layer4.0.conv1.weight"])
    with pytest.raises(CaosError, match="does not fit the encoder"):
        load_encoder_weights(get_encoder("resnet34", weights=None), "resnet34", str(tmp_path / "w.safetensors"))
    with pytest.raises(CaosError, match=r"do not exist; choose imagenet, bundled, none"):
        load_encoder_weights(target, "resnet18", str(tmp_path / "none.pth"))


class _Evil:
    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self):
        return os.mkdir, (self.path,)


def test_pickled_code_is_refused_and_does_not_run(tmp_path) -> None:
    torch.save({"state_dict": _Evil(str(tmp_path / "ran"))}, tmp_path / "evil.pth")
    with pytest.raises(CaosError, match="is not a file of plain weights"):
        read_state(tmp_path / "evil.pth")
    assert not (tmp_path / "ran").exists()


def test_an_unreachable_hub_is_one_quick_line(monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(constants, "ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(CaosError, match=r"cannot get imagenet weights of 'vgg13'.*--encoder-weights bundled, none"):
        load_encoder_weights(get_encoder("vgg13", weights=None, depth=1), "vgg13", "imagenet")
