"""Loads of towns and the deaths of clients: ``python -m tests.load_bench [--loads 1000]``; exits 1 if a client dies.

A fifth of the loads each: by a client that does nothing else; with a living TrafficManager and vehicles under it; by a
client that listens to the world's ticks; with a manager in synchronous mode; with a manager that has no vehicles.
Clients are processes of ten loads each: CARLA's client ends its process where something goes wrong.
"""

from __future__ import annotations

import argparse
import collections
import os
import subprocess
import sys
import time

import carla
import psutil

from caos.simulator.embedded.launch import serve

TOWNS = ("Town01", "Town02")
KINDS = ("alone", "manager", "listening", "synchronous manager", "manager of nothing")
LOADS_OF_A_CLIENT = 10
VEHICLES = 8
PATIENCE_S = 600.0


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
    try:
        told = os.environ | {"PYTHONFAULTHANDLER": "1"}
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False, env=told)
    except subprocess.TimeoutExpired as late:
        return str(late.stdout).count("loaded"), f"hung for {PATIENCE_S:.0f} s"
    died = f"ended with {done.returncode}: {done.stderr.strip()[-1500:]}" if done.returncode else ""
    return done.stdout.count("loaded"), died


def main() -> int:
    """Print what became of the clients; 1 if one of them died."""
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
    loads: collections.Counter[str] = collections.Counter()
    deaths: collections.Counter[str] = collections.Counter()
    began, number = time.monotonic(), 0
    with serve(TOWNS[0], "preview") as server:
        while sum(loads.values()) < options.loads and time.monotonic() - began < 60 * options.minutes:
            kind = KINDS[number % len(KINDS)]
            done, died = run_client(server.port, kind, number)
            loads[kind] += done
            if died:
                deaths[kind] += 1
                print(f"{kind}: after {done} loads a client {died}", flush=True)
            number += 1
            if sum(deaths.values()) > options.loads // LOADS_OF_A_CLIENT:
                break
        megabytes = psutil.Process(server.pid).memory_info().rss / 1e6
    for kind in KINDS:
        print(f"{kind}: {loads[kind]} loads, {deaths[kind]} clients died")
    total, dead = sum(loads.values()), sum(deaths.values())
    print(f"{total} loads, {dead} clients died, {time.monotonic() - began:.0f} s; the server has {megabytes:.0f} MB")
    return 1 if dead else 0


if __name__ == "__main__":
    sys.exit(main())
