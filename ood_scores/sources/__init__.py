"""Sources of score maps: a trained run, any torch model, or files of somebody else's detector."""
