# SPDX-License-Identifier: MIT
"""Heat in a body whose conductivity differs from cell to cell."""
from __future__ import annotations

import functools
from typing import Any

from .. import where
from .._define import Definition, define
from ._differences import along, check


@functools.cache
def heat(dims: int = 2) -> Definition:
    """Conduction of heat with a conductivity per cell.

    Equation: du/dt = div(k grad u), of temperature u and conductivity k (over heat capacity: a diffusivity).

    Scheme: finite volumes, forward in time. Between two cells flows the harmonic mean of both conductivities times the difference,
    which is exact for layers across the flow (Patankar 1980, section 4.2-3); cells of conductivity 0 insulate. What flows out
    of a cell flows into its neighbour, so that the sum of u stays under the boundaries ``reflect`` and ``periodic``.

    Stable for r k <= 1 / (2 dims) with the largest k; r = dt / dx**2.

    Parameters
    ----------
    dims : {1, 2, 3}

    Returns
    -------
    Definition
        Field u; coefficient k; parameter r = dt / dx**2, by default 0.1.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> u = np.zeros((20, 30)); u[10, 15] = 1
    >>> warm = dwell.run(dwell.stencils.heat(), u=u, k=1.0, steps=50, boundary="reflect")["u"]
    >>> bool(abs(warm.sum() - 1) < 1e-12)
    True
    """
    check(dims, (1, 2, 3), "dims")

    def flow(u: Any, k: Any, to: tuple[int, ...]) -> Any:
        """From the neighbour `to` into the cell."""
        total = k + k[to]
        return where(total > 0, 2 * k * k[to] / total, 0) * (u[to] - u)

    def step(u: Any, k: Any, r: Any = 0.1) -> Any:
        gained = None
        for axis in range(dims):
            for distance in (-1, 1):
                one = flow(u, k, along(dims, axis, distance))
                gained = one if gained is None else gained + one
        return u + r * gained

    return define(step, fields="u", coefficients="k", parameters="r", dims=dims, name=f"heat_{dims}d")
