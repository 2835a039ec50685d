# SPDX-License-Identifier: MIT
"""The linear systems that derivatives of a solve are."""
from __future__ import annotations

from typing import Any

from ._cg import BREAKDOWN, NOT_FINITE
from ._cg import cg as _cg
from ._options import DEFAULTS
from ._warnings import SolveWarning, warn

_USUAL: float = DEFAULTS["rtol"]  # atol says nothing of a right-hand side that is none of the caller's


def solve_for_derivative(A: Any, rhs: Any, norm_of_b: float, rtol: float, atol: float, **options: Any) -> Any:
    """The solution to the tolerance that the caller asked for, relative to `rhs`: of `atol` that relative to b. A warning
    says where it is not met."""
    wanted = max(rtol, min(atol / norm_of_b, _USUAL) if norm_of_b > 0 else 0.0) or _USUAL
    x, info = _cg(A, rhs, rtol=wanted, atol=0.0, **options)
    if info:
        how = {BREAKDOWN: "broke down", NOT_FINITE: "came to numbers that are not finite"}.get(
            int(info), f"has not met its tolerance, {wanted:.1e} of its right-hand side, after {info} iterations")
        warn(f"the linear system of a derivative {how}: gradients may be wrong", SolveWarning)
    return x
