# SPDX-License-Identifier: MIT
"""The nodes of a definition while its function is traced: equal ones are made once, and errors name the caller's line."""
from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable
from types import FrameType, TracebackType
from typing import Any, NamedTuple

MOST_DIMS = 3
MOST_REACH = 4  # cells along an axis, as in the library's definition.hpp
MOST_NODES = 4096

ARITHMETIC = {"add": 2, "sub": 2, "mul": 2, "div": 2, "neg": 1, "fma": 3, "min": 2, "max": 2, "abs": 1, "sqrt": 1,
              "exp": 1, "log": 1, "sin": 1, "cos": 1, "tanh": 1, "floor": 1}
COMPARISONS = {"lt": 2, "le": 2, "gt": 2, "ge": 2, "eq": 2, "ne": 2}
LOGIC = {"and": 2, "or": 2, "not": 1}
LEAVES = ("constant", "parameter", "tap")

Node = tuple[Any, ...]  # (operation, operands): operands are numbers of earlier nodes, but for leaves


class DefinitionError(ValueError):
    """A definition of a stencil that cannot be used; the message begins with the file and the line of its function.

    Attributes
    ----------
    place : str
        FILE:LINE
    what : str
        The message without it.
    """

    def __init__(self, place: str, what: object) -> None:
        super().__init__(f"{place}: {what}")
        self.place = place
        self.what = str(what)

    def __reduce__(self) -> tuple[type, tuple[str, str]]:
        return type(self), (self.place, self.what)


class Tape(NamedTuple):
    """A definition as a list of operations: what the library gets."""

    name: str
    dims: int
    fields: tuple[str, ...]
    coefficients: tuple[str, ...]
    parameters: tuple[str, ...]
    nodes: tuple[Node, ...]  #: ("constant", value), ("parameter", number), ("tap", array, offsets), (operation, *nodes)
    stages: tuple[tuple[tuple[int, int], ...], ...]  #: (field, node) for each new value of a stage


def operands(node: Node) -> tuple[int, ...]:
    return () if node[0] in LEAVES else node[1:]


def is_of_caller(frame: FrameType) -> bool:
    module = str(frame.f_globals.get("__name__", ""))
    return not module.startswith(("dwell._", "numpy."))


