"""The scorer ``background`` reads the network's own background class, or is left out with its reason."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from PIL import Image

from caos.foundation.errors import CaosError
from caos.ood_scores.command import Request, run_request
from caos.ood_scores.evaluation.scoring import score_model
from caos.ood_scores.scorer_interface.specifications import columns_of
from caos.ood_scores.sources.class_names import background_id, names_in_config
from caos.ood_scores.sources.torch_model import TorchModelSource
from caos.scenes.converting.photographs import convert_release
from caos.scenes.labels import BDD_ANOMALY, PHOTOGRAPHS, STREETHAZARDS, LabelClass, LabelTable
from tests.ood_scores import little

CITYSCAPES = ("road", "sidewalk", "building", "sky", "car")
UNKNOWN = "the names of the network's classes are unknown, so its background class is; give them with classes=..."
NONE = "the network has no background class (its classes: road, sidewalk, building, sky, car)"


@pytest.fixture(scope="module")
def photos(tmp_path_factory) -> Path:
    root, rng = tmp_path_factory.mktemp("photos"), np.random.default_rng(0)
    (root / "images").mkdir()
    (root / "masks").mkdir()
    for number in range(3):
        mask = np.zeros((32, 48), np.uint8)
        mask[10:20, 20:34], mask[:, :5] = 1, 255
        Image.fromarray(rng.integers(0, 255, (32, 48, 3), dtype=np.uint8)).save(root / "images" / f"{number}.png")
        Image.fromarray(mask).save(root / "masks" / f"{number}.png")
    convert_release(root, "folder", root / "set", workers=1)
    return root / "set"


class Five(torch.nn.Module):
    """Five classes; the logit of class 3 is the brightness, in units that separate it well."""

    def __init__(self, names: dict[int, str] | None = None) -> None:
        super().__init__()
        if names is not None:
            self.config = SimpleNamespace(id2label=names)

    def forward(self, pictures: torch.Tensor) -> torch.Tensor:
        logits = torch.zeros(len(pictures), 5, *pictures.shape[-2:])
        logits[:, 3] = 4 * pictures.mean(dim=1)
        return logits


def test_unknown_classes_leave_the_scorer_out_with_its_reason(photos: Path, tmp_path: Path) -> None:
    results = score_model(Five(), photos, "msp,background,background+dense_crf", tmp_path / "out")
    assert results.content.columns == ("msp",)
    assert results.content.not_run == {"background": UNKNOWN, "background+dense_crf": UNKNOWN}
    assert f"Not run: background ({UNKNOWN})." in results.markdown()
    assert not (tmp_path / "out" / "predictions").exists(), "class ids of the network are no ids of the set"


@pytest.mark.parametrize("named", ["classes", "settings"])
def test_a_network_without_background_has_no_such_column(photos: Path, tmp_path: Path, named: str) -> None:
    network = Five() if named == "classes" else Five(dict(enumerate(CITYSCAPES)))
    classes = CITYSCAPES if named == "classes" else None
    results = score_model(network, photos, "msp,background", tmp_path / "out", classes=classes)
    assert results.content.not_run == {"background": NONE}
    with pytest.raises(CaosError, match="scorer 'background' cannot run: the network has no background class"):
        score_model(network, photos, "background", tmp_path / "alone", classes=classes)


@pytest.mark.parametrize("names", [("a", "b", "c", "Background", "e"), ("a", "b", "c", "background", "e")])
def test_the_class_of_that_name_is_read(photos: Path, tmp_path: Path, names: tuple[str, ...]) -> None:
    source = TorchModelSource(Five(), columns_of("background"), PHOTOGRAPHS, classes=names)
    image = np.random.default_rng(1).integers(0, 255, (8, 9, 3), dtype=np.uint8)
    found = source.score_picture("x", image).maps["background"]
    bright = np.exp(4 * image.astype(np.float64).mean(axis=2) / 255)
    assert found == pytest.approx(bright / (bright + 4), abs=1e-5)


@pytest.mark.parametrize(
    ("labels", "classes", "words"),
    [
        (PHOTOGRAPHS, ("a", "a", "b"), "give the network's class names, each once"),
        (PHOTOGRAPHS, "road,sky", "give the network's class names, each once"),
        (STREETHAZARDS, CITYSCAPES, "names 5 classes, but the set's label table 'streethazards' has 13"),
    ],
)
def test_wrong_names_are_refused(labels: LabelTable, classes, words: str) -> None:
    with pytest.raises(CaosError, match=words):
        TorchModelSource(Five(), columns_of("msp"), labels, classes=classes)


def test_logits_of_another_number_than_the_names_are_refused(photos: Path, tmp_path: Path) -> None:
    with pytest.raises(CaosError, match=r"must return logits of shape \(1, 3, 32, 48\)"):
        score_model(Five(), photos, "msp", tmp_path / "out", classes=("a", "b", "c"))


def test_names_come_from_settings_only_where_somebody_named_them() -> None:
    assert names_in_config(Five(dict(enumerate(CITYSCAPES)))) == CITYSCAPES
    assert names_in_config(Five({n: f"LABEL_{n}" for n in range(5)})) is None
    assert names_in_config(Five({1: "a", 2: "b"})) is None
    assert names_in_config(Five()) is None


def test_the_background_of_a_table_is_its_own() -> None:
    names = [row.name for row in BDD_ANOMALY.trained]
    assert background_id(names, BDD_ANOMALY) == 0
    assert background_id(names[1:], BDD_ANOMALY) is None
    own = LabelTable("own", 1, (LabelClass(0, 1, "road", (0, 0, 0)), LabelClass(1, 2, "sky", (1, 1, 1))), "sky")
    assert background_id(["road", "sky"], own) == 1
    assert background_id(["ordinary"], PHOTOGRAPHS) is None


def test_a_run_of_a_table_without_background_leaves_it_out(photos: Path, tmp_path: Path) -> None:
    rows = "".join(
        f'[[classes]]\npng_value = {n}\nname = "{name}"\ncolor = [{n}, 0, 0]\n' for n, name in enumerate(CITYSCAPES)
    )
    (tmp_path / "cityscapes.toml").write_text(
        rows + '[[classes]]\npng_value = 9\nname = "hazard"\ncolor = [9, 9, 9]\nrole = "anomaly"\n'
    )
    from caos.scenes.labels import table_by_name

    run = little.write_run(tmp_path / "run", table_by_name(str(tmp_path / "cityscapes.toml")))
    results = run_request(Request(photos, run, tmp_path / "out", protocols="smiyc"))
    assert results.content.not_run["background"] == NONE
    assert "background" not in results.content.columns
    with pytest.raises(CaosError, match="scorer 'background' cannot run: the network has no background class"):
        run_request(Request(photos, run, tmp_path / "alone", scorers="msp,background"))


def test_a_run_with_background_scores_photographs_by_it(photos: Path, run: Path, tmp_path: Path) -> None:
    results = run_request(Request(photos, run, tmp_path / "out", scorers="msp,background", protocols="smiyc"))
    assert results.content.columns == ("msp", "background")
