"""Drawings on the charts of a shell: windows, lamps, grille, shut lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import shapely

from caos.assets.mesh import Material
from caos.assets.street.vehicles import finishes
from caos.assets.street.vehicles.bodywork.exterior import Exterior, Panes
from caos.assets.street.vehicles.bodywork.plan import Points, Ring
from caos.assets.street.vehicles.bodywork.sheets import Region
from caos.assets.street.vehicles.bodywork.shell import Shell

_GAP_M = 0.005
_SEAL_M = 0.014


def rounded(shape: Any, radius: float) -> Any:
    """The shape with its corners rounded off."""
    return shape.buffer(-radius).buffer(radius, quad_segs=4)


def corners(ring: Ring) -> tuple[float, float]:
    """Arc lengths where the outline turns from front to side and from side to rear."""
    steps = np.abs(np.diff(ring.points, axis=0))
    diagonal = np.flatnonzero(np.diff((steps[:, 0] > steps[:, 1]).astype(int)))
    return float(ring.arc[diagonal[0]]), float(ring.arc[diagonal[-1]])


def windows(shell: Shell, panes: Panes, glass: Material = finishes.GLASS) -> list[Region]:
    """Windscreen, side windows and rear window, each in a black seal."""
    shapes = [*_end_panes(shell, panes)]
    band = _side_band(shell, panes)
    regions = [
        Region(shape.buffer(_SEAL_M, quad_segs=3), finishes.TRIM)
        for shape in [*shapes, *([band] if band is not None else [])]
    ]
    if band is not None:
        shapes += _split(shell, band, panes)
    regions += [Region(rounded(shape, panes.radius), glass) for shape in shapes]
    return regions


def _end_panes(shell: Shell, panes: Panes) -> list[Any]:
    front, rear = corners(shell.cabin_ring)
    height, end = shell.cabin_height, float(shell.cabin_ring.arc[-1])
    start = 0.012 if panes.split else -0.3
    shapes = []
    if panes.windscreen:
        shapes.append(shapely.box(start, panes.low * height, front - shell.plan.a_pillar / 2, panes.high * height))
    if panes.rear:
        low = panes.low if panes.rear_low is None else panes.rear_low
        inset = min(shell.plan.c_pillar, 0.12) / 2
        shapes.append(shapely.box(rear + inset, low * height, end + 0.3, panes.high * height))
    return shapes


def _side_band(shell: Shell, panes: Panes) -> Any:
    """The outline of all side windows together, or None if the sides are blank."""
    plan, height = shell.plan, shell.cabin_height
    front, rear = corners(shell.cabin_ring)
    if panes.side_to is not None and panes.side_to <= 0:
        return None
    ahead, behind = [], []
    for v in np.linspace(panes.low, panes.high, 7):
        start = front + plan.a_pillar / 2
        stop = rear - plan.c_pillar + panes.slant * (v - panes.low)
        if panes.side_from is not None:
            start = max(start, shell.on_cabin(plan.at(panes.side_from), float(v))[0])
        if panes.side_to is not None:
            stop = min(stop, shell.on_cabin(plan.at(panes.side_to), float(v))[0])
        ahead.append((start, v * height))
        behind.append((stop, v * height))
    return rounded(shapely.Polygon([*ahead, *behind[::-1]]).buffer(0), panes.radius)


def _split(shell: Shell, band: Any, panes: Panes) -> list[Any]:
    for post in panes.posts:
        line = [shell.on_cabin(shell.plan.at(post), float(v)) for v in np.linspace(0, 1, 6)]
        band = band.difference(shapely.LineString(line).buffer(panes.post_width / 2, cap_style="flat"))
    return [piece for piece in shapely.get_parts(band) if piece.area > 0.004]


def _strip(shell: Shell, line: Any, width: float = _GAP_M) -> Any:
    """A thin line of the side view as a region on the flank."""
    mapped = shapely.transform(
        shapely.segmentize(line, 0.04), lambda c: shell.on_flank(shell.ring.side(c[:, 0]), c[:, 1])
    )
    return mapped.buffer(width / 2, cap_style="flat")


def doors(shell: Shell) -> list[Region]:
    """Shut lines of the side doors."""
    plan = shell.plan
    if len(plan.doors) < 2:
        return []
    x = [plan.at(d) for d in plan.doors]
    sill = plan.clearance + 0.085
    top = plan.belt_z + 0.1
    lines = [shapely.LineString([(x[0] - 0.03, top), (x[0], (sill + top) / 2), (x[0] - 0.05, sill)])]
    lines += [shapely.LineString([(b, top), (b, sill)]) for b in x[1:-1]]
    lines.append(shapely.LineString(_rear_edge(shell, x[-1], sill, top)))
    lines.append(shapely.LineString([(x[0] - 0.05, sill), (lines[-1].coords[-1][0], sill)]))
    return [Region(_strip(shell, line), finishes.GAP) for line in lines]


def _rear_edge(shell: Shell, x: float, sill: float, top: float) -> list[tuple[float, float]]:
    """The last door's rear edge, which bends around the wheel arch if it meets it."""
    plan = shell.plan
    radius = plan.arch_radius + 0.06
    axle = plan.rear_axle
    points = []
    for z in np.linspace(top, sill, 14):
        height = float(z) - plan.wheel_radius
        reach = axle + np.sqrt(max(radius**2 - height**2, 0.0)) if abs(height) < radius else -1e9
        points.append((max(x, float(reach)), float(z)))
    return points


