# SPDX-License-Identifier: MIT
"""How the fields of a definition are computed, and what a run of them cost."""
from __future__ import annotations

import dataclasses
from typing import Any

from ._explain import bytes_text
from ._report import Document, seconds

_RESULTS = {"steps done": "{} steps done", "converged": "converged after {} steps", "step limit": "NOT converged within {} steps",
            "not finite": "NOT FINITE after {} steps", "interrupted": "INTERRUPTED after {} steps"}


@dataclasses.dataclass(frozen=True, repr=False)
class FieldReport(Document):
    """Runs of a definition. The fields are those of the library's ``field_report``."""

    definition: str  #: its name
    kernel: str  #: "compiled" or "interpreted"
    kernel_reason: str  #: why this one
    compile_seconds: float  #: 0 if the kernel came from the cache
    executor: str  #: never "auto"
    reason: str  #: why this executor
    device: str  #: its name
    backend: str  #: "cpu" or "cuda"
    precision: str  #: "f64" or "f32"
    size: tuple[int, ...]
    threads: int  #: or a GPU's multiprocessors
    depth: int  #: steps of a pass
    hoisted: int  #: values of coefficients alone that are computed once
    cells: int  #: that a step changes: all but the fixed ones
    bytes_per_step: int  #: that a step must move if nothing stays in a cache
    memory: int  #: bytes of all arrays
    total_steps: int  #: done by this runner
    steps: int  #: of the last run
    seconds: float  #: of the last run
    cells_per_second: float
    finite: bool  #: no NaN and no infinity in any field
    stopped: str  #: why the last run ended: "steps done", "converged", "step limit", "not finite", "interrupted"
    reductions: dict[str, float | None]  #: what was computed last, by "sum(u)", ...; None: nothing yet
    until: dict[str, float]  #: what ends a run, likewise
    reduce_every: int  #: steps; 0: there are no reductions
    reduce_seconds: float  #: that reductions took since they were set

    @classmethod
    def of(cls, native: dict[str, Any]) -> FieldReport:
        return cls(**native)

    def plan(self) -> list[tuple[str, str]]:
        """The rows that are known before a run."""
        size = "x".join(map(str, self.size))
        units = "thread" if self.backend == "cpu" else "multiprocessor"
        compiled = f" in {seconds(self.compile_seconds)}" if self.compile_seconds else ""
        return [
            ("fields", f"{self.definition}, {size} cells, {self.precision}, {bytes_text(self.memory)}"),
            ("device", f"{self.device} ({self.backend})"),
            ("kernel", f"{self.kernel}{compiled}: {self.kernel_reason}"),
            ("executor", f"{self.executor} on {self.threads} {units}{'s' if self.threads > 1 else ''}"
                         + (f", passes of {self.depth} steps" if self.depth > 1 else "")),
            ("", self.reason),
            *([("once", f"{self.hoisted} value{'s' if self.hoisted > 1 else ''} of coefficients alone")] if self.hoisted else []),
            ("per step", f"{bytes_text(self.bytes_per_step)}, if nothing stays in a cache"),
        ]

    def rows(self) -> list[tuple[str, str]]:
        per_step = seconds(self.seconds / self.steps) if self.steps else "-"
        return [
            *self.plan(),
            ("result", _RESULTS[self.stopped].format(self.steps) + ("" if self.finite else ": SOME VALUES ARE NOT FINITE")),
            *self._reduced(),
            ("time", f"{seconds(self.seconds)}, {per_step} per step, {self.cells_per_second:.3g} cells per second"),
        ]

    def _reduced(self) -> list[tuple[str, str]]:
        words = [f"{name} {'-' if value is None else format(value, '.6g')}"
                 + (f", wanted {self.until[name]:.3g}" if name in self.until else "") for name, value in self.reductions.items()]
        if words:
            words.append(f"every {self.reduce_every} steps, {seconds(self.reduce_seconds)} in all")
        return [("reduced" if k == 0 else "", line) for k, line in enumerate(words)]
