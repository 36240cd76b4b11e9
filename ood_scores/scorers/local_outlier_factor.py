"""Local outlier factor of the largest logit (or of all logits): how sparse its surroundings are.

On the largest logit it is a function of one number and is tabulated.

Breunig et al., LOF: Identifying Density-based Local Outliers, 2000; Basart, dissertation, chapter 6 (k = 20).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from torch import Tensor

from caos.foundation.errors import CaosError
from caos.foundation.settings import Limits
from caos.ood_scores.scorer_interface.lookup_table import LookupTable, Space, check_space, logits_as_rows, rows_as_map
from caos.ood_scores.scorer_interface.scorer import FitData, FittedScorer, Outputs


class LocalOutlierFactor(FittedScorer):
    """Local outlier factor of scikit-learn, fitted on ordinary data ("novelty").

    Args:
        space: ``max_logit`` (better in the dissertation) or ``logits`` (slow: no table).
        k: How many neighbours.
        sample: How many of the fitted values are kept; the factor's cost grows with them.
    """

    title = "LOF"

    def __init__(
        self,
        space: Space = "max_logit",
        k: Annotated[int, Limits(1, 1_000_000)] = 20,
        sample: Annotated[int, Limits(2, 10_000_000)] = 5_000,
    ) -> None:
        self.space, self.k, self.sample = check_space(space), k, sample
        self._table: LookupTable | None = None

    def _fit(self, data: FitData, rng: np.random.Generator) -> None:
        from sklearn.neighbors import LocalOutlierFactor as Factor

        rows = (data.logits.amax(dim=1, keepdim=True) if self.space == "max_logit" else data.logits).cpu().numpy()
        # Repeated values have an infinite density, and neighbours among themselves only.
        rows = np.unique(rows, axis=0)
        if len(rows) <= self.k:
            raise CaosError(f"local_outlier_factor needs more than {self.k} distinct values, not {len(rows)}")
        if len(rows) > self.sample:
            rows = rows[np.sort(rng.choice(len(rows), self.sample, replace=False))]
        self._factor = Factor(n_neighbors=self.k, novelty=True).fit(rows)
        if self.space == "max_logit":
            self._table = LookupTable.of(lambda x: -self._factor.score_samples(x), rows[:, 0])

    def _score(self, outputs: Outputs) -> Tensor:
        if self._table is not None:
            return self._table(outputs.maximum)
        return rows_as_map(-self._factor.score_samples(logits_as_rows(outputs)), outputs)
