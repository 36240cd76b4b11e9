"""Score maps on disk: ours, and those of any other detector.

A folder holds one map per image, named after the image: for ``test/t5/12`` any of ``test/t5/12.npy``, ``t5/12.npy``,
``t5_12.npy`` or, where file names do not repeat, ``12.npy``. A folder of such folders holds several detectors; so does
one of detectors with a folder for this set each, as SegmentMeIfYouCan writes them (``anomaly_p/DETECTOR/SET``).
Formats: ``.npy``, ``.npz`` (one array, or one called ``scores``), ``.tif``/``.tiff`` and ``.png`` (float or integer),
and ``.hdf5``/``.h5`` with one dataset, as SegmentMeIfYouCan writes them. Higher is more anomalous. Scores keep the
precision of the file. Of a TIFF the displayed intensity counts: values of a file with the photometric interpretation
"white is zero" are inverted.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError, first_line
from caos.foundation.storage.arrays import names_in_npz, read_npy, read_npz
from caos.foundation.storage.files import whole_file
from caos.foundation.storage.images import check_image, image_size
from caos.ood_scores.measuring.inputs import as_scores
from caos.ood_scores.measuring.pixel_counts import ScoreMap
from caos.scenes.dataset.layout import Sample


def read_map(path: Path, shape: tuple[int, int]) -> ScoreMap:
    """A score map, checked.

    Raises:
        CaosError: If the file cannot be read, is not a map of this shape, or holds NaN or infinity.
    """
    reader = _READERS.get(path.suffix.lower())
    if reader is None:
        raise CaosError(f"{path}: unknown kind of score map {path.suffix!r} (known: {', '.join(sorted(_READERS))})")
    if not path.is_file():
        # A pipe or a device would be waited for without end.
        raise CaosError(f"{path} cannot be read as a score map: it is not a file")
    try:
        raw = np.asarray(reader(path, shape[0] * shape[1]))
    except CaosError:
        raise
    except Exception as error:
        reason = first_line(error)
        raise CaosError(f"{path} cannot be read as a score map: {reason}") from error
    return _checked(raw, shape, path)


def _checked(raw: npt.NDArray[Any], shape: tuple[int, int], path: Path) -> ScoreMap:
    if isinstance(raw, np.ma.MaskedArray) and np.ma.getmaskarray(raw).any():
        raise CaosError(f"{path}: score map has masked pixels; give every pixel a score")
    scores = as_scores(raw, f" in {path}")
    if scores.squeeze().shape != tuple(side for side in shape if side != 1):
        raise CaosError(f"{path}: score map has shape {_size(scores.shape)} but the image is {_size(shape)}")
    if scores.dtype.kind == "f" and not np.isfinite(scores).all():
        bad = int(np.count_nonzero(~np.isfinite(scores)))
        raise CaosError(f"{path}: {bad} of {scores.size} scores are NaN or infinite")
    return scores.reshape(shape)


def _size(shape: tuple[int, ...]) -> str:
    return f"{shape[1]}x{shape[0]} pixels" if len(shape) == 2 else str(shape)


# Each reader is told how many pixels the image has: what declares more is refused before it takes the memory.
_WIDEST_VALUE: Final = 16
"""Bytes of the largest number numpy has."""


def _read_npy(path: Path, pixels: int) -> Any:
    with _as_a_map(path):
        return read_npy(path, most_bytes=_most_bytes(pixels))


@contextlib.contextmanager
def _as_a_map(path: Path) -> Iterator[None]:
    try:
        yield
    except CaosError as error:
        raise CaosError(f"{path} cannot be read as a score map: {error}") from error


def _read_npz(path: Path, pixels: int) -> Any:
    with _as_a_map(path):
        names = names_in_npz(path)
    if "scores" not in names and len(names) != 1:
        raise CaosError(f"{path} must hold one array, or one called 'scores', not {', '.join(names) or 'none'}")
    name = "scores" if "scores" in names else names[0]
    with _as_a_map(path):
        return read_npz(path, (name,), most_bytes=_most_bytes(pixels))[name]


def _most_bytes(pixels: int) -> int:
    header = 4096
    return _WIDEST_VALUE * pixels + header


def _read_tiff(path: Path, pixels: int) -> Any:
    import tifffile

    with tifffile.TiffFile(path, **_NO_OTHER_FILES) as file:
        _check_tiff(file, path)
        _check_declared(math.prod(file.series[0].shape), pixels, path)
        values = file.series[0].asarray()
        page: Any = file.series[0].keyframe
        tag = page.tags.get("PhotometricInterpretation")
        return values if tag is None or tag.value != _WHITE_IS_ZERO else _inverted(values, page.bitspersample)


_WHITE_IS_ZERO: Final = 0
"""The TIFF tag's value for pictures whose smallest stored value is displayed brightest."""


def _inverted(values: npt.NDArray[Any], bits: int) -> npt.NDArray[Any]:
    """Displayed intensities of stored values where 0 is white: white less the value up to 16 bits, else negated."""
    if values.dtype.kind == "b":
        return ~values
    if values.dtype.kind == "u" and values.dtype.itemsize <= 2:
        return np.asarray(values.dtype.type(2**bits - 1) - values)
    # White of 32 bits less a small value has no place in float32.
    wide = values.astype(np.int64) if values.dtype == np.uint32 else values
    return np.asarray(~wide if wide.dtype.kind in "ui" else -wide)


