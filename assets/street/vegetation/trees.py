"""Trees: a branching skeleton grown into a crown's outline, then leaves at the ends of its branches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np

from caos.assets.mesh import Material, Mesh, Part, join
from caos.assets.modelling.shapes import sweep
from caos.assets.modelling.textures import fractal_noise, mix, smoothstep, tint
from caos.assets.street.canvas import RGB, Finish, Points
from caos.assets.street.surfaces import seeded
from caos.assets.street.vegetation.leaves import scatter, toned, upward
from caos.assets.tags import SemanticTag

Tones = Sequence[RGB]
# Reflectances are about a third above those of real leaves, because these blades transmit no light.
GREENS: dict[str, Tones] = {
    "oak": ((0.05, 0.088, 0.023), (0.078, 0.131, 0.031), (0.111, 0.168, 0.043), (0.149, 0.199, 0.054)),
    "linden": ((0.057, 0.106, 0.026), (0.088, 0.153, 0.037), (0.121, 0.196, 0.048), (0.163, 0.234, 0.064)),
    "birch": ((0.085, 0.128, 0.031), (0.121, 0.177, 0.043), (0.163, 0.22, 0.054), (0.213, 0.256, 0.071)),
    "poplar": ((0.057, 0.097, 0.031), (0.085, 0.135, 0.043), (0.114, 0.163, 0.054)),
    "cypress": ((0.028, 0.054, 0.024), (0.043, 0.078, 0.031), (0.06, 0.099, 0.04)),
    "spruce": ((0.024, 0.048, 0.03), (0.037, 0.071, 0.041), (0.057, 0.097, 0.054)),
    "pine": ((0.043, 0.074, 0.037), (0.06, 0.099, 0.047), (0.085, 0.128, 0.06)),
    "palm": ((0.064, 0.106, 0.031), (0.092, 0.142, 0.043), (0.128, 0.177, 0.057)),
    "autumn": ((0.17, 0.055, 0.016), (0.24, 0.10, 0.02), (0.3, 0.16, 0.03), (0.13, 0.11, 0.03)),
    "gold": ((0.2, 0.13, 0.02), (0.27, 0.19, 0.03), (0.33, 0.23, 0.04), (0.13, 0.13, 0.03)),
    "blossom": ((0.475, 0.288, 0.312), (0.6, 0.4, 0.413), (0.675, 0.525, 0.525), (0.125, 0.15, 0.05)),
    "plum": ((0.085, 0.031, 0.031), (0.121, 0.043, 0.043), (0.156, 0.064, 0.054)),
}


@cache
def bark(kind: str) -> Finish:
    """Bark in a few colours: ``brown``, ``grey``, ``birch`` (white with dark scars), ``red`` (pine), ``palm``."""
    colors: dict[str, tuple[RGB, RGB]] = {
        "brown": ((0.045, 0.033, 0.024), (0.13, 0.10, 0.075)),
        "grey": ((0.07, 0.065, 0.057), (0.17, 0.16, 0.14)),
        "birch": ((0.36, 0.35, 0.32), (0.55, 0.54, 0.50)),
        "red": ((0.10, 0.05, 0.028), (0.24, 0.13, 0.075)),
        "palm": ((0.08, 0.062, 0.045), (0.2, 0.16, 0.12)),
    }
    rng, size = seeded("bark", kind), 128
    furrow = np.repeat(fractal_noise(16, size, rng, base=12, octaves=3), size // 16, 0)
    gray = np.clip(0.5 + 1.6 * (0.6 * furrow + 0.4 * fractal_noise(size, size, rng, base=8, octaves=4) - 0.5), 0, 1)
    texture = tint(gray.astype(np.float32), *colors[kind])
    if kind == "birch":
        scars = np.repeat(fractal_noise(size, 8, rng, base=32, octaves=2), size // 8, 1)
        texture = mix(texture, (0.03, 0.028, 0.026), smoothstep(0.66, 0.74, scars))
    return Finish(Material(f"{kind} bark", colors[kind][1], "diffuse", texture=texture), 1.0)


@dataclass
class Skeleton:
    """Branches built so far, and the points where leaves grow."""

    parts: list[Part] = field(default_factory=list)
    tips: list[Points] = field(default_factory=list)

    def branch(self, path: Points, radii: Points, material: Material, detail: int) -> None:
        """Add one branch."""
        part = sweep(path, radii, material, detail=detail)
        self.parts.append(Part(part.vertices, part.faces, part.material, part.uv, part.smooth, SemanticTag.VEGETATION))


@dataclass(frozen=True)
class Form:
    """The habit of a broad-leaved tree.

    Attributes:
        height: Range of heights, metres.
        bole: Share of the height free of branches.
        crown: Half width of the crown as a share of the height.
        widest: Height of the crown's widest point, as a share from its bottom to its top.
        limbs: Main branches.
        rise_deg: Angle of the lowest and of the highest branches above level.
        trunk: Radius at the foot as a share of the height.
        bark: Kind of bark.
        leaves: Leaves in one clump.
        leaf_m: Length and width of a leaf spray.
        clump_m: Radius of a clump.
        droop: Droop of twigs and leaves.
    """

    height: tuple[float, float]
    bole: float
    crown: float
    widest: float = 0.4
    limbs: int = 12
    rise_deg: tuple[float, float] = (12, 60)
    trunk: float = 0.026
    bark: str = "brown"
    leaves: int = 64
    leaf_m: tuple[float, float] = (0.26, 0.17)
    clump_m: float = 0.8
    droop: float = 0.0


FORMS: dict[str, Form] = {
    "oak": Form((9, 12), 0.2, 0.43, 0.45, 17, (5, 66), 0.032, "brown", 66, (0.225, 0.16), 0.95),
    "linden": Form((9, 12), 0.18, 0.3, 0.38, 18, (15, 72), 0.026, "grey", 62, (0.215, 0.155), 0.82),
    "birch": Form((9, 12.5), 0.22, 0.2, 0.45, 18, (25, 72), 0.016, "birch", 52, (0.17, 0.11), 0.66, droop=0.7),
    "poplar": Form((14, 18), 0.08, 0.115, 0.35, 26, (55, 80), 0.02, "grey", 26, (0.34, 0.24), 0.8),
    "street": Form((5, 6.4), 0.36, 0.29, 0.45, 13, (12, 70), 0.017, "grey", 74, (0.165, 0.115), 0.52),
}


def broadleaf(form: Form, tones: Tones, name: str, rng: np.random.Generator) -> Mesh:
    """A tree of the given habit and leaf colours."""
    height = float(rng.uniform(*form.height))
    skeleton = Skeleton()
    trunk, radii = _trunk(form, height, rng)
    material = bark(form.bark).material
    skeleton.branch(trunk, radii, material, 10)
    for k in range(form.limbs):
        _limb(skeleton, form, height, trunk, radii, k, material, rng)
    skeleton.tips.append(trunk[-2:])
    centres = np.concatenate(skeleton.tips)
    centres = centres + rng.normal(0, 0.12, centres.shape)
    clump = form.clump_m * rng.uniform(0.65, 1.2, len(centres))
    at, away = scatter(rng, centres, clump, form.leaves, flatten=0.75)
    middle = np.array([0, 0, height * (0.55 + form.bole / 2)])
    along = upward(rng, away, up=0.25 - form.droop)
    outer = np.clip(np.linalg.norm((at - middle) / (form.crown, form.crown, 0.5), axis=1) / height, 0, 1)
    light = np.clip(0.55 * outer + 0.45 * (at[:, 2] / height), 0, 1)
    return join([*skeleton.parts, *toned(rng, name, tones, at, along, *form.leaf_m, light=light)])


def _trunk(form: Form, height: float, rng: np.random.Generator) -> tuple[Points, Points]:
    t = np.linspace(0, 0.92, 10)
    lean = rng.normal(0, 0.02, 2) * height
    wobble = np.cumsum(rng.normal(0, 0.012 * height, (10, 2)), 0) * t[:, None]
    path = np.concatenate([lean * t[:, None] ** 2 + wobble, (t * height)[:, None]], 1)
    radii = form.trunk * height * np.maximum(1 - t, 0.06) ** 0.85
    radii[0] *= 1.45
    path[0, 2] = -0.3
    return path, radii


def _envelope(form: Form, share: float) -> float:
    """Half width of the crown, as a share of its largest, at a share of its own height."""
    below = share < form.widest
    x = (form.widest - share) / form.widest if below else (share - form.widest) / (1 - form.widest)
    return float(np.sqrt(max(1 - x**2.2, 0.02)))


def _reach(form: Form, height: float, start_z: float, rise: float) -> float:
    """Length of a straight branch from the trunk to the crown's outline."""
    lengths = np.linspace(0.05, 1.0, 40) * height
    z, out = start_z + lengths * np.sin(rise) * 1.1, lengths * np.cos(rise)
    shares = np.clip((z / height - form.bole) / (1 - form.bole), 0, 1)
    limit = np.array([_envelope(form, float(s)) for s in shares]) * form.crown * height
    inside = lengths[(out <= limit) & (z <= height)]
    return float(inside.max()) if len(inside) else 0.05 * height


