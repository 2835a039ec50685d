# SPDX-License-Identifier: MIT
"""The stencils of this build, and what runs of them did and cost."""
from __future__ import annotations

import dataclasses
from typing import NamedTuple

from . import _core
from ._report import Document, of_table


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


@of_table(_core.stencil_report_table(), "setup.")
@dataclasses.dataclass(frozen=True)
class StencilSetup:
    """What preparing took, in seconds."""

    context_s: float
    check_s: float
    plan_s: float
    compile_s: float
    load_s: float
    upload_s: float


@of_table(_core.stencil_report_table())
@dataclasses.dataclass(frozen=True, repr=False)
class StencilReport(Document):
    """Runs of a stencil. The fields are those of the library's ``stencil_report``."""

    shape: str
    size: tuple[int, ...]
    changing_cells: int
    boundary: str
    precision: str
    device: str
    backend: str
    executor: str
    policy: str
    reason: str
    teams: int
    lanes: int
    engine: str
    compiler: str
    alternates: bool
    subdomains: tuple[int, ...]
    subdomain: tuple[int, ...]
    subdomain_of: str
    depth: int
    pass_steps: int
    traversal: str
    order: str
    cached_registers: int
    cached_scratch: int
    streamed: int
    steps: int
    stopped: str
    change: float | None
    setup: StencilSetup
    setup_s: float
    solve_s: float
    per_step_us: float
    cells_per_second: float
    bytes_per_step: int

    def rows(self) -> list[tuple[str, str]]:
        say = self._say
        return [
            ("field", say("{shape}, {size} cells, {precision}, boundary {boundary}")),
            ("device", say("{device} ({backend})")),
            ("executor", say("{executor}, policy {policy}")),
            ("", self.reason),
            ("result", say("{stopped} after {steps} steps" + ("" if self.change is None else ", largest change {change}"))),
            ("time", say("set-up {setup_s}, steps {solve_s}, {per_step_us} us per step, {cells_per_second} cells per "
                         "second")),
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
