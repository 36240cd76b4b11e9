"""Physics: vehicles by a kinematic bicycle model on the ground, walkers on foot, and what they run into."""
