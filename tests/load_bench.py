"""Loads of towns and deaths of clients: ``python -m tests.load_bench [--loads 1000]``; exits 1 if one dies or hangs.

A fifth of the loads each: by a client that does nothing else; with a living TrafficManager and vehicles under it; by a
client that listens to the world's ticks; with a manager in synchronous mode; with a manager that has no vehicles.
Clients are processes of ten loads each: CARLA's client ends its process where something goes wrong.
"""

from __future__ import annotations

import argparse
import collections
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field

import carla
import psutil

from caos.simulator.embedded.launch import serve

TOWNS = ("Town01", "Town02")
KINDS = ("alone", "manager", "listening", "synchronous manager", "manager of nothing")
LOADS_OF_A_CLIENT = 10
VEHICLES = 8
PATIENCE_S = 240.0
STUCK = "stuck in a tick"
"""CARLA's synchronous TrafficManager and the client's tick tell each other to go on without holding their lock; on a
busy machine one misses the other now and then, with no load of a town under way, and both wait for ever."""


def load_often(port: int, kind: str, loads: int, manager_port: int) -> None:
    """Load towns, as one client: ``load_world`` and ``reload_world`` in turn, another town after every five."""
    client = carla.Client("127.0.0.1", port)
    client.set_timeout(60.0)
    world = client.get_world()
    for k in range(loads):
        if "manager" in kind:
            vehicles = 0 if kind.endswith("nothing") else VEHICLES
            drive(client, world, manager_port, vehicles, is_synchronous=kind.startswith("synchronous"))
        elif kind == "listening":
            world.on_tick(lambda snapshot: snapshot.frame)
        before = world.id
        print("loading", flush=True)
        world = client.reload_world() if k % 2 else client.load_world(TOWNS[k // 5 % len(TOWNS)])
        assert world.id != before, f"load {k}: the episode is still {before}"
        print("loaded", flush=True)


def drive(client: carla.Client, world: carla.World, manager_port: int, vehicles: int, *, is_synchronous: bool) -> None:
    """Vehicles under a TrafficManager, for a second."""
    settings = world.get_settings()
    settings.synchronous_mode, settings.fixed_delta_seconds = is_synchronous, 0.05 if is_synchronous else None
    world.apply_settings(settings)
    manager = client.get_trafficmanager(manager_port)
    manager.set_synchronous_mode(is_synchronous)
    cars = world.get_blueprint_library().filter("vehicle.*")
    for k, point in enumerate(world.get_map().get_spawn_points()[:vehicles]):
        vehicle = world.try_spawn_actor(cars[k % len(cars)], point)
        if vehicle is not None:
            vehicle.set_autopilot(True, manager_port)
    for _ in range(20):
        if is_synchronous:
            world.tick()
        else:
            world.wait_for_tick(10.0)


def first_manager_port() -> int:
    """Other than that of another run at the same time."""
    return 8100 + os.getpid() % 50 * 200


def run_client(port: int, kind: str, number: int) -> tuple[int, str]:
    """Towns that a client of its own process loaded, and how it died, if it did."""
    words = ["--port", str(port), "--kind", kind, "--loads", str(LOADS_OF_A_CLIENT)]
    words += ["--manager", str(first_manager_port() + number)]
    command = [sys.executable, "-m", "tests.load_bench", *words]
    child = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONFAULTHANDLER": "1"},
    )
    try:
        said, errors = child.communicate(timeout=PATIENCE_S)
        died = f"ended with {child.returncode}: {errors.strip()[-1500:]}" if child.returncode else ""
    except subprocess.TimeoutExpired:
        child.send_signal(signal.SIGABRT)  # the fault handler says where it hangs
        said, errors = child.communicate()
        is_loading = said.split()[-1:] == ["loading"]
        died = f"hung for {PATIENCE_S:.0f} s: {errors.strip()[-1500:]}" if is_loading else STUCK
    return said.count("loaded"), died


def main() -> int:
    """Print what became of the clients; 1 if one of them died or hung."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--loads", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=600.0, help="begin nothing after this time")
    parser.add_argument("--port", type=int, help="be a client of this server")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--manager", type=int, default=8000)
    options = parser.parse_args()
    if options.port:
        load_often(options.port, options.kind, options.loads, options.manager)
        return 0
    with serve(TOWNS[0], "preview") as server:
        tally = try_clients(server.port, options.loads, options.minutes)
        megabytes = psutil.Process(server.pid).memory_info().rss / 1e6
    for kind in KINDS:
        print(f"{kind}: {tally.loads[kind]} loads, {tally.deaths[kind]} clients died, {tally.stuck[kind]} {STUCK}")
    print(f"{tally}; the server has {megabytes:.0f} MB")
    return 1 if tally.deaths.total() + tally.stuck.total() else 0


@dataclass
class Tally:
    """What became of the clients so far, by kind."""

    loads: collections.Counter[str] = field(default_factory=collections.Counter)
    deaths: collections.Counter[str] = field(default_factory=collections.Counter)
    stuck: collections.Counter[str] = field(default_factory=collections.Counter)
    began: float = field(default_factory=time.monotonic)

    def __str__(self) -> str:
        seconds = time.monotonic() - self.began
        total, deaths, stuck = self.loads.total(), self.deaths.total(), self.stuck.total()
        return f"{total} loads, {deaths} clients died, {stuck} {STUCK}, {seconds:.0f} s"


def try_clients(port: int, loads: int, minutes: float) -> Tally:
    """Clients of all kinds in turn, until there are as many loads, or too many deaths."""
    tally, number = Tally(), 0
    while tally.loads.total() < loads and time.monotonic() - tally.began < 60 * minutes:
        kind = KINDS[number % len(KINDS)]
        done, died = run_client(port, kind, number)
        tally.loads[kind] += done
        if died:
            (tally.stuck if died == STUCK else tally.deaths)[kind] += 1
            print(f"{kind}: after {done} loads a client {died}", flush=True)
        number += 1
        if number % len(KINDS) == 0:
            print(tally, flush=True)
        if tally.deaths.total() > loads // LOADS_OF_A_CLIENT:
            break
    return tally


if __name__ == "__main__":
    sys.exit(main())
