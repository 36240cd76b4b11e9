"""Sensors mounted on the car: poses of a rig, lidar files and lidar labels."""
