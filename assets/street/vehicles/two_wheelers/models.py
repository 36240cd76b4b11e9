"""Motorcycles and bicycles by CARLA's blueprint id, each with its rider."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from caos.assets.mesh import Mesh, Part, join
from caos.assets.street.vehicles import finishes
from caos.assets.street.vehicles.two_wheelers.bicycles import Bicycle
from caos.assets.street.vehicles.two_wheelers.motorcycles import Motorcycle, cruiser_body, scooter_body, sport_body
from caos.assets.street.vehicles.two_wheelers.riders import BIKER, BIKERS, CITIZENS, RACERS, RIDERS
from caos.assets.tags import SemanticTag

CYCLES: dict[str, Bicycle | Motorcycle] = {
    "vehicle.diamondback.century": Bicycle(
        0.34, 0.014, 0.99, "diamond", "drop", 44, equipped=False, riders=RACERS, seat_z=0.98
    ),
    "vehicle.bh.crossbike": Bicycle(
        0.35,
        0.024,
        1.06,
        "diamond",
        "flat",
        28,
        equipped=False,
        riders=(RACERS[1], CITIZENS[1], RACERS[0]),
        seat_z=0.96,
    ),
    "vehicle.gazelle.omafiets": Bicycle(
        0.36, 0.02, 1.12, "swan", "swept", 4, equipped=True, riders=CITIZENS, seat_z=0.94
    ),
    "vehicle.yamaha.yzf": Motorcycle(
        0.31,
        0.315,
        0.06,
        0.18,
        1.40,
        sport_body,
        (-0.28, 0, 0.84),
        (0.36, 0.29, 0.93),
        (-0.3, 0.2, 0.44),
        36,
        (0.78, 0.0, 0.87),
        (-0.95, 0, 0.96),
        BIKERS,
        finishes.DARK_ALLOY,
    ),
    "vehicle.kawasaki.ninja": Motorcycle(
        0.305,
        0.315,
        0.058,
        0.17,
        1.38,
        sport_body,
        (-0.28, 0, 0.84),
        (0.36, 0.3, 0.96),
        (-0.28, 0.2, 0.43),
        28,
        (0.77, 0.0, 0.87),
        (-0.95, 0, 0.96),
        (BIKERS[1], BIKERS[2], BIKERS[0]),
        finishes.DARK_ALLOY,
    ),
    "vehicle.harley-davidson.low_rider": Motorcycle(
        0.33,
        0.32,
        0.065,
        0.18,
        1.63,
        cruiser_body,
        (-0.28, 0, 0.69),
        (0.24, 0.36, 0.98),
        (0.36, 0.24, 0.36),
        4,
        (0.7, 0.0, 0.86),
        (-1.15, 0, 0.66),
        (replace(BIKER, bottom="jeans", bottom_color=(44, 56, 80)), BIKERS[1], BIKERS[2]),
        finishes.CHROME,
    ),
    "vehicle.vespa.zx125": Motorcycle(
        0.225,
        0.225,
        0.05,
        0.1,
        1.27,
        scooter_body,
        (-0.3, 0, 0.8),
        (0.36, 0.3, 1.0),
        (0.2, 0.14, 0.33),
        3,
        (0.56, 0.0, 0.98),
        (-1.0, 0, 0.58),
        RIDERS,
        finishes.ALLOY,
    ),
}


def cycle_mesh(machine: Sequence[Part], rider: Sequence[Part | Mesh], tag: int) -> Mesh:
    """Build the vehicle with its tag and the rider with CARLA's rider tag, in one mesh."""
    person = join(rider).tagged(SemanticTag.RIDER)
    return Mesh((*join(machine).tagged(tag).parts, *person.parts))
