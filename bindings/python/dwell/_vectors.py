# SPDX-License-Identifier: MIT
"""Right-hand sides, starts and answers of a solve: checked, and as the extension takes them."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _gpu
from ._arrays import Place, host_array, place_of, readable, require_convertible, require_writable


def on_host(b: Any, x0: Any, out: Any, n: int, dtype: np.dtype[Any]) -> tuple[Any, Any, Any, bool]:
    """Right-hand side and answer as the extension takes them, the answer in b's shape; several columns?"""
    rhs = host_array(b, "b")
    shape = rhs.shape
    columns = len(shape) == 2 and shape[1] != 1
    if not shape or len(shape) > 2 or shape[0] != n:
        raise ValueError(f"b: expected shape ({n},), ({n}, 1) or ({n}, k), found {shape}")
    rhs = _in_columns(rhs, dtype) if columns else readable(rhs, dtype, "b")
    if rhs.ndim == 2 and not columns:
        rhs = rhs.reshape(-1)
    if out is None:
        x = np.zeros(shape, dtype, "F")
    else:
        if place_of(out).gpu is not None:
            raise ValueError("out: expected an array of the host, where b is, found one of a GPU")
        x = host_array(out, "out")
        require_writable(x, dtype, shape, "out")
        if not (x.flags.f_contiguous if columns else x.flags.c_contiguous or x.flags.f_contiguous):
            raise ValueError("out: expected a contiguous array" + (" in Fortran order" if columns else ""))
        if np.may_share_memory(x, rhs):
            raise ValueError("out: expected memory of its own, found that of b")
    if x0 is not None:
        start = host_array(x0, "x0")
        if start.shape not in ((n,), (n, 1), shape):
            raise ValueError(f"x0: expected shape {shape}, found {start.shape}")
        require_convertible(start, dtype, "x0")
        x[...] = start.reshape(shape) if start.size == x.size else start.reshape(n, 1)
    elif out is not None:
        x[...] = 0
    flat = x.reshape(-1) if x.ndim == 2 and not columns else x
    return rhs, flat, x, columns


def on_gpu(b: Any, x0: Any, out: Any, n: int, dtype: np.dtype[Any], place: Place) -> tuple[Any, Any, Any, bool]:
    """Vectors in the memory of a GPU, nothing copied."""
    shape = tuple(b.shape)
    columns = len(shape) == 2 and shape[1] != 1
    if not shape or len(shape) > 2 or shape[0] != n:
        raise ValueError(f"b: expected shape ({n},), ({n}, 1) or ({n}, k), found {shape}")
    if out is not None and place.kind == "jax":
        raise ValueError("out: arrays of JAX cannot be written")
    wanted = "F" if columns else "C"
    for a, what in ((b, "b"), (x0, "x0"), (out, "out")):
        if a is None:
            continue
        _gpu.check(a, dtype, what)
        if place_of(a).gpu != place.gpu or tuple(a.shape) != shape:
            raise ValueError(f"{what}: expected shape {shape} on cuda:{place.gpu}, found {tuple(a.shape)}")
        if wanted not in _gpu.order(a, place) and not (not columns and _gpu.order(a, place) == "F"):
            raise ValueError(f"{what}: expected a contiguous array" + (" in Fortran order" if columns else ""))
    x = _gpu.answer(b, place, x0, out)
    flat = (b, x) if columns or len(shape) == 1 else (b.reshape(-1), x.reshape(-1))
    return _gpu.capsule(flat[0], place), _gpu.capsule(flat[1], place), x, columns


def _in_columns(b: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    if b.dtype != dtype:
        require_convertible(b, dtype, "b")
    return np.require(b, dtype, ("F", "A"))
