"""The perturbations, one file each; a file's name is the perturbation's."""
