"""Sky, sun, clouds, fog and rain: physical plausibility and determinism."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from caos.simulator.embedded.render.path_tracing.lights import SUN_RADIUS, sun_disc
from caos.simulator.embedded.render.path_tracing.materials import Wet
from caos.simulator.embedded.render.sky_light.atmosphere import add_rain, drops, extinction, transmittance
from caos.simulator.embedded.render.sky_light.clouds import cloud_layer
from caos.simulator.embedded.render.sky_light.daylight import sun_beam
from caos.simulator.embedded.render.sky_light.sky import directions, irradiance, make_sky, sun_direction
from caos.simulator.weather import PRESETS, Weather

ROWS = 96


def test_a_uniform_sky_of_radiance_one_gives_an_irradiance_of_pi() -> None:
    view = directions(ROWS)[: ROWS // 2]
    assert irradiance(np.ones((ROWS // 2, 2 * ROWS, 3)), view) == pytest.approx(np.full(3, np.pi), rel=1e-3)


def test_sun_direction_follows_the_weather() -> None:
    assert sun_direction(Weather(sun_altitude_angle=90)) == pytest.approx([0, 0, 1], abs=1e-9)
    assert sun_direction(Weather(sun_altitude_angle=0, sun_azimuth_angle=90)) == pytest.approx([0, 1, 0], abs=1e-9)
    weather = Weather(cloudiness=0, sun_altitude_angle=40, sun_azimuth_angle=130, fog_density=0)
    sky = make_sky(weather, ROWS)
    row, column = np.unravel_index(sky.image.mean(-1).argmax(), sky.image.shape[:2])
    assert directions(ROWS)[row, column] @ sun_direction(weather) > np.cos(np.radians(3))


def test_a_clear_noon_is_blue_above_and_a_low_sun_is_warm() -> None:
    noon = make_sky(Weather(cloudiness=0, sun_altitude_angle=60, fog_density=0), ROWS)
    top = noon.image[ROWS // 10].mean(0)
    assert top[2] > 1.5 * top[0]
    assert noon.ambient.mean() == pytest.approx(3.4, abs=0.6)
    low = make_sky(Weather(cloudiness=0, sun_altitude_angle=5, fog_density=0), ROWS)
    assert low.sun_irradiance[0] > 1.8 * low.sun_irradiance[2]
    assert low.ambient.mean() < 0.4 * noon.ambient.mean()


def test_clouds_cover_what_they_should_and_hide_the_sun() -> None:
    view = directions(ROWS)[: ROWS // 3].reshape(-1, 3)
    sun = np.array([0.6, 0.0, 0.8])
    shares = [float((cloud_layer(view, sun, cover, 0)[0] > 0.5).mean()) for cover in (0.1, 0.5, 0.9)]
    assert shares[0] < 0.2 < shares[1] < 0.75 < shares[2]
    clear, gray = (make_sky(Weather(cloudiness=c, fog_density=0), ROWS) for c in (0, 100))
    assert gray.sun_irradiance.max() == 0
    assert 0.1 < gray.ambient.mean() / clear.ambient.mean() < 0.6
    overcast = gray.image[: ROWS // 2].reshape(-1, 3).mean(0)
    assert overcast.max() / overcast.min() < 1.25


def test_it_gets_darker_until_night() -> None:
    levels = [make_sky(Weather(sun_altitude_angle=a), ROWS).ambient.mean() for a in (60, 20, 5, 0, -3, -8, -30)]
    assert all(a > b or b < 0.05 for a, b in pairwise(levels)), levels
    assert levels[-1] < 0.05
    assert make_sky(Weather(sun_altitude_angle=-30), ROWS).night == 1.0


def test_skies_are_finite_and_the_same_each_time() -> None:
    for name, weather in PRESETS.items():
        first, second = make_sky(weather, ROWS), make_sky(weather, ROWS)
        assert np.isfinite(first.image).all(), name
        assert first.image.min() >= 0, name
        assert np.array_equal(first.image, second.image), name


def test_the_beam_reddens_with_air_mass() -> None:
    high, low = sun_beam(1.0, 2.5), sun_beam(np.sin(np.radians(4)), 2.5)
    assert high[2] / high[0] > 0.8
    assert low[2] / low[0] < 0.4
    assert sun_beam(0.0, 2.5).max() == 0


def test_the_suns_disc_is_small_and_centred() -> None:
    center = np.array([0.3, -0.5, 0.81])
    center /= np.linalg.norm(center)
    points = sun_disc(center)
    assert np.arccos(np.clip(points @ center, -1, 1)).max() < SUN_RADIUS * 1.01
    assert points.mean(0) @ center > 0.9999


def test_fog_thickens_with_density_and_thins_with_height() -> None:
    assert extinction(Weather(fog_density=0)) == 0
    assert extinction(Weather(fog_density=30)) < extinction(Weather(fog_density=60))
    thick = Weather(fog_density=60, fog_distance=0, fog_falloff=0.1)
    level = np.zeros(2, np.float32)
    near, far = transmittance(np.array([10.0, 90.0], np.float32), 1.6, level, thick)
    assert near > 0.6
    assert far < 0.08
    up = np.array([0.5], np.float32)
    endless = np.array([np.inf], np.float32)
    low_fog = transmittance(endless, 1.6, up, replace(thick, fog_falloff=5.0))
    assert low_fog[0] > transmittance(endless, 1.6, up, thick)[0]
    started = transmittance(np.array([10.0], np.float32), 1.6, level[:1], replace(thick, fog_distance=10.0))
    assert started[0] > 0.99


def test_rain_falls_by_amount_and_seed() -> None:
    sky = make_sky(PRESETS["rain"], ROWS)
    gray = np.full((90, 160, 3), 0.05, np.float32)

    def rained_on(precipitation: float, seed: int = 0) -> NDArray[np.float32]:
        weather = replace(PRESETS["rain"], precipitation=precipitation)
        return add_rain(gray, drops((90, 160), weather, seed), sky)

    assert drops((90, 160), PRESETS["clear"], 0) is None
    assert np.array_equal(rained_on(0), gray)
    light, heavy = rained_on(20), rained_on(90)
    assert np.abs(heavy - gray).mean() > 2 * np.abs(light - gray).mean() > 0
    assert np.array_equal(heavy, rained_on(90))
    assert not np.array_equal(heavy, rained_on(90, seed=1))


def test_quick_rain_is_one_sheet_of_drops_shifted() -> None:
    one, two = (drops((90, 160), PRESETS["rain"], seed, quick=True) for seed in (1, 2))
    assert one is not None
    assert two is not None
    assert not np.array_equal(one, two)
    assert np.array_equal(np.sort(one.ravel()), np.sort(two.ravel()))


def test_wetness_follows_the_weather() -> None:
    assert Wet.of(PRESETS["clear"]).dry
    rain = Wet.of(PRESETS["rain"])
    assert rain.film == 1.0
    assert rain.puddles == pytest.approx(0.8)


def test_clear_air_fades_distant_surfaces_but_not_the_sky() -> None:
    clear, level = Weather(cloudiness=0, fog_density=0), np.zeros(3, np.float32)
    near, far, farther = transmittance(np.array([20, 300, 1500], np.float32), 1.6, level, clear)
    assert near > 0.99
    assert 0.9 < far < 0.95
    assert 0.65 < farther < 0.75
    up = np.array([0.3], np.float32)
    assert transmittance(np.array([np.inf], np.float32), 1.6, up, clear)[0] > 0.88
