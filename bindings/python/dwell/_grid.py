# SPDX-License-Identifier: MIT
"""Systems on grids, -div(k grad u) + s u = f on a box, without a matrix."""
from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core
from ._arrays import HOST, Place, float_dtype, host_array, like, place_of, readable
from ._checks import boolean, number, whole
from ._device import resolve
from ._turn import Turn
from ._warnings import SolveWarning, warn

_NATIVE: dict[str, Any] = {"float64": _core.GridSolverF64, "float32": _core.GridSolverF32}


@dataclasses.dataclass(frozen=True)
class GridReport:
    """What a solve on a grid did, what it cost, and whether the answer is right."""

    method: str  #: as of ``GridSolver``
    preconditioner: str  #: "multigrid", "jacobi" or "none", never "auto"
    device: str  #: name of the device
    precision: str  #: "f64" or "f32", of vectors; levels of multigrid are in f32
    threads: int  #: that took part
    reason: str  #: why so many
    cycle: str  #: how the levels were visited, and why
    levels: list[tuple[int, ...]]  #: cells of each level, the finest first
    iterations: int  #: done
    stopped: str  #: why it ended: "converged", "iteration limit", "accuracy limit", ...
    rhs_norm: float  #: norm of b, the right-hand side with what the sides give
    null_space: str  #: "constant" where constants are in the null space, else "none"
    rhs_outside_range: float  #: the part of b for which there is no solution, over its norm
    rhs_inconsistent: bool  #: that is more than rounding explains
    residual_relative_recursive: float  #: norm of the residual over that of b, as the iteration carries it
    residual_relative_true: float  #: computed anew from the answer
    target_missed: bool  #: the first of these met the tolerance, the second did not
    refinements: int  #: how often the iteration began anew from its answer
    stagnated: bool  #: at the limit: the last third of the iterations did not halve the residual
    history: list[float]  #: norms of the residual, if asked for
    bytes_per_iteration: int  #: that the finest level must move, by the model
    setup_s: float  #: seconds that preparing took
    solve_s: float  #: seconds of the solve

    def to_dict(self) -> dict[str, Any]:
        """All fields, ready for JSON."""
        return dataclasses.asdict(self)


