"""Measuring detectors on whole images: the scorers of the house on one logit vector a picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from caos.ood_scores.measuring import metrics

DETECTORS: Final[Mapping[str, str]] = {
    "isolation_forest": "IForest",
    "logit_average": "LogitAvg",
    "local_outlier_factor": "LOF",
    "max_logit": "MaxLogit",
    "typicality": "Typicality",
    "msp": "MSP",
}
"""The scorers of tables 4.2 and 6.1, and what they are called there."""
OUTLIER_SHARE: Final = 1 / 6
"""Base rate of outliers: one for five ordinary pictures, so that a random detector has an AUPR of 16.7 %."""
NEIGHBOURS: Final = 20
"""Of LOF, as in the thesis; fewer where fewer pictures are there to fit it on."""

Logits = npt.NDArray[np.float32]
"""``(n, answers)``."""


@dataclass(frozen=True)
class Detection:
    """How well a detector tells outliers from ordinary pictures.

    Attributes:
        auroc: Area under the ROC curve.
        aupr: Average precision at the base rate of one in six.
        fpr95: Share of the ordinary pictures above the score that 95 % of the outliers reach.
    """

    auroc: float
    aupr: float
    fpr95: float


def scores_of(
    ordinary: Logits, groups: Mapping[str, Logits], *, multi_label: bool, seed: int
) -> dict[str, dict[str, npt.NDArray[np.float32]]]:
    """By detector and group, the anomaly score of every picture.

    Args:
        ordinary: Of ordinary pictures, to fit what has to be fitted; no labels are used.
        groups: The pictures to score.
        multi_label: Whether answers are independent; typicality then has its own threshold rule.
        seed: Of fits.
    """
    import torch

    from caos.ood_scores.scorer_interface.registry import make_scorer
    from caos.ood_scores.scorer_interface.scorer import FitData, FittedScorer, Outputs

    found: dict[str, dict[str, npt.NDArray[np.float32]]] = {}
    data = FitData(torch.from_numpy(ordinary), torch.full((len(ordinary),), -1))
    distinct = len(np.unique(ordinary.max(1)))
    settings: dict[str, dict[str, Any]] = {
        "typicality": {"multi_label": multi_label},
        "local_outlier_factor": {"k": max(min(NEIGHBOURS, distinct - 1), 1)},
    }
    for name in DETECTORS:
        scorer = make_scorer(name, **settings.get(name, {}))
        if isinstance(scorer, FittedScorer):
            scorer.fit(data, np.random.default_rng(seed))
        found[name] = {
            group: np.asarray(scorer.score(Outputs(torch.from_numpy(logits.T.copy()))).cpu(), np.float32)
            for group, logits in groups.items()
        }
    return found


def detection(ordinary: npt.NDArray[np.float32], outliers: npt.NDArray[np.float32]) -> Detection:
    """How well scores tell outliers from ordinary pictures; the base rate is set by weights, no picture is left out."""
    from sklearn.metrics import average_precision_score

    scores = np.concatenate([ordinary, outliers])
    anomalous = np.arange(scores.size) >= ordinary.size
    counts = metrics.count(scores, anomalous)
    weight = OUTLIER_SHARE / (1 - OUTLIER_SHARE) * ordinary.size / outliers.size
    weights = np.where(anomalous, weight, 1.0)
    return Detection(
        auroc=metrics.auroc(counts),
        aupr=float(average_precision_score(anomalous, scores, sample_weight=weights)),
        fpr95=metrics.fpr_at_recall(counts),
    )


def pairs_told_apart(without: npt.NDArray[np.float32], with_hazard: npt.NDArray[np.float32]) -> float:
    """Share of the exact pairs whose picture with a hazard has the higher score; ties count half.

    >>> pairs_told_apart(np.float32([1, 2, 3]), np.float32([2, 2, 1]))
    0.5
    """
    higher = (with_hazard > without).astype(np.float64) + 0.5 * (with_hazard == without)
    return float(higher.mean())


def interval(
    ordinary: npt.NDArray[np.float32], outliers: npt.NDArray[np.float32], seed: int, draws: int
) -> tuple[float, float]:
    """95 % interval of AUROC, pictures of both groups drawn anew."""
    rng = np.random.default_rng(seed)
    values = []
    for _ in range(draws):
        ours, theirs = (rng.choice(group, group.size) for group in (ordinary, outliers))
        scores = np.concatenate([ours, theirs])
        values.append(metrics.auroc(metrics.count(scores, np.arange(scores.size) >= ours.size)))
    low, high = np.quantile(values, (0.025, 0.975))
    return float(low), float(high)


def logits_of(classifier: Any, pictures: Iterable[npt.NDArray[np.uint8]]) -> Logits:
    """Logits of pictures, one at a time: they may differ in size."""
    rows = [classifier.logits(picture[None])[0].numpy() for picture in pictures]
    return np.stack(rows).astype(np.float32)
