"""``make bench``: the speed the project promises, as ratios measured in one run; exits 1 if one is missed.

Each room is measured in a process of its own, so that no room's threads or caches touch another's numbers.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Row(NamedTuple):
    """One promise: what, measured, the limit, and whether the limit is a floor."""

    what: str
    measured: float
    limit: float | None
    floor: bool = False

    @property
    def kept(self) -> bool:
        if self.limit is None:
            return True
        return self.measured >= self.limit if self.floor else self.measured <= self.limit


def renderer() -> Iterator[Row]:
    from dataclasses import replace

    import numpy as np

    from caos.simulator.embedded.render.bench import measure
    from caos.simulator.embedded.render.description import Camera
    from caos.simulator.embedded.towns.town import load_town
    from caos.simulator.embedded.towns.views import sample_views

    town = load_town("Town01")
    pose = sample_views(town, 1, np.random.default_rng(0))[0]
    camera = pose if isinstance(pose, Camera) else Camera(pose, 1280, 720)
    ratios = measure(town.statics, camera=replace(camera, width=1280, height=720))
    yield Row("frame with four sensors / Mitsuba's own 2-sample render", ratios.frame, 1.5)
    yield Row("labels, instances and depth / the same render", ratios.labels, 0.1)
    yield Row("moving actors / the same render", ratios.moving, 0.05)
    yield Row("loading a cached town / one frame", ratios.load, 3.0)


def server() -> Iterator[Row]:
    from caos.simulator.embedded.bench import measure

    found = measure()
    yield Row("ticks per second without a camera", found.ticks_per_s, None)
    yield Row("protocol's share of a three-camera 1280x720 tick at draft", found.protocol_share, 0.05)


def conversion() -> Iterator[Row]:
    from caos.scenes.bench import conversion_ratio

    yield Row("BDD-Anomaly conversion / decoding and encoding alone", conversion_ratio(), 1.3)


def loading() -> Iterator[Row]:
    from caos.segmentation.bench import bench_loading

    found = bench_loading()
    yield Row("training steps with real loading / with data in memory", found["ratio"], 0.95, floor=True)
    yield Row("peak memory with real loading, MB", found["disk_peak_mb"], None)
    yield Row("peak memory with data in memory, MB", found["memory_peak_mb"], None)


def negatives() -> Iterator[Row]:
    from caos.segmentation.bench import bench_negatives

    for preset in ("quick", "transfer"):
        for name, ratio in bench_negatives(preset=preset).items():
            yield Row(f"a training step of --preset {preset} with negatives ({name}) / without", ratio, 1.15)


def metrics() -> Iterator[Row]:
    from caos.ood_scores.bench import bench_metrics

    yield Row(
        "metrics: times faster than scikit-learn's three calls", bench_metrics()["times_faster"], 50.0, floor=True
    )


def scoring() -> Iterator[Row]:
    from caos.ood_scores.bench import bench_scoring

    found = bench_scoring()
    yield Row("all logit scorers / (1.15 forward + 30 ms a scorer)", found["logit_scorers"] / found["limit"], 1.0)
    yield Row("MC-Dropout, T = 10 / forward pass", found["dropout"] / found["forward"], 1.5)


def corruptions() -> Iterator[Row]:
    from caos.studies.corruptions.bench import bench_corruptions

    found = bench_corruptions()
    yield Row("a corruption (mean of the 15) / forward pass at 640x360", found["ratio"], found["at_most"])


BENCHES: dict[str, Callable[[], Iterator[Row]]] = {
    f.__name__: f for f in (renderer, server, conversion, loading, negatives, metrics, scoring, corruptions)
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*BENCHES, []], help="which to run; all by default")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    names = arguments.names or list(BENCHES)
    if arguments.inside:
        print(json.dumps([row for name in names for row in BENCHES[name]()]))
        return 0
    broken = 0
    for name in names:
        command = [sys.executable, "-m", "tests.bench", "--inside", name]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            print(f"{name:10s} failed")
            broken += 1
            continue
        for values in json.loads(done.stdout.splitlines()[-1]):
            row = Row(*values)
            limit = "" if row.limit is None else f"{'at least' if row.floor else 'at most'} {row.limit:g}"
            print(
                f"{name:10s} {row.what:58s} {row.measured:9.3f}  {limit:15s} {'' if row.kept else 'MISSED'}", flush=True
            )
            broken += not row.kept
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