def lamps(shell: Shell, exterior: Exterior, head: Material, tail: Material) -> list[Region]:
    """Head and tail lamps."""
    return [*_head_lamp(shell, exterior, head), *_tail_lamp(shell, exterior, tail)]


def head_shape(shell: Shell, exterior: Exterior) -> Any:
    """Outline of the right headlamp on the flank's chart."""
    h, ring = exterior.head, shell.ring
    if h.round_radius > 0:
        circle = shapely.Point(h.inner_y, (h.low + h.high) / 2).buffer(h.round_radius, quad_segs=10)
        return shell.from_front(circle)
    inner, outer = float(ring.front_at(h.inner_y)), float(ring.side(shell.plan.at(h.reach)))
    return shell.wrapped([(inner, h.low), (inner, h.high), (outer, h.outer_high), (outer, h.outer_low)], 0.018)


def _head_lamp(shell: Shell, exterior: Exterior, lens: Material) -> list[Region]:
    shape = head_shape(shell, exterior)
    if exterior.head.round_radius > 0:
        return [
            Region(shape.buffer(0.018), finishes.CHROME),
            Region(shape, lens),
            Region(
                shape.buffer(-exterior.head.round_radius * 0.55), finishes.REFLECTOR if lens is finishes.LENS else lens
            ),
        ]
    low_a, low_b, high_a, high_b = shape.bounds
    size = min(high_b - low_b, high_a - low_a)
    eyes = [
        shapely.Point(low_a + share * (high_a - low_a), (low_b + high_b) / 2).buffer(0.34 * size, quad_segs=4)
        for share in (0.28, 0.62)
        if high_a - low_a > 1.2 * size
    ] or [shapely.Point((low_a + high_a) / 2, (low_b + high_b) / 2).buffer(0.36 * size, quad_segs=4)]
    inside = shape.buffer(-0.012, quad_segs=3)
    daylight = shape.difference(shape.buffer(-0.014, quad_segs=3)).intersection(
        shapely.box(low_a, low_b, high_a, low_b + 0.5 * (high_b - low_b))
    )
    return [
        Region(shape, finishes.BEZEL),
        Region(daylight, lens),
        *[Region(eye.intersection(inside), lens) for eye in eyes],
        *[
            Region(
                eye.buffer(-0.16 * size, quad_segs=4).intersection(inside),
                finishes.REFLECTOR if lens is finishes.LENS else lens,
            )
            for eye in eyes
        ],
    ]


def tail_shape(shell: Shell, exterior: Exterior) -> Any:
    """Outline of the right tail lamp on the flank's chart."""
    t, ring = exterior.tail, shell.ring
    assert t is not None
    inner, outer = float(ring.rear_at(t.inner_y)), float(ring.side(-shell.plan.at(t.reach)))
    return shell.wrapped([(outer, t.outer_low), (outer, t.outer_high), (inner, t.high), (inner, t.low)], 0.014)


