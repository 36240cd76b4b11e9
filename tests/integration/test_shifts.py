"""Shifted scenes on the embedded server: what changes, what stays, the sets made of them and the studies on these."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from caos.assets.catalogue.library import Library
from caos.foundation.errors import CaosError
from caos.scenes.dataset.audit import audit
from caos.scenes.dataset.layout import open_dataset, read_image, read_png_values
from caos.scenes.generation import filming
from caos.scenes.generation.filming import VIEW_OUTPUTS, capture, stage
from caos.scenes.scene import Scene
from caos.scenes.shifting import exposure
from caos.scenes.shifting.change import ImpossibleError, parse_change
from caos.scenes.shifting.objects import shifted_library
from caos.scenes.shifting.shift import ShiftOptions, shift_set, shift_sets
from caos.scenes.shifting.shifter import SceneShifter
from caos.scenes.shifting.slot import ShiftedSlot, slots_of
from caos.simulator.session import Session
from caos.studies.perturbations.perturbation import bring_back_by_places
from caos.studies.perturbations.rendered import MOTIONS, places_in
from caos.studies.rendered.study import RenderedSettings, study_rendered
from caos.studies.shifts.study import ShiftSettings, study_shifts
from tests.integration.little import PLACE, TOWN
from tests.ood_scores import little

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="module")
def slots(little_set: Path) -> list[ShiftedSlot]:
    return [replace(slot, twin=False, depth=False) for slot in slots_of(open_dataset(little_set), "test")]


@pytest.fixture(scope="module")
def slot(slots: list[ShiftedSlot]) -> ShiftedSlot:
    return slots[0]


@pytest.fixture(scope="module")
def shifter(slots: list[ShiftedSlot], tmp_path_factory) -> Iterator[SceneShifter]:
    changes = [parse_change("hazard.size=0.9")]
    names = [hazard.object for slot in slots for hazard in slot.scene.hazards]
    folder = shifted_library(tmp_path_factory.mktemp("objects"), names, changes, None)
    with Session.open(quality="draft", town=TOWN, library=folder) as session:
        cameras = [(slot.scene.town, slot.scene.camera.pose) for slot in slots]
        yield SceneShifter(session, Library.open(folder), ("sofa_01", "cow_01", "bathtub_01"), cameras, 0)


def made(shifter: SceneShifter, slot: ShiftedSlot, text: str):
    return shifter.make(slot, [parse_change(text)])[0]


def camera_height(shifter: SceneShifter, scene: Scene) -> float:
    pose = scene.camera.pose
    found = shifter.session.project_to_ground(pose.x, pose.y, pose.z)
    assert found is not None
    return pose.z - found[0]


@pytest.mark.parametrize("change", ["weather=wet", "camera.defocus=0.004"])
def test_a_server_that_cannot_hide_hazards_has_them_removed_for_twins(
    shifter: SceneShifter, slot: ShiftedSlot, change: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a real CARLA server: its twin is like that of a server which hides them in the frame itself."""
    with_twin = replace(slot, twin=True)
    hidden = made(shifter, with_twin, change).pictures
    for module in (filming, exposure):
        monkeypatch.setattr(module, "can_clear", lambda _: False)
    removed = made(shifter, with_twin, change).pictures
    np.testing.assert_array_equal(removed.rgb, hidden.rgb)
    assert hidden.twin is not None
    assert removed.twin is not None
    hazard = (hidden.instances > 0) & (hidden.instances < 101)
    apart = np.abs(removed.twin.astype(int) - hidden.twin).max(-1)
    assert np.abs(hidden.rgb.astype(int) - hidden.twin).max(-1)[hazard].mean() > 10
    assert apart[hazard].mean() < 3
    assert apart.mean() < 1


