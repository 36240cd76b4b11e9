from __future__ import annotations

import pytest
import torch

from caos.foundation.errors import CaosError
from caos.segmentation.models.networks import (
    Architecture,
    AutoencoderNetwork,
    build_model,
    check_model,
    widened,
)


def _architecture(**changes) -> Architecture:
    return Architecture(**{"model": "pspnet", "encoder": "resnet18", "num_classes": 5, "head_channels": 24, **changes})


def test_pspnet_uses_every_stage_at_stride_eight() -> None:
    model = build_model(_architecture()).eval()
    assert (model.feature_stride, model.multiple) == (8, 8)
    outputs = model(torch.rand(1, 3, 64, 96))
    assert outputs.features.shape == (1, 24, 8, 12)
    assert outputs.logits.shape == (1, 5, 8, 12)
    # The pyramid reads the fourth stage (512 channels in ResNet-18), not the second as the library's own PSPNet.
    assert model.body.fuse[0].in_channels == 1024
    assert outputs.auxiliary is None
    assert model.train()(torch.rand(2, 3, 64, 64)).auxiliary.shape == (2, 5, 8, 8)


def test_a_shorter_encoder_keeps_the_stride() -> None:
    model = build_model(_architecture(encoder="tu-tf_efficientnet_lite0", encoder_depth=4)).eval()
    assert model.feature_stride == 8
    assert model.body.fuse[0].in_channels == 2 * 112


@pytest.mark.parametrize(("encoder", "depth", "joined"), [("resnet18", 5, 4), ("tu-tf_efficientnet_lite0", 4, 3)])
def test_a_hypercolumn_reads_every_stage_at_an_eighth(encoder, depth, joined) -> None:
    model = build_model(_architecture(model="hypercolumn", encoder=encoder, encoder_depth=depth)).eval()
    assert model.feature_stride == 8
    assert model.body.mix[0][0].in_channels == joined * 12
    pictures = torch.rand(1, 3, 64, 96)
    outputs = model(pictures)
    assert (outputs.features.shape, outputs.logits.shape) == ((1, 24, 8, 12), (1, 5, 8, 12))
    # Each stage is heard: without what it gives, the features are others.
    for part in (model.body.halve, *model.body.pick):
        kept = part[0].weight.detach().clone()
        part[0].weight.data.zero_()
        assert not torch.equal(model(pictures).features, outputs.features)
        part[0].weight.data.copy_(kept)
    assert torch.equal(model(pictures).features, outputs.features)


def test_pictures_are_widened_by_their_mirror_image_and_beyond_it_by_their_border() -> None:
    row = torch.arange(4.0).reshape(1, 1, 1, 4)
    assert widened(row, (1, 6)).flatten().tolist() == [0, 1, 2, 3, 2, 1]
    assert widened(row, (1, 9)).flatten().tolist() == [0, 1, 2, 3, 2, 1, 0, 0, 0]
    assert widened(row, (3, 4))[0, 0].tolist() == [[0, 1, 2, 3]] * 3
    assert torch.equal(widened(row, (1, 4)), row)


def test_the_light_one_stops_after_the_second_stage() -> None:
    model = build_model(_architecture(model="pspnet-light")).eval()
    assert model.feature_stride == 8
    assert model.body.network.decoder.conv[0].in_channels == 256


def test_logits_are_the_classifier_on_the_features() -> None:
    model = build_model(_architecture(dropout=0.5)).eval()
    outputs = model(torch.rand(2, 3, 64, 64))
    assert torch.equal(model.classify(outputs.features), outputs.logits)
    by_hand = torch.einsum("ndhw,cd->nchw", outputs.features, model.classifier.weight[:, :, 0, 0])
    assert torch.allclose(by_hand + model.classifier.bias.reshape(1, -1, 1, 1), outputs.logits, atol=1e-5)


