from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from caos.assets.mesh import join, vertex_normals
from caos.assets.street.blueprints import VEHICLE_BLUEPRINTS
from caos.assets.street.vehicles import TAGS, VEHICLES, VehicleModel, _built, finishes, vehicle
from caos.assets.street.vehicles.bodywork import drawing
from caos.assets.street.vehicles.bodywork.sheets import both_sides, weld
from caos.assets.street.vehicles.bodywork.shell import Shell
from caos.assets.street.vehicles.car_models import CARS
from caos.foundation.errors import CaosError

# Length, width without mirrors, height of the real cars (riders included in a two-wheeler's height).
REAL_SIZES = {
    "vehicle.audi.a2": (3.83, 1.67, 1.55),
    "vehicle.audi.etron": (4.90, 1.94, 1.62),
    "vehicle.audi.tt": (4.18, 1.84, 1.35),
    "vehicle.bmw.grandtourer": (4.57, 1.80, 1.61),
    "vehicle.carlamotors.european_hgv": (7.94, 2.55, 3.46),
    "vehicle.citroen.c3": (3.99, 1.75, 1.50),
    "vehicle.dodge.charger_2020": (5.04, 1.91, 1.47),
    "vehicle.ford.crown": (5.38, 1.97, 1.60),
    "vehicle.ford.mustang": (4.61, 1.75, 1.30),
    "vehicle.lincoln.mkz_2020": (4.93, 1.86, 1.48),
    "vehicle.mercedes.coupe_2020": (4.69, 1.81, 1.41),
    "vehicle.mercedes.sprinter": (5.93, 1.99, 2.56),
    "vehicle.mini.cooper_s": (3.72, 1.68, 1.41),
    "vehicle.mitsubishi.fusorosa": (10.27, 2.50, 3.20),
    "vehicle.nissan.patrol_2021": (5.17, 2.00, 1.94),
    "vehicle.seat.leon": (4.28, 1.82, 1.46),
    "vehicle.tesla.cybertruck": (5.68, 2.03, 1.79),
    "vehicle.tesla.model3": (4.69, 1.85, 1.44),
    "vehicle.toyota.prius": (4.48, 1.75, 1.49),
    "vehicle.volkswagen.t2": (4.50, 1.72, 1.95),
    "vehicle.harley-davidson.low_rider": (2.35, 0.95, 1.65),
    "vehicle.yamaha.yzf": (2.06, 0.80, 1.60),
    "vehicle.gazelle.omafiets": (1.85, 0.62, 1.80),
}
MIRRORS_M = 0.36


@pytest.fixture(params=VEHICLES.values(), ids=VEHICLES)
def model(request: pytest.FixtureRequest) -> VehicleModel:
    found = request.param
    assert isinstance(found, VehicleModel)
    return found


def test_every_blueprint_has_a_model():
    assert list(VEHICLES) == list(VEHICLE_BLUEPRINTS)


def test_it_stands_on_the_ground_around_its_origin(model: VehicleModel):
    (x, y, z), (length, width, height) = model.bounds
    assert z - height == pytest.approx(0, abs=1e-4)
    assert abs(x) < 0.13
    assert abs(y) < 0.02
    assert length > width


@pytest.mark.parametrize("name", sorted(REAL_SIZES))
def test_it_has_the_real_size(name: str):
    real = REAL_SIZES[name]
    length, width, height = (2 * e for e in VEHICLES[name].extent)
    assert length == pytest.approx(real[0], rel=0.04)
    assert real[1] * 0.97 < width < real[1] + MIRRORS_M
    assert height == pytest.approx(real[2], rel=0.06)


def test_the_table_of_bounding_boxes_matches_the_meshes(model: VehicleModel):
    low, high = model.build().bounds
    measured = [np.round((low + high) / 2, 3).tolist(), np.round((high - low) / 2, 3).tolist()]
    np.testing.assert_allclose(model.bounds, measured, atol=0.003, err_msg=f"{model.id} should be {measured}")


def test_axles_lie_inside_the_box(model: VehicleModel):
    assert 0.4 < model.wheelbase_m / (2 * model.extent[0]) < 0.76


def test_parts_are_valid_geometry(model: VehicleModel):
    mesh = model.build()
    assert 5_000 < mesh.triangles < 23_000
    for part in mesh.parts:
        assert np.isfinite(part.vertices).all()
        assert part.faces.min() >= 0
        assert part.faces.max() < len(part.vertices)


def test_tags_name_the_vehicle_and_its_rider(model: VehicleModel):
    tags = {part.tag for part in model.build().parts}
    assert tags == ({model.tag, 13} if model.wheels == 2 else {model.tag})
    assert model.tag == TAGS[model.base_type]


