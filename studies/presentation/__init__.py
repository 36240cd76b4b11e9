"""Presentation of studies: pages, plots, tables and names, in files and on a terminal."""
