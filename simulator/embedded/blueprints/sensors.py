"""Sensor blueprints of CARLA 0.9.16 that this server supports, with all their attributes in CARLA."""

from __future__ import annotations

from collections.abc import Mapping

from caos.assets.street.blueprints import Attribute, Blueprint, variation
from caos.simulator.lens import LENS_MODELS

_ROLES = ("front", "back", "left", "right", "front_left", "front_right", "back_left", "back_right")


def common(*roles: str) -> tuple[Attribute, ...]:
    """Attributes that every actor has."""
    return (
        variation("role_name", "string", *(roles or ("default",))),
        variation("ros_name", "string", ""),
        variation("ros_frame_id", "string", ""),
        variation("ros_publish_tf", "bool", "true"),
    )


def _floats(**values: str) -> tuple[Attribute, ...]:
    return tuple(variation(name, "float", value) for name, value in values.items())


_TICK = variation("sensor_tick", "float", "0.0")
_SEED = variation("noise_seed", "int", "0")

_PICTURE = (
    variation("image_size_x", "int", "800"),
    variation("image_size_y", "int", "600"),
    *_floats(
        fov="90.0",
        lens_circle_falloff="5.0",
        lens_circle_multiplier="0.0",
        lens_k="-1.0",
        lens_kcube="0.0",
        lens_x_size="0.08",
        lens_y_size="0.08",
    ),
)
_LENS = (
    variation("lens_model", "string", *LENS_MODELS, restricted=True),
    variation("lens_coefficients", "string", ""),
)
"""Additional attributes: a real server's cameras lack them, by which clients detect support."""
_HIDING = (variation("hidden_role", "string", ""),)
"""Additional attribute: the image leaves out actors with this ``role_name``, their shadows and reflections."""

_PHOTOGRAPH = (
    variation("exposure_mode", "string", "histogram", "manual", restricted=True),
    *_floats(exposure_compensation="0.0", shutter_speed="200.0", iso="100.0", fstop="1.4"),
    variation("enable_postprocess_effects", "bool", "true"),
    *_floats(
        gamma="2.2",
        motion_blur_intensity="0.45",
        motion_blur_max_distortion="0.35",
        lens_flare_intensity="0.1",
        bloom_intensity="0.675",
        motion_blur_min_object_screen_size="0.1",
        exposure_min_bright="10.0",
        exposure_max_bright="12.0",
        exposure_speed_up="3.0",
        exposure_speed_down="1.0",
        calibration_constant="16.0",
        focal_distance="1000.0",
        min_fstop="1.2",
    ),
    variation("blade_count", "int", "5"),
    *_floats(
        blur_amount="1.0",
        blur_radius="0.0",
        slope="0.88",
        toe="0.55",
        shoulder="0.26",
        black_clip="0.0",
        white_clip="0.04",
        temp="6500.0",
        tint="0.0",
        chromatic_aberration_intensity="0.0",
        chromatic_aberration_offset="0.0",
    ),
)

_EVENTS = (
    *_floats(
        positive_threshold="0.3",
        negative_threshold="0.3",
        sigma_positive_threshold="0.0",
        sigma_negative_threshold="0.0",
    ),
    variation("refractory_period_ns", "int", "0"),
    variation("use_log", "bool", "true"),
    variation("log_eps", "float", "0.001"),
)

_BEAMS = (
    variation("channels", "int", "32"),
    variation("range", "float", "10.0"),
    variation("points_per_second", "int", "56000"),
    *_floats(rotation_frequency="10.0", upper_fov="10.0", lower_fov="-30.0"),
)
_RECEIVER = (
    *_floats(atmosphere_attenuation_rate="0.004"),
    _SEED,
    *_floats(
        dropoff_general_rate="0.45",
        dropoff_intensity_limit="0.8",
        dropoff_zero_intensity="0.4",
        noise_stddev="0.0",
    ),
)
_SWEEP = _floats(horizontal_fov="360.0")

_GNSS = (
    _SEED,
    *_floats(
        noise_lat_stddev="0.0",
        noise_lat_bias="0.0",
        noise_lon_stddev="0.0",
        noise_lon_bias="0.0",
        noise_alt_stddev="0.0",
        noise_alt_bias="0.0",
    ),
)
_IMU = (
    _SEED,
    *_floats(
        **{f"noise_{kind}_{axis}": "0.0" for kind in ("accel_stddev", "gyro_stddev", "gyro_bias") for axis in "xyz"}
    ),
)
_RADAR = (
    *_floats(horizontal_fov="30", vertical_fov="30", range="100"),
    variation("points_per_second", "int", "1500"),
    _SEED,
)
_OBSTACLE = (
    *_floats(distance="5.0", hit_radius="0.5"),
    variation("only_dynamics", "bool", "false"),
    variation("debug_linetrace", "bool", "false"),
)

