"""Physics: kinematic bicycle model of vehicles, walkers, ground contact, and collisions."""
