# SPDX-License-Identifier: MIT
"""What a solve did, what it cost, and whether the answer is right: the library's table of its report."""
from __future__ import annotations

import dataclasses
import html
import re
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from . import _core

if TYPE_CHECKING:
    from ._grid_report import GridReport

Made = TypeVar("Made", bound=type)


class Breakdown(RuntimeError):
    """The matrix is not positive definite, or a number became infinite; raised only where that was asked for.

    Attributes
    ----------
    report : Report or GridReport
    x : the answer so far
    """

    def __init__(self, message: str, report: Report | GridReport, x: Any) -> None:
        super().__init__(message)
        self.report = report
        self.x = x


def of_table(rows: list[dict[str, Any]], part: str = "") -> Callable[[Made], Made]:
    """Gives a dataclass the documentation of its fields: those of the table's rows, or of one part of them. The class has
    their names and types for type checkers; a test compares them with the table."""
    mine = {row["attribute"].removeprefix(part): row for row in rows if row["attribute"].startswith(part)}
    if not part:
        mine = {name: row for name, row in mine.items() if "." not in name}

    def describe(made: Made) -> Made:
        made._rows_of_table = mine  # type: ignore[attr-defined]
        if made.__doc__:  # not there under -OO
            lines = []
            for name, row in mine.items():
                kind = "{" + ", ".join(f'"{w}"' for w in row["words"]) + "}" if row["words"] else row["type"]
                unit = f" [{row['unit']}]" if row["unit"] else ""
                text = row["help"].replace("b - Ax", "b - A x") + unit + "."
                lines.append(f"    {name} : {kind}" + (" or None" if row["optional"] else ""))
                lines += textwrap.wrap(text, 110, initial_indent=" " * 8, subsequent_indent=" " * 8)
            made.__doc__ = made.__doc__.rstrip() + "\n\n    Attributes\n    ----------\n" + "\n".join(lines) + "\n    "
        return made
    return describe


@of_table(_core.solve_report_table(), "setup.")
@dataclasses.dataclass(frozen=True)
class Setup:
    """What preparing the solves of a matrix took, in seconds."""

    context_s: float
    check_s: float
    upload_s: float
    plan_s: float
    cut_s: float
    preconditioner_s: float
    analyse_s: float
    factor_s: float
    compile_s: float
    load_s: float

    @property
    def total_s(self) -> float:
        """The sum of all but `context_s`."""
        return self.check_s + self.upload_s + self.plan_s + self.cut_s + self.preconditioner_s + self.analyse_s + self.factor_s + self.compile_s + self.load_s


class Document:
    """A dataclass that people and programs can read."""

    _rows_of_table: dict[str, dict[str, Any]] = {}

    def to_dict(self) -> dict[str, Any]:
        """All fields, nested ones as dicts, ready for JSON."""
        return dataclasses.asdict(self)  # type: ignore[call-overload, no-any-return]

    def rows(self) -> list[tuple[str, str]]:
        """What `repr` shows: labels and values."""
        raise NotImplementedError

    def _say(self, text: str) -> str:
        """With the values of fields in place of their "{name}", as people read them by the table."""
        return re.sub(r"\{(\w+)\}", lambda found: self._shown(found[1]), text)

    def _shown(self, name: str) -> str:
        row, value = self._rows_of_table[name], getattr(self, name)
        if row["type"] == "bool":
            return str(row["says"]) if value else ""
        if row["type"].startswith("tuple"):
            return "x".join(map(str, value))
        if row["type"] != "float":
            return str(value)
        return seconds(value) if row["unit"] == "s" else format(value, row["format"])

    def __repr__(self) -> str:
        return "\n".join(f"{label:<16} {value}" for label, value in self.rows())

    def _repr_html_(self) -> str:
        cells = (f"<tr><th style='text-align:left'>{html.escape(label)}</th>"
                 f"<td style='text-align:left'>{html.escape(value)}</td></tr>" for label, value in self.rows())
        return "<table>" + "".join(cells) + "</table>"


def seconds(value: float) -> str:
    for factor, unit in ((1.0, "s"), (1e3, "ms")):
        if value * factor >= 1:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e6:.3g} us"


