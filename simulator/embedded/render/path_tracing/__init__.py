"""Path tracing with Mitsuba: shapes, materials, lights, the incrementally updated scene, and tracing by tile."""
