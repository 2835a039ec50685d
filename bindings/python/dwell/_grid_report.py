# SPDX-License-Identifier: MIT
"""What a solve on a grid did, what it cost, and whether the answer is right: the library's table of its report."""
from __future__ import annotations

import dataclasses

from . import _core
from ._report import Document, of_table


@of_table(_core.grid_report_table())
@dataclasses.dataclass(frozen=True, repr=False)
class GridReport(Document):
    """A solve on a grid. The fields are those of the library's ``grid_report``, and `levels`, a list of the unknowns along the
    axes of each level of multigrid, as tuples, the finest first."""

    method: str
    preconditioner: str
    device: str
    backend: str
    precision: str
    threads: int
    reason: str
    cycle: str
    levels: list[tuple[int, ...]]
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
    residual_relative_wanted: float
    met_by_rounding: bool
    stagnated: bool
    advice: str
    setup_s: float
    solve_s: float
    bytes_per_iteration: int
    per_iteration_us: float
    history: list[float]

    def rows(self) -> list[tuple[str, str]]:
        say = self._say
        workers = "thread" if self.backend == "cpu" else "block"
        rows = [
            ("method", say("{method}, preconditioner {preconditioner}, {precision}")),
            ("device", say("{device} ({backend}), {threads} " + workers + ("" if self.threads == 1 else "s"))),
            ("", self.reason),
            ("cycle", self.cycle),
            ("levels", ", ".join("x".join(map(str, cells)) for cells in self.levels)),
            ("result", say("{stopped} after {iterations} iterations"
                           + (", begun anew {refinements} times" if self.refinements else "")
                           + "{met_by_rounding}{stagnated}")),
        ]
        if self.advice:
            rows.append(("", self.advice))
        rows.append(("residual", say("{residual_relative_recursive} recursive, {residual_relative_true} true, "
                                     "{residual_relative_wanted} wanted, relative to |b| = {rhs_norm}")))
        if self.null_space != "none":
            rows.append(("null space", say("{null_space}: b without its mean, which is {rhs_outside_range} of |b|; u has the "
                                           "mean 0")))
        rows.append(("time", say("set-up {setup_s}, solve {solve_s}, {per_iteration_us} us per iteration of "
                                 "{bytes_per_iteration} bytes")))
        return rows