def callers_line() -> str:
    """FILE:LINE of the nearest frame outside this package."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not is_of_caller(frame):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame else "?"


def line_of(trace: TracebackType | None) -> str:
    """FILE:LINE of the innermost frame of a traceback outside this package."""
    found = "?"
    while trace is not None:
        if is_of_caller(trace.tb_frame):
            found = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found


def fail(message: str) -> DefinitionError:
    """The error of the line that the caller is at."""
    return DefinitionError(callers_line(), message)


class Recorder:
    """Nodes in the order in which they were made.

    Taps have no dimensions until the first one with offsets says how many there are: a cell itself is the tap (). A value is
    known by its node and by the stage in which it was made, since a field that has changed is another one.
    """

    def __init__(self, fields: tuple[str, ...], coefficients: tuple[str, ...], parameters: tuple[str, ...],
                 dims: int | None) -> None:
        self.fields, self.coefficients, self.parameters = fields, coefficients, parameters
        self.dims = dims
        self.nodes: list[Node] = []
        self.reads: list[frozenset[int]] = []  # fields, by node
        self.stage = 0
        self.changed = [-1] * len(fields)  # the last stage that changed a field
        self._known: dict[Node, int] = {}

    def add(self, *node: Any) -> int:
        key = (node[0], float(node[1]).hex()) if node[0] == "constant" else node  # 0.0 is not -0.0
        found = self._known.get(key)
        if found is not None:
            return found
        if len(self.nodes) == MOST_NODES:
            raise fail(f"expected at most {MOST_NODES} operations, found more: is there a loop without end?")
        if node[0] == "tap":
            reads = frozenset((node[1],)) if node[1] < len(self.fields) else frozenset[int]()
        else:
            reads = frozenset[int]().union(*(self.reads[k] for k in operands(node)))
        self.nodes.append(node)
        self.reads.append(reads)
        self._known[key] = len(self.nodes) - 1
        return len(self.nodes) - 1

    def constant(self, value: float) -> int:
        if not math.isfinite(value):
            raise fail(f"expected a finite number, found {value}")
        return self.add("constant", value)

    def array_name(self, array: int) -> str:
        return (self.fields + self.coefficients)[array]

    def tap(self, array: int, offsets: tuple[int, ...]) -> int:
        name = self.array_name(array)
        if self.dims is None:
            if not 1 <= len(offsets) <= MOST_DIMS:
                raise fail(f"{name}{list(offsets)}: expected 1, 2 or 3 offsets, found {len(offsets)}")
            self.dims = len(offsets)
        if len(offsets) != self.dims:
            raise fail(f"{name}{list(offsets)}: expected {self.dims} offsets, as before, found {len(offsets)}")
        reach = max(map(abs, offsets))
        if reach > MOST_REACH:
            raise fail(f"{name}{list(offsets)}: expected cells at most {MOST_REACH} away in {self.dims}-D, "
                       f"found {reach}")
        return self.add("tap", array, offsets if reach else ())

    def check_current(self, node: int, stage: int) -> None:
        for field in self.reads[node]:
            if self.changed[field] >= stage:
                raise fail(f"{self.fields[field]}: a value read in stage {stage + 1} is used in stage {self.stage + 1}, after "
                           f"{self.fields[field]} has changed: read it again after the yield")

    def shifted(self, node: int, offsets: tuple[int, ...]) -> int:
        """The expression at a neighbour: all its cells moved by `offsets`."""
        moved: dict[int, int] = {}
        for k in self._reachable([node]):
            op, *rest = self.nodes[k]
            if op == "tap":
                before = rest[1] or (0,) * len(offsets)
                if len(before) != len(offsets):
                    raise fail(f"{list(offsets)}: expected {self.dims} offsets, as before, found {len(offsets)}")
                moved[k] = self.tap(rest[0], tuple(a + b for a, b in zip(before, offsets)))
            elif op in LEAVES:
                moved[k] = k
            else:
                moved[k] = self.add(op, *(moved[i] for i in rest))
        return moved[node]

    def _reachable(self, roots: Iterable[int]) -> list[int]:
        """What the roots are made of, and they: each after its operands."""
        found, stack = set[int](), list(roots)
        while stack:
            k = stack.pop()
            if k not in found:
                found.add(k)
                stack += operands(self.nodes[k])
        return sorted(found)

    def tape(self, name: str, dims: int, stages: list[list[tuple[int, int]]]) -> Tape:
        """What the stages need, renumbered."""
        kept = self._reachable(node for stage in stages for _, node in stage)
        number = {k: at for at, k in enumerate(kept)}
        nodes: list[Node] = []
        for k in kept:
            op, *rest = self.nodes[k]
            if op == "tap":
                nodes.append((op, rest[0], rest[1] or (0,) * dims))
            elif op in LEAVES:
                nodes.append((op, *rest))
            else:
                nodes.append((op, *(number[i] for i in rest)))
        return Tape(name, dims, self.fields, self.coefficients, self.parameters, tuple(nodes),
                    tuple(tuple((field, number[node]) for field, node in stage) for stage in stages))


def in_callers_words(call: Callable[[], Any], own_name: str, what: str) -> Any:
    """The value of `call`, which runs the caller's function of that name; errors that say little get file and line."""
    try:
        return call()
    except NameError as error:
        if error.name == own_name:
            raise DefinitionError(line_of(error.__traceback__),
                                  f"expected a function that does not call itself, found {own_name}") from None
        raise DefinitionError(line_of(error.__traceback__), f"{error}; {what}") from None
    except AttributeError as error:
        if not hasattr(error.obj, "_recorder"):
            raise  # the caller's own
        raise DefinitionError(line_of(error.__traceback__), "expected + - * / **, neighbours as in u[-1, 0] and functions of dwell, "
                              f"found .{error.name} of a cell") from None
    except RecursionError as error:
        raise DefinitionError(line_of(error.__traceback__),
                              "expected a function that ends, found one that calls itself without end") from None
