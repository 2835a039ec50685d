# SPDX-License-Identifier: MIT
"""A function of a cell becomes the definition of a stencil of several fields."""
from __future__ import annotations

import inspect
import keyword
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, overload

import numpy as np

from . import _core
from ._boundary import sides_of_fields
from ._arrays import asked_dtype
from ._checks import number, shown, whole, word
from ._definition_text import words_of
from ._device import resolve
from ._explain_fields import plan_rows
from ._tape import MOST_DIMS, DefinitionError, Recorder, Tape, in_callers_words
from ._values import Cells, Condition, Traced, Value

MOST_STAGES = 8  # the limit of the library's definition.hpp
RESERVED = {"boundary", "definition", "depth", "executor", "hoist", "kernel", "on_interrupt", "progress", "progress_interval",
            "receivers", "reduce_every", "reductions", "self", "sources", "steps", "threads", "until"}


class Keep:
    """The result for a field that stays as it is."""

    def __repr__(self) -> str:
        return "dwell.keep"


keep = Keep()


class Definition:
    """What a step does to some fields; made by ``dwell.define``, run by ``dwell.run``.

    Attributes
    ----------
    name : str
    dims : int
        1, 2 or 3.
    radius : int
        So many cells away a step reads.
    fields, coefficients, parameters : tuple of str
        What changes, what is read and has a value per cell, what is one number for all cells.
    defaults : dict
        Of coefficients and parameters: the defaults of the function's arguments.
    boundary
        Used where a run says nothing else.
    flops : int
        Operations per cell and step.
    tape : Tape
        The operations one by one.
    source : str
        The C++ text that a compiler gets.
    """

    def __init__(self, tape: Tape, function: Callable[..., Any], defaults: dict[str, Any], boundary: Any, place: str) -> None:
        self.tape = tape
        self.function = function
        self.defaults = defaults
        self.boundary = boundary
        self.__doc__ = function.__doc__
        self.__name__ = tape.name
        try:
            self._native = _core.Definition(tape.name, tape.dims, list(tape.fields), list(tape.coefficients),
                                            list(tape.parameters), list(tape.nodes), [list(s) for s in tape.stages])
        except ValueError as error:
            raise DefinitionError(place, error) from None

    @property
    def name(self) -> str:
        return self.tape.name

    @property
    def dims(self) -> int:
        return self.tape.dims

    @property
    def fields(self) -> tuple[str, ...]:
        return self.tape.fields

    @property
    def coefficients(self) -> tuple[str, ...]:
        return self.tape.coefficients

    @property
    def parameters(self) -> tuple[str, ...]:
        return self.tape.parameters

    @property
    def radius(self) -> int:
        return int(self._native.radius)

    @property
    def flops(self) -> int:
        return int(self._native.flops)

    @property
    def source(self) -> str:
        return str(self._native.source)

    def __repr__(self) -> str:
        return words_of(self.tape, self.radius, self.flops, self.defaults)

    def explain(
        self, size: Sequence[int], *, dtype: Any = "float64", boundary: Any = None, device: str | None = None,
        device_facts: str | None = None, executor: str = "auto", depth: int = 0, hoist: str = "auto", threads: int = 0,
    ) -> str:
        """What steps on fields of a size need, how they would be done, and why. Does no step, compiles nothing and takes no
        memory for fields.

        Parameters
        ----------
        size : sequence of int
            Cells along each axis, the slowest first.
        dtype : {"float64", "float32"}
        device_facts : {"v100", "a100", "h100", "h200", "b200"}, optional
            A GPU that need not be here, in place of `device`.
        boundary, device, executor, depth, hoist, threads
            As of ``FieldRunner``.

        Returns
        -------
        str

        Raises
        ------
        ValueError, UnsupportedError, DeviceError
            As ``FieldRunner`` does.
        """
        sides = sides_of_fields(self.boundary if boundary is None else boundary, self.fields, self.dims)
        axes = _size(size)
        precision = {"float64": "f64", "float32": "f32"}[asked_dtype(dtype, "dtype").name]
        if device_facts is not None and (device is not None or threads):
            raise ValueError("device_facts: expected no device and no threads with it")
        where = resolve("cpu" if device_facts is not None else device, threads, None, 0)
        facts = None if device_facts is None else word(device_facts, "device_facts")
        found = _core.explain_fields(self._native, axes, precision, sides, word(executor, "executor"), where, facts,
                                     whole(depth, "depth"), word(hoist, "hoist"))
        size_text = "x".join(map(str, axes)) + f" cells, {precision}, {found['changing_cells']} change"
        return "\n".join([repr(self), *(f"{label:<16} {text}" for label, text in [("size", size_text), *plan_rows(found)])])

    def __call__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(f"{self.name}: expected dwell.run({self.name}, ...), found a call of the definition; its function is "
                        f"{self.name}.function")


