"""A set made on the embedded server: what it holds, and that nothing but its recipe decides what it holds."""

from __future__ import annotations

import dataclasses
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import cv2
import numpy as np
import psutil
import pytest
from PIL import Image

from caos.assets.catalogue.library import Library
from caos.foundation.errors import CaosError, LostError
from caos.foundation.storage.identity import Numerics
from caos.foundation.storage.png import write_png
from caos.scenes.dataset.audit import audit
from caos.scenes.dataset.layout import open_dataset, read_image, read_instances
from caos.scenes.dataset.slot_files import finished_slot, write_slot
from caos.scenes.exporting.formats import export_set
from caos.scenes.generation import checking, filming, scene_maker
from caos.scenes.generation.generate import Place, SlotWorkFactory, generate
from caos.scenes.generation.placing import HazardPlacer, PlacedHazards
from caos.scenes.generation.rerender import changed, rerender
from caos.scenes.generation.scene_maker import SceneMaker
from caos.scenes.scene import read_scene
from caos.scenes.viewing.validity import validity
from caos.simulator.session import Session
from tests.integration.little import HAZARDS, OPTIONS, PLACE, RECIPE, SIZE, TOWN

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
ROOT = Path(__file__).resolve().parents[2]


def tree(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def test_it_passes_its_own_audit(little_set: Path) -> None:
    outcome = audit(open_dataset(little_set), workers=1)
    assert [vars(problem) for problem in outcome.problems] == []
    assert outcome.counts == {"train": 1, "val": 1, "test": 3}
    assert outcome.sizes == {"160x96": 5}


def test_hazards_are_seen_and_stand_on_the_ground(little_set: Path) -> None:
    rows = open_dataset(little_set).manifest()
    hazards = [hazard for row in rows.values() for hazard in row["hazards"]]
    assert len(hazards) >= 3
    for hazard in hazards:
        assert hazard["pixels"] >= HAZARDS.min_image_share * SIZE[0] * SIZE[1]
        assert hazard["occluded_share"] <= 1 - HAZARDS.min_visible_share
        assert 3 < hazard["distance_m"] < 62
    assert all(not row["hazards"] for key, row in rows.items() if not key.startswith("test/"))


def test_depth_and_instances_agree_about_a_hazard(little_set: Path) -> None:
    dataset = open_dataset(little_set)
    rows = dataset.manifest()
    for sample in dataset.samples("test"):
        assert sample.depth is not None
        assert sample.instances is not None
        depth_m = np.asarray(Image.open(sample.depth)).astype(float) / 100
        instances = read_instances(sample.instances)
        for hazard in rows[sample.key]["hazards"]:
            nearest = depth_m[instances == hazard["instance_id"]].min()
            reach = float(np.linalg.norm(hazard["size_m"]))
            assert hazard["distance_m"] - reach < nearest * 1.5
            assert nearest < hazard["distance_m"] + reach


def test_a_twin_is_the_same_frame_but_for_the_hazard(little_set: Path) -> None:
    for sample in open_dataset(little_set).samples("test"):
        assert sample.twin is not None
        assert sample.instances is not None
        instances = read_instances(sample.instances)
        hazard = (instances > 0) & (instances < 101)
        change = np.abs(read_image(sample.image).astype(int) - read_image(sample.twin)).max(-1)
        far = cv2.distanceTransform((~hazard).astype(np.uint8), cv2.DIST_L2, 5) > 40
        assert change[hazard].mean() > 10
        assert (change[far] > 8).mean() < 0.02


def test_validity_can_be_measured(little_set: Path) -> None:
    outcome = validity(open_dataset(little_set))
    assert outcome.images == 3
    assert outcome.twins[0]["changed_percent"] > outcome.twins[-2]["changed_percent"]


def test_exports_hold_every_hazard(little_set: Path, tmp_path: Path) -> None:
    export_set(open_dataset(little_set), "smiyc", tmp_path / "smiyc")
    masks = sorted((tmp_path / "smiyc" / "labels_masks").glob("*_semantic.png"))
    counts = [int((np.asarray(Image.open(mask)) == 1).sum()) for mask in masks]
    rows = open_dataset(little_set).manifest()
    assert counts == [sum(h["pixels"] for h in rows[f"test/{key}"]["hazards"]) for key in ("t5/1", "t5/2", "t6/3")]


def test_anomaly_seg_reads_it(little_set: Path) -> None:
    """Its loader: a list of JSON records, labels in mode L and of the image's size, value - 1, anomalies 13."""
    for listed, count in (("train/train.odgt", 1), ("train/validation.odgt", 1), ("test/test.odgt", 3)):
        text = (little_set / listed).read_text()
        assert len(text.splitlines()) == 1
        records = json.loads(text)
        assert [r["fpath_img"] for r in records] == sorted(r["fpath_img"] for r in records)
        assert len(records) == count
        for record in records:
            base = (little_set / listed).parent
            image, segm = Image.open(base / record["fpath_img"]), Image.open(base / record["fpath_segm"])
            assert segm.mode == "L"
            assert image.convert("RGB").size == segm.size == (record["width"], record["height"]) == SIZE
            ids = np.asarray(segm).astype(int) - 1
            assert ids.min() >= 0
            assert ids.max() <= 13
            assert (ids == 13).any() == listed.startswith("test")


def test_pytorch_ood_reads_it(little_set: Path, tmp_path: Path) -> None:
    from pytorch_ood.dataset.img import StreetHazards

    home = tmp_path / "streethazards"
    shutil.copytree(little_set, home)
    for name in ("streethazards_train.tar", "streethazards_test.tar"):
        (home / name).touch()
    for subset, count in (("train", 1), ("validation", 1), ("test", 3)):
        loaded = StreetHazards(str(tmp_path), subset=subset, download=False)
        assert len(loaded) == count
        image, labels = loaded[0]
        assert image.size == SIZE
        ids = np.asarray(labels)
        assert ids.shape == SIZE[::-1]
        assert ids.max() <= 12
        # It says -1 for anomalies.
        assert ids.min() == (-1 if subset == "test" else 0)
    first = open_dataset(little_set).manifest()["test/t5/1"]
    assert (np.asarray(loaded[0][1]) == -1).sum() == sum(hazard["pixels"] for hazard in first["hazards"])


def test_a_saved_scene_renders_to_the_same_bytes_and_can_be_changed(little_set: Path, tmp_path: Path) -> None:
    scene = read_scene(little_set / "scenes/test/t6/3.json")
    rerender(scene, tmp_path / "same", simulator="embedded", quality="draft", library=None)
    for name, kind in (("image", "images"), ("annotation", "annotations"), ("instances", "instances")):
        made = (little_set / f"test/{kind}/test/t6/3.png").read_bytes()
        assert (tmp_path / "same" / f"{name}.png").read_bytes() == made
    assert read_scene(tmp_path / "same" / "scene.json") == scene


def test_a_frame_owes_nothing_to_the_frames_before_it(little_set: Path) -> None:
    rows = [json.loads(line) for line in (little_set / "manifest.jsonl").read_text().splitlines()]
    with Session.open(quality=PLACE.quality, town=rows[0]["town"]) as session:
        for row in reversed(rows):
            made = filming.record(session, read_scene(little_set / "scenes" / f"{row['key']}.json"))
            assert np.array_equal(made.rgb, read_image(little_set / row["files"]["image"]["path"])), row["key"]


OBJECTS = ("sofa_01", "cow_01", "bathtub_01")


def test_only_hazards_need_a_look_before_the_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    slots = {slot.split: slot for slot in RECIPE.slots()}
    with Session.open(quality=PLACE.quality, town=TOWN) as session:
        maker = SceneMaker(session, Library.open(None), seed=4, twins=True)
        maker.make(slots["train"], ())
        assert session.seconds["labels"] == 0 < session.seconds["pictures"]
        maker.make(slots["test"], OBJECTS)
        assert session.seconds["labels"] > 0
        monkeypatch.setattr(checking, "LEAST_ROAD_SHARE", 2.0)
        monkeypatch.setattr(scene_maker, "VIEW_TRIES", 2)
        with pytest.raises(CaosError, match=r"val/t4/1: no view of Town02 passed in 2 tries \(2 x view: no road\)"):
            maker.make(slots["val"], ())


def test_a_hazard_that_the_simulator_refuses_is_drawn_again(
    little_set: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slot = next(slot for slot in RECIPE.slots() if slot.key == "test/t5/1")
    good = read_scene(little_set / f"scenes/{slot.key}.json")
    car = dataclasses.replace(good.hazards[0], pose=good.vehicles[0].pose)
    crashed = dataclasses.replace(good, hazards=(car, *good.hazards[1:]))
    planned = iter([PlacedHazards(crashed, Counter()), PlacedHazards(good, Counter())])
    monkeypatch.setattr(HazardPlacer, "place", lambda *_: next(planned))
    library = Library.open(None)
    with Session.open(quality=PLACE.quality, town=TOWN) as session:
        made = SceneMaker(session, library, seed=4, twins=True).make(slot, OBJECTS)
        assert made.refused["frame: refused"] == 1
        with pytest.raises(CaosError, match=f"refused static.prop.{car.object} at .*: something is in the way"):
            filming.record(session, crashed)
    write_slot(tmp_path, slot, made, library, depth=True)
    assert (tmp_path / slot.path("images")).read_bytes() == (little_set / slot.path("images")).read_bytes()


def test_changes_to_a_scene(little_set: Path) -> None:
    scene, library = read_scene(little_set / "scenes/test/t5/1.json"), Library.open(None)
    other = changed(scene, weather="fog", hazard="zebra_01", size=(64, 48), library=library)
    assert (other.weather_name, other.hazards[0].object, other.camera.width) == ("fog", "zebra_01", 64)
    assert np.allclose(other.hazards[0].pose.location, scene.hazards[0].pose.location, atol=1.5)
    assert abs(other.hazards[0].pose.roll_deg) < 15
    assert changed(scene, without_hazards=True, library=library).hazards == ()
    with pytest.raises(CaosError, match="no hazard to replace"):
        changed(scene.without_hazards(), hazard="zebra_01", library=library)
    with pytest.raises(CaosError, match="zebra_1"):
        changed(scene, hazard="zebra_1", library=library)


def begin(root: Path, *options: str) -> subprocess.Popen[bytes]:
    """Start to make the little set in another process; returns when its first scene is there."""
    command = [sys.executable, "-m", "tests.integration.little", str(root), *options]
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)})
    deadline = time.monotonic() + 600
    while not list(root.glob("scenes/*/*/*.json")) and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
    return process


