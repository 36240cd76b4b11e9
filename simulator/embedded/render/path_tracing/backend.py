"""Mitsuba: choice and activation of its variant, its thread count, and errors that name a missing system package."""

from __future__ import annotations

import ctypes
import functools
import importlib
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from caos.foundation.command_line.extras import install_command
from caos.foundation.errors import CaosError, unknown
from caos.foundation.execution.children import code_command
from caos.foundation.execution.threads import threads

VARIANTS = ("scalar_rgb", "cuda_ad_rgb", "llvm_ad_rgb")


def check_libatomic() -> None:
    """Check that ``libatomic.so.1``, which Mitsuba's core needs, can be loaded.

    Raises:
        CaosError: If ``libatomic.so.1`` is missing; without it ``import mitsuba`` fails with a misleading NameError.
    """
    if not sys.platform.startswith("linux"):
        return
    try:
        ctypes.CDLL("libatomic.so.1")
    except OSError as error:
        raise CaosError(
            "the renderer needs libatomic.so.1, which is not installed; "
            "install it (Debian and Ubuntu: apt install libatomic1)"
        ) from error


def mitsuba(variant: str) -> ModuleType:
    """Return the ``mitsuba`` module with ``variant`` active in the calling thread.

    Raises:
        CaosError: If Mitsuba or a library it needs is missing.
    """
    check_libatomic()
    try:
        module = importlib.import_module("mitsuba")
    except ImportError as error:
        raise CaosError(f"cannot load mitsuba ({error}): {install_command('simulator')}") from error
    if module.variant() != variant:
        module.set_variant(variant)
    _keep_to_threads()
    return module


def make(mi: ModuleType, description: dict[str, Any]) -> Any:
    """Build the Mitsuba object of a description in the calling thread.

    Parallel building would wake Mitsuba's worker threads, which then spin for a while: beside a tile of light, which
    takes ten milliseconds, they cost as much as the tile.
    """
    return mi.load_dict(description, parallel=False)


@functools.cache
def _keep_to_threads() -> None:
    """Limit Mitsuba's thread count to the CPUs of this process; once, because changing it restarts all threads."""
    drjit = importlib.import_module("drjit")
    if drjit.thread_count() != threads():
        drjit.set_thread_count(threads())


def choose_variant(wanted: str | None = None) -> str:
    """Choose the Mitsuba variant: ``wanted``, else CUDA where it works, else ``scalar_rgb``.

    LLVM and CUDA are tried in a child process first: a library of the wrong version aborts the process.

    Raises:
        CaosError: If ``wanted`` is unknown or does not start on this machine.
    """
    wanted = wanted or os.environ.get("CAOS_RENDER_VARIANT") or None
    if wanted is None:
        return "cuda_ad_rgb" if _has_nvidia() and _starts("cuda_ad_rgb") else "scalar_rgb"
    if wanted not in VARIANTS:
        raise unknown("render variant", wanted, VARIANTS)
    if wanted != "scalar_rgb" and not _starts(wanted):
        needs = "an NVIDIA GPU and driver" if wanted.startswith("cuda") else "an LLVM library, version 17 or later"
        raise CaosError(f"render variant {wanted!r} does not start here: it needs {needs}; use 'scalar_rgb'")
    return wanted


def _has_nvidia() -> bool:
    return Path("/proc/driver/nvidia").exists() or Path("/dev/nvidiactl").exists()


def _starts(variant: str) -> bool:
    code = (
        f"import mitsuba as mi; mi.set_variant({variant!r}); import drjit as dr; "
        "x = mi.Float([1, 2, 3]) + 1; dr.eval(x); assert x[2] == 4"
    )
    try:
        done = subprocess.run(code_command(code), capture_output=True, timeout=120, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0
