# SPDX-License-Identifier: MIT
"""What arguments of systems on grids say, checked as far as the library does not."""
from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core, _gpu
from ._arrays import HOST, Place, asked_dtype, dtype_of, float_dtype, host_array, is_one, place_of, readable, require_writable
from ._checks import held, number, shown, whole, word
from ._device import resolve

_SUFFIX = {"float64": "F64", "float32": "F32"}


class Problem:
    """A description of a grid, its coefficients and conditions."""

    def __init__(
        self, shape: Any, k: Any, s: Any, spacing: Any, boundary: Any, boundary_values: Mapping[str, Any] | None, centring: Any,
        mean: Any, k_axes: Any, k_faces: Mapping[str, Any] | None, dtype: Any,
    ) -> None:
        k, s = _coefficient(k, "k"), _coefficient(s, "s")
        given = [tuple(a.shape) for a in (k, s) if not isinstance(a, float)]
        if shape is None and not given:
            raise ValueError("shape: expected one, since neither k nor s is an array")
        self.shape: tuple[int, ...] = given[0] if shape is None else _shape(shape)
        if not 1 <= len(self.shape) <= 3:
            raise ValueError(f"shape: expected 1 to 3 axes, found {len(self.shape)}")
        if dtype is None:
            dtype = np.float64 if isinstance(k, float) else float_dtype(dtype_of(k), "k")
        self.dtype: np.dtype[Any] = asked_dtype(dtype, "dtype")
        dims = len(self.shape)
        if centring not in ("cell", "vertex"):
            raise ValueError(f"centring: expected cell or vertex, found {centring!r}")
        if mean not in ("harmonic", "arithmetic"):
            raise ValueError(f"mean: expected harmonic or arithmetic, found {mean!r}")
        self._layout = [int(n) for n in self.shape], _per_axis(spacing, dims, "spacing"), centring == "vertex"
        self._mean = mean
        self._k_axes = [] if k_axes is None else _per_axis(k_axes, dims, "k_axes")
        self._k, self._s, self._boundary, self._values, self._k_faces = k, s, boundary, boundary_values, k_faces

    def changed(self, k: Any, s: Any, boundary: Any, values: Any, k_faces: Any) -> Problem:
        """Another one of the same shape; what is None stays."""
        new = copy.copy(self)
        if k is not None:
            new._k, new._k_faces = _coefficient(k, "k"), None
        if s is not None:
            new._s = _coefficient(s, "s")
        if boundary is not None:
            new._boundary, new._values = boundary, None
        if values is not None:
            new._values = values
        if k_faces is not None:
            new._k_faces = k_faces
        return new

    def native(self, name: str) -> Any:
        return getattr(_core, name + _SUFFIX[self.dtype.name])

    def gpu(self) -> int | None:
        """The GPU whose memory has k or s."""
        return next((place_of(a).gpu for a in (self._k, self._s) if place_of(a).gpu is not None), None)

    def require_host(self) -> None:
        for a, name in ((self._k, "k"), (self._s, "s")):
            if not isinstance(a, float):
                on_host(a, name)

    def place(self, device: str | None, threads: int) -> tuple[Any, ...]:
        if device is None:
            device = "cpu" if self.gpu() is None else f"cuda:{self.gpu()}"
        return resolve(device, threads, None, 0), *self._layout

    def coefficients(self) -> Any:
        k, s = self._k, self._s
        k_cells, s_cells = (self.of_shape(a, name).reshape(-1) if isinstance(a, np.ndarray) else None
                            for a, name in ((k, "k"), (s, "s")))
        return self.native("GridCoefficients")(
            k if isinstance(k, float) else 1.0, k_cells, self._k_axes, self._faces(), self._mean == "arithmetic",
            s if isinstance(s, float) else 0.0, s_cells, word(self._boundary, "boundary"), self._side_values(),
            self._on_gpu(k, "k"), self._on_gpu(s, "s"))

    def _on_gpu(self, a: Any, what: str) -> Any:
        """An array of a GPU, once it is there, for a solver, which works in a stream of its own; else None."""
        place = place_of(a)
        if place.gpu is None:
            return None
        if tuple(a.shape) != self.shape:
            raise ValueError(f"{what}: expected shape {self.shape}, found {tuple(a.shape)}")
        _gpu.check(a, self.dtype, what)
        if "C" not in _gpu.order(a, place):
            raise ValueError(f"{what}: expected an array in C order")
        _gpu.wait_for(a, place)
        return _gpu.capsule(a, place)

    def vector(self, given: Any, what: str) -> tuple[np.ndarray[Any, Any], Place]:
        """An array of one value for each unknown, and where the caller's is."""
        a = _array_or_number(given, what)
        if isinstance(a, np.ndarray):
            return self.of_shape(a, what), place_of(given)
        return np.full(self.shape, held(a, self.dtype, what), self.dtype), HOST

    def answer(self, out: Any, given: np.ndarray[Any, Any], what: str) -> np.ndarray[Any, Any]:
        """Where an answer for `given` goes: to the caller's `out`, or to a new array of zeros."""
        if out is None:
            return np.zeros(self.shape, self.dtype)
        if place_of(out).gpu is not None:
            raise ValueError(f"out: expected an array of the host, where {what} is, found one of a GPU")
        a = host_array(out, "out")
        require_writable(a, self.dtype, self.shape, "out")
        if not a.flags.c_contiguous:
            raise ValueError("out: expected an array in C order")
        if np.may_share_memory(a, given):
            raise ValueError(f"out: expected memory of its own, found that of {what}")
        return a

    def of_shape(self, a: np.ndarray[Any, Any], what: str, shape: tuple[int, ...] | None = None) -> np.ndarray[Any, Any]:
        wanted = self.shape if shape is None else shape
        if a.shape != wanted:
            raise ValueError(f"{what}: expected shape {wanted}, found {a.shape}")
        return np.ascontiguousarray(readable(a.reshape(-1), self.dtype, what)).reshape(wanted)

    def _axis(self, letter: str) -> int:
        return len(self.shape) - 1 - "xyz".find(letter) if letter and letter in "xyz" else -1

    def _faces(self) -> list[Any]:
        found: list[Any] = [None] * len(self.shape)
        for name, given in _items(self._k_faces, "k_faces", "axis"):
            axis = self._axis(name) if isinstance(name, str) and len(name) == 1 else -1
            if axis < 0:
                raise ValueError(f"k_faces: expected axes as 'x', found {name!r}")
            wanted = tuple(n + (a == axis) for a, n in enumerate(self.shape))
            found[axis] = self.of_shape(on_host(given, "k_faces"), f"k_faces: {name}", wanted).reshape(-1)
        return found

    def _side_values(self) -> list[tuple[int, bool, list[float]]]:
        found = []
        for side, given in _items(self._values, "boundary_values", "side"):
            axis = self._axis(side[:1]) if isinstance(side, str) and len(side) == 2 and side[1] in "-+" else -1
            if axis < 0:
                raise ValueError(f"boundary_values: expected sides as 'x-' and 'y+', found {side!r}")
            a = on_host(given, "boundary_values")
            wanted = self.shape[:axis] + self.shape[axis + 1:]
            if a.shape != wanted:
                raise ValueError(f"boundary_values: {side}: expected shape {wanted}, found {a.shape}")
            values = readable(a.reshape(-1), np.dtype(np.float64), f"boundary_values: {side}")
            found.append((axis, side[1] == "+", values.tolist()))
        return found