def test_a_ray_cluster_makes_the_same_set_though_a_worker_dies(little_set: Path, tmp_path: Path) -> None:
    pytest.importorskip("ray")
    process = begin(tmp_path / "set", "--ray")
    try:
        workers = [p for p in psutil.Process(process.pid).children(recursive=True) if "ray::_Worker" in p.name()]
        assert workers
        workers[0].kill()
        assert process.wait(600) == 0
    finally:
        process.kill()
    assert tree(tmp_path / "set") == tree(little_set)


def test_killed_and_finished_by_two_workers_it_is_the_same_set(little_set: Path, tmp_path: Path) -> None:
    root = tmp_path / "set"
    process = begin(root)
    process.send_signal(signal.SIGKILL)
    process.wait()
    # What a death in the middle of writing leaves behind.
    (root / "test/images/test/t5").mkdir(parents=True, exist_ok=True)
    (root / "test/images/test/t5/.2.abc.part.png").write_bytes(b"half a picture")
    done = len(list(root.glob("scenes/*/*/*.json")))
    assert 1 <= done < 5
    summary = generate(RECIPE, root, place=dataclasses.replace(PLACE, workers=2), **OPTIONS)
    assert (summary.made, summary.kept) == (5 - done, done)
    assert tree(root) == tree(little_set)


