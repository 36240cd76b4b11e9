"""Working ahead: what comes next is begun in other threads, while this one ends what came before."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Generic, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def begun_ahead(
    items: Iterable[Item],
    begin: Callable[[Item], Result],
    threads: int,
    make_ready: Callable[[], None] | None = None,
    *,
    helps: bool = False,
) -> Generator[Result]:
    """What ``begin`` gives for each item, in their order; as many are begun ahead as there are threads.

    An error comes when the item is asked for that it happened with. If the caller stops early, what is being begun is
    waited for and the rest is not begun.

    Args:
        items: In order.
        begin: Called in one of the threads.
        threads: How many.
        make_ready: Called in each thread first.
        helps: Whether the caller begins a later item itself while the one that it asks for is not ready: with as many
            threads as cores, less one, none of either ever waits. Two more items are begun ahead then.
    """
    left = iter(items)
    with ThreadPoolExecutor(threads, thread_name_prefix="ahead", initializer=make_ready) as pool:

        def begun(number: int) -> Iterable[_Begun[Item, Result]]:
            return (_Begun(item, pool.submit(begin, item)) for item in islice(left, number))

        ahead = deque(begun(threads + (2 if helps else 0)))
        try:
            while ahead:
                while helps and not ahead[0].future.done() and any(one.begin_here(begin) for one in ahead):
                    pass
                result = ahead.popleft().future.result()
                ahead.extend(begun(1))
                yield result
        finally:
            for one in ahead:
                one.future.cancel()


class _Begun(Generic[Item, Result]):
    """An item, and what becomes of it."""

    def __init__(self, item: Item, future: Future[Result]) -> None:
        self.item, self.future = item, future

    def begin_here(self, begin: Callable[[Item], Result]) -> bool:
        """Begin it in this thread, unless another one has done so; whether it was begun here."""
        if not self.future.cancel():
            return False
        self.future = Future()
        try:
            self.future.set_result(begin(self.item))
        except Exception as error:  # noqa: BLE001 - who asks for the item gets it
            self.future.set_exception(error)
        return True
