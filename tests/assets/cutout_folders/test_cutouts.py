"""Cut-outs: the index, and those that come from pictures with masks."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from caos.assets.cutout_folders.index import Cutout, CutoutIndex, cropped, read_index, read_rgba, write_index
from caos.assets.cutout_folders.masked_images import find_masked_images, write_masked_cutouts
from caos.foundation.errors import CaosError
from caos.foundation.storage.png import write_png


def _picture(path, mode="RGB", size=(6, 4), color=(10, 20, 30)):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new(mode, size, color).save(path)
    return path


def _mask(path, inside=255, size=(6, 4)):
    values = np.zeros((size[1], size[0]), np.uint8)
    values[1:3, 2:5] = inside
    values[1, 2] = inside // 2
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(values).save(path)


def test_images_with_masks_become_cut_outs(tmp_path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    _picture(folder / "dog" / "7.png")
    _mask(folder / "dog" / "7_mask.png")
    _picture(folder / "images" / "Red Chair 12.png")
    _mask(folder / "masks" / "Red Chair 12.png", inside=1)
    alpha = np.zeros((4, 6, 4), np.uint8)
    alpha[3, 5] = (1, 2, 3, 77)
    write_png(folder / "lamp_03.png", alpha)
    index = write_masked_cutouts(folder, out)
    assert index == read_index(out)
    found = {cutout.kind: cutout for cutout in index.cutouts}
    assert set(found) == {"dog", "red chair", "lamp"} == set(index.kinds)
    assert (found["dog"].width, found["dog"].height, found["dog"].height_m) == (3, 2, None)
    dog, chair, lamp = (read_rgba(out / found[kind].file) for kind in ("dog", "red chair", "lamp"))
    assert dog[..., 3].tolist() == [[127, 255, 255], [255, 255, 255]]
    assert (dog[..., :3] == (10, 20, 30)).all()
    assert chair[..., 3].tolist() == [[0, 255, 255], [255, 255, 255]]
    assert lamp.tolist() == [[[1, 2, 3, 77]]]
    again = (out / found["dog"].file).stat().st_mtime_ns
    assert write_masked_cutouts(folder, out) == index
    assert (out / found["dog"].file).stat().st_mtime_ns >= again


def test_other_images_are_refused_in_the_same_folder(tmp_path) -> None:
    _picture(tmp_path / "in" / "a.png", "RGBA", color=(1, 1, 1, 255))
    write_masked_cutouts(tmp_path / "in", tmp_path / "out")
    _picture(tmp_path / "in" / "b.png", "RGBA", color=(2, 2, 2, 255))
    with pytest.raises(CaosError, match="holds a set of cut-outs made with other settings"):
        write_masked_cutouts(tmp_path / "in", tmp_path / "out")
    assert len(write_masked_cutouts(tmp_path / "in", tmp_path / "out", overwrite=True).cutouts) == 2


def _empty(folder):
    _picture(folder / "a.png", "RGBA", color=(1, 1, 1, 0))


def _bare(folder):
    _picture(folder / "a.png")


def _other_size(folder):
    _picture(folder / "a.png")
    _mask(folder / "a_mask.png", size=(8, 4))


def _broken(folder):
    folder.mkdir()
    (folder / "a.png").write_bytes(b"nothing")


def _nothing(folder):
    folder.mkdir()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (_empty, "is an empty mask"),
        (_bare, "a.png has no mask: save it with alpha, or put a_mask.png beside it"),
        (_other_size, "a_mask.png is 8x4 but"),
        (_broken, "cannot be read as a picture"),
        (_nothing, "has no images"),
        (lambda folder: None, "is not a folder"),
    ],
)
def test_an_unusable_image_is_named_and_nothing_is_written(tmp_path, make, words) -> None:
    make(tmp_path / "in")
    with pytest.raises(CaosError) as caught:
        write_masked_cutouts(tmp_path / "in", tmp_path / "out")
    assert words in str(caught.value)
    assert not (tmp_path / "out").exists()


def test_masks_are_not_mistaken_for_images(tmp_path) -> None:
    _picture(tmp_path / "cat" / "images" / "1.png")
    _mask(tmp_path / "cat" / "masks" / "1.png")
    [found] = find_masked_images(tmp_path)
    assert (found.kind, found.name, found.mask) == ("cat", "cat/1", tmp_path / "cat" / "masks" / "1.png")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (None, "holds no cut-outs"),
        ({"schema": 7}, "schema 1"),
        ({"cutouts": []}, "lists no cut-outs"),
        ({"cutouts": [{"file": "x.png"}]}, "index.json"),
    ],
)
def test_a_wrong_index_is_named(tmp_path, change, words) -> None:
    write_index(tmp_path, CutoutIndex((Cutout("a.png", "a", "a", "", 1, 1),), "a test"))
    path = tmp_path / "index.json"
    if change is None:
        path.unlink()
    else:
        path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(CaosError) as caught:
        read_index(tmp_path)
    assert words in str(caught.value)


def test_a_listed_image_must_exist(tmp_path) -> None:
    write_index(tmp_path, CutoutIndex((Cutout("a.png", "a", "a", "", 1, 1),), "a test"))
    with pytest.raises(CaosError, match=r"a\.png does not exist"):
        read_index(tmp_path)


def test_rgba_is_written_and_read_in_order(tmp_path) -> None:
    pixels = np.arange(48, dtype=np.uint8).reshape(3, 4, 4)
    write_png(tmp_path / "a.png", pixels)
    assert np.array_equal(read_rgba(tmp_path / "a.png"), pixels)
    padded = np.pad(pixels, ((1, 2), (3, 0), (0, 0)))
    assert np.array_equal(cropped(padded), pixels)
