"""Scores and masks as callers give them, checked and brought to one of a few number types without a change of order."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from caos.foundation.errors import CaosError, first_line
from caos.foundation.score_store import ScoreArray

Mask = npt.NDArray[np.bool_]


def as_array(values: Any, name: str, place: str = "") -> npt.NDArray[Any]:
    """The values as a numpy array; a torch tensor is detached and copied to the CPU, bfloat16 becomes float32.

    Raises:
        CaosError: If they cannot become an array.
    """
    try:
        if hasattr(values, "detach") and hasattr(values, "cpu"):
            tensor = values.detach().cpu()
            return np.asarray((tensor.float() if str(tensor.dtype) == "torch.bfloat16" else tensor).numpy())
        found = np.asanyarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        raise CaosError(f"{name} cannot be read as an array of numbers{place}: {first_line(error)}") from error
    return found if isinstance(found, np.ma.MaskedArray) else np.asarray(found)


def as_scores(scores: npt.ArrayLike, place: str = "") -> ScoreArray:
    """The scores, in a type that keeps their order exactly; NaN and infinity are not looked for.

    Args:
        scores: Any shape; booleans, integers or floats.
        place: Ends the text of an error, such as ``" in file.npy"``.

    Raises:
        CaosError: If they are not real numbers, or of a float type that is wider than float64 and needs to be.
    """
    values = np.asarray(as_array(scores, "scores", place))
    if values.dtype.kind not in "fiub":
        raise CaosError(f"scores must be real numbers, not {values.dtype}{place}")
    if values.dtype in (np.float32, np.float64):
        return values.astype(values.dtype.newbyteorder("="), copy=False)
    if values.dtype.kind == "b" or values.dtype.itemsize <= 2:
        return values.astype(np.float32)
    if values.dtype.kind == "f":
        return _narrowed(values, place)
    wanted = np.float64 if values.dtype.itemsize <= 4 else values.dtype.newbyteorder("=")
    return values.astype(wanted, copy=False)


def _narrowed(values: npt.NDArray[Any], place: str) -> ScoreArray:
    """Long doubles as float64."""
    with np.errstate(over="ignore"):
        narrow = values.astype(np.float64)
    if (np.isfinite(values) & (narrow != values)).any():
        raise CaosError(f"scores of type {values.dtype} are not exact in float64; save them as float64{place}")
    return narrow


def as_mask(mask: npt.ArrayLike, name: str, shape: tuple[int, ...], place: str = "") -> Mask:
    """A mask of this shape; 0 and 1 stand for false and true.

    Raises:
        CaosError: If the shape differs or there are other values.
    """
    values = np.asarray(as_array(mask, name, place))
    if values.shape != shape:
        raise CaosError(f"{name!r} has shape {values.shape} but the scores have shape {shape}{place}")
    if values.dtype == np.bool_:
        return values
    if values.dtype.kind not in "fiu" or ((values != 0) & (values != 1)).any():
        raise CaosError(f"{name!r} must be booleans (or 0 and 1), not {values.dtype} with other values{place}")
    return values.astype(np.bool_)


def check_finite(scores: ScoreArray, place: str = "") -> None:
    """Refuse NaN and infinite scores.

    Raises:
        CaosError: If there is one.
    """
    # NaN spreads through min and max, so the two ends say it all.
    if scores.dtype.kind != "f" or not scores.size or np.isfinite((scores.min(), scores.max())).all():
        return
    bad = int(np.count_nonzero(~np.isfinite(scores)))
    raise CaosError(f"scores must be finite: {bad} of {scores.size} are NaN or infinite{place}")


def valid_pixels(
    scores: npt.ArrayLike, anomalous: npt.ArrayLike, ignore: npt.ArrayLike | None = None, place: str = ""
) -> tuple[ScoreArray, Mask]:
    """Finite scores of the pixels that count, flat, and which of them are anomalous.

    Args:
        scores: Any shape.
        anomalous: Same shape.
        ignore: Same shape; true where a pixel does not count. Masked pixels of masked arrays do not count either.
        place: Ends the text of an error.

    Raises:
        CaosError: If shapes or types do not fit, or a score that counts is NaN or infinite.
    """
    values = as_scores(scores, place)
    positive = as_mask(anomalous, "anomalous", values.shape, place)
    ignored = None if ignore is None else as_mask(ignore, "ignore", values.shape, place)
    masks = [np.ma.getmaskarray(one) for one in (scores, anomalous, ignore) if isinstance(one, np.ma.MaskedArray)]
    left_out = [mask for mask in (ignored, *masks) if mask is not None and mask.any()]
    values, positive = values.ravel(), positive.ravel()
    if left_out:
        kept = ~np.logical_or.reduce(left_out).ravel()
        values, positive = values[kept], positive[kept]
    check_finite(values, place)
    return values, positive
