"""Rendered against painted: what is painted, and the orders and pairs of hand-made numbers."""

from __future__ import annotations

import numpy as np
import pytest

from caos.foundation.errors import CaosError
from caos.scenes.scene import CameraSpec, Scene
from caos.scenes.shifting.attribute import attribute_of
from caos.scenes.shifting.change import parse_change
from caos.simulator.transform import Transform
from caos.simulator.weather import preset
from caos.studies.corruptions.corruption import severities_of
from caos.studies.framework.measuring import PictureNumbers, ScorerRow
from caos.studies.framework.pairs import difference, values_of
from caos.studies.framework.seeding import generator_for
from caos.studies.perturbations.perturbation import PixelPlaces, bring_back_by_places
from caos.studies.perturbations.rendered import MOTIONS
from caos.studies.rendered.pairs import KINDS, kinds_of, paint_night, paint_rain
from caos.studies.rendered.presentation import PAINTED, RENDERED, Case, present

PICTURE = np.random.default_rng(0).integers(60, 200, (90, 160, 3), np.uint8)


def numbers(miou: float, aurocs: dict[str, tuple[float, ...]]) -> PictureNumbers:
    rows = {name: tuple(ScorerRow(v, 0.1, 0.5, 0.05) for v in values) for name, values in aurocs.items()}
    keys = tuple(f"test/t5/{n}" for n in range(len(next(iter(aurocs.values())))))
    return PictureNumbers(miou, 0.1, 0.8, (), rows, {}, keys, (miou,) * len(keys))


def test_every_severity_of_every_kind_can_be_asked_of_a_simulator() -> None:
    for kind in KINDS.values():
        assert len(kind.rendered) == 5
        assert len(set(kind.rendered)) == 5
        for changes in kind.rendered:
            for change in changes:
                attribute_of(parse_change(change))


@pytest.mark.parametrize("paint", [paint_rain, paint_night])
def test_painted_rain_and_night_rise_with_severity_and_repeat(paint) -> None:
    painted = [paint(PICTURE, s, generator_for(0, "a", "x", s)) for s in range(1, 6)]
    away = [np.abs(p.astype(int) - PICTURE).mean() for p in painted]
    assert away == sorted(away)
    assert np.array_equal(painted[2], paint(PICTURE, 3, generator_for(0, "a", "x", 3)))
    assert painted[0].dtype == np.uint8


def test_night_is_darker_and_bluer() -> None:
    red, _, blue = paint_night(PICTURE, 4, generator_for(0, "a", "night", 4)).mean((0, 1)) / PICTURE.mean((0, 1))
    assert red < blue < 0.3


def test_the_same_order_is_one_and_the_reverse_minus_one(tmp_path) -> None:
    painted = numbers(0.5, {"a": (0.9, 0.8), "b": (0.7, 0.6), "c": (0.5, 0.6)})
    same = numbers(0.4, {"a": (0.8, 0.8), "b": (0.6, 0.6), "c": (0.5, 0.4)})
    reverse = numbers(0.4, {"a": (0.4, 0.4), "b": (0.6, 0.6), "c": (0.8, 0.8)})
    found = present(
        {
            "run": {
                Case("fog", 3): {PAINTED: painted, RENDERED: same},
                Case("rain", 3): {PAINTED: painted, RENDERED: reverse},
            }
        },
        {},
        tmp_path,
        {},
    )
    ranks = {(r["kind"], r["what"]): r for r in found.details["ranks"]}
    assert ranks["fog", "detectors"]["spearman"] == pytest.approx(1)
    assert ranks["rain", "detectors"]["kendall"] == pytest.approx(-1)
    # Two pictures and one run have no order.
    assert {what for _, what in ranks} == {"detectors"}
    assert "Fog: 1.00; Rain: -1.00" in found.lead
    row = next(row for row in found.tables[2].rows if row[1:4] == ("Fog", 3, "rendered"))
    assert row[6].value == pytest.approx(-0.1)  # type: ignore[union-attr]


def test_differences_are_taken_over_the_pictures_that_both_have() -> None:
    one, other = numbers(0.5, {"a": (0.9, 0.5, 0.7)}), numbers(0.3, {"a": (0.8, 0.6)})
    found = difference(values_of(one, "auroc", "a"), values_of(other, "auroc", "a"))
    assert found is not None
    assert found.value == pytest.approx(0.0)
    # Student's t with the fewest degrees of freedom that are used, three.
    assert (found.low, found.high) == (pytest.approx(-0.318, abs=1e-3), pytest.approx(0.318, abs=1e-3))
    assert difference({"x": 1.0}, {"y": 1.0}) is None


def test_a_rendered_camera_moves_as_far_as_the_painted_picture() -> None:
    camera = CameraSpec(Transform(0, 0, 1.5), 398, 224)
    scene = Scene("Town02", camera, "clear", preset("clear"))
    still = {name: MOTIONS[name](scene, 15, 31).camera for name in ("translate", "rotate", "tilt")}
    assert set(still.values()) == {camera}
    # One pixel of the paper at 10 m: the focal length of 90 degrees is half the width.
    assert MOTIONS["translate"](scene, 16, 31).camera.pose.y == pytest.approx(-10 / 199, rel=1e-2)
    assert MOTIONS["rotate"](scene, 0, 31).camera.pose.roll_deg == -15
    assert MOTIONS["scale"](scene, 24, 31).camera.fov_deg == pytest.approx(90)
    assert MOTIONS["scale"](scene, 0, 31).camera.fov_deg == pytest.approx(136.4, abs=0.1)
    assert MOTIONS["snow"](scene, 30, 31).weather.precipitation == 60


def test_pixels_are_brought_back_from_where_they_are() -> None:
    values = np.arange(12, dtype=np.uint8).reshape(3, 4)
    rows, columns = np.mgrid[:3, :4].astype(np.float32)
    shown = np.ones((3, 4), np.bool_)
    back, there = bring_back_by_places(values, PixelPlaces(3 - columns, rows, shown))
    assert np.array_equal(back, values[:, ::-1])
    assert there is shown


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: kinds_of("fog,snow"), "unknown kind 'snow'"),
        (lambda: kinds_of(" , "), "no kind in"),
        (lambda: severities_of("0,3"), "severities are some of 1,2,3,4,5"),
    ],
)
def test_bad_names_are_refused(call, words: str) -> None:
    with pytest.raises(CaosError, match=words):
        call()
