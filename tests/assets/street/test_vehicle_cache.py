"""Parts of vehicles read from the disk cache equal the built ones; a damaged file is rebuilt."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from caos.assets.mesh import Mesh, Part
from caos.assets.street import vehicles
from caos.assets.street.vehicles import VEHICLES

VEHICLE_IDS = ("vehicle.ford.mustang", "vehicle.vespa.zx125", "vehicle.mitsubishi.fusorosa")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("CAOS_CACHE", str(tmp_path))
    forget()
    yield tmp_path
    forget()


def forget() -> None:
    """Clear the caches in memory, as in a new process."""
    for made in (vehicles._pieces, vehicles._primed, vehicles._built, vehicles._rolling):
        made.cache_clear()


def shape(mesh: Mesh) -> list[tuple[object, ...]]:
    return [part_of(part) for part in mesh.parts]


def part_of(p: Part) -> tuple[object, ...]:
    m = p.material
    images = [None if image is None else image.tobytes() for image in (m.texture, m.gloss_mask, p.uv)]
    look = (m.name, m.color, m.surface, m.roughness, m.wettable, *images)
    return (p.vertices.tobytes(), p.faces.tobytes(), p.smooth, p.tag, *look)


@pytest.mark.parametrize("name", VEHICLE_IDS)
def test_a_cached_vehicle_equals_the_built_one(cache: Path, name: str) -> None:
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


def test_a_car_has_one_file_for_all_paints_and_unusual_paints_of_others_are_not_cached(cache: Path) -> None:
    VEHICLES["vehicle.ford.mustang"].build((1, 2, 3))
    VEHICLES["vehicle.ford.mustang"].rolling((4, 5, 6))
    VEHICLES["vehicle.vespa.zx125"].build((1, 2, 3))
    (file,) = cache.rglob("*.npz")
    assert file.stem.startswith("vehicle.ford.mustang-dark-")
    painted = VEHICLES["vehicle.ford.mustang"].rolling((4, 5, 6)).body.parts
    assert "paint (4, 5, 6)" in {part.material.name for part in painted}


@pytest.mark.parametrize("damage", [b"", b"no archive", None])
def test_a_broken_file_is_rebuilt(cache: Path, damage: bytes | None) -> None:
    first = VEHICLES["vehicle.ford.mustang"].build()
    (file,) = cache.rglob("*.npz")
    file.write_bytes(file.read_bytes()[:-2000] if damage is None else damage)
    forget()
    assert shape(VEHICLES["vehicle.ford.mustang"].build()) == shape(first)
    with np.load(file, allow_pickle=False) as whole:
        assert "record" in whole.files


def test_an_unwritable_folder_is_ignored(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (cache / "file").write_text("")
    monkeypatch.setenv("CAOS_CACHE", str(cache / "file"))
    assert VEHICLES["vehicle.ford.mustang"].build().triangles > 1000


def test_a_new_file_replaces_only_those_of_older_code(cache: Path) -> None:
    own, other = cache / "vehicles" / "photographs", cache / "vehicles" / "vehicle.ford.mustang-dark-0123.npz"
    own.mkdir(parents=True)
    other.write_bytes(b"")
    VEHICLES["vehicle.ford.mustang"].build()
    assert own.is_dir()
    assert not other.exists()
