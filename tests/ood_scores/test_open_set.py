"""Open-set measures by hand, and against a plain computation that keeps all maps."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image
from sklearn.metrics import roc_curve

from caos.ood_scores.command import Request, run_request
from caos.ood_scores.measuring.open_set import (
    OTHER_TOWNS,
    RULES,
    SAME_IMAGES,
    OpenSetCounts,
    SegmentedImage,
    _corner,
    halve,
    measure_open_set,
)
from caos.ood_scores.report.tables import markdown
from tests.ood_scores import little

ANOMALY, VOID = 9, 255


def rows(*values):
    return np.array(values, np.uint8)


def counted(towns, classes, *images):
    """Counts of images given as (town, predicted, truth, steps), each pixel as a square of four: halving is exact."""
    counts = OpenSetCounts(towns, classes)
    number = 1 + max(int(steps.max()) for *_, steps in images)
    for town, predicted, truth, steps in images:
        big = [np.kron(part, np.ones((2, 2), np.uint8)) for part in (predicted, truth, steps)]
        ignored = big[1] == VOID
        image = SegmentedImage.of(town, big[0], big[1], big[1] == ANOMALY, ignored if ignored.any() else None, classes)
        counts.add_image(image)
        pixels, halved = (
            little.count_by_step(kind, part, number) for kind, part in ((image.pixels, big[2]), (image.halved, steps))
        )
        counts.add("x", town, pixels, halved)
    return counts


def test_by_hand():
    # Two towns, each judged with the threshold of the other. Its anomalies are at step 2, so from step 2 on is flagged.
    one = ("t5", rows([0, 0, 1, 1, 0]), rows([0, 0, 1, 0, ANOMALY]), rows([0, 2, 0, 1, 2]))
    two = ("t6", rows([0, 1, 1]), rows([0, 1, ANOMALY]), rows([1, 0, 2]))
    found = measure_open_set(counted(("t5", "t6"), 2, one, one, two), ["road", "car"], [])
    assert found.thresholds_from == OTHER_TOWNS
    assert found.towns == {"t5": 2, "t6": 1}
    # t5: road: one of three is right and not flagged, nothing else is called road: 1/3; car: 1 of 1, and one road: 1/2.
    # t6: both are right, and the anomaly is flagged: 1. Twice as many images in t5.
    numbers = found.scorers["x"]["best_f1"]
    assert numbers.open_miou == pytest.approx((2 * (1 / 3 + 1 / 2) / 2 + 1) / 3)
    assert numbers.open_miou_error == 0
    # t5: the anomaly is flagged, and one road pixel with it: 1/2; t6: 1.
    assert numbers.anomaly_iou == pytest.approx((2 * 1 / 2 + 1) / 3)
    # Closed, in pixels of all images, anomalies left out: road 5 right of 7, none other called so; car 3, and 2 roads.
    assert found.closed_miou == pytest.approx((5 / 7 + 3 / 5) / 2)


def test_a_corner_of_the_curve_takes_all_anomalies_above_the_next_ordinary_pixel():
    """What DenseHybrid's code does where anomalies are well apart: nearly all of them are flagged, not 95 %."""
    truth, steps = np.zeros((1, 300), np.uint8), np.zeros((1, 300), np.uint8)
    truth[0, 100:], steps[0, 100:] = ANOMALY, np.arange(50, 250)
    steps[0, :100] = np.arange(100) % 40
    found = measure_open_set(counted(("a",), 1, ("a", np.zeros_like(truth), truth, steps)), ["road"], [])
    plain, corner = (found.scorers["x"][rule] for rule in ("recall_95", "recall_95_corner"))
    _, true, levels = roc_curve(truth[0] == ANOMALY, steps[0])
    original = levels[np.argmax(true > 0.95)]
    assert original == 50
    assert abs(plain.anomaly_iou - 0.955) - 1e-9 <= plain.anomaly_iou_error <= 0.003
    # DenseHybrid flags what scores more than the threshold, so not the pixel that gives it.
    assert abs(corner.anomaly_iou - 199 / 200) - 1e-9 <= corner.anomaly_iou_error <= 0.03


def test_an_ordinary_pixel_ends_the_line():
    """Anomalies at steps 9..4, one of them per step, with an ordinary pixel at step 6: the first corner is there."""
    halved = np.zeros((2, 10), np.int64)
    halved[1, 4:] = 1
    halved[0, [0, 6]] = 1, 1
    assert _corner(halved, 9) == (6, 8)
    assert _corner(halved, 5) == (0, 5)
    halved[0, :] = 0
    assert _corner(halved, 5) == (4, 5)


def test_void_counts_neither_way_and_classes_can_be_left_out():
    image = ("a", rows([0, 1, 0, 2, 0]), rows([0, 1, VOID, 2, ANOMALY]), rows([0, 0, 1, 0, 1]))
    found = measure_open_set(counted(("a",), 3, image), ["road", "car", "other"], ["other"])
    assert found.thresholds_from == SAME_IMAGES
    assert found.classes == ("road", "car")
    assert found.scorers["x"]["best_f1"].open_miou == 1.0
    assert found.scorers["x"]["best_f1"].anomaly_iou == 1.0


def test_a_class_that_neither_occurs_nor_is_predicted_is_left_out_of_the_mean():
    image = ("a", rows([0, 1, 0]), rows([0, 0, ANOMALY]), rows([0, 0, 1]))
    found = measure_open_set(counted(("a",), 4, image), ["road", "car", "wall", "sky"], [])
    # Road 1/2; car is predicted but does not occur: 0; wall and sky do neither.
    assert found.scorers["x"]["best_f1"].open_miou == pytest.approx(1 / 4)


