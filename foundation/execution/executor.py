"""Executor that spreads work over processes or a Ray cluster.

A worker that dies costs its current item, which is tried again.

So does one that loses what it works with (``LostError``). It may find it again for its next item; one that loses it
twice in a row gets no more work, and the others go on without it.

It takes *items* and a *factory*: called once in each worker with the worker's number, it gives a function that
is called with item after item. Results come back in the order they are finished.
"""

from __future__ import annotations

import contextlib
import logging
import multiprocessing
import os
import signal
import socket
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from caos.foundation.command_line.extras import install_command
from caos.foundation.errors import CaosError, LostError
from caos.foundation.execution.children import safe_path
from caos.foundation.execution.threads import share_the_cores

log = logging.getLogger(__name__)

Item = TypeVar("Item")
Result = TypeVar("Result")
Work = Callable[[Item], Result]
Factory = Callable[[int], Work[Item, Result]]
MAX_TRIES: Final = 3
MAX_LOSSES: Final = 2
"""In a row, before a worker gets no more work."""
RAY_PATIENCE_S: Final = 10.0


def run(
    items: Sequence[Item], factory: Factory[Item, Result], workers: int = 1, ray: str | None = None
) -> Iterator[Result]:
    """Work through the items; results come in the order they are finished.

    Args:
        items: What is to be done; neighbours in the list stay on one worker.
        factory: Called once in each worker with its number; gives the function that takes item after item. Picklable
            unless the work stays in this process.
        workers: Processes; one means this process.
        ray: Address of a Ray cluster (``host:port``, ``auto`` or ``local``) to work on instead, or None.

    Raises:
        CaosError: The first error of a worker, or when no worker is left.
    """
    if ray is not None:
        return run_ray(items, factory, workers, ray)
    return run_here(items, factory) if workers <= 1 else run_processes(items, factory, workers)


def run_here(items: Sequence[Item], factory: Factory[Item, Result]) -> Iterator[Result]:
    """Work through the items in this process."""
    if not items:
        return
    work = factory(0)
    try:
        for item in items:
            yield _tried(work, item)
    finally:
        _close(work)


def _tried(work: Work[Item, Result], item: Item) -> Result:
    """The result for an item, tried again when what it needs was lost."""
    try:
        return work(item)
    except LostError as lost:
        log.warning("%s; trying again", lost)
        return work(item)


def run_processes(items: Sequence[Item], factory: Factory[Item, Result], workers: int) -> Iterator[Result]:
    """Work through the items in ``workers`` fresh processes; neighbours in the list stay on one worker.

    Raises:
        CaosError: The first error of a worker, when an item killed its worker ``MAX_TRIES`` times, or when no worker
            is left.
    """
    count = min(workers, len(items))
    shares, losses = Shares([_Ticket(item) for item in items], count), _Losses(count)
    pool = [_Process(number, factory, count) for number in range(count)]
    try:
        for process in pool:
            process.give(shares)
        while any(process.ticket for process in pool):
            ready = wait([process.pipe for process in pool if process.ticket])
            for process in [p for p in pool if p.pipe in ready]:
                outcome = process.take()
                if outcome is None:
                    _again(process, shares)
                    process.restart()
                elif losses.note(process.number, outcome):
                    _again(process, shares)
                else:
                    yield outcome.value()
                process.ticket = None
            # What a lost worker gave back may find another one idle.
            for process in pool:
                if process.ticket is None and losses.may_work(process.number):
                    process.give(shares)
    finally:
        for process in pool:
            process.stop()


class _Losses:
    """How often in a row each worker lost what it works with."""

    def __init__(self, workers: int) -> None:
        self._counts = [0] * workers

    def note(self, worker: int, outcome: _Outcome) -> bool:
        """Whether this outcome is a loss.

        Raises:
            CaosError: When no worker is left.
        """
        self._counts[worker] = self._counts[worker] + 1 if outcome.is_loss else 0
        if not outcome.is_loss:
            return False
        left = sum(map(self.may_work, range(len(self._counts))))
        if not left:
            raise CaosError(outcome.text)
        log.warning("worker %d: %s; %d of %d workers go on", worker + 1, outcome.text, left, len(self._counts))
        return True

    def may_work(self, worker: int) -> bool:
        """Whether a worker is given more."""
        return self._counts[worker] < MAX_LOSSES


