"""Scores averaged over scales and mirror images, of any model and of a run."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from PIL import Image

from caos.foundation.errors import CaosError
from caos.ood_scores.command import Request, run_request
from caos.ood_scores.evaluation.scoring import score_model
from caos.ood_scores.sources.views import Views
from caos.segmentation.prediction.predict import Predictor


def columns(pictures):
    """Two classes whose logits are the number of the column, and the height of the view."""
    height, width = pictures.shape[-2:]
    numbers = torch.arange(width, dtype=torch.float32).expand(height, width)
    return torch.stack([numbers, torch.full((height, width), float(height))])[None]


def test_by_hand():
    picture = torch.zeros(1, 3, 4, 6)
    plain = Views().mean(columns, picture)
    assert plain[0, 0, 0].tolist() == [0, 1, 2, 3, 4, 5]
    # The number of a column and that of its mirror image add up to five.
    assert Views(flips=True).mean(columns, picture)[0, 0].flatten().tolist() == [2.5] * 24
    # Views of height 2, 4 and 8.
    assert Views((0.5, 1.0, 2.0)).mean(columns, picture)[0, 1].flatten().tolist() == pytest.approx([14 / 3] * 24)
    # Half as wide, the mirrored columns add up to two; the mean of that and of five, halved.
    assert Views((0.5, 1.0), flips=True).mean(columns, picture)[0, 0].flatten().tolist() == pytest.approx([1.75] * 24)


def test_a_scale_must_be_a_size():
    with pytest.raises(CaosError, match=r"scales are \(0.01,\); each must be from 0.05 to 8"):
        Views((0.01,))


def test_any_model_with_scales_and_flips(data, tmp_path):
    torch.manual_seed(0)
    model = torch.nn.Conv2d(3, 13, 3, padding=1)
    plain = score_model(model, data, ["max_logit"], tmp_path / "out")
    with pytest.raises(CaosError, match=r"made with other settings .*source.flips was false, is true"):
        score_model(model, data, ["max_logit"], tmp_path / "out", flips=True)
    both = score_model(model, data, ["max_logit"], tmp_path / "both", scales=(0.5, 1.0), flips=True)
    assert both.content.source["scales"] == [0.5, 1.0]
    assert both.value("max_logit", "auroc") != plain.value("max_logit", "auroc")


def test_a_run_is_averaged_and_the_results_say_so(data, run, tmp_path):
    request = {"dataset": data, "run": run, "scorers": "max_logit,confidence_branch,ensemble", "save_maps": True}
    found = run_request(Request(**request, out=tmp_path / "out", scales="0.5,1", flips=True))
    assert {k: found.content.source[k] for k in ("scales", "flips")} == {"scales": [0.5, 1.0], "flips": True}
    key = "test/t5/0"
    image = np.asarray(Image.open(data / "test/images" / f"{key}.png"))[None]
    single = [Predictor.load(run, "cpu", scales=(scale,)) for scale in (0.5, 1.0)]
    views = [p.predict(image).logits for p in single]
    views += [p.predict(image[:, :, ::-1].copy()).logits.flip(-1) for p in single]
    expected = -torch.stack(views).mean(0)[0].amax(0).numpy()
    maps = {name: np.load(tmp_path / "out/maps" / name / f"{key}.npz")["scores"] for name in found.content.columns}
    assert maps["max_logit"] == pytest.approx(expected, abs=1e-4)
    branch = Predictor.load(run / "confidence", "cpu", scales=(0.5, 1.0), flips=True).predict(image)
    assert maps["confidence_branch"] == pytest.approx(1 - branch.confidence[0].numpy(), abs=1e-5)
    with pytest.raises(CaosError, match=r"made with other settings .*source"):
        run_request(Request(**request, out=tmp_path / "out"))


def test_bad_words_are_one_line(data, run, tmp_path):
    with pytest.raises(CaosError, match="--scales 'half' is not a list of numbers such as 0.5,1,1.5"):
        run_request(Request(data, run, tmp_path / "out", scales="half"))
    with pytest.raises(CaosError, match=r"scales are \(100.0,\); each must be from"):
        run_request(Request(data, run, tmp_path / "out", scales="100"))
    with pytest.raises(CaosError, match="--scales and --flips average the predictions of a run"):
        run_request(Request(data, None, tmp_path / "out", maps=tmp_path, flips=True))
    assert not (tmp_path / "out").exists()
