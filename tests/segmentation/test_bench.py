from __future__ import annotations

from caos.segmentation.training.bench import bench_loading, bench_negatives, noise_set
from caos.segmentation.training.negatives import OF_QUERIES, loss_names, make_loss


def test_the_loading_bench_runs(tmp_path) -> None:
    found = bench_loading(noise_set(tmp_path, 4, 64, 32), steps=1, rounds=1, batch=1, workers=1)
    assert found["disk"] > 0
    assert found["memory"] > 0
    assert found["memory_peak_mb"] > 50


def test_the_bench_of_negatives_compares_every_loss_with_none() -> None:
    found = bench_negatives(rounds=1, batch=2, size=(64, 64))
    assert set(found) == {*(n for n in loss_names() if make_loss(n).needs not in OF_QUERIES), "pasted"}
    assert all(ratio > 0.05 for ratio in found.values())
