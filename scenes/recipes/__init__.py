"""Recipes that come with the package, one TOML file each; :mod:`caos.scenes.recipes.recipe` reads them."""
