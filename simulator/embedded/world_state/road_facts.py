"""Road facts from an OpenDRIVE text: speed limits and geographic position, read with CARLA's own map code."""

from __future__ import annotations

import functools
from typing import Any
from xml.etree import ElementTree as ET

from caos.simulator.embedded.protocol.wire import Vector

DEFAULT_KMH = 30.0
_TO_KMH = {"km/h": 1.0, "mph": 1.609344, "m/s": 3.6}


class RoadFacts:
    """The road network of a town; the text is parsed on first use."""

    def __init__(self, name: str, opendrive: str) -> None:
        self._name, self._opendrive = name, opendrive

    @functools.cached_property
    def _map(self) -> Any:
        import carla

        return carla.Map(self._name, self._opendrive)

    @functools.cached_property
    def _limits(self) -> dict[int, float]:
        limits = {}
        # The text has been parsed as a map before: it comes from a town or was validated on arrival.
        for road in ET.fromstring(self._opendrive).iter("road"):  # noqa: S314
            speed = road.find("type/speed")
            if speed is not None and speed.get("max", "").replace(".", "", 1).isdigit():
                limits[int(road.get("id", "-1"))] = float(speed.get("max", "0")) * _TO_KMH.get(
                    speed.get("unit", "m/s"), 3.6
                )
        return limits

    def speed_limit_kmh(self, place: Vector) -> float:
        """Speed limit of the road at a location."""
        import carla

        waypoint = self._map.get_waypoint(carla.Location(*place))
        return DEFAULT_KMH if waypoint is None else self._limits.get(waypoint.road_id, DEFAULT_KMH)

    def geolocation(self, place: Vector) -> tuple[float, float, float]:
        """Latitude and longitude in degrees, and altitude in metres."""
        import carla

        geo = self._map.transform_to_geolocation(carla.Location(*place))
        return geo.latitude, geo.longitude, geo.altitude