def _limb(
    skeleton: Skeleton,
    form: Form,
    height: float,
    trunk: Points,
    radii: Points,
    k: int,
    material: Material,
    rng: np.random.Generator,
) -> None:
    """One main branch, bent upward, with side branches on its outer part."""
    share = (k + rng.uniform(0.1, 0.9)) / form.limbs
    start_z = height * (form.bole + (0.86 - form.bole) * share**1.1)
    start = np.array([np.interp(start_z, trunk[:, 2], trunk[:, a]) for a in range(3)])
    azimuth = 2.39996 * k + rng.uniform(-0.5, 0.5)
    rise = np.radians(np.interp(share, [0, 1], form.rise_deg) + rng.uniform(-8, 8))
    length = _reach(form, height, start_z, rise) * float(rng.uniform(0.85, 1.06))
    heading = np.array([np.cos(azimuth) * np.cos(rise), np.sin(azimuth) * np.cos(rise), np.sin(rise)])
    t = np.linspace(0, 1, 6)
    bend = np.array([0, 0, 0.16 - 0.3 * form.droop]) * length
    path = (
        start
        + t[:, None] * heading * length
        + (t**2)[:, None] * bend
        + rng.normal(0, 0.03 * length, (6, 3)) * t[:, None]
    )
    thick = 0.55 * float(np.interp(start_z, trunk[:, 2], radii)) + 0.008
    skeleton.branch(path, thick * np.maximum(1 - t, 0.12), material, 6)
    twigs = max(int(length / (form.clump_m * 0.72)), 2)
    for j in range(twigs):
        _twig(skeleton, form, path, heading, thick, length, (j + 1) / twigs, material, rng)
    skeleton.tips.append(path[-1:])


