"""Mutations of files: what crashes, other tools, other people and bad disks do to them.

A mutation that *destroys* a file leaves nothing that could be read as what it was: who reads it and goes on is wrong.
Others may be refused or accepted, in one line or without a word, but never with a traceback.
"""

from __future__ import annotations

import functools
import io
import json
import os
import random
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

JSON, LINES, TOML, PICTURE, ARRAYS, NUMBERS, WEIGHTS, OTHER = (
    "json", "lines", "toml", "picture", "arrays", "numbers", "weights", "other",
)  # fmt: skip
KINDS = {
    ".json": JSON, ".odgt": JSON, ".jsonl": LINES, ".toml": TOML, ".png": PICTURE, ".jpg": PICTURE, ".webp": PICTURE,
    ".npz": ARRAYS, ".npy": ARRAYS, ".safetensors": WEIGHTS,
    **dict.fromkeys((".txt", ".csv", ".obj", ".mtl", ".off", ".bin", ".label"), NUMBERS),
}  # fmt: skip
ODD: tuple[Any, ...] = (
    None, True, -1, 0, 2**70, -(2**63), 1e308, "", "x" * 5000, "../../x", "/etc/passwd", "a\\b", "\ud800",
    "<b>&'\"</b>", "[red]%s{}#?", [], {}, [[]], [None], {"a": {"b": {}}}, 3.5, "²",
)  # fmt: skip


@dataclass(frozen=True)
class Mutation:
    """A change of one file; ``apply`` is given its path."""

    name: str
    apply: Callable[[Path], None]
    destroys: bool = False


def mutations_of(path: Path, rng: random.Random, most_fields: int) -> list[Mutation]:
    """What is done to a file, by its kind; of the mutations of single fields at most so many."""
    kind = KINDS.get(path.suffix.lower(), OTHER)
    found = [*_of_any()]
    if kind in (JSON, LINES, TOML):
        found += _of_text()
    if kind in (JSON, LINES):
        found += _of_fields(path, kind, rng, most_fields)
    if kind == TOML:
        found += _of_settings(path)
    if kind == PICTURE:
        found += _of_pictures()
    if kind == ARRAYS:
        found += _of_arrays(path)
    if kind == NUMBERS:
        found += _of_numbers(path)
    if kind == WEIGHTS:
        found += _of_weights()
    return found


def _of_any() -> Iterator[Mutation]:
    yield Mutation("gone", lambda path: path.unlink(), destroys=True)
    yield Mutation("empty", lambda path: path.write_bytes(b""))
    yield Mutation("noise", lambda path: path.write_bytes(random.Random(1).randbytes(4096)), destroys=True)
    yield Mutation("zeros", lambda path: path.write_bytes(bytes(4096)), destroys=True)
    yield Mutation("a pipe", _replace_by(os.mkfifo), destroys=True)
    yield Mutation("a folder", _replace_by(Path.mkdir), destroys=True)
    yield Mutation("a device", _replace_by(lambda path: path.symlink_to("/dev/zero")), destroys=True)
    yield Mutation("a link to itself", _replace_by(lambda path: path.symlink_to(path)), destroys=True)
    yield Mutation("a link to nothing", _replace_by(lambda path: path.symlink_to("/nowhere/x")), destroys=True)
    yield Mutation("one byte flipped", _flip)
    yield Mutation("cut in half", lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]))
    yield Mutation("twice", lambda path: path.write_bytes(path.read_bytes() * 2))
    yield Mutation("one byte more", lambda path: path.write_bytes(path.read_bytes() + b"\0"))
    yield Mutation("its end is noise", _spoil_end)
    for seed in range(3):
        yield Mutation(f"bytes changed, {seed}", functools.partial(_scatter, seed=seed))


def _replace_by(make: Callable[[Path], Any]) -> Callable[[Path], None]:
    def apply(path: Path) -> None:
        path.unlink()
        make(path)

    return apply


