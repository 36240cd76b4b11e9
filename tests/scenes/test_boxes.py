"""What boxes are called, against the pixels of what is inside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from caos.assets.street.vehicles import VEHICLES, vehicle
from caos.scenes.dataset.boxes import ActorBox, box_rows
from caos.scenes.labels import STREETHAZARDS
from caos.scenes.scene import CameraSpec
from caos.scenes.tag_classes import png_of_tag
from caos.simulator.semantic_tags import table_for
from caos.simulator.transform import Transform

CAMERA = CameraSpec(Transform(0, 0, 1.5), 40, 30)
NAMES = {row.png_value: row.name for row in STREETHAZARDS.classes}


def row_of(box: ActorBox) -> dict[str, Any]:
    (row,) = box_rows([box], [(CAMERA, np.zeros((30, 40), np.uint16))], {})
    return row


@pytest.mark.parametrize("blueprint", sorted(VEHICLES))
def test_the_box_of_a_vehicle_names_the_classes_of_all_its_surfaces(blueprint: str) -> None:
    model = vehicle(blueprint)
    tags = {model.tag if part.tag is None else part.tag for part in model.build().parts}
    classes = {NAMES[int(png_of_tag(table_for("0.9.16"))[tag])] for tag in tags}
    row = row_of(ActorBox(101, "vehicle", blueprint, model.base_type, Transform(10, 0, 1), (4, 2, 1.5)))
    assert set(row["classes"]) == classes
    # A box that is called car holds no pedestrian's pixel.
    assert (row["class"] == "car") == (classes == {"car"})
    assert (row["class"] in {"motorcycle", "bicycle"}) == (model.wheels == 2)


def test_hazards_and_people_are_of_one_class() -> None:
    hazard = row_of(ActorBox(1, "hazard", "sofa_01", "hazard", Transform(10, 0, 1), (2, 1, 1)))
    person = row_of(ActorBox(301, "person", "walker.pedestrian.0001", "person", Transform(10, 0, 1), (0.4, 0.4, 1.8)))
    assert (hazard["class"], hazard["classes"]) == ("anomaly", ["anomaly"])
    assert (person["class"], person["classes"]) == ("pedestrian", ["pedestrian"])
