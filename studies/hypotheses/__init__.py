"""Study of the hypotheses of robustness: larger models, self-attention, diverse augmentation, pretraining."""
