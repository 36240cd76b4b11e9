"""One scorer a file; the file's name is the scorer's name. See :mod:`caos.ood_scores.scorer_interface.scorer`."""
