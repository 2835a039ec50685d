# SPDX-License-Identifier: MIT
"""Two substances that react and diffuse, and make patterns."""
from __future__ import annotations

import functools
from typing import Any

from .._define import Definition, define
from ._differences import check, laplacian


@functools.cache
def gray_scott(dims: int = 2) -> Definition:
    """The Gray-Scott model of u + 2 v -> 3 v.

    Equations: du/dt = du laplacian(u) - u v**2 + feed (1 - u), dv/dt = dv laplacian(v) + u v**2 - (feed + kill) v.

    Scheme: forward in time, the Laplacian of 2 dims + 1 points. Which pattern grows depends on feed and kill.

    Stable, as far as diffusion goes, for dt max(du, dv) <= 1 / (2 dims) with cells of size 1.

    Source: Pearson 1993.

    Parameters
    ----------
    dims : {1, 2, 3}

    Returns
    -------
    Definition
        Fields u, v; parameters du = 0.16, dv = 0.08, feed = 0.035, kill = 0.065, dt = 1 by default.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> v = np.zeros((40, 50)); v[18:22, 23:27] = 0.5
    >>> out = dwell.run(dwell.stencils.gray_scott(), u=1 - v, v=v, steps=100, boundary="periodic")
    """
    check(dims, (1, 2, 3), "dims")

    def step(u: Any, v: Any, du: Any = 0.16, dv: Any = 0.08, feed: Any = 0.035, kill: Any = 0.065, dt: Any = 1.0) -> Any:
        made_of_u = u * v * v
        return (u + dt * (du * laplacian(u, dims) - made_of_u + feed * (1 - u)),
                v + dt * (dv * laplacian(v, dims) + made_of_u - (feed + kill) * v))

    return define(step, fields="u v", parameters="du dv feed kill dt", dims=dims, name=f"gray_scott_{dims}d")
