"""Recipe files put together: what they extend, what is set, full form, check, weather by ranges and hour."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from caos.cli import app
from caos.foundation.errors import CaosError
from caos.scenes.recipes.check import check_recipe
from caos.scenes.recipes.recipe import load_recipe, read_recipe, recipe_names
from caos.scenes.recipes.rules import WeatherRules
from caos.scenes.recipes.text import recipe_text
from caos.scenes.recipes.weather_mix import draw_weather, part_of_day

BASE = """
description = "base"
dataset = "Base"
library = "shelf"
[weather]
mix = { fog = 1 }
[traffic]
walkers = [0, 1]
vehicles = [1, 2]
[outputs]
depth = true
[[parts]]
split = "test"
folder = "a"
towns = ["./mine.toml"]
count = 3
hazards = { range_m = [5, 6] }
[[parts]]
split = "test"
folder = "b"
towns = ["Town01"]
count = 2
"""


@pytest.fixture
def base(tmp_path: Path) -> Path:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/base.toml").write_text(BASE)
    return tmp_path / "deep/base.toml"


def own(base: Path, text: str) -> Path:
    file = base.parent.parent / "own.toml"
    file.write_text(text)
    return file


def test_a_recipe_takes_over_keys_and_parts_of_another(base: Path) -> None:
    recipe = read_recipe(own(base, 'extends = "deep/base.toml"\ndataset = "Own"\n[traffic]\nwalkers = [7, 9]\n'))
    assert (recipe.name, recipe.dataset, recipe.description) == ("own", "Own", "base")
    assert recipe.parts[0].traffic.walkers == (7, 9)
    assert recipe.parts[0].traffic.vehicles == (1, 2)
    assert recipe.outputs.depth
    # Files are meant from the folder of the recipe that names them.
    assert recipe.parts[0].towns == (str(base.parent / "mine.toml"),)
    assert recipe.library == str(base.parent / "shelf")
    named = read_recipe(own(base, 'extends = "hard"\n[hazards]\nfallen_share = 0.5\n'))
    assert {part.hazards and part.hazards.fallen_share for part in named.parts} == {0.5}


def test_recipes_that_extend_each_other_are_refused(base: Path) -> None:
    base.write_text('extends = "../own.toml"\n' + BASE)
    file = own(base, 'extends = "deep/base.toml"\n')
    with pytest.raises(CaosError, match=r"own.toml: extends itself: .*own.toml -> .*base.toml -> .*own.toml"):
        read_recipe(file)
    with pytest.raises(CaosError, match="unknown recipe 'hrad'; did you mean 'hard'"):
        read_recipe(own(base, 'extends = "hrad"\n'))


def test_a_link_to_itself_is_no_recipe(tmp_path: Path) -> None:
    circle = tmp_path / "circle.toml"
    circle.symlink_to(circle)
    with pytest.raises(CaosError, match=r"circle\.toml"):
        read_recipe(circle)


def test_settings_come_before_sections_and_parts(base: Path) -> None:
    settings = ["hazards.range_m=4,20", "traffic.walkers=[0, 30]", "weather.mix=night=3,clear=1", "parts.b.count=9"]
    settings += ["hazards.kinds=sofa", "parts.b.hazards=true", "outputs.twins=true", "dataset=Set", "hazards.share=0.5"]
    recipe = read_recipe(base, settings)
    first, second = recipe.parts
    assert first.hazards is not None
    assert second.hazards is not None
    assert first.hazards.range_m == second.hazards.range_m == (4, 20)
    assert (first.hazards.kinds, first.hazards.share) == (("sofa",), 0.5)
    assert first.traffic.walkers == (0, 30)
    assert first.weather.mix == {"night": 3.0, "clear": 1.0}
    assert (second.count, recipe.dataset, recipe.outputs.twins) == (9, "Set", True)
    one = read_recipe(base, ["parts.a.hazards.range_m=7,8", "parts.a.towns=Town02"]).parts
    assert one[0].hazards is not None
    assert (one[0].hazards.range_m, one[0].towns, one[1].hazards) == ((7, 8), ("Town02",), None)


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        ("hazard.range_m=4,20", "unknown section 'hazard'; did you mean 'hazards'"),
        ("hazards.rang_m=4,20", "unknown key 'rang_m'; did you mean 'range_m'"),
        ("hazards.range_m", "give KEY=VALUE"),
        ("hazards=1", "give SECTION.KEY, such as hazards.objects"),
        ("parts.c.count=3", "unknown part 'c'"),
        ("hazards.range_m=20,4", "range_m goes from 20 to 4"),
        ("hazards.share=much", "key 'share': 'much' is not of type float"),
        ("weather.mix=fogg=1", "unknown weather 'fogg'; did you mean 'fog'"),
        ("dataste=X", "unknown key 'dataste'; did you mean 'dataset'"),
        ("hazards.size_scale=0,2", "0.0 is not a number from 0.1"),
        ("weather.hour=9,3", "weather: hour goes from 9 to 3"),
    ],
)
def test_a_wrong_setting_is_one_clear_line(base: Path, setting: str, words: str) -> None:
    with pytest.raises(CaosError) as caught:
        read_recipe(base, [setting])
    assert words in str(caught.value)


@pytest.mark.parametrize("name", recipe_names())
def test_the_full_form_of_a_recipe_is_the_same_recipe(name: str, tmp_path: Path) -> None:
    recipe = load_recipe(name, ["weather.hour=6,7", "hazards.max_contrast=30", "hazards.size_scale=1,2"])
    (tmp_path / f"{name}.toml").write_text(recipe_text(recipe))
    assert read_recipe(tmp_path / f"{name}.toml") == recipe


def test_check_says_what_a_recipe_asks_for_and_what_cannot_be() -> None:
    lines = check_recipe(load_recipe("night", ["parts.t5-6.count=4"]))
    assert lines[0] == "night: 104 images, dataset StreetHazards-Night"
    assert lines[2].startswith("test/t5-6: 4 images of Town05, Town06 at 1280x720, ")
    wide = ["hazards.placements=sidewalk=1", "hazards.names=aeroplane_01", "hazards.size_scale=2,2"]
    with pytest.raises(CaosError, match=r"test/t5-6: none of its 1 objects fits on a sidewalk.*aeroplane_01, is wider"):
        check_recipe(load_recipe("night", wide))
    mixed = check_recipe(load_recipe("night", [*wide[1:], "hazards.placements=sidewalk=1,road=1"]))
    assert "1 of them are wider than any sidewalk" in mixed[2]
    with pytest.raises(CaosError, match="test/t5-6: unknown town 'Town7'; did you mean 'Town0"):
        check_recipe(load_recipe("night", ["parts.t5-6.towns=Town7"]))


def test_the_commands_print_and_fail_in_a_line(base: Path) -> None:
    run = CliRunner().invoke
    shown = run(app, ["scenes", "recipe", "show", str(base), "--set", "parts.a.count=77"])
    assert shown.exit_code == 0
    assert "count = 77" in shown.output
    assert "highway" in run(app, ["scenes", "recipe", "list"]).output
    wrong = run(app, ["scenes", "recipe", "check", str(base), "--set", "hazards.kindz=sofa"])
    assert isinstance(wrong.exception, CaosError)


def test_weather_is_drawn_from_ranges_and_hours() -> None:
    rng = np.random.default_rng(0)
    drawn = [draw_weather(WeatherRules({"clear": 1.0}, cloudiness=(40, 41), puddles=(5, 6)), rng)[1] for _ in range(20)]
    assert all(40 <= w.cloudiness <= 41 and 5 <= w.precipitation_deposits <= 6 for w in drawn)
    night = [draw_weather(WeatherRules({"clear": 1.0}, hour=(22, 26)), rng)[1] for _ in range(20)]
    assert {part_of_day(w.sun_altitude_angle) for w in night} == {"night"}
    noon = draw_weather(WeatherRules({"night": 1.0}, hour=(12, 12)), rng)[1]
    assert noon.sun_altitude_angle == pytest.approx(90 - 45 + 23.44, abs=0.01)
    plain = [draw_weather(WeatherRules(), np.random.default_rng(3))[1] for _ in range(2)]
    assert plain[0] == plain[1]
    assert [part_of_day(d) for d in (40, 5, -3, -20)] == ["day", "low sun", "twilight", "night"]


def test_a_part_may_hold_sequences(base: Path) -> None:
    recipe = read_recipe(base, ["parts.b.sequence=true", "sequence.frames=3", "parts.b.count=2"])
    keys = [slot.key for slot in recipe.slots()]
    assert keys[:4] == ["test/a/1", "test/a/2", "test/a/3", "test/b/004-0000"]
    assert keys[-1] == "test/b/005-0002"
    assert len(keys) == 3 + 2 * 3
    near = load_recipe("approach").parts[0].sequence
    assert near is not None
    # 75 m at 30, 50 and 80 km/h, eight frames a second: 1.04, 1.74 and 2.78 m a frame.
    assert [near.frames_of(n) for n in (1, 2, 3, 4)] == [73, 44, 28, 73]
    assert [near.speed_of(n) for n in (1, 2, 3, 4)] == [30, 50, 80, 30]
    with pytest.raises(CaosError, match="part 'a': hazards.motions need a sequence"):
        read_recipe(base, ["hazards.motions=rolling=1"])
    with pytest.raises(CaosError, match="part 'b': sequence.approach_m needs a hazard to approach"):
        read_recipe(base, ["parts.b.sequence=true", "sequence.approach_m=80,5"])
    with pytest.raises(CaosError, match="approach_m goes from 5 to 80; give the farther distance first"):
        read_recipe(base, ["sequence.approach_m=5,80"])