def test_many_classes_have_kinds_of_their_own():
    predicted = np.arange(250, dtype=np.uint8).reshape(10, 25)
    ids, anomalous = predicted.copy(), np.zeros((10, 25), np.bool_)
    ids[0] += 1
    anomalous[9] = True
    image = SegmentedImage.of("t", predicted, ids, anomalous, None, 250)
    kinds = image.pixels.kinds.reshape(10, 25).astype(int)
    assert (kinds // 3 == predicted).all()
    assert (kinds[0] % 3 == 1).all()
    assert (kinds[1:9] % 3 == 0).all()
    assert (kinds[9] % 3 == 2).all()
    assert image.truth.tolist() == [0, *[1] * 24, 2, *[1] * 199, *[0] * 25]


def test_maps_are_halved_by_means_of_four():
    scores = np.arange(15, dtype=np.float32).reshape(3, 5)
    assert halve(scores).tolist() == [[3.0, 5.0]]


def test_without_predictions_there_is_nothing():
    assert measure_open_set(OpenSetCounts(("a",), 3), ["a", "b", "c"], []) is None


@pytest.fixture(scope="module")
def scored(tmp_path_factory, run):
    """Two scorers on a set of two towns; in one of them a class is always predicted, so that IoUs are not all zero."""
    root = tmp_path_factory.mktemp("open")
    data = little.write_set(root / "set", test=8)
    return data, run_request(Request(data, run, root / "out", scorers="max_logit,msp", save_maps=True))


def everything(data, found, scorer):
    """Score, predicted class and truth of every image, by town."""
    images = {"t5": [], "t6": []}
    for path in sorted((data / "test/annotations").rglob("*.png")):
        key = f"test/{path.parent.name}/{path.stem}"
        scores = np.load(found.folder / "maps" / scorer / f"{key}.npz")["scores"]
        predicted = np.asarray(Image.open(found.folder / "predictions" / f"{key}.png"))
        images[path.parent.name].append((scores, predicted, np.asarray(Image.open(path)).astype(int) - 1))
    return images


def threshold(images, rule):
    """From halved maps, `other` left out."""
    scores, anomalous = [], []
    for values, _, truth in images:
        small = values.reshape(32, 2, 48, 2).mean((1, 3))
        kept = truth[::2, ::2] != 3
        scores.append(small[kept])
        anomalous.append(truth[::2, ::2][kept] == 13)
    scores, anomalous = np.concatenate(scores), np.concatenate(anomalous)
    false, true, levels = roc_curve(anomalous, scores, drop_intermediate=rule == "recall_95_corner")
    if rule.startswith("recall_95"):
        return levels[np.argmax(true > 0.95)]
    if rule == "false_alarms_5":
        return levels[np.flatnonzero(false <= 0.05)[-1]]
    ordinary, positives = (~anomalous).sum(), anomalous.sum()
    hits = true * positives
    return levels[np.argmax(2 * hits / (hits + false * ordinary + positives))]


def iou(images, level):
    matrix = np.zeros((14, 14), int)
    for values, predicted, truth in images:
        called = np.where(values >= level, 13, predicted)
        np.add.at(matrix, (truth[truth != 3], called[truth != 3]), 1)
    union = matrix.sum(0) + matrix.sum(1) - matrix.diagonal()
    each = np.where(union > 0, matrix.diagonal() / np.maximum(union, 1), np.nan)
    return np.nanmean(np.delete(each[:13], 3)), each[13]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("scorer", ["max_logit", "msp"])
def test_against_a_plain_computation(scored, scorer, rule):
    data, found = scored
    images = everything(data, found, scorer)
    towns = [iou(images[town], threshold(images[other], rule)) for town, other in (("t5", "t6"), ("t6", "t5"))]
    numbers = found.content.open_set.scorers[scorer][rule]
    # The best F1 is that of the counted steps, whose threshold lies within a step of the exact one.
    slack = 4e-3 if rule == "best_f1" else 1e-9
    assert numbers.open_miou_error < (4e-3 if rule == "recall_95_corner" else 2e-3)
    assert abs(numbers.open_miou - np.mean([one for one, _ in towns])) <= numbers.open_miou_error + slack
    assert abs(numbers.anomaly_iou - np.mean([one for _, one in towns])) <= numbers.anomaly_iou_error + slack


def test_closed_against_a_plain_computation(scored):
    data, found = scored
    images = [image for town in everything(data, found, "msp").values() for image in town]
    ordinary = [(scores, predicted, np.where(truth == 13, 3, truth)) for scores, predicted, truth in images]
    assert found.content.open_set.closed_miou == pytest.approx(iou(ordinary, np.inf)[0])
    assert "other" not in found.content.open_set.classes
    assert len(found.content.open_set.classes) == 12


def test_tables_show_it_and_score_maps_have_none(scored, tmp_path):
    data, found = scored
    numbers = found.content.open_set.scorers["msp"]["recall_95"]
    assert f"Closed-mIoU {100 * found.content.open_set.closed_miou:.1f}, over 12 classes" in found.markdown()
    line = next(line for line in found.markdown().split("## open set")[1].splitlines() if line.startswith("| MSP"))
    assert line.split("|")[2].split()[0] == f"{100 * numbers.open_miou:.1f}"
    maps = run_request(Request(data, None, tmp_path / "maps", maps=found.folder / "maps"))
    assert maps.content.open_set is None
    assert "open set" not in markdown(maps.content)
