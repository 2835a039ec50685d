# SPDX-License-Identifier: MIT
"""The options of a linear solve as keywords: what the library's table of them says, and where Python differs from it."""
from __future__ import annotations

import inspect
import textwrap
from collections.abc import Sequence
from typing import Any, Callable, NamedTuple, Protocol, TypedDict, TypeVar

from . import _core
from ._checks import assign
from ._limits import iteration_limit
from ._near_null import flat_vectors

Subject = TypeVar("Subject", bound=Callable[..., Any])

# SciPy's defaults, where its functions have such an argument. maxiter: of None 10 n; restart of gmres: of None min(20, n).
SCIPY: dict[str, Any] = {"rtol": 1e-5, "maxiter": None}
SCIPY_RESTART = 20


class Options(TypedDict, total=False):
    """For type checkers; a test compares the names with the table."""

    null_space: str
    null_vectors: Any
    assume_symmetric: bool
    method: str
    executor: str
    policy: str
    restart: int | None
    variant: str
    precision: str | None
    preconditioner: str
    block_size: int
    degree: int
    power: int
    factor_sweeps: int
    sweeps: int
    smoother: str
    coarsening: str
    near_null: Any
    rtol: float
    atol: float
    maxiter: int | None
    refine: bool
    history: bool
    fixed_iterations: bool
    progress_interval: float
    columns_at_once: int


def is_mixed(precision: str | None) -> bool:
    """Whether the argument `precision` of a solver is "mixed"."""
    if precision is not None and not (isinstance(precision, str) and precision == "mixed"):
        raise ValueError(f"precision: expected None (that of the matrix) or 'mixed', found {precision!r}")
    return precision == "mixed"


class Option(NamedTuple):
    """A row of the table."""

    member: str  # name in _core.CgOptions
    keyword: str
    kind: str  # for docstrings
    default: Any
    help: str
    methods: list[str]  # that heed it; empty: all

    def set(self, options: _core.CgOptions, value: Any, rows: int) -> None:
        if self.kind.startswith("array"):
            setattr(options, self.member, flat_vectors(value, rows, self.keyword))
        elif self.keyword == "maxiter":
            options.max_iterations = iteration_limit(value, rows)
        elif self.keyword == "precision":
            options.mixed_precision = is_mixed(value)
        else:
            assign(options, self.member, value, self.keyword)


# Where a keyword is not the member: keyword, kind, default, what follows the help.
_OTHERWISE = {"max_iterations": ("maxiter", "int, optional", None, "by default 10 n"),
              "mixed_precision": ("precision", '{None, "mixed"}', None, "None: all is in the precision of `A`")}


def _table() -> list[Option]:
    rows, defaults = [], _core.CgOptions()
    for row in _core.solve_option_table():
        name, text = row["name"], row["help"].replace("|b|", "||b||").replace("|r|", "||r||")
        default = getattr(defaults, name)
        keyword, kind = name, type(default).__name__.replace("str", "{" + ", ".join(f'"{w}"' for w in row["words"]) + "}")
        if isinstance(default, list):
            kind, default = "array of shape (n,) or (n, k), optional", None
        if name in _OTHERWISE:
            keyword, kind, default, more = _OTHERWISE[name]
            text += "; " + more
        rows.append(Option(name, keyword, kind, SCIPY.get(keyword, default), text, row["methods"].split()))
    return rows


OPTIONS = _table()
DEFAULTS = {o.keyword: o.default for o in OPTIONS}
# A function of a method is named after that, its preconditioner is M, and it returns no report.
_NOT_OF_FUNCTIONS = {"method", "preconditioner", "history", "fixed_iterations"}


def _options_of(method: str | None) -> list[Option]:
    return [o for o in OPTIONS if method is None or
            (o.keyword not in _NOT_OF_FUNCTIONS and (not o.methods or method in o.methods))]


def takes_options(method: str | None = None, **defaults: Any) -> Callable[[Subject], Subject]:
    """Gives a class or a function whose last parameter is **options the signature and, in place of "{options}", the
    documentation of the options: of Solver all; of a function of a method those that it heeds, by their names."""
    mine = [o._replace(default=defaults.get(o.keyword, o.default)) for o in _options_of(method)]
    text = described(mine) if method is None else named(mine, "Solver")
    return lambda subject: with_options(subject, {o.keyword: o.default for o in mine}, Options.__annotations__, text)


def with_options(subject: Subject, defaults: dict[str, Any], types: dict[str, Any], text: str) -> Subject:
    """The subject with these keywords in its signature, and `text` in place of "{options}"."""
    function: Any = subject.__init__ if isinstance(subject, type) else subject  # type: ignore[misc]
    signature = inspect.signature(function)
    kept = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    added = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default,
                               annotation=getattr(types[name], "__forward_arg__", types[name]))
             for name, default in defaults.items()]
    function.__signature__ = signature.replace(parameters=kept + added)
    if subject.__doc__:  # not there under -OO
        subject.__doc__ = subject.__doc__.replace("{options}", text)
    return subject


class Described(Protocol):
    """A row of a table of options."""

    @property
    def keyword(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def help(self) -> str: ...


def wrapped(text: str, indent: str) -> str:
    return "\n".join(textwrap.wrap(text, 118, initial_indent=indent, subsequent_indent=indent))


def described(options: Sequence[Described]) -> str:
    """Text of a docstring: each option with its kind and help."""
    return "\n    ".join(f"{o.keyword} : {o.kind}\n{wrapped(o.help + '.', ' ' * 8)}" for o in options)


def named(options: Sequence[Described], where: str) -> str:
    """Text of a docstring: options that another one describes."""
    return wrapped(", ".join(o.keyword for o in options), "    ").lstrip() + f"\n        As of ``{where}``."


def check_names(options: Options, function: str, method: str | None = None) -> None:
    """Raises TypeError, as Python does, for one that the function does not have."""
    known = {o.keyword for o in _options_of(method)}
    for name in options:
        if name not in known:
            raise TypeError(f"{function}() got an unexpected keyword argument '{name}'")


def native_options(options: Options, rows: int) -> _core.CgOptions:
    """For a matrix of so many rows."""
    native = _core.CgOptions()
    given = {**SCIPY, **options}
    for o in OPTIONS:
        if o.keyword in given:
            o.set(native, given[o.keyword], rows)
    return native
