from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from caos.foundation.errors import CaosError
from caos.foundation.storage.files import write_json, write_jsonl
from caos.scenes.dataset import audit as audit_module
from caos.scenes.dataset.audit import audit
from caos.scenes.dataset.layout import (
    open_dataset,
    read_class_ids,
    read_image,
    read_instance_ids,
    read_instances,
    read_odgt,
)
from caos.scenes.dataset.writer import SetDescription, SetFile, SetImage, file_of, write_set
from caos.scenes.labels import STREETHAZARDS
from caos.scenes.viewing.overview import contact_sheet, describe
from caos.scenes.viewing.validity import _border_rows, _Object, validity


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


def test_grey_pictures_of_16_bits_are_scaled_and_of_32_refused(tmp_path: Path) -> None:
    ramp = np.linspace(0, 65535, 256).round().astype(np.uint16).reshape(16, 16)
    Image.fromarray(ramp).save(tmp_path / "grey.png")
    assert read_image(tmp_path / "grey.png")[..., 1].ravel().tolist() == list(range(256))
    Image.fromarray(ramp.astype(np.int32)).save(tmp_path / "grey.tiff")
    with pytest.raises(CaosError, match=r"grey.tiff: a picture of mode 'I' has no known white"):
        read_image(tmp_path / "grey.tiff")
    Image.fromarray(np.float32(ramp) / 65535).save(tmp_path / "float.tiff")
    with pytest.raises(CaosError, match="mode 'F' has no known white"):
        read_image(tmp_path / "float.tiff")


def test_instance_maps_of_more_bits_are_refused(tmp_path: Path) -> None:
    Image.fromarray(np.full((4, 4), 70000, np.int32)).save(tmp_path / "ids.tiff")
    with pytest.raises(CaosError, match="not a map of instance ids: mode 'I'"):
        read_instances(tmp_path / "ids.tiff")
    Image.new("RGB", (4, 4)).save(tmp_path / "ids.png")
    with pytest.raises(CaosError, match="not a map of instance ids: mode 'RGB'"):
        read_instances(tmp_path / "ids.png")


def test_labels_and_instances_of_another_size_than_the_picture_are_refused(tiny_set: Path) -> None:
    dataset = open_dataset(tiny_set)
    sample = dataset.samples("test")[0]
    assert sample.instances is not None
    Image.new("RGB", (7, 5)).save(sample.image)
    for read in (lambda: read_class_ids(sample, dataset.labels), lambda: read_instance_ids(sample)):
        with pytest.raises(CaosError, match=r"is 7x5 but its .* are \d+x\d+; they must have the same size"):
            read()


def test_a_pipe_in_place_of_a_picture_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "1.png")
    with pytest.raises(CaosError, match="it is not a file"):
        read_image(tmp_path / "1.png")


def test_an_image_listed_thrice_is_refused_and_found_by_the_audit(tiny_set: Path) -> None:
    rows = json.loads((tiny_set / "test/test.odgt").read_text())
    (tiny_set / "test/test.odgt").write_text(json.dumps([*rows, rows[0], rows[0]]))
    with pytest.raises(CaosError, match="lists image 'test/t5/1' 3 times"):
        open_dataset(tiny_set)
    found = [p for p in audit(open_dataset(tiny_set, strict=False)).problems if p.level == "error"]
    assert [(p.rule, p.file) for p in found] == [("listed twice", "test/t5/1")]


def test_a_label_table_that_changed_is_refused_and_found_by_the_audit(tiny_set: Path) -> None:
    write_json(
        tiny_set / "dataset.json", {"name": "x", "labels": {"name": "streethazards", "digest": "0123456789abcdef"}}
    )
    with pytest.raises(CaosError, match="of digest 0123456789abcdef, but the one known here has"):
        open_dataset(tiny_set)
    found = audit(open_dataset(tiny_set, strict=False)).problems
    assert {problem.rule for problem in found} == {"label table changed"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"name": "sky"}, "PNG value 4 has name 'sky', but 'other' in label table 'streethazards'"),
        ({"role": "anomaly"}, "PNG value 4 has role 'anomaly', but 'train' in label table 'streethazards'"),
        ({"class_id": 0}, "PNG value 4 has class_id 0, but 3 in label table 'streethazards'"),
        ({"png_value": 40}, "PNG value 40 ('other') is not in label table 'streethazards'"),
    ],
)
def test_classes_that_contradict_the_named_table_are_refused_and_found_by_the_audit(tiny_set, change, words) -> None:
    classes = [dataclasses.asdict(row) for row in STREETHAZARDS.classes]
    described = {"name": "x", "labels": {"name": "streethazards"}}
    write_json(tiny_set / "dataset.json", described | {"classes": classes})
    assert open_dataset(tiny_set).labels is STREETHAZARDS
    assert audit(open_dataset(tiny_set)).errors == 0
    classes[3] |= change
    write_json(tiny_set / "dataset.json", described | {"classes": classes})
    with pytest.raises(CaosError, match=re.escape(f"dataset.json: {words}; correct the classes")):
        open_dataset(tiny_set)
    found = audit(open_dataset(tiny_set, strict=False)).problems
    assert [(p.rule, p.detail) for p in found] == [("classes contradict the label table", words)]


