"""Scorers from outside, and their settings: from files, from other packages, from the command line and from Python."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Literal

import pytest
import torch

from caos.foundation.errors import CaosError
from caos.ood_scores.scorer_interface import registry
from caos.ood_scores.scorer_interface.registry import make_scorer, scorer_class, scorer_info, scorer_names
from caos.ood_scores.scorer_interface.scorer import Outputs, Scorer
from caos.ood_scores.scorer_interface.specifications import columns_of
from caos.ood_scores.scorers.knn import Knn
from caos.ood_scores.scorers.mc_dropout import McDropout

EXAMPLE = Path(__file__).parents[2] / "examples/own_scorer.py"
LOGITS = torch.tensor([[3.0, 0.0], [1.0, 4.0], [0.0, 3.0]])


def settings(text):
    return [dict(column.record().settings) for column in columns_of(text)]


def test_settings_are_read_by_the_type_of_the_constructor():
    assert settings("knn:k=50") == [{"k": 50, "bank": 1024, "layer": "encoder"}]
    assert settings("knn:bank=2048:k=7") == [{"k": 7, "bank": 2048, "layer": "encoder"}]
    assert settings("typicality:multi_label=yes:threshold=0.25") == [{"multi_label": True, "threshold": 0.25}]
    assert settings("isolation_forest:space=logits") == [{"space": "logits", "trees": 100}]
    dropout = {"passes": 30, "rate": None, "place": "channels"}
    assert settings("mc_dropout:passes=30,energy:temperature=2") == [dropout, {"temperature": 2.0}]
    assert settings("mc_dropout:rate=0.5:place=values") == [{"passes": 10, "rate": 0.5, "place": "values"}]


def test_columns_are_named_by_their_settings():
    names = [column.name for column in columns_of("knn,knn:k=50,knn:bank=2000:k=50+crf,energy:temperature=1.50")]
    assert names == ["knn", "knn:k=50", "knn:k=50:bank=2000+crf", "energy:temperature=1.5"]
    assert columns_of("knn:k=50+crf")[0].record().title == "KNN (k=50) + CRF"


def test_instances_are_columns_too_and_are_not_changed():
    mine = Knn(k=9)
    first, second, third = columns_of([mine, "msp", McDropout()])
    assert [first.name, second.name, third.name] == ["knn:k=9", "msp", "mc_dropout"]
    assert first.scorer is not mine
    assert first.record().settings == {"k": 9, "bank": 1024, "layer": "encoder"}
    with pytest.raises(CaosError, match="two scorers are called 'knn'"):
        columns_of([Knn(), Knn()])
    with pytest.raises(CaosError, match="a name, a path or an instance of caos.Scorer, not int"):
        columns_of([5])
    with pytest.raises(CaosError, match="setting 'k': 0 is not a number from 1"):
        columns_of([Knn(k=0)])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("knn:neighbours=5", r"unknown setting of scorer 'knn' 'neighbours' .known: bank, k"),
        ("knn:bnak=5", "did you mean 'bank'"),
        ("knn:k=many", "scorer 'knn': setting 'k': 'many' is not of type int"),
        ("knn:k=2.5", "scorer 'knn': setting 'k': '2.5' is not of type int"),
        ("knn:k=0", "setting 'k': 0 is not a number from 1 to 1e"),
        ("knn:k=9:bank=5", "keeps 5 features .bank., which are fewer than k = 9"),
        ("knn:k=5:k=6", "has the setting 'k' twice"),
        ("knn:5", "write a setting as NAME=VALUE after a colon"),
        ("msp:k=5", "scorer 'msp' has no settings"),
        ("energy:temperature=nan", "setting 'temperature': nan is not a finite number"),
        ("energy:temperature=0", "setting 'temperature': 0.0 is not a number from"),
        ("react:percentile=101", "101.0 is not a number from 0 to 100"),
        ("mc_dropout:passes=1", "at least 2 dropout passes, not 1"),
        ("isolation_forest:space=logit", "unknown space 'logit'; did you mean 'logits'"),
        ("standardized_max_logit:smooth=maybe", "setting 'smooth': 'maybe' is not of type bool"),
        ("./nowhere.py", "cannot read nowhere.py: No such file"),
    ],
)
def test_bad_settings_are_one_line(text, words):
    with pytest.raises(CaosError, match=words) as told:
        columns_of(text)
    assert "\n" not in str(told.value)


def test_every_setting_of_every_scorer_can_be_written_and_read():
    for name in scorer_names():
        for key, value in settings(name)[0].items():
            (again,) = settings(f"{name}:{key}={value}")
            assert again[key] == value, (name, key)


def test_a_file_is_a_scorer():
    scorer = make_scorer(str(EXAMPLE), temperature=2.0)
    assert scorer.score(Outputs(LOGITS)).tolist() == [-1.0, -0.5]
    assert scorer_info(str(EXAMPLE)).summary.startswith("Margin between the two largest logits")
    assert scorer_class(str(EXAMPLE)) is scorer_class(str(EXAMPLE))


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("x = 1\n", "must define exactly one scorer, not 0"),
        ("from caos.ood_scores.scorers.msp import Msp\n", "must define exactly one scorer, not 0"),
        ("from caos import Scorer\nclass A(Scorer): pass\nclass B(Scorer): pass\n", "exactly one scorer, not 2"),
        ("import nothing_of_that_name\n", "cannot be loaded: ModuleNotFoundError"),
        ("def broken(:\n", "cannot be loaded: SyntaxError"),
        ("raise ValueError('two\\nlines')\n", "cannot be loaded: ValueError: two$"),
        ("from caos import Scorer\nclass A(Scorer): pass\n", "cannot be made with .*TypeError: Can't instantiate"),
    ],
)
def test_a_bad_file_is_one_line(tmp_path, content, words):
    path = tmp_path / "mine.py"
    path.write_text(content)
    with pytest.raises(CaosError, match=words) as told:
        columns_of(str(path))
    assert "\n" not in str(told.value)


def test_a_needed_setting_is_asked_for(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(EXAMPLE.read_text().replace("temperature: float = 1.0", "temperature: float"))
    with pytest.raises(CaosError, match="needs the setting 'temperature'; give .*mine.py:temperature=VALUE"):
        columns_of(str(path))
    assert columns_of(f"{path}:temperature=3")[0].name == "mine:temperature=3"


class Foreign(Scorer):
    """The first logit."""

    title = "First"

    def __init__(self, sign: Literal[1, -1] = 1) -> None:
        self.sign = sign

    def score(self, outputs):
        return self.sign * outputs.logits[0]


class TestEntryPoints:
    @pytest.fixture
    def installed(self, tmp_path, monkeypatch):
        """Another package with scorers, as pip leaves it in site-packages."""
        about = tmp_path / "foreign_scorers-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: foreign-scorers\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text(
            "[caos.scorers]\n"
            f"first_logit = {__name__}:Foreign\nmsp = {__name__}:Foreign\n"
            f"not_one = {__name__}:LOGITS\ngone = {__name__}:Nothing\n"
        )
        monkeypatch.syspath_prepend(str(tmp_path))
        importlib.invalidate_caches()
        registry._installed.cache_clear()
        yield
        registry._installed.cache_clear()

    def test_a_package_brings_scorers(self, installed):
        assert {"first_logit", "knn"} <= set(scorer_names())
        assert scorer_info("first_logit").summary == "a scorer of foreign-scorers"
        (column,) = columns_of("first_logit:sign=-1")
        assert (column.name, column.record().settings) == ("first_logit:sign=-1", {"sign": -1})
        assert column.scorer.score(Outputs(LOGITS)).tolist() == [-3.0, -0.0]

    def test_ours_keep_their_names(self, installed):
        assert scorer_class("msp").__module__ == "caos.ood_scores.scorers.msp"

    def test_what_is_no_scorer_is_told(self, installed):
        with pytest.raises(CaosError, match="'not_one' .* is not a subclass of caos.Scorer"):
            columns_of("not_one")
        with pytest.raises(CaosError, match="'gone' .* cannot be loaded: AttributeError"):
            columns_of("gone")
