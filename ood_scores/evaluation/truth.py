"""Ground truth of an image: class ids, anomalous pixels, and the hazard that each of those belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.ood_scores.measuring.components import connected_components
from caos.ood_scores.measuring.inputs import Mask
from caos.ood_scores.measuring.pixel_counts import Policy
from caos.scenes.dataset.instance_agreement import disagreements, listed_pixels
from caos.scenes.dataset.layout import Sample, read_class_ids, read_instance_ids
from caos.scenes.labels import VOID, LabelTable


@dataclass(frozen=True, eq=False)
class Truth:
    """Ground truth of an image.

    Attributes:
        ids: Class ids.
        anomalous: True on hazards.
        objects: Number of the hazard at each pixel, 0 where none: instance ids, or connected components without them.
        has_instances: Whether the numbers are true instance ids.
    """

    ids: npt.NDArray[np.uint8]
    anomalous: Mask
    objects: npt.NDArray[np.int32]
    has_instances: bool

    @staticmethod
    def read(sample: Sample, table: LabelTable, shape: tuple[int, int], row: Mapping[str, Any] | None = None) -> Truth:
        """The truth of a sample.

        Args:
            sample: The files.
            table: Its label table.
            shape: Height and width of the image.
            row: The sample's row of the manifest, whose hazards the instances are compared with.

        Raises:
            CaosError: If a file cannot be read, differs in size from the image, or the instances disagree with the
                labels or with the listed hazards, so that hazards would be lost.
        """
        ids = read_class_ids(sample, table)
        if ids.shape != shape:
            raise CaosError(f"{sample.annotation} is {ids.shape[1]}x{ids.shape[0]} but its image {shape[1]}x{shape[0]}")
        anomalous = np.isin(ids, table.anomaly_ids)
        instances = read_instance_ids(sample)
        if instances is None:
            return Truth(ids, anomalous, connected_components(anomalous), has_instances=False)
        wrong = disagreements(instances, anomalous, ~anomalous & (ids != VOID), listed_pixels(row or {}))
        if wrong:
            raise CaosError(f"{sample.instances} disagrees with {sample.annotation}: {'; '.join(wrong)}")
        return Truth(ids, anomalous, np.where(anomalous, instances, 0).astype(np.int32), has_instances=True)

    def ignored(self, policy: Policy, table: LabelTable) -> Mask | None:
        """Pixels that count neither way, or None where every pixel counts."""
        wanted = [row.class_id for row in table.trained if row.name in policy.ignores_classes]
        mask = np.isin(self.ids, wanted) if wanted else np.zeros(self.ids.shape, np.bool_)
        if policy.ignores_void:
            mask |= self.ids == VOID
        mask &= ~self.anomalous
        return mask if mask.any() else None
