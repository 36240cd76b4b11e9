"""Music and art."""
