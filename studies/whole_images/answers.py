"""Answers of classifiers of whole pictures: what would be right, and how sure each right or wrong answer was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.special import expit, softmax

from caos.scenes.dataset.layout import Dataset, Sample, read_class_ids

if TYPE_CHECKING:
    from caos.segmentation.models.whole_images import WholeImageClassifier

Truths = npt.NDArray[np.int64]
"""``(n, answers)`` of 0 and 1 for a multi-label run; ``(n,)`` for a multi-class one, -1 where none is right."""


def truths(dataset: Dataset, samples: Sequence[Sample], classifier: WholeImageClassifier, target: str) -> Truths:
    """What is right of each picture.

    Args:
        dataset: The set, whose manifest knows towns and weathers.
        samples: The pictures.
        classifier: The run.
        target: What a multi-class run answers: ``town`` or ``weather``; empty for a multi-label one.
    """
    import torch

    from caos.segmentation.models.whole_images import answer_of, classes_shown

    names = classifier.names
    if target:
        rows = dataset.manifest()
        said = [answer_of(rows.get(sample.key, {}), target) for sample in samples]
        return np.array([names.index(answer) if answer in names else -1 for answer in said], np.int64)
    maps = (torch.from_numpy(read_class_ids(sample, classifier.labels))[None] for sample in samples)
    return np.array([classes_shown(ids, len(names))[0].numpy() for ids in maps], np.int64)


def answer_cells(logits: npt.NDArray[np.float32], truth: Truths) -> npt.NDArray[np.float64]:
    """Answers ``(n, 3)`` as calibration takes them: one, whether it is right, and how sure it was; the surest last.

    A multi-label run gives an answer for each class, yes or no; a multi-class one for each picture.
    """
    if truth.ndim == 2:
        there = expit(logits.astype(np.float64)).ravel()
        sure, right = np.maximum(there, 1 - there), (there > 0.5) == (truth.ravel() > 0)
    else:
        known = truth >= 0
        shares = softmax(logits[known].astype(np.float64), axis=1)
        sure, right = shares.max(1), shares.argmax(1) == truth[known]
    order = np.argsort(sure, kind="stable")
    return np.stack([np.ones(order.size), right[order].astype(np.float64), sure[order]], 1)
