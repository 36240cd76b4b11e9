"""Numbers printed in papers, to stand beside ours: measured on another set, so compare orders, not digits."""

from __future__ import annotations

from typing import Final

PAPER: Final = "the CAOS paper (PSPNet, ResNet-101, 20 epochs, mean over images; dissertation of Basart, table 4.3)"

TABLE: Final[dict[str, dict[str, tuple[float, float, float]]]] = {
    "StreetHazards": {
        "msp": (33.7, 87.7, 6.6),
        "confidence_branch": (68.4, 65.7, 1.5),
        "background": (69.0, 58.6, 4.5),
        "mc_dropout": (79.4, 69.9, 7.5),
        "autoencoder": (91.7, 66.1, 2.2),
        "max_logit": (26.5, 89.3, 10.6),
    },
    "BDD-Anomaly": {
        "msp": (24.5, 87.7, 3.7),
        "confidence_branch": (25.6, 85.6, 3.9),
        "background": (40.1, 69.7, 1.1),
        "mc_dropout": (16.6, 90.8, 4.3),
        "autoencoder": (74.1, 64.0, 0.7),
        "max_logit": (14.0, 92.6, 5.4),
    },
}
"""FPR95, AUROC and AUPR in percent, by set and scorer."""


def published_set(label_table: str) -> str:
    """The set of the paper that a label table belongs to."""
    return "BDD-Anomaly" if label_table.startswith("bdd-anomaly") else "StreetHazards"
