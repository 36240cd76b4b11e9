from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caos.foundation.errors import CaosError
from caos.scenes.labels import (
    BDD_ANOMALY,
    PHOTOGRAPHS,
    STREETHAZARDS,
    STREETHAZARDS_12,
    TABLES,
    VOID,
    hold_out,
    table_by_name,
)
from caos.scenes.tag_classes import png_of_tag
from caos.simulator.semantic_tags import TABLES as TAG_TABLES


@pytest.mark.parametrize("table", [*TABLES.values(), hold_out(("rider", "bus"))], ids=lambda t: t.name)
def test_a_table_is_sound(table) -> None:
    assert [row.class_id for row in table.trained] == list(range(table.num_classes))
    assert len({row.png_value for row in table.classes}) == len(table.classes)
    assert table.anomaly_ids == tuple(range(table.num_classes, table.num_classes + len(table.anomaly_ids)))
    assert all(row.class_id == VOID for row in table.classes if row.role == "ignore")
    assert table.trained[table.background_id].name == ("ordinary" if table is PHOTOGRAPHS else "background")


@pytest.mark.parametrize("table", [STREETHAZARDS, BDD_ANOMALY], ids=lambda t: t.name)
def test_encoding_round_trips(table) -> None:
    values = np.array([[row.png_value for row in table.classes]], np.uint8)
    ids = table.decode(values)
    assert ids.tolist() == [[row.class_id for row in table.classes]]
    assert (table.encode(ids) == values).all()


def test_the_counts_that_confused_users() -> None:
    assert (STREETHAZARDS.num_classes, STREETHAZARDS.anomaly_ids) == (13, (13,))
    assert (STREETHAZARDS_12.num_classes, STREETHAZARDS_12.anomaly_ids) == (12, (12,))
    assert STREETHAZARDS_12.decode(np.array([[4, 14, 5]], np.uint8)).tolist() == [[VOID, 12, 3]]
    assert (BDD_ANOMALY.num_classes, BDD_ANOMALY.anomaly_ids) == (17, (17, 18, 19))


def test_a_foreign_value_is_named() -> None:
    with pytest.raises(CaosError, match=r"a\.png: label value 99 is not in table 'streethazards' \(allowed: 1, 2"):
        STREETHAZARDS.decode(np.array([[1, 99]], np.uint8), "a.png")
    with pytest.raises(CaosError, match="class id 77 has no PNG value"):
        STREETHAZARDS.encode(np.array([[77]], np.uint8))


def test_every_tag_of_every_release_has_a_class() -> None:
    for tags in TAG_TABLES:
        lookup = png_of_tag(tags)
        assert all(1 <= lookup[tag.number] <= 13 for tag in tags.tags)
        assert (lookup[len(tags.tags) :] == 0).all()


def test_old_tags_plus_one_are_the_released_values() -> None:
    assert png_of_tag(TAG_TABLES[0])[:13].tolist() == list(range(1, 14))


def test_the_new_tags_follow_the_measured_table() -> None:
    lookup = png_of_tag(TAG_TABLES[2])
    assert lookup[:29].tolist() == [1, 8, 9, 2, 12, 3, 6, 13, 13, 10, 1, 1, 5, 5, *[11] * 6, 4, 4, 4, 1, 7, 1, 2, 8, 3]


def test_tables_are_found_by_name() -> None:
    held = hold_out(("rider", "traffic light"), ("bus",))
    assert table_by_name(held.name) == held
    assert table_by_name("bdd-anomaly") is BDD_ANOMALY
    assert hold_out(("bicycle", "train", "motorcycle")) is BDD_ANOMALY
    with pytest.raises(CaosError, match="did you mean 'streethazards'"):
        table_by_name("streethazard")
    with pytest.raises(CaosError, match="did you mean 'rider'"):
        hold_out(("riders",))
    with pytest.raises(CaosError, match="both held out and ignored"):
        hold_out(("bus",), ("bus",))


def test_digests_tell_tables_apart() -> None:
    assert len({table.digest for table in TABLES.values()}) == len(TABLES)


def test_colours() -> None:
    picture = STREETHAZARDS.colorize(np.array([[7, 13, VOID]], np.uint8))
    assert picture.tolist() == [[[128, 64, 128], [60, 250, 240], [255, 255, 255]]]


TABLE = """
[[classes]]
png_value = 8
name = "road"
color = [128, 64, 128]
[[classes]]
png_value = 14
name = "anomaly"
color = [60, 250, 240]
role = "anomaly"
[[classes]]
png_value = 4
name = "other"
color = [1, 2, 3]
role = "ignore"
[[classes]]
png_value = 1
name = "background"
color = [0, 0, 0]
"""


def test_a_table_of_ones_own(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(TABLE)
    table = table_by_name(str(file))
    assert table.decode(np.array([[8, 14, 4, 1]], np.uint8)).tolist() == [[0, 2, VOID, 1]]
    assert (table.num_classes, table.anomaly_ids, table.background_id) == (2, (2,), 1)
    assert table.name == str(file)
    assert table_by_name(table.name) == table


def test_a_table_without_a_background_has_no_background_class(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(TABLE.replace('name = "background"', 'name = "sky"'))
    table = table_by_name(str(tmp_path / "table.toml"))
    assert (table.background, table.background_id, table.num_classes) == ("", None, 2)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("png_value = 14", "png_value = 8", "two classes have the png_value 8"),
        ("png_value = 14", "png_value = 300", "300 is not a number from 0 to 255"),
        ('name = "other"', 'name = "road"', "two classes have the name 'road'"),
        (
            "[[classes]]",
            'background = "fog"\n[[classes]]',
            "background 'fog' is not a trained class (trained: ro",
        ),
        ('role = "ignore"', 'role = "skip"', "'skip' is not one of train, ignore, anomaly"),
        ("color = [1, 2, 3]", "colour = [1, 2, 3]", "unknown key 'colour'; did you mean 'color'"),
    ],
)
def test_a_wrong_table_is_one_clear_line(tmp_path: Path, old: str, new: str, words: str) -> None:
    (tmp_path / "table.toml").write_text(TABLE.replace(old, new, 1))
    with pytest.raises(CaosError) as caught:
        table_by_name(str(tmp_path / "table.toml"))
    assert words in str(caught.value)
    assert "table.toml" in str(caught.value)


def test_values_are_named_by_their_class() -> None:
    assert STREETHAZARDS.png_value("car") == 11
    assert BDD_ANOMALY.png_values("anomaly") == (18, 19, 20)
    with pytest.raises(CaosError, match="unknown class 'cra'; did you mean 'car'"):
        STREETHAZARDS.png_value("cra")
