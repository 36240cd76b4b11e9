"""The sizes of the demo: the paper's where it says it takes the paper's."""

from __future__ import annotations

from pathlib import Path

from caos.demo import FULL, SMALL, training_configs

RUN = Path("run")


def test_every_network_of_the_full_demo_is_trained_as_long_as_the_paper_says():
    full = training_configs(RUN, FULL, seed=3)
    assert {place: config.epochs for place, config in full.items()} == {
        RUN: 20,
        RUN / "confidence": 20,
        RUN / "autoencoder": 10,
    }
    # Twenty epochs in all, not twenty more on those of the segmenter.
    assert full[RUN / "confidence"].init is None
    assert full[RUN / "confidence"].confidence_branch
    assert {config.seed for config in full.values()} == {3}


def test_the_small_demo_starts_its_branch_from_the_segmenter():
    small = training_configs(RUN, SMALL, seed=0)
    assert small[RUN / "confidence"].init == RUN
    assert small[RUN / "autoencoder"].model == "autoencoder"
