from __future__ import annotations

import numpy as np
import pytest

from caos.assets.street import surfaces
from caos.assets.street.buildings import finishes, glass
from caos.foundation.errors import CaosError
from caos.simulator.embedded.towns.styles import STYLES

CONCRETE = surfaces.ASPHALTS - 1
ROADS = {f"asphalt {k}": (lambda k=k: surfaces.asphalt(k), (0.05, 0.13)) for k in range(CONCRETE)}
ROADS |= {"concrete road": (lambda: surfaces.asphalt(CONCRETE), (0.15, 0.25))}
PAVINGS = {kind: (lambda kind=kind: surfaces.paving(kind), (0.08, 0.32)) for kind in surfaces.PAVINGS}
GROUNDS = {kind: (lambda kind=kind: surfaces.ground(kind), (0.05, 0.4)) for kind in surfaces.GROUNDS}
PAINT = {color: (lambda color=color: surfaces.road_line(color), (0.2, 0.6)) for color in ("white", "yellow")}
ALL = {**ROADS, **PAVINGS, **GROUNDS, **PAINT, "kerb": (surfaces.kerb, (0.2, 0.4))}


@pytest.mark.parametrize("name", ALL)
def test_reflectance_scale_and_softness(name):
    make, (low, high) = ALL[name]
    finish = make()
    texture = finish.material.texture
    assert texture is not None
    assert low <= float(texture.mean()) <= high
    mm_per_pixel = 1000 * finish.tile_m / texture.shape[1]
    assert 3 <= mm_per_pixel <= 30
    # There are no mipmaps: neighbouring pixels may not differ much on average.
    step = np.abs(np.diff(texture.mean(2), axis=1)).mean() / texture.mean()
    assert step < 0.2
    assert make() is finish


@pytest.mark.parametrize("name", ALL)
def test_textures_tile(name):
    texture = ALL[name][0]().material.texture.mean(2)
    inner = np.abs(np.diff(texture, axis=0)).mean(1)
    seam = np.abs(texture[0] - texture[-1]).mean()
    assert seam <= max(inner.max() * 1.05, 0.01)
    inner = np.abs(np.diff(texture, axis=1)).mean(0)
    assert np.abs(texture[:, 0] - texture[:, -1]).mean() <= max(inner.max() * 1.05, 0.01)


def test_roads_and_pavings_get_wet_and_grass_does_not():
    assert surfaces.asphalt(0).material.wettable
    assert surfaces.paving("cobble").material.wettable
    assert surfaces.road_line("white").material.wettable
    assert not surfaces.ground("grass").material.wettable
    assert surfaces.water().material.surface == "glass"


def test_grass_is_green_and_brick_red():
    grass = surfaces.ground("lawn").material.texture.mean((0, 1))
    assert grass[1] > grass[0] > grass[2]
    brick = finishes.brick(0).material.texture.mean((0, 1))
    assert brick[0] > 1.5 * brick[1] > 1.5 * brick[2] * 0.9
    assert 0.08 < brick.mean() < 0.3


def test_asphalts_differ_in_tone_colour_and_wear():
    textures = [surfaces.asphalt(k).material.texture for k in range(surfaces.ASPHALTS)]
    means = np.array([texture.mean((0, 1)) for texture in textures])
    apart = np.linalg.norm(means[:, None] - means[None], axis=2) + np.eye(len(means))
    assert apart.min() > 0.004
    warmth = means[:, 0] / means[:, 2]
    assert warmth.min() < 0.96 < 1.1 < warmth.max()
    assert all(len(set(style.asphalts)) >= 4 for style in STYLES.values())


def test_lawns_are_broken_up():
    for kind in ("grass", "lawn", "meadow"):
        texture = surfaces.ground(kind).material.texture
        # Grass, straw, clover and earth stay below 0.19 in red and 0.1 in blue.
        earth = (texture[..., 0] > texture[..., 1]).mean()
        yellow = ((texture[..., 0] > 0.2) & (texture[..., 2] < 0.12)).mean()
        white = (texture.min(2) > 0.15).mean()
        assert 0.001 < earth < 0.5, kind
        assert 1e-4 < yellow < 0.01, kind
        assert 1e-4 < white < 0.01, kind


def test_unknown_surface_is_refused_in_words():
    with pytest.raises(CaosError, match=r"unknown paving 'cobbel'; did you mean 'cobble'\?"):
        surfaces.paving("cobbel")
    with pytest.raises(CaosError, match="unknown ground 'lava'"):
        surfaces.ground("lava")
    with pytest.raises(CaosError, match="unknown road line colour 'pink'"):
        surfaces.road_line("pink")


def test_atlas_cells_are_counted_from_the_top_left_along_rows():
    uv = glass.atlas_uv([0, 5], 4, 2)
    assert uv.shape == (2, 4, 2)
    assert 0 < uv[0, 0, 0] < uv[0, 1, 0] < 0.25
    assert 0.5 < uv[0, 0, 1] < uv[0, 2, 1] < 1
    assert 0.25 < uv[1, 0, 0] < uv[1, 1, 0] < 0.5
    assert 0 < uv[1, 0, 1] < uv[1, 2, 1] < 0.5


def test_windows_differ_from_one_another():
    texture = glass.windows().material.texture
    cell = [texture[:128, k * 96 : (k + 1) * 96].mean() for k in range(glass.WINDOW_COLUMNS)]
    assert np.std(cell) > 0.01
    mask = glass.windows().material.gloss_mask
    assert mask.shape == texture.shape[:2]
    assert 0.3 <= mask.min() <= mask.max() <= 1