def test_dropout_drops_whole_channels_and_follows_its_generator() -> None:
    model = build_model(_architecture(dropout=0.5)).eval()
    features = torch.rand(1, 24, 4, 4)
    draws = [next(model.dropout_passes(features, 1, torch.Generator().manual_seed(s))) for s in (1, 1, 2)]
    assert torch.equal(draws[0], draws[1])
    assert not torch.equal(draws[0], draws[2])
    many = torch.stack(list(model.dropout_passes(features, 400, torch.Generator().manual_seed(3))))
    assert torch.allclose(many.mean(0), model.classify(features), atol=0.15)


@pytest.mark.parametrize("name", ["pspnet", "pspnet-light", "segformer"])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.7])
def test_a_dropout_pass_is_the_classifier_on_what_is_left(name, share) -> None:
    model = build_model(_architecture(model=name, dropout=share)).eval()
    features = model(torch.rand(1, 3, 64, 64)).features
    dropped = torch.rand(features.shape[:2], generator=torch.Generator().manual_seed(5)) < share
    left = features * (~dropped)[..., None, None] / (1 - share)
    passed = next(model.dropout_passes(features, 1, torch.Generator().manual_seed(5)))
    assert torch.allclose(passed, model.classify(left), atol=1e-5)


def test_dropout_at_another_rate_and_place() -> None:
    model = build_model(_architecture(dropout=0.1)).eval()
    features = torch.rand(1, 24, 4, 4)
    for place, shape in (("channels", (1, 24, 1, 1)), ("values", features.shape)):
        dropped = torch.rand(shape, generator=torch.Generator().manual_seed(5)) < 0.6
        passed = next(model.dropout_passes(features, 1, torch.Generator().manual_seed(5), 0.6, place))
        assert torch.allclose(passed, model.classify(features * ~dropped / 0.4), atol=1e-5)


@pytest.mark.parametrize("name", ["unet", "fpn", "deeplabv3plus", "upernet", "segformer", "linknet"])
def test_other_architectures_by_name(name) -> None:
    model = build_model(_architecture(model=name, confidence_branch=True)).eval()
    outputs = model(torch.rand(1, 3, 64, 64))
    assert outputs.logits.shape == (1, 5, 64 // model.feature_stride, 64 // model.feature_stride)
    assert outputs.confidence.shape == (1, 1, *outputs.features.shape[-2:])


def test_a_transformer_of_the_library() -> None:
    model = build_model(_architecture(model="dpt", encoder="tu-vit_tiny_patch16_224")).eval()
    assert model(torch.rand(1, 3, 64, 96)).logits.shape[:2] == (1, 5)


def test_wrong_names_are_one_line() -> None:
    with pytest.raises(CaosError, match=r"unknown model 'pspent'; did you mean 'pspnet'\?"):
        check_model("pspent")
    with pytest.raises(CaosError, match="encoder 'densenet121' cannot be dilated to output stride 8"):
        build_model(_architecture(encoder="densenet121"))


def test_the_autoencoder_has_a_spatial_code_and_nothing_beside_it() -> None:
    model = AutoencoderNetwork(latent=8).eval()
    pictures = torch.rand(1, 3, 32, 48)
    signal = pictures * 2 - 1
    for block in [*model.down, model.code]:
        signal = block(signal)
    assert signal.shape == (1, 8, 2, 3)
    for block in [*model.up, model.paint]:
        signal = block(signal)
    assert torch.equal(torch.sigmoid(signal), model(pictures))


def test_an_encoder_of_four_stages_computes_no_fifth() -> None:
    four, five = (
        build_model(Architecture("pspnet", "tu-tf_efficientnet_lite0", 13, encoder_depth=depth, head_channels=16))
        for depth in (4, 5)
    )
    widths = [
        [block[-1].conv_pwl.out_channels for block in m.encoder.model.blocks if hasattr(block[-1], "conv_pwl")]
        for m in (four, five)
    ]
    assert widths[0][-1] == four.encoder.out_channels[-1] == 112
    assert widths[1][-1] == five.encoder.out_channels[-1] == 320
    pictures = torch.rand(1, 3, 64, 64)
    assert four.eval()(pictures).logits.shape == five.eval()(pictures).logits.shape
