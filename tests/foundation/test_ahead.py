"""What comes next is begun in other threads, and its processor time is told apart."""

from __future__ import annotations

import threading
import time

import pytest

from caos.foundation.ahead import begun_ahead
from caos.foundation.processor_time import count_this_thread, of_this_thread, processor_time


def test_results_come_in_order_and_as_many_are_begun_at_once_as_there_are_threads() -> None:
    together = threading.Barrier(2, timeout=20)

    def begin(item: int) -> int:
        together.wait()  # passes only with another thread that is here, too
        return item * item

    assert list(begun_ahead(range(8), begin, 2, lambda: None)) == [n * n for n in range(8)]


def test_every_thread_is_made_ready_and_none_is_the_caller() -> None:
    ready: set[int] = set()
    found = begun_ahead(range(5), lambda _: threading.get_ident(), 2, lambda: ready.add(threading.get_ident()))
    seen = set(found)
    assert seen <= ready
    assert threading.get_ident() not in ready


def test_an_error_comes_with_its_item_after_those_before_it() -> None:
    def begin(item: int) -> int:
        if item == 2:
            raise ValueError("two")
        return item

    found = []
    with pytest.raises(ValueError, match="two"):
        found.extend(one for one in begun_ahead(range(9), begin, 2, lambda: None))
    begun = begun_ahead(range(9), begin, 2, lambda: None)
    assert [next(begun), next(begun)] == [0, 1]
    with pytest.raises(ValueError, match="two"):
        next(begun)


def test_who_stops_early_leaves_no_thread_and_begins_no_more() -> None:
    begun: list[int] = []
    before = threading.active_count()
    found = begun_ahead(range(100), begun.append, 2, lambda: None)
    next(found)
    found.close()
    assert threading.active_count() == before
    assert len(begun) <= 3


def test_nothing_comes_of_nothing() -> None:
    assert list(begun_ahead([], lambda item: item, 2, lambda: None)) == []


def test_the_caller_begins_a_later_item_while_the_next_is_not_ready() -> None:
    together = threading.Barrier(2, timeout=20)

    def begin(item: int) -> tuple[int, str]:
        if item < 2:
            together.wait()  # passes only with the caller's help: there is one other thread
        return item, threading.current_thread().name

    found = list(begun_ahead(range(9), begin, 1, helps=True))
    assert [item for item, _ in found] == list(range(9))
    assert len({name for _, name in found[:2]}) == 2
    assert threading.current_thread().name in {name for _, name in found[:2]}


def test_an_error_of_what_the_caller_began_comes_with_its_item() -> None:
    tried, own = threading.Event(), []

    def begin(item: int) -> int:
        if threading.current_thread() is threading.main_thread():
            own.append(item)
            tried.set()
            raise ValueError(f"item {item}")
        tried.wait(timeout=20)
        return item

    found: list[int] = []
    with pytest.raises(ValueError, match="item") as told:
        found.extend(one for one in begun_ahead(range(6), begin, 1, helps=True))
    assert found == list(range(min(own)))
    assert str(told.value) == f"item {min(own)}"


def test_a_caller_that_helps_and_stops_early_leaves_no_thread() -> None:
    begun: list[int] = []
    before = threading.active_count()
    found = begun_ahead(range(100), begun.append, 1, helps=True)
    next(found)
    found.close()
    assert threading.active_count() == before
    assert len(begun) <= 4


def _work(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_what_others_use_is_counted_or_not() -> None:
    def both() -> float:
        start = processor_time()
        other = threading.Thread(target=_work, args=(0.2,))
        other.start()
        other.join()
        return processor_time() - start

    assert both() >= 0.2
    with of_this_thread():
        assert both() < 0.1
    assert both() >= 0.2


def test_a_thread_counts_itself_and_changes_nothing_for_others() -> None:
    found: list[float] = []

    def work() -> None:
        count_this_thread()
        start = processor_time()
        _work(0.05)
        found.append(processor_time() - start)

    threads = [threading.Thread(target=work) for _ in range(3)]
    start = processor_time()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(0.05 <= seconds < 0.1 for seconds in found)
    assert processor_time() - start >= 0.15
