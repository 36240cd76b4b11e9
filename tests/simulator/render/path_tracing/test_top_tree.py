"""Moving instances without Mitsuba's update, which rebuilds all search trees."""

from __future__ import annotations

import ctypes
import sys
from dataclasses import dataclass, replace

import numpy as np
import pytest

from caos.simulator.embedded.render.path_tracing import backend, mitsuba_scene
from caos.simulator.embedded.render.path_tracing import top_tree as top_tree_module
from caos.simulator.embedded.render.path_tracing.top_tree import top_tree
from caos.simulator.embedded.render.renderer import Renderer
from caos.simulator.embedded.render.sample import EYE, sample_cars, sample_street
from caos.simulator.transform import Transform

CAMERA = replace(EYE, width=160, height=90)
ASIDE = Transform(1.5, -2.0, 0.3, yaw_deg=40.0).matrix


def _light(own_way: bool, monkeypatch: pytest.MonkeyPatch) -> list[np.ndarray]:
    """Traced images before some cars move and others leave, after that, and when all are back."""
    if own_way:
        monkeypatch.setattr(mitsuba_scene, "top_tree", lambda _mi, _scene: None)
    renderer = Renderer("draft", "scalar_rgb")
    renderer.load(sample_street(), "street")
    cars = sample_cars(6)
    moved = [replace(car, world_from_mesh=np.asarray(ASIDE @ car.world_from_mesh)) for car in cars[:4]]
    out = []
    for actors in (cars, moved, cars):
        renderer.set_actors(actors)
        out.append(renderer.radiance(CAMERA, samples=1))
    assert renderer._stage.builds == 1
    assert (renderer._stage._tree is None) == own_way
    return out


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere Mitsuba's own way is taken")
def test_moved_instances_render_as_after_mitsubas_own_update(monkeypatch: pytest.MonkeyPatch) -> None:
    quick, own = (_light(own_way, monkeypatch) for own_way in (False, True))
    for one, other in zip(quick, own, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_array_equal(quick[2], quick[0])
    assert (quick[1] != quick[0]).any(-1).mean() > 0.05


def test_another_mitsuba_is_not_trusted_with_its_layout(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(top_tree_module, "_RELEASE", "3.8.")
    renderer = Renderer("draft", "scalar_rgb")
    renderer.load(sample_street(), "street")
    renderer.set_actors(sample_cars(1))
    assert renderer._stage.scene is not None
    assert renderer._stage._tree is None


@dataclass
class _Scene:
    """A stand-in with the memory layout of a Mitsuba scene, or another one."""

    words: tuple[int, ...]
    count: int

    @property
    def ptr(self) -> int:
        self._memory = (ctypes.c_size_t * 10)(*[0] * 6, *self.words)
        return ctypes.addressof(self._memory)

    def shapes(self) -> list[None]:
        return [None] * self.count


@pytest.mark.parametrize("numbers", [(0, 1, 3), (0, 1), (0, 1, 2, 3)])
def test_a_scene_of_unknown_layout_is_rejected(numbers: tuple[int, ...]) -> None:
    mi = backend.mitsuba("scalar_rgb")
    held = (ctypes.c_int * len(numbers))(*numbers)
    first = ctypes.addressof(held)
    assert top_tree(mi, _Scene((1, first, first + 4 * len(numbers), first + 64), 3)) is None
    assert top_tree(mi, _Scene((0, 0, 0, 0), 0)) is None
