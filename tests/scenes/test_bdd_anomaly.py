from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from caos.foundation.errors import CaosError
from caos.scenes.converting.bdd_anomaly import convert, encoding_of, table_note
from caos.scenes.converting.pairs import find_pairs
from caos.scenes.dataset.audit import audit
from caos.scenes.dataset.layout import open_dataset, read_class_ids, read_image, read_png_values
from caos.scenes.labels import BDD_ANOMALY

SIZE = (32, 18)
ROAD, CAR, TRAIN, MOTORCYCLE, BICYCLE, VOID = 0, 13, 16, 17, 18, 255


def label(*extra: int) -> np.ndarray:
    values = np.full(SIZE[::-1], ROAD, np.uint8)
    values[:4], values[4:6, :8] = VOID, CAR
    for i, value in enumerate(extra):
        values[8:12, 4 * i : 4 * i + 3] = value
    return values


CONTENT = {
    "train": {"a1": (), "a2": (TRAIN,), "a3": (BICYCLE,), "a4": (), "a5": (MOTORCYCLE, BICYCLE)},
    "val": {"b1": (), "b2": (BICYCLE,), "b3": ()},
}


def make(root: Path, images: str, labels: str, suffix: str) -> tuple[Path, Path]:
    rng = np.random.default_rng(0)
    for split, names in CONTENT.items():
        for folder in (images, labels):
            (root / folder / split).mkdir(parents=True, exist_ok=True)
        for name, extra in names.items():
            picture = rng.integers(0, 255, (SIZE[1], SIZE[0], 3), dtype=np.uint8)
            Image.fromarray(picture).save(root / images / split / f"{name}.jpg")
            Image.fromarray(label(*extra)).save(root / labels / split / f"{name}{suffix}.png")
    return root / images, root / labels


@pytest.fixture(params=[("images/10k", "labels/sem_seg/masks", ""), ("seg/images", "seg/labels", "_train_id")])
def bdd(request, tmp_path: Path) -> tuple[Path, Path]:
    return make(tmp_path / "bdd100k", *request.param)


def test_both_folder_conventions_give_the_published_rule(bdd: tuple[Path, Path], tmp_path: Path) -> None:
    images, labels = bdd
    out = tmp_path / "out"
    result = convert(labels, images, out, workers=2)
    assert result.counts == {"train": 2, "val": 2, "test": 4}
    dataset = open_dataset(out)
    assert (dataset.name, dataset.labels) == ("BDD-Anomaly", BDD_ANOMALY)
    assert [s.key for s in dataset.samples("test")] == [
        "test/bdd-train/a2",
        "test/bdd-train/a3",
        "test/bdd-train/a5",
        "test/bdd-val/b2",
    ]
    ids = read_class_ids(dataset.samples("test")[2], dataset.labels)
    assert np.unique(ids).tolist() == [0, 1, 14, 18, 19]
    row = dataset.manifest()["test/bdd-train/a5"]
    assert row["anomaly_pixels"] == {"motorcycle": 12, "bicycle": 12}
    assert row["sources"]["image"].endswith("a5.jpg")
    assert audit(dataset).problems == ()
    assert "6280" in table_note(result, ("train", "motorcycle", "bicycle"))


def test_the_top_folder_is_enough(tmp_path: Path) -> None:
    make(tmp_path / "bdd100k", "images/10k", "labels/sem_seg/masks", "")
    sources, told = find_pairs(tmp_path / "bdd100k", tmp_path / "bdd100k")
    assert len(sources) == 8
    assert "5 train labels in" in told


def test_two_class_variant_and_other_held_out_classes(bdd: tuple[Path, Path], tmp_path: Path) -> None:
    images, labels = bdd
    two = convert(labels, images, tmp_path / "two", anomalies=("train", "motorcycle"), workers=1)
    assert two.counts == {"train": 3, "val": 3, "test": 2}
    table = open_dataset(tmp_path / "two").labels
    assert (table.num_classes, len(table.anomaly_ids)) == (18, 2)
    cars = convert(labels, images, tmp_path / "cars", anomalies=("car",), workers=1)
    assert cars.counts == {"train": 0, "val": 0, "test": 8}


def test_converted_labels_are_never_converted_twice(bdd: tuple[Path, Path], tmp_path: Path) -> None:
    images, labels = bdd
    convert(labels, images, tmp_path / "once", workers=1)
    again = tmp_path / "again_labels"
    for path in (tmp_path / "once").rglob("annotations/**/*.png"):
        target = again / ("val" if path.stem.startswith("b") else "train") / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    convert(again, None, tmp_path / "twice", workers=1)
    for path in (tmp_path / "twice").rglob("annotations/**/*.png"):
        first = next((tmp_path / "once").rglob(f"annotations/**/{path.name}"))
        assert (read_png_values(path) == read_png_values(first)).all()


@pytest.mark.parametrize(
    ("present", "found"), [([0, 3], "train-id"), ([3, 255], "train-id"), ([2, 20], "converted"), ([2, 15], None)]
)
def test_encodings_are_told_apart(present: list[int], found: str | None) -> None:
    assert encoding_of(present) == found


