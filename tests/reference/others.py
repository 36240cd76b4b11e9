"""The same numbers by scikit-learn and by pytorch-ood, brought to a common form."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn import metrics as sk

Scores = npt.NDArray[Any]
Mask = npt.NDArray[np.bool_]
RECALL = 0.95


def dense_ranks(scores: Scores) -> npt.NDArray[np.float64]:
    """The number of smaller distinct scores: the same order and ties in doubles, whatever the dtype was."""
    return np.unique(scores.ravel(), return_inverse=True)[1].ravel().astype(np.float64)


def scikit_learn(scores: Scores, anomalous: Mask) -> dict[str, float]:
    """AUROC, AUPR and FPR95 by scikit-learn, with all points of the ROC curve and with those that it keeps."""
    truth, values = anomalous.ravel(), dense_ranks(scores)
    false, true, _ = sk.roc_curve(truth, values, drop_intermediate=False)
    kept_false, kept_true, _ = sk.roc_curve(truth, values)
    precision, recall, _ = sk.precision_recall_curve(truth, values)
    return {
        "auroc": float(sk.roc_auc_score(truth, values)),
        "average_precision": float(sk.average_precision_score(truth, values)),
        "trapezoid": float(sk.auc(recall, precision)),
        "fpr_at_least": float(false[np.argmax(true >= RECALL)]),
        "fpr_above": float(false[np.argmax(true > RECALL)]),
        "fpr_densehybrid": float(kept_false[np.argmax(kept_true > RECALL)]),
    }


def pytorch_ood(images: list[tuple[Scores, Mask, Mask]], *, pooled: bool) -> dict[str, float]:
    """AUROC, AUPR and FPR95 by pytorch-ood: over all pixels, or the mean over images that have both kinds.

    Args:
        images: Scores, anomalous and void pixels of each image.
        pooled: Over all pixels of the images together.
    """
    import torch
    from pytorch_ood.metrics import OODPerImageSegmentationMetrics, OODSegmentationMetrics

    metric = (OODSegmentationMetrics if pooled else OODPerImageSegmentationMetrics)(device="cpu", void_label=255)
    ranks = dense_ranks(np.concatenate([scores.ravel() for scores, _, _ in images]))
    starts = np.cumsum([0, *(scores.size for scores, _, _ in images)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of images that it leaves out, and of a metric that is not read here
        for start, (scores, anomalous, ignore) in zip(starts, images, strict=False):
            labels = np.where(anomalous, -1, np.where(ignore, 255, 0))
            values = ranks[start : start + scores.size].reshape(scores.shape)
            metric.update(torch.from_numpy(values)[None], torch.from_numpy(labels)[None])
        found = metric.compute()
    return {"auroc": found["AUROC"], "trapezoid": found["AUPR-OUT"], "fpr_at_least": found["FPR95TPR"]}
