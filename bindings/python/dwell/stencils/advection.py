# SPDX-License-Identifier: MIT
"""Something that a wind carries along."""
from __future__ import annotations

import functools
from typing import Any

from .. import maximum, minimum
from .._define import Definition, define


@functools.cache
def advection(scheme: str = "upwind") -> Definition:
    """Transport in a plane by a wind that may differ from cell to cell.

    Equation: du/dt + a du/dx + b du/dy = 0, of the wind (a, b) along x and y.

    Scheme ``"upwind"``: the difference towards where the wind comes from; of order 1, makes no new extremes, and blurs. Stable for
    |cx| + |cy| <= 1 (Courant, Isaacson and Rees 1952).

    Scheme ``"lax-wendroff"``: Taylor's series in time to order 2, with the mixed derivative; sharp, with ripples behind
    steep fronts. Stable for |cx|**(2/3) + |cy|**(2/3) <= 1 where the wind is everywhere the same (Lax and Wendroff 1964).

    Parameters
    ----------
    scheme : {"upwind", "lax-wendroff"}

    Returns
    -------
    Definition
        Field u; coefficients cx = a dt / dx and cy = b dt / dy.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> u = np.zeros((20, 30)); u[10, 5] = 1
    >>> moved = dwell.run(dwell.stencils.advection(), u=u, cx=1.0, cy=0.0, steps=10, boundary="periodic")["u"]
    >>> float(moved[10, 15])
    1.0
    """

    def upwind(u: Any, cx: Any, cy: Any) -> Any:
        along_x = maximum(cx, 0) * (u - u[0, -1]) + minimum(cx, 0) * (u[0, 1] - u)
        along_y = maximum(cy, 0) * (u - u[-1, 0]) + minimum(cy, 0) * (u[1, 0] - u)
        return u - (along_x + along_y)

    def lax_wendroff(u: Any, cx: Any, cy: Any) -> Any:
        first = cx * (u[0, 1] - u[0, -1]) + cy * (u[1, 0] - u[-1, 0])
        second = cx * cx * (u[0, 1] - 2 * u + u[0, -1]) + cy * cy * (u[1, 0] - 2 * u + u[-1, 0])
        mixed = cx * cy * ((u[1, 1] - u[1, -1]) - (u[-1, 1] - u[-1, -1]))
        return u - 0.5 * first + 0.5 * second + 0.25 * mixed

    steps = {"upwind": upwind, "lax-wendroff": lax_wendroff}
    if scheme not in steps:
        raise ValueError(f"scheme: expected {' or '.join(steps)}, found {scheme!r}")
    return define(steps[scheme], fields="u", coefficients="cx cy", name="advection_" + scheme.replace("-", "_"))
