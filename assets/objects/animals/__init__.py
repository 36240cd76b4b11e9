"""Animals: soft bodies with species' own proportions, stances and coats."""
