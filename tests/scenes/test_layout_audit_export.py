from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from foundation.errors import CaosError
from scenes.audit import audit
from scenes.describe import contact_sheet, describe
from scenes.export import export
from scenes.layout import open_dataset, read_class_ids, read_image, read_instances, read_odgt
from scenes.validity import _border_rows, _Object, validity


def test_a_set_is_read_in_list_order(tiny_set: Path) -> None:
    dataset = open_dataset(tiny_set)
    assert [s.key for s in dataset.samples("test")] == ["test/t5/1", "test/t5/2", "test/t5/3"]
    sample = dataset.samples("train")[0]
    assert (sample.town, sample.instances is not None, sample.twin) == ("t1-3", True, None)
    assert np.unique(read_class_ids(sample, dataset.labels)).tolist() == [0, 1, 7, 10]
    assert read_image(sample.image).shape == (32, 48, 3)
    assert len(dataset.manifest()) == 8


def test_the_genuine_release_has_no_description_and_no_lists_are_needed(tiny_set: Path) -> None:
    for name in ("dataset.json", "manifest.jsonl", "train/train.odgt", "train/validation.odgt", "test/test.odgt"):
        (tiny_set / name).unlink()
    dataset = open_dataset(tiny_set)
    assert [len(dataset.splits[s]) for s in ("train", "val", "test")] == [3, 2, 3]
    assert dataset.labels.name == "streethazards"
    assert dataset.manifest() == {}


def test_rgba_images_are_read_as_rgb(tiny_set: Path) -> None:
    sample = open_dataset(tiny_set).samples("test")[0]
    Image.open(sample.image).convert("RGBA").save(sample.image)
    assert read_image(sample.image).shape == (32, 48, 3)


def test_lists_have_the_genuine_form(tiny_set: Path) -> None:
    text = (tiny_set / "test/test.odgt").read_text()
    assert "\n" not in text
    assert json.loads(text)[0] == {
        "dbName": "StreetHazards",
        "width": 48,
        "height": 32,
        "fpath_img": "images/test/t5/1.png",
        "fpath_segm": "annotations/test/t5/1.png",
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nonsense", "is not an .odgt list"),
        ('[{"fpath_img": "a"}]', "fpath_segm"),
        ('[{"fpath_img": "../../etc/passwd", "fpath_segm": "b"}]', "leads outside"),
        ('[{"fpath_img": "/etc/passwd", "fpath_segm": "b"}]', "leads outside"),
        ("3", "is not an .odgt list"),
    ],
)
def test_a_bad_list_is_one_line(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "a.odgt").write_text(text)
    with pytest.raises(CaosError, match="a.odgt") as caught:
        read_odgt(tmp_path / "a.odgt")
    assert words in str(caught.value)


def test_lists_with_one_object_a_line_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.odgt").write_text('{"fpath_img": "i", "fpath_segm": "s"}\n{"fpath_img": "j", "fpath_segm": "t"}\n')
    assert read_odgt(tmp_path / "a.odgt") == [("i", "s"), ("j", "t")]


def test_no_set_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(CaosError, match="is not a folder"):
        open_dataset(tmp_path / "none")
    with pytest.raises(CaosError, match="holds no dataset"):
        open_dataset(tmp_path)
    (tmp_path / "dataset.json").write_text("[]")
    with pytest.raises(CaosError, match="is not a dataset description"):
        open_dataset(tmp_path)


def test_an_empty_split_and_a_foreign_manifest_are_named(tiny_set: Path) -> None:
    (tiny_set / "train/train.odgt").write_text("[]")
    with pytest.raises(CaosError, match="has no 'train' images"):
        open_dataset(tiny_set).samples("train")
    (tiny_set / "manifest.jsonl").write_text('{"schema": 9}\n')
    with pytest.raises(CaosError, match="line 1: not a manifest row"):
        open_dataset(tiny_set).manifest()


def test_a_good_set_passes_the_audit(tiny_set: Path) -> None:
    outcome = audit(open_dataset(tiny_set))
    assert outcome.problems == ()
    assert outcome.to_json()["ok"] is True
    assert outcome.counts == {"train": 3, "val": 2, "test": 3}
    assert outcome.sizes == {"48x32": 8}
    road = next(r for r in outcome.shares if (r["town"], r["class"]) == ("t5", "road"))
    assert road["percent"] == pytest.approx(100 * (16 * 48 - 20 - 36) / (32 * 48))
    assert road["genuine"] == 37.74


