from __future__ import annotations

import numpy as np
import pytest

from caos.foundation.errors import CaosError
from caos.segmentation.prediction.export import export_onnx
from caos.segmentation.prediction.predict import Predictor

onnxruntime = pytest.importorskip("onnxruntime")


def test_onnx_gives_the_logits_of_torch(tiny_run, tmp_path) -> None:
    path = export_onnx(tiny_run, (96, 64), tmp_path / "model.onnx")
    pictures = np.random.default_rng(0).integers(0, 256, (2, 64, 96, 3)).astype(np.uint8)
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    logits, confidence = session.run(None, {"picture": pictures.transpose(0, 3, 1, 2).astype(np.float32)})
    expected = Predictor.load(tiny_run, "cpu").predict(pictures)
    assert np.abs(logits - expected.logits.numpy()).max() < 1e-3
    assert np.abs(confidence[:, 0] - expected.confidence.numpy()).max() < 1e-4


def test_a_size_that_does_not_suit_is_one_line(tiny_run) -> None:
    with pytest.raises(CaosError, match=r"ONNX size 100x64 must be multiples of 16, such as 112x64"):
        export_onnx(tiny_run, (100, 64))
