"""Mistakes that somebody could make in the measuring code, as replacements of text; the reference tests catch each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

MEASURING: Final = "ood_scores/measuring"


@dataclass(frozen=True)
class Mutation:
    """A mistake.

    Attributes:
        name: What it does.
        file: Below the package.
        old: A text that occurs once in it.
        new: What stands there instead.
    """

    name: str
    file: str
    old: str
    new: str

    def applied(self, package: Path) -> str:
        """The text of the file with the mistake.

        Raises:
            ValueError: If the text to be replaced does not occur exactly once: the list is older than the code.
        """
        text = (package / self.file).read_text()
        if text.count(self.old) != 1:
            raise ValueError(f"{self.name}: {self.old!r} occurs {text.count(self.old)} times in {self.file}")
        return text.replace(self.old, self.new)


def _in(name: str, file: str, old: str, new: str) -> Mutation:
    return Mutation(name, f"{MEASURING}/{file}", old, new)


MUTATIONS: Final = (
    _in(
        "AUROC: a tie counts one, not one half",
        "metrics.py",
        "(2 * counts.negatives - counts.false_positives - counts.negatives_above)",
        "(2 * counts.negatives - 2 * counts.negatives_above)",
    ),
    _in(
        "AUROC: the sign of a difference",
        "metrics.py",
        "2 * counts.negatives - counts.false_positives - counts.negatives_above",
        "2 * counts.negatives + counts.false_positives - counts.negatives_above",
    ),
    _in(
        "true positives added up from the lowest score",
        "metrics.py",
        "true_positives=np.cumsum(gained[::-1]),",
        "true_positives=np.cumsum(gained)[::-1],",
    ),
    _in(
        "ordinary pixels above a threshold: > becomes >=",
        "metrics.py",
        "negatives_above=number - up_to[::-1],",
        "negatives_above=number - below[::-1],",
    ),
    _in("recall: >= becomes >", "metrics.py", "reached = recalls >= recall if", "reached = recalls > recall if"),
    _in(
        "recall: > becomes >=",
        "metrics.py",
        'if rule == "at least" else recalls > recall',
        'if rule == "at least" else recalls >= recall',
    ),
    _in(
        "recall: corners of the curve left out, not kept",
        "metrics.py",
        "reached &= ~_dropped(counts)",
        "reached &= _dropped(counts)",
    ),
    _in(
        "recall: the last threshold, not the first",
        "metrics.py",
        "return int(np.argmax(reached)) if reached.any() else None",
        "return int(reached.size - 1) if reached.any() else None",
    ),
    _in(
        "nearest recall: the lower of two equally near ones",
        "metrics.py",
        "step = recalls.size - 1 - int(np.argmin(distance[::-1]))",
        "step = int(np.argmin(distance))",
    ),
    _in(
        "nearest recall: the first threshold with it, not the last",
        "metrics.py",
        "return float(counts.negatives_above[step + 1] / counts.negatives)",
        "return float(counts.false_positives[step] / counts.negatives)",
    ),
    _in(
        "trapezoid: the curve starts at precision 0",
        "metrics.py",
        "out=np.ones(before.size), where=flagged > 0",
        "out=np.zeros(before.size), where=flagged > 0",
    ),
    _in(
        "trapezoid: precision at one end of a line only",
        "metrics.py",
        "((entering + leaving) / 2)",
        "leaving",
    ),
    _in(
        "average precision: ordinary pixels at the threshold left out",
        "metrics.py",
        "counts.true_positives / (counts.true_positives + counts.false_positives))).sum())",
        "counts.true_positives / (counts.true_positives + counts.negatives_above))).sum())",
    ),
    _in(
        "pixels to ignore are counted",
        "inputs.py",
        "        values, positive = values[kept], positive[kept]\n",
        "        values, positive = values[kept | True], positive[kept | True]\n",
    ),
    _in(
        "16-bit integers lose their last bits",
        "inputs.py",
        '        return values.astype(np.float32)\n    if values.dtype.kind == "f":',
        '        return values.astype(np.float16).astype(np.float32)\n    if values.dtype.kind == "f":',
    ),
    _in(
        "wide integers become doubles",
        "inputs.py",
        "if values.dtype.itemsize <= 4 else",
        "if values.dtype.itemsize <= 8 else",
    ),
    _in(
        "pools: ordinary pixels above a block forgotten",
        "pooled.py",
        "false_positives=self.false_above + pixels - ranked.below[held],",
        "false_positives=pixels - ranked.below[held],",
    ),
    _in(
        "groups: anomalous pixels in the group of the next image",
        "pooled_blocks.py",
        "pixels.anomalous[image % groups]",
        "pixels.anomalous[(image + 1) % groups]",
    ),
    Mutation(
        "blocks: the lowest one forgotten",
        "foundation/value_blocks.py",
        "range(bounds.shape[1] - 1, 0, -1)",
        "range(bounds.shape[1] - 1, 1, -1)",
    ),
    Mutation(
        "blocks: ordinary pixels that tie with a threshold lie above it",
        "foundation/value_blocks.py",
        'up_to += np.searchsorted(one, thresholds, "right")',
        'up_to += np.searchsorted(one, thresholds, "left")',
    ),
    _in(
        "void counts where it is left out",
        "pixel_counts.py",
        "() if policy.ignores_void else (self.void,)",
        "(self.void,) if policy.ignores_void else ()",
    ),
    _in(
        "false alarms: <= becomes <", "thresholds.py", "if level.false_alarms <= rate]", "if level.false_alarms < rate]"
    ),
    _in("recall of 95 %: the lowest threshold", "thresholds.py", "enough[-1] if enough", "enough[0] if enough"),
    _in(
        "components: found above the threshold only", "components.py", "self.siou >= threshold", "self.siou > threshold"
    ),
    _in(
        "components: 4-connected regions",
        "components.py",
        "connectedComponentsWithStats(mask.view(np.uint8), connectivity=8",
        "connectedComponentsWithStats(mask.view(np.uint8), connectivity=4",
    ),
    _in(
        "components: a small region dropped at its limit",
        "components.py",
        "large = sizes >= smallest",
        "large = sizes > smallest",
    ),
    _in(
        "instances: an overlap at its limit does not match",
        "instances.py",
        "candidates & (iou >= threshold)",
        "candidates & (iou > threshold)",
    ),
    _in(
        "instances: the worst precision beyond a recall",
        "instances.py",
        "np.maximum.accumulate(precision[::-1])",
        "np.minimum.accumulate(precision[::-1])",
    ),
    Mutation(
        "means over images become medians",
        "ood_scores/evaluation/assembling.py",
        "Metric(float(values.mean()),",
        "Metric(float(np.median(values)),",
    ),
)
