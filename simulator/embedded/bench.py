"""Benchmark of the protocol: ticks per second without cameras, and protocol overhead of a tick with three cameras.

Run as ``python -m caos.simulator.embedded.bench``. The server itself measures the rendering time, in the same ticks
that the client measures, so that the overhead does not depend on the load of the machine.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import sys
import time
from dataclasses import asdict, dataclass

WIDTH, HEIGHT = 1280, 720
OUTPUTS = ("rgb", "tags", "depth")
QUALITY = "draft"


@dataclass(frozen=True)
class Costs:
    """Median times in seconds.

    Attributes:
        ticks_per_s: Ticks per second of an empty town without cameras, client and server on this machine.
        tick_s: One tick with three cameras of 1280x720, from the tick call to the last decoded image.
        render_s: Rendering time of that tick.
        protocol_share: Remainder of the tick, relative to the rendering time.
    """

    ticks_per_s: float
    tick_s: float
    render_s: float
    protocol_share: float


def measure(town: str = "Town01", repeats: int = 5, ticks: int = 500) -> Costs:
    """Measure the costs in a town; takes about a minute."""
    from caos.simulator.embedded.launch import serve
    from caos.simulator.session import Session
    from caos.simulator.transform import Transform

    os.environ["CAOS_SERVER_LOG"] = "DEBUG"
    with serve(town, QUALITY) as server, Session.open(server.address) as session:
        session.tick(20)
        started = time.perf_counter()
        session.tick(ticks)
        ticks_per_s = ticks / (time.perf_counter() - started)
        point = session.map.get_spawn_points()[0]
        eye = Transform(point.location.x, point.location.y, point.location.z + 1.3, yaw_deg=point.rotation.yaw)
        session.capture(eye, WIDTH, HEIGHT, outputs=OUTPUTS)
        taken, rendered = [], []
        for _ in range(repeats):
            started = time.perf_counter()
            session.capture(eye, WIDTH, HEIGHT, outputs=OUTPUTS)
            taken.append(time.perf_counter() - started)
            rendered.append(float(re.findall(r"rendered \S+ in (\S+) s", server.log())[-1]))
    shares = [tick / render - 1 for tick, render in zip(taken, rendered, strict=True)]
    return Costs(ticks_per_s, statistics.median(taken), statistics.median(rendered), statistics.median(shares))


if __name__ == "__main__":
    sys.stdout.write(json.dumps(asdict(measure()), indent=2) + "\n")
