"""``caos doctor``: what this machine offers, extra by extra, and what to do where something is missing."""

from __future__ import annotations

import importlib
import json
import os
import shutil
import socket
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Final, Literal

import typer

from caos.foundation.command_line.extras import DISTRIBUTION, EXTRAS, OPTIONAL, install_command, is_installed
from caos.foundation.errors import CaosError
from caos.foundation.storage.provenance import git_commit, package_version

State = Literal["ok", "note", "problem"]
BASE: Final = "base"
BASE_PACKAGES: Final = (DISTRIBUTION, "numpy", "opencv-python-headless", "matplotlib")
LIBRARIES = {
    "libatomic.so.1": "libatomic1",
    "libX11.so.6": "libx11-6",
    "libGL.so.1": "libgl1",
    "libgomp.so.1": "libgomp1",
}
GIB = 1024**3


@dataclass(frozen=True)
class Verdict:
    """One line of the report.

    Attributes:
        name: What was looked at.
        state: How it is.
        value: What was found.
        remedy: What to do; empty when nothing needs doing.
        extra: The extra of the installation that it belongs to.
    """

    name: str
    state: State
    value: str
    remedy: str = ""
    extra: str = BASE


def doctor(
    server: Annotated[str, typer.Option(help="Address of a CARLA server to look for, HOST:PORT.")] = "127.0.0.1:2000",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for programs.")] = False,
) -> None:
    """Show what this machine offers: extras and versions, device, renderer, CARLA, encoder weights, disk.

    \b
    caos doctor
    caos doctor --server 10.0.0.5:2000
    caos doctor --json | python -m json.tool
    """
    findings = list(_findings(server))
    if as_json:
        typer.echo(json.dumps([asdict(f) for f in findings], indent=2))
        return
    _print_table(findings)


def _print_table(findings: Iterable[Verdict]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    colors = {"ok": "green", "note": "yellow", "problem": "red"}
    console = Console()
    table = Table("extra", "what", "state", "found, and what to do")
    # Names of packages stay whole; what is found beside them wraps.
    table.columns[1].no_wrap, table.columns[3].overflow = True, "fold"
    shown = ""
    for f in findings:
        if shown not in {"", f.extra}:
            table.add_section()
        extra = "" if f.extra == shown else f.extra
        shown = f.extra
        said = "; ".join(escape(part) for part in (f.value, f.remedy) if part)
        table.add_row(extra, f.name, f"[{colors[f.state]}]{f.state}[/]", said)
    console.print(table)


def _findings(server: str) -> Iterable[Verdict]:
    """What there is to say: first of the base, then of each extra."""
    yield Verdict("python", "ok", sys.version.split()[0])
    yield Verdict("commit", "ok", git_commit() or "installed")
    yield from (_version(name) for name in BASE_PACKAGES)
    yield _disk(Path.cwd())
    place = _server(server)
    checks: dict[str, Callable[[], list[Verdict]]] = {
        "simulator": lambda: [*_libraries(), _renderer(), _denoiser(), place],
        "learn": lambda: [_device(), _weights()],
    }
    for extra in EXTRAS:
        for finding in _of_extra(extra, checks.get(extra, list)):
            yield replace(finding, extra=extra)


def _of_extra(extra: str, checks: Callable[[], list[Verdict]]) -> list[Verdict]:
    """The packages of an extra and what they find here; one line when none of its own packages is installed."""
    shared = {module for other, modules in EXTRAS.items() if other != extra for module in modules}
    if not any(is_installed(module) for module in EXTRAS[extra] if module not in shared):
        return [Verdict(extra, "note", "not installed", install_command(extra))]
    packages = [
        _version(name, install_command(extra)) for module, name in EXTRAS[extra].items() if module not in OPTIONAL
    ]
    broken = any(package.state == "problem" for package in packages)
    return packages if broken else [*packages, *checks()]


def _version(name: str, remedy: str = "") -> Verdict:
    version = package_version(name)
    if version == "not installed":
        return Verdict(name, "problem", version, remedy or f"pip install {name}")
    return Verdict(name, "ok", version)


def _libraries() -> list[Verdict]:
    import ctypes

    def finding(library: str, package: str) -> Verdict:
        try:
            ctypes.CDLL(library)
        except OSError:
            return Verdict(library, "problem", "missing", f"apt-get install {package}")
        return Verdict(library, "ok", "present")

    return [finding(*item) for item in LIBRARIES.items()] if sys.platform == "linux" else []


def _device() -> Verdict:
    import torch

    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB if hasattr(os, "sysconf") else 0
    cpu = f"{os.cpu_count()} CPU cores, {memory:.0f} GB"
    if not torch.cuda.is_available():
        return Verdict("device", "note", cpu, "no CUDA device: use --model pspnet-light and --encoder-weights bundled")
    names = [torch.cuda.get_device_properties(i) for i in range(torch.cuda.device_count())]
    gpus = ", ".join(f"{p.name} ({p.total_memory / GIB:.0f} GB)" for p in names)
    return Verdict("device", "ok", f"{gpus}; {cpu}")


def _renderer() -> Verdict:
    try:
        backend = importlib.import_module("caos.simulator.embedded.render.path_tracing.backend")
        return Verdict("renderer", "ok", f"mitsuba, variant {backend.choose_variant()}")
    except (CaosError, ImportError) as error:
        return Verdict("renderer", "problem", "not usable", str(error))


def _denoiser() -> Verdict:
    if package_version("pyoidn") == "not installed":
        return Verdict("denoiser", "note", "none", f"{install_command('simulator')}: pictures are grainy without it")
    return Verdict("denoiser", "ok", f"OIDN (pyoidn {package_version('pyoidn')})")


def _server(address: str) -> Verdict:
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise CaosError(f"--server {address!r} is not HOST:PORT, for example 127.0.0.1:2000")
    try:
        with socket.create_connection((host, int(port)), timeout=1):
            return Verdict("CARLA server", "ok", f"something listens on {address}")
    except OSError as error:
        hint = "none is needed: the embedded simulator starts by itself; for real CARLA run CarlaUE4.sh"
        return Verdict("CARLA server", "note", f"{address}: {error.strerror or error}", hint)


def _weights() -> Verdict:
    return Verdict("encoder weights", "ok", "bundled (EfficientNet-Lite0, ImageNet)")


def _disk(path: Path) -> Verdict:
    free = shutil.disk_usage(path).free / GIB
    found = f"{free:.0f} GB free at {path}"
    return Verdict("disk", "ok", found) if free >= 20 else Verdict("disk", "note", found, "the full set needs 20 GB")
