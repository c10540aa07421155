"""Checks and batches shared by the public functions: clean float64 rows in, leading shape kept."""

import numpy as np

from dynamics.errors import BadInput


def as_rows(width: int, **named: object) -> tuple[list[np.ndarray], tuple[int, ...]]:
    """Named arrays (..., ``width``) as float64 rows (k, ``width``), and their leading shape.

    They are broadcast against each other.
    """
    arrays = [_as_float(value, name, width) for name, value in named.items()]
    lead = arrays[0].shape[:-1]
    if any(array.shape[:-1] != lead for array in arrays):
        try:
            lead = np.broadcast_shapes(*(a.shape[:-1] for a in arrays))
        except ValueError:
            found = {k: a.shape for k, a in zip(named, arrays, strict=True)}
            raise BadInput("leading dimensions do not fit each other", found=found) from None
        arrays = [np.broadcast_to(a, (*lead, width)) for a in arrays]
    return [_writable(a).reshape(-1, width) for a in arrays], lead


def rows_like(value: object, width: int, name: str, lead: tuple[int, ...]) -> np.ndarray:
    """One more array (…, width), broadcast to leading shape ``lead`` and flattened to rows."""
    array = _as_float(value, name, width)
    if array.shape[:-1] == lead:
        return _writable(array).reshape(-1, width)
    try:
        return _writable(np.broadcast_to(array, (*lead, width))).reshape(-1, width)
    except ValueError:
        message = f"{name} does not fit the other arrays"
        raise BadInput(message, found=array.shape, allowed=f"{(*lead, width)}") from None


def _writable(array: np.ndarray) -> np.ndarray:
    """The array itself where it may be written to, else a copy.

    Kernels are compiled for one of the two.
    """
    flags = array.flags
    return array if flags.c_contiguous and flags.writeable else np.array(array, order="C")


def _as_float(value: object, name: str, width: int) -> np.ndarray:
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{name} must hold numbers", found=value) from None
    if array.ndim == 0 or array.shape[-1] != width:
        raise BadInput(f"{name} has the wrong shape", found=array.shape, allowed=f"(…, {width})")
    return array
