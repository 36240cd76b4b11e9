"""Image files: the one reader of all rooms. Pixels are complete and upright, or the file is refused in one line.

*Upright*: the orientation that a camera noted in EXIF is applied, whoever reads. *Complete*: a file whose compressed
data ends before its last row is refused, although Pillow fills the rest with black or grey.
"""

from __future__ import annotations

import contextlib
import io
import struct
import threading
import warnings
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
from PIL import ExifTags, Image, PngImagePlugin, UnidentifiedImageError

from caos.foundation.errors import CaosError
from caos.foundation.settings import read_bytes
from caos.foundation.storage.image_completeness import check_complete, png_chunk_names

FORMATS: Final = ("PNG", "JPEG", "MPO", "WEBP", "BMP", "TIFF", "PPM")
"""Pillow's names of the formats that are read; MPO is a JPEG with further images inside, as some cameras write.

Others are refused before they are decoded: Pillow hands an EPS file, whatever its name, to the program Ghostscript.
"""
TURNS: Final = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""How an image of each EXIF orientation becomes upright; 1 is upright."""
SIDEWAYS: Final = (5, 6, 7, 8)
"""Orientations whose upright image has the stored height as its width."""
_LOSSY: Final = ("JPEG", "MPO")
_METADATA: Final = frozenset({"exif", "xmp", "Raw profile type exif", "XML:com.adobe.xmp"})
"""Keys of Pillow's ``info`` in which an orientation may be noted."""
_PNG_METADATA: Final = frozenset({b"eXIf", b"tEXt", b"zTXt", b"iTXt"})
_SMALL_GREY: Final = {"L;2": 85, "L;4": 17}
"""Pillow spreads the values of grey PNGs of 2 and 4 bits over 0..255, by these factors."""
_JPEG_OPTIONS: Final[dict[str, Any]] = {"quality": 95, "subsampling": 0}
_SAVE_OPTIONS: Final = {"JPEG": _JPEG_OPTIONS, "MPO": _JPEG_OPTIONS, "WEBP": {"lossless": True}}
_WARNINGS_LOCK: Final = threading.Lock()
_PHOTOMETRIC: Final = 262
"""Number of the TIFF tag that says whether 0 is displayed as white (0) or as black (1)."""
_BITS: Final = 258
"""Number of the TIFF tag with the bits of a sample."""
_NOT_INVERTED: Final = frozenset({"I;16", "I;16B", "I;16L", "I;12", "I", "F"})
"""Modes of Pillow that hold the stored values of a TIFF with white as 0; the others hold the displayed ones."""
_DAMAGE = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    OverflowError,
    EOFError,
    MemoryError,
    struct.error,
    zlib.error,
    Image.DecompressionBombError,
)
"""What Pillow's readers raise over files that are cut short, changed, or none of theirs."""


