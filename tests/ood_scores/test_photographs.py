"""Photographs with masks are scored with any run, whatever it was trained on; void counts where a protocol says so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image
from sklearn.metrics import roc_auc_score

from caos.foundation.errors import CaosError
from caos.ood_scores.command import Request, run_request
from caos.ood_scores.evaluation.scoring import score_model
from caos.ood_scores.report.build import build_site
from caos.scenes.converting.photo_pairs import find_photos
from caos.scenes.converting.photographs import convert_photographs
from caos.scenes.labels import BDD_ANOMALY
from tests.ood_scores import little


@pytest.fixture(scope="module")
def photos(tmp_path_factory) -> Path:
    """Three photographs whose hazard is bright; a void stripe of the brightest pixels lies at their left edge."""
    root, rng = tmp_path_factory.mktemp("photos"), np.random.default_rng(0)
    (root / "smiyc" / "images").mkdir(parents=True)
    (root / "smiyc" / "labels_masks").mkdir()
    for number in range(3):
        image = rng.integers(0, 160, (48, 64, 3), dtype=np.uint8)
        mask = np.zeros((48, 64), np.uint8)
        mask[20:34, 30:50] = 1
        image[mask == 1] += 80
        mask[:, :6], image[:, :6] = 255, 255
        Image.fromarray(image).save(root / "smiyc" / "images" / f"{number}.png")
        Image.fromarray(mask).save(root / "smiyc" / "labels_masks" / f"{number}_labels_semantic.png")
    convert_photographs(find_photos("smiyc", root / "smiyc"), root / "set", workers=1)
    return root / "set"


class Dark(torch.nn.Module):
    """Five classes whose largest logit falls with brightness."""

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        return -pictures.mean(dim=1, keepdim=True).repeat(1, 5, 1, 1)


def test_a_model_of_any_classes_is_measured_without_void(photos: Path, tmp_path: Path) -> None:
    from caos.ood_scores.evaluation.options import ScoringOptions
    from caos.ood_scores.measuring.protocols import protocols_by_name

    options = ScoringOptions(protocols=protocols_by_name("caos,pytorch-ood"))
    results = score_model(Dark(), photos, ("max_logit",), tmp_path / "out", options=options)
    with_void, without = [], []
    for image, mask in zip(
        sorted((photos / "test/images").rglob("*.png")),
        sorted((photos / "test").glob("annotations/**/*.png")),
        strict=True,
    ):
        score, truth = np.asarray(Image.open(image)).mean(axis=2).ravel(), np.asarray(Image.open(mask)).ravel()
        with_void.append(roc_auc_score(truth == 2, score))
        without.append(roc_auc_score(truth[truth != 3] == 2, score[truth != 3]))
    assert results.value("max_logit", "auroc", "caos") == pytest.approx(np.mean(with_void), abs=2e-3)
    assert results.value("max_logit", "auroc", "pytorch-ood") == pytest.approx(np.mean(without), abs=2e-3)
    assert np.mean(without) > np.mean(with_void) + 0.05


@pytest.mark.parametrize("table", [None, BDD_ANOMALY], ids=["streethazards", "bdd-anomaly"])
def test_any_run_scores_photographs_and_its_fits_come_from_a_set_of_its_own(
    photos: Path, data: Path, run: Path, tmp_path: Path, table
) -> None:
    chosen = run if table is None else little.write_run(tmp_path / "other", table)
    scorers = "msp,max_logit" if table else "msp,knn,typicality"
    request = Request(photos, chosen, tmp_path / "out", scorers=scorers, fit_on=None if table else data)
    results = run_request(request)
    assert set(results.content.columns) == set(scorers.split(","))
    assert 0 < results.value("msp", "auroc") < 1
    site = build_site(tmp_path / "out", tmp_path / "site")
    assert site.frames == 3


def test_what_cannot_be_fitted_is_left_out_and_named(photos: Path, run: Path, tmp_path: Path) -> None:
    results = run_request(Request(photos, run, tmp_path / "out"))
    assert "knn" not in results.content.columns
    assert "--fit-on" in results.content.not_run["knn"]
    with pytest.raises(CaosError, match="--fit-on"):
        run_request(Request(photos, run, tmp_path / "other", scorers="knn"))
