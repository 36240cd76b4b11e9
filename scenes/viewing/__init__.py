"""Ways to look at a dataset: overview, contact sheets, videos, terminal tables and the validity report."""
