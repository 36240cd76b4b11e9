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

from caos.foundation.execution.threads import wait_passively
from caos.segmentation.bundled import BUNDLED

PAGE_MB, PAGE_HEAP_MB, PAGE_PROCESS_MB, PAGE_ELEMENTS = 8.0, 64.0, 400.0, 8000
"""What a page of 1,500 frames may read before anything is chosen, keep in memory, and consist of."""

SERVE_S = 5.0
"""From ``caos serve`` to its first answer, with its town in the cache."""


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
    yield Row("frame with four sensors / Mitsuba's own 2-sample render", ratios.frame, 0.6)
    yield Row("the same frame at draft / the same render", ratios.draft, 0.25)
    yield Row("labels, instances and depth / the same render", ratios.labels, 0.06)
    yield Row("moving actors / the same render", ratios.moving, 0.05)
    yield Row("loading a cached town / one frame", ratios.load, 3.0)


def generation() -> Iterator[Row]:
    from caos.scenes.generation.bench import generation_price

    for size, frames in (((640, 360), 6), ((1280, 720), 3)):
        price = generation_price(size, frames)
        name = f"{size[0]}x{size[1]}"
        yield Row(f"seconds of the processor for a generated {name} frame", price.frame, None)
        yield Row(f"a generated {name} frame / Mitsuba's own 2-sample render", price.frame / price.reference, None)
        yield Row(f"its twin / the frame, {name}", price.with_twin / price.frame - 1, 0.35)


def server() -> Iterator[Row]:
    from caos.simulator.embedded.bench import measure

    found = measure()
    yield Row("ticks per second without a camera", found.ticks_per_s, None)
    yield Row("protocol's share of a three-camera 1280x720 tick at draft", found.protocol_share, 0.05)


def clients() -> Iterator[Row]:
    from tests.client_bench import measure_client_costs

    found = measure_client_costs()
    yield Row("preview: seconds from start to the first answer, from the cache", found.start_s, SERVE_S)
    yield Row("preview: ticks per second with 50 vehicles under a TrafficManager", found.ticks_per_s, None)
    yield Row("preview: processor seconds of a server's first picture, 60 vehicles about", found.crowded_cpu_s, None)
    yield Row("preview: the same of a server that has warmed up", found.warm_crowded_cpu_s, None)
    for weather, ratio in found.rgb_to_labels.items():
        yield Row(f"preview: an rgb picture {weather} / a semantic one, by processor time", ratio, 2.0)
    for name, seconds in found.sensor_cpu_s.items():
        yield Row(f"preview: processor seconds of {name}, 640x360", seconds, None)
    early, late = found.loads_mb
    yield Row("preview: MB of the server after 20 loads of towns", early, None)
    yield Row("preview: memory after 200 loads / after 20", late / early, 1.1)
    yield Row("installed with caos-bench[simulator], MB", found.installed_mb, None)


def conversion() -> Iterator[Row]:
    from caos.scenes.converting.bench import conversion_ratio

    yield Row("BDD-Anomaly conversion / decoding and encoding alone", conversion_ratio(), 1.3)


def sequences() -> Iterator[Row]:
    from caos.scenes.sequences.bench import sequence_price

    price = sequence_price()
    yield Row("a frame of a sequence, with its share of the planning / a single image", price.ratio, 0.8)


def loading() -> Iterator[Row]:
    from caos.segmentation.training.bench import bench_loading

    found = bench_loading()
    yield Row("training steps with real loading / with data in memory", found["ratio"], 0.95, floor=True)
    yield Row("peak memory with real loading, MB", found["disk_peak_mb"], None)
    yield Row("peak memory with data in memory, MB", found["memory_peak_mb"], None)


def training() -> Iterator[Row]:
    from tests.train_beside import measure_speeds

    speeds = measure_speeds()
    yield Row("training steps a second", speeds.alone, None)
    # Beside one busy process two cores leave two threads that wait for each other between a half and two thirds.
    yield Row("training steps a second beside a busy process / alone", speeds.kept, 0.4, floor=True)


def negatives() -> Iterator[Row]:
    from caos.segmentation.training.bench import bench_negatives

    for preset in ("quick", "transfer"):
        for name, ratio in bench_negatives(preset=preset).items():
            yield Row(f"a training step of --preset {preset} with negatives ({name}) / without", ratio, 1.15)


def metrics() -> Iterator[Row]:
    from caos.ood_scores.bench import bench_metrics

    for name, times in bench_metrics().items():
        yield Row(f"metrics of {name}: times faster than scikit-learn", times, 15.0, floor=True)


def scoring() -> Iterator[Row]:
    from caos.ood_scores.bench import bench_scoring

    found = bench_scoring()
    yield Row("all logit scorers / (1.15 forward + 30 ms a scorer)", found["logit_scorers"] / found["limit"], 1.0)
    yield Row("MC-Dropout, T = 10 / forward pass", found["dropout"] / found["forward"], 1.5)


