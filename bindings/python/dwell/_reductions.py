# SPDX-License-Identifier: MIT
"""Numbers of all cells of a field, step by step: which are wanted, and the table of them."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ._checks import number
from ._points import by_field


class Reduction(NamedTuple):
    """A quantity of a field, and the value that ends a run."""

    field: int
    name: str
    quantity: str
    until: float | None

    @property
    def column(self) -> str:
        return f"{self.quantity}({self.name})"


def reductions_of(wanted: Any, until: Any, fields: tuple[str, ...]) -> list[Reduction]:
    """Those of `wanted`, {field: word or words}, then what `until`, {field: {word: number}}, adds to them."""
    ends: dict[tuple[str, str], float] = {}
    for name, limits in by_field(until, fields, "until"):
        if not isinstance(limits, Mapping):
            raise TypeError(f"until of {name}: expected a dict {{quantity: number}}, found {type(limits).__name__}")
        for quantity, limit in limits.items():
            ends[name, _word(quantity, f"until of {name}")] = number(limit, f"until of {name}")
    pairs = []
    for name, words in by_field(wanted, fields, "reductions"):
        listed = [words] if isinstance(words, str) else words
        if not isinstance(listed, (list, tuple)):
            raise TypeError(f"reductions of {name}: expected a word or a list of words, found {type(words).__name__}")
        pairs += [(name, _word(word, f"reductions of {name}")) for word in listed]
    pairs += [pair for pair in ends if pair not in pairs]
    return [Reduction(fields.index(name), name, quantity, ends.get((name, quantity))) for name, quantity in pairs]


def table_of(reductions: list[Reduction], steps: Any, values: Any) -> np.ndarray[Any, Any]:
    """A row for each step, a column for each quantity."""
    table = np.empty(len(steps), [("step", np.int64), *((r.column, np.float64) for r in reductions)])
    table["step"] = steps
    for r, column in zip(reductions, values.T):
        table[r.column] = column
    return table


def _word(given: Any, what: str) -> str:
    if not isinstance(given, str):
        raise TypeError(f"{what}: expected a word, found {given!r}")
    return given
