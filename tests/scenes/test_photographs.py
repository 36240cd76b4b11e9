"""Photographs of other benchmarks become sets: each release as it is unpacked, any folder, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import caos
from caos.foundation.errors import CaosError
from caos.scenes.converting.photo_pairs import find_in_folders, find_photos, parse_values
from caos.scenes.converting.photographs import convert_photographs, convert_release
from caos.scenes.dataset.layout import open_dataset, read_class_ids, read_image
from caos.scenes.labels import VOID

SIZE = (24, 16)


def photo(path: Path, level: int = 90, size: tuple[int, int] = SIZE) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, (level, 20, 30)).save(path, **({"quality": 95} if path.suffix != ".png" else {}))


def mask(path: Path, values: dict[int, int], mode: str = "L", size: tuple[int, int] = SIZE) -> None:
    """A mask whose first columns hold one value after the other, so many columns each; the rest is the first value."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pixels = np.full((size[1], size[0]), next(iter(values)), np.uint8)
    left = 0
    for value, columns in values.items():
        pixels[:, left : left + columns] = value
        left += columns
    Image.fromarray(pixels).convert(mode).save(path)


def roadanomaly(root: Path) -> None:
    photo(root / "frames" / "cow.jpg", 10)
    mask(root / "frames" / "cow.labels" / "labels_semantic.png", {0: 10, 1: 4, 2: 5, 255: 2})
    mask(root / "frames" / "cow.labels" / "labels_semantic_color.png", {7: 10})
    photo(root / "frames" / "rock.webp", 20)
    mask(root / "frames" / "rock.labels" / "labels_semantic.png", {0: 10, 2: 1})


def smiyc(root: Path) -> None:
    photo(root / "images" / "validation0000.jpg", 10)
    mask(root / "labels_masks" / "validation0000_labels_semantic.png", {0: 14, 1: 5, 255: 2})
    mask(root / "labels_masks" / "validation0000_labels_semantic_color.png", {9: 3})
    photo(root / "images" / "validation_1.webp", 20)
    mask(root / "labels_masks" / "validation_1_labels_semantic.png", {0: 10, 1: 1})
    photo(root / "images" / "test0001.jpg", 99)


def fishyscapes(root: Path) -> None:
    photo(root / "leftImg8bit" / "train" / "04_Weg_8" / "04_Weg_8_000000_000030_leftImg8bit.png", 10)
    mask(root / "fishyscapes" / "0000_04_Weg_8_000000_000030_labels.png", {0: 14, 1: 5, 255: 2})
    photo(root / "leftImg8bit" / "test" / "02_Hof" / "02_Hof_000001_000010_leftImg8bit.png", 20)
    mask(root / "fishyscapes" / "0001_02_Hof_000001_000010_labels.png", {0: 10, 1: 1})


def processed(root: Path) -> None:
    photo(root / "original" / "a.png", 10)
    mask(root / "labels" / "a.png", {0: 14, 1: 5, 255: 2})
    photo(root / "original" / "b.png", 20)
    mask(root / "labels" / "b.png", {0: 10, 1: 1})


def restored(root: Path) -> None:
    """RoadAnomaly in the folders of SegmentMeIfYouCan, with the values of its release or of theirs."""
    photo(root / "images" / "cow.jpg", 10)
    mask(root / "labels_masks" / "cow.png", {0: 14, 2: 5, 255: 2})
    photo(root / "images" / "rock.jpg", 20)
    mask(root / "labels_masks" / "rock.png", {0: 10, 1: 1})


def lostandfound(root: Path, labels: str, values: dict[int, int]) -> None:
    for name, town, level, own in (
        ("01_Str_5_000000_000010", "01_Str_5", 10, values),
        ("02_Hof_1_000000_000020", "02_Hof_1", 20, {1: 10, 2: 1}),
    ):
        photo(root / "leftImg8bit" / "train" / town / f"{name}_leftImg8bit.png", level)
        mask(root / "gtCoarse" / "train" / town / f"{name}_gtCoarse_{labels}.png", own)
        mask(root / "gtCoarse" / "train" / town / f"{name}_gtCoarse_color.png", {3: 1})