def test_a_table_of_another_family_is_refused(tiny_set: Path) -> None:
    assert open_dataset(tiny_set, "streethazards-12").labels.num_classes == 12
    with pytest.raises(
        CaosError, match="labelled with 'streethazards' and cannot be read with 'bdd-anomaly': PNG value 2"
    ):
        open_dataset(tiny_set, "bdd-anomaly")


def test_a_set_brings_its_own_table_where_the_name_is_not_known(tiny_set: Path) -> None:
    table = dataclasses.replace(STREETHAZARDS, name="/elsewhere/table.toml")
    images = [
        SetImage(sample.split, (48, 32), {"annotation": SetFile(f"{sample.annotation.relative_to(tiny_set)}", "")}, {})
        for sample in open_dataset(tiny_set).samples("test")
    ]
    write_set(tiny_set, images, SetDescription("Mine", table, {}, {}))
    dataset = open_dataset(tiny_set)
    assert (dataset.name, dataset.labels) == ("Mine", table)
    assert list(dataset.manifest()) == [sample.key for sample in dataset.samples("test")]


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
        ("[" * 100_000, "is not an .odgt list"),
        ('[{"fpath_img": "a.png", "fpath_segm": "b.png"}]', "path 'a.png' is not below images/"),
        ('[{"fpath_img": 3, "fpath_segm": "b.png"}]', "entry[0]: key 'fpath_img': 3 is not of type str"),
        ('[{"fpath_img": "a/\\ud800.png", "fpath_segm": "b/c.png"}]', "is not text in Unicode"),
        ('[{"fpath_img": "a/' + "x" * 300 + '", "fpath_segm": "b/c.png"}]', "a name of more than 255 bytes"),
        ('[{"fpath_img": "images/a.png", "fpath_segm": "annotations\\\\b.png"}]', "is not below images/"),
    ],
)
def test_a_bad_list_is_one_line(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "a.odgt").write_text(text)
    with pytest.raises(CaosError, match="a.odgt") as caught:
        read_odgt(tmp_path / "a.odgt")
    assert words in str(caught.value)


def test_lists_with_one_object_a_line_are_read(tmp_path: Path) -> None:
    (tmp_path / "a.odgt").write_text(
        '{"fpath_img": "i/1", "fpath_segm": "s/1"}\n{"fpath_img": "j/1", "fpath_segm": "t/1"}\n'
    )
    assert read_odgt(tmp_path / "a.odgt") == [("i/1", "s/1"), ("j/1", "t/1")]


def test_no_set_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(CaosError, match="is not a folder"):
        open_dataset(tmp_path / "none")
    with pytest.raises(CaosError, match="holds no dataset"):
        open_dataset(tmp_path)
    (tmp_path / "dataset.json").write_text("[]")
    with pytest.raises(CaosError, match=r"dataset.json: \[\] is not a table"):
        open_dataset(tmp_path)


def test_an_empty_split_and_a_foreign_manifest_are_named(tiny_set: Path) -> None:
    (tiny_set / "train/train.odgt").write_text("[]")
    with pytest.raises(CaosError, match="has no 'train' images"):
        open_dataset(tiny_set).samples("train")
    (tiny_set / "manifest.jsonl").write_text('{"schema": 9}\n')
    with pytest.raises(CaosError, match="line 1: not a manifest row"):
        open_dataset(tiny_set).manifest()


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ({"hazards": 3}, "line 1: key 'hazards': 3 is not a list"),
        ({"hazards": [{"pixels": "many"}]}, "key 'pixels': 'many' is not of type int"),
        ({"files": {"image": "x.png"}}, "files'.image: 'x.png' is not a table"),
        ({"rejected": {"too small": None}}, "too small: None is not of type int"),
        ({"weather": []}, "key 'weather': [] is not a table"),
        ({"split": "best"}, "key 'split': 'best' is not one of train, val, test"),
    ],
)
def test_a_row_of_the_manifest_has_a_declared_shape(tiny_set: Path, row: dict[str, object], words: str) -> None:
    (tiny_set / "manifest.jsonl").write_text(json.dumps({"schema": 1, "key": "test/t5/1", **row}) + "\n")
    with pytest.raises(CaosError) as caught:
        open_dataset(tiny_set).manifest()
    assert words in str(caught.value)


