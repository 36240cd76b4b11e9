"""Exports, each read by a loader of its own world: pycocotools, webdataset, Hugging Face datasets, torch."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import caos
from caos.cli import _run
from caos.foundation.errors import CaosError
from caos.scenes.dataset.layout import Dataset, open_dataset, read_class_ids, read_image, read_instances
from caos.scenes.exporting.cli import FormatOption
from caos.scenes.exporting.formats import FORMATS, export_set
from caos.scenes.exporting.job import flat_names
from tests.scenes.conftest import SIZE


def test_the_command_line_names_every_format() -> None:
    assert [option.value for option in FormatOption] == list(FORMATS)


def test_export_for_segment_me_if_you_can(tiny_set: Path, tmp_path: Path) -> None:
    out = tmp_path / "smiyc"
    assert export_set(open_dataset(tiny_set), "smiyc", out).images == 3
    mask = np.array(Image.open(out / "labels_masks/test_t5_1_labels_semantic.png"))
    assert (int(mask.sum()), np.unique(mask).tolist()) == (36, [0, 1])
    assert (out / "images/test_t5_1.png").exists()
    (out / "images/test_t5_1.png").unlink()  # as if it had been stopped: the same command goes on
    assert export_set(open_dataset(tiny_set), "smiyc", out).images == 3
    assert (out / "images/test_t5_1.png").exists()
    with pytest.raises(CaosError, match="made with other settings .format was"):
        export_set(open_dataset(tiny_set), "cityscapes", out)
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine.txt").touch()
    with pytest.raises(CaosError, match="is not empty"):
        export_set(open_dataset(tiny_set), "smiyc", tmp_path / "full")
    with pytest.raises(CaosError, match="did you mean 'smiyc'"):
        export_set(open_dataset(tiny_set), "smyic", tmp_path / "x")


def test_exported_names_never_fall_together() -> None:
    names = flat_names(["test/a_b/c/1", "test/a/b_c/1", "test/t5/1"])
    assert len(set(names.values())) == 3
    assert names["test/t5/1"] == "test_t5_1"


def test_export_for_cityscapes(tiny_set: Path, tmp_path: Path) -> None:
    out = tmp_path / "city"
    export_set(open_dataset(tiny_set), "cityscapes", out)
    labels = np.array(Image.open(out / "gtFine/test/t5/t5_000001_000019_gtFine_labelIds.png"))
    assert np.unique(labels).tolist() == [0, 5, 7, 11, 26]
    numbered = np.array(Image.open(out / "gtFine/test/t5/t5_000001_000019_gtFine_instanceIds.png"))
    assert {5001, 26101} <= set(np.unique(numbered).tolist())


def test_export_as_coco_panoptic(tiny_set: Path, tmp_path: Path) -> None:
    out = tmp_path / "coco"
    export_set(open_dataset(tiny_set), "coco-panoptic", out)
    panoptic = json.loads((out / "panoptic_test.json").read_text())
    segments = panoptic["annotations"][0]["segments_info"]
    picture = np.array(Image.open(out / "panoptic_test/test_t5_1.png")).astype(int)
    ids = picture[..., 0] + 256 * picture[..., 1] + 65536 * picture[..., 2]
    assert sum(s["area"] for s in segments) == ids.size
    for segment in segments:
        assert (ids == segment["id"]).sum() == segment["area"]
    hazard = next(s for s in segments if s["category_id"] == 14)
    assert (hazard["area"], hazard["bbox"]) == (36, [24, 20, 6, 6])
    assert [s["iscrowd"] for s in segments] == [0] * len(segments)


def without_instances(root: Path) -> Dataset:
    for path in root.rglob("instances/**/*.png"):
        path.unlink()
    return open_dataset(root)


def test_pycocotools_reads_the_masks_of_every_object(tiny_set: Path, tmp_path: Path) -> None:
    from pycocotools.coco import COCO

    dataset = open_dataset(tiny_set)
    export_set(dataset, "coco-instances", tmp_path / "coco")
    coco = COCO(str(tmp_path / "coco/annotations/instances_test.json"))
    assert [c["name"] for c in coco.loadCats(coco.getCatIds())] == ["pedestrian", "car", "anomaly"]
    for sample, image in zip(dataset.samples("test"), coco.loadImgs(coco.getImgIds()), strict=True):
        assert (image["width"], image["height"]) == SIZE
        assert np.array_equal(read_image(tmp_path / "coco/test" / image["file_name"]), read_image(sample.image))
        found = coco.loadAnns(coco.getAnnIds(imgIds=image["id"]))
        assert [(a["category_id"], a["area"], a["iscrowd"]) for a in found] == [(11, 20, 0), (14, 36, 0)]
        assert sample.instances is not None
        instances = read_instances(sample.instances)
        for annotation, number in zip(found, (101, 1), strict=True):
            assert np.array_equal(coco.annToMask(annotation), instances == number)
        assert found[1]["bbox"] == [24, 20, 6, 6]
        assert found[1]["hazard"] == {"object": "sofa_01", "category": "furniture", "placement": "road"}


def test_objects_that_a_set_does_not_tell_apart_are_a_crowd(tiny_set: Path, tmp_path: Path) -> None:
    dataset = without_instances(tiny_set)
    export_set(dataset, "coco-instances", tmp_path / "coco")
    export_set(dataset, "coco-panoptic", tmp_path / "panoptic")
    file = json.loads((tmp_path / "coco/annotations/instances_test.json").read_text())
    assert {(a["category_id"], a["iscrowd"]) for a in file["annotations"]} == {(11, 1), (14, 1)}
    segments = json.loads((tmp_path / "panoptic/panoptic_test.json").read_text())["annotations"][0]["segments_info"]
    assert {s["category_id"]: s["iscrowd"] for s in segments} == {1: 0, 2: 0, 8: 0, 11: 1, 14: 1}


def test_webdataset_reads_the_shards(tiny_set: Path, tmp_path: Path) -> None:
    import webdataset

    dataset = open_dataset(tiny_set)
    out = tmp_path / "shards"
    words = ["-q", "scenes", "export", str(tiny_set), "--format", "webdataset", "--shard-images", "2"]
    assert _run([*words, "--out", str(out)]) == 0
    names = ["test-000000", "test-000001", "train-000000", "train-000001", "val-000000"]
    assert sorted(path.stem for path in out.glob("*.tar")) == names
    shards = webdataset.WebDataset(str(out / "test-{000000..000001}.tar"), shardshuffle=False, empty_check=False)
    label = webdataset.handle_extension("label.png", lambda data: np.array(Image.open(io.BytesIO(data))))
    items = list(shards.decode(label, "rgb8").to_tuple("image.png", "label.png", "json"))
    assert len(items) == 3
    for sample, (image, ids, row) in zip(dataset.samples("test"), items, strict=True):
        assert np.array_equal(image, read_image(sample.image))
        assert np.array_equal(ids, read_class_ids(sample, dataset.labels))
        assert (row["key"], row["weather"]["name"], row["hazards"][0]["object"]) == (sample.key, "clear", "sofa_01")
        assert "files" not in row
    first = (out / "val-000000.tar").read_bytes()
    export_set(dataset, "webdataset", out, shard_images=2)
    assert (out / "val-000000.tar").read_bytes() == first


def test_hugging_face_reads_the_folder_and_its_card(tiny_set: Path, tmp_path: Path) -> None:
    hugging = pytest.importorskip("datasets")
    dataset = open_dataset(tiny_set)
    out = tmp_path / "folder"
    export_set(dataset, "hugging-face", out)
    loaded = hugging.load_dataset(str(out), cache_dir=str(tmp_path / "cache"))
    assert {name: len(rows) for name, rows in loaded.items()} == {"train": 3, "validation": 2, "test": 3}
    for sample, row in zip(dataset.samples("test"), loaded["test"], strict=True):
        assert np.array_equal(np.array(row["image"]), read_image(sample.image))
        assert np.array_equal(np.array(row["label"]), read_class_ids(sample, dataset.labels))
        assert sample.instances is not None
        assert np.array_equal(np.array(row["instances"]), read_instances(sample.instances))
        assert (row["key"], row["weather"], row["anomalous_pixels"]) == (sample.key, "clear", 36)
        assert json.loads(row["manifest"])["hazards"][0]["object"] == "sofa_01"
    card = (out / "README.md").read_text()
    assert "| 13 | anomaly | anomaly | 0.000 | 0.000 | 2.344 |" in card
    assert 'license: "other"' in card


def test_the_card_of_a_set(tiny_set: Path, tmp_path: Path) -> None:
    assert _run(["-q", "scenes", "card", str(tiny_set), "--out", str(tmp_path / "card.md")]) == 0
    card = (tmp_path / "card.md").read_text()
    assert "8 images, 3 hazards of 1 objects." in card
    assert "| furniture | 3 |" in card
    assert "| 13 | 14 | anomaly | anomaly | 0.000 | 0.000 | 2.344 |" in card
    assert card == caos.dataset_card(open_dataset(tiny_set))


def test_torch_loads_street_hazards(tiny_set: Path) -> None:
    from torch.utils.data import DataLoader
    from torchvision import tv_tensors
    from torchvision.transforms import v2

    flip = v2.Compose([v2.ToImage(), v2.RandomHorizontalFlip(1.0)])
    plain = caos.datasets.StreetHazards(tiny_set, "test")
    flipped = caos.datasets.StreetHazards(
        tiny_set, "test", transforms=lambda image, target: flip(image, tv_tensors.Mask(target))
    )
    image, target = plain[1]
    assert (image.mode, target.mode, image.size) == ("RGB", "L", SIZE)
    images, targets = next(iter(DataLoader(flipped, batch_size=3)))
    assert np.array_equal(images[1].numpy()[:, :, ::-1], np.moveaxis(np.array(image), 2, 0))
    assert np.array_equal(targets[1, 0].numpy()[:, ::-1], np.array(target))
    assert (np.array(target) == plain.class_to_idx["anomaly"]).sum() == 36
    single = caos.datasets.StreetHazards(tiny_set, "val", np.array, np.array)
    assert (single[0][0].shape, single[0][1].shape, len(single)) == ((32, 48, 3), (32, 48), 2)


def test_street_hazards_of_the_genuine_release_and_its_other_targets(tiny_set: Path) -> None:
    """The genuine release has no description, manifest or instances, and its images have an alpha channel."""
    anomalous = np.array(caos.datasets.StreetHazards(tiny_set, "test", target_type="anomaly")[0][1])
    assert (np.unique(anomalous).tolist(), int(anomalous.sum())) == ([0, 1], 36)
    instances = caos.datasets.StreetHazards(tiny_set, "test", target_type="instance")[0][1]
    assert np.unique(np.array(instances)).tolist() == [0, 1, 101]
    for name in ("dataset.json", "manifest.jsonl"):
        (tiny_set / name).unlink(missing_ok=True)
    for path in tiny_set.rglob("images/**/*.png"):
        Image.open(path).convert("RGBA").save(path)
    without_instances(tiny_set)
    genuine = caos.datasets.StreetHazards(tiny_set)
    assert repr(genuine) == f"StreetHazards({str(tiny_set)!r}, split='train'): 3 images"
    assert genuine[0][0].mode == "RGB"
    assert [row.name for row in genuine.classes][12:] == ["traffic sign", "anomaly"]
    other_ignored = caos.datasets.StreetHazards(tiny_set, labels="streethazards-12")
    assert "other" not in other_ignored.class_to_idx
    with pytest.raises(CaosError, match="has no instance map for 'train/t1-3/1'; choose another target_type"):
        caos.datasets.StreetHazards(tiny_set, target_type="instance")
    with pytest.raises(CaosError, match="unknown split 'tset'; did you mean 'test'"):
        caos.datasets.StreetHazards(tiny_set, "tset")
    with pytest.raises(CaosError, match="but not both"):
        caos.datasets.StreetHazards(tiny_set, transform=np.array, transforms=lambda image, target: (image, target))