def _flip(path: Path) -> None:
    data = bytearray(path.read_bytes())
    if data:
        data[len(data) // 2] ^= 0x55
    path.write_bytes(bytes(data))


def _spoil_end(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + random.Random(2).randbytes(len(data) - len(data) // 2))


def _scatter(path: Path, seed: int) -> None:
    """Change some bytes, most of them where heads are."""
    data, rng = bytearray(path.read_bytes()), random.Random(seed)
    for number in range(8 if data else 0):
        data[rng.randrange(min(len(data), 64) if number % 2 else len(data))] = rng.choice((0, 0x7F, 0x80, 0xFF))
    path.write_bytes(bytes(data))


def _of_text() -> Iterator[Mutation]:
    yield Mutation("in UTF-16", lambda path: path.write_bytes(path.read_text().encode("utf-16")), destroys=True)
    yield Mutation("in Latin-1", lambda path: path.write_bytes(path.read_bytes() + b"\xe9"), destroys=True)
    yield Mutation("deep", lambda path: path.write_text("[" * 100_000), destroys=True)
    yield Mutation("a deep value", lambda path: path.write_text("[" * 200 + "]" * 200), destroys=True)
    yield Mutation("a number", lambda path: path.write_text("3"), destroys=True)
    yield Mutation("not a number", lambda path: path.write_text("NaN"), destroys=True)
    yield Mutation("a text", lambda path: path.write_text('"x"'), destroys=True)
    yield Mutation("a list", lambda path: path.write_text("[[1, 2], {}]"), destroys=True)
    yield Mutation("nothing", lambda path: path.write_text("null"), destroys=True)
    yield Mutation("a table", lambda path: path.write_text('{"a": 1}'))
    yield Mutation("infinite", lambda path: path.write_text('{"a": Infinity}'), destroys=True)
    yield Mutation("a key twice", lambda path: path.write_text('{"a": 1, "a": 2}'), destroys=True)
    yield Mutation("with a mark", lambda path: path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes()))
    yield Mutation("more behind it", lambda path: path.write_text(path.read_text() + "\n}]"), destroys=True)


def _of_fields(path: Path, kind: str, rng: random.Random, most: int) -> list[Mutation]:
    lines = [json.loads(line) for line in path.read_text().splitlines() if line] if kind == LINES else None
    value = json.loads(path.read_text()) if lines is None else lines
    places = list(_places(value))
    chosen = [rng.choice(places) for _ in range(most)] if places else []
    return [_field(value, kind, place, ODD[(rng.randrange(len(ODD)))], rng.random() < 0.2) for place in chosen]


def _places(value: Any, where: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value[:3]) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*where, key)
        yield from _places(inner, (*where, key))


def _field(value: Any, kind: str, place: tuple[Any, ...], odd: Any, remove: bool) -> Mutation:
    def apply(path: Path) -> None:
        whole = json.loads(json.dumps(value))
        inside = whole
        for key in place[:-1]:
            inside = inside[key]
        if remove:
            del inside[place[-1]]
        else:
            inside[place[-1]] = odd
        rows = whole if kind == LINES else [whole]
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))

    told = "removed" if remove else f"= {odd!r}"[:24]
    return Mutation(f"{'.'.join(map(str, place))[-40:]} {told}", apply)


def _of_settings(path: Path) -> Iterator[Mutation]:
    lines = path.read_text().splitlines()
    for number, line in enumerate(lines):
        for odd in ("nan", "inf", "-1", "1e400", str(2**70), "[]", '""', "true", '"²"', "[1, 2, 3]"):
            if "=" in line:
                name = line.split("=")[0].strip()
                text = "\n".join([*lines[:number], f"{name} = {odd}", *lines[number + 1 :]])
                yield Mutation(f"{name} = {odd[:12]}", functools.partial(Path.write_text, data=text))


def _png(width: int, height: int, bits: int = 8, kind: int = 0, data: bytes = b"") -> bytes:
    def chunk(name: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, kind, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(data)) + chunk(b"IEND", b"")


