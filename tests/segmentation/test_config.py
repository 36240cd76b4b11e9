from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from caos.foundation.errors import CaosError
from caos.segmentation.training.config import (
    GIVEN_BY_THE_TEXT,
    PRESETS_HELP,
    TrainConfig,
    config_from_dict,
    make_config,
)


def test_the_defaults_are_the_papers() -> None:
    config = TrainConfig()
    assert (config.model, config.encoder, config.epochs) == ("pspnet", "resnet101", 20)
    assert (config.optimizer, config.momentum, config.lr, config.weight_decay) == ("sgd", 0.9, 0.02, 1e-4)
    assert (config.schedule, config.auxiliary_weight, config.output_stride) == ("poly", 0.4, 8)


def test_flags_win_over_the_file_which_wins_over_the_preset(tmp_path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("epochs = 7\nlr = 1\nscale = [0.8, 1]\n")
    config = make_config({"epochs": 9, "lr": None, "batch_size": None}, file, "quick")
    assert (config.epochs, config.lr, config.scale, config.optimizer) == (9, 1.0, (0.8, 1.0), "adamw")
    assert config.batch_size == 4


def test_bundled_weights_choose_their_encoder_and_the_autoencoder_its_settings() -> None:
    assert make_config({"encoder_weights": "bundled"}).encoder == "tu-tf_efficientnet_lite0"
    config = make_config({"model": "autoencoder"})
    assert (config.epochs, config.encoder_weights) == (10, "none")


def test_a_quick_run_from_another_learns_the_head_only(tmp_path) -> None:
    assert make_config({}, preset="quick").freeze == "norm"
    assert make_config({"init": tmp_path}, preset="quick").freeze == "encoder"
    assert make_config({"init": tmp_path}).freeze == "none"


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({"augment": ("flp",)}, "unknown augmentation 'flp'; did you mean 'flip'?"),
        ({"optimizer": "adam"}, "optimizer: 'adam' is not one of sgd, adamw; did you mean 'adamw'?"),
        ({"epochs": 0}, "epochs: 0 is not a number from 1 to 1e+07"),
        ({"epochs": 2.5}, "epochs: 2.5 is not of type int"),
        ({"lr": -1.0}, "lr: -1.0 is not a number from"),
        ({"weight_decay": math.nan}, "weight_decay: nan is not a finite number"),
        ({"seed": 2**70}, "seed: 1180591620717411303424 is not a number from 0"),
        ({"crop": (8, 8)}, "crop: 8 is not a number from 16 to 8192"),
        ({"crop": (154_768, 64)}, "crop: 154768 is not a number from 16 to 8192"),
        ({"size": (64, 64, 3)}, "size: (64, 64, 3) has 3 members, not 2"),
        ({"dropout": 1.0}, "dropout: 1.0 is not a number from 0 to 0.99"),
        ({"scale": (2.0, 0.5)}, "scale is (2.0, 0.5); the smaller number comes first"),
        ({"augment": ("deepaugment",)}, "needs two trained networks"),
        ({"augment": ("mixup",), "batch_size": 1}, "'mixup' mixes the pictures of a batch; batch_size is 1"),
        ({"augment": ("mixup",), "model": "autoencoder"}, "'mixup' is for networks with a classifier"),
        ({"consistency": 12.0}, "add augmix"),
        ({"output_stride": 4}, "output_stride: 4 is not one of 8, 16"),
        ({"negatives": "max_entropie"}, "did you mean 'max_entropy'?"),
        ({"negative_weight": 0.5}, "name one with --negatives"),
        ({"negatives": "max_entropy", "negative_weight": -1.0}, "negative_weight: -1.0 is not a number from 0"),
        ({"model": "autoencoder", "negatives": "max_entropy"}, "negatives are for segmenters"),
        ({"paste": Path("cuts")}, "no loss learns from them; name one with --negatives"),
        ({"negatives": "max_entropy", "paste_count": (3, 1)}, "paste_count is (3, 1); the smaller number comes first"),
        ({"negatives": "max_entropy", "paste_share": 1.5}, "paste_share: 1.5 is not a number from 0 to 1"),
        ({"model": "obsnet"}, "name its run with --watches"),
        ({"watches": Path("run")}, "this is model 'pspnet'; add --model obsnet"),
        ({"model": "obsnet", "watches": Path("run"), "negatives": "max_entropy"}, "takes no negatives, branch or init"),
        ({"sides": (300, 600)}, "leave crop and scale out of --augment"),
        ({"sides": (8,), "augment": ()}, "sides: 8 is not a number from 16 to 8192"),
        ({"keep": "first"}, "keep: 'first' is not one of best, last"),
        ({"camera_share": 1.5}, "camera_share: 1.5 is not a number from 0 to 1"),
        ({"evaluate": ("tets",)}, "did you mean 'test'?"),
    ],
)
def test_wrong_values_are_named(flags, words) -> None:
    with pytest.raises(CaosError) as caught:
        make_config(flags)
    assert words in str(caught.value)


def test_the_original_preset_is_what_the_released_code_did() -> None:
    config = make_config({}, preset="original")
    assert config.sides == (300, 375, 450, 525, 600)
    assert (config.longest_side, config.loss_stride, config.batch_size) == (1000, 8, 2)
    assert (config.epoch_steps, config.epochs, config.keep) == (5000, 20, "last")
    assert (config.encoder, config.lr, config.weight_decay, config.augment) == ("resnet101", 0.02, 1e-4, ("flip",))
    assert make_config({"sides": (64,)}, preset="original").sides == (64,)


def test_a_wrong_key_in_the_file_is_named(tmp_path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("epoch = 7\n")
    with pytest.raises(CaosError, match=r"unknown key 'epoch'; did you mean 'epochs'\?"):
        make_config({}, file)
    with pytest.raises(CaosError, match=r"unknown preset 'quik'; did you mean 'quick'\?"):
        make_config({}, preset="quik")


def test_a_configuration_survives_json(tmp_path) -> None:
    config = make_config({"init": tmp_path, "size": (320, 180)}, preset="quick")
    assert config_from_dict(json.loads(json.dumps(config.as_dict())), "here") == config
    with pytest.raises(CaosError, match="here: unknown key 'colour'"):
        config_from_dict({"colour": 1}, "here")


def test_paper_has_what_the_text_gives_and_its_help_tells_the_rest_apart() -> None:
    text = {
        "model": "pspnet",
        "encoder": "resnet101",
        "epochs": 20,
        "optimizer": "sgd",
        "momentum": 0.9,
        "lr": 0.02,
        "weight_decay": 1e-4,
    }
    config = make_config({}, preset="paper")
    assert {name: getattr(config, name) for name in GIVEN_BY_THE_TEXT} == text
    assert all(name in PRESETS_HELP for name in text)
