# SPDX-License-Identifier: MIT
"""Options of the caller's: each is what it should be, or one line says its name and what was found."""
from __future__ import annotations

import operator
from typing import Any

import numpy as np

_MOST = 2**31 - 1


def shown(value: Any) -> str:
    """`value` for a message: one line, and not a long one."""
    if isinstance(value, (bool, int, float, str, bytes, type(None), np.generic)):
        text = " ".join(repr(value).split())
        return text if len(text) <= 60 else text[:57] + "..."
    return type(value).__name__


def boolean(value: Any, name: str) -> bool:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise TypeError(f"{name}: expected True or False, found {shown(value)}")


def whole(value: Any, name: str, most: int = _MOST) -> int:
    """An int from -most - 1 to most."""
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name}: expected a whole number, found {shown(value)}") from None
    if not -most - 1 <= number <= most:
        raise ValueError(f"{name}: expected a whole number of at most {most}, found {shown(number)}")
    return number


def number(value: Any, name: str) -> float:
    """A float of one real number: also of NumPy's scalars and arrays of no axes."""
    wrong = isinstance(value, (bool, np.bool_, str, bytes, complex, np.complexfloating))
    if not wrong and getattr(value, "shape", ()) == () and hasattr(value, "__float__"):
        try:
            return float(value)
        except OverflowError:
            raise ValueError(f"{name}: expected a number of at most 1.8e308, found a larger one") from None
        except (TypeError, ValueError):
            pass
    raise TypeError(f"{name}: expected a number, found {shown(value)}")


def held(value: float, dtype: np.dtype[Any], name: str) -> float:
    """A number that is finite in `dtype`."""
    with np.errstate(over="ignore"):
        if not np.isfinite(dtype.type(value)):
            raise ValueError(f"{name}: expected a number that is finite in {dtype}, found {value:g}")
    return value


def finite(a: np.ndarray[Any, Any], name: str) -> np.ndarray[Any, Any]:
    """An array of finite values; an error says the first that is not."""
    there = np.isfinite(a)
    if not there.all():
        at = np.unravel_index(int(np.argmin(there)), a.shape)
        place = ", ".join(str(int(i)) for i in at)
        raise ValueError(f"{name}: expected finite values, found {float(a[at])} at [{place}] (counted from 0)")
    return a


def word(value: Any, name: str) -> str:
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"{name}: expected a word, found {shown(ascii(value))}") from None
        return str(value)
    raise TypeError(f"{name}: expected a word, found {shown(value)}")


_CHECKS: dict[type, Any] = {bool: boolean, int: whole, float: number, str: word}


def assign(options: Any, member: str, value: Any, name: str | None = None) -> None:
    """Sets a member of an options object of the extension to what its present value's type allows; `name`: of the
    caller's argument, where it is another one."""
    name = name or member
    setattr(options, member, _CHECKS[type(getattr(options, member))](value, name))