@pytest.mark.parametrize(
    ("kind", "make"),
    [
        ("roadanomaly", roadanomaly),
        ("roadanomaly", restored),
        ("smiyc", smiyc),
        ("fishyscapes", fishyscapes),
        ("fishyscapes", processed),
        ("fishyscapes", smiyc),
        ("lostandfound", lambda root: lostandfound(root, "labelTrainIds", {1: 14, 2: 5, 255: 2})),
        ("lostandfound", lambda root: lostandfound(root, "labelIds", {1: 14, 17: 5, 0: 2})),
    ],
    ids=["roadanomaly", "restored", "smiyc", "fishyscapes", "processed", "as-smiyc", "laf-train-ids", "laf-ids"],
)
def test_a_release_is_read_as_it_is_unpacked(tmp_path: Path, kind: str, make) -> None:
    make(tmp_path / "release")
    result = convert_photographs(find_photos(kind, tmp_path / "release"), tmp_path / "set", workers=1)
    assert (result.images, result.with_anomaly, result.alone) == (2, 2, 0)
    dataset = open_dataset(tmp_path / "set")
    by_level = {round(int(read_image(s.image)[0, 0, 0]) / 10) * 10: s for s in dataset.samples("test")}
    assert set(by_level) == {10, 20}
    ids = read_class_ids(by_level[10], dataset.labels)
    assert [int(np.count_nonzero(ids == value)) // SIZE[1] for value in (1, VOID)] == [5, 2]
    assert int(np.count_nonzero(read_class_ids(by_level[20], dataset.labels) == 1)) == SIZE[1]


def test_any_folder_with_its_own_values(tmp_path: Path) -> None:
    photo(tmp_path / "in" / "x.jpg")
    mask(tmp_path / "gt" / "x_mask.png", {10: 5, 20: 4, 30: 3, 40: 1})
    values = parse_values("ordinary=10,anomaly=20+30,void=40")
    convert_photographs(find_in_folders(tmp_path / "in", tmp_path / "gt", values), tmp_path / "set", workers=1)
    dataset = open_dataset(tmp_path / "set")
    ids = read_class_ids(dataset.samples("test")[0], dataset.labels)
    assert [int(np.count_nonzero(ids == value)) // SIZE[1] for value in (1, VOID)] == [7, 1]


def test_names_that_repeat_in_two_folders_stay_two_images(tmp_path: Path) -> None:
    for folder, level in (("day", 10), ("night", 200)):
        photo(tmp_path / folder / "images" / "1.png", level)
        mask(tmp_path / folder / "labels_masks" / "1.png", {0: 3, 1: 2})
    convert_photographs(find_photos("smiyc", tmp_path), tmp_path / "set", workers=1)
    samples = open_dataset(tmp_path / "set").samples("test")
    assert {s.image.stem: int(read_image(s.image)[0, 0, 0]) for s in samples} == {
        "day-labels_masks-1": 10,
        "night-labels_masks-1": 200,
    }


@pytest.mark.parametrize("name", ["a\nb", "a\tb", "\udcff", "\u202eb"])
def test_a_name_that_no_list_can_hold_is_refused(tmp_path: Path, name: str) -> None:
    photo(tmp_path / "in" / f"{name}.png")
    mask(tmp_path / "gt" / f"{name}.png", {0: 3, 1: 2})
    with pytest.raises(CaosError, match="is no path of a file"):
        convert_photographs(
            find_in_folders(tmp_path / "in", tmp_path / "gt", {0: "ordinary", 1: "anomaly"}),
            tmp_path / "set",
            workers=1,
        )
    assert not (tmp_path / "set/dataset.json").exists()


def test_changed_masks_are_not_mixed_with_the_old_set(tmp_path: Path) -> None:
    smiyc(tmp_path / "release")
    convert_photographs(find_photos("smiyc", tmp_path / "release"), tmp_path / "set", workers=1)
    mask(tmp_path / "release" / "labels_masks" / "validation_1_labels_semantic.png", {0: 10, 1: 9})
    with pytest.raises(CaosError, match="content was"):
        convert_photographs(find_photos("smiyc", tmp_path / "release"), tmp_path / "set", workers=1)
    convert_photographs(find_photos("smiyc", tmp_path / "release"), tmp_path / "set", workers=1, overwrite=True)
    dataset = open_dataset(tmp_path / "set")
    counts = {int(np.count_nonzero(read_class_ids(s, dataset.labels) == 1)) for s in dataset.samples("test")}
    assert counts == {5 * SIZE[1], 9 * SIZE[1]}


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (lambda r: mask(r / "labels_masks" / "validation_1_labels_semantic.png", {0: 1, 7: 2}), "mask value 7 has no"),
        (lambda r: photo(r / "images" / "validation_1.webp", size=(8, 8)), "is 8x8 but its mask"),
        (lambda r: (r / "images" / "validation_1.webp").write_bytes(b"no picture"), "cannot be read as a picture"),
        (lambda r: (r / "labels_masks" / "validation_1_labels_semantic.png").write_bytes(b"no"), "cannot be read"),
    ],
    ids=["value", "size", "photo", "mask"],
)
def test_bad_files_are_named(tmp_path: Path, break_it, words: str) -> None:
    smiyc(tmp_path)
    break_it(tmp_path)
    with pytest.raises(CaosError, match=words) as caught:
        convert_photographs(find_photos("smiyc", tmp_path), tmp_path / "set", workers=1)
    assert "validation_1" in str(caught.value)
    assert not (tmp_path / "set" / "dataset.json").exists()


