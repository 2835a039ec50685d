# SPDX-License-Identifier: MIT
"""Systems on grids, -div(k grad u) + s u = f on a box, without a matrix."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _gpu
from ._arrays import Place, like, place_of
from ._checks import boolean, number, word
from ._explain_grid import grid_text_of
from ._grid_problem import Problem, on_host
from ._grid_report import GridReport
from ._limits import asked_iterations
from ._progress import OnInterrupt, Progress, check_on_interrupt, heard, of_residual
from ._report import Breakdown
from ._turn import Turn
from ._warnings import SolveWarning, counted, unmet, warn


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
        Converged when ``||b - A u|| <= max(rtol ||b||, atol)``, by the true residual. By default `rtol` is 1e-8; in float32 it
        is 1e-5, or where rounding allows no such residual what rounding allows (``GridReport.met_by_rounding``): on large
        grids u may be right to its last digit, and the residual of rounding it far above 1e-5.
    maxiter : int
        Of all attempts together.
    history : bool
        Keep the norm of each iteration's residual in the report.
    progress_interval : float
        Seconds between two calls of a progress function; 0: on CPUs each iteration.
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
        cycle: str = "auto", coarse: str = "auto", smoother: str = "points", full_multigrid: bool = False, rtol: float | None = None,
        atol: float = 0.0, maxiter: int = 500, history: bool = False, progress_interval: float = 0.1, device: str | None = None,
        threads: int = 0,
    ) -> None:
        self._problem = p = Problem(shape, k, s, spacing, boundary, boundary_values, centring, mean, k_axes, k_faces, dtype)
        self._rtol, self._atol = None if rtol is None else number(rtol, "rtol"), number(atol, "atol")
        self._device, *layout = p.place(device, threads)
        self._native: Any = p.native("GridSolver")(
            self._device, *layout, p.coefficients(), word(method, "method"), word(preconditioner, "preconditioner"),
            word(cycle, "cycle"), word(coarse, "coarse"), word(smoother, "smoother"),
            boolean(full_multigrid, "full_multigrid"), self._rtol, self._atol, asked_iterations(maxiter), boolean(history, "history"),
            number(progress_interval, "progress_interval"))
        self._report: GridReport | None = None
        self._turn = Turn("solve")

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
    def setup_s(self) -> float:
        """Seconds that preparing took, or the last ``update``."""
        return float(self._native.setup_s)

    @property
    def report(self) -> GridReport:
        """The report of the last solve, also of one that Ctrl-C ended. Raises ValueError before the first one."""
        if self._report is None:
            raise ValueError("report: expected a solve before, found none")
        return self._report

    def solve(
        self, f: Any = 0.0, u0: Any = None, out: Any = None, *, rtol: float | None = None, atol: float | None = None,
        progress: Progress = None, on_interrupt: OnInterrupt = "raise", raise_on_breakdown: bool = False,
    ) -> Any:
        """The answer for a right-hand side.

        Parameters
        ----------
        f : float or array of shape `shape`
            On the host; of NumPy or what NumPy makes an array of. Or in the memory of the solver's GPU, of CuPy, PyTorch or JAX, or
            with DLPack or ``__cuda_array_interface__``: of the solver's dtype, in C order; nothing is copied.
        u0 : array of shape `shape`, optional
            The start, where `f` is; by default zeros.
        out : array of shape `shape`, optional
            Where the answer goes: of f's library and memory, of the solver's dtype, in C order, writable. May be `u0`, not `f`.
        rtol, atol : float, optional
            Tolerances of this solve; by default the solver's.
        progress : bool or callable, optional
            True: a bar of tqdm. A function is called with (iteration, relative residual, target, seconds) about every
            `progress_interval` seconds; if it returns False (or a library's, such as numpy.False_), the solve ends there.
        on_interrupt : {"raise", "return"}
            At Ctrl-C: raise KeyboardInterrupt, the answer so far being in `out`, or return it. ``report.stopped`` is then
            "interrupted".
        raise_on_breakdown : bool
            Raise Breakdown where a method cannot go on, or a number is not finite.

        Returns
        -------
        array of shape `shape`, of f's library
            `out` if that was given. Where the solve did not converge it is the best so far; see ``report``.

        Warns
        -----
        SolveWarning
            The answer is not as wanted: why the solve ended, and what may help (not where `progress` or Ctrl-C ended it). Or the
            system has no solution.
        RoundingWarning
            Whole numbers or long doubles have more digits than the solver's dtype.

        Raises
        ------
        ValueError
            A shape does not fit, a value is not finite, an array is on a GPU that is not the solver's, or `out` cannot be
            written.
        TypeError
            A dtype cannot be used: complex, or float64 where the solver has float32; of a GPU any other than the solver's.
        Breakdown, DeviceError, KeyboardInterrupt
        """
        return self._solve(f, "f", u0, out, False, rtol, atol, progress, on_interrupt, raise_on_breakdown)

    def solve_algebraic(
        self, b: Any, u0: Any = None, out: Any = None, *, rtol: float | None = None, atol: float | None = None,
        progress: Progress = None, on_interrupt: OnInterrupt = "raise", raise_on_breakdown: bool = False,
    ) -> Any:
        """``A u = b`` for b as it is: values of sides have no part in it. A and b are those of ``GridOperator``.

        Parameters
        ----------
        b : float or array of shape `shape`
        u0, out, rtol, atol, progress, on_interrupt, raise_on_breakdown
            As of ``solve``.

        Returns
        -------
        array of shape `shape`, of b's library

        Warns
        -----
        SolveWarning, RoundingWarning
            As ``solve``.

        Raises
        ------
        ValueError, TypeError, Breakdown, DeviceError, KeyboardInterrupt
            As ``solve``.
        """
        return self._solve(b, "b", u0, out, True, rtol, atol, progress, on_interrupt, raise_on_breakdown)

    def _solve(
        self, f: Any, what: str, u0: Any, out: Any, algebraic: bool, rtol: float | None, atol: float | None,
        progress: Progress, on_interrupt: OnInterrupt, raise_on_breakdown: bool,
    ) -> Any:
        check_on_interrupt(on_interrupt)
        raise_on_breakdown = boolean(raise_on_breakdown, "raise_on_breakdown")
        tolerances = (self._rtol if rtol is None else number(rtol, "rtol"), self._atol if atol is None else number(atol, "atol"))
        place = place_of(f)
        if place.gpu is not None:
            u = self._start_on_gpu(f, what, u0, out, place)
            run, given, answer = self._native.solve_cuda, _gpu.capsule(f, place), _gpu.capsule(u, place_of(u))
        else:
            rhs, place = self._problem.vector(f, what)
            u = self._problem.answer(out, rhs, what)
            if u0 is not None:
                u[...] = self._problem.of_shape(on_host(u0, "u0"), "u0")
            elif out is not None:
                u[...] = 0
            run, given, answer = self._native.solve, rhs.reshape(-1), u.reshape(-1)
        with self._turn, heard(progress, "iteration", of_residual) as listener:
            self._report = GridReport(**run(given, answer, algebraic, *tolerances, listener))
            try:
                self._native.raise_pending()
            except KeyboardInterrupt:
                if on_interrupt == "raise":
                    raise
        self._warn(u, raise_on_breakdown)
        if out is not None:
            return out
        return u if place.kind == "numpy" or place.gpu is not None else like(u, place, f)

    def _start_on_gpu(self, f: Any, what: str, u0: Any, out: Any, place: Place) -> Any:
        """The array of the answer with the start, once it and f are there: the solver works in a stream of its own."""
        p, device = self._problem, self._device
        if device.backend != "cuda" or device.ordinal != place.gpu:
            where = "cpu" if device.backend == "cpu" else f"cuda:{device.ordinal}"
            raise ValueError(f"{what}: expected an array on the solver's device {where}, found one on cuda:{place.gpu}")
        if out is not None and place.kind == "jax":
            raise ValueError("out: arrays of JAX cannot be written")
        for a, name in ((f, what), (u0, "u0"), (out, "out")):
            if a is None:
                continue
            if place_of(a).gpu != place.gpu:
                raise ValueError(f"{name}: expected an array on cuda:{place.gpu}, where {what} is")
            if tuple(a.shape) != p.shape:
                raise ValueError(f"{name}: expected shape {p.shape}, found {tuple(a.shape)}")
            _gpu.check(a, p.dtype, name)
            if "C" not in _gpu.order(a, place_of(a)):
                raise ValueError(f"{name}: expected an array in C order")
        u = _gpu.answer(f, place, u0, out)
        _gpu.wait_for(f, place)
        _gpu.wait_for(u, place_of(u))
        return u

    def _warn(self, u: Any, raise_on_breakdown: bool) -> None:
        """Says what is not as wanted of the last solve, whose answer is u."""
        r = self.report
        if raise_on_breakdown and r.stopped in ("breakdown", "not finite"):
            raise Breakdown(f"{r.stopped} after {counted(r.iterations, 'iteration')}", r, u)
        if (r.stopped != "converged" or r.target_missed) and r.stopped != "interrupted":
            warn(unmet(r.stopped, r.iterations, r.residual_relative_true, r.residual_relative_wanted, r.advice), SolveWarning)
        if r.rhs_inconsistent:
            warn(f"the system has no solution: {r.rhs_outside_range:.1e} of the right-hand side is constant, and was taken away",
                 SolveWarning)

    def explain(self, device_facts: str | None = None) -> str:
        """How systems with these coefficients would be solved: the levels of multigrid, where each one lives, what a cycle moves.

        Parameters
        ----------
        device_facts : {"v100", "a100", "h100", "h200", "b200"}, optional
            A GPU that need not be here; by default the solver's device.

        Raises
        ------
        ValueError
            There are no facts of such a device, or coefficients are in the memory of a GPU.
        """
        self._problem.require_host()
        if device_facts is not None:
            word(device_facts, "device_facts")
        return grid_text_of(self._native.explain(self._problem.coefficients(), device_facts))

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
