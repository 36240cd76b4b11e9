"""Pieces of vehicles read from the cache are those that were made; a broken file is made anew."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from caos.assets.mesh import Mesh, Part
from caos.assets.street import vehicles
from caos.assets.street.vehicles import VEHICLES

LOOKS = ("vehicle.ford.mustang", "vehicle.vespa.zx125", "vehicle.mitsubishi.fusorosa")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("CAOS_CACHE", str(tmp_path))
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    """As in another process."""
    for made in (vehicles._pieces, vehicles._primed, vehicles._built, vehicles._rolling):
        made.cache_clear()


def shape(mesh: Mesh) -> list[tuple[object, ...]]:
    return [part_of(part) for part in mesh.parts]


def part_of(p: Part) -> tuple[object, ...]:
    m = p.material
    images = [None if image is None else image.tobytes() for image in (m.texture, m.gloss_mask, p.uv)]
    look = (m.name, m.color, m.surface, m.roughness, m.wettable, *images)
    return (p.vertices.tobytes(), p.faces.tobytes(), p.smooth, p.tag, *look)


@pytest.mark.parametrize("name", LOOKS)
def test_what_is_read_is_what_was_made(cache: Path, name: str) -> None:
    model = VEHICLES[name]
    made = model.build(), model.rolling(model.colors[-1])
    assert len(list(cache.rglob("*.npz"))) >= 1
    forget()
    read = model.build(), model.rolling(model.colors[-1])
    assert made[0] is not read[0]
    assert shape(made[0]) == shape(read[0])
    assert shape(made[1].body) == shape(read[1].body)
    for (wheels, *place), (again, *where) in zip(made[1].axles, read[1].axles, strict=True):
        assert shape(wheels) == shape(again)
        assert place == where


def test_any_paint_is_one_file_of_a_car_and_strange_paints_of_others_are_not_kept(cache: Path) -> None:
    VEHICLES["vehicle.ford.mustang"].build((1, 2, 3))
    VEHICLES["vehicle.ford.mustang"].rolling((4, 5, 6))
    VEHICLES["vehicle.vespa.zx125"].build((1, 2, 3))
    (file,) = cache.rglob("*.npz")
    assert file.stem.startswith("vehicle.ford.mustang-dark-")
    painted = VEHICLES["vehicle.ford.mustang"].rolling((4, 5, 6)).body.parts
    assert "paint (4, 5, 6)" in {part.material.name for part in painted}


@pytest.mark.parametrize("damage", [b"", b"no archive", None])
def test_a_broken_file_is_made_anew(cache: Path, damage: bytes | None) -> None:
    first = VEHICLES["vehicle.ford.mustang"].build()
    (file,) = cache.rglob("*.npz")
    file.write_bytes(file.read_bytes()[:-2000] if damage is None else damage)
    forget()
    assert shape(VEHICLES["vehicle.ford.mustang"].build()) == shape(first)
    with np.load(file, allow_pickle=False) as whole:
        assert "record" in whole.files


def test_nothing_is_kept_where_nothing_can_be_written(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cache / "file").write_text("")
    monkeypatch.setenv("CAOS_CACHE", str(cache / "file"))
    assert VEHICLES["vehicle.ford.mustang"].build().triangles > 1000


def test_a_file_takes_the_place_of_what_other_code_made_and_of_nothing_else(cache: Path) -> None:
    own, other = cache / "vehicles" / "photographs", cache / "vehicles" / "vehicle.ford.mustang-dark-0123.npz"
    own.mkdir(parents=True)
    other.write_bytes(b"")
    VEHICLES["vehicle.ford.mustang"].build()
    assert own.is_dir()
    assert not other.exists()
