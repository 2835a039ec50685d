# SPDX-License-Identifier: MIT
"""Matrices of any library as the three arrays of compressed sparse rows, without a copy where they are that already."""
from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from . import _gpu
from ._arrays import HOST, Place, dtype_of, float_dtype, host_array, number_dtype, place_of, warn_of_rounding

_INDEX = np.dtype(np.int32)
_MOST = np.iinfo(np.int32).max  # rows
_MOST_ENTRIES = _MOST  # that int32 counts; tests let it count fewer


class Csr(NamedTuple):
    """indptr and indices of int32 (indptr of int64 where there are more entries than int32 counts), data of float32 or float64, or complex64 or complex128; NumPy arrays, or arrays on GPU number place.gpu."""

    indptr: Any
    indices: Any
    data: Any
    cols: int
    dtype: np.dtype[Any]
    place: Place

    @property
    def rows(self) -> int:
        return int(self.indptr.shape[0]) - 1

    @property
    def large(self) -> bool:
        """Has it more entries than int32 counts?"""
        return bool(self.indptr.dtype == np.int64)


def as_csr(a: Any, rhs_dtype: np.dtype[Any] | None = None, *, or_complex: bool = False, or_large: bool = False) -> Csr:
    """`a` in the precision that SciPy computes in: float64 where `a` or `rhs_dtype` is no float32; complex where one of them
    is, if that is taken. or_large: real arrays of the host may have more entries than int32 counts.

    Throws TypeError for what is no sparse matrix, ValueError for sizes that are not taken.
    """
    if rhs_dtype is not None and not or_complex:
        float_dtype(rhs_dtype, "b")
    out = _as_csr(a, rhs_dtype, or_large)
    if not or_complex:
        float_dtype(out.dtype, "A")
    elif out.dtype.kind == "c" and out.place.gpu is not None:
        raise TypeError(f"A: expected arrays of the host for complex numbers, found arrays on cuda:{out.place.gpu}")
    return out


def _as_csr(a: Any, rhs_dtype: np.dtype[Any] | None, or_large: bool) -> Csr:
    if scipy.sparse.issparse(a):
        return _of_scipy(a, rhs_dtype, or_large)
    if isinstance(a, tuple) and len(a) == 3:
        return _of_arrays(a, None, rhs_dtype, or_large)
    root = type(a).__module__
    if root.startswith("cupyx.scipy.sparse"):
        rows = a.tocsr()
        if not rows.has_canonical_format:
            rows = rows.copy()
            rows.sum_duplicates()
        return _of_arrays((rows.indptr, rows.indices, rows.data), rows.shape, rhs_dtype, or_large)
    if root.partition(".")[0] == "torch":
        return _of_torch(a, rhs_dtype, or_large)
    if root.startswith("jax.experimental.sparse"):
        from jax.experimental import sparse

        rows = sparse.BCSR.from_bcoo(a) if isinstance(a, sparse.BCOO) else a
        if not isinstance(rows, sparse.BCSR) or rows.n_batch or rows.n_dense:
            raise TypeError(f"A: expected a BCSR of two sparse axes, found {type(a).__name__}")
        return _of_arrays((rows.indptr, rows.indices, rows.data), rows.shape, rhs_dtype, or_large)
    if callable(getattr(a, "matvec", None)) or callable(a):
        raise TypeError(f"A: expected a sparse matrix, whose entries can be kept on the chip, found {type(a).__name__}")
    dense = host_array(a, "A")
    if dense.ndim != 2:
        raise ValueError(f"A: expected a matrix, found {dense.ndim} axes")
    own = number_dtype(dense.dtype, "A")
    warn_of_rounding(dense, own, "A")
    return _of_scipy(scipy.sparse.csr_array(dense.astype(own, copy=False)), rhs_dtype, or_large)


def _computed_in(dtype: np.dtype[Any], rhs_dtype: np.dtype[Any] | None) -> np.dtype[Any]:
    own = number_dtype(dtype, "A")
    return own if rhs_dtype is None else np.promote_types(own, number_dtype(rhs_dtype, "b"))


def _of_scipy(a: Any, rhs_dtype: np.dtype[Any] | None, or_large: bool) -> Csr:
    if len(a.shape) != 2:
        raise ValueError(f"A: expected a matrix, found {len(a.shape)} axes")
    given = a if a.format in ("csr", "csc", "coo", "bsr") else a.tocsr()  # the others have no arrays of values
    own = number_dtype(given.dtype, "A")
    if given.dtype != own:  # before duplicates are summed, which in int8 would wrap round
        warn_of_rounding(given.data, own, "A")
        given = given.astype(own)
    if given.format == "csr":
        _require_sound(given.indptr, given.indices)
    rows = given.tocsr()
    if not rows.has_canonical_format:
        rows = rows.copy() if rows is a else rows
        rows.sum_duplicates()
    return _of_host(rows.indptr, rows.indices, rows.data, int(a.shape[1]), rhs_dtype, or_large)


