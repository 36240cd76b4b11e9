from __future__ import annotations

import pytest

from foundation.errors import CaosError
from segmentation.config import TrainConfig, config_from_dict, make_config, parse_size


def test_the_defaults_are_the_papers() -> None:
    config = TrainConfig()
    assert (config.model, config.encoder, config.epochs) == ("pspnet", "resnet101", 20)
    assert (config.optimizer, config.momentum, config.lr, config.weight_decay) == ("sgd", 0.9, 0.02, 1e-4)
    assert (config.schedule, config.auxiliary_weight, config.output_stride) == ("poly", 0.4, 8)


def test_flags_win_over_the_file_which_wins_over_the_preset(tmp_path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("epochs = 7\nlr = 1\nscale = [0.8, 1]\n")
    config = make_config({"epochs": 9, "lr": None}, file, "quick")
    assert (config.epochs, config.lr, config.scale, config.optimizer) == (9, 1.0, (0.8, 1.0), "adamw")


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
        ({"optimizer": "adam"}, "unknown optimizer 'adam'; did you mean 'adamw'?"),
        ({"epochs": 0}, "epochs is 0; it must be 1 or more"),
        ({"lr": -1.0}, "lr is -1.0"),
        ({"crop": (8, 8)}, "crop is (8, 8)"),
        ({"dropout": 1.0}, "dropout is 1.0"),
        ({"augment": ("deepaugment",)}, "needs a trained autoencoder"),
        ({"consistency": 12.0}, "add augmix"),
        ({"output_stride": 4}, "output_stride is 4; it must be one of 8, 16"),
        ({"evaluate": ("tets",)}, "did you mean 'test'?"),
    ],
)
def test_wrong_values_are_named(flags, words) -> None:
    with pytest.raises(CaosError) as caught:
        make_config(flags)
    assert words in str(caught.value)


def test_a_wrong_key_in_the_file_is_named(tmp_path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("epoch = 7\n")
    with pytest.raises(CaosError, match=r"unknown key 'epoch'; did you mean 'epochs'\?"):
        make_config({}, file)
    with pytest.raises(CaosError, match=r"unknown preset 'quik'; did you mean 'quick'\?"):
        make_config({}, preset="quik")


def test_a_configuration_survives_json(tmp_path) -> None:
    config = make_config({"init": tmp_path, "size": (320, 180)}, preset="quick")
    stored = {k: list(v) if isinstance(v, tuple) else v for k, v in config.as_dict().items()}
    assert config_from_dict(stored, "here") == config
    with pytest.raises(CaosError, match="does not know"):
        config_from_dict({"colour": 1}, "here")


def test_sizes_are_width_times_height() -> None:
    assert parse_size("512x288", "crop") == (512, 288)
    with pytest.raises(CaosError, match="crop is '512,288'; it must be WIDTHxHEIGHT"):
        parse_size("512,288", "crop")