def test_an_undecidable_set_asks(tmp_path: Path) -> None:
    (tmp_path / "l/train").mkdir(parents=True)
    Image.fromarray(np.full((4, 4), 5, np.uint8)).save(tmp_path / "l/train/a.png")
    with pytest.raises(CaosError, match="say which with --encoding"):
        convert(tmp_path / "l", None, tmp_path / "out", workers=1)
    assert convert(tmp_path / "l", None, tmp_path / "out", encoding="converted", workers=1).counts["train"] == 1


def test_cityscapes_full_ids(tmp_path: Path) -> None:
    folder = tmp_path / "gtFine/train/aachen"
    folder.mkdir(parents=True)
    values = np.array([[7, 26, 33, 0, 1, 24]], np.uint8)
    Image.fromarray(values).save(folder / "aachen_000000_000019_gtFine_labelIds.png")
    pictures = tmp_path / "leftImg8bit/train/aachen"
    pictures.mkdir(parents=True)
    Image.new("RGB", (6, 1)).save(pictures / "aachen_000000_000019_leftImg8bit.png")
    convert(tmp_path / "gtFine", tmp_path / "leftImg8bit", tmp_path / "out", anomalies=("person",), workers=1)
    sample = open_dataset(tmp_path / "out").samples("test")[0]
    assert read_png_values(sample.annotation).tolist() == [[2, 15, 20, 1, 1, 13]]


@pytest.mark.parametrize("link", ["hard", "symbolic", "copy"])
def test_images_are_linked_or_copied(bdd: tuple[Path, Path], tmp_path: Path, link) -> None:
    images, labels = bdd
    convert(labels, images, tmp_path / "out", link=link, workers=1)
    placed = tmp_path / "out/train/images/training/bdd/a1.jpg"
    source = images / "train/a1.jpg"
    assert placed.read_bytes() == source.read_bytes()
    assert placed.is_symlink() == (link == "symbolic")
    assert placed.samefile(source) == (link != "copy")


def break_one(images: Path, labels: Path, what: str) -> str:
    suffix = "_train_id" if any(labels.rglob("*_train_id.png")) else ""
    path, picture = labels / f"train/a1{suffix}.png", images / "train/a1.jpg"
    if what == "truncated label":
        path.write_bytes(path.read_bytes()[:40])
    elif what == "colour label":
        Image.new("RGB", SIZE).save(path)
    elif what == "foreign id":
        Image.fromarray(label(77)).save(path)
    elif what == "label of a few pixels":
        Image.new("L", (5, 3)).save(path)
    elif what == "wrong size":
        Image.new("RGB", (8, 8)).save(picture)
    elif what == "truncated image":
        picture.write_bytes(picture.read_bytes()[:300])
    return what


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("truncated label", "cannot be read as a picture"),
        ("colour label", "has mode 'RGB'"),
        ("foreign id", "label value 77 is not a train-id value (allowed: 0..18 and 255)"),
        ("wrong size", "is 8x8 but its label is 32x18"),
        ("label of a few pixels", "is 32x18 but its label is 5x3"),
        ("truncated image", "cannot be read as a picture"),
    ],
)
def test_bad_files_stop_or_are_counted(bdd: tuple[Path, Path], tmp_path: Path, what: str, words: str) -> None:
    images, labels = bdd
    break_one(images, labels, what)
    with pytest.raises(CaosError) as caught:
        convert(labels, images, tmp_path / "stop", workers=1)
    assert words in str(caught.value)
    assert "a1" in str(caught.value)
    assert not (tmp_path / "stop/dataset.json").exists()
    result = convert(labels, images, tmp_path / "skip", on_error="skip", workers=2)
    assert len(result.problems) == 1
    assert words in result.problems[0]
    assert result.counts == {"train": 1, "val": 2, "test": 4}
    assert words in (tmp_path / "skip/left_out.txt").read_text()


def test_a_missing_image_is_named(bdd: tuple[Path, Path], tmp_path: Path) -> None:
    images, labels = bdd
    (images / "train/a1.jpg").unlink()
    with pytest.raises(CaosError, match=r"a1.*has no image.*--labels-only"):
        convert(labels, images, tmp_path / "out", workers=1)
    result = convert(labels, None, tmp_path / "out", workers=1)
    assert result.counts["train"] == 2
    assert open_dataset(tmp_path / "out").info["images"] is False
    assert audit(open_dataset(tmp_path / "out")).problems == ()


def test_it_goes_on_after_an_interruption_and_refuses_another_folder(bdd: tuple[Path, Path], tmp_path: Path) -> None:
    images, labels = bdd
    out = tmp_path / "out"
    convert(labels, images, out, workers=1)
    kept = out / "train/annotations/training/bdd/a1.png"
    before = kept.stat().st_mtime_ns
    (out / "train/annotations/training/bdd/a4.png").unlink()
    (out / "dataset.json").unlink()
    convert(labels, images, out, workers=1)
    assert kept.stat().st_mtime_ns == before
    assert (out / "train/annotations/training/bdd/a4.png").exists()
    with pytest.raises(CaosError, match="holds a conversion made with other settings"):
        convert(labels, images, out, anomalies=("bus",), workers=1)
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("x")
    with pytest.raises(CaosError, match="is not empty"):
        convert(labels, images, other, workers=1)


