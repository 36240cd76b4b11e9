"""Views that are drawn again: a glance at colours, another object after some, and what the progress says."""

from __future__ import annotations

import numpy as np
import pytest

from caos.scenes.generation.checking import GLANCE_PX, check_glance, glance
from caos.scenes.generation.filming import Recording
from caos.scenes.generation.generate import _told_views
from caos.scenes.generation.planning import Wanted
from caos.scenes.generation.poses import NoFreeSpaceError
from caos.scenes.generation.scene_maker import SPARE_COLOURS, replaced
from caos.scenes.labels import STREETHAZARDS
from caos.scenes.scene import CameraSpec, Hazard, Scene
from caos.simulator.transform import Transform
from caos.simulator.weather import PRESETS

CAMERA = CameraSpec(Transform(), 1280, 720, 90.0)
SCENE = Scene("Town05", CAMERA, "cloudy", PRESETS["cloudy"], hazards=(Hazard("rubble_01", Transform(), "road"),))


def _small(hazard_grey: int) -> Recording:
    """A grey road with a hazard of another grey in it."""
    instances = np.zeros((180, 320), np.uint16)
    instances[90:120, 100:140] = 1
    grey = np.where(instances == 1, hazard_grey, 90).astype(np.uint8)
    road = np.full((180, 320), STREETHAZARDS.png_value("road"), np.uint8)
    road[instances == 1] = STREETHAZARDS.png_value("anomaly")
    return Recording(np.repeat(grey[..., None], 3, 2), road, instances, np.ones((180, 320), np.float32))


def test_a_glance_is_a_small_picture_of_the_same_camera() -> None:
    small = glance(CAMERA)
    assert (small.width, small.height, small.fov_deg, small.pose) == (GLANCE_PX, 180, 90.0, CAMERA.pose)


def test_a_glance_refuses_what_plainly_stands_out_and_leaves_close_cases_to_the_frame() -> None:
    # 40 steps of grey are about 16 in L.
    check_glance(SCENE, _small(95), 20)
    check_glance(SCENE, _small(130), 14)
    with pytest.raises(NoFreeSpaceError, match="stands out"):
        check_glance(SCENE, _small(130), 12)


def test_another_object_comes_sooner_where_its_colour_decides() -> None:
    wanted, objects = Wanted("cloudy", PRESETS["cloudy"], ("b",)), ["a", "b", "c", "d"]
    assert [replaced(wanted, objects, attempt) for attempt in (0, 9, 10)] == [["b"], ["b"], ["c"]]
    assert [replaced(wanted, objects, attempt, SPARE_COLOURS) for attempt in (0, 1, 2, 6)] == [
        ["b"],
        ["b"],
        ["c"],
        ["a"],
    ]


def test_the_progress_says_why_many_views_were_drawn_again() -> None:
    assert _told_views({"frame: stands out": 4, "hazard: too few pixels": 90}) == ""
    told = _told_views({"frame: stands out": 20, "view: no road": 5, "hazard: too few pixels": 90})
    assert told == "  26 views: 20 stands out, 5 no road"