def load_image(path: Path, *, exact: bool = False) -> Image.Image:
    """The decoded image of a file, complete and upright, in the mode that Pillow gives it.

    Args:
        path: The file.
        exact: For maps of numbers (labels, instances): refuse JPEG, which keeps no exact values, and return the values
            of grey PNGs of 2 and 4 bits as they are stored.

    Raises:
        CaosError: If it is missing, no file, no image of a known format, damaged, incomplete, has several frames, or is
            larger than Pillow's limit.
    """
    data = _checked_bytes(path)
    with _naming(path):
        image = _opened(io.BytesIO(data), path)
        if exact and image.format in _LOSSY:
            raise CaosError(f"{path} is a JPEG, which does not keep exact values; save the map as PNG")
        factor = _SMALL_GREY.get(_raw_mode(image)) if exact else None
        image.load()
        check_complete(image, data)
        turned = _upright(_as_displayed(image))
        return turned if factor is None else turned.point([value // factor for value in range(256)])


def check_image(path: Path) -> tuple[int, int]:
    """Check a file as :func:`load_image` does, in less time where the pixels are not needed.

    Returns:
        Width and height of the upright image.

    Raises:
        CaosError: As :func:`load_image`.
    """
    data = _checked_bytes(path)
    with _naming(path):
        image = _opened(io.BytesIO(data), path)
        size = _upright_size(image)
        if not image.info.get("progressive"):  # of which fewer pixels show fewer of its scans
            image.draft(None, (max(1, image.width // 8), max(1, image.height // 8)))  # JPEG alone: all data is read
        image.load()
        check_complete(image, data)
        return size


def upright_bytes(path: Path, kind: str | None = None) -> bytes:
    """The bytes of an image file whose stored pixels are upright: its own, or those of the turned image.

    Args:
        path: The file.
        kind: Pillow's name of the format that turned pixels are written in, by default the file's own. A JPEG is
            encoded once more, at quality 95 without chroma subsampling; PNG and WebP keep every value.

    Raises:
        CaosError: As :func:`load_image`.
    """
    check_image(path)
    if orientation_of(path) == 1:
        return read_bytes(path)
    kind = kind or image_format(path)
    stream = io.BytesIO()
    image = load_image(path)
    image.info.clear()  # of which the orientation is a part
    image.save(stream, "JPEG" if kind == "MPO" else kind, **_SAVE_OPTIONS.get(kind, {}))
    return stream.getvalue()


def image_size(path: Path) -> tuple[int, int]:
    """Width and height of the upright image, from the head of its file.

    Raises:
        CaosError: If it is missing, no file, no image of a known format, or larger than Pillow's limit.
    """
    with _opened_file(path) as image:
        return _upright_size(image)


def image_format(path: Path) -> str:
    """Pillow's name of a file's format, known or not.

    Raises:
        CaosError: If it is missing, no file, or no image.
    """
    _check_file(path)
    with _naming(path), path.open("rb") as stream:
        return str(Image.open(stream).format)


def orientation_of(path: Path) -> int:
    """The EXIF orientation that has to be undone, 1 to 8; 1 if the stored pixels are upright.

    Raises:
        CaosError: As :func:`image_size`.
    """
    with _opened_file(path) as image:
        return _orientation(image)


@contextlib.contextmanager
def _opened_file(path: Path) -> Iterator[Image.Image]:
    _check_file(path)
    # Through a stream of our own, since an image that fails to load leaves its file open.
    with _naming(path), path.open("rb") as stream:
        yield _opened(stream, path)


def _check_file(path: Path) -> None:
    if not path.is_file():
        # A pipe or a device would be waited for without end.
        reason = "cannot be read as a picture: it is not a file" if path.exists() else "does not exist"
        raise CaosError(f"{path} {reason}")


def _checked_bytes(path: Path) -> bytes:
    _check_file(path)
    return read_bytes(path)


@contextlib.contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Turn whatever Pillow raises inside into one line that names the file."""
    try:
        yield
    except UnidentifiedImageError as error:  # its own words name our stream
        raise CaosError(f"{path} cannot be read as a picture: its format is unknown") from error
    except _DAMAGE as error:
        raise CaosError(f"{path} cannot be read as a picture: {error or type(error).__name__}") from error


def _opened(stream: IO[bytes], path: Path) -> Image.Image:
    """An image of a known format with one frame; nothing is decoded yet."""
    image = Image.open(stream)
    if image.format not in FORMATS:
        raise CaosError(f"{path} is a {image.format} picture; save it as JPEG, PNG or WebP")
    frames = getattr(image, "n_frames", 1)
    if frames != 1 and image.format != "MPO":
        raise CaosError(f"{path} holds {frames} frames; save one of them as an image of its own")
    return image


def _as_displayed(image: Image.Image) -> Image.Image:
    """The decoded image with larger values brighter, as the TIFF standard displays it: white may be stored as 0."""
    tags = getattr(image, "tag_v2", {})
    if image.mode not in _NOT_INVERTED or tags.get(_PHOTOMETRIC) != 0:
        return image
    stored = np.asarray(image)
    white = 0 if stored.dtype.kind == "f" else 2 ** int(tags.get(_BITS, (16,))[0]) - 1
    return Image.fromarray(np.subtract(white, stored, dtype=np.float64).astype(stored.dtype))


def _raw_mode(image: Image.Image) -> str:
    """How the values of a grey PNG are stored, as Pillow names it."""
    if not isinstance(image, PngImagePlugin.PngImageFile) or not image.tile:
        return ""
    mode = image.tile[0][3]
    return mode if isinstance(mode, str) else ""


def _upright_size(image: Image.Image) -> tuple[int, int]:
    if image.format == "TIFF":
        image.load()
    return (image.height, image.width) if _orientation(image) in SIDEWAYS else image.size


def _upright(image: Image.Image) -> Image.Image:
    turn = TURNS.get(_orientation(image))
    return image if turn is None else image.transpose(turn)


def _orientation(image: Image.Image) -> int:
    """The EXIF orientation, 1 to 8; 1 where none, or nonsense, is noted."""
    if image.format == "TIFF":  # which Pillow turns by itself
        return 1
    if isinstance(image, PngImagePlugin.PngImageFile):
        if not _may_have_metadata(image):
            return 1  # without decoding it: a PNG may end with its metadata
    elif not _METADATA & image.info.keys():
        return 1
    # Pillow warns of damaged EXIF. The filters of warnings belong to all threads.
    with _WARNINGS_LOCK, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        noted = image.getexif().get(ExifTags.Base.Orientation, 1)
    return noted if isinstance(noted, int) and noted in TURNS else 1


def _may_have_metadata(image: PngImagePlugin.PngImageFile) -> bool:
    if image.fp is None:  # decoded: all of it is known
        return bool(_METADATA & image.info.keys())
    before = image.fp.tell()
    image.fp.seek(0)
    names = png_chunk_names(image.fp)
    image.fp.seek(before)
    return bool(_PNG_METADATA & names)
