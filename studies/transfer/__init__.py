"""Transfer: how far the order of scorers on one set predicts their order on another, or for another network."""
