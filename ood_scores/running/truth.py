"""Truth about an image: its classes, its anomalous pixels, and which hazard each of those belongs to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError
from caos.ood_scores.measuring.components import connected_components
from caos.ood_scores.measuring.inputs import Mask
from caos.ood_scores.measuring.pixel_counts import Policy
from caos.scenes.labels import VOID, LabelTable
from caos.scenes.layout import Sample, read_class_ids, read_instance_ids


@dataclass(frozen=True, eq=False)
class Truth:
    """What is known of an image: classes, anomalous pixels, and which object each of those belongs to.

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
    def read(sample: Sample, table: LabelTable, shape: tuple[int, int]) -> Truth:
        """The truth of a sample.

        Raises:
            CaosError: If a file cannot be read or differs in size from the image.
        """
        ids = read_class_ids(sample, table)
        if ids.shape != shape:
            raise CaosError(f"{sample.annotation} is {ids.shape[1]}x{ids.shape[0]} but its image {shape[1]}x{shape[0]}")
        anomalous = np.isin(ids, table.anomaly_ids)
        instances = read_instance_ids(sample)
        if instances is None:
            return Truth(ids, anomalous, connected_components(anomalous), has_instances=False)
        return Truth(ids, anomalous, np.where(anomalous, instances, 0).astype(np.int32), has_instances=True)

    def ignored(self, policy: Policy, table: LabelTable) -> Mask | None:
        """Pixels that count neither way, or None where every pixel counts."""
        wanted = [row.class_id for row in table.trained if row.name in policy.ignores_classes]
        mask = np.isin(self.ids, wanted) if wanted else np.zeros(self.ids.shape, np.bool_)
        if policy.ignores_void:
            mask |= self.ids == VOID
        mask &= ~self.anomalous
        return mask if mask.any() else None
