# SPDX-License-Identifier: MIT
"""The options of a stencil as keywords: what the library's table of them says."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, NamedTuple, TypedDict

from . import _core
from ._checks import assign
from ._options import Subject, described, named, with_options

if TYPE_CHECKING:
    from collections.abc import Sequence


class StencilOptions(TypedDict, total=False):
    """For type checkers; a test compares the names with the table."""

    executor: str
    policy: str
    boundary: str
    weights: Sequence[float] | None
    progress_interval: float
    depth: int
    traversal: str
    blocking: str
    order: str
    engine: str


class StencilOption(NamedTuple):
    """A row of the table."""

    keyword: str
    kind: str  # for docstrings
    default: Any
    help: str


def _table() -> list[StencilOption]:
    rows, defaults = [], _core.StencilOptions()
    for row in _core.stencil_option_table():
        name, default = row["name"], getattr(defaults, row["name"])
        kind = "{" + ", ".join(f'"{w}"' for w in row["words"]) + "}" if row["words"] else type(default).__name__
        if isinstance(default, list):
            kind, default = "sequence of float, optional", None
        if name != "shape":  # an argument of its own
            rows.append(StencilOption(name, kind, default, row["help"]))
    return rows


STENCIL_OPTIONS = _table()
_KNOWN = {o.keyword for o in STENCIL_OPTIONS}


def takes_stencil_options(where: str | None = None) -> Callable[[Subject], Subject]:
    """Gives a class or a function whose last parameter is **options their signature and, in place of "{options}", their
    documentation; with `where` only their names, and that they are as of that."""
    text = described(STENCIL_OPTIONS) if where is None else named(STENCIL_OPTIONS, where)
    defaults = {o.keyword: o.default for o in STENCIL_OPTIONS}
    return lambda subject: with_options(subject, defaults, StencilOptions.__annotations__, text)


def check_names(options: StencilOptions, function: str) -> None:
    """Raises TypeError, as Python does, for one that there is not."""
    for name in options:
        if name not in _KNOWN:
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")


def native_stencil_options(shape: Any, options: StencilOptions, weights: list[float]) -> _core.StencilOptions:
    """`weights` are those of `options`, as numbers."""
    native = _core.StencilOptions()
    native.weights = weights
    assign(native, "shape", shape)
    for name, value in options.items():
        if name != "weights":
            assign(native, name, value)
    return native
