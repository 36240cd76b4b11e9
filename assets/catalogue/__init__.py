"""The catalogue of hazard objects: kinds, object files, the library, CARLA's stock props, selection by name."""
