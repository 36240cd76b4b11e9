"""Training data: checked pairs of image and labels, batches, and pasting of cut-outs."""
