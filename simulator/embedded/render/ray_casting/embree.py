"""Embree scenes for ray casting, by embreex: one mesh, or many meshes placed in one scene.

embreex offers no instances, and casting shadow rays at each moving mesh in turn costs a quarter more per frame. So
instances are added by the C interface of the Embree library that embreex brings along, which needs the Embree handle
inside embreex's objects. Where embreex is of another minor release than ``_RELEASE``, or its objects have another size,
:func:`placed_scene` returns None, and rays are cast at one mesh after the other; both ways give the same hits.
"""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any, Final

import numpy as np
from embreex import rtcore, rtcore_scene
from embreex.mesh_construction import TriangleMesh
from embreex.rtcore_scene import EmbreeScene
from numpy.typing import NDArray

_RELEASE: Final = "4.4."
"""Of the embreex whose objects are known to be laid out as ``_LAYOUT`` says."""
_LAYOUT: Final = {EmbreeScene: 3, rtcore.EmbreeDevice: 1}
"""Words in embreex's objects, by the declarations (.pxd) that it ships; the first word is Embree's handle."""
_INSTANCE, _COLUMNS_4X4 = 121, 0x9244
_ONE_DEVICE = threading.Lock()


def scene_of(vertices: NDArray[np.float32], faces: NDArray[np.int32]) -> Any:
    """Build a scene of triangles ``(m, 3)`` between ``vertices`` ``(n, 3)``, ready for rays from several threads."""
    scene = EmbreeScene(_device())
    TriangleMesh(scene, vertices, faces)
    _build(scene)
    return scene


def placed_scene(scenes: Sequence[tuple[Any, NDArray[np.float64]]]) -> Any | None:
    """Build one scene of instances, which share the search trees of their scenes.

    Args:
        scenes: Scenes of :func:`scene_of`, each with its matrix world-from-scene ``(4, 4)``.

    Returns:
        The scene, or None where instances cannot be added to this embreex.
    """
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
    _build(out)
    return out


def _build(scene: Any) -> None:
    """Cast a ray, which builds the search tree; afterwards several threads may cast."""
    scene.run(np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32))


def _device() -> Any:
    """Return the one device of all threads: only scenes of one device can be placed in another."""
    with _ONE_DEVICE:
        return _made_device()


@functools.cache
def _made_device() -> Any:
    return rtcore.EmbreeDevice()


@functools.cache
def _library() -> ctypes.CDLL | None:
    """Load Embree's C interface, or return None where embreex's objects are not known to hold Embree's handles."""
    word = ctypes.sizeof(ctypes.c_void_p)
    if not version("embreex").startswith(_RELEASE):
        return None
    if any(kind.__basicsize__ != object.__basicsize__ + words * word for kind, words in _LAYOUT.items()):
        return None
    library = ctypes.CDLL(rtcore_scene.__file__)
    handle, number = ctypes.c_void_p, ctypes.c_uint
    calls = {
        "rtcNewGeometry": (handle, [handle, number]),
        "rtcSetGeometryInstancedScene": (None, [handle, handle]),
        "rtcSetGeometryTransform": (None, [handle, number, number, handle]),
        "rtcCommitGeometry": (None, [handle]),
        "rtcAttachGeometry": (number, [handle, handle]),
        "rtcReleaseGeometry": (None, [handle]),
    }
    try:
        for name, (result, arguments) in calls.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except AttributeError:  # this system does not resolve symbols in the libraries that a library needs
        return None
    return library


def _handle(of: Any) -> ctypes.c_void_p:
    """Read Embree's handle from an embreex object."""
    return ctypes.c_void_p.from_address(id(of) + object.__basicsize__)