def _size(given: Any) -> list[int]:
    try:
        axes = list(given)
    except TypeError:
        raise TypeError(f"size: expected a sequence of whole numbers, found {shown(given)}") from None
    return [whole(n, "size", 2**62) for n in axes]


def explain(definition: Definition, size: Sequence[int], **options: Any) -> str:
    """What steps on fields of a size need, how they would be done, and why. Does no step, compiles nothing and takes no memory
    for fields.

    Parameters
    ----------
    definition : Definition
        Of ``define``, or of ``dwell.stencils``.
    size : sequence of int
        Cells along each axis, the slowest first.
    **options
        As of ``Definition.explain``.

    Returns
    -------
    str

    Raises
    ------
    TypeError
        Not a definition, or another option.
    ValueError, UnsupportedError, DeviceError
        As ``FieldRunner`` does.

    Examples
    --------
    >>> import dwell
    >>> "naive on 1 thread" in dwell.explain(dwell.stencils.heat(), (50, 40), device="cpu", executor="naive")
    True
    """
    return require_definition(definition).explain(size, **options)


def require_definition(given: Any) -> Definition:
    """TypeError for what is none."""
    if isinstance(given, Definition):
        return given
    module, name = getattr(given, "__module__", None) or "", getattr(given, "__name__", "")
    found = type(given).__name__
    if module.startswith("dwell.stencils."):
        found = f"dwell.stencils.{name}: call it, as in dwell.stencils.{name}()"
    elif callable(given):
        found = "function" + (f" {name}" if name.isidentifier() else "") + ", which dwell.define makes one of"
    raise TypeError(f"definition: expected what dwell.define returns, found {found}")


@overload
def define(
    function: Callable[..., Any], *, fields: str | Sequence[str], coefficients: str | Sequence[str] = "",
    parameters: str | Sequence[str] = "", dims: int | None = None, boundary: Any = "fixed", name: str | None = None,
) -> Definition: ...


@overload
def define(
    function: None = None, *, fields: str | Sequence[str], coefficients: str | Sequence[str] = "",
    parameters: str | Sequence[str] = "", dims: int | None = None, boundary: Any = "fixed", name: str | None = None,
) -> Callable[[Callable[..., Any]], Definition]: ...


