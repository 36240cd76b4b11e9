"""Prefetching in other threads: order, overlap, exceptions and early stops."""

from __future__ import annotations

import threading

import pytest

from caos.foundation.execution.prefetch import begun_ahead


def test_results_come_in_order_and_as_many_are_begun_at_once_as_there_are_threads() -> None:
    together = threading.Barrier(2, timeout=20)

    def begin(item: int) -> int:
        together.wait()  # passes only with another thread that is here, too
        return item * item

    assert list(begun_ahead(range(8), begin, 2)) == [n * n for n in range(8)]


def test_the_next_result_is_computed_while_the_caller_works_on_this_one() -> None:
    begun: list[int] = []
    second = threading.Event()

    def begin(item: int) -> str:
        begun.append(item)
        if item == 1:
            second.set()
        return threading.current_thread().name

    found = begun_ahead(range(5), begin)
    names = [next(found)]
    assert second.wait(timeout=20)
    assert begun == [0, 1]
    names.extend(found)
    assert len(names) == 5
    assert all(name.startswith("ahead") for name in names)


def test_an_error_comes_with_its_item_after_those_before_it() -> None:
    def begin(item: int) -> int:
        if item == 2:
            raise ValueError("two")
        return item

    found = []
    with pytest.raises(ValueError, match="two"):
        found.extend(one for one in begun_ahead(range(9), begin, 2))
    begun = begun_ahead(range(9), begin, 2)
    assert [next(begun), next(begun)] == [0, 1]
    with pytest.raises(ValueError, match="two"):
        next(begun)


def test_who_stops_early_leaves_no_thread_and_begins_no_more() -> None:
    begun: list[int] = []
    before = threading.active_count()
    found = begun_ahead(range(100), begun.append, 2)
    next(found)
    found.close()
    assert threading.active_count() == before
    assert len(begun) <= 3


def test_nothing_comes_of_nothing() -> None:
    assert list(begun_ahead([], lambda item: item, 2)) == []