def _twig(
    skeleton: Skeleton,
    form: Form,
    path: Points,
    heading: Points,
    thick: float,
    length: float,
    share: float,
    material: Material,
    rng: np.random.Generator,
) -> None:
    share = 0.3 + 0.65 * share
    start = np.array([np.interp(share, np.linspace(0, 1, len(path)), path[:, a]) for a in range(3)])
    turn = rng.normal(size=3)
    turn -= heading * (turn @ heading)
    turn /= max(float(np.linalg.norm(turn)), 1e-9)
    direction = 0.55 * heading + 0.95 * turn + np.array([0, 0, 0.2 - form.droop])
    direction /= np.linalg.norm(direction)
    reach = min(length * 0.36, 2.2) * rng.uniform(0.5, 1.1) * (1.15 - 0.5 * share)
    end = start + direction * reach
    middle = (start + end) / 2 + rng.normal(0, 0.05 * reach, 3)
    skeleton.branch(np.stack([start, middle, end]), thick * np.array([0.4, 0.25, 0.08]), material, 4)
    skeleton.tips.append(np.stack([middle * 0.4 + end * 0.6, end]))


def cypress(tones: Tones, rng: np.random.Generator) -> Mesh:
    """A dense dark flame of short sprays."""
    height = float(rng.uniform(7, 11))
    radius = height * rng.uniform(0.075, 0.1)
    count = 5200
    t = rng.random(count) ** 0.8
    ring = radius * np.where(t < 0.28, 0.72 + t, np.clip(1 - (np.maximum(t - 0.28, 0) / 0.72) ** 1.5, 0.0, 1))
    angle = rng.uniform(0, 2 * np.pi, count)
    bumps = 1 + 0.1 * np.sin(5 * angle + 9 * t) + 0.08 * np.sin(3 * angle - 17 * t)
    inner = 0.72 + 0.3 * rng.random(count)
    at = np.stack(
        [np.cos(angle) * ring * bumps * inner, np.sin(angle) * ring * bumps * inner, 0.25 + t * height * 0.97], 1
    )
    away = np.stack([np.cos(angle), np.sin(angle), np.full(count, 1.7)], 1)
    along = away + rng.normal(0, 0.35, away.shape)
    core = sweep(
        [[0, 0, 0.2], [0, 0, 0.3 * height], [0, 0, 0.95 * height]],
        [radius * 0.5, radius * 0.66, 0.02],
        _dark("cypress core", (0.012, 0.02, 0.01)),
        detail=8,
    )
    stem = sweep([[0, 0, -0.3], [0, 0, 0.6]], [0.14, 0.12], bark("brown").material, detail=8)
    wood = [Part(p.vertices, p.faces, p.material, p.uv, p.smooth, SemanticTag.VEGETATION) for p in (core, stem)]
    return join([*wood, *toned(rng, "cypress", tones, at, along, 0.16 + 0.24 * (1 - t), 0.15, light=inner - 0.2)])


