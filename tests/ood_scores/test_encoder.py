"""A frozen encoder with random weights in a file: what it sees, what scorers make of it, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from typer.testing import CliRunner

from caos.cli import app
from caos.foundation.errors import CaosError
from caos.ood_scores.command import Request, run_request
from caos.ood_scores.scorer_interface.registry import scorer_names
from caos.ood_scores.sources.encoder import EncoderSource, encoded, load_encoder
from caos.scenes.dataset.layout import open_dataset

ENCODER = "test_vit"


@pytest.fixture(scope="module")
def weights(tmp_path_factory):
    import timm

    torch.manual_seed(0)
    path = tmp_path_factory.mktemp("encoder") / "vit.safetensors"
    save_file(timm.create_model(ENCODER, pretrained=False, num_classes=7).state_dict(), path)
    return path


def test_features_are_those_of_timm_at_any_size(weights):
    import timm

    torch.manual_seed(0)
    theirs = timm.create_model(ENCODER, pretrained=False, num_classes=7).eval()
    side = theirs.patch_embed.img_size[0]
    picture = torch.rand(1, 3, side, side, generator=torch.Generator().manual_seed(1))
    ours = load_encoder(ENCODER, weights)
    with torch.inference_mode():
        tokens = theirs.forward_features(picture)[0, theirs.num_prefix_tokens :]
        found = encoded(ours, picture)
        other = encoded(ours, picture[..., : side - 5, : side // 2])
    grid = side // 16
    assert found.reshape(found.shape[0], -1).T.numpy() == pytest.approx(tokens.numpy(), abs=1e-5)
    assert other.shape == (found.shape[0], grid, -(-(side // 2) // 16))
    assert not torch.allclose(other, found[:, :, : other.shape[-1]])


def test_an_encoder_that_joins_patches_is_refused(tmp_path):
    import timm

    name = "swin_tiny_patch4_window7_224"
    torch.save(timm.create_model(name, pretrained=False).state_dict(), tmp_path / "swin.pth")
    encoder = load_encoder(name, tmp_path / "swin.pth")
    with torch.inference_mode(), pytest.raises(CaosError, match=r"SwinTransformer\) joins patches on its way"):
        encoded(encoder, torch.rand(1, 3, 64, 96))


@pytest.mark.parametrize(
    ("wrapper", "prefix"), [(None, "backbone."), ("model", ""), ("teacher", "backbone."), ("state_dict", "module.")]
)
def test_weights_are_found_wherever_a_training_keeps_them(weights, tmp_path, wrapper, prefix):
    plain = {prefix + name: tensor for name, tensor in load_file(weights).items()}
    torch.save(plain if wrapper is None else {wrapper: plain, "epoch": 3}, tmp_path / "vit.pth")
    picture = torch.rand(1, 3, 32, 48, generator=torch.Generator().manual_seed(1))
    with torch.inference_mode():
        theirs, ours = (encoded(load_encoder(ENCODER, file), picture) for file in (weights, tmp_path / "vit.pth"))
    assert torch.equal(theirs, ours)


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04 cut"])
@pytest.mark.parametrize("name", ["vit.pth", "vit.safetensors"])
def test_a_broken_file_of_weights_is_one_line(tmp_path, name, content):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(CaosError, match=f"{name} is not a file of plain weights") as caught:
        load_encoder(ENCODER, tmp_path / name)
    assert "\n" not in str(caught.value)


def test_maps_of_patches_lie_on_the_picture(data, weights):
    source = EncoderSource(ENCODER, weights, "knn", open_dataset(data), device="cpu")
    image = np.random.default_rng(0).integers(0, 256, (40, 70, 3)).astype(np.uint8)
    given = source.outputs("one", image)
    assert given.features.shape[1:] == (3, 5)
    values = torch.zeros(3, 5)
    values[1, 2] = 1
    enlarged = given.enlarge(values)
    assert enlarged.shape == (40, 70)
    # The middle of the patch in the second row and third column.
    assert np.unravel_index(int(enlarged.argmax()), (40, 70)) in {(23, 39), (23, 40), (24, 39), (24, 40)}


def test_the_command_scores_with_features_alone(data, weights, tmp_path):
    words = [
        "score",
        str(data),
        "--encoder",
        ENCODER,
        "--encoder-weights",
        str(weights),
        "--out",
        str(tmp_path / "out"),
    ]
    done = CliRunner().invoke(app, [*words, "--fit-on", str(data), "--device", "cpu"])
    assert done.exit_code == 0, done.output
    assert "cDNP (energy=false)" in done.output
    found = run_request(
        Request(data, None, tmp_path / "out", encoder=ENCODER, encoder_weights=weights, fit_on=data, device="cpu")
    )
    assert found.content.columns == ("knn", "mahalanobis", "cdnp:energy=false")
    assert set(found.content.not_run) == set(scorer_names()) - {"knn", "mahalanobis", "cdnp"}
    assert set(found.content.not_run.values()) == {"an encoder gives features alone"}
    assert not (tmp_path / "out" / "predictions").exists()
    # Hazards are noise among stripes of one colour each, which even random features tell apart.
    assert found.content.measures["caos"]["knn"].auroc.value > 0.6


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"encoder_weights": None}, "encoder 'test_vit' needs its weights: --encoder-weights FILE"),
        ({"encoder_weights": "nowhere.pth"}, "weights 'nowhere.pth' of encoder 'test_vit' do not exist; give a file"),
        ({"encoder_weights": "other"}, r"does not fit encoder 'test_vit': \d+ of \d+ tensors missing"),
        ({"encoder": "test_vitt"}, "unknown encoder 'test_vitt'; did you mean 'test_vit"),
        ({"encoder": "resnet18"}, "encoder 'resnet18' is not a vision transformer"),
        ({"scorers": "msp"}, "scorer 'msp' reads logits, which an encoder does not give"),
        ({"scorers": "cdnp"}, "scorer 'cdnp' reads logits, which an encoder does not give; cdnp:energy=false does"),
        ({"scorers": "react"}, "scorer 'react' needs classify, which an encoder does not give"),
        ({"encoder": None}, "give either --run RUN"),
        ({"encoder": None, "run": "run"}, "--encoder-weights needs an encoder"),
        ({"run": "run"}, "give either --run RUN"),
    ],
)
def test_bad_requests_are_one_line(data, weights, tmp_path, changes, words):
    from pathlib import Path

    other = tmp_path / "other.safetensors"
    save_file({"other": torch.zeros(1)}, other)
    given = {"run": None, "encoder": ENCODER, "encoder_weights": weights, "device": "cpu"} | changes
    if given["encoder_weights"] == "other":
        given["encoder_weights"] = other
    for name in ("run", "encoder_weights"):
        given[name] = None if given[name] is None else Path(given[name])
    with pytest.raises(CaosError, match=words) as caught:
        run_request(Request(dataset=data, out=tmp_path / "out", **given))
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()
