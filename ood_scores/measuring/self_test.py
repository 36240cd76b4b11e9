"""Self-test of the metrics: detectors whose numbers are known on paper, measured by every protocol."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from caos.ood_scores.measuring.metrics import count
from caos.ood_scores.measuring.pooled import METRICS, PooledCounts
from caos.ood_scores.measuring.protocols import PROTOCOLS, Protocol

POSITIVES, NEGATIVES = 2_000, 198_000
BINARY_RECALL, BINARY_FALSE_ALARMS = 0.9, 0.01


@dataclass(frozen=True)
class Check:
    """One metric of one detector under one protocol: what theory says and what was measured."""

    protocol: str
    detector: str
    metric: str
    expected: float
    measured: float
    tolerance: float

    @property
    def passed(self) -> bool:
        """Whether the measured value is within the tolerance."""
        return abs(self.measured - self.expected) <= self.tolerance


def run(rng: np.random.Generator) -> list[Check]:
    """Every check of every protocol, in each way it aggregates."""
    return [check for protocol in variants() for check in check_protocol(protocol, rng)]


def variants() -> list[Protocol]:
    """Every protocol in each way it aggregates."""
    families = {name: ["", *dict(protocol.aggregation_on)] for name, protocol in PROTOCOLS.items()}
    return [PROTOCOLS[name].on(family) for name, found in families.items() for family in found]


def check_protocol(protocol: Protocol, rng: np.random.Generator) -> Iterator[Check]:
    """The constant, random, inverted, binary and perfect detectors under one protocol."""
    anomalous = np.arange(POSITIVES + NEGATIVES) < POSITIVES
    for detector, scores in _detectors(anomalous, rng).items():
        measured = _measured(protocol, scores, anomalous)
        # Random scores scatter around theory; three standard deviations of AUROC are about 0.02 here.
        chance = 0.03 if detector == "random" else 1e-9
        for metric, expected in _theory(protocol, detector).items():
            yield Check(protocol.name, detector, metric, expected, measured[metric], chance)


def _detectors(anomalous: npt.NDArray[np.bool_], rng: np.random.Generator) -> dict[str, npt.NDArray[np.float32]]:
    distinct = np.linspace(0, 1, anomalous.size, dtype=np.float32)
    flagged = np.zeros(anomalous.size, np.float32)
    flagged[: int(BINARY_RECALL * POSITIVES)] = 1
    flagged[POSITIVES : POSITIVES + int(BINARY_FALSE_ALARMS * NEGATIVES)] = 1
    return {
        "constant": np.full(anomalous.size, 7.25, np.float32),
        "random": rng.random(anomalous.size, dtype=np.float32),
        "perfect": np.where(anomalous, distinct + 2, distinct),
        "inverted": np.where(anomalous, distinct - 2, distinct),
        "binary": flagged,
    }


def _measured(
    protocol: Protocol, scores: npt.NDArray[np.float32], anomalous: npt.NDArray[np.bool_]
) -> dict[str, float]:
    if not protocol.is_pooled:
        exact = protocol.measure(count(scores, anomalous))
        return {name: getattr(exact, name) for name in METRICS}
    pool = PooledCounts()
    for part in np.array_split(np.arange(scores.size), 4):
        pool.add(scores[part], anomalous[part])
    pooled = pool.measure(protocol)
    return {name: getattr(pooled, name) for name in METRICS}


def _theory(protocol: Protocol, detector: str) -> dict[str, float]:
    base = POSITIVES / (POSITIVES + NEGATIVES)
    straight = protocol.aupr == "trapezoid"
    if detector == "constant":
        return {"auroc": 0.5, "aupr": (1 + base) / 2 if straight else base, "fpr95": 1.0}
    if detector == "random":
        return {"auroc": 0.5, "aupr": base, "fpr95": 0.95}
    if detector == "perfect":
        # "above" 0.95 and "at least" 0.95 are both reached before the first false positive.
        return {"auroc": 1.0, "aupr": 1.0, "fpr95": 0.0}
    if detector == "inverted":
        return {"auroc": 0.0, "aupr": _inverted_aupr(straight=straight), "fpr95": 1.0}
    return _binary_theory(protocol, base, straight=straight)


def _inverted_aupr(*, straight: bool) -> float:
    found = np.arange(0, POSITIVES + 1)
    precision = found / (found + NEGATIVES)
    steps = (precision[1:] + precision[:-1]) / 2 if straight else precision[1:]
    return float(steps.mean())


def _binary_theory(protocol: Protocol, base: float, *, straight: bool) -> dict[str, float]:
    true, false = BINARY_RECALL * POSITIVES, BINARY_FALSE_ALARMS * NEGATIVES
    precision = true / (true + false)
    first, second = ((1 + precision) / 2, (precision + base) / 2) if straight else (precision, base)
    # 0.9 is nearer to 0.95 than 1.0 is, in floating point: the rule that can be gamed.
    fpr95 = BINARY_FALSE_ALARMS if protocol.fpr95 == "nearest" else 1.0
    return {
        "auroc": (1 + BINARY_RECALL - BINARY_FALSE_ALARMS) / 2,
        "aupr": BINARY_RECALL * first + (1 - BINARY_RECALL) * second,
        "fpr95": fpr95,
    }
