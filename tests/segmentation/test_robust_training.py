from __future__ import annotations

import numpy as np
import pytest
import torch
from typer.testing import CliRunner

from caos.foundation.errors import CaosError
from caos.scenes.labels import VOID
from caos.segmentation.augmentation import appearance as looks
from caos.segmentation.augmentation import deep_augment, mixing
from caos.segmentation.augmentation.deep_augment import DeepAugment, distort_weights, last_refresh
from caos.segmentation.augmentation.painters import make_painter
from caos.segmentation.cli import app
from caos.segmentation.training.config import AUGMENTATIONS, make_config
from caos.segmentation.training.train import train
from tests.segmentation.little import draw_scene, tiny


@pytest.fixture(scope="module")
def painters(little_set, tmp_path_factory):
    """Runs of an encoder-decoder and of a super-resolution network."""
    out = tmp_path_factory.mktemp("painters")
    for model in ("compression", "super-resolution"):
        settings = {
            "model": model,
            "epochs": 12,
            "batch_size": 4,
            "crop": (64, 64),
            "device": "cpu",
            "head_channels": 8,
        }
        train(little_set, out / model, make_config(settings))
    return {"autoencoder": out / "compression", "super_resolution": out / "super-resolution"}


def _pictures(count=12):
    return torch.from_numpy(np.stack([draw_scene(np.random.default_rng(s), 64, 48)[0] for s in range(count)]))


def test_painters_keep_the_size_and_are_chains_that_end_in_paint() -> None:
    for model in ("compression", "super-resolution", "autoencoder"):
        painter = make_painter(model, 8).eval()
        assert painter.blocks[-1] is painter.paint
        signal = torch.rand(1, 3, 32, 48)
        passed = painter.entered(signal)
        for block in painter.blocks:
            passed = block(passed)
        assert torch.equal(torch.sigmoid(passed), painter(signal))
        assert painter(signal).shape == signal.shape


def test_weights_are_distorted_anew_before_one_picture_in_twenty() -> None:
    refreshed = {last_refresh(5, number) for number in range(4000)}
    assert 150 < len(refreshed) < 250
    assert 0 in refreshed
    assert last_refresh(5, 3999) == max(refreshed)


def test_distorted_weights_differ_in_a_few_layers_and_never_in_the_last() -> None:
    clean = make_painter("compression", 8)
    changed = distort_weights(clean, torch.Generator().manual_seed(4))
    differing = [
        name
        for (name, before), after in zip(clean.named_parameters(), changed.parameters(), strict=True)
        if not torch.equal(before, after)
    ]
    assert 1 <= len(differing) <= len(deep_augment.WEIGHT_DISTORTIONS)
    assert not any("paint" in name for name in differing)


def test_deep_augment_sees_clean_and_both_painters_and_can_begin_anywhere(painters, little_set) -> None:
    from caos.segmentation.augmentation.painters import load_painter

    device = torch.device("cpu")
    loaded = [
        load_painter(painters["autoencoder"], ("compression",), device),
        load_painter(painters["super_resolution"], ("super-resolution",), device),
    ]
    pictures = _pictures()
    first = DeepAugment(loaded, seed=3)
    one = [first(pictures, step) for step in (0, 1, 2)][2]
    again = DeepAugment(loaded, seed=3)(pictures, 2)
    assert torch.equal(one, again)
    assert one.dtype == torch.uint8
    kept = sum(torch.equal(a, b) for a, b in zip(one, pictures, strict=True))
    assert 1 <= kept <= 9
    assert not torch.equal(one, DeepAugment(loaded, seed=4)(pictures, 2))


def test_deep_augment_trains_and_names_a_run_of_another_model(painters, little_set, tiny_autoencoder, tmp_path) -> None:
    config = tiny(augment=("flip", "crop", "deepaugment"), epochs=1, **painters)
    assert train(little_set, tmp_path / "run", config)["best_epoch"] == 1
    wrong = tiny(
        augment=("crop", "deepaugment"), autoencoder=painters["autoencoder"], super_resolution=tiny_autoencoder
    )
    told = "is a run of model 'autoencoder'; deepaugment needs a run of --model super-resolution"
    with pytest.raises(CaosError, match=told):
        train(little_set, tmp_path / "other", wrong)
    assert not (tmp_path / "other" / "run.json").exists()