def _of_pictures() -> Iterator[Mutation]:
    from PIL import Image

    def saved(mode: str, size: tuple[int, int] = (7, 5)) -> Callable[[Path], None]:
        def apply(path: Path) -> None:
            out = io.BytesIO()
            Image.new(mode, size).save(out, "TIFF" if mode in ("CMYK", "F", "I", "LAB") else "PNG")
            path.write_bytes(out.getvalue())

        return apply

    def film(form: str) -> Callable[[Path], None]:
        frames = [Image.new("RGB", (96, 64), (80 * number, 0, 0)) for number in range(3)]
        return lambda path: frames[0].save(path, form, save_all=True, append_images=frames[1:])

    def turned(path: Path) -> None:
        about = Image.Exif()
        about[0x0112] = 6
        Image.new("RGB", (96, 64)).save(path, "JPEG", exif=about)

    yield Mutation("turned by its camera", turned)
    yield Mutation("a JPEG for print", lambda path: Image.new("CMYK", (96, 64)).save(path, "JPEG"))
    yield Mutation("a palette with holes", lambda path: Image.new("P", (96, 64)).save(path, "PNG", transparency=0))
    for form in ("PNG", "GIF", "WEBP", "TIFF"):
        yield Mutation(f"a film, {form}", film(form))
    yield Mutation("text with a picture's name", lambda path: path.write_text("<svg onload=alert(1)>"), destroys=True)
    yield Mutation("a bomb", lambda path: path.write_bytes(_png(60_000, 60_000)), destroys=True)
    yield Mutation("wide as can be", lambda path: path.write_bytes(_png(2**31 - 1, 1)), destroys=True)
    yield Mutation("of no size", lambda path: path.write_bytes(_png(0, 0)), destroys=True)
    yield Mutation("without pixels", lambda path: path.write_bytes(_png(96, 64, 8, 2)), destroys=True)
    for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16", "CMYK", "F", "I"):
        yield Mutation(f"another picture, {mode}", saved(mode))


def _npy(shape: tuple[int, ...], data: bytes = b"", dtype: str = "<f4") -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": dtype, "fortran_order": False, "shape": shape})
    return out.getvalue() + data


def _of_arrays(path: Path) -> Iterator[Mutation]:
    is_archive = path.suffix == ".npz"

    def held(name: str, content: bytes) -> bytes:
        if not is_archive:
            return content
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{name}.npy", content)
        return out.getvalue()

    bomb, pickled = _npy((40_000, 40_000)), io.BytesIO()
    np.save(pickled, np.array([{"a": 1}], object), allow_pickle=True)
    for name, content in (
        ("a bomb", bomb),
        ("a bomb with bytes", _npy((64, 96), bytes(40_000_000))),
        ("negative sides", _npy((-1, 5))),
        ("objects", pickled.getvalue()),
        ("text", _npy((2,), "ab".encode("utf-32-le"), "<U1")),
        ("another shape", _npy((3, 2), bytes(24))),
        ("not a number", _npy((64, 96), np.full((64, 96), np.nan, np.float32).tobytes())),
    ):
        destroys = name != "a bomb with bytes"
        yield Mutation(name, lambda p, c=content: p.write_bytes(held("scores", c)), destroys=destroys)  # type: ignore[misc]


def _of_numbers(path: Path) -> Iterator[Mutation]:
    """Of files that hold bare numbers, as text or as 32-bit floats."""
    if path.suffix in (".bin", ".label"):
        for odd in (np.nan, np.inf, -np.inf, 3e38):
            spoilt = np.full(path.stat().st_size // 4, odd, np.float32).tobytes()
            yield Mutation(f"all {odd}", functools.partial(Path.write_bytes, data=spoilt))
        return
    words = path.read_text().split()
    for odd in ("nan", "inf", "-1", "1e300", "99999999999999999999", "x", "²", "../../etc/passwd", "/dev/zero"):
        for number in sorted({len(words) // 3, len(words) // 2, len(words) - 1}):
            if words:
                text = _with_word(path.read_text(), number, odd)
                yield Mutation(f"word {number} = {odd}", functools.partial(Path.write_text, data=text))


def _with_word(text: str, number: int, odd: str) -> str:
    """The text with one of its words changed, its lines kept."""
    count, lines = 0, []
    for line in text.splitlines():
        words = line.split()
        if count <= number < count + len(words):
            words[number - count] = odd
        count += len(words)
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


def _of_weights() -> Iterator[Mutation]:
    """Heads of safetensors that lie."""
    for name, size, head in (
        ("a head of terabytes", 2**40, b"{}"),
        ("a head of nothing", 0, b""),
        ("no table", 2, b"[]"),
        ("more than there is", None, b'{"a":{"dtype":"F32","shape":[1000000,1000000],"data_offsets":[0,4]}}'),
        ("backwards", None, b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}}'),
        ("of another kind", None, b'{"a":{"dtype":"X9","shape":[1],"data_offsets":[0,4]}}'),
    ):
        data = struct.pack("<Q", len(head) if size is None else size) + head + bytes(4)
        yield Mutation(name, functools.partial(Path.write_bytes, data=data), destroys=True)
