# SPDX-License-Identifier: MIT
"""How the fields of a definition are computed, and what a run of them cost."""
from __future__ import annotations

import dataclasses
from typing import Any

from ._report import Document, seconds


@dataclasses.dataclass(frozen=True, repr=False)
class FieldReport(Document):
    """Runs of a definition. The fields are those of the library's ``field_report``."""

    definition: str  #: its name
    kernel: str  #: "compiled" or "interpreted"
    kernel_reason: str  #: why this one
    compile_seconds: float  #: 0 if the kernel came from the cache
    executor: str  #: never "auto"
    reason: str  #: why this executor
    device: str
    precision: str  #: "f64" or "f32"
    size: tuple[int, ...]
    threads: int
    depth: int  #: steps of a pass
    cells: int  #: that a step changes: all but the fixed ones
    bytes_per_step: int  #: that a step must move if nothing stays in a cache
    memory: int  #: bytes of all arrays
    total_steps: int  #: done by this runner
    steps: int  #: of the last run
    seconds: float  #: of the last run
    cells_per_second: float
    finite: bool  #: no NaN and no infinity in any field

    @classmethod
    def of(cls, native: dict[str, Any]) -> FieldReport:
        return cls(**native)

    def plan(self) -> list[tuple[str, str]]:
        """The rows that are known before a run."""
        size = "x".join(map(str, self.size))
        compiled = f" in {seconds(self.compile_seconds)}" if self.compile_seconds else ""
        return [
            ("fields", f"{self.definition}, {size} cells, {self.precision}, {self.memory / 2**20:.3g} MiB"),
            ("device", f"{self.device} (cpu)"),
            ("kernel", f"{self.kernel}{compiled}: {self.kernel_reason}"),
            ("executor", f"{self.executor} on {self.threads} thread{'s' if self.threads > 1 else ''}"
                         + (f", passes of {self.depth} steps" if self.depth > 1 else "")),
            ("", self.reason),
            ("per step", f"{self.bytes_per_step / 2**20:.3g} MiB, if nothing stays in a cache"),
        ]

    def rows(self) -> list[tuple[str, str]]:
        per_step = seconds(self.seconds / self.steps) if self.steps else "-"
        return [
            *self.plan(),
            ("result", f"{self.steps} steps done" + ("" if self.finite else ": SOME VALUES ARE NOT FINITE")),
            ("time", f"{seconds(self.seconds)}, {per_step} per step, {self.cells_per_second:.3g} cells per second"),
        ]
