"""Isolation forest on the largest logit (or on all logits): the fewer random cuts isolate a value, the more anomalous.

On the largest logit the forest is a function of one number and is tabulated.

Liu et al., Isolation Forest, 2008; on logits: Basart, dissertation, chapter 6 (100 trees, validation data).
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from torch import Tensor

from caos.foundation.settings import Limits
from caos.ood_scores.scorer_interface.lookup_table import LookupTable, Space, check_space, logits_as_rows, rows_as_map
from caos.ood_scores.scorer_interface.scorer import FitData, FittedScorer, Outputs


class IsolationForest(FittedScorer):
    """Isolation forest of scikit-learn.

    Args:
        space: ``max_logit`` (better in the dissertation) or ``logits`` (slow: no table).
        trees: Number of trees.
    """

    title = "IForest"

    def __init__(self, space: Space = "max_logit", trees: Annotated[int, Limits(1, 100_000)] = 100) -> None:
        self.space, self.trees = check_space(space), trees
        self._table: LookupTable | None = None

    def _fit(self, data: FitData, rng: np.random.Generator) -> None:
        from sklearn.ensemble import IsolationForest as Forest

        self._forest = Forest(n_estimators=self.trees, random_state=int(rng.integers(2**31)))
        rows = data.logits.amax(dim=1, keepdim=True) if self.space == "max_logit" else data.logits
        self._forest.fit(rows.cpu().numpy())
        if self.space == "max_logit":
            self._table = LookupTable.of(lambda x: -self._forest.score_samples(x), rows[:, 0].cpu().numpy())

    def _score(self, outputs: Outputs) -> Tensor:
        if self._table is not None:
            return self._table(outputs.maximum)
        return rows_as_map(-self._forest.score_samples(logits_as_rows(outputs)), outputs)
