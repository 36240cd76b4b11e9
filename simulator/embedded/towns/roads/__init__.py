"""Road network of a town: OpenDRIVE written and read, lane geometry, road surfaces, and the navigation mesh."""
