# SPDX-License-Identifier: MIT
"""How many iterations a solve may take."""
from __future__ import annotations

MOST_ITERATIONS = 2**31 - 1


def iteration_limit(maxiter: int | None, rows: int) -> int:
    """`maxiter`, by default SciPy's. Throws ValueError for what is no count of at least 1."""
    if maxiter is None:
        return min(max(10 * rows, 1), MOST_ITERATIONS)
    if isinstance(maxiter, bool) or int(maxiter) != maxiter or not 1 <= maxiter <= MOST_ITERATIONS:
        raise ValueError(f"maxiter: expected 1 to {MOST_ITERATIONS}, found {maxiter!r}")
    return int(maxiter)
