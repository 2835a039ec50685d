# SPDX-License-Identifier: MIT
"""What the function of a definition computes with: values of a cell, conditions, and the fields themselves."""
from __future__ import annotations

import operator
from typing import Any, NoReturn

import numpy as np

from ._tape import Recorder, fail

_MOST_EXPONENT = 64


class Traced:
    """A number or a condition of every cell, known by its node."""

    __array_priority__ = 1000
    __hash__ = object.__hash__  # == is an operation
    _kind = ""

    def __init__(self, recorder: Recorder, node: int) -> None:
        self._recorder = recorder
        self._number = node
        self._stage = recorder.stage

    def _node(self) -> int:
        self._recorder.check_current(self._number, self._stage)
        return self._number

    def __getitem__(self, offsets: Any) -> Any:
        return type(self)(self._recorder, self._recorder.shifted(self._node(), offsets_of(offsets, "[...]")))

    # Numbers that cells have in a run only.

    def __bool__(self) -> NoReturn:
        raise fail("expected a number known before the run, found one of every cell: for if, and, or, not, min() and chained "
                   "comparisons use dwell.where, &, |, ~, dwell.minimum")

    def __float__(self) -> NoReturn:
        raise fail("expected a number known before the run, found one of every cell: use dwell.sqrt and the like, not math's")

    __int__ = __index__ = __complex__ = __len__ = __round__ = __float__

    def __iter__(self) -> NoReturn:
        raise fail("expected offsets, as in u[-1, 0], found a loop over cells")

    def __setitem__(self, offsets: Any, value: Any) -> NoReturn:
        raise fail("expected new values as the function's result, found an assignment to a cell")

    def _unknown(self, *_: Any) -> NoReturn:
        raise fail("expected + - * / ** and functions of dwell, found another operator")

    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __matmul__ = __rmatmul__ = __divmod__ = __rdivmod__ = _unknown
    __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __xor__ = __rxor__ = _unknown

    # NumPy's functions, and scalars on the left.

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        function = _UFUNCS.get(ufunc.__name__)
        if function is None or method != "__call__" or options:
            raise fail(f"expected a function that stencils have, found numpy.{ufunc.__name__}"
                       + (f".{method}" if method != "__call__" else " with options" if options else ""))
        return function(*inputs)

    def __array_function__(self, function: Any, _types: Any, given: Any, options: Any) -> Any:
        if function is not np.where or options or len(given) != 3:
            raise fail(f"expected a function that stencils have, found numpy.{function.__name__}")
        return where(*given)


class Value(Traced):
    """A number of every cell."""

    _kind = "a number"

    def __add__(self, other: Any) -> Value:
        return made("add", self, other)

    def __radd__(self, other: Any) -> Value:
        return made("add", other, self)

    def __sub__(self, other: Any) -> Value:
        return made("sub", self, other)

    def __rsub__(self, other: Any) -> Value:
        return made("sub", other, self)

    def __mul__(self, other: Any) -> Value:
        return made("mul", self, other)

    def __rmul__(self, other: Any) -> Value:
        return made("mul", other, self)

    def __truediv__(self, other: Any) -> Value:
        return made("div", self, other)

    def __rtruediv__(self, other: Any) -> Value:
        return made("div", other, self)

    def __pow__(self, exponent: Any) -> Value:
        return power(self, exponent)

    def __rpow__(self, base: Any) -> NoReturn:
        raise fail("expected a whole number as exponent, found one of every cell: use dwell.exp")

    def __neg__(self) -> Value:
        return made("neg", self)

    def __pos__(self) -> Value:
        return Value(self._recorder, self._node())

    def __abs__(self) -> Value:
        return made("abs", self)

    def __floor__(self) -> Value:
        return made("floor", self)

    def __lt__(self, other: Any) -> Condition:
        return compared("lt", self, other)

    def __le__(self, other: Any) -> Condition:
        return compared("le", self, other)

    def __gt__(self, other: Any) -> Condition:
        return compared("gt", self, other)

    def __ge__(self, other: Any) -> Condition:
        return compared("ge", self, other)

    def __eq__(self, other: Any) -> Condition:  # type: ignore[override]
        return compared("eq", self, other)

    def __ne__(self, other: Any) -> Condition:  # type: ignore[override]
        return compared("ne", self, other)

    __hash__ = object.__hash__

    def __and__(self, other: Any) -> NoReturn:
        raise fail("& and |: expected conditions, found a number: compare it, in parentheses")

    __or__ = __rand__ = __ror__ = __and__

    def __invert__(self) -> NoReturn:
        raise fail("~: expected a condition, found a number: compare it, in parentheses")


class Condition(Traced):
    """True or false in every cell."""

    _kind = "a condition"

    def __and__(self, other: Any) -> Condition:
        return joined("and", self, other)

    def __or__(self, other: Any) -> Condition:
        return joined("or", self, other)

    __rand__, __ror__ = __and__, __or__

    def __invert__(self) -> Condition:
        return joined("not", self)

    def _no_number(self, *_: Any) -> NoReturn:
        raise fail("expected a number, found a condition: dwell.where(condition, 1.0, 0.0) makes a number of it")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _no_number
    __pow__ = __rpow__ = __neg__ = __pos__ = __abs__ = __lt__ = __le__ = __gt__ = __ge__ = _no_number
    __eq__ = __ne__ = _no_number
    __hash__ = object.__hash__


class Cells(Value):
    """A field or a coefficient: `u` and `u[0, 0]` are the cell's own value, `u[-1, 0]` that of its neighbour."""

    def __init__(self, recorder: Recorder, array: int) -> None:
        super().__init__(recorder, recorder.add("tap", array, ()))
        self._array = array

    def _node(self) -> int:
        return self._number  # the field now, in whichever stage that is

    def __getitem__(self, offsets: Any) -> Value:
        name = self._recorder.array_name(self._array)
        return Value(self._recorder, self._recorder.tap(self._array, offsets_of(offsets, name)))


