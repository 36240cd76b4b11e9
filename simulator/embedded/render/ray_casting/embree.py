"""Embree: the way of large meshes into it, and many of them in one scene.

embreex casts rays at Embree's own speed, but copies a mesh through one Python object a number: seconds for a town. Here
the arrays are handed over whole, by the C interface of the very library that embreex brings along. Where that cannot be
reached, or another embreex keeps its scenes differently, embreex's own way is taken; the scene is the same.
"""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from embreex import rtcore, rtcore_scene
from embreex.mesh_construction import TriangleMesh
from embreex.rtcore_scene import EmbreeScene
from numpy.typing import NDArray

_LAYOUT: Final = {EmbreeScene: 3, rtcore.EmbreeDevice: 1}
"""How many words embreex's objects hold; by the declarations it is shipped with, the first is Embree's handle."""
_TRIANGLES, _INSTANCE = 0, 121
_INDEX_BUFFER, _VERTEX_BUFFER = 0, 1
_ONE_DEVICE = threading.Lock()
_UINT3, _FLOAT3, _COLUMNS_4X4 = 0x5003, 0x9003, 0x9244


def scene_of(vertices: NDArray[np.float32], faces: NDArray[np.int32]) -> Any:
    """A scene of triangles ``(m, 3)`` between ``vertices`` ``(n, 3)``, ready for rays from several threads."""
    device = _device()
    scene = EmbreeScene(device)
    if len(faces) and (library := _library()) is not None:
        _attach(library, device, scene, vertices, faces)
    else:
        TriangleMesh(scene, vertices, faces)
    # The first cast builds the search tree, if it is not built.
    scene.run(np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32))
    return scene


def placed_scene(scenes: Sequence[tuple[Any, NDArray[np.float64]]]) -> Any | None:
    """One scene of many, each at a place; it shares their search trees. None where embreex cannot be bypassed."""
    library = _library()
    if library is None:
        return None
    out = EmbreeScene(_device())
    for scene, world_from_scene in scenes:
        columns = np.ascontiguousarray(world_from_scene.T, np.float32)
        geometry = library.rtcNewGeometry(_handle(_device()), _INSTANCE)
        library.rtcSetGeometryInstancedScene(geometry, _handle(scene))
        library.rtcSetGeometryTransform(geometry, 0, _COLUMNS_4X4, columns.ctypes.data)
        library.rtcCommitGeometry(geometry)
        library.rtcAttachGeometry(_handle(out), geometry)
        library.rtcReleaseGeometry(geometry)
    out.run(np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32))
    return out


def _device() -> Any:
    """One device for all threads: only scenes of one device can be placed in another."""
    with _ONE_DEVICE:
        return _made_device()


@functools.cache
def _made_device() -> Any:
    return rtcore.EmbreeDevice()


@functools.cache
def _library() -> ctypes.CDLL | None:
    """Embree's C interface, if embreex can be bypassed."""
    word = ctypes.sizeof(ctypes.c_void_p)
    if any(kind.__basicsize__ != object.__basicsize__ + words * word for kind, words in _LAYOUT.items()):
        return None
    library = ctypes.CDLL(rtcore_scene.__file__)
    handle, number, size = ctypes.c_void_p, ctypes.c_uint, ctypes.c_size_t
    calls = {
        "rtcNewGeometry": (handle, [handle, number]),
        "rtcSetNewGeometryBuffer": (handle, [handle, number, number, number, size, size]),
        "rtcCommitGeometry": (None, [handle]),
        "rtcAttachGeometry": (number, [handle, handle]),
        "rtcReleaseGeometry": (None, [handle]),
        "rtcCommitScene": (None, [handle]),
        "rtcSetGeometryInstancedScene": (None, [handle, handle]),
        "rtcSetGeometryTransform": (None, [handle, number, number, handle]),
    }
    try:
        for name, (result, arguments) in calls.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except AttributeError:  # this system does not look for names in the libraries a library needs
        return None
    return library


def _attach(
    library: ctypes.CDLL, device: Any, scene: Any, vertices: NDArray[np.float32], faces: NDArray[np.int32]
) -> None:
    geometry = library.rtcNewGeometry(_handle(device), _TRIANGLES)
    _fill(library, geometry, (_VERTEX_BUFFER, _FLOAT3, ctypes.c_float), vertices)
    _fill(library, geometry, (_INDEX_BUFFER, _UINT3, ctypes.c_int32), faces)
    library.rtcCommitGeometry(geometry)
    library.rtcAttachGeometry(_handle(scene), geometry)
    library.rtcReleaseGeometry(geometry)
    # builds the search tree, as a first cast would; other threads run meanwhile
    library.rtcCommitScene(_handle(scene))


def _fill(library: ctypes.CDLL, geometry: int, kind: tuple[int, int, Any], values: NDArray[Any]) -> None:
    """Copy values ``(n, 3)`` into a new buffer of a geometry."""
    buffer, format_, number = kind
    row = 3 * ctypes.sizeof(number)
    place = library.rtcSetNewGeometryBuffer(geometry, buffer, 0, format_, row, len(values))
    if not place:
        raise MemoryError(f"no memory for {len(values)} rows of a mesh")
    np.ctypeslib.as_array(ctypes.cast(place, ctypes.POINTER(number)), (len(values), 3))[:] = values


def _handle(of: Any) -> ctypes.c_void_p:
    """Embree's handle of an embreex object."""
    return ctypes.c_void_p.from_address(id(of) + object.__basicsize__)
