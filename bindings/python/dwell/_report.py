# SPDX-License-Identifier: MIT
"""What a solve did, what it cost, and whether the answer is right."""
from __future__ import annotations

import dataclasses
import html
from typing import Any

from . import _core


class Breakdown(RuntimeError):
    """The matrix is not positive definite, or a number became infinite; raised only where that was asked for.

    Attributes
    ----------
    report : Report
    x : the answer so far
    """

    def __init__(self, message: str, report: Report, x: Any) -> None:
        super().__init__(message)
        self.report = report
        self.x = x


@dataclasses.dataclass(frozen=True)
class Setup:
    """What preparing the solves of a matrix took, in seconds."""

    context_s: float  #: the CUDA context, at its first use in the process; in no sum
    check_s: float
    upload_s: float
    plan_s: float
    cut_s: float
    preconditioner_s: float
    load_s: float

    @property
    def total_s(self) -> float:
        return self.check_s + self.upload_s + self.plan_s + self.cut_s + self.preconditioner_s + self.load_s


class Document:
    """A dataclass that people and programs can read."""

    def to_dict(self) -> dict[str, Any]:
        """All fields, nested ones as dicts, ready for JSON."""
        return dataclasses.asdict(self)  # type: ignore[call-overload, no-any-return]

    def rows(self) -> list[tuple[str, str]]:
        """What `repr` shows: labels and values."""
        raise NotImplementedError

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


@dataclasses.dataclass(frozen=True, repr=False)
class Report(Document):
    """A solve of a linear system. The fields are those of the library's ``solve_report``."""

    method: str  #: never "auto"
    method_reason: str  #: why this one
    executor: str  #: never "auto"
    variant: str  #: never "auto"
    policy: str  #: what is cached on the chip between iterations
    policy_chosen: str  #: whose plan that is, where policies pick among those of others
    reason: str  #: why this executor and this plan
    device: str
    backend: str  #: "cpu" or "cuda"
    precision: str  #: "f64", "f32" or "mixed"
    preconditioner: str  #: never "auto"
    preconditioner_reason: str  #: why this one
    preconditioner_note: str  #: what a user should know of it as it was set up; may be empty
    teams: int  #: threads or thread blocks
    lanes: int  #: per team
    bytes_per_iteration: int  #: that an iteration must move, by the model, nothing cached
    iterations: int
    stopped: str  #: "converged", "iteration limit", "breakdown", "not finite", "interrupted" or "accuracy limit"
    rhs_norm: float
    null_space: str  #: "constant": b and x are taken without their means; "given": by null_vectors; or "none"
    rhs_outside_range: float  #: ||removed|| / ||b||
    rhs_inconsistent: bool  #: that is more than rounding explains: for a part of b there is no solution
    residual_relative_recursive: float  #: as the iteration carries it
    residual_relative_true: float  #: ||b - A x|| / ||b||, recomputed in float64
    residuals_disagree: bool  #: by more than a factor of ten
    componentwise_backward_error: float  #: max |b - A x|_i / (|A||x| + |b|)_i
    rows_missed: bool  #: converged by the norm, but a row is not solved: its size is too different from that of others
    target_missed: bool  #: the residual of the iteration met the tolerance, the true one did not
    refinements: int  #: how often the iteration began anew from its answer
    history: list[float]  #: ||r|| after 0, 1, ... iterations, if asked for
    condition_estimate: float  #: the condition is at least this; 0: not known
    error_estimate: float  #: condition_estimate times the true residual; 0: not known
    no_digit_safe: bool
    stagnated: bool
    advice: str  #: what to try where it did not converge; may be empty
    setup: Setup
    setup_s: float
    solve_s: float
    finish_s: float
    per_iteration_us: float

    @classmethod
    def of(cls, native: _core.CgReport) -> Report:
        fields = native.fields()
        return cls(**{**fields, "setup": Setup(**fields["setup"])})

    def rows(self) -> list[tuple[str, str]]:
        policy = self.policy if self.policy == self.policy_chosen else f"{self.policy}: {self.policy_chosen}"
        rows = [
            ("method", f"{self.method}: {self.method_reason}"),
            ("device", f"{self.device} ({self.backend})"),
            ("executor", f"{self.executor}, {self.variant}, policy {policy}, {self.precision}, "
                         f"preconditioner {self.preconditioner}"),
            ("", self.reason),
            *([("", self.preconditioner_reason)] if self.preconditioner_reason != "as asked" else []),
            *([("", self.preconditioner_note)] if self.preconditioner_note else []),
            ("result", f"{self.stopped} after {self.iterations} iterations"
                       + (f", begun anew {self.refinements} times" if self.refinements else "")
                       + (": THE TRUE RESIDUAL MISSES THE TOLERANCE" if self.target_missed else "")),
        ]
        if self.advice:
            rows.append(("", self.advice))
        rows.append(("residual", f"{self.residual_relative_recursive:.2e} recursive, {self.residual_relative_true:.2e} "
                                 f"true, relative to |b| = {self.rhs_norm:.3g}"
                                 + (": THEY DISAGREE" if self.residuals_disagree else "")))
        rows.append(("rows", f"componentwise backward error {self.componentwise_backward_error:.2e}"
                             + (": A ROW IS NOT SOLVED" if self.rows_missed else "")))
        if self.null_space != "none":
            taken, left = (("mean", "has the mean 0") if self.null_space == "constant" else
                           ("part in it", "is orthogonal to it"))
            rows.append(("null space", f"{self.null_space}: b without its {taken}, which is {self.rhs_outside_range:.1e} "
                                       f"of |b|; x {left}"))
        if self.condition_estimate > 0:
            known = f"; the residual allows a relative error of {self.error_estimate:.1e}" if self.error_estimate > 0 else ""
            rows.append(("condition", f"at least {self.condition_estimate:.1e}" + known
                         + (": NO DIGIT IS SAFE" if self.no_digit_safe else "")))
        rows.append(("time", f"set-up {seconds(self.setup_s)}, solve {seconds(self.solve_s)}, "
                             f"finish {seconds(self.finish_s)}, {self.per_iteration_us:.3g} us per iteration"))
        return rows
