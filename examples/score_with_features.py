"""Score your own network with scorers that read its features: KNN, Mahalanobis, ReAct and MC-Dropout.

    python examples/score_with_features.py DATASET RESULTS

Beside the logits these scorers need the features before the classifier, and the classifier: one method that returns
both is enough. The network here has random weights; load yours where it is made.
"""

import sys

import torch
from torch import Tensor, nn

from caos import score_model

SCORERS = ("max_logit", "knn:k=10", "mahalanobis", "react", "mc_dropout:passes=5")


class SmallNetwork(nn.Module):
    """An encoder to a quarter of the size, and a classifier."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU())
        self.classifier = nn.Conv2d(32, classes, 1)

    def split(self, pictures: Tensor) -> tuple[Tensor, nn.Module]:
        """Features, and what follows them."""
        return self.encoder(pictures), self.classifier

    def forward(self, pictures: Tensor) -> Tensor:
        """Logits at the size of the pictures."""
        features, classify = self.split(pictures)
        return nn.functional.interpolate(classify(features), size=pictures.shape[-2:], mode="bilinear")


def main(dataset: str, out: str) -> str:
    """Score the test images of a dataset; the table in Markdown."""
    torch.manual_seed(0)
    network = SmallNetwork(13)
    results = score_model(network, dataset, SCORERS, out, features=network.split, dropout_rate=0.3)
    return results.markdown()


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
