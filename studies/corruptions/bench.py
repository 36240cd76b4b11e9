"""Speed of the corruptions: ``python -m caos.studies.corruptions.bench``; the limit is what the project promises."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from caos.studies.corruptions.corruption import REGISTRY, SEVERITIES, Picture, common_corruptions, make_corruption
from caos.studies.framework.seeding import generator_for

WIDTH, HEIGHT = 640, 360
LARGEST_SHARE: Final = 0.25
"""Of a forward pass, which the mean over the 15 corruptions may cost."""


def bench_corruptions(repeats: int = 5) -> dict[str, Any]:
    """Milliseconds a 640x360 picture, mean over severities, against the forward pass of the demo's network.

    Time of the processor on one thread, the best of ``repeats``: threads that wait for each other on a busy machine
    would make the network look slow and the ratio good.

    Returns:
        ``corruptions`` by name, ``mean`` over the 15, ``forward``, their ``ratio`` and ``at_most``.
    """
    import cv2
    import torch

    threads = cv2.getNumThreads(), torch.get_num_threads()
    cv2.setNumThreads(1)
    torch.set_num_threads(1)
    try:
        return _measured(repeats)
    finally:
        cv2.setNumThreads(threads[0])
        torch.set_num_threads(threads[1])


def _measured(repeats: int) -> dict[str, Any]:
    picture, forward = _street(), _forward_pass()
    calls = {name: _corrupting(name, picture) for name in REGISTRY.names()}
    for call in (*calls.values(), forward):
        call()
    best = dict.fromkeys((*calls, "forward"), float("inf"))
    for _ in range(repeats):
        for name, call in (*calls.items(), ("forward", forward)):
            best[name] = min(best[name], _milliseconds(call))
    costs = {name: best[name] / len(SEVERITIES) for name in calls}
    mean = float(np.mean([costs[name] for name in common_corruptions()]))
    ratio = mean / best["forward"]
    return {"corruptions": costs, "mean": mean, "forward": best["forward"], "ratio": ratio, "at_most": LARGEST_SHARE}


def _milliseconds(call: Callable[[], None]) -> float:
    start = time.process_time()
    call()
    return 1e3 * (time.process_time() - start)


def _corrupting(name: str, picture: Picture) -> Callable[[], None]:
    corruption = make_corruption(name)

    def call() -> None:
        for severity in SEVERITIES:
            corruption.corrupt(picture, severity, generator_for(0, "bench", name, severity))

    return call


def _street() -> Picture:
    """Smooth noise, which compresses about as badly as rendered streets."""
    import cv2

    rng = np.random.default_rng(0)
    coarse = rng.integers(0, 256, (HEIGHT // 8, WIDTH // 8, 3), np.uint8)
    return np.asarray(cv2.resize(coarse, (WIDTH, HEIGHT), interpolation=cv2.INTER_CUBIC), np.uint8)


def _forward_pass() -> Callable[[], None]:
    import torch

    from caos.scenes.labels import STREETHAZARDS
    from caos.segmentation.models.networks import Architecture, build_model

    encoder = "tu-tf_efficientnet_lite0"
    architecture = Architecture(
        "pspnet", encoder, STREETHAZARDS.num_classes, encoder_depth=4, output_stride=8, head_channels=128
    )
    network = build_model(architecture).eval()
    batch = torch.rand(1, 3, HEIGHT, WIDTH, generator=torch.Generator().manual_seed(0))

    def call() -> None:
        with torch.inference_mode():
            network(batch)

    return call


if __name__ == "__main__":
    found = bench_corruptions()
    for name, cost in found["corruptions"].items():
        print(f"{name:20s} {cost:7.2f} ms")  # noqa: T201
    print(f"{'mean of the 15':20s} {found['mean']:7.2f} ms")  # noqa: T201
    print(f"{'forward pass':20s} {found['forward']:7.2f} ms")  # noqa: T201
    print(f"{'ratio':20s} {found['ratio']:7.3f}, at most {found['at_most']}")  # noqa: T201
