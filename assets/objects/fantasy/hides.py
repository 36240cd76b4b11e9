"""Hides of monsters: scales and the shading of a back."""

from __future__ import annotations

from caos.assets.mesh import Material, Part
from caos.assets.modelling import finishes as f
from caos.assets.modelling.assembly import Points, Rng, noise3, painted
from caos.assets.modelling.bodies import Body


def scaly_coat(rng: Rng, dark: f.Color, light: f.Color) -> Material:
    """A shiny ramp from a light belly to a dark back."""
    return f.coat(rng, [(0, light), (0.35, light), (0.6, dark), (1, dark)], shiny=True)


def shaded_hide(rng: Rng, body: Body, look: Material, height: float, *, cell_m: float, soft: float) -> Part:
    """Colour a body of height ``height`` by the ramp ``look`` from the ground up, with spots."""
    spots = noise3(rng, 0.14)

    def shade(p: Points) -> Points:
        out: Points = p[:, 2] / height - 0.05 + 0.15 * spots(p)
        return out

    return painted(body.skin(look, cell_m=cell_m, soft=soft), look, shade)