def _damage(root: Path, what: str) -> None:
    test = root / "test"
    label = test / "annotations/test/t5/1.png"
    if what == "truncated image":
        image = test / "images/test/t5/1.png"
        image.write_bytes(image.read_bytes()[:200])
    elif what == "illegal value":
        values = np.array(Image.open(label))
        values[0, 0] = 99
        Image.fromarray(values).save(label)
    elif what == "colour label":
        Image.new("RGB", (48, 32)).save(label)
    elif what == "wrong size":
        Image.new("RGB", (50, 32)).save(test / "images/test/t5/1.png")
    elif what == "anomaly in train":
        values = np.array(Image.open(root / "train/annotations/training/t1-3/1.png"))
        values[:5, :5] = 14
        Image.fromarray(values).save(root / "train/annotations/training/t1-3/1.png")
    elif what == "dust":
        values = np.array(Image.open(label))
        values[0, 0] = 14
        Image.fromarray(values).save(label)
    elif what == "missing image":
        (test / "images/test/t5/1.png").unlink()
    elif what == "duplicate":
        (test / "images/test/t5/2.png").write_bytes((test / "images/test/t5/1.png").read_bytes())
    elif what == "unlisted":
        (test / "annotations/test/t5/77.png").write_bytes(label.read_bytes())
    elif what == "manifest":
        lines = (root / "manifest.jsonl").read_text().replace('"pixels": 36', '"pixels": 35').splitlines()
        (root / "manifest.jsonl").write_text("\n".join(lines[:-1]) + "\n")


@pytest.mark.parametrize(
    ("what", "rules"),
    [
        ("truncated image", {"unreadable image"}),
        ("illegal value", {"illegal label value"}),
        ("colour label", {"unreadable label"}),
        ("wrong size", {"size mismatch"}),
        ("anomaly in train", {"anomaly outside test", "mask differs from instances"}),
        ("dust", {"dust", "mask differs from instances"}),
        ("missing image", {"unreadable image"}),
        ("duplicate", {"duplicate image"}),
        ("unlisted", {"unlisted file"}),
        ("manifest", {"manifest differs from instances", "not in manifest"}),
    ],
)
def test_the_audit_finds_each_damage_and_nothing_else(tiny_set: Path, what: str, rules: set[str]) -> None:
    _damage(tiny_set, what)
    assert {problem.rule for problem in audit(open_dataset(tiny_set)).problems} == rules


def test_describe_and_contact_sheet(tiny_set: Path, tmp_path: Path) -> None:
    dataset = open_dataset(tiny_set)
    tables = describe(dataset)
    assert tables.counts == {"train": 3, "val": 2, "test": 3}
    assert (tables.hazards, tables.objects, tables.categories) == (3, 1, {"furniture": 3})
    assert tables.rejected == {"hazard: kerb": 16}
    contact_sheet(dataset, tmp_path / "sheet.png", per_split=2, columns=3)
    assert Image.open(tmp_path / "sheet.png").size == (960, 2 * (18 + 2 * 213))


def test_export_for_segment_me_if_you_can(tiny_set: Path, tmp_path: Path) -> None:
    out = tmp_path / "smiyc"
    assert export(open_dataset(tiny_set), "smiyc", out).images == 3
    mask = np.array(Image.open(out / "labels_masks/test_t5_1_labels_semantic.png"))
    assert (int(mask.sum()), np.unique(mask).tolist()) == (36, [0, 1])
    assert (out / "images/test_t5_1.png").exists()
    with pytest.raises(CaosError, match="is not empty"):
        export(open_dataset(tiny_set), "smiyc", out)
    with pytest.raises(CaosError, match="did you mean 'smiyc'"):
        export(open_dataset(tiny_set), "smyic", tmp_path / "x")


def test_export_for_cityscapes(tiny_set: Path, tmp_path: Path) -> None:
    out = tmp_path / "city"
    export(open_dataset(tiny_set), "cityscapes", out)
    labels = np.array(Image.open(out / "gtFine/test/t5/t5_000001_000019_gtFine_labelIds.png"))
    assert np.unique(labels).tolist() == [0, 5, 7, 11, 26]
    numbered = np.array(Image.open(out / "gtFine/test/t5/t5_000001_000019_gtFine_instanceIds.png"))
    assert {5001, 26101} <= set(np.unique(numbered).tolist())


