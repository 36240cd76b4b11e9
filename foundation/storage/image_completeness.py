"""Completeness of image files: whether the compressed data reaches the last row.

Pillow notices a file that is cut short, but not compressed data that ends early inside a whole file: it fills the
remaining rows with black (PNG) or grey (JPEG).
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from typing import IO, Final

from PIL import Image, ImageChops, TiffImagePlugin

_SIGNATURE: Final = 8
_CHANNELS: Final = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
"""Values of a pixel by the colour type of a PNG."""
_PASSES: Final = ((0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2))
"""First column and row, and the steps to the next ones, of the passes of an interlaced PNG."""
_FILL: Final = 128
"""What libjpeg puts where data is missing."""
_NOISE: Final = bytes(value * 37 % 251 for value in range(1, 65))
"""Bytes without 0xFF that no decoder takes for the end of an image."""


def check_complete(image: Image.Image, data: bytes) -> None:
    """Refuse a decoded image of which the file's data gave a part only.

    Args:
        image: As Pillow decoded it.
        data: Bytes of its file.

    Raises:
        ValueError: If data is missing; the words say what.
    """
    if image.format == "PNG":
        _check_png(data)
    elif image.format in ("JPEG", "MPO"):
        _check_jpeg(image, data)
    elif isinstance(image, TiffImagePlugin.TiffImageFile):
        _check_tiff(image, len(data))


def png_chunk_names(stream: IO[bytes]) -> frozenset[bytes]:
    """Names of the chunks of a PNG file, read from its beginning; those before the first damage."""
    names = set()
    stream.seek(_SIGNATURE)
    while len(head := stream.read(8)) == 8:
        length, name = struct.unpack(">I4s", head)
        names.add(name)
        stream.seek(length + 4, io.SEEK_CUR)
    return frozenset(names)


def _check_png(data: bytes) -> None:
    missing = _png_bytes(data)
    whole, stream = missing, zlib.decompressobj()
    ended = False
    for name, content in _png_chunks(data):
        ended = name == b"IEND"
        if name == b"IDAT" and missing:
            missing -= len(stream.decompress(content, missing))
    if missing:
        raise ValueError(f"its data ends early: {whole - missing} of {whole} bytes of pixels")
    if not ended:
        raise ValueError("it is cut short: its last chunk, IEND, is missing")


def _png_chunks(data: bytes) -> Iterator[tuple[bytes, memoryview]]:
    view, position = memoryview(data), _SIGNATURE
    while position + 12 <= len(data):
        length, name = struct.unpack_from(">I4s", data, position)
        yield name, view[position + 8 : position + 8 + length]
        if name == b"IEND":
            return
        position += 12 + length


def _png_bytes(data: bytes) -> int:
    """Bytes of all rows of a PNG before compression, each with its filter byte."""
    width, height, depth, colour, _, _, interlaced = struct.unpack_from(">IIBBBBB", data, _SIGNATURE + 8)
    bits = depth * _CHANNELS[colour]
    if not interlaced:
        return int(height * (1 + (width * bits + 7) // 8))
    total = 0
    for x, y, right, down in _PASSES:
        columns, rows = -(-(width - x) // right), -(-(height - y) // down)
        if columns > 0 and rows > 0:
            total += rows * (1 + (columns * bits + 7) // 8)
    return total


def _check_jpeg(image: Image.Image, data: bytes) -> None:
    """Refuse a JPEG whose pixels would change if its data went on.

    libjpeg fills up missing data without an error. Of a complete image, further data before the end is ignored.
    """
    corner = image.getpixel((image.width - 1, image.height - 1))
    filled = corner == _FILL if image.mode == "L" else corner == (_FILL,) * 3
    if image.mode in ("L", "RGB") and not filled and not image.info.get("progressive"):
        return  # the last block is there
    end, restarts = _end_of_jpeg(data)
    more = _NOISE + bytes((0xFF, 0xD0 + restarts % 8)) + _NOISE  # with the restart marker that some files need next
    with Image.open(io.BytesIO(data[:end] + more + data[end:])) as longer:
        longer.draft(None, image.size)
        longer.load()
        if longer.size != image.size or ImageChops.difference(longer.convert("RGB"), image.convert("RGB")).getbbox():
            raise ValueError("its data ends early: the last rows are missing")


def _end_of_jpeg(data: bytes) -> tuple[int, int]:
    """Where the first image of a JPEG file ends (its EOI marker), and how many restart markers its last scan has."""
    position, restarts = 2, 0
    while (position := data.find(b"\xff", position)) >= 0 and position + 4 <= len(data):
        marker = data[position + 1]
        if marker == 0xD9:
            return position, restarts
        if 0xD0 <= marker <= 0xD7:
            restarts, position = restarts + 1, position + 2
        elif marker in (0x00, 0x01, 0xFF):
            position += 1 + (marker != 0xFF)
        else:
            restarts = 0
            position += 2 + int.from_bytes(data[position + 2 : position + 4], "big")
    return max(data.rfind(b"\xff\xd9"), 0), restarts


def _check_tiff(image: TiffImagePlugin.TiffImageFile, size: int) -> None:
    tags = image.tag_v2
    offsets, lengths = (tags.get(strips) or tags.get(tiles) or () for strips, tiles in ((273, 324), (279, 325)))
    if len(offsets) != len(lengths) or not offsets:
        raise ValueError("its strips or tiles are not told")
    missing = [i for i, (at, n) in enumerate(zip(offsets, lengths, strict=True)) if not at or not n or at + n > size]
    if missing:
        raise ValueError(f"{len(missing)} of its {len(offsets)} strips or tiles are missing")