def _dark(name: str, color: RGB) -> Material:
    from caos.assets.street.canvas import plain

    return plain(name, color).material


def spruce(tones: Tones, rng: np.random.Generator) -> Mesh:
    """A conifer of drooping whorls that narrow to the top."""
    height = float(rng.uniform(9, 15))
    wide = height * rng.uniform(0.17, 0.23)
    trunk = sweep(
        [[0, 0, -0.3], [0, 0, height * 0.5], [0, 0, height]],
        [height * 0.02, height * 0.011, 0.015],
        bark("brown").material,
        detail=8,
    )
    rows = int(height / 0.36)
    starts, ends = [], []
    for k in range(rows):
        count = int(rng.integers(7, 11))
        t = 0.06 + 0.93 * (k + 0.5) / rows + rng.normal(0, 0.35 / rows, count)
        angle = rng.uniform(0, 2 * np.pi) + np.arange(count) * 2 * np.pi / count + rng.normal(0, 0.12, count)
        reach = wide * np.clip(1 - t, 0, 1) ** 0.9 * rng.uniform(0.7, 1.12, count) + 0.1
        drop = reach * np.interp(t, [0, 0.6, 1], [-0.42, -0.25, 0.6])
        base = np.stack([np.zeros(count), np.zeros(count), t * height], 1)
        starts.append(base)
        ends.append(base + np.stack([np.cos(angle) * reach, np.sin(angle) * reach, drop], 1))
    start, end = np.concatenate(starts), np.concatenate(ends)
    at, along, light = _sprays(start, end, rng)
    length = 0.16 + 0.42 * np.clip(1 - at[:, 2] / height, 0, 1)
    wood = Part(trunk.vertices, trunk.faces, trunk.material, trunk.uv, trunk.smooth, SemanticTag.VEGETATION)
    return join([wood, *toned(rng, "spruce", tones, at, along, length, 0.1, fold=0.25, light=light)])


