# SPDX-License-Identifier: MIT
"""Water that is shallow beside the length of its waves."""
from __future__ import annotations

import functools
from typing import Any

from .. import abs, maximum, sqrt
from .._define import Definition, define


@functools.cache
def shallow_water() -> Definition:
    """The shallow water equations over a flat bed.

    Equations: dh/dt + div(q) = 0, dq/dt + div(q q / h) + grad(g h**2 / 2) = 0, of depth h and discharge q = (hu, hv).

    Scheme: finite volumes of order 1 with the flux of Rusanov 1961 (local Lax-Friedrichs): the mean of both sides' fluxes less half
    the difference of the states times the faster of |u| + sqrt(g h). Fronts (bores) move as they should; h must be above 0.
    What leaves a cell enters its neighbour, so that the water's volume stays.

    Its own boundary are walls: h is mirrored, the discharge towards the wall changes its sign.

    Stable for r (|u| + sqrt(g h)) <= 1/2; r = dt / dx.

    Source: LeVeque 2002, sections 12.5 and 13.

    Returns
    -------
    Definition
        Fields h, hu, hv (along x and y); parameters r = dt / dx, by default 0.1, and g, by default 9.81.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> h = np.ones((20, 30)); h[:, :10] = 1.5
    >>> out = dwell.run(dwell.stencils.shallow_water(), h=h, hu=0, hv=0, steps=50)
    >>> bool(abs(out["h"].sum() - h.sum()) < 1e-9)
    True
    """

    def step(h: Any, hu: Any, hv: Any, r: Any = 0.1, g: Any = 9.81) -> Any:
        wave = sqrt(g * h)
        pressure = 0.5 * g * h * h

        def face(along: Any, across: Any, to: tuple[int, int]) -> tuple[Any, Any, Any]:
            """The flux of h, of the discharge along the axis and of that across it, between a cell and the next one."""
            speed = along / h
            fastest = abs(speed) + wave
            most = maximum(fastest, fastest[to])

            def flux(state: Any, carried: Any) -> Any:
                return 0.5 * (carried + carried[to]) - 0.5 * most * (state[to] - state)

            return flux(h, along), flux(along, along * speed + pressure), flux(across, across * speed)

        h_x, hu_x, hv_x = face(hu, hv, (0, 1))
        h_y, hv_y, hu_y = face(hv, hu, (1, 0))

        def new(state: Any, x: Any, y: Any) -> Any:
            return state - r * ((x - x[0, -1]) + (y - y[-1, 0]))

        return new(h, h_x, h_y), new(hu, hu_x, hu_y), new(hv, hv_x, hv_y)

    walls = {"h": "reflect", "hu": ("reflect", "antisymmetric"), "hv": ("antisymmetric", "reflect")}
    return define(step, fields="h hu hv", parameters="r g", boundary=walls, name="shallow_water")
