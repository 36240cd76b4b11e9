"""The safety net of a redesign: digests of what the commands make, kept in ``digests.json``.

    python -m tests.safety_net check --work /tmp/net                 make everything, compare with the digests kept
    python -m tests.safety_net check --work /tmp/net --only lidar    one part (parts that it needs must be there)
    python -m tests.safety_net keep  --work /tmp/net                 write the digests of this version

Images and scores depend on the processor and on the versions of packages, so the digests hold for the machine and the
environment that ``digests.json`` names. Elsewhere, keep your own first: ``keep --digests mine.json`` at the old commit,
``check --digests mine.json`` at the new one.
"""

from __future__ import annotations

import argparse
import json
import platform
import shlex
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import numpy as np

from caos.foundation.settings import read_toml
from tests.safety_net import digests

HERE: Final = Path(__file__).parent
PACKAGES: Final = ("numpy", "torch", "mitsuba", "embreex", "pyoidn", "opencv-python-headless", "scikit-learn", "timm")


def environment() -> dict[str, Any]:
    """What the digests depend on besides the code."""
    features = np._core._multiarray_umath.__cpu_features__
    return {
        "processor": platform.machine() + " " + " ".join(sorted(name for name, there in features.items() if there)),
        "packages": {name: version(name) for name in PACKAGES},
    }


def make(part: dict[str, Any], work: Path) -> dict[str, Any]:
    """Run the commands of one part, and take the digests of what they made."""
    for command in part["commands"]:
        words = [str(HERE / "one_pair.toml") if word == "GRID" else word for word in shlex.split(command)]
        print("caos", shlex.join(words), flush=True)
        subprocess.run(
            [sys.executable, "-m", "caos", "--quiet", *words], cwd=work, check=True, stdout=subprocess.DEVNULL
        )
    found: dict[str, Any] = {name: digests.of_set(work / name) for name in part.get("sets", ())}
    return found | {name: digests.of_record(work / name) for name in part.get("records", ())}


def keep(path: Path, name: str, found: dict[str, Any]) -> None:
    """Write the digests of one part into the file, beside those of other parts."""
    parts = json.loads(path.read_text())["parts"] if path.is_file() else {}
    content = {"environment": environment(), "parts": parts | {name: found}}
    path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")


def differences(kept: Any, found: Any, where: str) -> list[str]:
    """Where two digests of one part differ, a line each."""
    if isinstance(kept, dict) and isinstance(found, dict):
        names = sorted({*kept, *found})
        return [line for name in names for line in differences(kept.get(name), found.get(name), f"{where} / {name}")]
    return [] if kept == found else [f"{where}: {kept} is now {found}"]


def main() -> int:
    """Keep or check the digests."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=("keep", "check"))
    parser.add_argument(
        "--work", type=Path, required=True, help="folder for what is made; finished parts are not made again"
    )
    parser.add_argument("--digests", type=Path, default=HERE / "digests.json")
    parser.add_argument("--only", action="append", default=[], help="name of a part; repeat for more")
    parser.add_argument("--slow", action="store_true", help="the demo, too")
    options = parser.parse_args()
    parts = read_toml(HERE / "parts.toml")["part"]
    chosen = [
        p for p in parts if (p["name"] in options.only or not options.only) and (options.slow or not p.get("slow"))
    ]
    options.work.mkdir(parents=True, exist_ok=True)
    if options.action == "keep":
        for part in chosen:
            keep(options.digests, part["name"], make(part, options.work))
        return 0
    found = {part["name"]: make(part, options.work) for part in chosen}
    kept = json.loads(options.digests.read_text())
    lines = (
        [] if kept["environment"] == environment() else ["made in another environment: images and scores may differ"]
    )
    lines += [line for name in found for line in differences(kept["parts"].get(name), found[name], name)]
    print("\n".join(lines) or f"{len(found)} parts as they were")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