def _require_sound(indptr: np.ndarray[Any, Any], indices: np.ndarray[Any, Any]) -> None:
    """SciPy follows row pointers wherever they lead."""
    if indptr.size == 0 or indptr[0] != 0 or int(indptr[-1]) > indices.size or (indptr[1:] < indptr[:-1]).any():
        raise ValueError(f"A: expected row pointers (indptr) that ascend from 0 to at most {indices.size}, found others")


def _of_host(indptr: Any, indices: Any, data: Any, cols: int, rhs_dtype: np.dtype[Any] | None, or_large: bool) -> Csr:
    if indptr.size - 1 > _MOST:
        raise ValueError(f"A: expected at most {_MOST} rows, found {indptr.size - 1}")
    dtype = _computed_in(data.dtype, rhs_dtype)
    large = data.size > _MOST_ENTRIES
    if large and (not or_large or dtype.kind == "c"):  # before anything is copied
        raise ValueError(f"A: expected at most {_MOST_ENTRIES} entries{' of complex numbers' if or_large else ''}, found "
                         f"{data.size}")
    warn_of_rounding(data, dtype, "A")
    if data.dtype != dtype or not data.flags.carray:
        data = np.require(data, dtype, ("C", "A"))
    return Csr(_host_index(indptr, "indptr", large), _host_index(indices, "indices"), data, cols, dtype, HOST)


def _host_index(a: np.ndarray[Any, Any], what: str, in_64_bits: bool = False) -> np.ndarray[Any, Any]:
    if a.dtype == _INDEX and a.flags.carray and not in_64_bits:
        return a
    if a.dtype.kind not in "iu":
        raise TypeError(f"{what}: expected integers, found {a.dtype}")
    if in_64_bits:
        return np.require(a, np.int64, ("C", "A"))
    if a.size:
        _gpu.require_index_range(int(a.min()), int(a.max()), what)
    return np.require(a, _INDEX, ("C", "A"))


def _of_arrays(arrays: tuple[Any, Any, Any], shape: Any, rhs_dtype: np.dtype[Any] | None, or_large: bool) -> Csr:
    names = ("indptr", "indices", "data")
    places = [place_of(a) for a in arrays]
    if len({p.gpu for p in places}) > 1:
        raise ValueError("A: expected indptr, indices and data on one device, found several")
    for a, name in zip(arrays, names):
        if len(np.shape(a) if places[0].gpu is None else a.shape) != 1:
            raise ValueError(f"{name}: expected one axis, found shape {tuple(np.shape(a))}")
    if places[0].gpu is None:
        indptr, indices, data = (host_array(a, name) for a, name in zip(arrays, names))
        cols = int(shape[1]) if shape is not None else max(0, len(indptr) - 1)
        return _of_host(indptr, indices, data, cols, rhs_dtype, or_large)
    indptr, indices, data = arrays
    dtype = _computed_in(dtype_of(data), rhs_dtype)
    _gpu.check(data, dtype, "A")
    cols = int(shape[1]) if shape is not None else int(indptr.shape[0]) - 1
    if max(cols, int(data.shape[0])) > np.iinfo(np.int32).max:
        raise ValueError(f"A: expected at most {np.iinfo(np.int32).max} columns and entries, found {cols} and "
                         f"{int(data.shape[0])}")
    indptr, indices = _gpu.as_index(indptr, places[0], "indptr"), _gpu.as_index(indices, places[1], "indices")
    return Csr(indptr, indices, data, cols, dtype, places[2])


def _of_torch(a: Any, rhs_dtype: np.dtype[Any] | None, or_large: bool) -> Csr:
    import torch

    if not isinstance(a, torch.Tensor):
        raise TypeError(f"A: expected a sparse matrix, found {type(a).__name__}")
    if a.layout != torch.sparse_csr:
        raise TypeError(f"A: expected a tensor of layout sparse_csr (to_sparse_csr() makes one), found {a.layout}")
    a = a.detach()
    return _of_arrays((a.crow_indices(), a.col_indices(), a.values()), a.shape, rhs_dtype, or_large)


def to_host(a: Csr) -> Csr:
    """A copy in the host's memory of a matrix on a GPU; a matrix of the host is itself."""
    if a.place.gpu is None:
        return a

    def copy(part: Any) -> Any:
        if a.place.kind == "torch":
            return part.cpu().numpy()
        return part.get() if hasattr(part, "get") else np.asarray(part)

    return Csr(copy(a.indptr), copy(a.indices), copy(a.data), a.cols, a.dtype, HOST)
