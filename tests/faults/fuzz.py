"""Coverage-guided fuzzing of every reader and of the wire protocol, with a corpus that grows by every bug found.

    python -m tests.faults.fuzz                   a minute
    python -m tests.faults.fuzz --seconds 600

Readers are found by watching the commands (see :mod:`tests.faults.readers`). libFuzzer, through Atheris, changes the
files they read and keeps what reaches new lines of ours. Whatever ends in anything but a result or a line for the user
is written to ``corpus/NAME OF THE READER/``; a test reads the whole corpus again.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import io
import os
import random
import shutil
import sys
import tempfile
import traceback
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import atheris
import msgpack

with atheris.instrument_imports(include=["caos"]):
    from caos.assets.importing.archive import unpack
    from caos.foundation.errors import CaosError
    from caos.simulator.embedded.calls.table import CALLS
    from caos.simulator.embedded.protocol.rpc import MAX_MESSAGE_BYTES, ProtocolError, split_request
    from caos.simulator.embedded.protocol.wire import BadArgumentError
    from caos.simulator.embedded.recording.log_file import RecordingError, read_recording
    from caos.simulator.embedded.recording.sanity import check_recording
    from caos.simulator.embedded.server import CALL_MODULES
    from caos.simulator.embedded.world_state.opendrive_check import checked_roads
    from tests.faults.odd_recordings import odd_recording
    from tests.faults.sweep import Sweep, limit_memory, make_world, one_of_each
    from tests.simulator.server.street import STREET

assert CALL_MODULES

CORPUS = Path(__file__).parent / "corpus"
SECONDS = 60
LONGEST_BYTES = 1 << 16
HANG_S = 20


@dataclass(frozen=True)
class Target:
    """Something that reads bytes; ``read`` raises what nobody foresaw."""

    name: str
    read: Callable[[bytes], None]
    seed: bytes


def targets(root: Path) -> list[Target]:
    """Every reader with every kind of file it opens, over the little world at ``root``; and what a server is sent."""
    make_world(root, ("files",))
    found = [
        Target("wire", _read_message, msgpack.packb([0, 7, "get_actors_by_id", [[False], [1, 2]]])),
        Target("recording", _read_recording, odd_recording(random.Random(0))),
        Target("opendrive", _read_opendrive, STREET.encode()),
        Target("archive", functools.partial(_unpack, root.parent / "unpacked"), _archive()),
    ]
    for call in Sweep(root).baseline():
        for path in one_of_each(call.files)[:4]:
            found.append(_of_reader(call.name, call.function, call.arguments, path))
    return found


def _of_reader(name: str, function: Callable[..., object], arguments: dict[str, object], path: Path) -> Target:
    whole = path.read_bytes()

    def read(data: bytes) -> None:
        path.write_bytes(data)
        try:
            with contextlib.suppress(CaosError):
                function(**arguments)
        finally:
            path.write_bytes(whole)

    return Target(f"{name}{path.suffix}", read, whole)


def _read_message(data: bytes) -> None:
    """What the server does with bytes until it knows what is asked."""
    unpacker = msgpack.Unpacker(raw=False, strict_map_key=False, max_buffer_size=MAX_MESSAGE_BYTES)
    unpacker.feed(data)
    refused = (msgpack.exceptions.UnpackException, ValueError, RecursionError, TypeError, ProtocolError)
    with contextlib.suppress(*refused):
        for message in unpacker:
            _, _, method, parameters = split_request(message)
            known = CALLS.get(method)
            for reader, value in zip(known.readers if known else (), parameters[1:], strict=False):
                _served(reader, value)


def _read_recording(data: bytes) -> None:
    with contextlib.suppress(RecordingError):
        check_recording(read_recording(data))


def _read_opendrive(data: bytes) -> None:
    with contextlib.suppress(UnicodeDecodeError, CaosError):
        checked_roads("street", data.decode())


def _archive() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("box/a.off", b"OFF 4 4 0\n" * 9)
        archive.writestr("b.txt", b"b")
    return packed.getvalue()


def _unpack(folder: Path, data: bytes) -> None:
    folder.mkdir()
    packed = folder.with_name("packed.zip")
    packed.write_bytes(data)
    try:
        with contextlib.suppress(CaosError):
            unpack(packed, folder)
    finally:
        shutil.rmtree(folder)


def _served(reader: Callable[[object], object], value: object) -> None:
    """Read an argument; a wrong one is refused with a word, and with no other error."""
    try:
        reader(value)
    except BadArgumentError:
        pass
    except Exception as error:
        raise AssertionError(f"{reader}: {value!r}") from error


def corpus(name: str) -> Iterator[bytes]:
    """What was once read wrongly by a reader."""
    for path in sorted((CORPUS / name).glob("*")):
        yield path.read_bytes()


def fuzz(found: list[Target], seconds: int, folder: Path, keep: Path, seed: int = 0) -> None:
    """Change, read and keep until the time is over; libFuzzer then ends the process. Seed 0 is another each time."""
    lost = {path.name for path in CORPUS.glob("*")} - {target.name for target in found}
    assert not lost, f"no command calls these readers any more: {lost}"
    seeds = folder / "seeds"
    seeds.mkdir()
    for number, target in enumerate(found):
        for known in (target.seed, *corpus(target.name)):
            (seeds / f"{number}-{hashlib.sha256(known).hexdigest()[:12]}").write_bytes(bytes([number]) + known)

    def one(data: bytes) -> None:
        if data:
            target = found[data[0] % len(found)]
            try:
                with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
                    target.read(data[1:])
            except Exception:  # noqa: BLE001 - this is what is looked for
                _keep(keep, target.name, data[1:], traceback.format_exc())

    options = [f"-max_total_time={seconds}", f"-max_len={LONGEST_BYTES}", f"-timeout={HANG_S}", "-rss_limit_mb=8192"]
    options += [f"-seed={seed}"]
    atheris.Setup([sys.argv[0], *options, f"-artifact_prefix={folder}/", "-print_final_stats=1", str(seeds)], one)
    atheris.Fuzz()


def _keep(keep: Path, name: str, data: bytes, told: str) -> None:
    """Write what was found once for each place in the code where it ends."""
    place = hashlib.sha256(told.rsplit("File ", 1)[-1].splitlines()[0].encode()).hexdigest()[:12]
    path = keep / name / place
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        sys.__stdout__.write(f"found: {path}\n{told}\n")  # type: ignore[union-attr]
        sys.__stdout__.flush()  # type: ignore[union-attr]


def main() -> None:
    """Fuzz, and end as libFuzzer does: 0 if no reader hung or crashed."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults.fuzz")
    parser.add_argument("--seconds", type=int, default=SECONDS)
    parser.add_argument("--keep", type=Path, default=CORPUS)
    parser.add_argument("--seed", type=int, default=0, help="0: another each time")
    given = parser.parse_args()
    limit_memory()
    os.environ["COLUMNS"] = "200"
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        folder = Path(name).resolve()
        fuzz(targets(folder / "world"), given.seconds, folder, given.keep, given.seed)


if __name__ == "__main__":
    main()