_SIDES = common(*_ROLES)

_ANY = (-1e6, 1e6)
LIMITS: dict[str, tuple[float, float]] = {
    "sensor_tick": (0.0, 1e4),
    "noise_seed": (-(2.0**53), 2.0**53),
    "exposure_compensation": (-40.0, 40.0),
    "shutter_speed": (1e-3, 1e6),
    "iso": (1e-2, 1e6),
    "fstop": (1e-2, 1e3),
    "gamma": (0.1, 20.0),
    "positive_threshold": (0.01, 1e6),
    "negative_threshold": (0.01, 1e6),
    "sigma_positive_threshold": (0.0, 1e6),
    "sigma_negative_threshold": (0.0, 1e6),
    "refractory_period_ns": (0, 2.0**53),
    "log_eps": (1e-9, 1e6),
    "channels": (1, 1024),
    "points_per_second": (1, 40_000_000),
    "range": (1e-3, 1e4),
    "rotation_frequency": (1e-3, 1e4),
    "upper_fov": (-90.0, 90.0),
    "lower_fov": (-90.0, 90.0),
    "horizontal_fov": (0.1, 360.0),
    "vertical_fov": (0.1, 179.0),
    "atmosphere_attenuation_rate": (0.0, 1e3),
    "dropoff_general_rate": (0.0, 1.0),
    "dropoff_intensity_limit": (0.0, 1.0),
    "dropoff_zero_intensity": (0.0, 1.0),
    "distance": (1e-3, 1e4),
    "hit_radius": (0.0, 1e3),
}
"""Minimum and maximum of sensor attributes; unlisted numbers are limited to a million."""


def out_of_limits(blueprint: str, values: Mapping[str, str]) -> str | None:
    """Return the problem of a sensor's attributes, or None; invalid sensors are refused when they are spawned."""
    numbers = {a.id for b in SENSOR_BLUEPRINTS if b.id == blueprint for a in b.attributes if a.type in ("int", "float")}
    for name in sorted(numbers & values.keys()):
        low, high = LIMITS.get(name, _ANY)
        if name == "horizontal_fov" and blueprint.endswith("radar"):
            high = LIMITS["vertical_fov"][1]
        if not low <= float(values[name].rstrip("f")) <= high:
            return f"{name}={values[name][:40]} is outside {low:g}..{high:g}"
    return None


SENSOR_BLUEPRINTS: tuple[Blueprint, ...] = (
    Blueprint("sensor.camera.rgb", (*_SIDES, _TICK, *_PICTURE, *_LENS, *_PHOTOGRAPH, *_HIDING)),
    Blueprint("sensor.camera.semantic_segmentation", (*_SIDES, _TICK, *_PICTURE, *_LENS)),
    Blueprint("sensor.camera.instance_segmentation", (*_SIDES, _TICK, *_PICTURE, *_LENS)),
    Blueprint("sensor.camera.depth", (*_SIDES, _TICK, *_PICTURE, *_LENS)),
    Blueprint("sensor.camera.normals", (*_SIDES, _TICK, *_PICTURE, *_LENS)),
    Blueprint("sensor.camera.optical_flow", (*_SIDES, _TICK, *_PICTURE)),
    Blueprint("sensor.camera.dvs", (*_SIDES, _TICK, *_PICTURE, *_PHOTOGRAPH, *_EVENTS)),
    Blueprint("sensor.camera.cosmos_visualization", (*_SIDES, _TICK, *_PICTURE)),
    Blueprint("sensor.lidar.ray_cast", (*_SIDES, _TICK, *_BEAMS, *_RECEIVER, *_SWEEP)),
    Blueprint("sensor.lidar.ray_cast_semantic", (*_SIDES, _TICK, *_BEAMS, *_SWEEP)),
    Blueprint("sensor.other.collision", _SIDES),
    Blueprint("sensor.other.gnss", (*common(), _TICK, *_GNSS)),
    Blueprint("sensor.other.imu", (*common(), _TICK, *_IMU)),
    Blueprint("sensor.other.lane_invasion", _SIDES),
    Blueprint("sensor.other.obstacle", (*_SIDES, _TICK, *_OBSTACLE)),
    Blueprint("sensor.other.radar", (*common(), _TICK, *_RADAR)),
)
