from __future__ import annotations

import numpy as np
import pytest

from caos.assets.street.lights import (
    STATES,
    STREET_LIGHTS,
    lamp_offset,
    street_light,
    traffic_light_head,
    traffic_light_head_poses,
    traffic_light_pole,
)
from caos.foundation.errors import CaosError


@pytest.mark.parametrize("kind", STREET_LIGHTS)
def test_every_street_light_keeps_the_contract_and_shines_where_it_says(kind, check_model):
    mesh = street_light(kind)
    check_model(mesh, tags={6}, triangles=1_500, lowest_m=-0.5, size_m=(3.5, 11))
    lamps = np.concatenate([p.vertices for p in mesh.parts if p.material.surface == "emissive"])
    for offset in lamp_offset(kind):
        assert np.linalg.norm(lamps - offset, axis=1).min() < 0.6


@pytest.mark.parametrize("state", STATES)
def test_heads_light_the_lamps_of_their_state(state, check_model):
    mesh = traffic_light_head(state)
    check_model(mesh, tags={7}, triangles=800, lowest_m=-0.7, size_m=(1.0, 1.4))
    lit = {
        p.material.name.split()[0]: float(p.vertices[:, 2].mean())
        for p in mesh.parts
        if p.material.surface == "emissive"
    }
    assert set(lit) == (set() if state == "off" else set(state.split("_")))
    if state == "red_yellow":
        assert lit["red"] > lit["yellow"]
    assert lit.get("red", 0.3) == pytest.approx(0.3, abs=0.02)
    assert lit.get("green", -0.3) == pytest.approx(-0.3, abs=0.02)


def test_heads_hang_on_the_arm_over_the_road_and_beside_the_pole(check_model):
    check_model(traffic_light_pole("mast", 7.0), tags={6}, triangles=900, lowest_m=-0.5, size_m=(6, 8))
    check_model(traffic_light_pole("post"), tags={6}, triangles=900, lowest_m=-0.5, size_m=(3, 4))
    spots = [tuple(pose[:3, 3]) for pose in traffic_light_head_poses("mast", 7.0)]
    assert [round(y, 2) for _, y, _ in spots] == [6.79, 3.5, 0.0]
    assert all(z > 5.5 for _, y, z in spots if y > 1)
    assert traffic_light_pole("mast", 7.0).bounds[1][1] == pytest.approx(7.0, abs=0.1)
    assert len(traffic_light_head_poses("post")) == 1


def test_unknown_names_are_refused():
    with pytest.raises(CaosError, match=r"unknown traffic-light state 'gren'; did you mean 'green'\?"):
        traffic_light_head("gren")
    with pytest.raises(CaosError, match="unknown street light 'candle'"):
        lamp_offset("candle")
    with pytest.raises(CaosError, match="unknown traffic-light pole 'tree'"):
        traffic_light_pole("tree")
