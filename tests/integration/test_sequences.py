"""A sequence made on the embedded server: planned as data, nearer from frame to frame, resumed to the same bytes."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from caos.cli import app
from caos.foundation.errors import CaosError
from caos.scenes.dataset.audit import audit
from caos.scenes.dataset.layout import open_dataset, read_instances
from caos.scenes.generation.generate import Place, generate
from caos.scenes.recipes.recipe import load_recipe
from caos.scenes.sequences.sequence import read_sequence, sequence_file
from caos.scenes.viewing.video import sequences_of, write_videos
from tests.integration.little import TOWN

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
PLACE = Place(quality="draft")
SETTINGS = (
    f"parts.approach.towns={TOWN}",
    "camera.size=96,64",
    "sequence.approach_m=40,8",
    "sequence.speed_kmh=72",
    "sequence.rate_hz=2",
    "hazards.names=cow_01",
    "hazards.motions=crossing=1",
    "weather.mix=clear=1",
)
RECIPE = load_recipe("approach", SETTINGS).resized({"test": 1})
KEY = "test/approach/001"


def tree(root: Path) -> dict[str, bytes]:
    return {p.relative_to(root).as_posix(): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


@pytest.fixture(scope="module")
def near(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sequences") / "near"
    assert generate(RECIPE, root, place=PLACE, seed=3).made == 4
    return root


def test_the_car_nears_the_hazard_by_its_speed(near: Path) -> None:
    dataset = open_dataset(near)
    frames = sequences_of(dataset)[KEY]
    assert [frame.sample.key for frame in frames] == [f"{KEY}-{k:04d}" for k in range(4)]
    plan = read_sequence(sequence_file(near, KEY))
    steps = [np.subtract(b.location, a.location) for a, b in itertools.pairwise(plan.ego)]
    # 72 km/h are 10 m from frame to frame.
    assert [float(np.linalg.norm(step)) for step in steps] == pytest.approx([10.0] * 3, abs=0.15)
    told = [frame.row["sequence"] for frame in frames]
    assert [one["time_s"] for one in told] == [0.0, 0.5, 1.0, 1.5]
    assert {(one["speed_kmh"], one["rate_hz"], one["frames"]) for one in told} == {(72.0, 2.0, 4)}
    gaps = [frame.row["hazards"][0]["nearest_m"] for frame in frames]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] == pytest.approx(10, abs=1.5)
    cows = [scene.hazards[0].pose for scene in plan.frames]
    # Half a second at 1.4 m/s across the lane.
    walked = [float(np.hypot(b.x - a.x, b.y - a.y)) for a, b in itertools.pairwise(cows)]
    assert walked == pytest.approx([0.7] * 3, abs=0.01)
    assert {scene.hazards[0].motion for scene in plan.frames} == {"crossing"}


def test_its_files_agree_with_its_manifest(near: Path) -> None:
    dataset = open_dataset(near)
    assert [p for p in audit(dataset, workers=1).problems if p.level == "error"] == []
    for frame in sequences_of(dataset)[KEY]:
        assert frame.sample.instances is not None
        seen = int((read_instances(frame.sample.instances) == 1).sum())
        hazard = frame.row["hazards"][0]
        assert seen == hazard["pixels"]
        assert (hazard["box"] is None) == (seen == 0)


def test_killed_work_goes_on_to_the_same_bytes(near: Path) -> None:
    before = tree(near)
    (near / f"scenes/{KEY}-0001.json").unlink()
    (near / "test/images/test/approach/001-0002.png").write_bytes(b"half a picture")
    summary = generate(RECIPE, near, place=PLACE, seed=3)
    assert (summary.made, summary.kept) == (2, 2)
    assert tree(near) == before
    # Planned anew, it is the same plan.
    sequence_file(near, KEY).write_text("{")
    (near / f"scenes/{KEY}-0003.json").unlink()
    generate(RECIPE, near, place=PLACE, seed=3)
    assert tree(near) == before


def test_a_video_has_a_picture_for_every_frame(near: Path, tmp_path: Path) -> None:
    (file,) = write_videos(open_dataset(near), tmp_path)
    with Image.open(file) as video:
        assert (file.name, video.n_frames) == ("test-approach-001.webp", 4)  # type: ignore[attr-defined]
        assert video.size == (96, 64 + 18)
    done = CliRunner().invoke(app, ["scenes", "video", str(near), "--out", str(tmp_path / "b"), "--plain"])
    assert done.exit_code == 0
    with Image.open(tmp_path / "b/test-approach-001.webp") as video:
        assert video.size == (96, 64)
    with pytest.raises(CaosError, match="unknown sequence 'test/approach/1'; did you mean 'test/approach/001'"):
        write_videos(open_dataset(near), tmp_path, "test/approach/1")