LIGHT = "--preset quick --epochs 1"
OF_THE_PAPER = "msp,max_logit,background,mc_dropout,autoencoder,confidence_branch,typicality"
RUNS = {
    "light": {"": LIGHT},
    "demo": {
        "": LIGHT,
        "confidence": f"{LIGHT} --confidence-branch --init {{run}}",
        "autoencoder": f"{LIGHT} --model autoencoder",
    },
    "paper": {"": f"{LIGHT} --model pspnet --encoder resnet101 --encoder-weights none"},
}
"""Networks whose scoring is measured: what is trained, and how; what the weights are does not matter here."""
TURNS = 2
SCORED = (
    ("a light network, all its scorers", "light", "", None),
    ("the demo's networks, all their scorers", "demo", "", 2.0),
    ("the demo's networks, the scorers of the paper", "demo", OF_THE_PAPER, None),
    ("the paper's network, all its scorers", "paper", "", 1.3),
    ("the bundled network, all its scorers", BUNDLED, "", None),
)
"""What is scored, its run, its scorers, and the limit: wall time / wall time of the forward passes alone."""
DEMO_S = 360.0
"""Wall time of ``caos demo`` on two cores."""


def score() -> Iterator[Row]:
    import tempfile
    from pathlib import Path

    from caos.ood_scores.bench import seconds_of_networks
    from caos.ood_scores.results import read

    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        images = ("--train", "4", "--val", "2", "--test", "30", "--size", "640x360", "--quality", "draft")
        _caos("scenes", "streethazards", "--out", work / "data", *images)
        for name, parts in RUNS.items():
            for part, words in parts.items():
                given = words.format(run=work / name).split()
                _caos("train", work / "data", "--out", work / name / part, "--evaluate", "none", *given)
        for number, (what, name, scorers, limit) in enumerate(SCORED):
            words = ("--scorers", scorers) if scorers else ()
            run = Path(BUNDLED) if name == BUNDLED else work / name
            alone, clocks = [], []
            for turn in range(TURNS):  # other machines share this one's caches: the best of each counts
                alone.append(seconds_of_networks(work / "data", run, scorers))
                results = work / f"results{number}.{turn}"
                _caos("score", work / "data", "--run", run, "--out", results, *words)
                content = read(results).content
                clocks.append(content.clock_s or float("nan"))
            spent = content.spent
            yield Row(f"caos score of {what}, wall time / its networks alone", min(clocks) / min(alone), limit)
            for kind, seconds in spent.items():
                yield Row(f"  {kind}, seconds of wall time per image", seconds, None)


def demo() -> Iterator[Row]:
    import tempfile
    from pathlib import Path
    from time import perf_counter

    with tempfile.TemporaryDirectory() as folder:
        start = perf_counter()
        _caos("demo", "--out", Path(folder) / "demo")
        yield Row("caos demo, seconds of wall time", perf_counter() - start, DEMO_S)


def _caos(*words: object) -> None:
    """Run a command as its users do, in a process of its own."""
    subprocess.run([sys.executable, "-m", "caos", "-q", *map(str, words)], check=True, stdout=subprocess.DEVNULL)


def corruptions() -> Iterator[Row]:
    from caos.studies.corruptions.bench import bench_corruptions

    found = bench_corruptions()
    yield Row("a corruption (mean of the 15) / forward pass at 640x360", found["ratio"], found["at_most"])


def pages() -> Iterator[Row]:
    import tempfile
    from pathlib import Path

    from tests.browser.weighing import weigh_pages

    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        words = ("--train", "0", "--val", "0", "--test", "4", "--size", "1280x720", "--quality", "draft")
        _caos("scenes", "streethazards", "--out", work / "set", *words)
        _caos("score", work / "set", "--run", "bundled", "--out", work / "results")
        _caos("report", work / "results", "--out", work / "site")
        for name, (large, small) in weigh_pages(work / "site", work).items():
            yield Row(f"{name} of 1,500 frames at 1280x720: MB read at first", large.read_mb, PAGE_MB)
            yield Row(f"{name}: MB of memory of its scripts", large.heap_mb, PAGE_HEAP_MB)
            yield Row(f"{name}: MB of memory of its process", large.process_mb, PAGE_PROCESS_MB)
            yield Row(f"{name}: elements", large.elements, PAGE_ELEMENTS)
            yield Row(f"{name}: first paint / that of 4 frames", large.first_paint_ms / small.first_paint_ms, 5.0)


def start() -> Iterator[Row]:
    import resource

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    times = []
    for _ in range(5):
        before = spent()
        subprocess.run([sys.executable, "-m", "caos", "--help"], stdout=subprocess.DEVNULL, check=True)
        times.append(spent() - before)
    yield Row("caos --help, seconds of the processor", min(times), 0.2)
    from tests.client_bench import seconds_to_answer

    yield Row(
        "caos serve: seconds to its first answer, town in the cache", seconds_to_answer("Town01", "standard"), SERVE_S
    )


BENCHES: dict[str, Callable[[], Iterator[Row]]] = {
    f.__name__: f
    for f in (
        start,
        renderer,
        generation,
        server,
        clients,
        conversion,
        sequences,
        loading,
        training,
        negatives,
        metrics,
        scoring,
        score,
        demo,
        corruptions,
        pages,
    )
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[*BENCHES, []], help="which to run; all by default")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    names = arguments.names or list(BENCHES)
    wait_passively()  # as the command line does: threads of OpenBLAS spin for a tenth of a second after they are made
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