@pytest.mark.parametrize("text", ["anomaly", "anomaly=x", "anomaly=300", "ordinary=0", "strange=1", "anomaly=²"])
def test_wrong_values_are_one_clear_line(text: str) -> None:
    with pytest.raises(CaosError, match="--values"):
        parse_values(text)


def test_a_release_is_converted_in_one_call(tmp_path: Path) -> None:
    smiyc(tmp_path / "release")
    result = caos.convert_release(tmp_path / "release", "smiyc", tmp_path / "set", workers=1)
    assert (result.title, result.images, result.unmasked) == ("SegmentMeIfYouCan", 2, 1)
    photo(tmp_path / "mine" / "images" / "a.jpg")
    mask(tmp_path / "mine" / "masks" / "a.png", {0: 3, 1: 4})
    assert caos.convert_release(tmp_path / "mine", "folder", tmp_path / "own", workers=1).with_anomaly == 1
    with pytest.raises(CaosError, match="unknown release 'smyic'; did you mean 'smiyc'"):
        caos.convert_release(tmp_path / "release", "smyic", tmp_path / "other")


def test_a_folder_without_the_release_says_what_was_looked_for(tmp_path: Path) -> None:
    with pytest.raises(CaosError, match=r"holds no SegmentMeIfYouCan.*labels_masks"):
        find_photos("smiyc", tmp_path)


