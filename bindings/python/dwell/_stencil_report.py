# SPDX-License-Identifier: MIT
"""The stencils of this build, and what runs of them did and cost."""
from __future__ import annotations

import dataclasses
from typing import NamedTuple

from . import _core
from ._report import Document, seconds


@dataclasses.dataclass(frozen=True)
class Shape:
    """A stencil that this build has."""

    name: str
    dims: int
    radius: int
    flops: int  #: per cell and step
    linear: bool
    star: bool  #: all neighbours lie on the axes
    taps: tuple[tuple[int, ...], ...]  #: (dy, dx) or (dz, dy, dx)
    weights: tuple[float, ...]  #: defaults, of the taps in their order
    about: str  #: what it computes; may be empty


@dataclasses.dataclass(frozen=True)
class StencilSetup:
    """What preparing took, in seconds."""

    context_s: float  #: the CUDA context, at its first use in the process; in no sum
    check_s: float
    plan_s: float
    load_s: float
    upload_s: float


@dataclasses.dataclass(frozen=True, repr=False)
class StencilReport(Document):
    """Runs of a stencil. The fields are those of the library's ``stencil_report``."""

    shape: str
    executor: str  #: never "auto"
    policy: str  #: what is cached on the chip between steps
    reason: str  #: why this executor and this plan
    device: str
    backend: str  #: "cpu" or "cuda"
    precision: str  #: "f64" or "f32"
    size: tuple[int, ...]
    boundary: str
    teams: int  #: threads or thread blocks
    lanes: int  #: per team
    engine: str  #: how the field lay over the chip
    depth: int  #: steps between two exchanges
    pass_steps: int
    traversal: str
    order: str  #: of the cells in a step of the whole field; else empty
    cached_registers: int  #: cells that stay there between steps
    cached_scratch: int
    streamed: int  #: cells that do not
    steps: int  #: of the last run
    stopped: str  #: "steps done", "converged", "step limit", "not finite" or "interrupted"
    change: float | None  #: the largest in one step, when last tested
    bytes_per_step: int
    changing_cells: int
    setup: StencilSetup
    setup_s: float
    solve_s: float
    per_step_us: float
    cells_per_second: float

    def rows(self) -> list[tuple[str, str]]:
        size = "x".join(map(str, self.size))
        change = "" if self.change is None else f", largest change {self.change:.2e}"
        return [
            ("field", f"{self.shape}, {size} cells, {self.precision}, boundary {self.boundary}"),
            ("device", f"{self.device} ({self.backend})"),
            ("executor", f"{self.executor}, policy {self.policy}"),
            ("", self.reason),
            ("result", f"{self.stopped} after {self.steps} steps{change}"),
            ("time", f"set-up {seconds(self.setup_s)}, steps {seconds(self.solve_s)}, {self.per_step_us:.3g} us per "
                     f"step, {self.cells_per_second:.3g} cells per second"),
        ]


class Outcome(NamedTuple):
    """What came of a run."""

    steps: int
    stopped: str  #: as of StencilReport
    change: float | None  #: the largest in one step, when last tested; may be NaN
    solve_s: float  #: on the device's clock


def shapes() -> list[Shape]:
    """The stencils of this build.

    Returns
    -------
    list of Shape

    Examples
    --------
    >>> import dwell
    >>> [s.radius for s in dwell.shapes() if s.name == "2d5pt"]
    [1]
    """
    return [Shape(**one) for one in _core.shapes()]
