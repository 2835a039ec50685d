# SPDX-License-Identifier: MIT
"""Sums, extremes, norms and inner products with the same bits on every device."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, _gpu
from ._arrays import FLOATS, Place, dtype_of, float_dtype, host_array, place_of, readable
from ._checks import word
from ._device import resolve


def reduce(values: Any, operation: str = "sum", *, device: str | None = None, threads: int = 0) -> float:
    """Sum, least or greatest element, or norm of all elements.

    Parameters
    ----------
    values : array of any shape
        float32 and float64 as they are, other real numbers as float64. An array on a GPU is used where it is; it must
        be float32 or float64 and contiguous.
    operation : {"sum", "min", "max", "norm1", "norm2", "norm-max"}
        ``"norm1"`` is the sum of magnitudes, ``"norm2"`` the Euclidean norm, ``"norm-max"`` the largest magnitude.
    device, threads
        As of ``Solver``. A GPU gets a copy of an array of the host.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        The operation is not known, there is no least or greatest element, or `device` is not where the array is.
    TypeError
        `values` is no array of such numbers.
    DeviceError
        The device is absent, fails or has too little memory.

    Notes
    -----
    In float64 whatever the elements are, and in an order that depends on their number alone, elements being taken in C
    order: the same bits in every run, with any number of threads, on every device. The order is the one in which
    solvers add up norms of right-hand sides and residuals. A NaN among the elements gives NaN. ``"norm2"`` neither
    overflows nor loses small elements where squares would.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> dwell.reduce(np.array([3.0, -4.0]), "norm2")
    5.0
    >>> dwell.reduce(np.array([3, 1, 4, 1, 5]))
    14.0
    """
    place, operation = place_of(values), word(operation, "operation")
    if place.gpu is None:
        return float(_core.reduce(resolve(device, threads, None, 0), _of_host(values, "values"), operation))
    flat = _of_gpu(values, place, dtype_of(values), "values")
    return float(_core.reduce_cuda(_gpu.device_of(values, place, device, threads), flat, operation))


def dot(x: Any, y: Any, *, device: str | None = None, threads: int = 0) -> float:
    """Inner product of two real arrays of the same shape.

    Parameters
    ----------
    x, y : arrays of any shape
        As of ``reduce``; both on the host or on the same GPU. If only one of two arrays of the host is float32, it
        becomes float64.
    device, threads
        As of ``Solver``. A GPU gets copies of arrays of the host.

    Returns
    -------
    float

    Raises
    ------
    ValueError, TypeError, DeviceError
        As ``reduce`` does, and for arrays of different shapes.

    Notes
    -----
    Products are rounded to float64 and added up as ``reduce`` adds.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> dwell.dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    place, other = place_of(x), place_of(y)
    if place.gpu != other.gpu:
        raise ValueError(f"y: expected an array {_where(place)}, where x is, found one {_where(other)}")
    if place.gpu is None:
        a, b = host_array(x, "x"), host_array(y, "y")
        _require_shape(b.shape, a.shape)
        dtype = np.result_type(float_dtype(a.dtype, "x"), float_dtype(b.dtype, "y"))
        a, b = readable(a, dtype, "x").reshape(-1), readable(b, dtype, "y").reshape(-1)
        return float(_core.dot(resolve(device, threads, None, 0), a, b))
    _require_shape(tuple(y.shape), tuple(x.shape))
    dtype = dtype_of(x)
    where = _gpu.device_of(x, place, device, threads)
    if not _gpu.current_stream(place):
        _gpu.wait_for(y, other)
    return float(_core.dot_cuda(where, _of_gpu(x, place, dtype, "x"), _of_gpu(y, other, dtype, "y")))


def _where(place: Place) -> str:
    return "of the host" if place.gpu is None else f"on cuda:{place.gpu}"


def _require_shape(found: tuple[int, ...], wanted: tuple[int, ...]) -> None:
    if found != wanted:
        raise ValueError(f"y: expected shape {wanted} as x has, found {found}")


def _of_host(values: Any, what: str) -> np.ndarray[Any, Any]:
    given = host_array(values, what)
    return readable(given, float_dtype(given.dtype, what), what).reshape(-1)


def _of_gpu(a: Any, place: Place, dtype: np.dtype[Any], what: str) -> Any:
    if dtype not in FLOATS:
        raise TypeError(f"{what}: expected float32 or float64 (arrays of a GPU are not converted), found {dtype}")
    _gpu.check(a, dtype, what)
    if "C" not in _gpu.order(a, place):
        raise ValueError(f"{what}: expected a contiguous array")
    return _gpu.capsule(a if len(a.shape) == 1 else a.reshape(-1), place)