def test_what_else_lies_in_a_release_does_no_harm(tmp_path: Path) -> None:
    root = tmp_path / "release"
    smiyc(root)
    for name in ("images/._validation0000.jpg", "labels_masks/._validation0000_labels_semantic.png", "images/.DS_Store",
                 "__MACOSX/images/x.jpg", "__MACOSX/labels_masks/x_labels_semantic.png", "images/Thumbs.db",
                 "test_images.zip", "README.md"):  # fmt: skip
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"no picture")
    (root / "images" / "validation0000.jpg").rename(root / "images" / "validation0000.JPG")
    small = root / "labels_masks" / "validation_1_labels_semantic.png"
    small.rename(small.with_suffix(".PNG"))
    found = find_photos("smiyc", root)
    assert [pair.photo.name for pair in found.pairs] == ["validation0000.JPG", "validation_1.webp"]
    result = convert_photographs(found, tmp_path / "set", workers=1)
    assert (result.images, result.alone, result.unmasked) == (2, 0, 1)
    said = (tmp_path / "set" / "left_out.txt").read_text()
    assert said == f"{root / 'images' / 'test0001.jpg'}: no mask of its name\n"


@pytest.mark.parametrize("mode", ["L", "P", "RGB", "RGBA", "LA", "I;16"])
def test_masks_come_in_many_modes(tmp_path: Path, mode: str) -> None:
    photo(tmp_path / "images" / "x.jpg")
    mask(tmp_path / "masks" / "x.png", {0: 3, 1: 4, 255: 5}, "L" if mode in {"P", "I;16"} else mode)
    path = tmp_path / "masks" / "x.png"
    values = np.asarray(Image.open(path))
    if mode == "P":
        indexed = Image.fromarray(values).convert("P")
        indexed.putdata(values.ravel().tolist())
        indexed.putpalette([7, 8, 9] * 256)
        indexed.save(path)
    elif mode == "I;16":
        Image.fromarray(values.astype(np.uint16)).save(path)
    assert Image.open(path).mode == mode
    values = parse_values("ordinary=0,anomaly=1,void=255")
    convert_photographs(find_in_folders(tmp_path / "images", tmp_path / "masks", values), tmp_path / "set", workers=1)
    dataset = open_dataset(tmp_path / "set")
    ids = read_class_ids(dataset.samples("test")[0], dataset.labels)
    assert [int(np.count_nonzero(ids == value)) // SIZE[1] for value in (1, VOID)] == [4, 5]


def test_photographs_and_masks_may_share_a_folder(tmp_path: Path) -> None:
    photo(tmp_path / "x.png")
    mask(tmp_path / "x_mask.png", {0: 3, 1: 4})
    found = find_in_folders(tmp_path, tmp_path, parse_values("ordinary=0,anomaly=1"))
    assert [(p.photo.name, p.mask.name) for p in found.pairs] == [("x.png", "x_mask.png")]
    assert (found.alone, found.unmasked) == ((), ())


def test_masks_without_photographs_and_archives_are_told(tmp_path: Path) -> None:
    fishyscapes(tmp_path / "both")
    with pytest.raises(CaosError, match=r"2 masks such as .*0000_04_Weg_8.* --images says where they are"):
        find_photos("fishyscapes", tmp_path / "both" / "fishyscapes")
    found = find_photos("fishyscapes", tmp_path / "both" / "fishyscapes", tmp_path / "both" / "leftImg8bit")
    assert len(found.pairs) == 2
    with pytest.raises(CaosError, match="nowhere is not a folder"):
        find_photos("fishyscapes", tmp_path / "both", tmp_path / "nowhere")
    (tmp_path / "packed").mkdir()
    (tmp_path / "packed" / "dataset_AnomalyTrack.zip").touch()
    with pytest.raises(CaosError, match=r"unpack .*dataset_AnomalyTrack.zip first"):
        find_photos("smiyc", tmp_path / "packed")


def test_a_mask_of_one_bit_marks_anomalies(tmp_path: Path) -> None:
    photo(tmp_path / "images" / "x.jpg")
    mask(tmp_path / "masks" / "x.png", {0: 3, 1: 4})
    path = tmp_path / "masks" / "x.png"
    Image.fromarray(np.asarray(Image.open(path)) > 0).save(path)
    assert Image.open(path).mode == "1"
    assert convert_release(tmp_path, "folder", tmp_path / "set", workers=1).with_anomaly == 1
    with pytest.raises(CaosError, match="mask value 1 has no meaning"):
        convert_release(tmp_path, "folder", tmp_path / "other", values="ordinary=0,anomaly=255", workers=1)


def test_masks_of_black_and_white_are_not_taken_for_void(tmp_path: Path) -> None:
    photo(tmp_path / "images" / "x.jpg")
    mask(tmp_path / "masks" / "x.png", {0: 3, 255: 4})
    with pytest.raises(CaosError, match=r"no mask shows an anomaly, such as .*x\.png: 1 means anomaly and 255 void"):
        convert_release(tmp_path, "folder", tmp_path / "set", workers=1)
    said = convert_release(tmp_path, "folder", tmp_path / "set", values="ordinary=0,anomaly=255", workers=1)
    assert said.with_anomaly == 1


def test_two_photographs_of_one_mask_are_not_guessed_by_their_suffix(tmp_path: Path) -> None:
    for name in ("x.png", "x.jpg"):
        photo(tmp_path / "images" / name)
    mask(tmp_path / "masks" / "x.png", {0: 3, 1: 4})
    with pytest.raises(CaosError, match=r"x\.png matches two photographs"):
        convert_release(tmp_path, "folder", tmp_path / "set", workers=1)


@pytest.mark.parametrize(("first", "second"), [("x.png", "x.PNG"), ("a/b/x.png", "a-b/x.png")])
def test_two_pairs_never_fall_on_one_name(tmp_path: Path, first: str, second: str) -> None:
    for name in (first, second):
        photo(tmp_path / "images" / name)
        mask(tmp_path / "masks" / name, {0: 3, 1: 4})
    with pytest.raises(CaosError, match="would both be called|matches two photographs"):
        convert_release(tmp_path, "folder", tmp_path / "set", workers=1)


def _sideways(path: Path) -> np.ndarray:
    """A photograph stored on its side, 16x24, that is upright as 24x16; returns its upright pixels."""
    pixels = np.random.default_rng(3).integers(0, 255, (SIZE[1], SIZE[0], 3), dtype=np.uint8)
    exif = Image.Exif()
    exif[0x0112] = 6
    path.parent.mkdir(parents=True, exist_ok=True)
    stored = Image.fromarray(pixels).transpose(Image.Transpose.ROTATE_90)
    stored.save(path, exif=exif)
    return pixels


@pytest.mark.parametrize("link", ["hard", "symbolic", "copy"])
def test_converted_photographs_are_stored_upright(tmp_path: Path, link) -> None:
    pixels = _sideways(tmp_path / "in/images/a.png")
    mask(tmp_path / "in/masks/a.png", {0: 14, 1: 5})
    convert_release(tmp_path / "in", "folder", tmp_path / "out", link=link, workers=1)
    (sample,) = open_dataset(tmp_path / "out").samples("test")
    with Image.open(sample.image) as stored:
        assert (stored.size, stored.getexif().get(0x0112)) == (SIZE, None)
        assert np.array_equal(np.asarray(stored), pixels)
    assert np.array_equal(read_image(sample.image), pixels)
    assert read_class_ids(sample, open_dataset(tmp_path / "out").labels).shape == (SIZE[1], SIZE[0])
    assert np.array_equal(read_image(tmp_path / "in/images/a.png"), pixels)


def test_a_mask_of_the_stored_pixels_is_refused_with_both_sizes(tmp_path: Path) -> None:
    _sideways(tmp_path / "in/images/a.png")
    mask(tmp_path / "in/masks/a.png", {0: 10, 1: 5}, size=SIZE[::-1])
    with pytest.raises(CaosError) as caught:
        convert_release(tmp_path / "in", "folder", tmp_path / "out", workers=1)
    for words in ("a.png is 24x16 but its mask", "is 16x24", "stored as 16x24 with EXIF orientation 6"):
        assert words in str(caught.value)
