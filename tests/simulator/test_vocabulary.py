from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from caos.assets.tags import SemanticTag
from caos.simulator.semantic_tags import CURRENT, TABLES, table_for
from caos.simulator.transform import Transform


@pytest.mark.parametrize(("table", "count"), zip(TABLES, (13, 23, 29), strict=True))
def test_numbers_count_from_zero_and_names_are_unique(table, count: int) -> None:
    assert [tag.number for tag in table.tags] == list(range(count))
    assert len({tag.name for tag in table.tags}) == count
    assert len({tag.color for tag in table.tags}) == count


@pytest.mark.parametrize(
    ("release", "count", "road"),
    [
        ("0.8.4", 13, 7),
        ("0.9.9", 13, 7),
        ("0.9.10", 23, 7),
        ("0.9.13-dirty", 23, 7),
        ("0.9.15", 29, 1),
        ("0.9.16", 29, 1),
    ],
)
def test_the_release_chooses_the_table(release: str, count: int, road: int) -> None:
    table = table_for(release)
    assert len(table.tags) == count
    assert table.number("Road") == road


def test_a_bad_release_is_refused() -> None:
    with pytest.raises(ValueError, match="'latest' is not a CARLA release"):
        table_for("latest")
    with pytest.raises(ValueError, match=r"older than 0\.8\.0"):
        table_for("0.7.1")
    with pytest.raises(KeyError):
        CURRENT.number("Spaceship")


def test_tags_need_the_standard_library_only() -> None:
    code = "import sys; import caos.simulator.semantic_tags; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_the_tags_that_meshes_carry_are_the_current_table() -> None:
    spelled = {tag.name.replace("SideWalk", "Sidewalk"): tag.number for tag in CURRENT.tags}
    assert spelled == {tag.name.title().replace("_", ""): int(tag) for tag in SemanticTag}


def test_rotation_follows_carla() -> None:
    import carla

    for pitch, yaw, roll in [(10, 20, 30), (-40, 170, 5), (0, -90, 0)]:
        ours = Transform(1, 2, 3, pitch, yaw, roll)
        theirs = carla.Transform(carla.Location(1, 2, 3), carla.Rotation(pitch, yaw, roll)).get_matrix()
        assert np.abs(ours.matrix - np.array(theirs)).max() < 1e-5


def test_a_pose_round_trips_through_its_matrix() -> None:
    pose = Transform(1, -2, 3, 10, 120, -20)
    back = Transform.from_matrix(pose.matrix)
    assert np.allclose([*back.location, *back.rotation], [*pose.location, *pose.rotation])
    assert np.allclose((pose @ Transform(1, 0, 0)).matrix[:3, 3], pose.matrix @ [1, 0, 0, 1] @ np.eye(4)[:, :3])
