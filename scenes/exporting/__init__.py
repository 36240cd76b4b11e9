"""Exports of a set in the formats of other tools; one file for each format, all listed in :mod:`.formats`."""
