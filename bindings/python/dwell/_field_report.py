# SPDX-License-Identifier: MIT
"""How the fields of a definition are computed, and what a run of them cost."""
from __future__ import annotations

import dataclasses
from typing import Any

from ._report import Document


@dataclasses.dataclass(frozen=True, repr=False)
class FieldReport(Document):
    """Runs of a definition."""

    steps: int  #: of the last run

    @classmethod
    def of(cls, native: dict[str, Any]) -> FieldReport:
        return cls(**native)

    def rows(self) -> list[tuple[str, str]]:
        return [("result", f"{self.steps} steps")]