def offsets_of(key: Any, name: str) -> tuple[int, ...]:
    found = []
    for part in key if isinstance(key, tuple) else (key,):
        if isinstance(part, Traced):
            raise fail(f"{name}: expected whole numbers as offsets, found a value of every cell")
        try:
            if isinstance(part, (bool, np.bool_)):
                raise TypeError
            found.append(operator.index(part))
        except TypeError:
            shown = "a slice" if isinstance(part, slice) else repr(part)
            raise fail(f"{name}: expected whole numbers as offsets, found {shown}") from None
    return tuple(found)


def recorder_of(*given: Any) -> Recorder | None:
    found = None
    for one in given:
        if isinstance(one, Traced):
            if found is not None and one._recorder is not found:
                raise fail("expected values of one definition, found one of another")
            found = one._recorder
    return found


def _operand(recorder: Recorder, given: Any) -> int:
    """The node of a number."""
    if isinstance(given, Value):
        return given._node()
    if isinstance(given, Condition):
        given._no_number()
    if isinstance(given, (bool, np.bool_)) or not isinstance(given, (int, float, np.integer, np.floating)):
        if isinstance(given, np.ndarray) and given.ndim == 0 and given.dtype.kind in "iuf":
            return recorder.constant(float(given))
        if hasattr(given, "shape"):
            raise fail(f"expected a number, found an array of shape {tuple(given.shape)}: make it a coefficient")
        raise fail(f"expected a number, found {given if isinstance(given, bool) else type(given).__name__}")
    try:
        return recorder.constant(float(given))
    except OverflowError:
        raise fail("expected a finite number, found an integer above 1.8e308") from None


def made(operation: str, *given: Any) -> Value:
    recorder = recorder_of(*given)
    assert recorder is not None
    return Value(recorder, recorder.add(operation, *(_operand(recorder, g) for g in given)))


def compared(operation: str, *given: Any) -> Condition:
    recorder = recorder_of(*given)
    assert recorder is not None
    return Condition(recorder, recorder.add(operation, *(_operand(recorder, g) for g in given)))


def joined(operation: str, *given: Any) -> Condition:
    recorder = recorder_of(*given)
    assert recorder is not None
    for one in given:
        if not isinstance(one, Condition):
            raise fail(f"{operation}: expected conditions, found {getattr(one, '_kind', type(one).__name__)}")
    return Condition(recorder, recorder.add(operation, *(g._node() for g in given)))


def power(base: Any, exponent: Any) -> Value:
    """By squaring, from the exponent's highest bit: x**6 is y*y of y = x*x*x; a negative one is 1 over that."""
    whole = getattr(exponent, "is_integer", lambda: isinstance(exponent, (int, np.integer)))
    if isinstance(exponent, (Traced, bool)) or not whole() or abs(exponent) > _MOST_EXPONENT:
        hint = ": dwell.sqrt(x) is x**0.5" if isinstance(exponent, float) and exponent == 0.5 else ""
        shown = exponent._kind if isinstance(exponent, Traced) else repr(exponent)
        raise fail(f"**: expected a whole exponent from -{_MOST_EXPONENT} to {_MOST_EXPONENT}, found {shown}{hint}")
    n = int(exponent)
    if n == 0:
        return Value(base._recorder, base._recorder.constant(1.0))
    out: Value = +base
    for bit in bin(abs(n))[3:]:
        out = out * out
        if bit == "1":
            out = out * base
    return 1.0 / out if n < 0 else out


def where(condition: Any, a: Any, b: Any) -> Any:
    """`a` where the condition holds, else `b`; both are computed. Of plain numbers and arrays: ``numpy.where``."""
    recorder = recorder_of(condition, a, b)
    if recorder is None:
        return np.where(condition, a, b)
    if isinstance(condition, (bool, np.bool_)):  # known before the run
        return a if condition else b
    if not isinstance(condition, Condition):
        raise fail("where: expected a condition, found " + getattr(condition, "_kind", type(condition).__name__))
    return Value(recorder, recorder.add("where", condition._node(), _operand(recorder, a), _operand(recorder, b)))


def square(x: Any) -> Value:
    return made("mul", x, x)


def _function(operation: str) -> Any:
    return lambda *given: made(operation, *given)


_UFUNCS: dict[str, Any] = {
    **{name: _function(op) for name, op in (
        ("add", "add"), ("subtract", "sub"), ("multiply", "mul"), ("divide", "div"), ("true_divide", "div"),
        ("negative", "neg"), ("absolute", "abs"), ("fabs", "abs"), ("sqrt", "sqrt"), ("exp", "exp"), ("log", "log"),
        ("sin", "sin"), ("cos", "cos"), ("tanh", "tanh"), ("floor", "floor"), ("minimum", "min"), ("maximum", "max"))},
    **{name: (lambda op: lambda a, b: compared(op, a, b))(op) for name, op in (
        ("less", "lt"), ("less_equal", "le"), ("greater", "gt"), ("greater_equal", "ge"), ("equal", "eq"),
        ("not_equal", "ne"))},
    **{name: (lambda op: lambda *given: joined(op, *given))(op) for name, op in (
        ("logical_and", "and"), ("bitwise_and", "and"), ("logical_or", "or"), ("bitwise_or", "or"),
        ("logical_not", "not"), ("invert", "not"))},
    "positive": lambda x: +x, "square": square, "power": power, "reciprocal": lambda x: 1.0 / x,
}
