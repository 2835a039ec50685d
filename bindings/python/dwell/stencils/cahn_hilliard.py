# SPDX-License-Identifier: MIT
"""A mixture that separates."""
from __future__ import annotations

import functools
from typing import Any

from .._define import Definition, define
from ._differences import laplacian


@functools.cache
def cahn_hilliard() -> Definition:
    """The Cahn-Hilliard equation of a mixture in a plane that separates into its two parts.

    Equation: dc/dt = laplacian(c**3 - c - kappa laplacian(c)), of a concentration c from -1 to 1.

    Scheme: forward in time, the Laplacian of 5 points twice, which reads 13 cells, 2 away at most. The sum of c stays under the
    boundaries ``reflect`` and ``periodic``.

    Stable, with cells of size 1 and |c| <= 1, for dt <= 1 / (8 (1 + 4 kappa)).

    Source: Cahn and Hilliard 1958.

    Returns
    -------
    Definition
        Field c; parameters kappa, by default 0.5, and dt, by default 0.02.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> c = 0.1 * np.random.default_rng(0).standard_normal((20, 30))
    >>> out = dwell.run(dwell.stencils.cahn_hilliard(), c=c, steps=100, boundary="periodic")["c"]
    >>> bool(abs(out.sum() - c.sum()) < 1e-9)
    True
    """

    def step(c: Any, kappa: Any = 0.5, dt: Any = 0.02) -> Any:
        potential = c**3 - c - kappa * laplacian(c, 2)
        return c + dt * laplacian(potential, 2)

    return define(step, fields="c", parameters="kappa dt", name="cahn_hilliard")
