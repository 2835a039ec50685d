# SPDX-License-Identifier: MIT
"""How many iterations a solve may take."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._checks import whole

MOST_ITERATIONS = 2**31 - 1


def iteration_limit(maxiter: Any, rows: int) -> int:
    """`maxiter`, by default SciPy's. Throws ValueError for what is no count of at least 1."""
    return min(max(10 * rows, 1), MOST_ITERATIONS) if maxiter is None else asked_iterations(maxiter)


def asked_iterations(maxiter: Any) -> int:
    """`maxiter`, which has been given."""
    if isinstance(maxiter, (float, np.floating)) and maxiter == np.floor(maxiter):
        maxiter = int(maxiter) if np.isfinite(maxiter) else MOST_ITERATIONS + 1
    most = whole(maxiter, "maxiter", 2**63 - 1)
    if not 1 <= most <= MOST_ITERATIONS:
        raise ValueError(f"maxiter: expected 1 to {MOST_ITERATIONS}, found {most}")
    return most
