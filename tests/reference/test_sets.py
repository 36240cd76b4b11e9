"""Everything that ``caos score`` writes about a set, computed again from the files of the set and of its score maps."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from caos.scenes.labels import PHOTOGRAPHS, STREETHAZARDS, STREETHAZARDS_12, LabelTable, hold_out
from tests.reference.comparison import assert_equal
from tests.reference.scored_sets import NARROW, WIDE, score, write_scored_set
from tests.reference.set_checks import read_case, set_checks

BDD_WITH_VOID = hold_out(("motorcycle", "bicycle", "train"), ("terrain",))
TABLES = (STREETHAZARDS, STREETHAZARDS_12, BDD_WITH_VOID, PHOTOGRAPHS)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_set_of_every_label_table(table: LabelTable, tmp_path: Path) -> None:
    kinds = NARROW[TABLES.index(table) :: len(TABLES)]
    with_instances = table != PHOTOGRAPHS
    truth = write_scored_set(tmp_path, table, kinds, np.random.default_rng(2), with_instances=with_instances)
    assert score(tmp_path) == 0
    assert_equal(set_checks(read_case(tmp_path / "out", table, truth, with_instances=with_instances)))


def test_a_threshold_may_have_exactly_the_rate_that_is_asked_for(tmp_path: Path) -> None:
    truth = write_scored_set(tmp_path, STREETHAZARDS, ("two values",), np.random.default_rng(4))
    scores, values = (np.stack(part) for part in zip(*((i.scores["two_values"], i.values) for i in truth), strict=True))
    ordinary = scores[values != STREETHAZARDS.png_value("anomaly")]
    rate = float(np.count_nonzero(ordinary == 1) / ordinary.size)
    assert 0 < rate < 0.5
    assert score(tmp_path, "--false-alarms", f"{rate!r}") == 0
    hazards = read_case(tmp_path / "out", STREETHAZARDS, truth, with_instances=True).found.content.hazards
    assert hazards is not None
    named = hazards.thresholds["two_values"][f"false_alarms_{100 * rate:g}"]
    assert (named.score, named.false_alarms) == (1.0, rate)


@pytest.mark.parametrize("kind", [WIDE[1], WIDE[3], WIDE[4], WIDE[8]])
def test_wide_scores_are_measured_exactly_or_refused(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    truth = write_scored_set(tmp_path, STREETHAZARDS, (kind,), np.random.default_rng(3), images=4)
    code = score(tmp_path)
    if code:
        said = capsys.readouterr().err
        assert (code, said.count("error: "), "float32" in said) == (2, 1, True)
        assert not (tmp_path / "out/results.json").exists()
    else:
        assert_equal(set_checks(read_case(tmp_path / "out", STREETHAZARDS, truth, with_instances=True)))
