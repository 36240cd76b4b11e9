from __future__ import annotations

import pytest

from caos.assets.street.blueprints import VEHICLE_BLUEPRINTS, WALKER_BLUEPRINTS, Blueprint

ALL = {**VEHICLE_BLUEPRINTS, **WALKER_BLUEPRINTS}
VEHICLE_ATTRIBUTES = {
    "role_name", "color", "sticky_control", "terramechanics", "object_type", "base_type", "special_type",
    "number_of_wheels", "generation", "has_dynamic_doors", "has_lights",
}  # fmt: skip
WALKER_ATTRIBUTES = {
    "role_name", "speed", "is_invincible", "use_wheelchair", "gender", "generation", "age", "can_use_wheelchair",
}  # fmt: skip


def test_the_catalogue_has_the_size_of_carlas():
    assert len(VEHICLE_BLUEPRINTS) == 41
    assert len(WALKER_BLUEPRINTS) == 51
    assert "vehicle.harley-davidson.low_rider" in VEHICLE_BLUEPRINTS
    assert next(iter(WALKER_BLUEPRINTS)) == "walker.pedestrian.0001"
    assert list(WALKER_BLUEPRINTS)[-1] == "walker.pedestrian.0051"


@pytest.mark.parametrize("blueprint", ALL.values(), ids=ALL)
def test_every_blueprint_is_well_formed(blueprint: Blueprint):
    names = [a.id for a in blueprint.attributes]
    assert len(names) == len(set(names))
    wanted = VEHICLE_ATTRIBUTES if blueprint.id.startswith("vehicle.") else WALKER_ATTRIBUTES
    assert set(names) - {"driver_id"} == wanted
    for attribute in blueprint.attributes:
        assert attribute.modifiable == bool(attribute.recommended)
        assert attribute.value in (attribute.recommended or (attribute.value,))
        for value in (attribute.value, *attribute.recommended):
            check = {
                "bool": lambda v: v in ("true", "false"),
                "int": lambda v: v.lstrip("-").isdigit(),
                "float": lambda v: isinstance(float(v), float),
                "string": lambda v: isinstance(v, str),
                "rgb": lambda v: len(v.split(",")) == 3 and all(0 <= int(c) <= 255 for c in v.split(",")),
            }[attribute.type]
            assert check(value), f"{blueprint.id}.{attribute.id} = {value!r}"


def test_two_wheelers_have_drivers_and_others_have_none():
    for blueprint in VEHICLE_BLUEPRINTS.values():
        two = blueprint.attribute("number_of_wheels").value == "2"
        assert any(a.id == "driver_id" for a in blueprint.attributes) == two
        assert (blueprint.attribute("base_type").value in ("motorcycle", "bicycle")) == two


def test_walkers_stand_walk_and_run_by_position():
    for blueprint in WALKER_BLUEPRINTS.values():
        stand, walk, run = (float(v) for v in blueprint.attribute("speed").recommended)
        assert stand == 0.0 < walk < run
    children = [b.id for b in WALKER_BLUEPRINTS.values() if b.attribute("age").value == "child"]
    assert len(children) == 8


def test_a_wheelchair_is_offered_only_to_those_who_can_use_it():
    for blueprint in WALKER_BLUEPRINTS.values():
        can = blueprint.attribute("can_use_wheelchair").value == "true"
        assert blueprint.attribute("use_wheelchair").recommended == (("false", "true") if can else ("false",))


def test_tags_are_the_words_of_the_id():
    assert VEHICLE_BLUEPRINTS["vehicle.tesla.model3"].tags == ("vehicle", "tesla", "model3")


def test_an_unknown_attribute_is_a_key_error():
    with pytest.raises(KeyError, match="wings"):
        VEHICLE_BLUEPRINTS["vehicle.tesla.model3"].attribute("wings")