def test_an_image_has_one_row_of_the_manifest_and_unknown_keys_are_kept(tiny_set: Path) -> None:
    row = json.dumps({"schema": 1, "key": "test/t5/1", "mood": [1, {"a": 2}]}) + "\n"
    (tiny_set / "manifest.jsonl").write_text(row)
    assert open_dataset(tiny_set).manifest()["test/t5/1"]["mood"] == [1, {"a": 2}]
    (tiny_set / "manifest.jsonl").write_text(row + row)
    with pytest.raises(CaosError, match="line 2: image 'test/t5/1' already has a row"):
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


@pytest.mark.parametrize("kind", ["image", "annotation", "instances", "depth", "twin"])
def test_the_audit_compares_every_recorded_hash(tiny_set: Path, kind: str) -> None:
    sample = open_dataset(tiny_set).samples("test")[0]
    folder = {"image": "images", "annotation": "annotations", "twin": "twins"}.get(kind, kind)
    path = tiny_set / f"test/{folder}/test/t5/1.png"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(path.read_bytes() if path.exists() else sample.image.read_bytes())
    rows = [json.loads(line) for line in (tiny_set / "manifest.jsonl").read_text().splitlines()]
    row = next(row for row in rows if row["key"] == sample.key)
    row["files"] = {kind: asdict(file_of(tiny_set, f"test/{folder}/test/t5/1.png"))}
    write_jsonl(tiny_set / "manifest.jsonl", rows)
    assert audit(open_dataset(tiny_set)).problems == ()
    Image.open(path).save(path, compress_level=0)
    found = audit(open_dataset(tiny_set)).problems
    assert [(p.rule, p.file) for p in found] == [("changed since made", str(path))]
    path.unlink()
    assert "not on disk" in {problem.rule for problem in audit(open_dataset(tiny_set)).problems}


def test_hazards_in_training_are_right_where_the_set_says_so(tiny_set: Path) -> None:
    for kind, value in (("annotations", 14), ("instances", 1)):
        path = tiny_set / f"train/{kind}/training/t1-3/1.png"
        values = np.array(Image.open(path))
        values[0:6, 0:6] = value
        Image.fromarray(values).save(path)
    assert {p.rule for p in audit(open_dataset(tiny_set)).problems} == {"anomaly outside test"}
    info = json.loads((tiny_set / "dataset.json").read_text())
    info["parts"] = [{"split": "train", "folder": "t1-3", "objects": ["cow_01"]}]
    write_json(tiny_set / "dataset.json", info)
    assert audit(open_dataset(tiny_set)).problems == ()


def test_a_kind_in_training_and_test_is_found(tiny_set: Path) -> None:
    rows = [json.loads(line) for line in (tiny_set / "manifest.jsonl").read_text().splitlines()]
    for row in rows:
        kind = {"train": "sofa", "val": "cow", "test": "sofa"}[row["split"]]
        shown = {"object": f"{kind}_01", "kind": kind}
        row["hazards"] = [shown | ({"instance_id": 1, "pixels": 36} if row["split"] == "test" else {})]
    write_jsonl(tiny_set / "manifest.jsonl", rows)
    found = audit(open_dataset(tiny_set)).problems
    assert [(p.rule, p.file) for p in found] == [("kind on both sides", "sofa")]


def test_a_category_in_training_and_test_is_found_where_the_set_is_divided_by_it(tiny_set: Path) -> None:
    rows = [json.loads(line) for line in (tiny_set / "manifest.jsonl").read_text().splitlines()]
    for row in rows:
        kind = {"train": "sofa", "val": "chair", "test": "table"}[row["split"]]
        shown = {"object": f"{kind}_01", "kind": kind, "category": "furniture"}
        row["hazards"] = [shown | ({"instance_id": 1, "pixels": 36} if row["split"] == "test" else {})]
    write_jsonl(tiny_set / "manifest.jsonl", rows)
    assert audit(open_dataset(tiny_set)).problems == ()
    info = json.loads((tiny_set / "dataset.json").read_text())
    info["parts"] = [{"split": "test", "folder": "t5", "split_by": "category"}]
    write_json(tiny_set / "dataset.json", info)
    found = audit(open_dataset(tiny_set)).problems
    assert [(p.rule, p.file) for p in found] == [("category on both sides", "furniture")]


