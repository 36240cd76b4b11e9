"""Moving scenes: planning of the car's path, traffic and hazards through time, and optical flow."""
