"""Ray-based sensors: lidar, semantic lidar, radar and the obstacle detector."""

from __future__ import annotations

import struct

import msgpack
import numpy as np
from numpy.typing import NDArray

from caos.simulator.embedded.protocol.streams import Message
from caos.simulator.embedded.render.description import Hits
from caos.simulator.embedded.sensors.job import LIDAR, OBSTACLE, RADAR, SEMANTIC_LIDAR, SensorJob, Surroundings
from caos.simulator.embedded.world_state.shared_renderer import SharedRenderer

Floats = NDArray[np.float64]
MAX_POINTS = 4_000_000
_SEMANTIC_POINT = np.dtype([("xyz", "<f4", 3), ("cos", "<f4"), ("index", "<u4"), ("tag", "<u4")])


def scan(job: SensorJob, renderer: SharedRenderer, around: Surroundings) -> Message | None:
    """Measure one step of a lidar's rotation, swept as in CARLA."""
    channels = int(job.values["channels"])
    steps = round(job.number("points_per_second") * job.delta_s / channels)
    steps = min(steps, MAX_POINTS // channels)
    if steps <= 0:
        return None
    fov, start = job.number("horizontal_fov"), float(job.sensor.memory.get("angle_deg", 0.0))
    turn = job.number("rotation_frequency") * fov * job.delta_s
    yaw = np.mod(start + turn / steps * np.arange(steps), fov) - fov / 2
    pitch = _beams(job, channels)
    angle = (start + turn) % fov
    job.sensor.memory["angle_deg"] = angle
    local = _directions(np.repeat(pitch, steps), np.tile(yaw, channels))
    channel = np.repeat(np.arange(channels), steps)
    semantic = job.sensor.type_id.endswith("semantic")
    if not semantic:
        kept = _fired(job, len(local))
        local, channel = local[kept], channel[kept]
    matrix = job.pose.matrix
    world = local @ matrix[:3, :3].T
    hits = renderer.cast(around.snapshot, np.tile(matrix[:3, 3], (len(world), 1)), world)
    met = hits.distance <= job.number("range")
    local, channel, world = local[met], channel[met], world[met]
    distance = hits.distance[met].astype(np.float64)
    head = struct.pack("<fI", np.radians(start), channels)
    if semantic:
        labelled = _semantic(local * distance[:, None], world, hits, met, around)
        return job.header(SEMANTIC_LIDAR) + head + _counts(channel, channels), labelled.tobytes()
    points, seen = _received(job, local, distance)
    return job.header(LIDAR) + head + _counts(channel[seen], channels), points.tobytes()


def _beams(job: SensorJob, channels: int) -> Floats:
    upper, lower = job.number("upper_fov"), job.number("lower_fov")
    if channels == 1:
        return np.array([0.0])
    beams: Floats = upper - (upper - lower) / (channels - 1) * np.arange(channels, dtype=np.float64)
    return beams


def _directions(pitch_deg: Floats, yaw_deg: Floats) -> Floats:
    pitch, yaw = np.radians(pitch_deg), np.radians(yaw_deg)
    return np.stack([np.cos(pitch) * np.cos(yaw), np.cos(pitch) * np.sin(yaw), np.sin(pitch)], 1)


def _fired(job: SensorJob, count: int) -> NDArray[np.bool_]:
    """Mask of the rays that are cast: CARLA drops a share of them at random."""
    rate = job.number("dropoff_general_rate")
    assert job.sensor.rng is not None
    return job.sensor.rng.random(count) >= rate if rate > 0 else np.ones(count, bool)


def _received(job: SensorJob, directions: Floats, distance: Floats) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Points with their intensity, after noise and the loss of weak returns."""
    rng = job.sensor.rng
    assert rng is not None
    intensity = np.exp(-job.number("atmosphere_attenuation_rate") * distance)
    limit, at_zero = job.number("dropoff_intensity_limit"), job.number("dropoff_zero_intensity")
    noise = job.number("noise_stddev")
    if noise > 0:
        distance = distance + rng.normal(0.0, noise, len(distance))
    chance = 1.0 - at_zero + (at_zero / limit) * intensity if limit > 0 else np.ones_like(intensity)
    seen = (intensity > limit) | (rng.random(len(intensity)) < chance)
    points = np.concatenate([directions * distance[:, None], intensity[:, None]], 1)[seen]
    return points.astype("<f4"), seen


def _semantic(
    points: Floats, rays: Floats, hits: Hits, met: NDArray[np.bool_], around: Surroundings
) -> NDArray[np.void]:
    out = np.zeros(len(points), _SEMANTIC_POINT)
    out["xyz"] = points
    out["cos"] = -np.einsum("ij,ij->i", rays, hits.normal[met].astype(np.float64))
    ids = hits.instance_id[met]
    # Only actors have an index; objects of the town have none.
    known = np.array(sorted(around.records), np.uint32)
    out["index"] = np.where(np.isin(ids, known), ids, 0)
    out["tag"] = hits.tag[met]
    return out


def _counts(channel: NDArray[np.int64], channels: int) -> bytes:
    return np.bincount(channel, minlength=channels).astype("<u4").tobytes()


def sweep_radar(job: SensorJob, renderer: SharedRenderer, around: Surroundings) -> Message:
    """Return the detections of one frame: closing speed, azimuth, altitude, distance."""
    rng = job.sensor.rng
    assert rng is not None
    count = min(int(job.number("points_per_second") * job.delta_s), MAX_POINTS)
    radius, angle = rng.random(count), rng.uniform(0, 2 * np.pi, count)
    reach = job.number("range")
    wide, tall = (np.tan(np.radians(job.number(name) / 2)) for name in ("horizontal_fov", "vertical_fov"))
    ends = np.stack([np.ones(count), wide * radius * np.cos(angle), tall * radius * np.sin(angle)], 1)
    length = np.linalg.norm(ends, axis=1)
    matrix = job.pose.matrix
    world = (ends / length[:, None]) @ matrix[:3, :3].T
    hits = renderer.cast(around.snapshot, np.tile(matrix[:3, 3], (count, 1)), world)
    met = hits.distance <= reach * length
    velocity = np.array([around.velocities.get(int(i), (0.0, 0.0, 0.0)) for i in hits.instance_id[met]]).reshape(-1, 3)
    closing = np.einsum("ij,ij->i", velocity - np.array(job.parent_velocity), world[met])
    azimuth = np.arctan2(ends[met, 1], ends[met, 0])
    altitude = np.arctan2(ends[met, 2], np.hypot(ends[met, 0], ends[met, 1]))
    rows = np.stack([closing, azimuth, altitude, hits.distance[met]], 1).astype("<f4")
    return job.header(RADAR), rows.tobytes()


def detect_obstacle(job: SensorJob, renderer: SharedRenderer, around: Surroundings, parent: int) -> Message | None:
    """Return the nearest object ahead within the detector's radius, or None.

    The swept sphere is sampled by nine parallel rays: its axis and eight on its rim.
    """
    matrix = job.pose.matrix
    angle = np.arange(8) * np.pi / 4
    rim = job.number("hit_radius") * np.stack([np.zeros(8), np.cos(angle), np.sin(angle)], 1)
    offsets = np.concatenate([np.zeros((1, 3)), rim])
    origins = matrix[:3, 3] + offsets @ matrix[:3, :3].T
    dynamic_only = job.values["only_dynamics"].lower() in {"true", "1"}
    hit = _nearest(job, renderer, around, origins, matrix[:3, 0], parent, dynamic_only=dynamic_only)
    if hit is None:
        return None
    distance, instance, tag = hit
    other = around.records.get(instance) or static_record(tag)
    own = around.records.get(parent) or job.sensor.write()
    return job.header(OBSTACLE), msgpack.packb([own, other, distance], use_bin_type=True)


def _nearest(
    job: SensorJob,
    renderer: SharedRenderer,
    around: Surroundings,
    origins: Floats,
    forward: Floats,
    parent: int,
    *,
    dynamic_only: bool,
) -> tuple[float, int, int] | None:
    travelled, reach = np.zeros(len(origins)), job.number("distance")
    best: tuple[float, int, int] | None = None
    directions = np.tile(forward, (len(origins), 1))
    # Continue through the carrier's own body, and through the town if only actors count.
    for _ in range(8):
        hits = renderer.cast(around.snapshot, origins + directions * travelled[:, None], directions)
        distance = travelled + hits.distance
        actors = np.isin(hits.instance_id, list(around.records))
        passed = (hits.instance_id == parent) & (parent != 0) | (
            ~actors if dynamic_only else np.zeros(len(actors), bool)
        )
        valid = ~passed & (distance <= reach)
        if valid.any():
            k = int(np.flatnonzero(valid)[np.argmin(distance[valid])])
            if best is None or distance[k] < best[0]:
                best = float(distance[k]), int(hits.instance_id[k]), int(hits.tag[k])
        more = passed & (distance < reach)
        if not more.any():
            break
        travelled = np.where(more, distance + 1e-3, reach + 1.0)
    return best


def static_record(tag: int) -> list[object]:
    """Record that CARLA sends for an object of the town, which is not an actor: id 0 and a type from its tag."""
    from caos.simulator.semantic_tags import CURRENT

    names = {t.number: t.name.lower() for t in CURRENT.tags}
    kind = f"static.{names.get(tag, 'unknown')}"
    return [0, 0, [0, kind, []], [[0.0] * 3, [0.0] * 3, [0.0] * 3, 0], bytes([tag]), b""]
