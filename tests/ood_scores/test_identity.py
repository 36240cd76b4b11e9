"""No result is taken for another one's: whatever the numbers depend on changes, the old ones do not come back."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from PIL import Image

from caos.foundation.errors import CaosError
from caos.foundation.storage.claims import locked
from caos.foundation.storage.identity import Numerics
from caos.ood_scores import results
from caos.ood_scores.command import Request, run_request
from caos.ood_scores.evaluation.scoring import score_dataset, score_model
from caos.ood_scores.report.build import build_site
from caos.ood_scores.scorers.knn import Knn
from caos.ood_scores.sources.map_files import MapSource
from caos.ood_scores.sources.network_identity import network_digest
from caos.ood_scores.sources.score_maps import find_detectors
from caos.scenes.dataset.layout import open_dataset
from tests.ood_scores import little
from tests.segmentation.little import seal

OTHER = "made with other settings"


@pytest.fixture
def own(data, tmp_path) -> Path:
    """A copy of the set that a test may change."""
    return shutil.copytree(data, tmp_path / "own")


def network(seed: int) -> torch.nn.Module:
    torch.manual_seed(seed)
    return torch.nn.Conv2d(3, 13, 3, padding=1)


def maps(folder: Path, data: Path, seed: int) -> Path:
    rng = np.random.default_rng(seed)
    return little.write_maps(folder, data, lambda a, _: (a + rng.normal(size=a.shape)).astype(np.float32))


def test_two_networks_of_one_class(data, tmp_path):
    first = score_model(network(0), data, ["msp"], tmp_path / "out")
    with pytest.raises(CaosError, match=f"{OTHER} .source identity.model.network was .*overwrite"):
        score_model(network(1), data, ["msp"], tmp_path / "out")
    second = score_model(network(1), data, ["msp"], tmp_path / "out", overwrite=True)
    assert second.value("msp", "auroc") != first.value("msp", "auroc")
    # The same weights again, in another object: the same results.
    made = (tmp_path / "out/results.json").stat().st_mtime_ns
    assert score_model(network(1), data, ["msp"], tmp_path / "out").content == second.content
    assert (tmp_path / "out/results.json").stat().st_mtime_ns == made


def test_a_raised_numerics_version_is_named(data, tmp_path, monkeypatch):
    score_model(network(0), data, ["msp"], tmp_path / "out")
    monkeypatch.setattr("caos.ood_scores.evaluation.dependencies.NUMERICS", Numerics("ood_scores", 999))
    monkeypatch.setattr("caos.ood_scores.sources.model.SCORERS", Numerics("ood_scores", 999))
    with pytest.raises(CaosError, match=rf"{OTHER} .numerics.ood_scores was \d+, is 999"):
        score_model(network(0), data, ["msp"], tmp_path / "out")


def test_two_functions(data, tmp_path):
    one, two = network(0).eval(), network(1).eval()
    first = score_model(lambda pictures: one(pictures) * 1, data, ["msp"], tmp_path / "out")
    with pytest.raises(CaosError, match="already holds results, and CAOS cannot tell whether the same model") as told:
        score_model(lambda pictures: two(pictures) * 1, data, ["msp"], tmp_path / "out")
    assert "\n" not in str(told.value)
    second = score_model(lambda pictures: two(pictures) * 1, data, ["msp"], tmp_path / "out", overwrite=True)
    assert second.value("msp", "auroc") != first.value("msp", "auroc")


class Tempered(torch.nn.Module):
    """A network whose temperature is a plain number: neither weights nor printed form show it."""

    def __init__(self, temperature: float) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.layer, self.temperature = torch.nn.Conv2d(3, 13, 1), temperature

    def forward(self, pictures):
        return self.layer(pictures) / self.temperature


def test_what_a_network_is_known_by():
    assert network_digest(network(0)) == network_digest(network(0))
    assert network_digest(network(0)) != network_digest(network(1))
    assert network_digest(Tempered(1.0)) == network_digest(Tempered(1.0))
    assert network_digest(Tempered(1.0)) != network_digest(Tempered(2.0))
    layer = network(0)
    with_relu, with_sigmoid = (torch.nn.Sequential(layer, last) for last in (torch.nn.ReLU(), torch.nn.Sigmoid()))
    assert network_digest(with_relu) != network_digest(with_sigmoid)


def test_a_network_is_scored_in_evaluation_mode_and_left_as_it_was(data, tmp_path):
    noisy = torch.nn.Sequential(network(0), torch.nn.Dropout(0.5), torch.nn.BatchNorm2d(13).eval())
    noisy.train()
    noisy[2].eval()
    first = score_model(noisy, data, ["msp"], tmp_path / "one")
    assert [part.training for part in noisy] == [True, True, False]
    assert score_model(noisy.eval(), data, ["msp"], tmp_path / "two").content.measures == first.content.measures


def test_regenerated_maps(data, tmp_path):
    request = Request(data, None, tmp_path / "out", maps=maps(tmp_path / "det", data, 0))
    first = run_request(request)
    maps(tmp_path / "det", data, 1)
    with pytest.raises(CaosError, match=f"{OTHER} .source identity.det.maps was"):
        run_request(request)
    second = run_request(Request(data, None, tmp_path / "out", maps=tmp_path / "det", overwrite=True))
    assert second.value("det", "auroc") != first.value("det", "auroc")


@pytest.mark.parametrize("kind", ["annotations", "images", "instances"])
def test_changed_files_of_the_set(own, tmp_path, kind):
    request = Request(own, None, tmp_path / "out", maps=maps(tmp_path / "det", own, 0))
    run_request(request)
    path = own / f"test/{kind}/test/t5/0.png"
    Image.fromarray(np.asarray(Image.open(path))[::-1].copy()).save(path)
    with pytest.raises(CaosError, match=f"{OTHER} .dataset.{'pictures' if kind == 'images' else kind} was"):
        run_request(request)


def test_a_changed_manifest(own, tmp_path):
    request = Request(own, None, tmp_path / "out", maps=maps(tmp_path / "det", own, 0))
    run_request(request)
    manifest = own / "manifest.jsonl"
    manifest.write_text(manifest.read_text().replace("furniture", "vehicles"))
    with pytest.raises(CaosError, match=f"{OTHER} .dataset.manifest was"):
        run_request(request)


@pytest.mark.parametrize(
    ("scorer", "part"), [("max_logit", "."), ("autoencoder", "autoencoder"), ("ensemble", "seed1"),
                         ("confidence_branch", "confidence")]
)  # fmt: skip
def test_retrained_runs(data, run, tmp_path, scorer, part):
    trained = shutil.copytree(run, tmp_path / "run")
    request = Request(data, trained, tmp_path / "out", scorers=scorer, components=False)
    run_request(request)
    if part == "autoencoder":
        from safetensors.torch import load_file, save_file

        weights = trained / part / "model.safetensors"
        save_file({name: tensor * 0.5 for name, tensor in load_file(weights).items()}, weights)
        seal(trained / part)
    else:
        little.write_run(trained / part, seed=9, confidence=part == "confidence")
    with pytest.raises(CaosError, match=f"{OTHER} .source"):
        run_request(request)


def test_a_changed_run_description(data, run, tmp_path):
    trained = shutil.copytree(run, tmp_path / "run")
    request = Request(data, trained, tmp_path / "out", scorers="msp", components=False)
    run_request(request)
    record = json.loads((trained / "run.json").read_text())
    record["normalisation"]["mean"] = [0.1, 0.2, 0.3]
    (trained / "run.json").write_text(json.dumps(record))
    with pytest.raises(CaosError, match="run.json: 'normalisation' was changed after the run was written"):
        run_request(request)
    seal(trained)
    with pytest.raises(CaosError, match=f"{OTHER} .source identity.run.description was"):
        run_request(request)


def test_changed_images_to_fit_on(own, tmp_path):
    model = network(0)
    score_model(model, own, ["typicality"], tmp_path / "out")
    path = own / "train/images/validation/t4/0.png"
    Image.fromarray(np.asarray(Image.open(path))[::-1].copy()).save(path)
    with pytest.raises(CaosError, match=f"{OTHER} .fitted on.pictures was"):
        score_model(model, own, ["typicality"], tmp_path / "out")
    # What is not fitted does not read them.
    score_model(model, own, ["msp"], tmp_path / "other")
    Image.fromarray(np.asarray(Image.open(path))[::-1].copy()).save(path)
    score_model(model, own, ["msp"], tmp_path / "other")


def test_other_settings_of_a_scorer(data, tmp_path):
    model = network(0)
    score_model(model, data, ["energy"], tmp_path / "out")
    with pytest.raises(CaosError, match=OTHER):
        score_model(model, data, ["energy:temperature=2"], tmp_path / "out")


def test_a_changed_file_of_a_scorer(data, tmp_path):
    mine = shutil.copy(Path(__file__).parents[2] / "examples/own_scorer.py", tmp_path / "mine.py")
    score_model(network(0), data, [str(mine)], tmp_path / "out")
    mine.write_text(mine.read_text().replace("second - best", "best - second"))
    with pytest.raises(CaosError, match=f"{OTHER} .source identity.columns was"):
        score_model(network(0), data, [str(mine)], tmp_path / "out")


def test_an_instance_with_a_setting_that_cannot_be_written_down(data, tmp_path):
    class Shifted(Knn):
        """Reads no features; its setting is an array."""

        needs = frozenset()

        def __init__(self, shift) -> None:
            self.shift = shift

        def _fit(self, data, rng):
            pass

        def _score(self, outputs):
            return outputs.maximum + self.shift

    def score():
        return score_model(network(0), data, [Shifted(np.float32([1]))], tmp_path / "out")

    assert score().content.scorers[0].settings == {"shift": "<ndarray>"}
    with pytest.raises(CaosError, match="CAOS cannot tell whether the same model made them"):
        score()


class _Cut(Exception):
    pass


class _CutSource(MapSource):
    left = 4

    def score(self, sample, image):
        if not self.left:
            raise _Cut
        self.left -= 1
        return super().score(sample, image)


def relabel_ordinary(path):
    """Change the labels of ordinary pixels; those of hazards, which instances repeat, stay."""
    values = np.asarray(Image.open(path))
    Image.fromarray(np.where(values == 14, 14, 1).astype(np.uint8)).save(path)


def test_resumed_after_labels_changed(own, tmp_path):
    dataset = open_dataset(own)
    detectors = find_detectors(maps(tmp_path / "det", own, 0), dataset.samples("test"))
    with pytest.raises(_Cut):
        score_dataset(dataset, _CutSource(detectors), tmp_path / "out")
    relabel_ordinary(own / "test/annotations/test/t5/0.png")
    with pytest.raises(CaosError, match=f"{OTHER} .dataset.annotations was"):
        score_dataset(dataset, MapSource(detectors), tmp_path / "out")
    replaced = score_dataset(dataset, MapSource(detectors), tmp_path / "out", overwrite=True)
    assert replaced.content.measures == score_dataset(dataset, MapSource(detectors), tmp_path / "new").content.measures


def test_labels_that_change_while_they_are_scored(own, tmp_path):
    dataset = open_dataset(own)
    detectors = find_detectors(maps(tmp_path / "det", own, 0), dataset.samples("test"))

    class Meddling(MapSource):
        def score(self, sample, image):
            if sample.key == "test/t6/5":
                relabel_ordinary(own / "test/annotations/test/t5/0.png")
            return super().score(sample, image)

    with pytest.raises(CaosError, match="changed during scoring .dataset.annotations was"):
        score_dataset(dataset, Meddling(detectors), tmp_path / "out")
    assert not (tmp_path / "out/results.json").exists()


def test_two_processes_at_once(data, tmp_path):
    folder = maps(tmp_path / "det", data, 0)
    script = textwrap.dedent(
        f"""
        import time
        from pathlib import Path
        from caos.ood_scores.command import Request, run_request
        from caos.ood_scores.sources.map_files import MapSource

        class Slow(MapSource):
            def score(self, sample, image):
                Path({str(tmp_path / "begun")!r}).touch()
                while not Path({str(tmp_path / "go")!r}).exists():
                    time.sleep(0.01)
                return super().score(sample, image)

        import caos.ood_scores.command as command
        command.MapSource = Slow
        run_request(Request(Path({str(data)!r}), None, Path({str(tmp_path / "out")!r}), maps=Path({str(folder)!r})))
        """
    )
    request = Request(data, None, tmp_path / "out", maps=folder)
    with subprocess.Popen([sys.executable, "-c", script], cwd=Path(__file__).parents[2]) as first:
        while not (tmp_path / "begun").exists():
            assert first.poll() is None
            time.sleep(0.01)
        with pytest.raises(CaosError, match="another process is working on the scoring in"):
            run_request(request)
        (tmp_path / "go").touch()
        assert first.wait() == 0
    assert len(results.read(tmp_path / "out").images()) == 6
    assert run_request(request).content.dataset.images == 6


def test_a_folder_with_other_files_is_left_alone(data, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out/thesis.txt").write_text("irreplaceable")
    with pytest.raises(CaosError, match="is not empty and holds no scoring"):
        score_model(network(0), data, ["msp"], tmp_path / "out", overwrite=True)
    assert (tmp_path / "out/thesis.txt").read_text() == "irreplaceable"


class TestSite:
    def build(self, data, tmp_path, seed, overwrite=True):
        score_model(network(seed), data, ["msp"], tmp_path / "results", overwrite=overwrite)
        return build_site(tmp_path / "results", tmp_path / "site", workers=1)

    def test_is_rebuilt_when_the_results_changed(self, data, tmp_path):
        site = self.build(data, tmp_path, 0)
        old = (tmp_path / "site/data.js").read_text()
        (tmp_path / "site/frames/left_over").mkdir()
        self.build(data, tmp_path, 1)
        assert (tmp_path / "site/data.js").read_text() != old
        assert not (tmp_path / "site/frames/left_over").exists()
        assert site.index.is_file()

    def test_is_kept_when_nothing_changed(self, data, tmp_path):
        self.build(data, tmp_path, 0)
        made = (tmp_path / "site/index.html").stat().st_mtime_ns
        self.build(data, tmp_path, 0)
        assert (tmp_path / "site/index.html").stat().st_mtime_ns == made

    def test_half_a_site_is_made_whole(self, data, tmp_path):
        site = self.build(data, tmp_path, 0)
        site.index.unlink()
        (tmp_path / "site/gallery.html").unlink()
        self.build(data, tmp_path, 0)
        assert site.index.is_file()
        assert (tmp_path / "site/gallery.html").is_file()

    def test_two_at_once(self, data, tmp_path):
        self.build(data, tmp_path, 0)
        with (
            locked(tmp_path / "site"),
            pytest.raises(CaosError, match="another process is working on the site"),
        ):
            build_site(tmp_path / "results", tmp_path / "site", workers=1)
