"""Protocols of studies follow from their sets, and studies of classes leave void out where scoring does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from caos.foundation.errors import CaosError
from caos.ood_scores.command import Request, run_request
from caos.ood_scores.measuring.metrics import measure
from caos.scenes.converting.photographs import convert_release
from caos.scenes.dataset.layout import Sample
from caos.scenes.labels import STREETHAZARDS, STREETHAZARDS_12, VOID
from caos.studies.framework import frames, measuring
from caos.studies.protocols import study_protocols
from caos.studies.transfer.study import TransferSettings, study_transfer
from tests.ood_scores import little


@pytest.fixture(scope="module")
def places(tmp_path_factory) -> dict[str, Path]:
    root, rng = tmp_path_factory.mktemp("sets"), np.random.default_rng(0)
    (root / "release" / "images").mkdir(parents=True)
    (root / "release" / "masks").mkdir()
    for number in range(3):
        mask = np.zeros((32, 48), np.uint8)
        mask[10:20, 20:34], mask[:, :24] = 1, 255
        mask[10:20, 24:34] = 1
        image = rng.integers(0, 255, (32, 48, 3), dtype=np.uint8)
        Image.fromarray(image).save(root / "release" / "images" / f"{number}.png")
        Image.fromarray(mask).save(root / "release" / "masks" / f"{number}.png")
    convert_release(root / "release", "folder", root / "photos", workers=1)
    little.write_set(root / "streets", test=3, val=1)
    little.write_run(root / "run")
    return {name: root / name for name in ("photos", "streets", "run")}


def test_a_set_with_void_decides(places: dict[str, Path]) -> None:
    assert study_protocols(None, [places["streets"]]) == ("caos", "smiyc")
    assert study_protocols(None, [places["streets"], places["photos"]]) == ("pytorch-ood", "smiyc")
    assert study_protocols("caos", [places["photos"]]) == ("caos",)
    with pytest.raises(CaosError, match="unknown protocol 'coas'"):
        study_protocols("coas", [])


def test_a_transfer_to_photographs_leaves_void_out(places: dict[str, Path], tmp_path: Path) -> None:
    settings = TransferSettings(scorers="msp,max_logit,entropy", device="cpu", draws=20)
    sets = [places["streets"], f"photos={places['photos']}"]
    study = study_transfer(sets, [places["run"]], tmp_path / "study", settings=settings)
    assert study.content.details["entries"][1]["definitions"] == {
        "pytorch-ood": "mean over images",
        "smiyc": "pooled pixels",
    }
    table = (tmp_path / "study" / "table.md").read_text()
    assert "run on photos: Void left out:" in table
    asked = replace(settings, protocols="caos")
    other = study_transfer(sets, [places["run"]], tmp_path / "other", settings=asked)
    assert list(other.content.details["entries"][1]["definitions"]) == ["caos"]


def test_finished_results_that_lack_a_default_protocol_still_join(places: dict[str, Path], tmp_path: Path) -> None:
    request = Request(places["streets"], places["run"], tmp_path / "done", "msp,max_logit,entropy", "caos,smiyc")
    done = run_request(replace(request, components=False, device="cpu"))
    assert study_protocols(None, [places["photos"]], [done.content]) == ("smiyc",)
    assert study_protocols(None, [places["streets"]], [done.content]) == ("caos", "smiyc")


@pytest.mark.parametrize("module", [frames, measuring])
def test_single_frames_of_studies_leave_out_the_void_that_they_are_given(module) -> None:
    rng = np.random.default_rng(0)
    values, anomalous = rng.random((20, 30)).astype(np.float32), rng.random((20, 30)) < 0.1
    ignored = (rng.random((20, 30)) < 0.5) & ~anomalous
    values[ignored] = 2
    sample = Sample("test/t5/0", "test", "t5", Path("image.png"), Path("labels.png"), None)
    expected = measure(values, anomalous, ignored)
    if module is frames:
        found = frames._scores(values, anomalous, ignored, sample)
    else:
        found, ordinary = measuring._measured(values, anomalous, ignored, sample)
        assert found is not None
        assert ordinary.max() < 1
    assert (found.auroc, found.aupr, found.fpr95) == (expected.auroc, expected.aupr, expected.fpr95)


def test_void_is_left_out_by_default_outside_the_caos_benchmark() -> None:
    from caos.ood_scores.evaluation.void_pixels import left_out_pixels

    ids = np.array([[0, VOID, 3]], np.uint8)
    assert left_out_pixels(ids, replace(STREETHAZARDS, name="own")).tolist() == [[False, True, False]]
    assert not left_out_pixels(ids, STREETHAZARDS_12).any()
