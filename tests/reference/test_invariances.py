"""What must not change a number: monotone transforms, order, parts, void pixels, duplication."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caos import PROTOCOLS, CaosError
from caos.ood_scores.measuring.metrics import count
from tests.reference.pixel_checks import NAMES, Numbers, joined, pool_of, pooled_numbers
from tests.reference.score_maps import ScoredImage, Scores, generated_images, sets_of_images

SHORT = settings(max_examples=20, deadline=None, derandomize=True)
POOLED = [name for name, protocol in PROTOCOLS.items() if protocol.is_pooled]
SUMS = 1e-12
"""Averages over images depend on their order by rounding."""


def image_numbers(image: ScoredImage) -> list[Numbers]:
    """The numbers of an image by every protocol; empty where one kind of pixel is missing."""
    try:
        counts = count(image.scores, image.anomalous, image.ignore)
    except CaosError:
        return []
    found = [protocol.measure(counts) for protocol in PROTOCOLS.values()]
    return [{name: getattr(one, name) for name in NAMES} for one in found]


def pooled(images: Sequence[ScoredImage]) -> list[Numbers]:
    """The numbers of the pixels of some images by every pooled protocol."""
    return [pooled_numbers(images, protocol) for protocol in POOLED]


def ranks(scores: Scores, every: Scores) -> Scores:
    """The place of each score among the distinct scores of the set, in double precision."""
    return np.searchsorted(np.unique(every), scores).astype(np.float64)


TRANSFORMS: dict[str, Callable[[Scores, Scores], Scores]] = {
    "ranks": ranks,
    "ranks as float32": lambda scores, every: ranks(scores, every).astype(np.float32),
    "ranks as 64-bit integers": lambda scores, every: 2**62 - 7 + 3 * ranks(scores, every).astype(np.int64),
    "ranks as negative integers": lambda scores, every: ranks(scores, every).astype(np.int32) - 2**30,
    "crowded beside one": lambda scores, every: 1.0 + ranks(scores, every) * 2.0**-52,
    "spread over all magnitudes": lambda scores, every: np.exp2(ranks(scores, every) % 2000 - 1000) * 1.0,
    "half of the values negative": lambda scores, every: 2 * ranks(scores, every) - np.unique(every).size,
}
FEW_VALUES = 1900
"""So many distinct powers of two are there."""


@pytest.mark.parametrize("transform", TRANSFORMS)
@SHORT
@given(images=sets_of_images())
def test_strictly_monotone_transforms_change_nothing(transform: str, images: list[ScoredImage]) -> None:
    every = np.concatenate([image.scores.ravel() for image in images])
    if transform == "spread over all magnitudes" and np.unique(every).size > FEW_VALUES:
        return
    changed = [replace(image, scores=TRANSFORMS[transform](image.scores, every)) for image in images]
    assert [image_numbers(image) for image in changed] == [image_numbers(image) for image in images]
    assert pooled(changed) == pooled(images)


@SHORT
@given(images=sets_of_images(), order=st.randoms(use_true_random=False))
def test_images_and_their_pixels_in_any_order_give_the_same_bits(images: list[ScoredImage], order: Any) -> None:
    shuffled = [_permuted(image, np.random.default_rng(order.getrandbits(32))) for image in images]
    assert [image_numbers(image) for image in shuffled] == [image_numbers(image) for image in images]
    order.shuffle(shuffled)
    assert pooled(shuffled) == pooled(images)


def _permuted(image: ScoredImage, rng: np.random.Generator) -> ScoredImage:
    places = rng.permutation(image.scores.size)
    parts = (part.ravel()[places].reshape(part.shape) for part in (image.scores, image.anomalous, image.ignore))
    return ScoredImage(image.kind, *parts)


@SHORT
@given(images=sets_of_images(most_images=6), seed=st.integers(0, 2**32))
def test_parts_merged_in_any_order_and_shape_give_the_same_bits(images: list[ScoredImage], seed: int) -> None:
    rng = np.random.default_rng(seed)
    part_of = rng.integers(0, 3, len(images))
    for protocol in POOLED:
        parts = [pool_of([image for image, part in zip(images, part_of, strict=True) if part == n]) for n in range(3)]
        first, second, third = (parts[n] for n in rng.permutation(3))
        if seed % 2:
            first.merge(second)
            first.merge(third)
            merged = first
        else:
            second.merge(third)
            second.merge(first)
            merged = second
        expected = pooled_numbers(images, protocol)
        if expected["auroc"] is None:
            with pytest.raises(CaosError, match="AUROC is undefined"):
                merged.measure(PROTOCOLS[protocol])
        else:
            found = merged.measure(PROTOCOLS[protocol])
            assert {name: getattr(found, name) for name in NAMES} == expected


@SHORT
@given(images=sets_of_images(), seed=st.integers(0, 2**32))
def test_void_pixels_change_nothing_whatever_they_score(images: list[ScoredImage], seed: int) -> None:
    rng = np.random.default_rng(seed)
    more = [_with_void(image, rng) for image in images]
    assert [image_numbers(image) for image in more] == [image_numbers(image) for image in images]
    assert pooled(more) == pooled(images)


def _with_void(image: ScoredImage, rng: np.random.Generator) -> ScoredImage:
    """The image beside a copy of itself, shuffled, that is void."""
    void = rng.permutation(image.scores.ravel()).reshape(image.scores.shape)
    nothing = np.zeros_like(image.anomalous)
    return ScoredImage(
        image.kind,
        np.concatenate([image.scores, void], axis=1),
        np.concatenate([image.anomalous, nothing], axis=1),
        np.concatenate([image.ignore, ~nothing], axis=1),
    )


@SHORT
@given(images=sets_of_images(), times=st.integers(2, 4))
def test_a_set_and_its_copies_have_the_same_numbers(images: list[ScoredImage], times: int) -> None:
    for once, often in zip(pooled(images), pooled(images * times), strict=True):
        for name in NAMES:
            assert often[name] == (None if once[name] is None else pytest.approx(once[name], abs=SUMS))


@SHORT
@given(images=generated_images())
def test_one_pool_of_all_pixels_is_one_image(images: list[ScoredImage]) -> None:
    scores, anomalous = joined(images)
    whole = ScoredImage("joined", scores[None], anomalous[None], np.zeros((1, scores.size), np.bool_))
    assert pooled([whole]) == pooled(images)