def test_every_mixing_and_look_trains(little_set, tmp_path) -> None:
    names = ("crop", "cutout", "mixup", "cutmix", "clahe", "style", "adversarial")
    results = train(little_set, tmp_path / "run", tiny(augment=names, epochs=1, batch_size=4))
    assert np.isfinite(results["miou_present"])


def test_consistency_is_on_with_augmix_unless_it_is_set() -> None:
    assert tiny(augment=("augmix",)).consistency_weight == 12
    assert tiny(augment=("augmix",), consistency=0.0).consistency_weight == 0
    assert tiny(augment=("flip",)).consistency_weight == 0
    assert make_config({"model": "mask2former", "augment": ("augmix",)}).consistency_weight == 0


def test_cutout_is_grey_in_the_picture_and_void_in_the_labels() -> None:
    picture, labels = draw_scene(np.random.default_rng(1), 64, 48)
    hidden = [looks.cut_out(picture, labels, np.random.default_rng(seed)) for seed in range(20)]
    cut = [(view, ids) for view, ids in hidden if ids is not labels]
    assert 4 <= len(cut) <= 16
    for view, ids in cut:
        void = (ids == VOID) & (labels != VOID)
        assert (view[void] == looks.GREY).all()
        assert np.array_equal(view[ids != VOID], picture[ids != VOID])


def test_cutmix_moves_pictures_and_labels_together() -> None:
    torch.manual_seed(1)
    labels = torch.arange(4, dtype=torch.uint8).reshape(4, 1, 1).expand(4, 32, 48).contiguous()
    pictures = (labels * 10)[..., None].expand(4, 32, 48, 3).contiguous().repeat(2, 1, 1, 1)
    mixed = [mixing.cut_mix(pictures, labels) for _ in range(12)]
    for views, ids in mixed:
        assert torch.equal(views[:4, ..., 0], ids * 10)
        assert torch.equal(views[4:, ..., 0], ids * 10)
    assert 2 <= sum(not torch.equal(ids, labels) for _, ids in mixed) <= 10


def test_a_blend_is_the_weighted_sum_with_another_picture() -> None:
    signal = torch.rand(3, 3, 4, 4)
    blend = mixing.Blend(0.75, torch.tensor([1, 2, 0]))
    assert torch.allclose(blend.of(signal)[0], 0.75 * signal[0] + 0.25 * signal[1])
    assert torch.allclose(blend.of(signal.repeat(2, 1, 1, 1))[3:], blend.of(signal))
    torch.manual_seed(0)
    drawn = mixing.draw_blend(5)
    assert 0 <= drawn.share <= 1
    assert (drawn.order != torch.arange(5)).all()


def test_the_attack_raises_the_loss_and_stays_within_its_radius() -> None:
    torch.manual_seed(0)
    wanted, signal, radius = torch.rand(2, 3, 8, 8), torch.rand(2, 3, 8, 8), torch.full((1, 3, 1, 1), 0.01)

    def loss(pictures):
        return ((pictures - wanted) ** 2).sum()

    moved = mixing.attacked(loss, signal, radius)
    assert loss(moved) > loss(signal)
    assert (moved - signal).abs().max() <= 0.01 + 1e-6


def test_style_takes_the_grain_of_a_material_and_leaves_outlines() -> None:
    picture, _ = draw_scene(np.random.default_rng(1), 96, 64)
    views = [looks.stylise(picture, np.random.default_rng(seed)) for seed in range(12)]
    changed = [view for view in views if view is not picture]
    assert 3 <= len(changed) <= 9
    assert np.mean([np.corrcoef(view.mean(2).ravel(), picture.mean(2).ravel())[0, 1] for view in changed]) > 0.5
    assert len(looks.materials()) >= 20


def test_clahe_stretches_what_is_flat() -> None:
    rng = np.random.default_rng(2)
    flat = rng.integers(110, 130, (64, 64, 1), np.uint8).repeat(3, 2)
    changed = [looks.equalise(flat, np.random.default_rng(seed)) for seed in range(8)]
    spreads = [view.std() for view in changed if view is not flat]
    assert spreads
    assert min(spreads) > flat.std()


def test_augmentations_are_listed() -> None:
    said = CliRunner().invoke(app, ["--list-augmentations"]).stdout
    entries = [line for line in said.splitlines() if not line.startswith("   ")]  # what is indented goes on
    assert [line.split()[0] for line in entries] == list(AUGMENTATIONS)
