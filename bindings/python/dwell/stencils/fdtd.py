# SPDX-License-Identifier: MIT
"""Electromagnetic waves in a plane, by Yee's scheme."""
from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from .._define import Definition, define


@functools.cache
def fdtd() -> Definition:
    """Maxwell's equations for a transverse magnetic field (TMz): Ez, Hx, Hy of x and y.

    Equations: mu dHx/dt = -dEz/dy, mu dHy/dt = dEz/dx, eps dEz/dt + sigma Ez = dHy/dx - dHx/dy.

    Scheme: Yee 1966. ez[y, x] lies on the corners of the lattice, hx[y, x] half a cell further in y, hy[y, x] half a cell
    further in x; H is half a step behind E. Two stages: H from E, then E from the new H. Losses stand between the steps before
    and after (Taflove and Hagness 2005, section 3.5).

    Its own boundary is a box of perfect conductors: Ez = 0 on row 0 and column 0, which must be 0 at the start, and on the row
    and the column behind the last ones. ``"periodic"`` is the other one that makes sense.

    Stable for ch cb <= 1/2.

    Returns
    -------
    Definition
        Fields ez, hx, hy. Coefficients ca = (1 - q) / (1 + q), by default 1, and cb = dt / (eps dx) / (1 + q), by default 0.5, with
        q = sigma dt / (2 eps). Parameter ch = dt / (mu dx), by default 0.5.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> ez = np.zeros((40, 50)); ez[20, 25] = 1
    >>> out = dwell.run(dwell.stencils.fdtd(), ez=ez, hx=0, hy=0, steps=30)
    >>> out["hx"].shape
    (40, 50)
    """

    def step(ez: Any, hx: Any, hy: Any, ca: Any = 1.0, cb: Any = 0.5, ch: Any = 0.5) -> Iterator[dict[str, Any]]:
        yield {"hx": hx - ch * (ez[1, 0] - ez), "hy": hy + ch * (ez[0, 1] - ez)}
        yield {"ez": ca * ez + cb * ((hy - hy[0, -1]) - (hx - hx[-1, 0]))}

    # H is the same on both sides of the conductor at row 0, half a cell away, so that its difference there is 0.
    walls = {"ez": "constant:0", "hx": "reflect", "hy": "reflect"}
    return define(step, fields="ez hx hy", coefficients="ca cb", parameters="ch", boundary=walls, name="fdtd_tmz")
