# SPDX-License-Identifier: MIT
"""Scans, summed-area tables, and means over windows."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core, _gpu
from ._arrays import FLOATS, Place, dtype_of, float_dtype, host_array, like, place_of, readable
from ._checks import boolean, whole, word
from ._device import resolve


def scan(
    values: Any, operation: str = "sum", *, exclusive: bool = False, device: str | None = None, threads: int = 0,
) -> Any:
    """Running sums or maxima, as ``numpy.cumsum`` and ``numpy.maximum.accumulate``, with all threads.

    Parameters
    ----------
    values : array of one axis
        float64 and float32 as they are, float16 as float32. Sums of whole numbers and booleans are int64, as those of
        ``numpy.cumsum``, and wrap round beyond its range; maxima of int32 stay int32. An array on a GPU is used where it
        is: of float64, float32 or int64, for maxima also int32, and contiguous.
    operation : {"sum", "max"}
    exclusive : bool
        Element i is that of the elements before i, the first one 0 or the least value.
    device, threads
        As of ``Solver``. A GPU gets a copy of an array of the host.

    Returns
    -------
    array of values' shape and library, where `values` is

    Raises
    ------
    ValueError
        An option, a shape or an order cannot be used, or `device` is not where the array is.
    TypeError
        `values` is no array of such numbers.
    DeviceError
        The device is absent, fails or has too little memory.

    Notes
    -----
    Sums of floating-point numbers are in an order that depends on their number alone: the same bits in every run, on
    every device. One pass with decoupled look-back (Merrill and Garland, 2016).

    Examples
    --------
    >>> import dwell, numpy as np
    >>> dwell.scan(np.array([3, 1, 4, 1, 5]))
    array([ 3,  4,  8,  9, 14])
    >>> dwell.scan(np.array([3.0, 1.0, 4.0]), "max", exclusive=True)
    array([-inf,   3.,   3.])
    """
    place = place_of(values)
    operation, exclusive = word(operation, "operation"), boolean(exclusive, "exclusive")
    if place.gpu is not None:
        if len(values.shape) != 1:
            raise ValueError(f"values: expected 1 axis, found {len(values.shape)}")
        if values.shape[0] == 0:  # nothing is handed over that could be refused: a scan of nothing on the host is
            _core.scan(resolve("cpu", 0, None, 0), np.empty(0), np.empty(0), operation, exclusive)
        of_gpu = dtype_of(values)
        if _dtype_of_scan(of_gpu, operation) != of_gpu:
            raise TypeError(f"values: expected float64, float32 or int64, or int32 and \"max\" (arrays of a GPU are not "
                            f"converted), found {of_gpu}")
        return _there(values, place, of_gpu, "values", device, threads, _core.scan_cuda, operation, exclusive)
    given = host_array(values, "values")
    if given.ndim != 1:
        raise ValueError(f"values: expected 1 axis, found {given.ndim}")
    dtype = _dtype_of_scan(given.dtype.newbyteorder("="), operation)
    given = np.require(given, dtype, ("C", "A"))
    out = np.empty(given.shape, dtype)
    _core.scan(resolve(device, threads, None, 0), given, out, operation, exclusive)
    return like(out, place, values)


def _dtype_of_scan(dtype: np.dtype[Any], operation: str) -> np.dtype[Any]:
    """In which the results are: sums are wider than what they are of."""
    if dtype in (np.float64, np.float32, np.int64) or (dtype == np.int32 and operation == "max"):
        return dtype
    if dtype.kind in "bi" or (dtype.kind == "u" and dtype.itemsize < 8):
        return np.dtype(np.int64)
    if dtype == np.dtype(np.float16):
        return np.dtype(np.float32)
    raise TypeError(f"values: expected float64, float32, int64, int32 or smaller numbers, found {dtype}")


def _there(
    a: Any, place: Place, dtype: np.dtype[Any], what: str, device: str | None, threads: int, function: Any, *more: Any,
) -> Any:
    """A new array of the GPU that the function has written, from `a`, which is on it."""
    if "C" not in _gpu.order(a, place):
        raise ValueError(f"{what}: expected an array in C order")
    where = _gpu.device_of(a, place, device, threads)
    out = _gpu.empty(tuple(int(n) for n in a.shape), dtype, place)
    if 0 not in a.shape:
        function(where, _gpu.capsule(a, place), _gpu.capsule(out, place), *more)
    return out


def _check_image(shape: tuple[int, ...]) -> None:
    if len(shape) != 2:
        raise ValueError(f"image: expected 2 axes, found {len(shape)}")
    if 0 in shape:
        raise ValueError(f"image: expected at least one cell along each axis, found shape {shape}")


def _image_there(image: Any, place: Place, device: str | None, threads: int, function: Any, *more: Any) -> Any:
    _check_image(tuple(int(n) for n in image.shape))
    dtype = dtype_of(image)
    if dtype not in FLOATS:
        raise TypeError(f"image: expected float32 or float64 (arrays of a GPU are not converted), found {dtype}")
    return _there(image, place, dtype, "image", device, threads, function, *more)


def _image(image: Any) -> tuple[np.ndarray[Any, Any], np.dtype[Any]]:
    given = host_array(image, "image")
    _check_image(given.shape)
    dtype = float_dtype(given.dtype, "image")
    return readable(given, dtype, "image"), dtype


def summed_area_table(image: Any, *, device: str | None = None, threads: int = 0) -> Any:
    """Sums of all cells above and to the left of each cell, and of itself (Crow, 1984).

    Parameters
    ----------
    image : array of two axes
        float32 and float64 as they are, other real numbers become float64. An array on a GPU is used where it is; it must
        be float32 or float64, in C order.
    device, threads
        As of ``Solver``. A GPU gets a copy of an array of the host.

    Returns
    -------
    array of image's shape and library, where `image` is

    Raises
    ------
    ValueError, TypeError, DeviceError
        As ``scan`` does.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> dwell.summed_area_table(np.ones((2, 3)))
    array([[1., 2., 3.],
           [2., 4., 6.]])
    """
    place = place_of(image)
    if place.gpu is not None:
        return _image_there(image, place, device, threads, _core.summed_area_table_cuda)
    values, dtype = _image(image)
    out = np.empty(values.shape, dtype)
    _core.summed_area_table(resolve(device, threads, None, 0), values, out)
    return like(out, place, image)


def box_mean(image: Any, window: int | Sequence[int], *, device: str | None = None, threads: int = 0) -> Any:
    """Means over a window around each cell, in a time that does not depend on the window.

    Parameters
    ----------
    image : array of two axes
        As of ``summed_area_table``.
    window : int or (int, int)
        Rows and columns. Cells beyond the border are left out; of an even number one more lies before the cell than
        behind.
    device, threads
        As of ``Solver``. A GPU gets a copy of an array of the host.

    Returns
    -------
    array of image's shape and library, where `image` is

    Raises
    ------
    ValueError, TypeError, DeviceError
        As ``scan`` does.

    Notes
    -----
    By sums in float64 of rows and columns (van Herk, 1992). A cell has no part in windows that do not hold it, be it NaN,
    infinite or larger than all others.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> dwell.box_mean(np.array([[1.0, 2.0, 6.0]]), (1, 3))
    array([[1.5, 3. , 4. ]])
    """
    place = place_of(image)
    if isinstance(window, (tuple, list)):
        if len(window) != 2:
            raise ValueError(f"window: expected a number or two of them, found {len(window)}")
        rows, columns = (whole(n, "window") for n in window)
    else:
        rows = columns = whole(window, "window")
    if place.gpu is not None:
        return _image_there(image, place, device, threads, _core.box_mean_cuda, rows, columns)
    values, dtype = _image(image)
    out = np.empty(values.shape, dtype)
    _core.box_mean(resolve(device, threads, None, 0), values, out, rows, columns)
    return like(out, place, image)
