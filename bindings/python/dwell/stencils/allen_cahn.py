# SPDX-License-Identifier: MIT
"""Domains of two phases whose borders move by their curvature."""
from __future__ import annotations

import functools
from typing import Any

from .._define import Definition, define
from ._differences import check, laplacian


@functools.cache
def allen_cahn(dims: int = 2) -> Definition:
    """The Allen-Cahn equation: a phase field of two phases, -1 and 1.

    Equation: dp/dt = kappa laplacian(p) + p - p**3.

    Scheme: forward in time, the Laplacian of 2 dims + 1 points. A border between phases is tanh(x / sqrt(2 kappa)) and moves by its
    curvature: of a disk, the square of the radius falls by 2 kappa t.

    Stable, with cells of size 1 and |p| <= 1, for dt <= 2 / (4 dims kappa + 2).

    Source: Allen and Cahn 1979.

    Parameters
    ----------
    dims : {1, 2, 3}

    Returns
    -------
    Definition
        Field p; parameters kappa, by default 2, and dt, by default 0.05.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> p = np.random.default_rng(0).uniform(-1, 1, (20, 30))
    >>> out = dwell.run(dwell.stencils.allen_cahn(), p=p, steps=100, boundary="periodic")["p"]
    """
    check(dims, (1, 2, 3), "dims")

    def step(p: Any, kappa: Any = 2.0, dt: Any = 0.05) -> Any:
        return p + dt * (kappa * laplacian(p, dims) + p - p**3)

    return define(step, fields="p", parameters="kappa dt", dims=dims, name=f"allen_cahn_{dims}d")