def define(
    function: Callable[..., Any] | None = None, *, fields: str | Sequence[str], coefficients: str | Sequence[str] = "",
    parameters: str | Sequence[str] = "", dims: int | None = None, boundary: Any = "fixed", name: str | None = None,
) -> Any:
    """Make the definition of a stencil from a function that computes one cell.

    The function is called once, with a handle for each name, and what it does to them is recorded. ``u[-1, 0]`` is the
    neighbour at index y - 1 of the same x, as NumPy counts; ``u`` alone is the cell itself. Expressions have neighbours, too:
    ``(u * v)[0, 1]``. Numbers, ``+ - * /``, ``**`` with a whole exponent, comparisons, ``& | ~``, ``dwell.where``,
    ``dwell.sqrt``, ``exp``, ``log``, ``sin``, ``cos``, ``tanh``, ``abs``, ``floor``, ``minimum``, ``maximum``, ``fma`` and NumPy's
    functions of these names are taken. Loops and functions of Python's run while it is recorded.

    It returns the new values of all fields in their order, ``dwell.keep`` for one that stays, or a dict of those that
    change. A step of several stages is a generator: each ``yield`` is a stage, and what is read after it are the new values.

    Parameters
    ----------
    fields : str or sequence of str
        1 to 4 names, "u v", of arrays that change.
    coefficients : str or sequence of str
        Up to 8 names of arrays that are read only.
    parameters : str or sequence of str
        Up to 32 names of numbers, constant or with a value per step. A default of the function's argument is one here.
    dims : int, optional
        1, 2 or 3; needed where no neighbour is read.
    boundary : optional
        As of ``dwell.run``; used where a run says nothing else.
    name : str, optional
        By default the function's.

    Returns
    -------
    Definition
        In place of the function, or, without a function, a decorator that returns it.

    Raises
    ------
    DefinitionError
        A ValueError whose message begins with file and line of the function.

    Notes
    -----
    The order of operations is the function's; equal expressions are computed once. In float32 every number is rounded to
    float32 first.

    Examples
    --------
    >>> import dwell
    >>> @dwell.define(fields="u v", coefficients="c2")
    ... def wave(u, v, c2):
    ...     laplacian = u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1] - 4 * u
    ...     return 2 * u - v + c2 * laplacian, u
    >>> wave.dims, wave.radius
    (2, 1)
    """
    if function is None:
        return lambda given: define(given, fields=fields, coefficients=coefficients, parameters=parameters, dims=dims,
                                    boundary=boundary, name=name)
    code = getattr(function, "__code__", None)
    if code is None:
        raise TypeError(f"define: expected a function, found {type(function).__name__}")
    place = f"{code.co_filename}:{code.co_firstlineno}"
    groups = [_names(g, what, place) for g, what in ((fields, "fields"), (coefficients, "coefficients"),
                                                     (parameters, "parameters"))]
    declared = sum(groups, ())
    for one in declared:
        if declared.count(one) > 1:
            raise DefinitionError(place, f"{one}: expected each name once, found it twice")
    if not groups[0]:
        raise DefinitionError(place, "fields: expected 1 to 4 names, found none")
    if dims is not None and dims not in range(1, MOST_DIMS + 1):
        raise DefinitionError(place, f"dims: expected 1, 2 or 3, found {dims!r}")
    defaults = _defaults(function, declared, groups[0], place)
    recorder = Recorder(groups[0], groups[1], groups[2], dims)
    stages = in_callers_words(lambda: _record(function, recorder, place), code.co_name,
                              f"the names of this definition are {', '.join(declared)}")
    if recorder.dims is None:
        raise DefinitionError(place, "dims: expected 1, 2 or 3 where no neighbour is read, found none")
    title = name if name is not None else code.co_name
    if not title.isidentifier():
        raise DefinitionError(place, f"name: expected an identifier, found {title!r}")
    return Definition(recorder.tape(title, recorder.dims, stages), function, defaults, boundary, place)


# What follows is private.

def _names(given: str | Sequence[str], what: str, place: str) -> tuple[str, ...]:
    found = tuple(given.replace(",", " ").split() if isinstance(given, str) else given)
    for one in found:
        if not isinstance(one, str) or not one.isidentifier() or not one.isascii() or keyword.iskeyword(one):
            raise DefinitionError(place, f"{what}: expected names as Python's, found {one!r}")
        if one in RESERVED:
            raise DefinitionError(place, f"{what}: '{one}' is an argument of dwell.run: expected another name")
    return found