def _tail_lamp(shell: Shell, exterior: Exterior, red: Material) -> list[Region]:
    t = exterior.tail
    if t is None:
        return []
    shape = tail_shape(shell, exterior)
    low_a, low_b, high_a, high_b = shape.bounds
    regions = []
    if t.full_width:
        bar = shapely.box(0, t.high - 0.05, t.inner_y + 0.05, t.high - 0.015)
        regions.append(Region(shell.from_rear(bar), red))
    regions.append(Region(shape.buffer(0.006, quad_segs=3), finishes.BEZEL))
    regions.append(Region(shape, red))
    bright = finishes.TAIL_BRIGHT if red is finishes.TAIL else red
    middle = (low_b + high_b) / 2
    regions.append(
        Region(shape.buffer(-0.02, quad_segs=3).intersection(shapely.box(low_a, middle, high_a, high_b)), bright)
    )
    upright = high_b - low_b > high_a - low_a
    foot = low_b + (0.3 if upright else 0.4) * (high_b - low_b)
    amber = shape.buffer(-0.018, quad_segs=3).intersection(
        shapely.box(low_a, low_b, high_a if upright else (low_a + high_a) / 2, foot)
    )
    regions.append(Region(amber, finishes.AMBER))
    return regions


def front(shell: Shell, exterior: Exterior) -> list[Region]:
    """Grille and lower intake."""
    regions = []
    if exterior.intake is not None:
        half, low, high = exterior.intake
        shape = rounded(shapely.box(-1, low, half, high), 0.03).intersection(shapely.box(0, 0, 2, 3))
        regions.append(Region(shell.from_front(shape), finishes.TRIM))
    g = exterior.grille
    if g is None:
        return regions
    outline = shapely.Polygon(
        [(-g.half_bottom, g.low), (g.half_bottom, g.low), (g.half_top, g.high), (-g.half_top, g.high)]
    )
    outline = rounded(outline, min(0.035, 0.3 * (g.high - g.low)))
    right = shapely.box(0, 0, 2, 3)
    if g.frame:
        regions.append(Region(shell.from_front(outline.buffer(0.016).intersection(right)), g.bar_material))
    regions.append(Region(shell.from_front(outline.intersection(right)), finishes.GAP))
    for k in range(g.bars):
        share = (k + 0.5) / g.bars
        if g.upright:
            y = share * min(g.half_top, g.half_bottom)
            bar = shapely.box(y - 0.014, g.low, y + 0.014, g.high)
        else:
            z = g.low + share * (g.high - g.low)
            bar = shapely.box(-1, z - 0.007, 1, z + 0.007)
        regions.append(Region(shell.from_front(bar.intersection(outline).intersection(right)), g.bar_material))
    return regions


def rear(shell: Shell, exterior: Exterior) -> list[Region]:
    """Lower diffuser, boot shut line and the recess of the number plate; nothing on a cab, whose rear is hidden."""
    plan = shell.plan
    if exterior.tail is None:
        return []
    low = plan.clearance + plan.rear_skirt
    valance = rounded(shapely.box(-1, 0, 0.62 * plan.width / 2, low + 0.13), 0.02).intersection(shapely.box(0, 0, 2, 3))
    plate = exterior.plate_z[1]
    recess = rounded(shapely.box(-1, plate - 0.085, 0.33, plate + 0.085), 0.02).intersection(shapely.box(0, 0, 2, 3))
    seam_z = min(plate, exterior.tail.low) - 0.12
    seam = shapely.LineString(
        [
            (0, seam_z),
            (0.6 * plan.width / 2, seam_z),
            (0.66 * plan.width / 2, exterior.tail.high),
            (0.66 * plan.width / 2, 3),
        ]
    )
    mapped = shapely.transform(
        shapely.segmentize(seam, 0.05), lambda c: shell.on_flank(shell.ring.rear_at(c[:, 0]), c[:, 1])
    )
    return [
        Region(shell.from_rear(valance), finishes.TRIM),
        Region(mapped.buffer(_GAP_M / 2, cap_style="flat"), finishes.GAP),
        Region(shell.from_rear(recess), finishes.GAP),
    ]


