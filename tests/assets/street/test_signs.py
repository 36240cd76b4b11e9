from __future__ import annotations

import numpy as np
import pytest

from caos.assets.street.signs import KINDS, direction_board, face, gantry, plate, sign, street_name
from caos.foundation.errors import CaosError


@pytest.mark.parametrize("kind", KINDS)
def test_every_sign_keeps_the_contract(kind, check_model):
    check_model(sign(kind), tags={6, 8}, triangles=400, lowest_m=-0.4, size_m=(2.5, 3.6))
    assert {p.tag for p in plate(kind).parts} == {8}
    assert 0.25 <= plate(kind).size_m[2] <= 0.95


@pytest.mark.parametrize("kind", KINDS)
def test_faces_are_not_mirrored(kind):
    part = next(p for p in plate(kind).parts if p.uv is not None)
    # Who looks at the face from +x has -y at the right: texture u must grow towards -y, v towards +z.
    assert np.corrcoef(part.uv[:, 0], -part.vertices[:, 1])[0, 1] > 0.999
    assert np.corrcoef(part.uv[:, 1], part.vertices[:, 2])[0, 1] > 0.999
    corners = part.vertices[part.faces].astype(np.float64)
    assert np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])[:, 0].min() > 0


def test_stop_is_red_with_white_letters_and_speeds_differ():
    stop = face("stop").material.texture
    assert stop is not None
    red, green, blue = stop[40:60, 100:156].mean((0, 1))
    assert red > 6 * green
    assert red > 6 * blue
    band = stop[100:156, 30:226].reshape(-1, 3)
    assert 0.2 < float((band[:, 1] > 0.4).mean()) < 0.6
    thirty, fifty = face("speed_30").material.texture, face("speed_50").material.texture
    assert thirty is not None
    assert fifty is not None
    assert np.abs(thirty - fifty).mean() > 0.01


def test_boards(check_model):
    check_model(street_name("Mill Lane"), tags={6, 8}, triangles=300, lowest_m=-0.4, size_m=(2.8, 3.5))
    check_model(direction_board(), tags={6, 8}, triangles=400, lowest_m=-0.4, size_m=(3, 4.5))
    check_model(gantry(16.0), tags={6, 8}, triangles=2_000, lowest_m=-0.6, size_m=(16, 18))


def test_unknown_sign_is_refused_in_words():
    with pytest.raises(CaosError, match=r"unknown sign 'stopp'; did you mean 'stop'\?"):
        sign("stopp")
