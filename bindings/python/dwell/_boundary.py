# SPDX-License-Identifier: MIT
"""What lies beyond the border of each field: from what a caller may write to a word for every side."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._checks import shown, word

Sides = list[tuple[str, str]]  # (low, high) of each axis, the slowest first


def sides_of_fields(boundary: Any, fields: tuple[str, ...], dims: int) -> list[Sides]:
    """A word, a tuple with a word or a pair (low, high) for each axis, or a dict of these that names every field."""
    if not isinstance(boundary, Mapping):
        return [_sides(boundary, dims, "boundary")] * len(fields)
    for name in boundary:
        if name not in fields:
            raise ValueError(f"boundary: expected {', '.join(fields)} as names, found {name!r}")
    for name in fields:
        if name not in boundary:
            raise ValueError(f"boundary: expected every field, {', '.join(fields)}, found none of '{name}'")
    return [_sides(boundary[name], dims, f"boundary of {name}") for name in fields]


def _sides(given: Any, dims: int, what: str) -> Sides:
    if isinstance(given, str):
        return [(word(given, what), given)] * dims
    if not isinstance(given, (tuple, list)):
        raise TypeError(f"{what}: expected a word, or a tuple with an entry for each axis, found {type(given).__name__}")
    if len(given) != dims:
        raise ValueError(f"{what}: expected {dims} {'entry' if dims == 1 else 'entries'}, one for each axis, the slowest first, "
                         f"found {len(given)}")
    return [_side(axis, f"{what}, axis {number}") for number, axis in enumerate(given)]


def _side(given: Any, what: str) -> tuple[str, str]:
    pair = (given, given) if isinstance(given, str) else given
    if not isinstance(pair, (tuple, list)) or len(pair) != 2 or not all(isinstance(one, str) for one in pair):
        raise ValueError(f"{what}: expected a word or a pair of words (low, high), found {shown(given)}")
    return word(pair[0], what), word(pair[1], what)
