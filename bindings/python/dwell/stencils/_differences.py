# SPDX-License-Identifier: MIT
"""Differences that several stencils are made of. Lengths are those of a cell: divide by its size where it is not 1."""
from __future__ import annotations

from typing import Any

# Second derivatives on a line, order by order: the weight of the cell, then of both neighbours 1, 2, ... away (Fornberg 1988).
SECOND = {2: (-2.0, 1.0), 4: (-5 / 2, 4 / 3, -1 / 12), 6: (-49 / 18, 3 / 2, -3 / 20, 1 / 90),
          8: (-205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560)}


def along(dims: int, axis: int, distance: int) -> tuple[int, ...]:
    """The offsets of a neighbour on an axis, the slowest axis first."""
    return tuple(distance if a == axis else 0 for a in range(dims))


def laplacian(u: Any, dims: int, order: int = 2) -> Any:
    """The sum of second derivatives along the axes."""
    centre, *rest = SECOND[order]
    out = dims * centre * u
    for distance, weight in enumerate(rest, 1):
        ring: Any = None
        for axis in range(dims):
            pair = u[along(dims, axis, -distance)] + u[along(dims, axis, distance)]
            ring = pair if ring is None else ring + pair
        out = out + (ring if weight == 1 else weight * ring)
    return out


def check(value: int, allowed: tuple[int, ...], what: str) -> None:
    if value not in allowed or isinstance(value, bool):
        raise ValueError(f"{what}: expected {', '.join(map(str, allowed[:-1]))} or {allowed[-1]}, found {value!r}")