def test_two_processes_find_the_same_as_one(tiny_set: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _damage(tiny_set, "illegal value")
    _damage(tiny_set, "missing image")
    alone = audit(open_dataset(tiny_set), workers=1)
    monkeypatch.setattr(audit_module, "FEWEST_FOR_WORKERS", 1)
    assert audit(open_dataset(tiny_set), workers=2).to_json() == alone.to_json()


def test_describe_and_contact_sheet(tiny_set: Path, tmp_path: Path) -> None:
    dataset = open_dataset(tiny_set)
    tables = describe(dataset)
    assert tables.counts == {"train": 3, "val": 2, "test": 3}
    assert (tables.hazards, tables.objects, tables.categories) == (3, 1, {"furniture": 3})
    assert tables.rejected == {"hazard: kerb": 16}
    contact_sheet(dataset, tmp_path / "sheet.png", per_split=2, columns=3)
    assert Image.open(tmp_path / "sheet.png").size == (960, 2 * (18 + 2 * 213))


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
        return _Object(0, kind, pixels, np.full(3, value))

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


def test_the_interval_of_a_separation_resamples_images() -> None:
    def row(hazards: list[float], ordinary: list[float]) -> list[float]:
        kinds = (("anomaly", hazards), ("car", ordinary))
        objects = [_Object(i, k, 500, np.full(3, v)) for k, values in kinds for i, v in enumerate(values)]
        interval: list[float] = _border_rows(objects)[0]["separation_interval"]
        return interval

    assert row([5.0, 6.0, 7.0], [1.0, 2.0, 3.0]) == [1.0, 1.0]
    rng = np.random.default_rng(3)
    few, many = (np.diff(row(*rng.normal([[0.5], [0.0]], 1, (2, n)).tolist()))[0] for n in (20, 320))
    # Sixteen times the images, a quarter of the width.
    assert few / many == pytest.approx(4, rel=0.3)


def test_a_class_that_a_large_split_never_shows_is_named(tiny_set: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caos.scenes.dataset.audit.FEWEST_FOR_CLASSES", 3)
    missing = [p for p in audit(open_dataset(tiny_set), workers=1).problems if p.rule == "class missing"]
    assert {p.file for p in missing} == {"train", "test"}
    assert "no pixel of 'pedestrian' in 3 images" in {p.detail for p in missing}
    assert not any("'road' " in p.detail for p in missing)


def _change_row(root: Path, change: Callable[[dict[str, Any]], object], key: str = "test/t5/1") -> None:
    rows = [json.loads(line) for line in (root / "manifest.jsonl").read_text().splitlines()]
    for row in rows:
        if row["key"] == key:
            change(row)
    write_jsonl(root / "manifest.jsonl", rows)


def _hazard(**values: object) -> Callable[[dict[str, Any]], object]:
    return lambda row: row["hazards"][0].update(values)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (_hazard(distance_m=-5), "hazards[0].distance_m: -5.0 is not a number from 0 to 10000"),
        (_hazard(distance_m=1e300), "hazards[0].distance_m: 1e+300 is not a number from 0 to 10000"),
        (_hazard(nearest_m=-0.5), "hazards[0].nearest_m: -0.5 is not a number from 0 to 10000"),
        (_hazard(occluded_share=1.5), "hazards[0].occluded_share: 1.5 is not a number from 0 to 1"),
        (_hazard(contrast=-1), "hazards[0].contrast: -1.0 is not a number from 0 to 375"),
        (_hazard(scale=0), "hazards[0].scale: 0.0 is not a number from 0.0001 to 1000"),
        (_hazard(size_m=[1, 2]), "hazards[0].size_m: [1, 2] has 2 members, not 3"),
        (_hazard(open_share=2), "hazards[0].open_share: 2.0 is not a number from 0 to 1"),
        (_hazard(pose={"x": 1e9}), "hazards[0].pose.x: 1000000000.0 is not a number from -1e+06 to 1e+06"),
        (_hazard(box=[20, 20, 10, 26]), "hazards[0]: box [20, 20, 10, 26] is not in an image of 48x32"),
        (_hazard(box=[24, 20, 49, 26]), "hazards[0]: box [24, 20, 49, 26] is not in an image of 48x32"),
        (_hazard(instance_id=0), "hazards[0].instance_id: 0 is not a number from 1 to 65535"),
        (lambda row: row["hazards"].append(row["hazards"][0]), "hazards: instance_id 1 occurs 2 times"),
        (lambda row: row.update(camera={"width": 50, "height": 32}), "camera.width is 50, but the labels have 48"),
        (
            lambda row: row.update(cameras=[{"name": "a", "height": 9}]),
            "cameras[0].height is 9, but the labels have 32",
        ),
        (lambda row: row.update(camera={"fov_deg": 0}), "camera.fov_deg: 0.0 is not a number from 0.01 to 360"),
        (lambda row: row.update(split="val"), "split is val, but the image is listed in test"),
        (lambda row: row.update(seed=-1), "seed: -1 is not a number from 0"),
        (
            lambda row: row.update(weather={"fog_density": 101}),
            "weather.fog_density: 101.0 is not a number from -1 to 100",
        ),
        (lambda row: row.update(rejected={"kerb": -1}), "rejected.kerb: -1 is not a number from 0"),
        (
            lambda row: row.update(anomaly_pixels={"anomaly": 35}),
            "anomaly_pixels.anomaly is 35, but the labels have 36",
        ),
        (lambda row: row.update(sequence={"frame": 3, "frames": 3}), "sequence.frame 3 is not below sequence.frames 3"),
        (lambda row: row.update(sequence={"rate_hz": 0}), "sequence.rate_hz: 0.0 is not a number from 0.001"),
        (
            lambda row: row.update(files={"image": {"path": "test/a.png"}}),
            "files.image is test/a.png, not test/images/",
        ),
        (lambda row: row.update(files={"image": {"sha256": "xyz"}}), "files.image: 'xyz' is not a SHA-256"),
        (
            lambda row: row.update(lidar=[{"name": "t", "points": 3, "hazard_points": 4}]),
            "4 hazard_points are more than",
        ),
        (
            lambda row: row.update(boxes=[{"what": "vehicle", "seen": {"left": {"pixels": 1}}}]),
            "boxes[0].seen: no camera is called 'left'",
        ),
    ],
)
def test_values_of_the_manifest_out_of_their_range_are_found(
    tiny_set: Path, change: Callable[[dict[str, Any]], object], words: str
) -> None:
    assert audit(open_dataset(tiny_set)).errors == 0
    _change_row(tiny_set, change)
    found = [p for p in audit(open_dataset(tiny_set)).problems if p.rule == "manifest value"]
    assert [p.file for p in found] == [str(tiny_set / "manifest.jsonl")]
    assert found[0].detail.startswith("test/t5/1: ")
    assert words in found[0].detail