def test_cars_are_mirror_images_of_themselves():
    for model in (model for model in VEHICLES.values() if model.base_type == "car"):
        low, high = model.build().bounds
        assert low[1] == pytest.approx(-high[1], abs=2e-3), model.id


def test_surfaces_face_outward():
    """Seen from the body's middle, nearly all painted area faces away."""
    for name in ("vehicle.tesla.model3", "vehicle.mercedes.sprinter", "vehicle.mini.cooper_s"):
        mesh = VEHICLES[name].build((10, 200, 30))
        painted = [p for p in mesh.parts if p.material.name.startswith("paint") and len(p.faces) > 1000]
        assert painted
        for part in painted:
            outward = part.vertices - np.array([0, 0, 0.8], np.float32)
            agree = np.einsum("ij,ij->i", vertex_normals(part), outward) > 0
            assert agree.mean() > 0.93, name


@pytest.mark.parametrize("name", sorted(CARS))
def test_the_surfaces_are_closed_above_the_belt(name: str):
    """Windows, seals, pillars and roof share every edge: an open one would let light through."""
    car = CARS[name]
    shell = Shell(car.plan)
    skins = both_sides(
        [
            *shell.cabin.skin(finishes.WHITE, drawing.windows(shell, car.exterior.panes)),
            *shell.roof.skin(finishes.WHITE),
        ]
    )
    whole = weld(join([replace(p, material=finishes.WHITE) for p in skins]).parts[0])
    edges = np.sort(whole.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    unique, count = np.unique(edges, axis=0, return_counts=True)
    free = whole.vertices[unique[count == 1]]
    foot = shell.cabin.lift(shell.cabin.a_lines, np.zeros_like(shell.cabin.a_lines))[:, 2].max()
    assert len(free) > 10
    assert free[..., 2].max() < foot + 0.01


@pytest.mark.parametrize(
    "name", ["vehicle.audi.tt", "vehicle.ford.ambulance", "vehicle.mitsubishi.fusorosa", "vehicle.vespa.zx125"]
)
def test_same_arguments_give_the_same_mesh_and_a_rebuilt_one_is_equal(name: str):
    model = VEHICLES[name]
    first = model.build()
    assert model.build() is first
    again = _built.__wrapped__(model.id, model.colors[0], False, 0)
    assert len(again.parts) == len(first.parts)
    for a, b in zip(first.parts, again.parts, strict=True):
        np.testing.assert_array_equal(a.vertices, b.vertices)
        np.testing.assert_array_equal(a.faces, b.faces)


def test_paint_changes_colour_only():
    red, blue = (VEHICLES["vehicle.audi.tt"].build(c) for c in ((200, 10, 10), (10, 10, 200)))
    assert red.triangles == blue.triangles
    colours = [p.material.color for p in red.parts if p.material.name == "paint (200, 10, 10)"]
    assert colours[0] == pytest.approx((0.578, 0.00304, 0.00304), abs=2e-3)
    assert not any(p.material.name == "paint (200, 10, 10)" for p in blue.parts)


def test_lamps_are_at_the_ends(model: VehicleModel):
    (x, _, _), (length, width, _) = model.bounds
    for lamp in model.head_lamps:
        assert lamp[0] > x + 0.1 * length
        assert abs(lamp[1]) < width
        assert 0.4 < lamp[2] < 1.3
    if model.wheels > 2:
        assert model.head_lamps[0][1] == pytest.approx(-model.head_lamps[1][1])


def test_lit_lamps_are_emissive():
    dark, lit = (VEHICLES["vehicle.tesla.model3"].build(lit=state) for state in (False, True))
    assert not any(p.material.surface == "emissive" for p in dark.parts)
    shining = [p.material.color for p in lit.parts if p.material.surface == "emissive"]
    assert any(c[0] > 5 and c[2] > 5 for c in shining)
    assert any(c[0] > 1 and c[2] < 0.1 for c in shining)


def test_riders_differ_by_choice():
    one, two = (VEHICLES["vehicle.bh.crossbike"].build(rider=k) for k in (0, 1))
    assert one is not two
    rider = [{p.material.name for p in m.parts if p.tag == 13} for m in (one, two)]
    assert rider[0] != rider[1]


def test_an_unknown_id_gets_a_suggestion():
    words = r"unknown vehicle 'vehicle.tesla.model4'; did you mean 'vehicle.tesla.model3'\?"
    with pytest.raises(CaosError, match=words):
        vehicle("vehicle.tesla.model4")
    assert vehicle("vehicle.tesla.model3").wheels == 4
