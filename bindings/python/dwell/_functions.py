# SPDX-License-Identifier: MIT
"""Functions for definitions. Of plain numbers and arrays they are NumPy's, so that a definition's function runs there too."""
from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ._values import made, recorder_of

__all__ = ["abs", "cos", "exp", "floor", "fma", "log", "maximum", "minimum", "sin", "sqrt", "tanh"]


def _one(operation: str, plain: Any, *given: Any) -> Any:
    return plain(*given) if recorder_of(*given) is None else made(operation, *given)


def sqrt(x: Any) -> Any:
    """The square root, correctly rounded."""
    return _one("sqrt", np.sqrt, x)


def exp(x: Any) -> Any:
    """e to the power of x."""
    return _one("exp", np.exp, x)


def log(x: Any) -> Any:
    """The natural logarithm."""
    return _one("log", np.log, x)


def sin(x: Any) -> Any:
    """The sine of x in radians."""
    return _one("sin", np.sin, x)


def cos(x: Any) -> Any:
    """The cosine of x in radians."""
    return _one("cos", np.cos, x)


def tanh(x: Any) -> Any:
    """The hyperbolic tangent."""
    return _one("tanh", np.tanh, x)


def abs(x: Any) -> Any:
    """x without its sign."""
    return _one("abs", np.absolute, x)


def floor(x: Any) -> Any:
    """The largest whole number that is not above x."""
    return _one("floor", np.floor, x)


def minimum(a: Any, b: Any) -> Any:
    """The smaller of both."""
    return _one("min", np.minimum, a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger of both."""
    return _one("max", np.maximum, a, b)


def fma(a: Any, b: Any, c: Any) -> Any:
    """a * b + c, rounded once. Of plain numbers: float64."""
    if recorder_of(a, b, c) is not None:
        return made("fma", a, b, c)
    a, b, c = float(a), float(b), float(c)
    if not np.isfinite(a) or not np.isfinite(b):
        return a * b + c
    if not np.isfinite(c):
        return c
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    return float(exact) if exact else a * b + c  # the sign of a zero
