"""Pictures of others: what is no picture is one line, wherever pictures are opened."""

from __future__ import annotations

import os
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
import tifffile
from PIL import Image

from caos.cli import _on_one_line
from caos.foundation.errors import CaosError
from caos.foundation.pictures import opened_picture


def bomb(path: Path) -> None:
    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 0, 0, 0, 0)
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(bytes(100))), (b"IEND", b"")]
    chunks = [struct.pack(">I", len(b)) + name + b + struct.pack(">I", zlib.crc32(name + b)) for name, b in parts]
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda path: None, "does not exist"),
        (os.mkfifo, "it is not a file"),
        (Path.mkdir, "it is not a file"),
        (lambda path: path.symlink_to("/dev/zero"), "it is not a file"),
        (bomb, "exceeds limit"),
        (lambda path: path.write_bytes(b""), "its format is unknown"),
        (lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"\0" * 90), "cannot be read as a picture"),
    ],
)
def test_what_is_no_picture_is_one_line(tmp_path: Path, make, words: str) -> None:
    path = tmp_path / "a.png"
    make(path)
    with pytest.raises(CaosError, match="a.png") as caught, opened_picture(path) as picture:
        picture.load()
    assert words in str(caught.value)


def test_every_damage_of_a_picture_is_one_line_or_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    Image.linear_gradient("L").resize((20, 20)).save(path)
    whole = path.read_bytes()
    refused = 0
    for number in range(len(whole)):
        path.write_bytes(whole[:number] + bytes([whole[number] ^ 0xFF]) + whole[number + 1 :])
        try:
            with opened_picture(path) as picture:
                picture.load()
        except CaosError:
            refused += 1
    assert refused > len(whole) / 2


def test_names_with_control_characters_stay_on_one_line() -> None:
    assert _on_one_line("no \x1b[31mred\nfile \ud800.png é") == r"no \x1b[31mred\nfile \ud800.png é"


@pytest.mark.parametrize("bits", [1, 8, 16])
@pytest.mark.parametrize("compression", [None, "zlib"])
def test_a_tiff_in_which_white_is_zero_has_its_displayed_values(
    tmp_path: Path, bits: int, compression: str | None
) -> None:
    kind = {1: np.bool_, 8: np.uint8, 16: np.uint16}[bits]
    stored = np.array([[0, 1, 0], [1, 1, 0]]).astype(kind)
    for photometric in ("minisblack", "miniswhite"):
        tifffile.imwrite(tmp_path / f"{photometric}.tif", stored, photometric=photometric, compression=compression)
    with opened_picture(tmp_path / "minisblack.tif") as picture:
        assert np.array_equal(np.asarray(picture), stored)
    with opened_picture(tmp_path / "miniswhite.tif") as picture:
        assert picture.format == "TIFF"
        assert np.array_equal(np.asarray(picture, np.int64), (2**bits - 1) - stored.astype(np.int64))


def test_a_float_tiff_in_which_white_is_zero_is_negated(tmp_path: Path) -> None:
    stored = np.array([[0.0, 0.25, -3.0]], np.float32)
    tifffile.imwrite(tmp_path / "a.tif", stored, photometric="miniswhite")
    with opened_picture(tmp_path / "a.tif") as picture:
        assert np.array_equal(np.asarray(picture), -stored)
