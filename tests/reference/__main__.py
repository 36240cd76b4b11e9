"""Compare every metric with independent code on thousands of generated cases, and print how far apart they are.

python -m tests.reference                        make reference
python -m tests.reference --cases 300 --only sets
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

from caos.scenes.labels import PHOTOGRAPHS, STREETHAZARDS, STREETHAZARDS_12
from tests.reference import object_checks, pixel_checks, score_maps, segmentation_checks, set_checks
from tests.reference.comparison import Comparison, Tally
from tests.reference.scored_sets import NARROW, WIDE, score, write_scored_set
from tests.reference.test_sets import BDD_WITH_VOID

CASES: Final = 4000
SHOWN: Final = 20
"""Differing cases that are printed."""
TABLES: Final = (STREETHAZARDS, STREETHAZARDS_12, BDD_WITH_VOID, PHOTOGRAPHS)


def pixels_of_images(images: list[score_maps.ScoredImage]) -> Iterator[Comparison]:
    """Pixel metrics of each image and of all together."""
    for image in images:
        yield from pixel_checks.image_checks(image)
    yield from pixel_checks.pooled_checks(images)


def objects(case: tuple[list[object_checks.ObjectImage], Any]) -> Iterator[Comparison]:
    """Components and instances."""
    yield from object_checks.object_checks(*case)


def set_on_disk(seed: int) -> Iterator[Comparison]:
    """A set that ``caos score`` measures; refused where its scores are too wide for it."""
    rng = np.random.default_rng(seed)
    table, wide = TABLES[seed % 4], seed % 3 == 0
    kinds = [str(rng.choice(WIDE))] if wide else [str(kind) for kind in rng.choice(NARROW, 5, replace=False)]
    with_instances = table != PHOTOGRAPHS and bool(rng.integers(4))
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        truth = write_scored_set(root, table, kinds, rng, images=int(rng.integers(3, 9)), with_instances=with_instances)
        track = str(rng.choice(["obstacle", "anomaly"]))
        code = _quietly(lambda: score(root, "--track", track))
        if code and wide:
            yield Comparison(f"set, {kinds[0]}, refused", float(code), 2.0, 0.0)
        elif code:
            yield Comparison(f"set, {', '.join(kinds)}, exit code", float(code), 0.0, 0.0)
        else:
            case = set_checks.read_case(root / "out", table, truth, with_instances=with_instances)
            yield from set_checks.set_checks(case)


def open_set(seed: int) -> Iterator[Comparison]:
    """A little set of two towns that ``caos.score_model`` measures."""
    with tempfile.TemporaryDirectory() as folder:
        found = _quietly(lambda: segmentation_checks.score_little_set(Path(folder), seed))
        yield from segmentation_checks.open_set_checks(found, Path(folder) / "set")


PARTS: Final[dict[str, tuple[float, st.SearchStrategy[Any], Callable[[Any], Iterator[Comparison]]]]] = {
    "pixels": (1.0, score_maps.sets_of_images(), pixels_of_images),
    "objects": (0.5, st.tuples(object_checks.object_images(), st.sampled_from(object_checks.LIMITS)), objects),
    "segmenters": (0.1, segmentation_checks.segmented_pictures(), segmentation_checks.tally_checks),
    "sets": (0.05, st.integers(0, 2**32), set_on_disk),
    "open sets": (0.005, st.integers(0, 2**32), open_set),
}
"""By name: its share of the cases, how cases are drawn, what is compared."""


def _quietly(run: Callable[[], Any]) -> Any:
    """What a call returns; what it prints is lost."""
    with open(os.devnull, "w") as nothing:  # noqa: PTH123 - a device
        before = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = nothing
        try:
            return run()
        finally:
            sys.stdout, sys.stderr = before


def run_part(name: str, cases: int, seed: int, tally: Tally) -> None:
    """Draw so many cases of a part, and count what is compared."""
    _, strategy, check = PARTS[name]
    shown = 0

    @seeded(seed)
    @settings(
        max_examples=cases,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy)
    def drawn(case: Any) -> None:
        nonlocal shown
        wrong = tally.add(check(case))
        if wrong and shown < SHOWN:
            shown += 1
            said = f"{type(case).__name__}" if isinstance(case, list | tuple) else repr(case)
            sys.stdout.write(f"{name}, {said}: {wrong[0]} ({len(wrong)} differ)\n")

    begun = time.monotonic()
    drawn()
    sys.stdout.write(f"{name}: {cases} cases in {time.monotonic() - begun:.0f} s\n")
    sys.stdout.flush()


def main() -> int:
    """Print the table; 0 if every number agrees."""
    parser = argparse.ArgumentParser(prog="python -m tests.reference")
    parser.add_argument("--cases", type=int, default=CASES)
    parser.add_argument("--only", choices=PARTS, help="one part")
    parser.add_argument("--seed", type=int, default=0)
    given_words = parser.parse_args()
    tally = Tally()
    for name, (share, _, _) in PARTS.items():
        if given_words.only in {None, name}:
            run_part(name, max(1, round(share * given_words.cases)), given_words.seed, tally)
    sys.stdout.write(f"{tally.table()}\n")
    return 1 if sum(tally.wrong.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
