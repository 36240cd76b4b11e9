"""Cut-outs in training pictures: exact mixing, exact labels, seeds, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from caos.assets.cutout_folders.index import read_index
from caos.assets.cutout_folders.masked_images import write_masked_cutouts
from caos.foundation.errors import CaosError
from caos.segmentation.augmentation.geometry import Window
from caos.segmentation.data.loading import BatchPlan, training_batches
from caos.segmentation.data.pasting import (
    Layer,
    Paster,
    Perspective,
    cast_shadow,
    check_cutouts,
    darken,
    paste_layer,
)
from caos.segmentation.prediction.checkpoint import WEIGHTS_FILE, read_run
from caos.segmentation.training.negatives import NEGATIVE
from caos.segmentation.training.train import train
from tests.segmentation.little import tiny, write_set

PLAIN = {"paste_blur": 0.0, "paste_colours": 0.0, "paste_shadow": 0.0}


@pytest.fixture(scope="module")
def cuts(tmp_path_factory) -> Path:
    """Two cut-outs: a purple disc with a soft edge, and an orange bar."""
    folder = tmp_path_factory.mktemp("pasted")
    y, x = np.mgrid[:24, :24] - 11.5
    disc = np.zeros((24, 24, 4), np.uint8)
    disc[...] = (200, 40, 220, 0)
    disc[..., 3] = (np.clip(11 - np.hypot(x, y), 0, 1) * 255).astype(np.uint8)
    for kind, pixels in (("disc", disc), ("bar", np.full((8, 20, 4), (250, 140, 20, 255), np.uint8))):
        (folder / "pictures" / kind).mkdir(parents=True)
        Image.fromarray(pixels).save(folder / "pictures" / kind / "1.png")
    write_masked_cutouts(folder / "pictures", folder / "cuts")
    return folder / "cuts"


def _layer(rows: list[list[tuple[int, int, int, int]]]) -> Layer:
    pixels = np.array(rows, np.uint8)
    return Layer.of(pixels, (pixels.shape[1], pixels.shape[0]))


def test_a_cut_out_is_mixed_by_its_alpha_and_labelled_where_it_covers_half() -> None:
    picture, labels = np.full((3, 4, 3), 100, np.uint8), np.full((3, 4), 7, np.uint8)
    layer = _layer([[(200, 0, 50, 255), (200, 0, 50, 128)], [(200, 0, 50, 102), (9, 9, 9, 0)]])
    paste_layer(picture, labels, layer, left=1, top=1)
    assert picture[1, 1].tolist() == [200, 0, 50]
    # 128/255 of the cut-out and 127/255 of the picture, by hand: 150.196, 49.804, 74.902.
    assert picture[1, 2].tolist() == [150, 50, 75]
    # 102/255 = 0.4: 140, 60, 80.
    assert picture[2, 1].tolist() == [140, 60, 80]
    assert picture[2, 2].tolist() == [100, 100, 100]
    assert labels.tolist() == [[7, 7, 7, 7], [7, NEGATIVE, NEGATIVE, 7], [7, 7, 7, 7]]
    assert (np.delete(picture.reshape(-1, 3), [5, 6, 9], 0) == 100).all()


@pytest.mark.parametrize(("left", "top", "hit"), [(-1, -1, (0, 0)), (3, 2, (2, 3)), (4, 0, None), (0, -2, None)])
def test_a_cut_out_may_be_cut_by_the_frame(left, top, hit) -> None:
    picture, labels = np.zeros((3, 4, 3), np.uint8), np.zeros((3, 4), np.uint8)
    paste_layer(picture, labels, _layer([[(9, 9, 9, 255)] * 2] * 2), left, top)
    marked = [tuple(place) for place in np.argwhere(labels == NEGATIVE).tolist()]
    assert marked == ([] if hit is None else [hit])
    assert np.array_equal(labels == NEGATIVE, picture[..., 0] == 9)


def test_what_is_transparent_lends_no_colour_when_a_cut_out_shrinks() -> None:
    pixels = np.zeros((4, 4, 4), np.uint8)
    pixels[...] = (255, 255, 255, 0)
    pixels[:, :2] = (10, 20, 30, 255)
    layer = Layer.of(pixels, (2, 2))
    assert np.allclose(layer.alpha, [[1, 0], [1, 0]])
    assert np.allclose(layer.color[:, 0], (10, 20, 30))
    assert np.allclose(layer.color[:, 1], 0)


def test_colours_are_matched_by_a_share_of_the_way() -> None:
    layer = _layer([[(100, 100, 100, 255), (120, 100, 100, 255)], [(80, 100, 100, 255), (5, 5, 5, 0)]])
    around = np.full((2, 2, 3), (200, 50, 100), np.uint8)
    assert layer.matched(around, 0.0) is layer
    found = layer.matched(around, 0.5)
    # The means move half of the way: 100 to 150, 100 to 75. A flat surrounding halves the contrast at most: three
    # quarters of it are left half of the way.
    assert found.color[0, 0].tolist() == pytest.approx([150, 75, 100])
    assert found.color[0, 1].tolist() == pytest.approx([165, 75, 100])
    assert found.color[1, 0].tolist() == pytest.approx([135, 75, 100])
    assert found.color[1, 1].tolist() == [0, 0, 0]


def test_a_blur_keeps_light_and_alpha_and_widens_the_canvas() -> None:
    layer = _layer([[(90, 60, 30, 255)] * 5] * 5)
    soft = layer.blurred(1.0)
    assert soft.alpha.shape == (13, 13)
    assert soft.alpha.sum() == pytest.approx(25, rel=1e-3)
    assert soft.color.sum((0, 1)) == pytest.approx([25 * 90, 25 * 60, 25 * 30], rel=1e-3)
    assert 0 < soft.alpha[4, 4] < soft.alpha[6, 6] <= 1


def test_a_shadow_falls_from_the_foot_and_takes_its_share_of_light() -> None:
    alpha = np.ones((20, 6), np.float32)
    shadow, margin = cast_shadow(alpha, depth=0.5, lean=1.0, strength=0.6)
    assert shadow.shape == (2 * margin + 1, 6 + 2 * margin)
    rows, columns = np.nonzero(shadow > 0.3)
    assert margin <= rows.min() + 1  # towards the camera: below the foot
    assert rows.max() == pytest.approx(margin + 10, abs=2)
    assert columns.max() == pytest.approx(margin + 6 + 20, abs=3)
    picture = np.full((200, 200, 3), 200, np.uint8)
    darken(picture, shadow, 20, 20)
    assert picture.min() == pytest.approx(200 * (1 - shadow.max()), abs=1)
    assert (picture[:20] == 200).all()


def test_a_metre_has_the_pixels_that_the_ground_says(cuts) -> None:
    settings = {"paste_share": 1.0, "paste_count": (1, 1), "paste_scale": (1.0, 1.0), "paste_camera_m": 1.6, **PLAIN}
    paster = Paster(cuts, tiny(negatives="max_entropy", paste=cuts, **settings))
    known = tuple(replace(cutout, height_m=0.8) for cutout in paster.index.cutouts)
    paster.index = replace(paster.index, cutouts=known)
    feet = []
    for seed in range(40):
        empty = np.zeros((240, 320, 3), np.uint8), np.zeros((240, 320), np.uint8)
        _, labels = paster.paste(*empty, Perspective(100, 240), np.random.default_rng(seed))
        rows, _ = np.nonzero(labels == NEGATIVE)
        if rows.size and rows.max() < 238:
            feet.append(rows.max() + 1)
            assert np.ptp(rows) + 1 == pytest.approx(max((feet[-1] - 100) * 0.8 / 1.6, 6), abs=2.5)
    assert len(feet) > 25
    assert np.ptp(feet) > 60
    assert min(feet) >= 100 + 0.05 * 240 - 1  # nothing stands on the sky


def test_a_window_says_where_the_horizon_is_seen() -> None:
    assert Window(10, 40, 100, 50, (200, 100)).row(60) == 40


def _stream(dataset, config, start=0):
    plan = BatchPlan(len(dataset.samples("train")), 2, 2, config.seed)
    return list(training_batches(dataset.samples("train"), dataset.labels, config, plan, start))


def test_what_is_pasted_follows_seed_pass_and_picture_alone(tmp_path, cuts) -> None:
    dataset = write_set(tmp_path, {"train": 4})
    config = tiny(negatives="max_entropy", paste=cuts, paste_share=1.0, augment=("flip",))
    plain, one, other = (
        _stream(dataset, each) for each in (tiny(augment=("flip",)), config, tiny(**{**vars(config), "workers": 0}))
    )
    for before, first, second in zip(plain, one, other, strict=True):
        assert torch.equal(first.pictures, second.pictures)
        assert torch.equal(first.labels, second.labels)
        pasted = first.labels == NEGATIVE
        assert pasted.flatten(1).any(1).all()
        # The same window and flip as without; only shadows and soft edges change pictures outside.
        assert torch.equal(first.labels[~pasted], before.labels[~pasted])
    assert all(torch.equal(a.pictures, b.pictures) for a, b in zip(one[3:], _stream(dataset, config, 3), strict=True))
    assert not torch.equal(one[0].labels == NEGATIVE, one[2].labels == NEGATIVE)
    seldom = _stream(dataset, tiny(**{**vars(config), "paste_share": 0.0}))
    assert all(torch.equal(a.pictures, b.pictures) for a, b in zip(plain, seldom, strict=True))


def test_a_run_says_what_was_pasted_and_a_stopped_one_ends_the_same(little_set, cuts, tmp_path, monkeypatch) -> None:
    config = tiny(epochs=1, negatives="max_entropy", paste=cuts, checkpoint_steps=1)
    train(little_set, tmp_path / "whole", config)
    used = read_run(tmp_path / "whole").record.negatives
    assert (used.loss, used.source, used.cutouts, used.images) == ("max_entropy", "pasted", 2, 0)
    assert used.kinds == ("bar", "disc")
    from caos.segmentation.training.train import Trainer

    step, taken = Trainer._step, []

    def stop(self, *parts):
        if len(taken) == 2:
            raise KeyboardInterrupt
        taken.append(step(self, *parts))

    monkeypatch.setattr(Trainer, "_step", stop)
    with pytest.raises(KeyboardInterrupt):
        train(little_set, tmp_path / "stopped", config)
    monkeypatch.setattr(Trainer, "_step", step)
    train(little_set, tmp_path / "stopped", config)
    assert (tmp_path / "stopped" / WEIGHTS_FILE).read_bytes() == (tmp_path / "whole" / WEIGHTS_FILE).read_bytes()
    assert read_run(tmp_path / "stopped").record.negatives == used


def test_other_cut_outs_make_another_run(little_set, cuts, tmp_path) -> None:
    folder = tmp_path / "cuts"
    (folder / "pictures").mkdir(parents=True)
    for path in [cuts / "index.json", *(cuts / "pictures").iterdir()]:
        (folder / path.relative_to(cuts)).write_bytes(path.read_bytes())
    config = tiny(epochs=1, negatives="max_entropy", paste=cuts)
    train(little_set, tmp_path / "run", config)
    moved = tiny(epochs=1, negatives="max_entropy", paste=folder)
    assert train(little_set, tmp_path / "run", moved)["epochs"] == 1  # the same pictures elsewhere
    Image.new("RGBA", (4, 4), (1, 2, 3, 255)).save(folder / "pictures" / "00000.png")
    with pytest.raises(CaosError, match=r"made from other inputs \(cutouts was"):
        train(little_set, tmp_path / "run", moved)


def test_a_tested_kind_is_not_learnt(cuts, tmp_path) -> None:
    dataset = write_set(tmp_path / "set", {"train": 2, "val": 1, "test": 1})
    row = {"schema": 1, "key": "test/t5/1", "split": "test", "hazards": [{"kind": "disc"}]}
    (dataset.root / "manifest.jsonl").write_text(json.dumps(row) + "\n")
    with pytest.raises(CaosError, match=r"shows 1 kinds that the test part of .* also shows, such as 'disc'"):
        train(dataset, tmp_path / "run", tiny(negatives="max_entropy", paste=cuts))
    assert not (tmp_path / "run").exists()
    row["hazards"] = [{"kind": "sofa"}]
    (dataset.root / "manifest.jsonl").write_text(json.dumps(row) + "\n")
    assert check_cutouts(cuts, dataset) == read_index(cuts)


def test_a_damaged_cut_out_is_named_before_anything_is_written(little_set, cuts, tmp_path) -> None:
    folder = tmp_path / "cuts"
    (folder / "pictures").mkdir(parents=True)
    for path in [cuts / "index.json", *(cuts / "pictures").iterdir()]:
        (folder / path.relative_to(cuts)).write_bytes(path.read_bytes())
    (folder / "pictures" / "00001.png").write_bytes(b"no picture")
    with pytest.raises(CaosError, match=r"00001\.png cannot be read as a picture"):
        train(little_set, tmp_path / "run", tiny(negatives="max_entropy", paste=folder))
    with pytest.raises(CaosError, match="holds no cut-outs"):
        train(little_set, tmp_path / "run", tiny(negatives="max_entropy", paste=tmp_path / "nowhere"))
    assert not (tmp_path / "run").exists()
