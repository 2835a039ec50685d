# SPDX-License-Identifier: MIT
"""Waves in a medium whose speed differs from cell to cell, with damping."""
from __future__ import annotations

import functools
from typing import Any

from .._checks import boolean
from .._define import Definition, define
from ._differences import check, laplacian


@functools.cache
def wave(dims: int = 2, order: int = 2, damped: bool = True) -> Definition:
    """Waves of constant density, with a speed and a damping per cell.

    Equation: d2u/dt2 + s du/dt = c**2 laplacian(u), of pressure u, speed c and damping s.

    Scheme: central differences, of order 2 in time and of order 2, 4 or 8 in space, the damping between the steps before and
    after: (1 + d) u(t + dt) = 2 u - (1 - d) u(t - dt) + c2 laplacian(u), as a product with 1 / (1 + d), which is the same in
    every step. The field v is u one step before, and no data move when both change places.

    Stable for c2 <= 1 / dims (order 2), 0.75 / dims (4), 0.615 / dims (8): 4 / dims over the largest value of minus the second
    difference, which is 4, 16/3 and 6.50.

    Source: Alford, Kelly and Boore 1974; Fornberg 1988 for the weights.

    Parameters
    ----------
    dims : {1, 2, 3}
    order : {2, 4, 8}
    damped : bool
        False: without the coefficient d, and faster by what it costs to read.

    Returns
    -------
    Definition
        Fields u and v (u one step before); coefficients c2 = (c dt / dx)**2, by default 0.25 (0.2 in order 8 in three
        dimensions), and d = s dt / 2, by default 0, which may grow towards a border to absorb waves.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> u = np.zeros((40, 50)); u[20, 25] = 1
    >>> u, before = dwell.run(dwell.stencils.wave(order=4), u=u, v=u, steps=30, boundary="periodic")
    """
    check(dims, (1, 2, 3), "dims")
    check(order, (2, 4, 8), "order")

    stable = 0.2 if (dims, order) == (3, 8) else 0.25

    def step(u: Any, v: Any, c2: Any = stable) -> Any:
        return 2 * u - v + c2 * laplacian(u, dims, order), u

    def damped_step(u: Any, v: Any, c2: Any = stable, d: Any = 0.0) -> Any:
        return (2 * u - (1 - d) * v + c2 * laplacian(u, dims, order)) * (1 / (1 + d)), u

    name = f"wave_{dims}d_order{order}"
    if boolean(damped, "damped"):
        return define(damped_step, fields="u v", coefficients="c2 d", dims=dims, name=name)
    return define(step, fields="u v", coefficients="c2", dims=dims, name=name)