class _Ticket(Generic[Item]):
    """An item and how often it was tried."""

    def __init__(self, item: Item) -> None:
        self.item, self.tries = item, 0


class Shares(Generic[Item]):
    """Items shared out among workers: each goes through a stretch of its own, then helps with the longest one left.

    A worker so sees few of the places that neighbouring items have in common, such as towns that take long to load.
    """

    def __init__(self, items: Sequence[Item], workers: int) -> None:
        bounds = [len(items) * number // max(workers, 1) for number in range(workers + 1)]
        self._stretches = [deque(items[low:high]) for low, high in pairwise(bounds)]

    def take(self, worker: int) -> Item | None:
        """The next item of a worker, or None when nothing is left."""
        if self._stretches[worker]:
            return self._stretches[worker].popleft()
        longest = max(self._stretches, key=len)
        return longest.pop() if longest else None

    def put_back(self, worker: int, item: Item) -> None:
        """An item that has to be tried again, by the same worker first."""
        self._stretches[worker].appendleft(item)


class _Outcome:
    """What a worker sent back: a result, a loss, a known error, or the traceback of an unknown one."""

    def __init__(self, kind: str, content: Any) -> None:
        self._kind, self._content = kind, content

    @property
    def is_loss(self) -> bool:
        return self._kind == "lost"

    @property
    def text(self) -> str:
        return str(self._content)

    def value(self) -> Any:
        if self._kind == "error":
            raise CaosError(self._content)
        if self._kind == "bug":
            raise RuntimeError(f"a worker failed:\n{self._content}")
        return self._content


def _again(process: _Process[Any, Any], shares: Shares[_Ticket[Any]]) -> None:
    ticket = process.ticket
    assert ticket is not None
    if ticket.tries >= MAX_TRIES:
        raise CaosError(f"a worker died {MAX_TRIES} times on {ticket.item}; see the messages above")
    shares.put_back(process.number, ticket)


class _Process(Generic[Item, Result]):
    """One worker process and the pipe to it."""

    def __init__(self, number: int, factory: Factory[Item, Result], workers: int) -> None:
        self.number, self._factory, self._workers = number, factory, workers
        self._start()

    def _start(self) -> None:
        # "spawn", because a forked child would share the parent's sockets and thread pools.
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        words = (theirs, self._factory, self.number, self._workers, Path.cwd())
        self._process = context.Process(target=_serve, args=words, daemon=False)
        with safe_path(), _without_ctrl_c():
            self._process.start()
        theirs.close()
        self.ticket: _Ticket[Item] | None = None

    def give(self, shares: Shares[_Ticket[Item]]) -> None:
        """Hand over the next item, if there is one."""
        self.ticket = shares.take(self.number)
        if self.ticket is not None:
            self.ticket.tries += 1
            try:
                self.pipe.send(self.ticket.item)
            except OSError:
                _again(self, shares)
                self.restart()
                self.give(shares)

    def take(self) -> _Outcome | None:
        """What came back; None when the process is gone."""
        try:
            kind, content = self.pipe.recv()
        except (EOFError, OSError):
            return None
        return _Outcome(kind, content)

    def restart(self) -> None:
        """Replace a process that died."""
        self._process.join(5)
        self._start()

    def stop(self) -> None:
        """End the process, gently at first."""
        self.pipe.close()
        self._process.join(10)
        if self._process.is_alive():
            self._process.terminate()
            self._process.join(5)
        if self._process.is_alive():
            self._process.kill()


@contextlib.contextmanager
def _without_ctrl_c() -> Iterator[None]:
    """Processes started inside never see Ctrl-C, which goes to all of a terminal's: they end when their pipe does."""
    if not hasattr(signal, "pthread_sigmask"):  # not on this system
        yield
        return
    resource_tracker.ensure_running()  # it lets signals in again when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, factory: Factory[Any, Any], number: int, workers: int, folder: Path) -> None:
    """The loop of one of so many workers; ends when the parent closes the pipe or dies.

    ``folder`` is the working directory of the parent, where relative paths begin.
    """
    os.chdir(folder)  # before Python 3.11, safe_path() starts this process elsewhere
    share_the_cores(workers)
    worker = _Worker(factory, number)
    try:
        while True:
            pipe.send(worker.work(pipe.recv()))
    except (EOFError, OSError, KeyboardInterrupt):
        pass
    finally:
        worker.close()


class _Worker:
    """A worker's function, made when the first item arrives."""

    def __init__(self, factory: Factory[Any, Any], number: int) -> None:
        self._factory, self._number = factory, number
        self._work: Work[Any, Any] | None = None

    def work(self, item: Any) -> tuple[str, Any]:
        """The outcome of one item."""
        return _outcome(self._ready, item)

    def _ready(self) -> Work[Any, Any]:
        if self._work is None:
            self._work = self._factory(self._number)
        return self._work

    def close(self) -> None:
        """Give back what the worker holds."""
        if self._work is not None:
            _close(self._work)


def _outcome(ready: Callable[[], Work[Any, Any]], item: Any) -> tuple[str, Any]:
    try:
        return "result", ready()(item)
    except LostError as error:
        return "lost", str(error)
    except CaosError as error:
        return "error", str(error)
    except Exception:  # noqa: BLE001 - crosses a process border as text
        return "bug", traceback.format_exc()


def _close(work: Any) -> None:
    """Let a worker's function give back what it holds, if it has a ``close``."""
    if hasattr(work, "close"):
        work.close()


def run_ray(items: Sequence[Item], factory: Factory[Item, Result], workers: int, address: str) -> Iterator[Result]:
    """Work through the items on a Ray cluster (``address``: host:port, ``auto`` or ``local``).

    Raises:
        CaosError: If Ray is not installed, the cluster cannot be reached, or an item fails.
    """
    try:
        import ray
    except ImportError:
        raise CaosError(f"--ray needs the package ray: {install_command('ray')}") from None
    _knock(address)
    try:
        ray.init(address=None if address == "local" else address, log_to_driver=False, include_dashboard=False)
    except (ConnectionError, ValueError, RuntimeError) as error:
        hint = "if it asks for a token, set RAY_AUTH_MODE=token here"
        raise CaosError(f"no Ray cluster at {address!r}: {error}; {hint}") from error
    try:
        yield from _ray_results(ray, items, factory, workers)
    finally:
        ray.shutdown()


def _knock(address: str) -> None:
    """Refuse a ``host:port`` where nothing listens; Ray itself would wait for minutes.

    Raises:
        CaosError: If nothing listens there.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host:
        return
    try:
        socket.create_connection((host, int(port)), RAY_PATIENCE_S).close()
    except (OSError, ValueError, OverflowError) as error:
        raise CaosError(f"no Ray cluster at {address!r}: {error}") from error


def _ray_results(ray: Any, items: Sequence[Item], factory: Factory[Item, Result], workers: int) -> Iterator[Result]:
    # Ray makes an actor anew, and repeats its item, when its process dies.
    remote = ray.remote(max_restarts=-1, max_task_retries=MAX_TRIES)(_Worker)
    count = min(workers, len(items))
    actors = [remote.remote(factory, number) for number in range(count)]
    shares, losses = Shares(items, count), _Losses(count)
    running: dict[Any, tuple[int, Item]] = {}
    idle = list(range(count))
    while True:
        for number in [n for n in idle if losses.may_work(n)]:
            if (item := shares.take(number)) is not None:
                running[actors[number].work.remote(item)] = number, item
                idle.remove(number)
        if not running:
            break
        (done,), _ = ray.wait(list(running), num_returns=1)
        number, item = running.pop(done)
        idle.append(number)
        try:
            outcome = _Outcome(*ray.get(done))
        except ray.exceptions.RayActorError as error:
            raise CaosError(f"a Ray worker died {MAX_TRIES} times: {error}") from error
        if losses.note(number, outcome):
            shares.put_back(number, item)
        else:
            yield outcome.value()
    ray.get([actor.close.remote() for actor in actors])
