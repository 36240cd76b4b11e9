"""Score a mask transformer (Mask2Former, EoMT) with scorers that read its queries.

    python examples/score_mask_transformer.py WEIGHTS DATASET RESULTS

WEIGHTS is a folder that `save_pretrained` of transformers wrote, a file of weights beside its config.json, or a name on
the model hub. Its classes may be others than those of the set.
"""

import sys

from caos import MaskTransformer, score_model

SCORERS = ("rba", "eam", "mask2anomaly", "max_logit", "knn:k=3")


def main(weights: str, dataset: str, out: str) -> str:
    """Score the test images of a dataset; the table in Markdown."""
    network = MaskTransformer(weights)
    return score_model(network, dataset, SCORERS, out).markdown()


if __name__ == "__main__":
    print(main(*sys.argv[1:]))