def test_no_labels_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(CaosError, match="is not a folder"):
        convert(tmp_path / "none", None, tmp_path / "out")
    with pytest.raises(CaosError, match="no label PNGs in a 'train' or 'val' folder"):
        convert(tmp_path, None, tmp_path / "out")


def cities(root: Path, *, flat: bool = False) -> tuple[Path, Path]:
    """Two cities whose files have the same names; the colour of an image says whose it is."""
    for number, city in enumerate(("aachen", "bochum"), 1):
        (root / "labels/train" / city).mkdir(parents=True)
        pictures = root / "images/train" / ("" if flat else city)
        pictures.mkdir(parents=True, exist_ok=True)
        Image.fromarray(label(*([BICYCLE] if city == "bochum" else []))).save(root / f"labels/train/{city}/0001.png")
        Image.new("RGB", SIZE, (number * 100, 0, 0)).save(pictures / "0001.png")
    return root / "images", root / "labels"


def test_names_that_repeat_in_two_cities_are_kept_apart(tmp_path: Path) -> None:
    images, labels = cities(tmp_path / "in")
    assert convert(labels, images, tmp_path / "out", workers=1).counts == {"train": 1, "val": 0, "test": 1}
    dataset = open_dataset(tmp_path / "out")
    (ordinary,), (anomalous,) = dataset.samples("train"), dataset.samples("test")
    assert (ordinary.key, anomalous.key) == ("train/bdd/aachen/0001", "test/bdd-train/bochum/0001")
    assert read_image(ordinary.image)[0, 0].tolist() == [100, 0, 0]
    assert read_image(anomalous.image)[0, 0].tolist() == [200, 0, 0]
    assert audit(dataset).problems == ()


def test_an_image_that_may_belong_to_two_labels_is_not_guessed(tmp_path: Path) -> None:
    images, labels = cities(tmp_path / "in", flat=True)
    with pytest.raises(CaosError, match=r"aachen/0001.png has no image"):
        convert(labels, images, tmp_path / "out", workers=1)


def test_two_different_images_of_one_label_are_not_guessed(tmp_path: Path) -> None:
    images, labels = make(tmp_path / "in", "images/10k", "labels/masks", "")
    (tmp_path / "in/images/100k/train").mkdir(parents=True)
    twin = tmp_path / "in/images/100k/train/a1.jpg"
    twin.write_bytes((images / "train/a1.jpg").read_bytes())
    assert convert(labels, tmp_path / "in/images", tmp_path / "same", workers=1).counts["train"] == 2
    Image.new("RGB", SIZE).save(twin)
    with pytest.raises(CaosError, match="a1.png has several images that differ"):
        convert(labels, tmp_path / "in/images", tmp_path / "out", workers=1)


@pytest.mark.parametrize("what", ["labels", "images"])
def test_a_conversion_is_not_gone_on_with_from_other_files(tmp_path: Path, what: str) -> None:
    images, labels = make(tmp_path / "in", "images", "labels", "")
    out = tmp_path / "out"
    convert(labels, images, out, workers=1, link="copy")
    if what == "labels":
        Image.fromarray(label(TRAIN)).save(labels / "train/a1.png")
    else:
        Image.new("RGB", SIZE).save(images / "train/a1.jpg")
    with pytest.raises(CaosError, match=f'content of {what} was "'):
        convert(labels, images, out, workers=1, link="copy")
    again = convert(labels, images, out, workers=1, link="copy", overwrite=True)
    assert again.counts == (
        {"train": 1, "val": 2, "test": 5} if what == "labels" else {"train": 2, "val": 2, "test": 4}
    )
    assert audit(open_dataset(out)).problems == ()


@pytest.mark.parametrize("link", ["hard", "symbolic", "copy"])
def test_the_users_own_images_keep_their_mode(tmp_path: Path, link) -> None:
    images, labels = make(tmp_path / "in", "images", "labels", "")
    source = images / "train/a1.jpg"
    source.chmod(0o640)
    convert(labels, images, tmp_path / "out", link=link, workers=1)
    assert source.stat().st_mode & 0o777 == 0o640
    convert(labels, images, tmp_path / "out", link=link, workers=1)
    assert not list((tmp_path / "out").rglob(".*.part*"))


def test_a_broken_annotation_is_written_again(tmp_path: Path) -> None:
    images, labels = make(tmp_path / "in", "images", "labels", "")
    convert(labels, images, tmp_path / "out", workers=1)
    broken = tmp_path / "out/train/annotations/training/bdd/a1.png"
    whole = broken.read_bytes()
    broken.write_bytes(whole[:50])
    convert(labels, images, tmp_path / "out", workers=1)
    assert broken.read_bytes() == whole