@dataclasses.dataclass(frozen=True)
class Attempt:
    """One of the runs that a solve is made of.

    Attributes
    ----------
    method : str
        Its method.
    preconditioner : str
        Its preconditioner.
    iterations : int
        Of this run.
    residual_relative_true : float
        ||b - A x|| / ||b|| of its answer, computed in float64.
    setup_s : float
        Set-ups between the run before and this one [s].
    solve_s : float
        From its first to its last phase [s].
    ended : str
        How it ended, or why another one followed.
    """

    method: str
    preconditioner: str
    iterations: int
    residual_relative_true: float
    setup_s: float
    solve_s: float
    ended: str


@of_table(_core.solve_report_table())
@dataclasses.dataclass(frozen=True, repr=False)
class Report(Document):
    """A solve of a linear system. The fields are those of the library's ``solve_report``, and `attempts`, a list of
    ``Attempt``: the runs that it is made of, one after another (empty of systems that were solved together)."""

    method: str
    method_reason: str
    precision: str
    preconditioner: str
    preconditioner_reason: str
    preconditioner_note: str
    near_null_misfit: bool
    device: str
    backend: str
    executor: str
    variant: str
    policy: str
    reason: str
    compiler: str
    teams: int
    lanes: int
    policy_chosen: str
    columns_together: int
    iterations: int
    refinements: int
    stopped: str
    target_missed: bool
    rhs_norm: float
    null_space: str
    rhs_outside_range: float
    rhs_inconsistent: bool
    residual_relative_recursive: float
    residual_relative_true: float
    residuals_disagree: bool
    componentwise_backward_error: float
    rows_missed: bool
    condition_estimate: float
    error_estimate: float
    no_digit_safe: bool
    stagnated: bool
    advice: str
    setup: Setup
    setup_s: float
    solve_s: float
    finish_s: float
    per_iteration_us: float
    bytes_per_iteration: int
    factor_nonzeros: int
    factor_bytes: int
    history: list[float]
    attempts: list[Attempt]

    @classmethod
    def of(cls, native: _core.CgReport) -> Report:
        fields = native.fields()
        return cls(**{**fields, "setup": Setup(**fields["setup"]), "attempts": [Attempt(**a) for a in native.attempts()]})

    def rows(self) -> list[tuple[str, str]]:
        say = self._say
        policy = "{policy}" if self.policy == self.policy_chosen else "{policy}: {policy_chosen}"
        rows = [
            ("method", say("{method}: {method_reason}")),
            ("device", say("{device} ({backend})")),
            ("executor", say("{executor}, {variant}, policy " + policy + ", {precision}, preconditioner {preconditioner}")),
            ("", self.reason),
            *([("", self.preconditioner_reason)] if self.preconditioner_reason != "as asked" else []),
            *([("", self.preconditioner_note)] if self.preconditioner_note else []),
            ("result", say("{stopped} after {iterations} iterations"
                           + (", begun anew {refinements} times" if self.refinements else "")
                           + (", in a pass of {columns_together}" if self.columns_together > 1 else "")
                           + "{target_missed}")),
        ]
        if self.advice:
            rows.append(("", self.advice))
        rows.append(("residual", say("{residual_relative_recursive} recursive, {residual_relative_true} true, relative to "
                                     "|b| = {rhs_norm}{residuals_disagree}")))
        rows.append(("rows", say("componentwise backward error {componentwise_backward_error}{rows_missed}")))
        if self.null_space != "none":
            taken, left = (("mean", "has the mean 0") if self.null_space == "constant" else
                           ("part in it", "is orthogonal to it"))
            rows.append(("null space", say("{null_space}: b without its " + taken + ", which is {rhs_outside_range} of |b|; "
                                           "x " + left)))
        if self.condition_estimate > 0:
            known = "; the residual allows a relative error of {error_estimate}" if self.error_estimate > 0 else ""
            rows.append(("condition", say("at least {condition_estimate}" + known + "{no_digit_safe}")))
        if self.factor_nonzeros > 0:
            rows.append(("factors", say("{factor_nonzeros} nonzeros, {factor_bytes} bytes")))
        rows.append(("time", say("set-up {setup_s}, solve {solve_s}, finish {finish_s}, {per_iteration_us} us per "
                                 "iteration")))
        return rows