class GridSolver:
    """Solves ``-div(k grad u) + s u = f`` on a box of one to three dimensions, for many right-hand sides.

    Finite volumes on a regular grid, by conjugate gradients with geometric multigrid, without a matrix.

    Parameters
    ----------
    shape : tuple of int, optional
        Unknowns along each axis, the slowest first. Not needed where `k` or `s` is an array.
    k : float or array of shape `shape`
        The coefficient, above 0.
    s : float or array of shape `shape`
        The reaction, 0 or more; below 0 with methods "minres" and "bicgstab".
    spacing : float or tuple of float
        Distance of unknowns, along all axes or each.
    boundary : str
        A condition for all sides, or one for each axis or side: ``"x: dirichlet 0, y-: neumann, y+: robin 2 1"``; x is
        the fastest axis, x- its low side. Conditions are ``dirichlet VALUE`` (u), ``neumann VALUE`` (k du/dn, n outward),
        ``robin ALPHA VALUE`` (ALPHA u + k du/dn) and ``periodic``; values that are left out are 0, and so is u on sides
        that are not named.
    boundary_values : dict of str to array, optional
        In place of a side's value: one for each of its cells, as ``{"y-": array}``.
    centring : {"cell", "vertex"}
        Unknowns in the centres of cells, half a spacing from the sides; or on vertices, of which the outermost lie on the
        sides (on Dirichlet sides one spacing inside).
    mean : {"harmonic", "arithmetic"}
        k of a face, of k of its two cells.
    k_axes : tuple of float, optional
        Factors of `k` along each axis.
    dtype : {float64, float32}, optional
        By default that of the array `k`, or float64.
    method : {"cg", "multigrid", "minres", "bicgstab", "chebyshev", "jacobi"}
        Conjugate gradients; cycles of multigrid alone; "minres" and "bicgstab" also take `s` below 0, where the operator is
        indefinite; Chebyshev's iteration between bounds of the spectrum that it finds; Jacobi's, damped, to compare with.
    preconditioner : {"auto", "multigrid", "jacobi", "none"}
        A cycle of multigrid ("auto"), the diagonal, or nothing. Methods "multigrid" and "jacobi" have no other than "auto".
    rtol, atol : float
        Converged when ``||b - A u|| <= max(rtol ||b||, atol)``, by the true residual.
    maxiter : int
    history : bool
        Keep the norm of each iteration's residual in the report.
    device : {None, "cpu"}
        There are no kernels for GPUs.
    threads : int
        0: as many as there are, and as the grid is worth.

    Raises
    ------
    ValueError
        A size does not fit, a value is not finite or of the wrong sign, or a word is none of those above.
    TypeError
        An argument is of another kind.
    UnsupportedError
        `device` is a GPU.

    Notes
    -----
    Answers have the same bits whatever the number of threads. Where no side and no `s` holds u, constants are in the null space:
    the mean of the right-hand side is taken away, and the answer is the one whose mean is 0.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> solver = dwell.GridSolver((200, 300), boundary="x: dirichlet 0, y: neumann")
    >>> u = solver.solve(np.ones((200, 300)))
    >>> solver.report.stopped
    'converged'
    """

    def __init__(
        self, shape: Any = None, *, k: Any = 1.0, s: Any = 0.0, spacing: Any = 1.0, boundary: str = "dirichlet",
        boundary_values: Mapping[str, Any] | None = None, centring: str = "cell", mean: str = "harmonic", k_axes: Any = None,
        dtype: Any = None, method: str = "cg", preconditioner: str = "auto", rtol: float = 1e-8, atol: float = 0.0,
        maxiter: int = 500, history: bool = False, device: str | None = None, threads: int = 0,
    ) -> None:
        k, s = _array_or_number(k, "k"), _array_or_number(s, "s")
        given = [a.shape for a in (k, s) if isinstance(a, np.ndarray)]
        if shape is None and not given:
            raise ValueError("shape: expected one, since neither k nor s is an array")
        self._shape = given[0] if shape is None else _shape(shape)
        if not 1 <= len(self._shape) <= 3:
            raise ValueError(f"shape: expected 1 to 3 axes, found {len(self._shape)}")
        if dtype is None:
            dtype = k.dtype if isinstance(k, np.ndarray) else np.float64
        self._dtype = float_dtype(np.dtype(dtype), "dtype")
        dims = len(self._shape)
        if centring not in ("cell", "vertex"):
            raise ValueError(f"centring: expected cell or vertex, found {centring!r}")
        if mean not in ("harmonic", "arithmetic"):
            raise ValueError(f"mean: expected harmonic or arithmetic, found {mean!r}")
        self._mean = mean
        self._k_axes = [] if k_axes is None else _per_axis(k_axes, dims, "k_axes")
        self._boundary, self._values = boundary, boundary_values
        self._rtol, self._atol = number(rtol, "rtol"), number(atol, "atol")
        self._native = _NATIVE[self._dtype.name](
            resolve("cpu" if device is None else device, threads, None, 0), [int(n) for n in self._shape],
            _per_axis(spacing, dims, "spacing"), centring == "vertex", *self._coefficients(k, s, boundary, boundary_values),
            method, preconditioner, self._rtol, self._atol, whole(maxiter, "maxiter"), boolean(history, "history"))
        self._k, self._s = k, s
        self._report: GridReport | None = None
        self._turn = Turn("solver")

    @property
    def shape(self) -> tuple[int, ...]:
        """Unknowns along each axis, the slowest first."""
        return self._shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64, of all arrays."""
        return self._dtype

    @property
    def singular(self) -> bool:
        """Constants are in the null space: nothing holds u."""
        return bool(self._native.singular)

    @property
    def report(self) -> GridReport:
        """The report of the last solve. Raises RuntimeError before the first one."""
        if self._report is None:
            raise RuntimeError("report: expected a solve before, found none")
        return self._report

    def solve(self, f: Any = 0.0, u0: Any = None, *, rtol: float | None = None, atol: float | None = None) -> Any:
        """The answer for a right-hand side.

        Parameters
        ----------
        f : float or array of shape `shape`
            On the host; of NumPy or what NumPy makes an array of.
        u0 : array of shape `shape`, optional
            The start; by default zeros.
        rtol, atol : float, optional
            Tolerances of this solve.

        Returns
        -------
        array of shape `shape`, of f's library

        Warns
        -----
        SolveWarning
            The answer is not as wanted, or the system has no solution.

        Raises
        ------
        ValueError
            A shape does not fit, or a value is not finite.
        """
        rhs = _array_or_number(f, "f")
        place = place_of(f) if isinstance(rhs, np.ndarray) else HOST
        if isinstance(rhs, np.ndarray):
            rhs = self._of_shape(rhs, "f")
        else:
            rhs = np.full(self._shape, rhs, self._dtype)
        u = np.zeros(self._shape, self._dtype)
        if u0 is not None:
            u[...] = self._of_shape(_on_host(u0, "u0"), "u0")
        with self._turn:
            found = self._native.solve(
                rhs.reshape(-1), u.reshape(-1), self._rtol if rtol is None else number(rtol, "rtol"),
                self._atol if atol is None else number(atol, "atol"))
        self._report = r = GridReport(**found)
        if r.stopped != "converged":
            warn(f"{r.stopped} after {r.iterations} iterations, relative residual {r.residual_relative_true:.2e}", SolveWarning)
        if r.rhs_inconsistent:
            warn(f"the system has no solution: {r.rhs_outside_range:.1e} of the right-hand side is constant, and was taken away",
                 SolveWarning)
        return u if place.kind == "numpy" else like(u, place, f)

    def update(
        self, *, k: Any = None, s: Any = None, boundary: str | None = None,
        boundary_values: Mapping[str, Any] | None = None,
    ) -> None:
        """Other coefficients or conditions from the next solve on; what is None stays. A new `boundary` drops the values
        of the old one. After an error the solver is as before.

        Parameters
        ----------
        k, s : float or array of shape `shape`, optional
        boundary : str, optional
        boundary_values : dict of str to array, optional

        Raises
        ------
        ValueError, TypeError
            As the constructor.
        """
        k = self._k if k is None else _array_or_number(k, "k")
        s = self._s if s is None else _array_or_number(s, "s")
        if boundary is None:
            boundary = self._boundary
            if boundary_values is None:
                boundary_values = self._values
        with self._turn:
            self._native.update(*self._coefficients(k, s, boundary, boundary_values))
            self._k, self._s, self._boundary, self._values = k, s, boundary, boundary_values

    def __repr__(self) -> str:
        return f"<dwell.GridSolver: {' x '.join(map(str, self._shape))}, {self._dtype}>"

    def _of_shape(self, a: np.ndarray[Any, Any], what: str) -> np.ndarray[Any, Any]:
        if a.shape != self._shape:
            raise ValueError(f"{what}: expected shape {self._shape}, found {a.shape}")
        return np.ascontiguousarray(readable(a.reshape(-1), self._dtype, what)).reshape(self._shape)

    def _coefficients(self, k: Any, s: Any, boundary: str, values: Mapping[str, Any] | None) -> tuple[Any, ...]:
        if not isinstance(boundary, str):
            raise TypeError(f"boundary: expected a str, found {type(boundary).__name__}")
        k_cells, s_cells = (self._of_shape(a, name).reshape(-1) if isinstance(a, np.ndarray) else None
                            for a, name in ((k, "k"), (s, "s")))
        return (1.0 if k_cells is not None else k, k_cells, self._k_axes, self._mean == "arithmetic",
                0.0 if s_cells is not None else s, s_cells, boundary, self._side_values(values))

    def _side_values(self, values: Mapping[str, Any] | None) -> list[tuple[int, bool, list[float]]]:
        found = []
        for side, given in (values or {}).items():
            axis = len(self._shape) - 1 - "xyz".find(side[:1])
            if len(side) != 2 or side[0] not in "xyz" or side[1] not in "-+" or axis < 0:
                raise ValueError(f"boundary_values: expected sides as 'x-' and 'y+', found {side!r}")
            a = _on_host(given, "boundary_values")
            wanted = self._shape[:axis] + self._shape[axis + 1:]
            if a.shape != wanted:
                raise ValueError(f"boundary_values: {side}: expected shape {wanted}, found {a.shape}")
            found.append((axis, side[1] == "+", [float(v) for v in a.reshape(-1)]))
        return found


def poisson(
    f: Any, *, k: Any = 1.0, s: Any = 0.0, spacing: Any = 1.0, boundary: str = "dirichlet", u0: Any = None,
    rtol: float = 1e-8, **options: Any,
) -> Any:
    """``-div(k grad u) + s u = f`` on a box, once; ``GridSolver`` for many right-hand sides.

    Parameters
    ----------
    f : array of one to three axes
    k, s, spacing, boundary, rtol, options
        As of ``GridSolver``.
    u0 : array of f's shape, optional
        The start.

    Returns
    -------
    array of f's shape and library

    Warns
    -----
    SolveWarning
        As ``GridSolver.solve``.

    Raises
    ------
    ValueError, TypeError, UnsupportedError
        As ``GridSolver``.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> u = dwell.poisson(np.ones((100, 100)), spacing=0.01)
    >>> round(float(u.max()), 3)
    0.074
    """
    a = _on_host(f, "f")
    if "dtype" not in options:
        options["dtype"] = float_dtype(a.dtype, "f")
    return GridSolver(a.shape, k=k, s=s, spacing=spacing, boundary=boundary, rtol=rtol, **options).solve(f, u0)


def _on_host(a: Any, what: str) -> np.ndarray[Any, Any]:
    place: Place = place_of(a)
    if place.gpu is not None:
        raise ValueError(f"{what}: expected an array of the host, found one of cuda:{place.gpu}")
    return host_array(a, what)


def _array_or_number(a: Any, what: str) -> Any:
    return number(a, what) if np.ndim(a) == 0 and place_of(a).gpu is None else _on_host(a, what)


def _shape(given: Any) -> tuple[int, ...]:
    return tuple(whole(n, "shape") for n in (given if isinstance(given, (tuple, list)) else (given,)))


def _per_axis(given: Any, dims: int, what: str) -> list[float]:
    all_axes = isinstance(given, (tuple, list, np.ndarray))
    found = [number(v, what) for v in given] if all_axes else [number(given, what)] * dims
    if len(found) != dims:
        raise ValueError(f"{what}: expected {dims} numbers, found {len(found)}")
    return found
