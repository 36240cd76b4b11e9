"""Benchmark of measuring and scoring: ``python -m caos.ood_scores.bench``. Limits are those the project promises."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from torch import Tensor

    from caos.ood_scores.scorer_interface.scorer import Outputs

WIDTH, HEIGHT = 1280, 720


def _seconds(call: Callable[[], Any], repeats: int, clock: Callable[[], float] = time.perf_counter) -> float:
    """The best of several times: what the work costs when nothing else disturbs it."""
    times = []
    for _ in range(repeats):
        start = clock()
        call()
        times.append(clock() - start)
    return min(times)


def bench_metrics(repeats: int = 15) -> dict[str, float]:
    """How many times faster AUROC, AUPR and FPR95 of 1280x720 maps are than scikit-learn's three calls, by kind of map.

    One pixel in a hundred is anomalous; times are the processor's.
    """
    from sklearn import metrics as sk

    from caos.ood_scores.measuring.metrics import measure

    rng = np.random.default_rng(0)
    plain = rng.normal(size=(HEIGHT, WIDTH)).astype(np.float32)
    anomalous = np.zeros(plain.shape, np.bool_)
    anomalous[300:396, 500:596] = True
    plain[anomalous] += 1
    maps = {
        "plain scores": plain,
        "rounded scores": np.round(plain, 2),
        "probabilities": (1 / (1 + np.exp(-6 * plain))).astype(np.float32),
        "two values": (plain > 1).astype(np.float32),
    }
    found = {}
    for name, scores in maps.items():
        y, s = anomalous.ravel(), scores.ravel()
        ours = _seconds(functools.partial(measure, scores, anomalous), repeats, time.process_time)
        theirs = sum(
            _seconds(functools.partial(call, y, s), 2, time.process_time)
            for call in (sk.roc_auc_score, sk.average_precision_score, sk.roc_curve)
        )
        found[name] = theirs / ours
    return found


def bench_scoring(model: str = "pspnet-light", encoder: str = "resnet18", repeats: int = 3) -> dict[str, Any]:
    """Costs of scoring one 1280x720 picture, in seconds, against the bare forward pass of a network.

    The light network is the hard case: the heavier the network, the less scoring adds.

    Returns:
        ``forward``; ``logit_scorers``: forward and all scorers on logits, with ``limit`` (1.15 forward + 30 ms for each
        scorer); ``dropout``: forward and ten dropout passes, with ``dropout_limit`` (1.5 forward); each scorer's cost.
    """
    import torch

    bench = _Bench(model, encoder)
    with torch.inference_mode():
        forward = _seconds(bench.forward, repeats)
        costs = {name: bench.cost([name], repeats) for name in bench.scorers}
        plain = [name for name, scorer in bench.scorers.items() if scorer.needs <= {"background class"}]
        together = forward + bench.cost(plain, repeats)
    return {
        "model": f"{model}/{encoder}, {torch.get_num_threads()} threads",
        "forward": forward,
        "logit_scorers": together,
        "limit": 1.15 * forward + 0.03 * len(plain),
        "number": len(plain),
        "dropout": forward + costs["mc_dropout"],
        "dropout_limit": 1.5 * forward,
        "scorers": costs,
    }


class _Bench:
    """A network with random weights, one picture, and the fitted scorers that need nothing beyond them."""

    def __init__(self, model: str, encoder: str) -> None:
        import torch

        from caos.ood_scores.scorer_interface.registry import make_scorer, scorer_names
        from caos.ood_scores.scorer_interface.scorer import FEATURES
        from caos.scenes.labels import STREETHAZARDS
        from caos.segmentation.models.encoders import Normalisation
        from caos.segmentation.models.networks import Architecture, build_model
        from caos.segmentation.prediction.predict import Predictor

        architecture = Architecture(model, encoder, STREETHAZARDS.num_classes, auxiliary=False)
        network = build_model(architecture).eval().to(memory_format=torch.channels_last)
        self._predictor = Predictor(network, STREETHAZARDS, Normalisation())
        self._picture = np.random.default_rng(0).integers(0, 256, (1, HEIGHT, WIDTH, 3), np.uint8)
        self._found = self._predictor.predict(self._picture, features=True)
        given = {*FEATURES, "classify", "dropout passes", "background class"}
        made = {name: make_scorer(name) for name in scorer_names()}
        self.scorers = {name: scorer for name, scorer in made.items() if scorer.needs <= given}
        self._fit(STREETHAZARDS.num_classes)

    def _fit(self, classes: int) -> None:
        import torch

        from caos.ood_scores.scorer_interface.scorer import FitData, FittedScorer

        logits, features = (_rows(part) for part in (self._found.logits, self._found.features))
        data = FitData(logits[::9], logits[::9].argmax(1), features, torch.arange(len(features)) % classes)
        for scorer in self.scorers.values():
            if isinstance(scorer, FittedScorer):
                scorer.fit(data, np.random.default_rng(0))

    def forward(self) -> None:
        """The bare forward pass."""
        self._predictor.predict(self._picture)

    def cost(self, names: list[str], repeats: int) -> float:
        """Seconds of these scorers together; what they share is computed once, anew in every repeat."""
        return min(_seconds(functools.partial(self._score, self._outputs(), names), 1) for _ in range(repeats))

    def _score(self, outputs: Outputs, names: list[str]) -> None:
        for name in names:
            self.scorers[name].score(outputs)

    def _outputs(self) -> Outputs:
        import torch

        from caos.ood_scores.scorer_interface.scorer import Outputs

        features = self._found.features
        assert features is not None
        generator = torch.Generator().manual_seed(0)
        return Outputs(
            self._found.logits[0],
            background_id=0,
            features=features[0],
            classify=lambda values: self._predictor.classify(values[None], None)[0],
            dropout_passes=lambda *how: (one[0] for one in self._predictor.dropout_passes(features, how[0], generator)),
            enlarge=lambda values: self._predictor.at_picture_size(values[None, None], (HEIGHT, WIDTH))[0, 0],
        )


def seconds_of_networks(dataset: Path, run: Path, scorers: str = "") -> float:
    """Measure the wall time per test image of the passes through networks that these scorers need, and nothing else.

    Images are passed one after the other, each with all threads of torch.

    Args:
        dataset: Folder of the set.
        run: Folder of the run.
        scorers: Names, parted by commas; empty for all that the run can feed.
    """
    import torch

    from caos.ood_scores.scorer_interface.registry import scorer_names
    from caos.ood_scores.scorers.mc_dropout import McDropout
    from caos.ood_scores.sources.run import RunPaths, RunSource
    from caos.ood_scores.sources.source import read_picture
    from caos.scenes.dataset.layout import open_dataset

    names = scorers.split(",") if scorers else scorer_names()
    source = RunSource(RunPaths.around(run), names, explicit=False, device="cpu")
    pictures = [read_picture(sample.image) for sample in open_dataset(dataset).samples("test")]

    needing = [column.scorer for column in source.scorer_columns]

    def look() -> None:
        with torch.inference_mode():
            for picture in pictures:
                outputs = source.outputs("", picture)
                for scorer in needing:
                    if isinstance(scorer, McDropout):
                        for _ in outputs.dropout_passes(scorer.passes, scorer.rate, scorer.place):
                            pass
                    elif "classify" in scorer.needs:
                        outputs.classify(outputs.features)

    return _seconds(look, 2) / len(pictures)


def _rows(maps: Tensor | None) -> Tensor:
    assert maps is not None
    return maps[0].reshape(maps.shape[1], -1).T.contiguous()


if __name__ == "__main__":
    import json

    print(json.dumps({"metrics": bench_metrics(), "scoring": bench_scoring()}, indent=2))  # noqa: T201
