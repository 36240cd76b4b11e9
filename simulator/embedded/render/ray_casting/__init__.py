"""Ray casting with Embree: camera rays, first hits, and the label images made of them."""
