"""Mask transformers of the library with random weights: how they are had, what they see, what scorers make of it."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
import torch

from caos.foundation.errors import CaosError
from caos.ood_scores import results
from caos.ood_scores.evaluation.scoring import score_model
from caos.ood_scores.scorer_interface.specifications import columns_of
from caos.ood_scores.sources.mask_transformer import MaskTransformer, MaskTransformerSource
from caos.scenes.labels import PHOTOGRAPHS, STREETHAZARDS
from caos.segmentation.models.encoders import Normalisation
from caos.segmentation.models.mask_transformer import quiet
from tests.ood_scores.test_examples import load

pytest.importorskip("transformers")

CLASSES = 5


@pytest.fixture(scope="module")
def network():
    from transformers import Mask2FormerConfig, Mask2FormerForUniversalSegmentation, ResNetConfig

    backbone = ResNetConfig(
        embedding_size=4,
        hidden_sizes=[4, 4, 8, 8],
        depths=[1, 1, 1, 1],
        layer_type="basic",
        out_features=["stage1", "stage2", "stage3", "stage4"],
    )
    torch.manual_seed(0)
    with quiet():
        settings = Mask2FormerConfig(
            backbone_config=backbone,
            feature_size=32,
            mask_feature_size=32,
            hidden_dim=32,
            encoder_feedforward_dim=8,
            dim_feedforward=8,
            encoder_layers=1,
            decoder_layers=2,
            num_attention_heads=2,
            num_queries=6,
            num_labels=CLASSES,
        )
        return Mask2FormerForUniversalSegmentation(settings).eval()


@pytest.fixture(scope="module")
def folder(network, tmp_path_factory):
    place = tmp_path_factory.mktemp("weights") / "mask2former"
    with quiet():
        network.save_pretrained(place)
    (place / "preprocessor_config.json").write_text('{"image_mean": [0.5, 0.5, 0.5], "image_std": [0.25, 0.25, 0.25]}')
    return place


@pytest.fixture(scope="module")
def eomt():
    from transformers import EomtConfig, EomtForUniversalSegmentation

    torch.manual_seed(1)
    settings = EomtConfig(
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        image_size=64,
        patch_size=16,
        num_blocks=1,
        num_queries=4,
        num_labels=STREETHAZARDS.num_classes + 1,
        num_register_tokens=1,
    )
    return EomtForUniversalSegmentation(settings).eval()


def picture(height, width):
    return torch.rand(1, 3, height, width, generator=torch.Generator().manual_seed(2))


def test_folder_file_and_network_are_the_same(network, folder, tmp_path):
    shutil.copy(folder / "config.json", tmp_path)
    shutil.copy(folder / "model.safetensors", tmp_path / "mine.safetensors")
    given = picture(40, 50)
    half = Normalisation((0.5,) * 3, (0.25,) * 3)
    with torch.inference_mode():
        maps = [
            MaskTransformer(folder)(given),
            MaskTransformer(str(tmp_path / "mine.safetensors"), normalisation=half)(given),
            MaskTransformer(network, normalisation=half)(given),
        ]
        usual = MaskTransformer(network)(given)
    assert maps[0].shape == (1, CLASSES, 40, 50)
    assert torch.equal(maps[0], maps[1])
    assert torch.equal(maps[0], maps[2])
    assert not torch.equal(maps[0], usual)


def test_the_semantic_map_is_that_of_the_padded_picture(network):
    given = picture(40, 50)
    mean, std = (torch.tensor(v).reshape(1, 3, 1, 1) for v in (Normalisation().mean, Normalisation().std))
    padded = torch.nn.functional.pad((given - mean) / std, (0, 14, 0, 24), mode="reflect")
    with torch.inference_mode():
        said = network(pixel_values=padded)
        found = MaskTransformer(network)(given)[0]
    masks = torch.nn.functional.interpolate(said.masks_queries_logits, (64, 64), mode="bilinear").sigmoid()
    classes = said.class_queries_logits.softmax(-1)[..., :-1]
    expected = torch.einsum("nqk,nqhw->nkhw", classes, masks)[0, :, :40, :50]
    assert found.numpy() == pytest.approx(expected.numpy(), abs=1e-6)


def test_a_network_of_one_size_sees_the_picture_in_its_square(eomt):
    model = MaskTransformer(eomt, has_outlier_class=True)
    assert (model.side, model.num_classes) == (64, STREETHAZARDS.num_classes)
    source = MaskTransformerSource(model, columns_of("uno,knn"), STREETHAZARDS)
    image = np.random.default_rng(0).integers(0, 256, (48, 96, 3)).astype(np.uint8)
    with torch.inference_mode():
        given = source.outputs("one", image)
    # 96x48 becomes 64x32 of the square 64x64: two of its four rows of patches are the picture's.
    assert given.features.shape == (16, 2, 4)
    assert given.enlarge(torch.ones(2, 4)).shape == (48, 96)
    assert given.logits.shape == (STREETHAZARDS.num_classes, 48, 96)
    assert given.outlier_class.shape == (4,)
    halves = given.enlarge(torch.tensor([[0.0] * 4, [1.0] * 4]))
    assert (float(halves[0, 0]), float(halves[-1, -1])) == (0.0, 1.0)


def test_any_network_of_queries_is_scored_in_a_few_lines(network, folder, data, tmp_path):
    table = load("score_mask_transformer").main(str(folder), str(data), str(tmp_path / "results"))
    assert "| RbA |" in table
    found = results.read(tmp_path / "results")
    assert found.content.columns == ("rba", "eam", "mask2anomaly", "max_logit", "knn:k=3")
    assert found.content.source == {
        "kind": "mask transformer",
        "model": "Mask2FormerForUniversalSegmentation",
        "classes": CLASSES,
    }
    # Five classes are not the set's thirteen: what they are called is not known.
    assert not (tmp_path / "results" / "predictions").exists()
    plain = score_model(network, data, "rba", tmp_path / "plain")
    again = score_model(network, data, "rba", tmp_path / "plain")
    assert plain.content.measures == again.content.measures
    with pytest.raises(CaosError, match="holds"):
        score_model(MaskTransformer(network, size=(32, 32)), data, "rba", tmp_path / "plain")


def test_predictions_of_the_sets_classes_are_kept(eomt, data, tmp_path):
    score_model(MaskTransformer(eomt, has_outlier_class=True), data, "uno,msp", tmp_path / "out")
    assert len(list((tmp_path / "out" / "predictions").rglob("*.png"))) == 6


@pytest.mark.parametrize(
    ("scorer", "words"),
    [
        ("uno", "scorer 'uno' needs an outlier class; if the network has one, pass has_outlier_class=True"),
        ("react", "scorer 'react' needs classify, which a mask transformer does not give"),
        ("background", "scorer 'background' cannot run: the names of the network.s classes are unknown"),
    ],
)
def test_what_it_does_not_give_is_refused(network, scorer, words):
    with pytest.raises(CaosError, match=words):
        MaskTransformerSource(MaskTransformer(network), columns_of(scorer), PHOTOGRAPHS)


def test_weights_that_are_not_at_hand_are_one_line(folder, tmp_path, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    alternatives = (
        "give the folder that save_pretrained wrote, a file of weights beside its config.json, or the network"
    )
    words = {
        "somebody/streets": "cannot get mask transformer .somebody/streets. from the model hub",
        str(tmp_path / "nowhere"): "nowhere does not exist",
        "./weights.safetensors": "weights.safetensors does not exist",
        str(tmp_path): "holds no config.json, so it is not a mask transformer",
    }
    lone = tmp_path / "lone" / "model.safetensors"
    lone.parent.mkdir()
    shutil.copy(folder / "model.safetensors", lone)
    words[str(lone)] = "has no config.json beside it"
    for given, expected in words.items():
        with pytest.raises(CaosError, match=expected) as caught:
            MaskTransformer(given)
        assert "\n" not in str(caught.value)
        assert alternatives in str(caught.value)
    with pytest.raises(CaosError, match="Linear is not a mask transformer of the library transformers"):
        MaskTransformer(torch.nn.Linear(1, 1))


def test_weights_of_another_network_are_told(folder, tmp_path):
    from safetensors.torch import load_file, save_file

    shutil.copy(folder / "config.json", tmp_path)
    state = load_file(folder / "model.safetensors")
    state["class_predictor.bias"] = torch.zeros(9)
    save_file(state, tmp_path / "model.safetensors")
    with pytest.raises(CaosError, match=r"1 of \d+ tensors are missing or misshapen, first 'class_predictor.bias'"):
        MaskTransformer(tmp_path / "model.safetensors")
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(CaosError, match="config.json does not describe a mask transformer"):
        MaskTransformer(tmp_path / "model.safetensors")
