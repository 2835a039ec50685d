# SPDX-License-Identifier: MIT
"""Cells of a field to which series are added, or that are recorded, step by step."""
from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import numpy as np

from ._arrays import float_dtype, host_array
from ._checks import finite


@dataclasses.dataclass
class Points:
    """Some cells of one field."""

    field: int
    name: str
    cells: np.ndarray[Any, Any]  #: (n, dims)
    is_one: bool  #: given as one cell, without an axis of cells
    series: np.ndarray[Any, Any]  #: of sources: (steps, n)
    number: int = 0  #: the library's, of receivers


_NONE = np.zeros((0, 0))


def sources_of(given: Any, fields: tuple[str, ...], shape: tuple[int, ...], dtype: np.dtype[Any]) -> list[Points]:
    found = []
    for name, value in by_field(given, fields, "sources"):
        if not isinstance(value, (tuple, list)) or len(value) != 2:
            raise ValueError(f"sources of {name}: expected (cells, series), found {_shown(value)}")
        cells, is_one = _cells(value[0], shape, f"sources of {name}")
        series = host_array(value[1], f"sources of {name}")
        float_dtype(series.dtype, f"sources of {name}")
        with np.errstate(over="ignore"):
            series = series.astype(dtype)  # numbers that are added to the field's
        series = series[:, None] if is_one and series.ndim == 1 else series
        if series.ndim != 2 or series.shape[1] != len(cells):
            raise ValueError(f"sources of {name}: expected a series of shape (steps, {len(cells)}), found {series.shape}")
        finite(series, f"sources of {name}")
        found.append(Points(fields.index(name), name, cells, is_one, np.ascontiguousarray(series)))
    return found


def receivers_of(given: Any, fields: tuple[str, ...], shape: tuple[int, ...]) -> list[Points]:
    found = []
    for name, value in by_field(given, fields, "receivers"):
        cells, is_one = _cells(value, shape, f"receivers of {name}")
        found.append(Points(fields.index(name), name, cells, is_one, _NONE))
    return found


def by_field(given: Any, fields: tuple[str, ...], what: str) -> list[tuple[str, Any]]:
    """The items of a dict whose keys are fields."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        raise TypeError(f"{what}: expected a dict by field, found {type(given).__name__}")
    for name in given:
        if name not in fields:
            raise ValueError(f"{what}: expected {', '.join(fields)} as names, found {name!r}")
    return list(given.items())


def _cells(given: Any, shape: tuple[int, ...], what: str) -> tuple[np.ndarray[Any, Any], bool]:
    """(n, dims), inside the field; and whether one was given without an axis of cells."""
    cells = host_array(given, what)
    is_one = cells.ndim == 1
    cells = cells[None] if is_one else cells
    if cells.ndim != 2 or cells.shape[1] != len(shape) or cells.shape[0] == 0:
        raise ValueError(f"{what}: expected cells of shape (n, {len(shape)}) or ({len(shape)},), found {np.shape(given)}")
    if cells.dtype.kind not in "iu":
        raise TypeError(f"{what}: expected cells of whole numbers, found {cells.dtype}")
    outside = ((cells < 0) | (cells >= np.array(shape))).any(axis=1)
    if outside.any():
        raise ValueError(f"{what}: expected cells of a field of shape {shape}, found {tuple(cells[outside.argmax()].tolist())}")
    return np.ascontiguousarray(cells, np.int64), is_one


def _shown(value: Any) -> str:
    return f"{type(value).__name__} of {len(value)}" if isinstance(value, (tuple, list)) else type(value).__name__
