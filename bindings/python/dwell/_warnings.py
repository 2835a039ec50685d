# SPDX-License-Identifier: MIT
"""Warnings: an answer or an input that is not quite what was asked for."""
from __future__ import annotations

import sys
import warnings


class SolveWarning(UserWarning):
    """A solve gave an answer, but not that of the system as it was asked for."""


class RoundingWarning(UserWarning):
    """Numbers of the caller's were rounded to the precision that is computed in."""


def warn(message: str, kind: type[Warning]) -> None:
    """Points at the line outside the package that called it."""
    depth, frame = 2, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__", "")).partition(".")[0] == __package__:
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, kind, stacklevel=depth)
