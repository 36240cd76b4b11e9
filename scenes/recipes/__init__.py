"""Recipes that come with the package, one TOML file each; :mod:`caos.scenes.recipe` reads them."""
