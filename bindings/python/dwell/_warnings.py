# SPDX-License-Identifier: MIT
"""Warnings: an answer or an input that is not quite what was asked for."""
from __future__ import annotations

import sys
import warnings


class SolveWarning(UserWarning):
    """An answer is not what was asked for: a solve has not met its tolerance, the system has no solution, a run with `until`
    was left at its limit, or values are not finite. Or what was given to reach it has no effect, or does
    not fit: options of another preconditioner, near-null vectors."""


class RoundingWarning(UserWarning):
    """Numbers of the caller's were rounded to the precision that is computed in."""


def counted(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def unmet(stopped: str, iterations: int, residual: float, wanted: float, advice: str = "") -> str:
    """What is said of a solve that has not met its tolerance; residuals are relative, the one found is the true one."""
    return (f"{stopped} after {counted(iterations, 'iteration')}: true relative residual {residual:.2e}, wanted {wanted:.2e}"
            + (f"; {advice}" if advice else ""))


def warn(message: str, kind: type[Warning]) -> None:
    """Points at the line outside the package that called it."""
    depth, frame = 2, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == __package__:
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, kind, stacklevel=depth)