def test_one_thing_changes_and_the_rest_stays(shifter: SceneShifter, slot: ShiftedSlot) -> None:
    low = made(shifter, slot, "camera.height_m=1.1").scene
    assert camera_height(shifter, low) == pytest.approx(1.1, abs=0.01)
    assert replace(low, camera=slot.scene.camera) == slot.scene
    smaller = made(shifter, slot, "hazard.size=0.9").scene
    assert [h.object for h in smaller.hazards] == [f"{h.object}_x900" for h in slot.scene.hazards]
    assert replace(smaller, hazards=slot.scene.hazards) == slot.scene
    assert made(shifter, slot, "hazard.number=0").scene == slot.scene.without_hazards()


def test_a_hazard_stands_where_it_is_told_to_or_the_reason_is_said(
    shifter: SceneShifter, slots: list[ShiftedSlot]
) -> None:
    reasons = []
    for slot in slots:
        try:
            moved = made(shifter, slot, "hazard.distance_m*=0.95").scene.hazards[0]
            break
        except ImpossibleError as reason:
            reasons.append(str(reason))
    assert len(reasons) < len(slots)
    assert all(reason.startswith("hazard") for reason in reasons)
    camera = np.array(slot.scene.camera.pose.location)
    before = slot.scene.hazards[0]
    old, new = (np.array(h.pose.location) - camera for h in (before, moved))
    assert np.linalg.norm(new) == pytest.approx(0.95 * np.linalg.norm(old), rel=0.02)
    assert old[:2] @ new[:2] / np.linalg.norm(old[:2]) / np.linalg.norm(new[:2]) == pytest.approx(1, abs=1e-3)
    with pytest.raises(ImpossibleError, match="hazard out of view"):
        made(shifter, slot, "camera.yaw_deg+=180")


def test_a_turning_camera_blurs_the_picture_and_not_the_labels(shifter: SceneShifter, slot: ShiftedSlot) -> None:
    sharp = made(shifter, slot, "camera.fov_deg=90").pictures
    record, about = shifter.make(slot, [parse_change("camera.shutter_turn_deg=6")])
    assert about["exposure"] == {"ahead_m": 0.0, "turn_deg": 6.0, "defocus": 0.0, "frames": 16}
    assert np.array_equal(record.pictures.annotation, sharp.annotation)
    across = [np.abs(np.diff(p.rgb.astype(float), axis=1)).mean() for p in (sharp, record.pictures)]
    assert across[1] < 0.75 * across[0]


def test_pixels_of_a_rolling_camera_are_found_again(shifter: SceneShifter, slot: ShiftedSlot) -> None:
    cast = stage(shifter.session, slot.scene)
    assert cast.hazards
    first = capture(shifter.session, slot.scene.camera, VIEW_OUTPUTS)
    for name, least in (("rotate", 0.6), ("tilt", 0.6), ("translate", 0.6)):
        camera = MOTIONS[name](slot.scene, 8, 11).camera
        frame = capture(shifter.session, camera, VIEW_OUTPUTS)
        assert frame.tags is not None
        assert first.tags is not None
        back, shown = bring_back_by_places(frame.tags, places_in(first, frame))
        assert shown.mean() > least, name
        assert (back == first.tags)[shown].mean() > 0.97, name
        assert (frame.tags == first.tags).mean() < (back == first.tags)[shown].mean(), name


def test_a_lens_bends_picture_and_labels_alike(shifter: SceneShifter, slot: ShiftedSlot) -> None:
    straight = made(shifter, slot, "camera.lens=pinhole").pictures
    bent = made(shifter, slot, "camera.lens=brown:-0.2,0.03,0,0").pictures
    # A barrel shows more of the scene: what was at the rim is nearer to the middle, and hazards are smaller.
    assert 10 < (bent.instances == 1).sum() < (straight.instances == 1).sum()
    hazard = bent.rgb[bent.instances == 1].astype(float).mean(0)
    assert np.abs(hazard - straight.rgb[straight.instances == 1].astype(float).mean(0)).max() < 25


