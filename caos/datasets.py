"""Datasets as torch and torchvision know them: indexed, giving pictures with targets, changed by your transforms.

They need neither torch nor the simulator; ``torch.utils.data.DataLoader`` takes them as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal, cast

import numpy as np
from PIL import Image

from caos.foundation.errors import CaosError, unknown
from caos.scenes.dataset.layout import (
    SPLITS,
    Sample,
    Split,
    open_dataset,
    read_class_ids,
    read_image,
    read_instance_ids,
)
from caos.scenes.labels import VOID, LabelClass

__all__ = ["StreetHazards"]

TargetType = Literal["semantic", "anomaly", "instance"]
TARGETS: Final = ("semantic", "anomaly", "instance")


class StreetHazards:
    """StreetHazards, or any set of its layout: the genuine release, a generated or a converted one.

    An item is a pair of pictures: the image (RGB), and the target of ``target_type``:

    * ``semantic``: class ids; 13 is an anomaly in StreetHazards, 255 is neither learnt nor measured.
    * ``anomaly``: 1 where the pixel is anomalous, 0 where it is not, 255 where nothing is measured.
    * ``instance``: ids of single objects, 0 for the town (16 bits; generated sets only).

    Args:
        root: The folder that holds ``train/`` and ``test/``.
        split: ``train``, ``val`` or ``test``.
        transform: Called with the image.
        target_transform: Called with the target.
        transforms: Called with both, instead of the two above.
        target_type: What the target shows.
        labels: Name or path of a label table; by default the one that the set names.

    Raises:
        CaosError: If there is no such set, split or target, or both ``transforms`` and one of the others are given.
    """

    def __init__(
        self,
        root: str | Path,
        split: Split = "train",
        transform: Callable[[Any], Any] | None = None,
        target_transform: Callable[[Any], Any] | None = None,
        transforms: Callable[[Any, Any], Any] | None = None,
        *,
        target_type: TargetType = "semantic",
        labels: str | None = None,
    ) -> None:
        if split not in SPLITS:
            raise unknown("split", split, SPLITS)
        if target_type not in TARGETS:
            raise unknown("target_type", target_type, TARGETS)
        if transforms is not None and (transform is not None or target_transform is not None):
            raise CaosError("give transforms, or transform and target_transform, but not both")
        self.root, self.split, self.target_type = Path(root), split, target_type
        self.transform, self.target_transform, self.transforms = transform, target_transform, transforms
        opened = open_dataset(root, labels)
        self.labels = opened.labels
        self.samples: tuple[Sample, ...] = opened.samples(split)
        self._check_instances()

    @property
    def classes(self) -> tuple[LabelClass, ...]:
        """The classes, with their ids, names, colours and roles."""
        return self.labels.classes

    @property
    def class_to_idx(self) -> dict[str, int]:
        """The class id of each class that is learnt, or is anomalous, by name."""
        return {row.name: row.class_id for row in self.labels.classes if row.class_id != VOID}

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, index: int) -> tuple[Any, Any]:
        sample = self.samples[index]
        image, target = Image.fromarray(read_image(sample.image)), self._target(sample)
        if self.transforms is not None:
            return cast("tuple[Any, Any]", self.transforms(image, target))
        return (
            image if self.transform is None else self.transform(image),
            target if self.target_transform is None else self.target_transform(target),
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self.root)!r}, split={self.split!r}): {len(self)} images"

    def _target(self, sample: Sample) -> Image.Image:
        if self.target_type == "instance":
            instances = read_instance_ids(sample)
            assert instances is not None
            return Image.fromarray(instances)
        ids = read_class_ids(sample, self.labels)
        if self.target_type == "semantic":
            return Image.fromarray(ids)
        return Image.fromarray(np.where(ids == VOID, VOID, np.isin(ids, self.labels.anomaly_ids)).astype(np.uint8))

    def _check_instances(self) -> None:
        lacking = next((sample.key for sample in self.samples if sample.instances is None), None)
        if self.target_type == "instance" and lacking is not None:
            raise CaosError(f"{self.root} has no instance map for {lacking!r}; choose another target_type")
