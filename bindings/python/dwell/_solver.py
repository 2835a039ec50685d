# SPDX-License-Identifier: MIT
"""A solver that an application holds: the matrix is checked, planned, cut and uploaded once."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _gpu
from ._arrays import Place, host_array, like, place_of, readable
from ._checks import boolean, word
from ._csr import Csr, as_csr, to_host
from ._device import resolve
from ._explain import text_of
from ._options import OPTIONS, Options, check_names, native_options, takes_options
from ._progress import OnInterrupt, Progress, check_on_interrupt, heard, of_residual
from ._report import Breakdown, Report, Setup
from ._turn import Turn
from ._vectors import on_gpu, on_host
from ._warnings import SolveWarning, counted, unmet, warn

if TYPE_CHECKING:
    from typing_extensions import Unpack

_NATIVE: dict[str, Any] = {
    "float64": _core.CgSolverF64, "float32": _core.CgSolverF32,
    "complex128": _core.ComplexSolverF64, "complex64": _core.ComplexSolverF32}


@takes_options()
class Solver(_gpu.StreamUser):
    """A solver of systems with one square matrix, iterative unless its method is "direct".

    Preparing takes about as long as tens to hundreds of iterations; a solver pays that once, and each ``solve`` is
    iterations and little else. Answers do not depend on the solves before.

    Parameters
    ----------
    A : sparse matrix of shape (n, n)
        SciPy's in any format, CuPy's, PyTorch's of layout ``sparse_csr``, JAX's BCSR, a dense array, or a tuple
        ``(indptr, indices, data)`` of arrays in compressed sparse rows. What has int32 indices, sorted and without
        duplicates, and float32 or float64 values in compressed sparse rows is not copied: a CPU then reads these
        arrays in place, so they must not change while the solver lives. Other real dtypes become float64. complex64 and
        complex128 are taken too, in arrays of the host (the device may be a GPU): with method "cg" (a Hermitian matrix),
        "bicgstab", "gmres" or "auto", preconditioner "none", "jacobi", "ilu0"
        (of "bicgstab" and "gmres"), or "auto", which begins with "jacobi" and goes on with "ilu0" where that breaks down or,
        on a CPU, rests; right-hand sides are then solved one after another, and ``update_values`` and ``explain`` are not there.
    device : str, optional
        "cpu", "cuda" or "cuda:N". By default where the arrays are; for arrays of the host the first usable GPU, else
        the CPU; of method "direct" the CPU.
    threads : int
        Of a CPU; 0: as many as the process may use and the problem is worth.
    {options}

    Raises
    ------
    ValueError
        The matrix is not square, or not what the method asks for (of "cg" symmetric with a positive diagonal, of
        "minres" symmetric, with "jacobi" a diagonal without zeros); an option or a value cannot be used.
    TypeError
        `A` is no matrix of real numbers.
    UnsupportedError
        This build or this device does not have what is asked for.
    DeviceError
        The device is absent, fails or has too little memory.

    Notes
    -----
    Threads that share a solver take turns. A progress function must not call the solver that calls it.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> A = dwell.generate("poisson2d:40x30")
    >>> solver = dwell.Solver(A, preconditioner="jacobi", rtol=1e-10)
    >>> x = solver.solve(np.ones(1200))
    >>> solver.report.stopped
    'converged'
    """

    def __init__(self, A: Any, *, device: str | None = None, threads: int = 0, **options: Unpack[Options]) -> None:
        check_names(options, "Solver")
        self._setup(as_csr(A, or_complex=True, or_large=True), device, threads, options)

    @classmethod
    def _of(cls, a: Csr, device: str | None, threads: int, options: Options) -> Solver:
        self = cls.__new__(cls)
        self._setup(a, device, threads, options)
        return self

    def _setup(self, a: Csr, device: str | None, threads: int, options: Options) -> None:
        self._options = native_options(options, a.rows)
        self._given = [o.member for o in OPTIONS if options.get(o.keyword) is not None]
        self._take_stream(a.place)
        if device is None and a.place.gpu is None and options.get("method") == "direct":
            device = "cpu"  # there are no others
        self._device = resolve(device, threads, a.place.gpu, self._stream)
        self._a = a
        arrays: tuple[Any, ...] = (a.indptr, a.indices, a.data)
        make: Any = _NATIVE[a.dtype.name]
        if a.place.gpu is not None:
            if not self._stream:
                _gpu.wait_for(a.data, a.place)
            arrays, make = tuple(_gpu.capsule(part, a.place) for part in arrays), make.on_cuda
        self._native: Any = make(self._device, *arrays, a.cols, self._options)
        self._turn = Turn("solve")
        self._reports: list[_core.CgReport] = []

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the matrix."""
        return (self._native.rows, self._a.cols)

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64, or complex64 or complex128, of the matrix and all vectors."""
        return self._a.dtype

    @property
    def setup(self) -> Setup:
        """What preparing took, or the last ``update_values``."""
        return Setup(**self._native.setup())

    @property
    def reports(self) -> list[Report]:
        """Reports of the last ``solve``, one for each right-hand side that was solved; `columns_together` says with how many. The
        seconds of columns that were solved together are those of all of them, in the report of each."""
        return [Report.of(one) for one in self._reports]

    @property
    def report(self) -> Report:
        """Report of the last solve, or of its last right-hand side. Raises ValueError before one."""
        if not self._reports:
            raise ValueError("report: expected a solve before, found none")
        return Report.of(self._reports[-1])

    def solve(
        self, b: Any, x0: Any = None, out: Any = None, *, progress: Progress = None,
        on_interrupt: OnInterrupt = "raise", raise_on_breakdown: bool = False,
    ) -> Any:
        """Solve ``A x = b``.

        Parameters
        ----------
        b : array of shape (n,), (n, 1) or (n, k)
            NumPy's (or what NumPy makes an array of), CuPy's, PyTorch's, JAX's, or of any library with DLPack or
            ``__cuda_array_interface__``. Used in place if it has the solver's dtype and, of shape (n, k), Fortran
            order; else copied. Several columns are solved 8, 4 or 2 in one pass over the matrix where that pays
            (`columns_at_once`), else one after the other, as with a progress function; each has its own numbers and
            ends by itself. Bits of a column that is solved with others do not depend on them, but are not those of a
            solve alone.
        x0 : array of b's shape, optional
            The start; by default zeros.
        out : array of b's shape, optional
            Where the answer goes: of b's library, of the solver's dtype, contiguous (of shape (n, k): in Fortran
            order), writable. May be `x0`, not `b`.
        progress : bool or callable, optional
            True: a bar of tqdm. A function is called with (iteration, relative residual, target, seconds) about every
            `progress_interval` seconds; if it returns False (or a library's, such as numpy.False_), the solve ends
            there; it does not wait for the function, so that one of some milliseconds may have ended by itself.
        on_interrupt : {"raise", "return"}
            At Ctrl-C: raise KeyboardInterrupt, the answer so far being in `out`, or return it. ``report.stopped`` is
            then "interrupted". Columns that had not begun keep their start; where that is `out`, or in an array of JAX on a
            GPU, they may have done an iteration.
        raise_on_breakdown : bool
            Raise Breakdown where the matrix turns out not to be positive definite, or a number not to be finite.

        Returns
        -------
        x : array of b's shape, library and device
            `out` if that was given. Where the solve did not converge it is the best so far; see ``report``.

        Raises
        ------
        ValueError
            A shape does not fit, a value is not finite, an array is on another device, or `out` cannot be written.
        TypeError
            A dtype cannot be used: complex where the solver is real, or float64 where the solver has float32.
        Breakdown, DeviceError, KeyboardInterrupt

        Warns
        -----
        SolveWarning
            The true residual does not meet the tolerance: why the solve ended, after how many iterations, and what may help
            (of several columns which ones, and this of the first; ``reports`` have the others); not where `progress` or
            Ctrl-C ended it, nor for the iterations that ``fixed_iterations`` asked for. Or `A` is singular, and a part of b
            has no solution (``Report.rhs_outside_range``). Or the residual meets the tolerance by its norm, but a row is
            not solved (``Report.rows_missed``). Or an option that was given is of another preconditioner or method than the
            solve had in the end. Or `near_null` does not fit `A` (``Report.near_null_misfit``).
        RoundingWarning
            Whole numbers or long doubles have more digits than the solver's dtype.
        """
        x, columns = self._answer(b, x0, out, progress, on_interrupt, boolean(raise_on_breakdown, "raise_on_breakdown"))
        self._warn_of_unmet(columns)
        self._warn_of_answers()
        return x

    def _answer(self, b: Any, x0: Any, out: Any, progress: Progress, on_interrupt: OnInterrupt = "raise",
                raise_on_breakdown: bool = False) -> tuple[Any, bool]:
        """What ``solve`` returns, and whether it has several columns; warns of nothing."""
        check_on_interrupt(on_interrupt)
        place = place_of(b)
        if place.gpu is not None and self.dtype.kind == "c":
            raise TypeError(f"b: expected an array of the host for a complex solver, found one on cuda:{place.gpu}")
        if place.gpu is None:
            rhs, x, answer, columns = on_host(b, x0, out, self._native.rows, self.dtype)
        else:
            self._require_here(place)
            rhs, x, answer, columns = on_gpu(b, x0, out, self._native.rows, self.dtype, place)
            self._order_after(b, place)
        try:
            if progress is None:
                self._run(rhs, x, columns, None, on_interrupt)
            else:
                with heard(progress, "iteration", of_residual) as listener:
                    self._run(rhs, x, columns, listener, on_interrupt)
        except KeyboardInterrupt:
            self._keep_starts(answer, x0, out, columns, place)
            raise
        self._keep_starts(answer, x0, out, columns, place)
        if raise_on_breakdown:
            self._require_no_breakdown(answer)
        if out is not None:
            return out, columns
        return answer if place.kind == "numpy" or place.gpu is not None else like(answer, place, b), columns

    def update_values(self, data: Any) -> None:
        """Other values for the same pattern, from the next solve on; no new plan.

        Parameters
        ----------
        data : array of shape (nnz,), or a matrix
            The values in the order of the matrix in compressed sparse rows, columns ascending, or a matrix of the same
            pattern. Of the solver's dtype; a CPU uses them in place.

        Raises
        ------
        ValueError
            Their number differs, one is not finite, the matrix is not symmetric or has no positive diagonal. The
            values before are then kept.
        """
        self._require_real("update_values")
        if hasattr(data, "tocsr") or hasattr(data, "indptr"):
            a = as_csr(data, self.dtype, or_large=True)
            self._require_pattern(a)
            data = a.data
        place = place_of(data)
        if place.gpu is None:
            values = readable(host_array(data, "data"), self.dtype, "data")
            if values.shape != self._a.data.shape:
                raise ValueError(f"data: expected shape {tuple(self._a.data.shape)}, found {values.shape}")
            native: Any = values
        else:
            _gpu.check(data, self.dtype, "data")
            self._order_after(data, place)
            values, native = data, _gpu.capsule(data, place)
        with self._turn:
            (self._native.update_values if place.gpu is None else self._native.update_values_cuda)(native)
            self._a = self._a._replace(data=values)

    def explain(self, device_facts: str | None = None) -> str:
        """What executor ``perks`` would do with the matrix, and why: the plan of every policy, in text.

        Parameters
        ----------
        device_facts : {"v100", "a100", "h100", "h200", "b200"}, optional
            A GPU that need not be here; by default the solver's device.

        Raises
        ------
        ValueError
            There are no facts of such a device.
        UnsupportedError
            There is no plan that could run there.
        """
        self._require_real("explain")
        a = to_host(self._a)
        if a.large:
            raise _core.UnsupportedError(f"explain: expected a matrix of at most 2147483647 entries, found {a.data.size}")
        if device_facts is not None:
            word(device_facts, "device_facts")
        return text_of(_core.explain(a.indptr, a.indices, a.data, a.cols, self._device, device_facts, self._options))

    def __repr__(self) -> str:
        n, m = self.shape
        return f"<dwell.Solver: {n} x {m}, {self.dtype}, {self._device.backend}>"

    def _require_real(self, what: str) -> None:
        if self.dtype.kind == "c":
            raise _core.UnsupportedError(f"{what}: expected a solver of real numbers, found one of {self.dtype}")

    def _require_here(self, place: Place) -> None:
        if self._device.backend != "cuda" or self._device.ordinal != place.gpu:
            where = "cpu" if self._device.backend == "cpu" else f"cuda:{self._device.ordinal}"
            raise ValueError(f"b: expected an array on the solver's device {where}, found one on cuda:{place.gpu}")

    def _run(self, rhs: Any, x: Any, columns: bool, progress: Any, on_interrupt: OnInterrupt) -> None:
        native, hosted = self._native, isinstance(rhs, np.ndarray)
        with self._turn:
            if columns:
                self._reports = (native.solve_columns if hosted else native.solve_columns_cuda)(rhs, x, progress)
            else:
                self._reports = [(native.solve if hosted else native.solve_cuda)(rhs, x, progress)]
            try:
                native.raise_pending()
            except KeyboardInterrupt:
                if on_interrupt == "raise":
                    raise

    def _keep_starts(self, x: Any, x0: Any, out: Any, columns: bool, place: Place) -> None:
        """Keeps the starts of columns that an interrupt left out, of which the library does an iteration."""
        done = len(self._reports)
        if not columns or done == x.shape[1] or (x0 is not None and x0 is out) or (place.kind == "jax" and place.gpu is not None):
            return
        if x0 is None:
            x[:, done:] = 0
        else:
            start = x0 if place.gpu is not None else host_array(x0, "x0")
            x[:, done:] = start[:, done:] if tuple(start.shape) == tuple(x.shape) else start.reshape(-1, 1)

    def _require_no_breakdown(self, x: Any) -> None:
        for one in self._reports:
            if one.stopped in ("breakdown", "not finite"):
                report = Report.of(one)
                raise Breakdown(f"{report.stopped} after {counted(report.iterations, 'iteration')}", report, x)

    def _wanted(self, report: _core.CgReport) -> float:
        """The relative residual that was asked for."""
        rtol, atol, norm = self._options.rtol, self._options.atol, report.rhs_norm
        return float(max(rtol, atol / norm) if norm > 0 else atol)

    def _met(self, report: _core.CgReport) -> bool:
        if report.stopped == "converged" and not report.target_missed:
            return True
        return bool(report.stopped != "not finite" and report.residual_relative_true <= self._wanted(report))

    def _warn_of_unmet(self, columns: bool) -> None:
        """Right-hand sides whose true residual is not as wanted, unless the caller ended them."""
        asked = {"interrupted", "iteration limit"} if self._options.fixed_iterations else {"interrupted"}
        ended = [k for k, one in enumerate(self._reports) if one.stopped not in asked and not self._met(one)]
        if not ended:
            return
        first = self._reports[ended[0]]
        text = unmet(first.stopped, first.iterations, first.residual_relative_true, self._wanted(first), Report.of(first).advice)
        if columns:
            named = ", ".join(map(str, ended[:8])) + (", ..." if len(ended) > 8 else "")
            text = (f"{len(ended)} of {len(self._reports)} right-hand sides did not converge: column"
                    f"{'' if len(ended) == 1 else 's'} {named} (counted from 0); the first one: {text}")
        warn(text, SolveWarning)

    def _warn_of_answers(self) -> None:
        """What is to be said of answers that may have met the tolerance; each once for all columns."""
        for option in self._given:
            if text := _core.words_without_effect(option, self._reports, self._options):
                warn(text, SolveWarning)
        misfit = next((one for one in self._reports if one.near_null_misfit), None)
        if misfit is not None:
            warn(misfit.preconditioner_note, SolveWarning)
        missed = [one.componentwise_backward_error for one in self._reports if one.rows_missed]
        if missed:
            warn("the residual meets the tolerance by its norm, but not in every row: the componentwise backward error is "
                 f"{max(missed):.1e}. Rows are of very different sizes: scale them, or ask for a smaller rtol", SolveWarning)
        parts = [one for one in self._reports if one.rhs_inconsistent]
        if not parts:
            return
        worst = max(parts, key=lambda one: float(one.rhs_outside_range))
        where = ("is in the span of null_vectors" if worst.null_space == "given" else
                 "is constant, which the matrix, whose rows have sums of zero, makes of nothing")
        warn(f"{worst.rhs_outside_range:.2g} of the norm of b {where}: with that part there is no solution, the answer is "
             "one without it", SolveWarning)

    def _require_pattern(self, a: Csr) -> None:
        mine, other = to_host(self._a), to_host(a)
        if not (np.array_equal(mine.indptr, other.indptr) and np.array_equal(mine.indices, other.indices)):
            raise ValueError("data: expected a matrix of the same pattern, found another one")