_NO_OTHER_FILES: Final[dict[str, Any]] = {"is_ome": False, "is_mmstack": False, "is_ndtiff": False}
"""Kinds of TIFF whose pixels lie in further files, which the first one names; they are read as plain ones."""


def _check_tiff(file: Any, path: Path) -> None:
    """Refuse several images in one file, and strips or tiles without data, which tifffile fills with zeros."""
    if len(file.series) != 1:
        raise CaosError(f"{path} holds {len(file.series)} images; save the score map as a file of its own")
    page, size = file.pages[0], file.filehandle.size
    parts = list(zip(page.dataoffsets, page.databytecounts, strict=True))
    missing = sum(not at or not length or at + length > size for at, length in parts)
    if missing or not parts:
        raise CaosError(f"{path}: {missing} of its {len(parts)} strips or tiles are missing")


def _read_png(path: Path, pixels: int) -> Any:
    import cv2

    with _as_a_map(path):
        _check_declared(math.prod(image_size(path)), pixels, path)
        check_image(path)  # raises over damage, of which OpenCV writes to the terminal by itself
    picture = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    if picture is None:
        raise CaosError(f"{path} cannot be read as a score map: not a PNG picture")
    return picture


def _read_hdf5(path: Path, pixels: int) -> Any:
    import h5py

    found: list[Any] = []
    with h5py.File(path, "r") as file:
        file.visititems(lambda _, item: found.append(item) if isinstance(item, h5py.Dataset) else None)
        if len(found) != 1:
            raise CaosError(f"{path} must hold one dataset, not {len(found)}")
        # Such a dataset would be filled from any file that this one names.
        if found[0].external or found[0].is_virtual:
            raise CaosError(f"{path}: its dataset lies in other files; store the scores in this file")
        _check_declared(math.prod(found[0].shape or (0,)), pixels, path)
        return found[0][()]


def _check_declared(values: int, pixels: int, path: Path) -> None:
    if values > pixels:
        raise CaosError(f"{path}: declares {values} values, but the image has {pixels} pixels")


_READERS: Mapping[str, Callable[[Path, int], Any]] = {
    ".npy": _read_npy,
    ".npz": _read_npz,
    ".tif": _read_tiff,
    ".tiff": _read_tiff,
    ".png": _read_png,
    ".hdf5": _read_hdf5,
    ".h5": _read_hdf5,
}


def write_map(path: Path, scores: ScoreMap) -> None:
    """Write a map as ``.npz`` so that reading it gives the same numbers."""
    with whole_file(path) as temporary:
        np.savez_compressed(temporary, scores=scores)


def find_detectors(folder: Path, samples: Sequence[Sample]) -> dict[str, dict[str, Path]]:
    """Detector names, and for each the map of every sample: ``{name: {key: path}}``.

    Raises:
        CaosError: If there is no folder, no map in it, or the map of one image is missing.
    """
    if not folder.is_dir():
        raise CaosError(f"{folder} is not a folder; --maps takes a folder with one score map per image")
    repeated = {stem for stem, n in Counter(Path(s.key).name for s in samples).items() if n > 1}
    found = _places(folder, lambda place: _any_map(place, samples, repeated))
    if not found:
        kinds = " ".join(sorted(_READERS))
        example = samples[0].key
        raise CaosError(f"{folder} holds no score map: none is named like {example!r} with one of {kinds}")
    return {name: _complete(place, samples, repeated) for name, place in found.items()}


def _places(folder: Path, has_maps: Callable[[Path], bool]) -> dict[str, Path]:
    """Folders with maps by name of the detector: this one, those in it, or those in them, one for each."""
    if has_maps(folder):
        return {folder.name: folder}
    inside = sorted(path for path in folder.iterdir() if path.is_dir())
    found = {place.name: place for place in inside if has_maps(place)}
    if found:
        return found
    deeper = {place: [path for path in sorted(place.iterdir()) if path.is_dir() and has_maps(path)] for place in inside}
    return {place.name: paths[0] for place, paths in deeper.items() if len(paths) == 1}


def _any_map(folder: Path, samples: Sequence[Sample], repeated: set[str]) -> bool:
    return any(_find(folder, sample, repeated) for sample in samples)


def _complete(folder: Path, samples: Sequence[Sample], repeated: set[str]) -> dict[str, Path]:
    maps: dict[str, Path] = {}
    missing: list[str] = []
    for sample in samples:
        path = _find(folder, sample, repeated)
        if path is None:
            missing.append(sample.key)
        else:
            maps[sample.key] = path
    if missing:
        raise CaosError(f"{folder} lacks the score map of {missing[0]!r} (missing: {len(missing)} of {len(samples)})")
    return maps


def _find(folder: Path, sample: Sample, repeated: set[str]) -> Path | None:
    split, town, stem = sample.key.split("/", 2)
    bases = [sample.key, f"{town}/{stem}", f"{town}_{stem}", f"{split}_{town}_{stem}"]
    if stem not in repeated:
        bases.append(stem)
    paths = (folder / f"{base}{suffix}" for base in bases for suffix in _READERS)
    found = [path for path in paths if path.is_file()]
    if len(found) > 1:
        raise CaosError(f"{found[0]} and {found[1]} are both score maps of {sample.key!r}; keep one of them")
    return found[0] if found else None
