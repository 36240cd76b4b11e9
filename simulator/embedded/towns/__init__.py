"""Plans, OpenDRIVE, roads and what stands along them."""
