# SPDX-License-Identifier: MIT
"""The calls that solve a system, with the interface of scipy.sparse.linalg."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from . import _core
from ._arrays import dtype_of, host_array, place_of
from ._checks import number, whole
from ._csr import as_csr
from ._limits import MOST_ITERATIONS, iteration_limit
from ._options import DEFAULTS, SCIPY_RESTART, Options, check_names, takes_options
from ._progress import Progress
from ._reduce import reduce
from ._solver import Solver

if TYPE_CHECKING:
    from typing_extensions import Unpack

BREAKDOWN, NOT_FINITE = -10, -11


@takes_options("cg")
def cg(
    A: Any, b: Any, x0: Any = None, *, M: str | None = None, callback: None = None, device: str | None = None,
    threads: int = 0, progress: Progress = None, **options: Unpack[Options],
) -> tuple[Any, int]:
    """Solve ``A x = b`` by conjugate gradients, as ``scipy.sparse.linalg.cg`` does.

    Parameters
    ----------
    A : sparse matrix of shape (n, n)
        Symmetric positive definite, or complex, Hermitian and positive definite; what ``Solver`` takes.
    b : array of shape (n,), (n, 1) or (n, k)
        What ``Solver.solve`` takes. Integers become float64, and float32 stays that if `A` has it too, as in SciPy; where
        `A` or `b` is complex, both are.
        Columns are solved several in one pass over the matrix where that pays (`columns_at_once`); SciPy takes one.
    x0 : array of shape (n,), (n, 1) or b's, optional
        The start, of all columns or of each; by default zeros.
    M : {None, "none", "jacobi", "amg", "fsai", "block-jacobi", "chebyshev", "auto"}
        The preconditioner, by name; ``Solver`` says what they are.
    callback : None
        There for SciPy's signature. A solve keeps its data on the chip, so there is no ``xk`` to call with: use
        `progress`.
    device, threads
        As of ``Solver``.
    progress : bool or callable, optional
        As of ``Solver.solve``.
    {options}

    Returns
    -------
    x : array of b's shape, library and device
    info : int
        0: the true residual, recomputed in float64, is as wanted. Above 0: it is not, after so many iterations; so it
        is where a part of b has no solution (``SolveWarning``).
        -10: breakdown, the matrix is not positive definite. -11: a number was not finite; x is then the start
        or an earlier step with a smaller residual. Of several columns that of the first one that is not as wanted, 0 if
        all are.

    Warns
    -----
    SolveWarning
        As ``Solver.solve`` does, but of one right-hand side that has not converged `info` says it.

    Raises
    ------
    ValueError, TypeError, UnsupportedError, DeviceError
        As ``Solver`` and ``Solver.solve`` do, which check the matrix: SciPy does not.
    NotImplementedError
        `callback` is not None.
    KeyboardInterrupt
        At Ctrl-C. Who wants the answer so far uses ``Solver.solve``.

    Notes
    -----
    Where the residual that the iteration carries has converged and the true one has not, the iteration starts again
    from its answer, as long as that helps and `maxiter` allows it.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> A = dwell.generate("poisson2d:40x30")
    >>> x, info = dwell.cg(A, np.ones(1200), rtol=1e-10, M="jacobi")
    >>> info
    0
    """
    return _solve("cg", A, b, x0, M, callback, device, threads, progress, options)


@takes_options("minres")
def minres(
    A: Any, b: Any, x0: Any = None, *, M: str | None = None, callback: None = None, device: str | None = None,
    threads: int = 0, progress: Progress = None, **options: Unpack[Options],
) -> tuple[Any, int]:
    """Solve ``A x = b`` by minimal residuals; A symmetric, definite or not.

    Parameters and results are those of ``cg``; of `M`, "jacobi" takes the magnitudes of the diagonal, and the others
    are for positive definite matrices. As ``scipy.sparse.linalg.minres`` but for the tolerance: converged when ``||b - A x|| <= max(rtol ||b||,
    atol)``, where SciPy's bound has a norm of A and x; `shift`, `show` and `check` are not there.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> A = dwell.generate("helmholtz2d:40x30:1.5")
    >>> x, info = dwell.minres(A, np.ones(1200))
    >>> info
    0
    """
    return _solve("minres", A, b, x0, M, callback, device, threads, progress, options)


@takes_options("bicgstab")
def bicgstab(
    A: Any, b: Any, x0: Any = None, *, M: str | None = None, callback: None = None, device: str | None = None,
    threads: int = 0, progress: Progress = None, **options: Unpack[Options],
) -> tuple[Any, int]:
    """Solve ``A x = b`` by stabilised bi-conjugate gradients, as ``scipy.sparse.linalg.bicgstab`` does; any square A.

    Parameters and results are those of ``cg``; `M` is applied from the right, and may be "ilu0" with `factor_sweeps` and
    `sweeps` of ``Solver``, and on a CPU "aggregation".

    Examples
    --------
    >>> import dwell, numpy as np
    >>> A = dwell.generate("convection2d:40x30:20")
    >>> x, info = dwell.bicgstab(A, np.ones(1200), M="jacobi")
    >>> info
    0
    """
    return _solve("bicgstab", A, b, x0, M, callback, device, threads, progress, options)


@takes_options("gmres", restart=None)
def gmres(
    A: Any, b: Any, x0: Any = None, *, M: str | None = None, callback: None = None, device: str | None = None,
    threads: int = 0, progress: Progress = None, **options: Unpack[Options],
) -> tuple[Any, int]:
    """Solve ``A x = b`` by generalised minimal residuals, as ``scipy.sparse.linalg.gmres`` does; any square A.

    Parameters and results are those of ``bicgstab``, but for these. M is applied from the right, so that the residual is
    that of the system (SciPy applies it from the left).

    Parameters
    ----------
    restart : int, optional
        Iterations from one restart to the next, and vectors that are kept; by default min(20, n), at most 500.
    maxiter : int, optional
        Restarts, as in SciPy; by default 10 n.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> A = dwell.generate("convection2d:40x30:20")
    >>> x, info = dwell.gmres(A, np.ones(1200), restart=40)
    >>> info
    0
    """
    return _solve("gmres", A, b, x0, M, callback, device, threads, progress, options)


def _solve(method: str, A: Any, b: Any, x0: Any, M: Any, callback: None, device: str | None, threads: int,
           progress: Progress, options: Options) -> tuple[Any, int]:
    check_names(options, method, method)
    if callback is not None:
        raise NotImplementedError("callback: a solve keeps xk on the chip; use progress=function(iteration, residual, "
                                  "target, seconds), or Solver.solve in parts")
    name = _preconditioner(M)
    place = place_of(b)
    if place.gpu is None and place.kind == "numpy":
        b = host_array(b, "b")
    rtol = number(options.get("rtol", DEFAULTS["rtol"]), "rtol")
    atol = number(options.get("atol", DEFAULTS["atol"]), "atol")
    a = as_csr(A, dtype_of(b), or_complex=True, or_large=True)
    if method == "gmres":
        _count_restarts(options, a.rows)
    shape = tuple(b.shape)
    if len(shape) not in (1, 2) or shape[0] != a.rows:
        raise ValueError(f"b: expected shape ({a.rows},), ({a.rows}, 1) or ({a.rows}, k), found {shape}")
    if x0 is not None:
        x0 = _start(x0, b, shape)
    where = device if device is not None or place.gpu is None else f"cuda:{place.gpu}"
    options["method"], options["preconditioner"] = method, name
    solver = Solver._of(a, where, threads, options)
    x, several = solver._answer(b, x0, None, progress)
    if several:  # info is that of one of them
        solver._warn_of_unmet(several)
    solver._warn_of_answers()
    one = len(shape) == 1 or shape[1] == 1
    for k, report in enumerate(solver._reports):
        info = _info(report, rtol, atol, b if one else b[:, k])
        if info != 0:
            return x, info
    return x, 0


def _count_restarts(options: Options, rows: int) -> None:
    """SciPy's default of `restart`, and `maxiter` in iterations."""
    asked = options.get("restart")
    options["restart"] = size = max(1, min(SCIPY_RESTART, rows)) if asked is None else whole(asked, "restart")
    options["maxiter"] = min(iteration_limit(options.get("maxiter"), rows) * size, MOST_ITERATIONS)


