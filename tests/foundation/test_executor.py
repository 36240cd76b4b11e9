from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from pathlib import Path

import pytest

from caos.foundation.errors import CaosError, LostError
from caos.foundation.execution.executor import Shares, run_here, run_processes, run_ray


class Square:
    """Squares numbers; says so in a file when closed; does other things when asked."""

    def __init__(self, folder: Path, number: int) -> None:
        self._folder, self._number = folder, number

    def __call__(self, item: int) -> tuple[int, int]:
        marker = self._folder / f"died-{item}"
        if item == 5 and not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if item == 77:
            os.kill(os.getpid(), signal.SIGKILL)
        if item == 66:
            raise CaosError("item 66 is bad")
        if item == 55:
            raise ZeroDivisionError
        return item, item * item

    def close(self) -> None:
        (self._folder / f"closed-{self._number}").touch()


@dataclass(frozen=True)
class Factory:
    folder: Path

    def __call__(self, number: int) -> Square:
        return Square(self.folder, number)


def test_here(tmp_path: Path) -> None:
    assert list(run_here([1, 2], Factory(tmp_path))) == [(1, 1), (2, 4)]
    assert (tmp_path / "closed-0").exists()
    assert list(run_here([], Factory(tmp_path))) == []


def test_a_killed_worker_costs_nothing(tmp_path: Path) -> None:
    results = dict(run_processes(range(1, 10), Factory(tmp_path), 2))
    assert results == {i: i * i for i in range(1, 10)}
    assert (tmp_path / "died-5").exists()
    assert (tmp_path / "closed-0").exists()


def test_workers_run_nothing_of_the_folder_they_are_started_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("multiprocessing", "pickle", "signal"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'foreign')!r}, 'w')\nraise SystemExit")
    monkeypatch.chdir(tmp_path)
    assert sorted(run_processes([2, 3], Factory(tmp_path), 2)) == [(2, 4), (3, 9)]
    assert not (tmp_path / "foreign").exists()
    assert "PYTHONSAFEPATH" not in os.environ


class Folder:
    """Answers with the working directory of its process."""

    def __call__(self, item: int) -> str:
        return os.getcwd()  # noqa: PTH109 - the text, not a path

    def close(self) -> None:
        pass


def make_folder(number: int) -> Folder:
    return Folder()


def test_relative_paths_mean_the_same_in_a_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert set(run_processes([1, 2, 3], make_folder, 2)) == {str(tmp_path)}
    assert Path.cwd() == tmp_path


def test_neighbours_stay_on_one_worker_and_the_idle_help() -> None:
    shares = Shares("aaaabbbb", 2)
    assert [shares.take(number) for number in (0, 1, 0, 1)] == ["a", "b", "a", "b"]
    assert [shares.take(0) for _ in range(2)] == ["a", "a"]
    assert [shares.take(0), shares.take(1), shares.take(0), shares.take(1)] == ["b", "b", None, None]
    shares.put_back(1, "c")
    assert shares.take(0) == "c"


class Fragile(Square):
    """Loses what it works with: worker 1 always, worker 0 once, before its first item."""

    def __call__(self, item: int) -> tuple[int, int]:
        marker = self._folder / f"lost-{self._number}"
        if self._number == 1 or not marker.exists():
            marker.touch()
            raise LostError(f"server {self._number} is gone")
        return super().__call__(item)


@dataclass(frozen=True)
class FragileFactory(Factory):
    def __call__(self, number: int) -> Fragile:
        return Fragile(self.folder, number)


def test_the_others_go_on_without_a_worker_that_lost_its_simulator(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    results = dict(run_processes([1, 2, 3, 4, 6], FragileFactory(tmp_path), 2))
    assert results == {i: i * i for i in (1, 2, 3, 4, 6)}
    assert any(message.startswith("worker 2: server 1 is gone; ") for message in caplog.messages)
    assert dict(run_here([1, 2], FragileFactory(tmp_path))) == {1: 1, 2: 4}


def test_a_worker_alone_tries_again_what_it_lost(tmp_path: Path) -> None:
    assert dict(run_here([1, 2], FragileFactory(tmp_path))) == {1: 1, 2: 4}
    (tmp_path / "lost-0").unlink()
    assert dict(run_processes([1, 2], FragileFactory(tmp_path), 1)) == {1: 1, 2: 4}


class Hopeless(Square):
    def __call__(self, item: int) -> tuple[int, int]:
        raise LostError(f"server {self._number} is gone with {item}")


@dataclass(frozen=True)
class HopelessFactory(Factory):
    def __call__(self, number: int) -> Hopeless:
        return Hopeless(self.folder, number)


def test_when_nobody_is_left_the_last_loss_is_named(tmp_path: Path) -> None:
    with pytest.raises(CaosError, match="server . is gone with"):
        list(run_processes([1, 2, 3, 4], HopelessFactory(tmp_path), 2))
    with pytest.raises(LostError, match="server 0 is gone with 1"):
        list(run_here([1, 2], HopelessFactory(tmp_path)))


def test_an_item_that_always_kills_is_named(tmp_path: Path) -> None:
    with pytest.raises(CaosError, match="a worker died 3 times on 77"):
        list(run_processes([1, 77], Factory(tmp_path), 2))


def test_errors_cross_the_process_border(tmp_path: Path) -> None:
    with pytest.raises(CaosError, match="item 66 is bad"):
        list(run_processes([1, 66], Factory(tmp_path), 2))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        list(run_processes([55], Factory(tmp_path), 1))


@pytest.mark.parametrize("address", ["127.0.0.1:9", "ray://127.0.0.1:9", "127.0.0.1:ninety", "127.0.0.1:99999"])
def test_where_no_cluster_listens_is_said_at_once(tmp_path: Path, address: str) -> None:
    pytest.importorskip("ray")
    with pytest.raises(CaosError, match=f"no Ray cluster at '{address}'"):
        next(run_ray([1], Factory(tmp_path), 1, address))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_ray_completes_after_a_killed_worker(tmp_path: Path) -> None:
    pytest.importorskip("ray")
    results = dict(run_ray(list(range(1, 8)), Factory(tmp_path), 2, "local"))
    assert results == {i: i * i for i in range(1, 8)}
    assert (tmp_path / "died-5").exists()
    assert dict(run_ray([1, 2, 3, 4], FragileFactory(tmp_path), 2, "local")) == {i: i * i for i in (1, 2, 3, 4)}
