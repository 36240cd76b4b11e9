"""Objects on and beside the roads: signals, buildings, walls, furniture, vegetation, terrain, and spawn points."""