def flank_extras(shell: Shell, exterior: Exterior) -> list[Region]:
    """Black cladding, two-tone paint, stripes and the fuel flap."""
    plan = shell.plan
    height, end = shell.flank_height, float(shell.ring.arc[-1])
    regions = []
    if exterior.two_tone is not None:
        chart = shapely.box(0, 0, end, height)
        rim = [(a, min(float(shell.on_flank(a, exterior.two_tone_z)[1]), height)) for a in np.linspace(0, end, 60)]
        upper = shapely.Polygon([*rim, (end, height + 0.01), (0, height + 0.01)])
        regions.append(Region(upper.intersection(chart), exterior.two_tone))
    if exterior.stripe is not None:
        z = 0.5 * (plan.clearance + plan.belt_z)
        box = shapely.box(plan.at(plan.length - 0.3), z - 0.05, plan.at(0.3), z + 0.05)
        regions.append(Region(shell.from_side(box), exterior.stripe))
    if exterior.cladding or exterior.black_arches:
        regions.append(Region(shell.arches.buffer(0.05), finishes.TRIM))
    if exterior.cladding:
        regions.append(Region(shapely.box(0, 0, end, 0.16 * height), finishes.TRIM))
    if exterior.black_bumpers:
        front_end, rear_end = float(shell.ring.side(plan.at(0.35))), float(shell.ring.side(-plan.at(0.35)))
        regions.append(Region(shapely.box(0, 0, front_end, 0.4 * height), finishes.TRIM))
        regions.append(Region(shapely.box(rear_end, 0, end, 0.4 * height), finishes.TRIM))
    return regions


def fuel_flap(shell: Shell) -> list[Region]:
    """The fuel flap's outline over the rear wheel."""
    plan = shell.plan
    if plan.single_axle:
        return []
    z = min(plan.wheel_radius + plan.arch_radius + 0.11, float(plan.shoulder_line(plan.rear_axle)) - 0.12)
    x = plan.rear_axle - 0.16
    ring = rounded(shapely.box(x - 0.08, z - 0.08, x + 0.08, z + 0.08), 0.03)
    return [Region(shell.from_side(ring.difference(ring.buffer(-_GAP_M))), finishes.GAP)]


def decks(shell: Shell, exterior: Exterior) -> list[Region]:
    """Bonnet shut line, black scuttle before the windscreen, boot shut line."""
    plan, ring = shell.plan, shell.ring
    cowl = float(ring.side(plan.at(plan.cowl)))
    nose = float(ring.side(plan.at(0.28)))
    regions = []
    if plan.cowl > 0.5:
        scuttle = float(ring.side(plan.at(plan.cowl - 0.06)))
        back = float(ring.side(plan.at(plan.cowl + 0.35)))
        regions.append(Region(shapely.box(scuttle, 0.13, back, 1.0), finishes.TRIM))
        line = shapely.LineString([(nose, 0.11), (cowl - 0.04, 0.13)])
        regions.append(Region(line.buffer(0.006, cap_style="flat"), finishes.GAP))
    if exterior.two_tone is not None:
        regions.insert(0, Region(shapely.box(0, 0, float(ring.arc[-1]), 1), exterior.two_tone))
    if plan.length - plan.backlight > 0.3:
        lid = float(ring.side(plan.at(plan.backlight - 0.02)))
        tail = float(ring.side(plan.at(plan.length - 0.1)))
        line = shapely.LineString([(lid, 0.16), (tail, 0.16)])
        regions.append(Region(line.buffer(0.006, cap_style="flat"), finishes.GAP))
    return regions


def chrome_belt(shell: Shell, panes: Panes) -> list[Region]:
    """A bright strip under the side windows."""
    band = _side_band(shell, panes)
    if band is None:
        return []
    low_a, low_b, high_a, _ = band.bounds
    return [Region(shapely.box(low_a - 0.02, low_b - 0.03, high_a + 0.02, low_b - 0.008), finishes.CHROME)]


def centre(shape: Any, shell: Shell) -> Points:
    """The point in space at a chart shape's middle."""
    p = shape.representative_point() if not shape.contains(shape.centroid) else shape.centroid
    return np.asarray(shell.flank.lift(np.array([p.x]), np.array([p.y]))[0])
