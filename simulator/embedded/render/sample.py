"""A small street of simple shapes, for tests and benchmarks of the renderer without a town."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from caos.assets.mesh import Material, Mesh, Part, join
from caos.assets.modelling import shapes, textures
from caos.assets.tags import SemanticTag
from caos.simulator.embedded.render.description import Camera, Placed
from caos.simulator.transform import Transform

EYE = Camera(Transform(0.0, -1.75, 1.6, -2.0, 0.0, 0.0), 640, 360, 90.0)


def sample_street(length_m: float = 160.0, seed: int = 0) -> list[Placed]:
    """Road, sidewalks, facades with glossy windows, and instanced trees and lamp posts along x."""
    rng = np.random.default_rng(seed)
    placed = [_ground(rng, length_m)]
    number = 1
    for side in (-1, 1):
        x = -20.0
        while x < length_m - 20:
            width = float(rng.uniform(10, 20))
            placed.append(Placed(_house(rng, x, width, side), np.eye(4), SemanticTag.BUILDING, number))
            number, x = number + 1, x + width + float(rng.choice([0, 0, 3]))
    tree, post = _tree(rng), _post()
    for k, x in enumerate(np.arange(6.0, length_m - 20, 11.0)):
        side = 1 if k % 2 else -1
        placed += [
            Placed(tree, _at(x, 8.8 * side, 0.15, float(rng.uniform(0, 360))), SemanticTag.VEGETATION, number),
            Placed(post, _at(x + 5, 7.6 * side, 0.15, 90.0 * side), SemanticTag.POLE, number + 1),
        ]
        number += 2
    return placed


def sample_cars(count: int = 6, seed: int = 1) -> list[Placed]:
    """Simple cars in both lanes, sharing two meshes."""
    rng = np.random.default_rng(seed)
    meshes = [_car(color) for color in ((0.5, 0.03, 0.03), (0.05, 0.12, 0.3))]
    poses = [(9.0 + 11 * k, (-5.2, 1.75, 5.2)[k % 3], 180.0 * (k % 3 > 0)) for k in range(count)]
    return [
        Placed(meshes[k % 2], _at(x + float(rng.uniform(-1, 1)), y, 0.0, yaw), SemanticTag.CAR, 1000 + k)
        for k, (x, y, yaw) in enumerate(poses)
    ]


def _at(x: float, y: float, z: float, yaw_deg: float) -> NDArray[np.float64]:
    return Transform(float(x), float(y), z, 0.0, yaw_deg, 0.0).matrix


def _ground(rng: np.random.Generator, length_m: float) -> Placed:
    dark = textures.speckle(rng, (0.05, 0.05, 0.05), (0.13, 0.13, 0.125), size=512)
    asphalt = Material("asphalt", texture=dark, wettable=True)
    paving = Material("paving", texture=textures.speckle(rng, (0.2, 0.2, 0.19), (0.36, 0.35, 0.33)), wettable=True)
    grass = Material("grass", texture=textures.speckle(rng, (0.05, 0.09, 0.02), (0.14, 0.2, 0.06)))
    line = Material("line", (0.7, 0.7, 0.68), wettable=True)
    along = (length_m + 40, 0, 0)
    parts: list[Mesh | Part] = [
        shapes.quad((-40, -7, 0), along, (0, 14, 0), asphalt, uv_per_m=0.12),
        *(
            _tagged(shapes.box((-40, y, 0), (length_m, y + 5, 0.15), paving, uv_per_m=0.3), SemanticTag.SIDEWALK)
            for y in (-12.0, 7.0)
        ),
        _tagged(shapes.quad((-300, -400, -0.02), (900, 0, 0), (0, 800, 0), grass, uv_per_m=0.2), SemanticTag.TERRAIN),
        *(shapes.box((x, -0.06, 0), (x + 3, 0.06, 0.006), line) for x in np.arange(-20, length_m, 7.0)),
    ]
    return Placed(join(parts), np.eye(4), SemanticTag.ROAD, 0)


def _tagged(part: Part, tag: int) -> Mesh:
    return Mesh((part,)).tagged(tag)


def _facade(rng: np.random.Generator) -> Material:
    """Four bays and four floors of windows."""
    wall = rng.uniform(0.25, 0.6) * np.array([1, rng.uniform(0.8, 1), rng.uniform(0.6, 0.95)])
    image = textures.speckle(rng, list(wall * 0.85), list(wall), size=512)
    mask = np.zeros((512, 512), np.float32)
    for row in range(4):
        for column in range(4):
            y, x = row * 128 + 30, column * 128 + 36
            image[y - 5 : y + 77, x - 5 : x + 61] = wall * 1.25
            image[y : y + 72, x : x + 56] = rng.uniform(0.02, 0.08) * np.array([0.8, 0.95, 1.1])
            mask[y : y + 72, x : x + 56] = 1
    return Material("facade", texture=np.clip(image, 0, 1).astype(np.float32), gloss_mask=mask)


def _house(rng: np.random.Generator, x: float, width: float, side: int) -> Mesh:
    height = float(rng.integers(3, 8)) * 3.2
    y0, y1 = sorted((12.0 * side, 24.0 * side))
    walls = shapes.box((x, y0, 0), (x + width, y1, height), _facade(rng), uv_per_m=1 / 12.8)
    stone = Material("cornice", (0.5, 0.48, 0.44))
    low, high = sorted((11.7 * side, 12.1 * side))
    return Mesh((walls, shapes.box((x, low, height - 0.1), (x + width, high, height + 0.4), stone)))


def _tree(rng: np.random.Generator) -> Mesh:
    bark, leaf = Material("bark", (0.13, 0.1, 0.075)), Material("leaf", (0.11, 0.2, 0.04))
    count = 4000
    center = np.array([0, 0, 5.0]) + rng.normal(size=(count, 3)) * (1.3, 1.3, 1.1)
    u, v = (rng.normal(size=(count, 3)) * 0.11 for _ in range(2))
    corners = np.stack([center - u, center - v, center + u, center + v], 1).reshape(-1, 3).astype(np.float32)
    first = np.arange(count)[:, None] * 4
    faces = np.concatenate([first + np.array(corner) for corner in ((0, 1, 2), (0, 2, 3))]).astype(np.int32)
    return Mesh((shapes.box((-0.12, -0.12, 0), (0.12, 0.12, 4.5), bark), Part(corners, faces, leaf)))


def _post() -> Mesh:
    steel = Material("steel", (0.35, 0.36, 0.37), "metal", 0.5)
    glow = Material("lamp", (1.0, 0.85, 0.62), "emissive")
    return Mesh(
        (
            shapes.box((-0.06, -0.06, 0), (0.06, 0.06, 7.0), steel),
            shapes.box((-2.2, -0.05, 6.92), (0.0, 0.05, 7.0), steel),
            shapes.box((-2.4, -0.12, 6.86), (-1.8, 0.12, 6.92), glow),
        )
    )


def _car(color: tuple[float, float, float]) -> Mesh:
    paint, glass = Material("paint", color, "paint", 0.2), Material("glass", (0.02, 0.025, 0.03), "glass", 0.05)
    rubber, lamp = Material("rubber", (0.02, 0.02, 0.02)), Material("tail", (0.9, 0.03, 0.03), "emissive")
    body, cabin = (
        shapes.blob(shapes.ball(c, r), np.subtract(c, r), np.add(c, r), material, cell_m=0.08)
        for c, r, material in (
            ((0, 0, 0.62), (2.2, 0.9, 0.42), paint),
            ((-0.2, 0, 1.0), (1.2, 0.75, 0.48), glass),
        )
    )
    wheels = [
        shapes.box((x - 0.3, y - 0.1, 0), (x + 0.3, y + 0.1, 0.6), rubber) for x in (-1.35, 1.35) for y in (-0.78, 0.78)
    ]
    tails = [shapes.box((-2.12, y - 0.15, 0.62), (-2.0, y + 0.15, 0.74), lamp) for y in (-0.55, 0.55)]
    return join([body, cabin, *wheels, *tails])
