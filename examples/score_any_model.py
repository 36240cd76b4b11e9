"""Score your own network: a DeepLab from torchvision, measured like the paper's, in five lines.

    python examples/score_any_model.py DATASET RESULTS

The network here has random weights, so its numbers are those of guessing; load yours where it is made.
"""

import sys

from torchvision.models.segmentation import deeplabv3_mobilenet_v3_large
from torchvision.transforms.functional import normalize

from caos import score_model

IMAGENET = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])


def main(dataset: str, out: str) -> str:
    """Score the test images of a dataset; the table in Markdown."""
    network = deeplabv3_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=13).eval()
    results = score_model(
        lambda pictures: network(normalize(pictures, *IMAGENET))["out"], dataset, ["msp", "max_logit", "energy"], out
    )
    return results.markdown()


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
