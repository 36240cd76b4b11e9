"""What every model owes: checked by one fixture, used by the tests of each family."""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
import pytest

from caos.assets.mesh import Mesh


def _check(mesh: Mesh, *, tags: Collection[int], triangles: int, lowest_m: float, size_m: tuple[float, float]) -> None:
    """Finite, indexed, textured where UV is, tagged, within budget, resting on the ground and of sensible size."""
    assert mesh.parts
    for part in mesh.parts:
        assert np.isfinite(part.vertices).all()
        assert part.faces.min() >= 0
        assert part.faces.max() < len(part.vertices)
        assert part.tag in tags, part.material.name
        if part.material.texture is not None:
            assert part.uv is not None, part.material.name
            assert np.isfinite(part.uv).all()
            assert part.uv.shape == (len(part.vertices), 2)
            assert part.material.texture.dtype == np.float32
            assert part.material.texture.min() >= 0
            assert part.material.texture.max() <= 1
        if part.material.surface != "emissive":
            assert max(part.material.color) <= 0.75, part.material.name
    assert 8 <= mesh.triangles <= triangles
    assert mesh.bounds[0][2] >= lowest_m
    assert size_m[0] <= max(mesh.size_m) <= size_m[1], mesh.size_m


def _same(a: Mesh, b: Mesh) -> bool:
    return len(a.parts) == len(b.parts) and all(
        np.array_equal(p.vertices, q.vertices) and np.array_equal(p.faces, q.faces) and p.material is q.material
        for p, q in zip(a.parts, b.parts, strict=True)
    )


def _outward_share(mesh: Mesh) -> float:
    """Share of the area that faces away from the vertical axis through the middle of the mesh, or up."""
    low, high = mesh.bounds
    middle = (low + high) / 2
    away = total = 0.0
    for part in mesh.parts:
        corners = part.vertices[part.faces].astype(np.float64)
        normal = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        area = np.linalg.norm(normal, axis=1)
        facing = np.einsum("ij,ij->i", normal, corners.mean(1) - middle)
        away += float(area[facing > 0].sum())
        total += float(area.sum())
    return away / total


@pytest.fixture
def check_model() -> Callable[..., None]:
    return _check


@pytest.fixture
def same_model() -> Callable[[Mesh, Mesh], bool]:
    return _same


@pytest.fixture
def outward_share() -> Callable[[Mesh], float]:
    return _outward_share