def _defaults(function: Callable[..., Any], declared: tuple[str, ...], fields: tuple[str, ...], place: str) -> dict[str, Any]:
    """Values for the function's arguments, which are the declared names."""
    found = {}
    arguments = inspect.signature(function).parameters
    for argument in arguments.values():
        if argument.kind not in (argument.POSITIONAL_OR_KEYWORD, argument.KEYWORD_ONLY) or argument.name not in declared:
            raise DefinitionError(place, f"expected as arguments {', '.join(declared)}, found {argument}")
        if argument.default is not argument.empty:
            if argument.name in fields:
                raise DefinitionError(place, f"{argument.name}: expected no default for a field, found {argument}")
            found[argument.name] = number(argument.default, argument.name)
            if not math.isfinite(found[argument.name]):
                raise DefinitionError(place, f"{argument.name}: expected a finite number as default, found {argument.default}")
    for one in declared:
        if one not in arguments:
            raise DefinitionError(place, f"{one}: expected an argument of that name, found {', '.join(arguments) or 'none'}")
    return found


def _record(function: Callable[..., Any], recorder: Recorder, place: str) -> list[list[tuple[int, int]]]:
    handles: dict[str, Traced] = {
        name: Cells(recorder, k) for k, name in enumerate(recorder.fields + recorder.coefficients)}
    handles |= {name: Value(recorder, recorder.add("parameter", k)) for k, name in enumerate(recorder.parameters)}
    outcome = function(**handles)
    if not inspect.isgenerator(outcome):
        if inspect.iscoroutine(outcome) or isinstance(outcome, Iterator):
            raise DefinitionError(place, "expected a function or a generator, found one that returns "
                                  f"{type(outcome).__name__}")
        return [_stage(outcome, recorder, place)]
    stages: list[list[tuple[int, int]]] = []
    for one in outcome:
        if len(stages) == MOST_STAGES:
            raise DefinitionError(place, f"expected at most {MOST_STAGES} stages, found more")
        line = f"{outcome.gi_code.co_filename}:{outcome.gi_frame.f_lineno}" if outcome.gi_frame else place
        stages.append(_stage(one, recorder, line))
        for field, _ in stages[-1]:
            recorder.changed[field] = recorder.stage
        recorder.stage += 1
    if not stages:
        raise DefinitionError(place, "expected at least one stage, found no yield")
    return stages


def _stage(outcome: Any, recorder: Recorder, place: str) -> list[tuple[int, int]]:
    """The new values of a stage: (field, node)."""
    fields = recorder.fields
    if isinstance(outcome, Mapping):
        given = dict(outcome)
        for name in given:
            if name not in fields:
                kind = "a coefficient, which stays" if name in recorder.coefficients else repr(name)
                raise DefinitionError(place, f"expected new values of {', '.join(fields)}, found {kind}")
    else:
        values = list(outcome) if isinstance(outcome, (tuple, list)) else [outcome]
        if len(values) != len(fields) or outcome is None:
            found = "none" if outcome is None else str(len(values))
            results = "1 result" if len(fields) == 1 else f"{len(fields)} results"
            raise DefinitionError(place, f"expected {results} ({', '.join(fields)}), found {found}")
        given = dict(zip(fields, values))
    found_values = [(fields.index(name), _new_value(value, name, recorder, place)) for name, value in given.items()
                    if not isinstance(value, Keep)]
    found_values = [(field, node) for field, node in found_values if recorder.nodes[node] != ("tap", field, ())]  # unchanged
    if not found_values:
        raise DefinitionError(place, "expected a new value of a field, found none")
    return sorted(found_values)


def _new_value(value: Any, name: str, recorder: Recorder, place: str) -> int:
    if isinstance(value, Value):
        if value._recorder is not recorder:
            raise DefinitionError(place, f"{name}: expected a value of this definition, found one of another")
        try:
            return value._node()
        except DefinitionError as error:
            raise DefinitionError(place, error.what) from None
    if isinstance(value, Condition):
        raise DefinitionError(place, f"{name}: expected a number, found a condition: dwell.where makes a number of it")
    if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
        raise DefinitionError(place, f"{name}: expected a value made of {', '.join(recorder.fields)}, found "
                              f"{type(value).__name__}")
    try:
        return recorder.constant(float(value))
    except DefinitionError as error:
        raise DefinitionError(place, f"{name}: {error.what}") from None

