"""How things move: vehicles by a kinematic bicycle model on the real ground, walkers on foot, and what they run into."""