def test_wrong_sizes_of_lists_and_counts_and_an_empty_manifest_are_found(tiny_set: Path) -> None:
    lists = tiny_set / "test/test.odgt"
    rows = json.loads(lists.read_text())
    rows[1]["width"] = 49
    lists.write_text(json.dumps(rows))
    info = json.loads((tiny_set / "dataset.json").read_text())
    write_json(tiny_set / "dataset.json", info | {"counts": {"train": 3, "val": 2, "test": 4}})
    (tiny_set / "manifest.jsonl").write_text("")
    found = {p.rule: p.detail for p in audit(open_dataset(tiny_set)).problems if p.level == "error"}
    assert found == {
        "listed size": "its list says 49x32, but the labels are 48x32",
        "wrong count": "counts.test is 4, but the lists name 3 images",
        "empty manifest": "it has no row, but the lists name 8 images",
    }


@pytest.mark.parametrize("of", ["1", "2"])
def test_a_label_file_as_image_is_found(tiny_set: Path, of: str) -> None:
    image = tiny_set / "test/images/test/t5/1.png"
    image.write_bytes((tiny_set / f"test/annotations/test/t5/{of}.png").read_bytes())
    (problem,) = [p for p in audit(open_dataset(tiny_set)).problems if p.rule == "label as image"]
    assert (problem.level, problem.file) == ("error", str(image))


def test_hazards_that_the_instances_lose_are_named(tiny_set: Path) -> None:
    path = tiny_set / "test/instances/test/t5/1.png"
    instances = np.array(Image.open(path))
    instances[20:26, 24:27], instances[0, :3] = 0, 5
    Image.fromarray(instances).save(path)
    found = [p.detail for p in audit(open_dataset(tiny_set)).problems if p.level == "error"]
    assert found == [
        "21 pixels disagree; 18 anomalous pixels have no instance; hazard 5 has 3 pixels with an ordinary label",
        "hazard 5 has 3 px, but the manifest does not list it",
        "hazard 1: manifest says 36 px, the map has 18",
    ]


def test_two_images_of_one_name_are_refused_by_their_files(tmp_path: Path) -> None:
    for suffix in ("png", "jpg"):
        path = tmp_path / f"test/images/test/t5/1.{suffix}"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (8, 8)).save(path)
    with pytest.raises(CaosError, match=r"lists image 'test/t5/1' 2 times \(.*1.jpg and .*1.png\)"):
        open_dataset(tmp_path)
