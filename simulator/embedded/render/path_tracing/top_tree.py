"""The tree over all instances of a Mitsuba scene, built anew without those of the meshes.

When an instance moves, Mitsuba 3.9 builds the search trees of all meshes anew, hundreds of thousands of triangles, and
then the tree over the instances, a thousand boxes. Here an instance is moved, and that one tree built, by the interface
of the very Embree that Mitsuba brings along: rays meet what they would after Mitsuba's own update, to the last bit.

Mitsuba offers no public way to do so. Its own update costs 0.2 seconds of CPU time in a town with 20,000 triangles that
move: a tenth of a standard 1280x720 frame, a quarter of a draft one. Embree's scene is the first member of a Mitsuba
scene, as its headers say, and the numbers of its geometries are the second. For any other Mitsuba than ``_RELEASE``, or
where the memory does not look like that, :func:`top_tree` returns None, and Mitsuba's own update is used.
"""

from __future__ import annotations

import ctypes
import functools
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_HOLDS: Final = 48
"""Bytes of a scene before what it holds: those that every Mitsuba object has."""
_RELEASE: Final = "3.9."
"""Of the Mitsuba whose scenes are known to be arranged like that."""
_COLUMNS_4X4: Final = 0x9244
_HANDLE, _NUMBER = ctypes.c_void_p, ctypes.c_uint
_CALLS: Final = {
    "_ZN7mitsuba14rtcGetGeometryEPNS_10RTCSceneTyEj": (_HANDLE, [_HANDLE, _NUMBER]),
    "_ZN7mitsuba23rtcSetGeometryTransformEPNS_13RTCGeometryTyEjNS_9RTCFormatEPKv": (
        None,
        [_HANDLE, _NUMBER, _NUMBER, _HANDLE],
    ),
    "_ZN7mitsuba17rtcCommitGeometryEPNS_13RTCGeometryTyE": (None, [_HANDLE]),
    "_ZN7mitsuba14rtcCommitSceneEPNS_10RTCSceneTyE": (None, [_HANDLE]),
}


class TopTree:
    """The instances of one scene, by name; use :func:`top_tree`."""

    def __init__(self, mi: ModuleType, scene: Any, embree: int, calls: list[Any]) -> None:
        self._mi, self._embree = mi, embree
        self._find, self._place, self._commit, self._build = calls
        self._instances = {shape.id(): (number, shape) for number, shape in enumerate(scene.shapes())}

    def move(self, places: Mapping[str, NDArray[np.float64]]) -> None:
        """Bring instances to other places, each by a matrix ``(4, 4)``."""
        for name, matrix in places.items():
            number, instance = self._instances[name]
            values = self._mi.traverse(instance)
            values["to_world"] = self._mi.ScalarTransform4f(np.asarray(matrix, np.float64))
            values.update()
            columns = np.ascontiguousarray(np.asarray(matrix).T, np.float32)
            geometry = self._find(self._embree, number)
            self._place(geometry, 0, _COLUMNS_4X4, columns.ctypes.data)
            self._commit(geometry)
        self._build(self._embree)


def top_tree(mi: ModuleType, scene: Any) -> TopTree | None:
    """Return the tree over the instances of ``scene``, or None where Mitsuba's own update has to be used."""
    calls = _calls(mi)
    if calls is None or mi.variant() != "scalar_rgb" or not mi.__version__.startswith(_RELEASE):
        return None
    embree, first, end, room = (ctypes.c_size_t * 4).from_address(scene.ptr + _HOLDS)
    count = len(scene.shapes())
    if not embree or not first or not count or end - first != count * ctypes.sizeof(ctypes.c_int) or room < end:
        return None
    if list((ctypes.c_int * count).from_address(first)) != list(range(count)):
        return None
    return TopTree(mi, scene, embree, calls)


@functools.cache
def _calls(mi: ModuleType) -> list[Any] | None:
    """Embree's functions, if Mitsuba's own Embree has them under these names."""
    try:
        library = ctypes.CDLL(str(Path(str(mi.__file__)).parent / "libembree3.so"))
        found = [getattr(library, name) for name in _CALLS]
    except (OSError, AttributeError):
        return None
    for function, (result, arguments) in zip(found, _CALLS.values(), strict=True):
        function.restype, function.argtypes = result, arguments
    return found
