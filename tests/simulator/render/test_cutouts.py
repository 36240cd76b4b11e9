"""Cut-outs of objects: alpha, views, resumption."""

from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from caos.assets.catalogue.library import Library
from caos.assets.cutout_folders.index import read_rgba
from caos.assets.mesh import Material, Mesh
from caos.assets.modelling import shapes
from caos.foundation.errors import CaosError
from caos.simulator.embedded.render.cutouts import (
    CUTOUT_QUALITY,
    CutoutOptions,
    View,
    draw_view,
    render_cutout,
    render_cutouts,
)
from caos.simulator.embedded.render.renderer import Renderer
from caos.simulator.weather import Weather

RED = Material("red", (0.6, 0.02, 0.02), "paint", 0.6)
LIGHT = Weather(cloudiness=80, sun_altitude_angle=50, fog_density=0)


@pytest.fixture(scope="module")
def renderer() -> Renderer:
    return Renderer(CUTOUT_QUALITY)


def test_alpha_is_fractional_at_edges_only_without_background_colour(renderer) -> None:
    pole = Mesh((shapes.box((-0.5, -1, 0), (0.5, 1, 1), RED),))
    pixels, height_m = render_cutout(pole, View(200, -10, LIGHT), 48, renderer)
    alpha = pixels[..., 3]
    assert max(alpha.shape) > 36
    assert ((alpha > 0) & (alpha < 255)).any()
    assert (alpha == 255).mean() > 0.6
    shown = pixels[alpha > 0].astype(int)
    assert (shown[:, 0] > shown[:, 1] + 30).all()
    assert height_m == pytest.approx(1.3, abs=0.25)


def test_views_are_reproducible_and_lie_only_if_allowed() -> None:
    views = [draw_view(np.random.default_rng(seed), ("upright", "fallen")) for seed in (1, 1, 2)]
    assert views[0] == views[1] != views[2]
    assert 8 <= views[0].weather.sun_altitude_angle <= 75
    many = [draw_view(np.random.default_rng(seed), ("upright", "fallen")).fallen for seed in range(200)]
    assert 30 < sum(many) < 70
    assert not any(draw_view(np.random.default_rng(seed)).fallen for seed in range(50))


def test_fallen_objects_lie_on_their_side(renderer) -> None:
    pole = Mesh((shapes.box((-0.1, -0.1, 0), (0.1, 0.1, 1.5), RED),))
    tall, wide = (render_cutout(pole, View(180, -5, LIGHT, fallen), 32, renderer)[0] for fallen in (False, True))
    assert tall.shape[0] > 3 * tall.shape[1]
    assert wide.shape[1] > 3 * wide.shape[0]


def test_an_interrupted_run_resumes_with_the_same_result(tmp_path) -> None:
    library, options = Library.open(cache=tmp_path / "cache"), CutoutOptions(views=2, size=16, seed=5)
    names = ["barrel_01"]
    index = render_cutouts(library, names, tmp_path / "one", options)
    assert [(c.name, c.kind, c.category) for c in index.cutouts] == [("barrel_01", "barrel", "cargo_debris")] * 2
    pictures = [read_rgba(tmp_path / "one" / cutout.file) for cutout in index.cutouts]
    assert [p.shape[:2] for p in pictures] == [(c.height, c.width) for c in index.cutouts]
    assert not np.array_equal(*(p[:8, :8] for p in pictures))
    first = tmp_path / "one" / index.cutouts[0].file
    kept, bytes_of = first.stat().st_mtime_ns, (tmp_path / "one" / index.cutouts[1].file).read_bytes()
    for name in (index.cutouts[1].file, "index.json"):
        (tmp_path / "one" / name).unlink()
    (tmp_path / "one" / index.cutouts[1].file).with_suffix(".json").unlink()
    assert render_cutouts(library, names, tmp_path / "one", options) == index
    assert first.stat().st_mtime_ns == kept
    assert (tmp_path / "one" / index.cutouts[1].file).read_bytes() == bytes_of
    with pytest.raises(CaosError, match=r"made with other settings \(seed was 5, is 6"):
        render_cutouts(library, names, tmp_path / "one", CutoutOptions(views=2, size=16, seed=6))
    Image.fromarray(pictures[0][::-1].copy()).save(first)
    assert render_cutouts(library, names, tmp_path / "one", options) == index
    assert (read_rgba(first) == pictures[0]).all(), "another image in its place is rendered again"
    plan = json.loads((tmp_path / "one" / "plan.json").read_text())
    assert set(plan) == {"views", "size", "seed", "objects", "numerics", "packages"}


def test_wrong_options_are_named(tmp_path) -> None:
    with pytest.raises(CaosError, match="size: 4 is not a number from 16 to 2048"):
        CutoutOptions(size=4)
    with pytest.raises(CaosError, match="no objects to cut out"):
        render_cutouts(Library.open(cache=tmp_path), [], tmp_path / "out", CutoutOptions())
    assert not (tmp_path / "out").exists()
