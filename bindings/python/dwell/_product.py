# SPDX-License-Identifier: MIT
"""Products with one sparse matrix: checked, cut and uploaded once."""
from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from . import _core, _gpu
from ._arrays import Place, host_array, like, place_of, readable, require_convertible, require_writable
from ._csr import as_csr
from ._device import resolve
from ._turn import Turn

_NATIVE: dict[str, type[_core.ProductF64] | type[_core.ProductF32]] = {
    "float64": _core.ProductF64, "float32": _core.ProductF32}


@dataclasses.dataclass(frozen=True)
class ProductReport:
    """How a ``Product`` holds its matrix."""

    teams: int  #: threads, or thread blocks
    reason: str  #: why so many
    bytes: int  #: that a product must move: A as it is held, x and y once each
    setup_s: float  #: seconds that preparing took


class Product(_gpu.StreamUser):
    """``A @ x`` with a sparse matrix, again and again.

    Parameters
    ----------
    A : sparse matrix of shape (m, n)
        As of ``Solver``, of any shape; rows may have no entries. What has int32 indices, sorted and without duplicates,
        and float32 or float64 values in compressed sparse rows is not copied: a CPU then reads these arrays in place,
        so they must not change while the product lives.
    device, threads
        As of ``Solver``.

    Raises
    ------
    ValueError
        A value of the matrix is not finite, or its arrays are malformed.
    TypeError
        `A` is no matrix of real numbers.
    DeviceError
        The device is absent, fails or has too little memory.

    Notes
    -----
    Sums have a fixed order: a product repeats bit for bit on the same device with the same number of threads. Threads
    that share a product take turns. `shape`, `dtype` and `matvec` are what ``scipy.sparse.linalg.aslinearoperator``
    asks for.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> A = dwell.generate("poisson2d:40x30")
    >>> p = dwell.Product(A)
    >>> x = np.ones(1200)
    >>> bool(np.allclose(p @ x, A @ x))
    True
    """

    def __init__(self, A: Any, *, device: str | None = None, threads: int = 0) -> None:
        a = as_csr(A)
        self._take_stream(a.place)
        self._device = resolve(device, threads, a.place.gpu, self._stream)
        self._shape, self._dtype = (a.rows, a.cols), a.dtype
        arrays: tuple[Any, ...] = (a.indptr, a.indices, a.data)
        make: Any = _NATIVE[a.dtype.name]
        if a.place.gpu is not None:
            if not self._stream:
                _gpu.wait_for(a.data, a.place)
            arrays, make = tuple(_gpu.capsule(part, a.place) for part in arrays), make.on_cuda
        self._native: _core.ProductF64 | _core.ProductF32 = make(self._device, *arrays, a.cols)
        self._turn = Turn("product")

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the matrix."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64, of the matrix and all vectors."""
        return self._dtype

    @property
    def report(self) -> ProductReport:
        """How the matrix is held."""
        return ProductReport(**self._native.report())

    def apply(self, x: Any, out: Any = None, *, alpha: float = 1.0, beta: float = 0.0) -> Any:
        """``alpha A x + beta out``.

        Parameters
        ----------
        x : array of shape (n,), (n, 1) or (n, k)
            NumPy's (or what NumPy makes an array of), CuPy's, PyTorch's, JAX's, or of any library with DLPack or
            ``__cuda_array_interface__``. Used in place if it has the product's dtype and, of shape (n, k), Fortran
            order; else copied (of a GPU: refused). Columns are multiplied one after the other.
        out : array of shape (m,), (m, 1) or (m, k), optional
            Where the result goes: of x's library, of the product's dtype, contiguous (of shape (m, k): in Fortran
            order), writable, and not x's memory.
        alpha, beta : float
            With ``beta=0`` what `out` held does not count. Another beta needs `out`.

        Returns
        -------
        array of x's library and device
            `out` if that was given.

        Raises
        ------
        ValueError
            A shape does not fit, an array is on another device, or `out` cannot be written.
        TypeError
            A dtype cannot be used: complex, or float64 where the product has float32.
        DeviceError

        Warns
        -----
        RoundingWarning
            Whole numbers or long doubles have more digits than the product's dtype.
        """
        alpha, beta = float(alpha), float(beta)
        if beta != 0 and out is None:
            raise ValueError(f"beta: expected 0 without out, found {beta}")
        place = place_of(x)
        if place.gpu is None:
            return self._on_host(x, out, place, alpha, beta)
        return self._on_gpu(x, out, place, alpha, beta)

    def matvec(self, x: Any) -> Any:
        """``A x``, as ``A @ x``."""
        return self.apply(x)

    def __matmul__(self, x: Any) -> Any:
        return self.apply(x)

    def __repr__(self) -> str:
        m, n = self._shape
        return f"<dwell.Product: {m} x {n}, {self._dtype}, {self._device.backend}>"

    def _result_shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        m, n = self._shape
        if not shape or len(shape) > 2 or shape[0] != n:
            raise ValueError(f"x: expected shape ({n},), ({n}, 1) or ({n}, k), found {shape}")
        return (m, *shape[1:])

    def _on_host(self, x: Any, out: Any, place: Place, alpha: float, beta: float) -> Any:
        given = host_array(x, "x")
        shape = self._result_shape(given.shape)
        if given.ndim == 1:
            given = readable(given, self._dtype, "x")
        else:
            if given.dtype != self._dtype:
                require_convertible(given, self._dtype, "x")
            given = np.require(given, self._dtype, ("F", "A"))
        if out is None:
            y = np.empty(shape, self._dtype, "F")
        else:
            if place_of(out).gpu is not None:
                raise ValueError("out: expected an array of the host, where x is, found one of a GPU")
            y = host_array(out, "out")
            require_writable(y, self._dtype, shape, "out")
            if not y.flags.f_contiguous:
                raise ValueError("out: expected a contiguous array" + (" in Fortran order" if y.ndim == 2 else ""))
            if np.may_share_memory(y, given):
                raise ValueError("out: expected memory of its own, found that of x")
        with self._turn:
            if given.ndim == 1:
                self._native.apply(given, y, alpha, beta)
            else:
                for k in range(shape[1]):
                    self._native.apply(given[:, k], y[:, k], alpha, beta)
        if out is not None:
            return out
        return y if place.kind == "numpy" else like(y, place, x)

    def _on_gpu(self, x: Any, out: Any, place: Place, alpha: float, beta: float) -> Any:
        if self._device.backend != "cuda" or self._device.ordinal != place.gpu:
            where = "cpu" if self._device.backend == "cpu" else f"cuda:{self._device.ordinal}"
            raise ValueError(f"x: expected an array on the product's device {where}, found one on cuda:{place.gpu}")
        shape = self._result_shape(tuple(int(n) for n in x.shape))
        columns = len(shape) == 2
        if out is None:
            # A column of several lies in one piece.
            out = _gpu.empty(shape[::-1], self._dtype, place).T if columns else _gpu.empty(shape, self._dtype, place)
        elif place.kind == "jax":
            raise ValueError("out: arrays of JAX cannot be written")
        for a, what, wanted in ((x, "x", (self._shape[1], *shape[1:])), (out, "out", shape)):
            _gpu.check(a, self._dtype, what)
            if place_of(a).gpu != place.gpu or tuple(a.shape) != wanted:
                raise ValueError(f"{what}: expected shape {wanted} on cuda:{place.gpu}, found {tuple(a.shape)}")
            if place.kind != "jax" and ("F" if columns else "C") not in _order_of(a, place):
                raise ValueError(f"{what}: expected a contiguous array" + (" in Fortran order" if columns else ""))
        self._order_after(x, place)
        with self._turn:
            if not columns:
                self._native.apply_cuda(_gpu.capsule(x, place), _gpu.capsule(out, place), alpha, beta)
            elif place.kind == "jax":
                import jax.numpy

                return jax.numpy.stack([self._jax_column(x[:, k], place, alpha) for k in range(shape[1])], axis=1)
            else:
                for k in range(shape[1]):
                    self._native.apply_cuda(_gpu.capsule(x[:, k], place), _gpu.capsule(out[:, k], place), alpha, beta)
            self._finish_for(place)
        return out

    def _jax_column(self, x: Any, place: Place, alpha: float) -> Any:
        y = _gpu.empty((self._shape[0],), self._dtype, place)
        self._native.apply_cuda(_gpu.capsule(x, place), _gpu.capsule(y, place), alpha, 0.0)
        self._finish_for(place)
        return y


def _order_of(a: Any, place: Place) -> str:
    """"C" and "F" for one axis."""
    found = _gpu.order(a, place)
    return "CF" if found and len(a.shape) == 1 else found