def test_export_as_coco_panoptic(tiny_set: Path, tmp_path: Path) -> None:
    out = tmp_path / "coco"
    export(open_dataset(tiny_set), "coco-panoptic", out)
    panoptic = json.loads((out / "panoptic_test.json").read_text())
    segments = panoptic["annotations"][0]["segments_info"]
    picture = np.array(Image.open(out / "panoptic_test/test_t5_1.png")).astype(int)
    ids = picture[..., 0] + 256 * picture[..., 1] + 65536 * picture[..., 2]
    assert sum(s["area"] for s in segments) == ids.size
    for segment in segments:
        assert (ids == segment["id"]).sum() == segment["area"]
    hazard = next(s for s in segments if s["category_id"] == 14)
    assert (hazard["area"], hazard["bbox"]) == (36, [24, 20, 6, 6])


def test_validity_needs_a_generated_set(tiny_set: Path) -> None:
    for path in (tiny_set / "test/instances").rglob("*.png"):
        path.unlink()
    with pytest.raises(CaosError, match="has no instance maps"):
        validity(open_dataset(tiny_set))


def test_validity_tells_a_change_far_from_the_hazard(tiny_set: Path) -> None:
    for sample in open_dataset(tiny_set).samples("test"):
        twin = tiny_set / "test/twins/test/t5" / sample.image.name
        twin.parent.mkdir(parents=True, exist_ok=True)
        picture = read_image(sample.image).copy()
        picture[0, 0] = 255 - picture[0, 0]
        Image.fromarray(picture).save(twin)
    rows = {r["distance_from_hazard"]: r for r in validity(open_dataset(tiny_set)).twins}
    assert rows["0-4 px"]["changed_percent"] == 0
    assert rows["16-64 px"]["changed_percent"] == pytest.approx(100 / (rows["16-64 px"]["pixels"] / 3), rel=1e-6)
    assert rows["16-64 px"]["apart_percent"] == rows["16-64 px"]["changed_percent"]


def test_validity_knows_a_shadow_by_its_being_joined_to_the_hazard(tiny_set: Path) -> None:
    sample = next(iter(open_dataset(tiny_set).samples("test")))
    assert sample.instances is not None
    hazard = read_instances(sample.instances) == 1
    rows, columns = np.nonzero(hazard)
    picture = read_image(sample.image).copy()
    shadow = np.s_[int(rows.max()) - 1, : int(columns.min()) - 1]
    picture[shadow] = 255 - picture[shadow]
    twin = tiny_set / "test/twins/test/t5" / sample.image.name
    twin.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(picture).save(twin)
    outcome = validity(open_dataset(tiny_set))
    assert sum(r["changed_percent"] for r in outcome.twins) > 0
    assert [r["apart_percent"] for r in outcome.twins] == [0] * len(outcome.twins)


def test_separation_of_borders_is_an_auroc_of_pairs() -> None:
    def one(kind: str, pixels: int, value: float) -> _Object:
        return _Object(kind, pixels, np.full(3, value))

    small = [one("car", 100, value) for value in (1.0, 2.0, 3.0, 4.0, 5.0)]
    large = [one("pedestrian", 5000, value) for value in (9.0, 9.0, 9.0, 9.0)]
    row = _border_rows([one("anomaly", 5000, 7.0), *small, *large])[0]
    assert row["separation_auroc"] == pytest.approx(5 / 9)
    assert row["same_size_auroc"] == 1.0
    assert row["class_auroc"] == {"car": 1.0}
    assert row["among_ordinary_auroc"] is None
    people = [one("pedestrian", 100, value) for value in (3.5, 3.5, 3.5, 3.5, 3.5)]
    assert _border_rows([one("anomaly", 100, 7.0), *small, *people])[0]["among_ordinary_auroc"] == pytest.approx(0.6)
    assert _border_rows(small) == []


def test_a_class_that_a_large_split_never_shows_is_named(tiny_set: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scenes.audit.FEWEST_FOR_CLASSES", 3)
    missing = [p for p in audit(open_dataset(tiny_set), workers=1).problems if p.rule == "class missing"]
    assert {p.file for p in missing} == {"train", "test"}
    assert "no pixel of 'pedestrian' in 3 images" in {p.detail for p in missing}
    assert not any("'road' " in p.detail for p in missing)
