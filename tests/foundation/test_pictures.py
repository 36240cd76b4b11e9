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

import caos
from caos.cli import _on_one_line
from caos.foundation.errors import CaosError
from caos.foundation.storage.images import TURNS, check_image, image_size, load_image, orientation_of, upright_bytes


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
    with pytest.raises(CaosError, match="a.png") as caught:
        load_image(path)
    assert words in str(caught.value)


def test_every_damage_of_a_picture_is_one_line_or_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    Image.linear_gradient("L").resize((20, 20)).save(path)
    whole = path.read_bytes()
    refused = 0
    for number in range(len(whole)):
        path.write_bytes(whole[:number] + bytes([whole[number] ^ 0xFF]) + whole[number + 1 :])
        try:
            load_image(path)
        except CaosError:
            refused += 1
    assert refused > len(whole) / 2


def test_names_with_control_characters_stay_on_one_line() -> None:
    assert _on_one_line("no \x1b[31mred\nfile \ud800.png é") == r"no \x1b[31mred\nfile \ud800.png é"


def chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png_of(rows: bytes, size: tuple[int, int], depth: int, colour: int, more: bytes = b"", interlaced: int = 0):
    head = struct.pack(">IIBBBBB", *size, depth, colour, 0, 0, interlaced)
    parts = chunk(b"IHDR", head) + more + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + parts


@pytest.mark.parametrize(
    ("depth", "colour", "row", "extra"),
    [
        (8, 0, 24, b""),
        (8, 2, 72, b""),
        (8, 6, 96, b""),
        (16, 0, 48, b""),
        (4, 0, 12, b""),
        (8, 3, 24, chunk(b"PLTE", bytes(768))),
    ],
)
def test_a_png_whose_data_ends_early_is_refused(
    tmp_path: Path, depth: int, colour: int, row: int, extra: bytes
) -> None:
    """Its chunks are whole and their checksums right; Pillow fills the rest with zeros."""
    path = tmp_path / "a.png"
    path.write_bytes(png_of((b"\0" + b"\7" * row) * 16, (24, 16), depth, colour, extra))
    assert (load_image(path).size, check_image(path)) == ((24, 16), (24, 16))
    for rows in (15, 8, 1):
        path.write_bytes(png_of((b"\0" + b"\7" * row) * rows, (24, 16), depth, colour, extra))
        for read in (load_image, check_image):
            with pytest.raises(CaosError, match=f"its data ends early: {rows * (row + 1)} of {16 * (row + 1)} bytes"):
                read(path)


def test_an_interlaced_png_is_complete_with_all_its_passes(tmp_path: Path) -> None:
    path, sizes = tmp_path / "a.png", [(1, 1), (1, 1), (2, 1), (1, 2), (3, 1), (2, 3), (5, 2)]
    rows = b"".join((b"\0" + b"\7" * wide) * high for wide, high in sizes)
    path.write_bytes(png_of(rows, (5, 5), 8, 0, interlaced=1))
    assert np.array_equal(np.asarray(load_image(path)), np.full((5, 5), 7))
    path.write_bytes(png_of(rows[:-6], (5, 5), 8, 0, interlaced=1))
    with pytest.raises(CaosError, match="its data ends early: 30 of 36 bytes"):
        load_image(path)


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"restart_marker_rows": 1}])
@pytest.mark.parametrize("mode", ["RGB", "L"])
def test_a_jpeg_whose_data_ends_early_is_refused(tmp_path: Path, mode: str, options: dict[str, object]) -> None:
    path, rng = tmp_path / "a.jpg", np.random.default_rng(0)
    Image.fromarray(rng.integers(0, 255, (64, 96, 3), dtype=np.uint8)).convert(mode).save(path, **options)
    data = path.read_bytes()
    assert (load_image(path).size, check_image(path)) == ((96, 64), (96, 64))
    path.write_bytes(data[: len(data) // 2] + b"\xff\xd9")
    for read in (load_image, check_image):
        with pytest.raises(CaosError, match="a.jpg cannot be read as a picture: its data ends early"):
            read(path)


@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"restart_marker_rows": 1}])
def test_a_grey_jpeg_is_not_taken_for_a_filled_up_one(tmp_path: Path, options: dict[str, object]) -> None:
    path = tmp_path / "a.jpg"
    Image.new("RGB", (40, 24), (128, 128, 128)).save(path, **options)
    path.write_bytes(path.read_bytes() + b"\xff\xd9 and more")
    assert np.array_equal(np.asarray(load_image(path)), np.full((24, 40, 3), 128))


