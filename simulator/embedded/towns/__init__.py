"""Towns: plans, OpenDRIVE, roads and what stands along them."""
