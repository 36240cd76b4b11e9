"""The floor every room stands on: errors, whole files, progress, configuration, provenance. Imports nothing of ours."""