def _items(given: Any, what: str, by: str) -> list[tuple[Any, Any]]:
    """What a dict has, of which there need not be one."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise TypeError(f"{what}: expected a dict by {by}, found {shown(given)}")
    return list(given.items())


def on_host(a: Any, what: str) -> np.ndarray[Any, Any]:
    place: Place = place_of(a)
    if place.gpu is not None:
        raise ValueError(f"{what}: expected an array of the host, found one of cuda:{place.gpu}")
    return host_array(a, what)


def _coefficient(a: Any, what: str) -> Any:
    """A number, an array of the host, or one of a GPU as it is."""
    return a if place_of(a).gpu is not None else _array_or_number(a, what)


def _array_or_number(a: Any, what: str) -> Any:
    return number(a, what) if place_of(a).gpu is None and is_one(a, what) else on_host(a, what)


def _shape(given: Any) -> tuple[int, ...]:
    return tuple(whole(n, "shape") for n in (given if isinstance(given, (tuple, list)) else (given,)))


def _per_axis(given: Any, dims: int, what: str) -> list[float]:
    all_axes = isinstance(given, (tuple, list, np.ndarray))
    found = [number(v, what) for v in given] if all_axes else [number(given, what)] * dims
    if len(found) != dims:
        raise ValueError(f"{what}: expected {dims} numbers, found {len(found)}")
    return found
