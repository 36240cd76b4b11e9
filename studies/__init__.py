"""Studies: questions that need many scorings, such as how a run stands corruptions and small perturbations."""