def test_a_worker_whose_simulator_died_goes_on_with_a_new_one(
    little_set: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = [slot for slot in RECIPE.slots() if slot.part.hazards is None]
    work = SlotWorkFactory(PLACE, tmp_path, {}, **OPTIONS)(0)
    try:
        work(first)
        assert work._session is not None
        assert work._session._server is not None
        os.kill(work._session._server.pid, signal.SIGKILL)
        # Only the dead one is waited for in vain: its successor may take its time on a busy machine.
        work._session._client.set_timeout(1.0)
        with (
            monkeypatch.context() as impatient,
            pytest.raises(LostError, match="embedded: the simulator failed to answer "),
        ):
            impatient.setattr("caos.simulator.session.CALL_PATIENCE_S", 1.0)
            work(second)
        work(second)
    finally:
        work.close()
    for slot in (first, second):
        assert (tmp_path / slot.path("images")).read_bytes() == (little_set / slot.path("images")).read_bytes()


def test_a_machine_builds_its_towns_before_the_first_frame(
    little_set: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAOS_CACHE", str(tmp_path / "cache"))
    recipe = RECIPE.resized({"train": 1, "val": 0, "test": 0})
    summary = generate(recipe, tmp_path / "set", place=PLACE, **OPTIONS)
    assert [path.name.split("-")[0] for path in (tmp_path / "cache/towns").iterdir()] == [TOWN]
    assert summary.seconds["building"] > 0
    used = summary.processor
    parts = sum(used[key] for key in ("pictures", "labels", "towns", "files"))
    assert min(used["pictures"], used["towns"], used["files"]) > 0 == used["labels"]
    assert parts < used["all"] < 1.5 * parts
    first = "train/images/training/t1-3/1.png"
    assert (tmp_path / "set" / first).read_bytes() == (little_set / first).read_bytes()


def test_a_finished_set_is_left_alone(little_set: Path) -> None:
    before = tree(little_set)
    summary = generate(RECIPE, little_set, place=PLACE, **OPTIONS)
    assert (summary.made, summary.kept) == (0, 5)
    assert summary.seconds["building"] == 0
    assert tree(little_set) == before


def test_other_folders_are_refused(little_set: Path, tmp_path: Path) -> None:
    with pytest.raises(CaosError, match="seed was 4, is 5"):
        generate(RECIPE, little_set, place=PLACE, **(OPTIONS | {"seed": 5}))
    with pytest.raises(CaosError, match='quality was "draft", is "high"'):
        generate(RECIPE, little_set, place=Place(quality="high"), **OPTIONS)
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(CaosError, match="is not empty and holds no set"):
        generate(RECIPE, tmp_path, place=PLACE, **OPTIONS)
    assert [p.name for p in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_set_that_cannot_begin_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(CaosError, match="simulator 'nowhere' is neither"):
        generate(RECIPE, tmp_path / "set", place=Place(simulators=("nowhere",)), **OPTIONS)
    with pytest.raises(CaosError, match="the set would have no images"):
        generate(RECIPE.resized({"train": 0, "val": 0, "test": 0}), tmp_path / "set", place=PLACE, **OPTIONS)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_does_not_fit_leaves_nothing(tmp_path: Path) -> None:
    """A limit on the size of files fails the way a full disk does: in the middle of writing."""
    noise = np.random.default_rng(0).integers(0, 255, (96, 160, 3), dtype=np.uint8)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    try:
        with pytest.raises(CaosError, match=r"cannot write .*1\.png: File too large"):
            write_png(tmp_path / "1.png", noise)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert list(tmp_path.iterdir()) == []
    write_png(tmp_path / "1.png", noise)
    assert (read_image(tmp_path / "1.png") == noise).all()


def test_what_changed_is_named_before_a_set_is_gone_on_with(little_set: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("caos.scenes.dataset.identity.NUMERICS", Numerics("scenes", 999))
    with pytest.raises(CaosError, match=r"numerics.scenes was \d+, is 999"):
        generate(RECIPE, little_set, place=PLACE, **OPTIONS)
    monkeypatch.undo()
    monkeypatch.setattr("caos.scenes.dataset.identity.town_digest", lambda town: "another")
    with pytest.raises(CaosError, match=rf'towns.{TOWN} was "[0-9a-f]{{16}}", is "another"'):
        generate(RECIPE, little_set, place=PLACE, **OPTIONS)


def test_a_file_cut_short_is_made_again(little_set: Path, tmp_path: Path) -> None:
    root = tmp_path / "set"
    shutil.copytree(little_set, root)
    cut = root / "train/images/training/t1-3/1.png"
    cut.write_bytes(cut.read_bytes()[:500])
    label = root / "train/annotations/validation/t4/1.png"
    write_png(label, np.full(SIZE[::-1], 8, np.uint8))
    (root / "scenes/test/t5/1.json").write_text("{")
    slots = {slot.key: slot for slot in RECIPE.slots()}
    found = [key for key, slot in slots.items() if finished_slot(root, slot) is None]
    assert found == ["train/t1-3/1", "val/t4/1", "test/t5/1"]
    summary = generate(RECIPE, root, place=PLACE, **OPTIONS)
    assert (summary.made, summary.kept) == (3, 2)
    assert tree(root) == tree(little_set)


def test_a_bug_of_ours_is_not_called_a_lost_simulator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("a bug of ours")

    monkeypatch.setattr("caos.scenes.generation.planning.viewpoint", fail)
    work = SlotWorkFactory(PLACE, tmp_path, {}, **OPTIONS)(0)
    try:
        with pytest.raises(RuntimeError, match="^a bug of ours$") as caught:
            work(next(iter(RECIPE.slots())))
    finally:
        work.close()
    assert not isinstance(caught.value, CaosError)
