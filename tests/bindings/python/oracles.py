# SPDX-License-Identifier: MIT
"""Systems with known properties, and stencils in plain NumPy."""
from __future__ import annotations

import numpy as np
import scipy.sparse

import dwell


def random_spd(seed, n=None, dtype=np.float64):
    """A sparse symmetric strictly diagonally dominant matrix."""
    random = np.random.default_rng(seed)
    n = n or int(random.integers(1, 120))
    count = 2 * n
    at, to, values = random.integers(0, n, count), random.integers(0, n, count), random.uniform(-1, 1, count)
    half = scipy.sparse.coo_array((values, (at, to)), shape=(n, n)).tocsr()
    a = half + half.T
    a = a + scipy.sparse.diags_array(np.asarray(abs(a).sum(axis=1)).ravel() + random.uniform(0.1, 2, n))
    return scipy.sparse.csr_array(a, dtype=dtype)


def residual(a, x, b):
    """||b - A x|| in float64."""
    a, x, b = a.astype(np.float64), np.asarray(x, np.float64), np.asarray(b, np.float64)
    return float(np.linalg.norm(b.ravel() - a @ x.ravel()))


def stencil_by_loops(u, shape, steps, boundary="fixed", source=None, weights=None):
    """A linear stencil: the field shifted by each tap, times its weight."""
    found = next(s for s in dwell.shapes() if s.name == shape)
    weights = found.weights if weights is None else weights
    mode = {"fixed": "constant", "periodic": "wrap", "reflect": "symmetric"}[boundary]
    r = found.radius
    u = np.array(u)
    changing = tuple(slice(r, -r) for _ in u.shape) if boundary == "fixed" else ...
    for _ in range(steps):
        padded = np.pad(u, r, mode=mode)
        new = np.zeros_like(u)
        for tap, weight in zip(found.taps, weights):
            new += u.dtype.type(weight) * padded[tuple(slice(r + d, r + d + n) for d, n in zip(tap, u.shape))]
        if source is not None:
            new += source
        u[changing] = new[changing]
    return u
