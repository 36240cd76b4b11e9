"""Tables of ``caos scenes`` on the terminal."""

from __future__ import annotations

from caos.scenes.viewing.terminal_tables import _shares, _show


def row(town: str, name: str, percent: float, genuine: float | None) -> dict[str, object]:
    return {"split": "test", "town": town, "class": name, "percent": percent, "genuine": genuine}


def test_classes_go_down_and_towns_across(capsys) -> None:
    _shares([row("t5", "road", 33.04, 37.7), row("t6", "road", 0.256, 36.2), row("t5", "fence", 1.5, 1.2)])
    said = capsys.readouterr().out
    assert "(in brackets: the genuine StreetHazards)" in " ".join(said.split())
    assert "│ road  │ 33.0 (37.7) │ 0.26 (36.2) │" in said
    assert "│ fence │ 1.5 (1.2)   │ -           │" in said


def test_a_set_that_is_compared_with_nothing_says_so_by_saying_nothing(capsys) -> None:
    _shares([row("t5", "road", 33.04, None)])
    said = capsys.readouterr().out
    assert "genuine" not in said
    assert "│ 33.0    │" in said


def test_numbers_are_flush_right_and_a_table_may_be_empty(capsys) -> None:
    _show("Images", ("split", "count"), [("train", 5), ("test", 1500)])
    assert "│ train │     5 │" in capsys.readouterr().out
    _show("Nothing", ("split", "count"), [])
    assert "split" in capsys.readouterr().out
