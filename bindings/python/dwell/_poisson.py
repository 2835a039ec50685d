# SPDX-License-Identifier: MIT
"""One solve of a system on a grid."""
from __future__ import annotations

import inspect
from typing import Any

from ._arrays import dtype_of, float_dtype, place_of
from ._grid import GridSolver
from ._grid_problem import on_host
from ._options import with_options, wrapped
from ._progress import Progress

_OF_POISSON = {name: p for name, p in inspect.signature(GridSolver.__init__).parameters.items()
               if name not in ("self", "shape", "k", "s", "spacing", "boundary")}


def poisson(
    f: Any, *, k: Any = 1.0, s: Any = 0.0, spacing: Any = 1.0, boundary: str = "dirichlet", u0: Any = None, out: Any = None,
    progress: Progress = None, **options: Any,
) -> Any:
    """``-div(k grad u) + s u = f`` on a box, once; ``GridSolver`` for many right-hand sides.

    Parameters
    ----------
    f : array of one to three axes
        Of a GPU: that is then the device.
    k, s, spacing, boundary
        As of ``GridSolver``.
    u0, out : array of f's shape, optional
        The start, and where the answer goes; as of ``GridSolver.solve``.
    progress : bool or callable, optional
        As of ``GridSolver.solve``.
    {options}
        As of ``GridSolver``; `dtype` is f's by default.

    Returns
    -------
    array of f's shape and library

    Warns
    -----
    SolveWarning, RoundingWarning
        As ``GridSolver.solve``.

    Raises
    ------
    ValueError, TypeError, UnsupportedError, DeviceError, KeyboardInterrupt
        As ``GridSolver`` and ``GridSolver.solve``.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> u = dwell.poisson(np.ones((100, 100)), spacing=0.01)
    >>> round(float(u.max()), 3)
    0.074
    """
    for name in options:
        if name not in _OF_POISSON:
            raise TypeError(f"poisson() got an unexpected keyword argument '{name}'")
    place = place_of(f)
    a = on_host(f, "f") if place.gpu is None else f
    if place.gpu is not None and options.get("device") is None:
        options["device"] = f"cuda:{place.gpu}"
    if options.get("dtype") is None:
        options["dtype"] = float_dtype(dtype_of(a), "f")
    solver = GridSolver(tuple(a.shape), k=k, s=s, spacing=spacing, boundary=boundary, **options)
    return solver.solve(f, u0, out, progress=progress)


with_options(poisson, {name: p.default for name, p in _OF_POISSON.items()}, {name: p.annotation for name, p in _OF_POISSON.items()},
             wrapped(", ".join(_OF_POISSON), "    ").lstrip())
