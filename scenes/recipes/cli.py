"""``caos scenes recipe``: the recipes there are, one in full, and whether one can be made."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)

Name = Annotated[str, typer.Argument(metavar="RECIPE", help="Name of a recipe, or the path of a file.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Change a key, such as hazards.range_m=4,20; repeat for more."),
]


@app.command("list")
def list_recipes() -> None:
    """List the recipes that can be given by name, each with its description."""
    from caos.scenes.recipes.recipe import load_recipe, recipe_names

    names = recipe_names()
    for name in names:
        typer.echo(f"{name.ljust(max(map(len, names)))}  {load_recipe(name).description}")


@app.command()
def show(recipe: Name, settings: Settings = None) -> None:
    """Print a recipe in full, as a recipe file: inherited keys, changed keys and every default.

    \b
    caos scenes recipe show streethazards
    caos scenes recipe show ./night.toml --set hazards.range_m=4,20 > full.toml
    """
    from caos.scenes.recipes.recipe import load_recipe
    from caos.scenes.recipes.text import recipe_text

    typer.echo(recipe_text(load_recipe(recipe, settings or ())), nl=False)


@app.command()
def check(
    recipe: Name,
    settings: Settings = None,
    library: Annotated[
        Path | None, typer.Option(help="Folder of imported objects.", show_default="the recipe's")
    ] = None,
) -> None:
    """Check a recipe without rendering: its keys, towns and objects, and whether the objects fit where they should go.

    \b
    caos scenes recipe check ./night.toml
    """
    from caos.scenes.recipes.check import check_recipe
    from caos.scenes.recipes.recipe import load_recipe

    for line in check_recipe(load_recipe(recipe, settings or ()), library):
        typer.echo(line)
