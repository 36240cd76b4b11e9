from __future__ import annotations

from segmentation.bench import bench_loading, noise_set


def test_the_loading_bench_runs(tmp_path) -> None:
    found = bench_loading(noise_set(tmp_path, 4, 64, 32), steps=1, rounds=1, batch=1, workers=1)
    assert found["disk"] > 0
    assert found["memory"] > 0
    assert found["memory_peak_mb"] > 50
