# SPDX-License-Identifier: MIT
"""Systems on grids, -div(k grad u) + s u = f on a box, without a matrix."""
from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse

from . import _gpu
from ._arrays import Place, dtype_of, float_dtype, like, place_of
from ._checks import boolean, number, word
from ._grid_problem import Problem, on_host
from ._limits import asked_iterations
from ._matrices import csr_of
from ._turn import Turn
from ._warnings import SolveWarning, unmet, warn


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
    bytes_per_iteration: int  #: that the method and cycles through all levels must move, by the model
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
        The coefficient, above 0. An array may be in the memory of the solver's GPU, of the solver's dtype and in C order; where
        kernels make the set-up it stays there.
    s : float or array of shape `shape`
        The reaction, 0 or more; below 0 with methods "minres" and "bicgstab". An array may be in the memory of the GPU, too.
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
        Factors of `k` along each axis, of `k_faces`, too.
    k_faces : dict of str to array, optional
        In place of `k`, for an axis "x", "y" or "z": k of each face, those of both sides included, so one more along this
        axis than there are unknowns. Faces of the two ends of a periodic axis must agree.
    dtype : {float64, float32}, optional
        By default that of the array `k`, or float64.
    method : {"cg", "multigrid", "minres", "bicgstab", "chebyshev", "jacobi"}
        Conjugate gradients; cycles of multigrid alone; "minres" and "bicgstab" also take `s` below 0, where the operator is
        indefinite; Chebyshev's iteration between bounds of the spectrum that it finds; Jacobi's, damped, to compare with.
    preconditioner : {"auto", "multigrid", "jacobi", "none"}
        A cycle of multigrid ("auto"), the diagonal, or nothing. Methods "multigrid" and "jacobi" have no other than "auto".
    cycle : {"auto", "v", "w"}
        How levels of multigrid are visited: each once, or those of at most a twelfth of the cells twice by each visit of the
        level above ("w"; "auto" where conductances differ by more than 10).
    coarse : {"auto", "averaged", "galerkin"}
        Operators of coarse levels: conductances of faces, or P'AP, which take longer and need fewer iterations where `k` jumps
        in blocks of a few cells or in blocks that meet at corners. "auto" goes on with the latter where the former are slow.
    smoother : {"points", "lines"}
        What is relaxed: cells, in colours; or lines of cells along each axis, for `k_faces` that are strong along one axis here
        and along another one there; not with `coarse` "galerkin".
    full_multigrid : bool
        Begin by full multigrid: the answer of coarse levels, interpolated and improved by a cycle on each level.
        Fewer iterations, seldom less time.
    rtol, atol : float
        Converged when ``||b - A u|| <= max(rtol ||b||, atol)``, by the true residual.
    maxiter : int
    history : bool
        Keep the norm of each iteration's residual in the report.
    device : str, optional
        "cpu", "cuda" or "cuda:N"; by default the GPU that has `k` or `s`, or "cpu". On a GPU a solve is one
        kernel, which NVRTC compiles when it is first needed; right-hand sides and starts may be in its memory.
    threads : int
        0: as many as there are, and as the grid is worth.

    Raises
    ------
    ValueError
        A size does not fit, a value is not finite or of the wrong sign, or a word is none of those above.
    TypeError
        An argument is of another kind.
    UnsupportedError
        A GPU does not do what is asked for, or there is no NVRTC.

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
        k_faces: Mapping[str, Any] | None = None, dtype: Any = None, method: str = "cg", preconditioner: str = "auto",
        cycle: str = "auto", coarse: str = "auto", smoother: str = "points", full_multigrid: bool = False, rtol: float = 1e-8, atol: float = 0.0,
        maxiter: int = 500, history: bool = False, device: str | None = None, threads: int = 0,
    ) -> None:
        self._problem = p = Problem(shape, k, s, spacing, boundary, boundary_values, centring, mean, k_axes, k_faces, dtype)
        self._rtol, self._atol = number(rtol, "rtol"), number(atol, "atol")
        self._device, *layout = p.place(device, threads)
        self._native: Any = p.native("GridSolver")(
            self._device, *layout, p.coefficients(), word(method, "method"), word(preconditioner, "preconditioner"),
            word(cycle, "cycle"), word(coarse, "coarse"), word(smoother, "smoother"),
            boolean(full_multigrid, "full_multigrid"), self._rtol, self._atol, asked_iterations(maxiter), boolean(history, "history"))
        self._report: GridReport | None = None
        self._turn = Turn("solver")

    @property
    def shape(self) -> tuple[int, ...]:
        """Unknowns along each axis, the slowest first."""
        return self._problem.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64, of all arrays."""
        return self._problem.dtype

    @property
    def singular(self) -> bool:
        """Constants are in the null space: nothing holds u."""
        return bool(self._native.singular)

    @property
    def report(self) -> GridReport:
        """The report of the last solve, also of one that Ctrl-C ended. Raises ValueError before the first one."""
        if self._report is None:
            raise ValueError("report: expected a solve before, found none")
        return self._report

    def solve(self, f: Any = 0.0, u0: Any = None, *, rtol: float | None = None, atol: float | None = None) -> Any:
        """The answer for a right-hand side.

        Parameters
        ----------
        f : float or array of shape `shape`
            On the host; of NumPy or what NumPy makes an array of. Or in the memory of the solver's GPU, of CuPy, PyTorch or JAX, or
            with DLPack or ``__cuda_array_interface__``: of the solver's dtype, in C order; nothing is copied.
        u0 : array of shape `shape`, optional
            The start, where `f` is; by default zeros.
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
            A shape does not fit, a value is not finite, or an array is on a GPU that is not the solver's.
        TypeError
            An array of a GPU has another dtype.
        """
        return self._solve(f, "f", u0, False, rtol, atol)

    def solve_algebraic(self, b: Any, u0: Any = None, *, rtol: float | None = None, atol: float | None = None) -> Any:
        """``A u = b`` for b as it is: values of sides have no part in it. A and b are those of ``GridOperator``.

        Parameters
        ----------
        b : float or array of shape `shape`
        u0, rtol, atol
            As of ``solve``.

        Returns
        -------
        array of shape `shape`, of b's library

        Warns
        -----
        SolveWarning

        Raises
        ------
        ValueError, TypeError
            As ``solve``.
        """
        return self._solve(b, "b", u0, True, rtol, atol)

    def _solve(self, f: Any, what: str, u0: Any, algebraic: bool, rtol: float | None, atol: float | None) -> Any:
        rtol = self._rtol if rtol is None else number(rtol, "rtol")
        atol = self._atol if atol is None else number(atol, "atol")
        p, place = self._problem, place_of(f)
        if place.gpu is not None:
            u = self._start_on_gpu(f, what, u0, place)
            with self._turn:
                found = self._native.solve_cuda(_gpu.capsule(f, place), _gpu.capsule(u, place_of(u)), algebraic, rtol, atol)
                self._told(found, rtol, atol)
            return u
        rhs, place = p.vector(f, what)
        u = np.zeros(p.shape, p.dtype)
        if u0 is not None:
            u[...] = p.of_shape(on_host(u0, "u0"), "u0")
        with self._turn:
            self._told(self._native.solve(rhs.reshape(-1), u.reshape(-1), algebraic, rtol, atol), rtol, atol)
        return u if place.kind == "numpy" else like(u, place, f)

    def _start_on_gpu(self, f: Any, what: str, u0: Any, place: Place) -> Any:
        """A new array with the start, once it and f are there: the solver works in a stream of its own."""
        p, device = self._problem, self._device
        if device.backend != "cuda" or device.ordinal != place.gpu:
            where = "cpu" if device.backend == "cpu" else f"cuda:{device.ordinal}"
            raise ValueError(f"{what}: expected an array on the solver's device {where}, found one on cuda:{place.gpu}")
        for a, name in ((f, what), (u0, "u0")):
            if a is None:
                continue
            if place_of(a).gpu != place.gpu:
                raise ValueError(f"{name}: expected an array on cuda:{place.gpu}, where {what} is")
            if tuple(a.shape) != p.shape:
                raise ValueError(f"{name}: expected shape {p.shape}, found {tuple(a.shape)}")
            _gpu.check(a, p.dtype, name)
            if "C" not in _gpu.order(a, place_of(a)):
                raise ValueError(f"{name}: expected an array in C order")
        u = _gpu.fresh(f, place, u0)
        _gpu.wait_for(f, place)
        _gpu.wait_for(u, place_of(u))
        return u

    def _told(self, found: Mapping[str, Any], rtol: float, atol: float) -> None:
        """Keeps the report, raises what ended the solve, and warns."""
        self._report = r = GridReport(**found)
        self._native.raise_pending()
        if r.stopped != "converged" or r.target_missed:
            wanted = max(rtol, atol / r.rhs_norm) if r.rhs_norm > 0 else atol
            warn(unmet(r.stopped, r.iterations, r.residual_relative_true, wanted), SolveWarning)
        if r.rhs_inconsistent:
            warn(f"the system has no solution: {r.rhs_outside_range:.1e} of the right-hand side is constant, and was taken away",
                 SolveWarning)

    def update(
        self, *, k: Any = None, s: Any = None, boundary: str | None = None,
        boundary_values: Mapping[str, Any] | None = None, k_faces: Mapping[str, Any] | None = None,
    ) -> None:
        """Other coefficients or conditions from the next solve on; what is None stays. A new `boundary` drops the values
        of the old one, a new `k` the old `k_faces`. After an error the solver is as before.

        Parameters
        ----------
        k, s : float or array of shape `shape`, optional
        boundary : str, optional
        boundary_values, k_faces : dict of str to array, optional

        Raises
        ------
        ValueError, TypeError
            As the constructor.
        """
        changed = self._problem.changed(k, s, boundary, boundary_values, k_faces)
        with self._turn:
            self._native.update(changed.coefficients())
            self._problem = changed

    def __repr__(self) -> str:
        return f"<dwell.GridSolver: {' x '.join(map(str, self.shape))}, {self.dtype}>"


class GridOperator:
    """``A u = -div(k grad u) + s u`` on a box of one to three dimensions, without a matrix: what ``GridSolver`` solves with.

    Parameters
    ----------
    shape, k, s, spacing, boundary, boundary_values, centring, mean, k_axes, k_faces, dtype, device, threads
        As of ``GridSolver``; arrays are the host's.

    Raises
    ------
    ValueError, TypeError, UnsupportedError
        As ``GridSolver``.

    Notes
    -----
    An element of A u is what leaves a cell, over the volume of a whole cell. A is symmetric. Results have the same bits
    whatever the number of threads.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> A = dwell.GridOperator((30, 40), boundary="x: dirichlet 1, y: neumann")
    >>> u = np.random.default_rng(1).random((30, 40))
    >>> M = A.to_matrix()
    >>> bool(np.allclose(A @ u, (M @ u.ravel()).reshape(30, 40)))
    True
    """

    def __init__(
        self, shape: Any = None, *, k: Any = 1.0, s: Any = 0.0, spacing: Any = 1.0, boundary: str = "dirichlet",
        boundary_values: Mapping[str, Any] | None = None, centring: str = "cell", mean: str = "harmonic", k_axes: Any = None,
        k_faces: Mapping[str, Any] | None = None, dtype: Any = None, device: str | None = None, threads: int = 0,
    ) -> None:
        self._problem = p = Problem(shape, k, s, spacing, boundary, boundary_values, centring, mean, k_axes, k_faces, dtype)
        p.require_host()
        self._native: Any = p.native("GridOperator")(*p.place(device, threads), p.coefficients())
        self._turn = Turn("operator")

    @property
    def shape(self) -> tuple[int, ...]:
        """Unknowns along each axis, the slowest first."""
        return self._problem.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64, of all arrays."""
        return self._problem.dtype

    @property
    def singular(self) -> bool:
        """Constants are in the null space: nothing holds u."""
        return bool(self._native.singular)

    def apply(self, u: Any) -> Any:
        """A u.

        Parameters
        ----------
        u : array of shape `shape`

        Returns
        -------
        array of shape `shape`, of u's library

        Raises
        ------
        ValueError
            The shape does not fit.
        """
        return self._made(u, "u", lambda given, out: self._native.apply(given, out))

    def __matmul__(self, u: Any) -> Any:
        return self.apply(u)

    def rhs(self, f: Any = 0.0) -> Any:
        """b of A u = b for ``-div(k grad u) + s u = f``: f, of each unknown's part of a cell, and what the sides give.

        Parameters
        ----------
        f : float or array of shape `shape`

        Returns
        -------
        array of shape `shape`, of f's library

        Raises
        ------
        ValueError
            The shape does not fit.
        """
        return self._made(f, "f", lambda given, out: self._native.rhs(given, out))

    def to_matrix(self) -> scipy.sparse.csr_array:
        """A as a matrix, whose rows are the unknowns in C order.

        Returns
        -------
        csr_array of `dtype` and int32

        Raises
        ------
        ValueError
            It has more elements than 32-bit indices count.
        """
        return csr_of(self._native.to_matrix())

    def __repr__(self) -> str:
        return f"<dwell.GridOperator: {' x '.join(map(str, self.shape))}, {self.dtype}>"

    def _made(self, given: Any, what: str, into: Any) -> Any:
        a, place = self._problem.vector(given, what)
        out = np.empty(self.shape, self.dtype)
        with self._turn:
            into(a.reshape(-1), out.reshape(-1))
        return out if place.kind == "numpy" else like(out, place, given)


def poisson(
    f: Any, *, k: Any = 1.0, s: Any = 0.0, spacing: Any = 1.0, boundary: str = "dirichlet", u0: Any = None,
    rtol: float = 1e-8, **options: Any,
) -> Any:
    """``-div(k grad u) + s u = f`` on a box, once; ``GridSolver`` for many right-hand sides.

    Parameters
    ----------
    f : array of one to three axes
        Of a GPU: that is then the device.
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
    place = place_of(f)
    a = on_host(f, "f") if place.gpu is None else f
    if place.gpu is not None:
        options.setdefault("device", f"cuda:{place.gpu}")
    if "dtype" not in options:
        options["dtype"] = float_dtype(dtype_of(a), "f")
    return GridSolver(tuple(a.shape), k=k, s=s, spacing=spacing, boundary=boundary, rtol=rtol, **options).solve(f, u0)