def test_missing_strips_and_several_frames_are_refused(tmp_path: Path) -> None:
    import tifffile

    pixels = np.random.default_rng(0).integers(0, 255, (24, 16, 3), dtype=np.uint8)
    tifffile.imwrite(tmp_path / "a.tif", pixels, rowsperstrip=8, photometric="rgb")
    assert np.array_equal(np.asarray(load_image(tmp_path / "a.tif")), pixels)
    data = bytearray((tmp_path / "a.tif").read_bytes())
    with tifffile.TiffFile(tmp_path / "a.tif") as file:
        at = file.pages[0].tags["StripByteCounts"].valueoffset
    data[at + 4 : at + 6] = b"\0\0"
    (tmp_path / "a.tif").write_bytes(data)
    with pytest.raises(CaosError, match="1 of its 3 strips or tiles are missing"):
        load_image(tmp_path / "a.tif")
    one, other = Image.fromarray(pixels), Image.fromarray(255 - pixels)
    for name in ("a.png", "b.tif", "c.webp"):
        one.save(tmp_path / name, save_all=True, append_images=[other])
        with pytest.raises(CaosError, match=f"{name} holds 2 frames"):
            load_image(tmp_path / name)


@pytest.mark.parametrize("suffix", ["jpg", "png", "webp", "tif"])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_every_orientation_is_undone_by_every_reader(tmp_path: Path, suffix: str, orientation: int) -> None:
    from PIL import ImageOps

    upright = np.zeros((16, 24, 3), np.uint8)
    upright[:8, :8], upright[8:, 16:] = (250, 10, 10), (10, 10, 250)
    turned = Image.fromarray(upright)
    if orientation > 1:
        back = {6: 8, 8: 6}.get(orientation, orientation)
        turned = turned.transpose(TURNS[back])
    exif = Image.Exif()
    exif[0x0112] = orientation
    path = tmp_path / f"a.{suffix}"
    options = {"jpg": {"quality": 100, "subsampling": 0}, "webp": {"lossless": True}}.get(suffix, {})
    turned.save(path, exif=exif, **options)
    with Image.open(path) as opened:
        assert np.abs(np.asarray(ImageOps.exif_transpose(opened)).astype(int) - upright).max() <= 6
    assert np.abs(np.asarray(load_image(path)).astype(int) - upright).max() <= 6
    assert (image_size(path), check_image(path)) == ((24, 16), (24, 16))
    (tmp_path / f"b.{suffix}").write_bytes(upright_bytes(path))
    assert orientation_of(tmp_path / f"b.{suffix}") == 1
    assert np.abs(np.asarray(load_image(tmp_path / f"b.{suffix}")).astype(int) - upright).max() <= 6


def test_small_grey_values_of_a_map_are_those_that_are_stored(tmp_path: Path) -> None:
    rows = b"".join(b"\0" + bytes((0x01, 0x2E)) for _ in range(2))
    (tmp_path / "a.png").write_bytes(png_of(rows, (4, 2), 4, 0))
    assert np.asarray(load_image(tmp_path / "a.png", exact=True)).tolist() == [[0, 1, 2, 14]] * 2
    Image.new("L", (4, 2)).save(tmp_path / "b.jpg")
    with pytest.raises(CaosError, match="b.jpg is a JPEG, which does not keep exact values"):
        load_image(tmp_path / "b.jpg", exact=True)


def test_no_other_module_opens_images() -> None:
    """One reader for all rooms: it alone turns images upright and finds incomplete ones."""
    root = Path(caos.__file__).parent  # the rooms lie below it, as links in a checkout and as folders elsewhere
    rooms = ("foundation", "assets", "simulator", "scenes", "segmentation", "ood_scores", "studies", ".")
    opening = ("Image.open(", "cv2.imread(", "imageio", "skimage.io", "read_file(", "decode_image(")
    found = {
        path.relative_to(root).as_posix(): [word for word in opening if word in text]
        for room in rooms
        for path in (root / room).rglob("*.py")
        if any(word in (text := path.read_text()) for word in opening)
    }
    assert found == {
        "foundation/storage/images.py": ["Image.open("],
        "foundation/storage/image_completeness.py": ["Image.open("],
        "ood_scores/sources/score_maps.py": ["cv2.imread("],  # score maps, after the one reader has checked the file
    }


@pytest.mark.parametrize("bits", [1, 8, 16])
@pytest.mark.parametrize("compression", [None, "zlib"])
def test_a_tiff_in_which_white_is_zero_has_its_displayed_values(
    tmp_path: Path, bits: int, compression: str | None
) -> None:
    kind = {1: np.bool_, 8: np.uint8, 16: np.uint16}[bits]
    stored = np.array([[0, 1, 0], [1, 1, 0]]).astype(kind)
    for photometric in ("minisblack", "miniswhite"):
        tifffile.imwrite(tmp_path / f"{photometric}.tif", stored, photometric=photometric, compression=compression)
    assert np.array_equal(np.asarray(load_image(tmp_path / "minisblack.tif")), stored)
    displayed = np.asarray(load_image(tmp_path / "miniswhite.tif"), np.int64)
    assert np.array_equal(displayed, (2**bits - 1) - stored.astype(np.int64))


def test_a_float_tiff_in_which_white_is_zero_is_negated(tmp_path: Path) -> None:
    stored = np.array([[0.0, 0.25, -3.0]], np.float32)
    tifffile.imwrite(tmp_path / "a.tif", stored, photometric="miniswhite")
    assert np.array_equal(np.asarray(load_image(tmp_path / "a.tif")), -stored)