def _start(x0: Any, b: Any, shape: tuple[int, ...]) -> Any:
    """The start that ``Solver.solve`` takes; None where b is zero: SciPy answers zeros (the library for several columns)."""
    n = shape[0]
    x0 = x0 if place_of(x0).gpu is not None else host_array(x0, "x0")
    several = len(shape) == 2 and shape[1] != 1
    if tuple(x0.shape) not in ((n,), (n, 1), shape):
        wanted = f"({n},), ({n}, 1) or {shape}" if several else f"({n},) or ({n}, 1)"
        raise ValueError(f"x0: expected shape {wanted}, found {tuple(x0.shape)}")
    if several:
        return x0
    return None if not (b != 0).any() else x0.reshape(shape)


def _info(report: _core.CgReport, rtol: float, atol: float, b: Any) -> int:
    if report.stopped == "not finite":
        return NOT_FINITE
    if _meets(report, rtol, atol, b):
        return 0
    return BREAKDOWN if report.stopped == "breakdown" else max(report.iterations, 1)


def _meets(report: _core.CgReport, rtol: float, atol: float, b: Any) -> bool:
    """||b - A x|| <= max(rtol ||b||, atol), of b as it was given: reports are of b without the part for which there is
    no solution."""
    rest = report.rhs_norm
    if not report.rhs_inconsistent:
        return bool(report.residual_relative_true <= (max(rtol, atol / rest) if rest > 0 else atol))
    norm = reduce(b, "norm2", device="cpu" if place_of(b).gpu is None else None)
    residual = math.hypot(report.residual_relative_true * (rest if rest > 0 else 1.0), report.rhs_outside_range * norm)
    return residual <= max(rtol * norm, atol)


def _preconditioner(M: Any) -> str:
    if M is None:
        return "none"
    if not isinstance(M, str):
        raise TypeError(f"M: expected the name of a preconditioner ({', '.join(_core.preconditioners())}), which the "
                        f"chip can hold, found {type(M).__name__}")
    return M
