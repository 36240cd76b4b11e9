"""Bounding boxes of the vehicles, measured once, so that a server need not build every mesh.

A test compares each row with its mesh and prints the correct row.
"""

from __future__ import annotations

Vector = tuple[float, float, float]

# id: (centre, half size) in the vehicle's frame, metres
BOXES: dict[str, tuple[Vector, Vector]] = {
    "vehicle.audi.a2": ((0.007, 0.0, 0.775), (1.92, 0.9, 0.775)),
    "vehicle.audi.etron": ((0.006, 0.0, 0.837), (2.454, 1.015, 0.837)),
    "vehicle.audi.tt": ((0.007, 0.0, 0.675), (2.092, 1.025, 0.675)),
    "vehicle.bh.crossbike": ((0.011, 0.0, 0.91), (0.88, 0.33, 0.91)),
    "vehicle.bmw.grandtourer": ((0.007, 0.0, 0.831), (2.289, 0.948, 0.831)),
    "vehicle.carlamotors.carlacola": ((-0.012, 0.0, 1.312), (2.624, 1.221, 1.312)),
    "vehicle.carlamotors.european_hgv": ((-0.012, 0.0, 1.732), (3.994, 1.417, 1.732)),
    "vehicle.carlamotors.firetruck": ((0.005, 0.0, 1.667), (4.241, 1.392, 1.667)),
    "vehicle.chevrolet.impala": ((-0.004, 0.0, 0.7), (2.686, 1.065, 0.7)),
    "vehicle.citroen.c3": ((0.001, 0.0, 0.75), (1.996, 0.944, 0.75)),
    "vehicle.diamondback.century": ((0.01, 0.0, 0.873), (0.835, 0.286, 0.873)),
    "vehicle.dodge.charger_2020": ((0.008, 0.0, 0.735), (2.524, 1.021, 0.735)),
    "vehicle.dodge.charger_police": ((0.008, 0.0, 0.79), (2.524, 1.021, 0.79)),
    "vehicle.dodge.charger_police_2020": ((0.008, 0.0, 0.79), (2.524, 1.021, 0.79)),
    "vehicle.ford.ambulance": ((0.005, 0.0, 1.33), (3.191, 1.129, 1.33)),
    "vehicle.ford.crown": ((0.008, 0.0, 0.81), (2.693, 1.057, 0.81)),
    "vehicle.ford.mustang": ((-0.004, 0.0, 0.65), (2.312, 0.968, 0.65)),
    "vehicle.gazelle.omafiets": ((-0.007, -0.004, 0.912), (0.938, 0.31, 0.912)),
    "vehicle.harley-davidson.low_rider": ((-0.019, 0.0, 0.817), (1.164, 0.48, 0.817)),
    "vehicle.jeep.wrangler_rubicon": ((-0.097, 0.0, 0.92), (2.058, 1.111, 0.92)),
    "vehicle.kawasaki.ninja": ((-0.005, 0.0, 0.859), (1.0, 0.4, 0.859)),
    "vehicle.lincoln.mkz_2017": ((0.008, 0.0, 0.74), (2.468, 0.991, 0.74)),
    "vehicle.lincoln.mkz_2020": ((0.008, 0.0, 0.74), (2.468, 0.991, 0.74)),
    "vehicle.mercedes.coupe": ((0.006, 0.0, 0.71), (2.52, 1.027, 0.71)),
    "vehicle.mercedes.coupe_2020": ((0.003, 0.0, 0.705), (2.354, 0.994, 0.705)),
    "vehicle.mercedes.sprinter": ((0.0, 0.0, 1.28), (2.977, 1.023, 1.28)),
    "vehicle.micro.microlino": ((0.0, 0.0, 0.75), (1.271, 0.767, 0.75)),
    "vehicle.mini.cooper_s": ((0.007, 0.0, 0.705), (1.864, 0.928, 0.705)),
    "vehicle.mini.cooper_s_2021": ((0.005, 0.0, 0.71), (1.945, 0.948, 0.71)),
    "vehicle.mitsubishi.fusorosa": ((0.049, 0.0, 1.62), (5.161, 1.4, 1.62)),
    "vehicle.nissan.micra": ((0.006, 0.0, 0.76), (1.835, 0.909, 0.76)),
    "vehicle.nissan.patrol": ((-0.097, 0.0, 0.949), (2.408, 1.127, 0.949)),
    "vehicle.nissan.patrol_2021": ((0.007, 0.0, 0.996), (2.589, 1.094, 0.996)),
    "vehicle.seat.leon": ((0.007, 0.0, 0.73), (2.145, 0.969, 0.73)),
    "vehicle.tesla.cybertruck": ((-0.02, 0.0, 0.86), (2.83, 1.005, 0.86)),
    "vehicle.tesla.model3": ((0.007, 0.0, 0.72), (2.348, 0.986, 0.72)),
    "vehicle.toyota.prius": ((0.007, 0.0, 0.745), (2.245, 0.929, 0.745)),
    "vehicle.vespa.zx125": ((-0.076, 0.0, 0.858), (0.969, 0.38, 0.858)),
    "vehicle.volkswagen.t2": ((0.006, 0.0, 0.975), (2.236, 0.907, 0.975)),
    "vehicle.volkswagen.t2_2021": ((0.006, 0.0, 0.975), (2.236, 0.93, 0.975)),
    "vehicle.yamaha.yzf": ((-0.002, 0.0, 0.838), (1.013, 0.4, 0.838)),
}
