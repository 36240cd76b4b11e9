"""Object metrics from their definitions: components as SegmentMeIfYouCan compares them, instances by pycocotools."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.ndimage import label

Mask = npt.NDArray[np.bool_]
Labels = npt.NDArray[np.integer[Any]]
F1_THRESHOLDS = [round(0.25 + 0.05 * step, 2) for step in range(11)]
IOU_THRESHOLDS = [round(0.50 + 0.05 * step, 2) for step in range(10)]


def regions_of(mask: Mask) -> list[Mask]:
    """The 8-connected regions of a mask, in the order of their first pixels."""
    labels, number = label(mask, np.ones((3, 3), np.uint8))
    return [labels == n for n in range(1, number + 1)]


def objects_of(instances: Labels) -> list[Mask]:
    """The objects of a map of instance ids, 0 for none, in ascending order of id."""
    return [instances == n for n in np.unique(instances) if n]


@dataclass(frozen=True)
class Components:
    """sIoU of each object and PPV of each region, of one image or of several."""

    siou: list[float]
    ppv: list[float]

    def counts(self, threshold: float) -> tuple[int, int, int]:
        """Objects found and missed, and regions that are false."""
        found = sum(value >= threshold for value in self.siou)
        return found, len(self.siou) - found, sum(value < threshold for value in self.ppv)

    def mean_f1(self) -> float | None:
        """F1 averaged over the thresholds; None without objects and regions."""
        if not self.siou and not self.ppv:
            return None
        counts = [self.counts(threshold) for threshold in F1_THRESHOLDS]
        return float(np.mean([2 * found / (2 * found + missed + false) for found, missed, false in counts]))


def components(
    flagged: Mask, objects: Sequence[Mask], ignore: Mask, smallest_region: int, smallest_object: int
) -> Components:
    """Compare flagged regions with objects.

    Void pixels are never flagged. Regions of fewer than ``smallest_region`` pixels do not exist. Objects of fewer than
    ``smallest_object`` pixels become void after the regions are known: what regions cover of them counts for nothing.
    """
    regions = [region for region in regions_of(flagged & ~ignore) if region.sum() >= smallest_region]
    present = [one & ~ignore for one in objects]
    small = [one for one in present if one.sum() < smallest_object]
    judged = [one for one in present if one.sum() >= max(smallest_object, 1)]
    void = np.any([ignore, *small], axis=0)
    regions = [region & ~void for region in regions if (region & ~void).any()]
    everything = np.any([np.zeros_like(ignore), *judged], axis=0)
    siou = []
    for one in judged:
        touching = np.any([np.zeros_like(one), *(region for region in regions if (region & one).any())], axis=0)
        # What the touching regions cover of other objects is in no union.
        union = (touching & ~(everything & ~one)) | one
        siou.append(float((touching & one).sum() / union.sum()))
    ppv = [float((region & everything).sum() / region.sum()) for region in regions]
    return Components(siou, ppv)


@dataclass(frozen=True)
class InstanceImage:
    """Objects and regions of an image as COCO's evaluation takes them.

    Attributes:
        objects: True objects, void pixels left out.
        regions: Predicted regions.
        confidence: Of each region.
    """

    objects: Sequence[Mask]
    regions: Sequence[Mask]
    confidence: Sequence[float]


def average_precision(images: Sequence[InstanceImage], smallest_object: int) -> tuple[float, float] | None:
    """AP over all IoU thresholds and AP50 by pycocotools; None without an object that counts."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    truth, found = [], []
    for number, image in enumerate(images, 1):
        truth += [_annotation(number, mask) for mask in image.objects if mask.any()]
        found += [
            _annotation(number, mask) | {"score": float(sure)}
            for mask, sure in zip(image.regions, image.confidence, strict=True)
        ]
    if not any(one["area"] >= smallest_object for one in truth):
        return None
    if not found:
        return 0.0, 0.0
    with contextlib.redirect_stdout(io.StringIO()):
        coco = [COCO(), COCO()]
        for one, annotations in zip(coco, (truth, found), strict=True):
            numbered = [row | {"id": n, "iscrowd": 0, "category_id": 1} for n, row in enumerate(annotations, 1)]
            one.dataset = {
                "images": [_image(n, image) for n, image in enumerate(images, 1)],
                "annotations": numbered,
                "categories": [{"id": 1}],
            }
            one.createIndex()
        for row in coco[1].dataset["annotations"]:
            row["area"] = 1e9  # no region is left out by its size
        judge = COCOeval(*coco, "segm")
        judge.params.iouThrs = np.array(IOU_THRESHOLDS)
        judge.params.areaRng, judge.params.areaRngLbl = [[smallest_object, 1e10]], ["all"]
        judge.params.maxDets = [100]
        judge.evaluate()
        judge.accumulate()
    precision = judge.eval["precision"][:, :, 0, 0, 0]
    return float(precision.mean()), float(precision[0].mean())


def _image(number: int, image: InstanceImage) -> dict[str, int]:
    height, width = next(iter((*image.objects, *image.regions))).shape if image.objects or image.regions else (1, 1)
    return {"id": number, "height": height, "width": width}


def _annotation(image: int, mask: Mask) -> dict[str, Any]:
    from pycocotools import mask as coding

    return {
        "image_id": image,
        "segmentation": coding.encode(np.asfortranarray(mask.astype(np.uint8))),
        "area": float(mask.sum()),
        "bbox": [0.0, 0.0, float(mask.shape[1]), float(mask.shape[0])],
    }


def share_found(flagged: Mask, objects: Sequence[Mask]) -> list[bool]:
    """Whether at least half of the pixels of each object are flagged."""
    return [2 * int((flagged & one).sum()) >= int(one.sum()) for one in objects]