def test_nothing_moves_in_another_country(shifter: SceneShifter, slot: ShiftedSlot) -> None:
    home = made(shifter, slot, "camera.lens=pinhole").pictures
    abroad = made(shifter, slot, "country=italy")
    assert abroad.scene.town == f"{slot.scene.town}@italy"
    assert replace(abroad.scene, town=slot.scene.town) == slot.scene
    assert (abroad.pictures.instances == home.instances).mean() > 0.995  # a sign may have another shape
    assert (abroad.pictures.annotation == home.annotation).mean() > 0.995
    assert np.abs(abroad.pictures.rgb.astype(float) - home.rgb).mean() > 1


def test_a_shifted_set_is_a_set_is_resumed_and_is_studied(little_set: Path, tmp_path: Path) -> None:
    out = tmp_path / "night"
    away = tmp_path / "away"
    wanted = {out: ["weather=night"], away: ["camera.yaw_deg+=180"]}
    summaries = shift_sets(little_set, wanted, ShiftOptions(images=2, place=PLACE))
    assert (summaries[out].made, summaries[out].kept, dict(summaries[out].left_out)) == (2, 0, {})
    assert dict(summaries[away].left_out) == {"hazard out of view": 2}
    assert not (away / "dataset.json").exists()
    with pytest.raises(CaosError, match=r"no scene of .* can be changed in this way \(2 x hazard out of view\)"):
        shift_set(little_set, wanted[away], away, images=2, place=PLACE)
    source, shifted = open_dataset(little_set), open_dataset(out)
    assert audit(shifted).errors == 0
    assert shifted.info["shift"]["changes"] == ["weather=night"]
    by_key = {sample.key: sample for sample in source.samples("test")}
    for sample in shifted.samples("test"):
        assert np.array_equal(read_png_values(sample.annotation), read_png_values(by_key[sample.key].annotation))
        assert read_image(sample.image).mean() < 0.5 * read_image(by_key[sample.key].image).mean()
        row = shifted.manifest()[sample.key]
        assert row["shift"] == {"changes": ["weather=night"]}
        assert row["weather"]["name"] == "night"
        assert sample.twin is not None
        assert sample.depth is not None
    again = shift_set(little_set, ["weather=night"], out, images=2, place=PLACE)
    assert (again.made, again.kept) == (0, 2)
    with pytest.raises(CaosError, match=r"made with other settings \(changes was"):
        shift_set(little_set, ["weather=fog"], out, images=2, place=PLACE)

    run = little.write_run(tmp_path / "run")
    settings = ShiftSettings(sets=(f"dark={out}",), scorers="msp,max_logit", device="cpu")
    study = study_shifts(little_set, [run], tmp_path / "study", settings=settings)
    numbers = study.content.details["numbers"]["run"]
    assert list(numbers) == ["iid", "dark"]
    assert numbers["dark"]["images"] == 2
    assert 0 <= numbers["dark"]["calibration_rms"] <= 1
    assert [e["name"] for e in study.content.details["examples"]] == ["iid", "dark"]
    assert "| run | MSP | mean of the shifts |" in study.markdown()
    assert (study.folder / "pictures/1.png").is_file()


def test_painted_and_rendered_fog_of_the_same_scenes(little_set: Path, tmp_path: Path) -> None:
    run = little.write_run(tmp_path / "run")
    settings = RenderedSettings("fog", "5", scorers="msp,max_logit,energy", images=2, device="cpu", place=PLACE)
    study = study_rendered(little_set, [run], tmp_path / "study", settings=settings)
    ranks = {rank["what"]: rank for rank in study.content.details["ranks"]}
    assert ranks["detectors"]["count"] == 3
    assert -1 <= ranks["detectors"]["spearman"] <= 1
    assert "runs" not in ranks
    assert [e["name"] for e in study.content.details["examples"]] == ["as it is", "fog-5, painted", "fog-5, rendered"]
    assert "| run | Fog | 5 | rendered | 2 |" in study.markdown()
    shutil.rmtree(study.folder / "sets")