def _sprays(start: Points, end: Points, rng: np.random.Generator) -> tuple[Points, Points, Points]:
    """Needle sprays on both sides along each branch, denser and brighter towards the tip."""
    length = np.linalg.norm(end - start, axis=1)
    count = np.maximum((length * 26).astype(int), 14)
    owner = np.repeat(np.arange(len(start)), count)
    share = rng.random(len(owner)) ** 0.6
    direction = (end - start)[owner] / length[owner][:, None]
    side = np.cross(direction, (0, 0, 1.0))
    side *= rng.choice([-1.0, 1.0], len(owner))[:, None] * rng.uniform(0.2, 1.0, (len(owner), 1))
    # The tips of spruce branches lift again.
    at = (
        start[owner]
        + (end - start)[owner] * share[:, None]
        + np.array([0, 0, 1.0]) * (0.12 * share**3 * length[owner])[:, None]
    )
    along = direction + side + rng.normal(0, 0.14, at.shape) - np.array([0, 0, 0.22])
    return at, along, share


def pine(tones: Tones, rng: np.random.Generator) -> Mesh:
    """A Scots pine: bare reddish trunk, an irregular crown of needle clouds."""
    form = Form((9, 13), 0.4, 0.27, 0.55, 15, (2, 62), 0.022, "red", 62, (0.34, 0.085), 0.75)
    return broadleaf(form, tones, "pine", rng)


def palm(tones: Tones, rng: np.random.Generator) -> Mesh:
    """A slim ringed trunk under a head of arching fronds."""
    height = float(rng.uniform(6, 9.5))
    t = np.linspace(0, 1, 26)
    lean = rng.uniform(-0.5, 0.5, 2)
    path = np.concatenate([lean * t[:, None] ** 2, (t * height - 0.3 * (t == 0))[:, None]], 1)
    rings = 0.17 * (1 - 0.35 * t) * (1 + 0.09 * (np.arange(26) % 2)) + 0.12 * (1 - t) ** 8
    trunk = sweep(path, rings, bark("palm").material, detail=10)
    top = path[-1]
    parts = [Part(trunk.vertices, trunk.faces, trunk.material, trunk.uv, trunk.smooth, SemanticTag.VEGETATION)]
    count = int(rng.integers(26, 34))
    for k in range(count):
        rise = np.radians(np.interp(k / count, [0, 0.8, 1], [80, -15, -55]) + rng.uniform(-8, 8))
        dead = k > count * 0.9
        parts += _frond(
            top, 2.39996 * k, rise, float(rng.uniform(2.2, 2.9)), ((0.16, 0.115, 0.06),) if dead else tones, rng
        )
    return join(parts)


def _frond(
    top: Points, azimuth: float, rise: float, length: float, tones: Tones, rng: np.random.Generator
) -> list[Part]:
    t = np.linspace(0, 1, 8)
    flat, sag = np.cos(rise), 0.55 * length
    out = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
    path = (
        top
        + out * (t * length * flat)[:, None]
        + np.array([0, 0, 1.0]) * (t * length * np.sin(rise) - sag * t**2)[:, None]
    )
    rib = sweep(path, 0.025 * (1.05 - t), _dark("frond rib", (0.09, 0.1, 0.04)), detail=4)
    share = np.repeat(np.linspace(0.12, 1, 38), 2)
    at = np.stack([np.interp(share, t, path[:, a]) for a in range(3)], 1)
    step = np.gradient(path, axis=0)
    forward = np.stack([np.interp(share, t, step[:, a]) for a in range(3)], 1)
    forward /= np.linalg.norm(forward, axis=1, keepdims=True)
    side = np.cross(forward, (0, 0, 1.0)) * np.tile([1.0, -1.0], 38)[:, None]
    along = 0.55 * forward + side - np.array([0, 0, 0.35]) + rng.normal(0, 0.08, at.shape)
    blade = 0.62 * length / 2.5
    parts = toned(rng, "frond", tones, at, along, blade, 0.1, fold=0.15)
    return [Part(rib.vertices, rib.faces, rib.material, rib.uv, rib.smooth, SemanticTag.VEGETATION), *parts]
