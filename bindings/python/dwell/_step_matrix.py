# SPDX-License-Identifier: MIT
"""A step of a definition that is linear in its fields, as a matrix."""
from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse

from ._arrays import asked_dtype
from ._boundary import Sides, sides_of_fields
from ._checks import shown, whole
from ._define import Definition, require_definition
from ._field_runner import FieldRunner


class StepMatrix(NamedTuple):
    """A step of fields u is ``matrix @ u + constant``; see ``step_matrix``."""

    matrix: scipy.sparse.csr_array
    constant: npt.NDArray[Any]


def step_matrix(
    definition: Definition, shape: Sequence[int], *, dtype: Any = "float64", boundary: Any = None, threads: int = 0, **values: Any,
) -> StepMatrix:
    """A step that is linear in the fields, as a matrix: so the stencil that explicit steps run is the operator of an implicit step
    or of a steady state, which ``dwell.Solver`` solves.

    Parameters
    ----------
    definition : Definition
        Of ``define``, or of ``dwell.stencils``. Coefficients and parameters may be in it as they like.
    shape : sequence of int
        Cells along each axis, the slowest first.
    dtype : {"float64", "float32"}
    boundary : optional
        As of ``FieldRunner``. The cells of a side "fixed" keep their values: their rows are those of the identity, and a matrix
        is then not symmetric. "constant:0" has what lies beyond the border at 0.
    threads : int
        Of the CPU; 0: as many as are worth it.
    **values
        Coefficients and parameters by their names, as of ``FieldRunner``; of a parameter with a value per step the first one.

    Returns
    -------
    matrix : csr_array of `dtype`
        Its unknowns are those of the first field in C order, then those of the second one.
    constant : numpy.ndarray
        One axis; what a step of zeros gives: of "constant:V" beyond the border, and of terms without fields.

    Raises
    ------
    ValueError
        The step is not linear in the fields, or as ``FieldRunner`` does.

    Notes
    -----
    Elements are what a step makes of fields that are 1 in cells so far apart that no cell reads two of them (Curtis, Powell and
    Reid 1974): (2 radius + 1)^axes steps for each field. They are those of the formula, rounded as it rounds them; where that
    adds terms without fields, to the last digits of these. What "constant:V" gives is in `constant` alone. Linearity is then
    tried with a field of random values of many magnitudes.

    Examples
    --------
    Diffusion along a direction that is no axis, which needs diagonal neighbours, for good:

    >>> import dwell, numpy as np
    >>> @dwell.define(fields="u", coefficients="k")
    ... def operator(u, k):
    ...     def flux(a, b):   # through the middle between cells a and b, of the mean of their k
    ...         return (k[a] + k[b]) / 2 * (u[a] - u[b])
    ...     here = (0, 0)
    ...     return flux(here, (-1, 0)) + flux(here, (1, 0)) + 3 * (flux(here, (-1, -1)) + flux(here, (1, 1))) + 0.1 * u
    >>> k = np.random.default_rng(1).uniform(1, 10, (40, 50))
    >>> A, c = dwell.step_matrix(operator, k.shape, k=k, boundary="constant:0")
    >>> A.shape, bool(abs(A - A.T).max() < 1e-12), c.any()
    ((2000, 2000), True, np.False_)
    >>> u = dwell.Solver(A, preconditioner="amg", device="cpu").solve(np.ones(2000)).reshape(k.shape)
    """
    require_definition(definition)
    axes = _shape(shape, definition)
    for name in values:
        if name not in (*definition.coefficients, *definition.parameters):
            raise ValueError(f"{definition.name}: expected coefficients and parameters, found "
                             f"{'field ' if name in definition.fields else ''}'{name}'")
    kind = asked_dtype(dtype, "dtype")
    fields = definition.fields
    sides = sides_of_fields(definition.boundary if boundary is None else boundary, fields, definition.dims)
    rings = [any("periodic" in of[axis] for of in sides) for axis in range(len(axes))]
    start: dict[str, Any] = {name: np.zeros(axes, kind) for name in fields}
    first = {name: value[0] for name, value in values.items() if name in definition.parameters and np.ndim(value) == 1}

    def steps(beyond: Any) -> Callable[..., npt.NDArray[Any]]:
        runner = FieldRunner(definition, boundary=beyond, device="cpu", threads=threads, **start, **values)

        def step(**from_: Any) -> npt.NDArray[Any]:
            runner.set(**{name: 0.0 for name in fields} | from_ | first)
            runner.run(1)
            return np.stack([runner.field(name) for name in fields])

        return step

    step = steps(boundary)
    constant = step()
    # Beside values beyond the border elements would lose digits, or vanish.
    linear = dict(zip(fields, map(_without_values, sides)))
    probe = step if linear == dict(zip(fields, sides)) else steps(linear)
    of_zeros = probe()
    reach = definition.radius * len(definition.tape.stages)
    cells = int(np.prod(axes))
    rows, columns, elements = [], [], []
    for number, name in enumerate(fields):
        for ones, read in _probes(axes, rings, reach):
            with np.errstate(invalid="ignore"):
                seen = probe(**{name: ones.astype(kind)}) - of_zeros
            if seen[:, read < 0].any():
                raise _not_linear(definition)
            for of, one in enumerate(seen):
                there = np.flatnonzero(one)
                rows.append(of * cells + there)
                columns.append(number * cells + read.ravel()[there])
                elements.append(one.ravel()[there])
    n = cells * len(fields)
    index = np.int32 if max(n, sum(map(len, rows))) < 2**31 else np.int64
    matrix = scipy.sparse.csr_array(
        (np.concatenate(elements), (np.concatenate(rows).astype(index), np.concatenate(columns).astype(index))), shape=(n, n))
    matrix.sort_indices()
    _try(definition, matrix, constant, step)
    return StepMatrix(matrix, constant.ravel())


# What follows is private.

def _shape(given: Any, definition: Definition) -> tuple[int, ...]:
    try:
        axes = tuple(whole(n, "shape", 2**31) for n in given)
    except TypeError:
        raise TypeError(f"shape: expected a sequence of whole numbers, found {shown(given)}") from None
    if len(axes) != definition.dims or min(axes) < 1:
        raise ValueError(f"shape: expected {definition.dims} whole numbers of at least 1, found {axes}")
    return axes


def _without_values(sides: Sides) -> Sides:
    def zero(word: str) -> str:
        return "constant:0" if word.startswith("constant:") else word

    return [(zero(low), zero(high)) for low, high in sides]


def _not_linear(definition: Definition) -> ValueError:
    return ValueError(f"{definition.name}: expected a step that is linear in {', '.join(definition.fields)}, found one that is not")


def _probes(axes: tuple[int, ...], rings: list[bool], reach: int) -> Iterator[tuple[npt.NDArray[Any], npt.NDArray[Any]]]:
    """Fields with ones, and for each cell the number of the one that it may read, or -1."""
    tables = [_colours(n, ring, reach) for n, ring in zip(axes, rings)]
    for chosen in itertools.product(*[range(len(read)) for _, read in tables]):
        ones, read = np.ones((), bool), np.zeros((), np.int64)
        for (colour, reads), one, n in zip(tables, chosen, axes):
            ones = ones[..., None] & (colour == one)
            of = reads[one]
            read = np.where((read[..., None] < 0) | (of < 0), -1, read[..., None] * n + of)
        yield ones, read


def _colours(n: int, ring: bool, reach: int) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Along an axis: the colour of each cell, so that no cell reads two of a colour; and [colour, cell], the one that it may
    read, or -1."""
    apart = 2 * reach + 1
    cells = np.arange(n)
    if n <= apart:  # beyond the border may be any cell
        return cells, np.repeat(cells[:, None], n, axis=1)
    colour = cells % apart
    if ring:  # the cells that are left over meet the first ones
        whole_rounds = n // apart * apart
        colour[whole_rounds:] = apart + cells[whole_rounds:] - whole_rounds
    reads = np.full((int(colour.max()) + 1, n), -1)
    for offset in range(-reach, reach + 1):
        at = (cells + offset) % n if ring else cells + offset
        inside = (at >= 0) & (at < n)
        reads[colour[at[inside]], cells[inside]] = at[inside]
    return colour, reads


def _try(definition: Definition, matrix: scipy.sparse.csr_array, constant: npt.NDArray[Any], step: Any) -> None:
    for values in (matrix.data, constant):
        if not np.isfinite(values).all():
            raise ValueError(f"{definition.name}: expected a step of finite numbers, found {values[~np.isfinite(values)].ravel()[0]}")
    random = np.random.default_rng(1)
    start = random.uniform(-1, 1, constant.size) * 10.0 ** random.uniform(-3, 6, constant.size)
    limits = np.finfo(constant.dtype)
    largest = abs(matrix).max(axis=1).toarray().ravel() if matrix.nnz else np.zeros(constant.size, constant.dtype)
    start *= min(1.0, 1e-10 * float(limits.max) / max(1.0, float(largest.max())))  # sums stay in range
    start = start.astype(constant.dtype)
    found = step(**dict(zip(definition.fields, start.reshape(constant.shape)))).ravel()
    wanted = matrix @ start + constant.ravel()
    read = matrix.copy()
    read.data = abs(start)[matrix.indices]
    # Elements may be differences of larger numbers.
    size = abs(matrix) @ abs(start) + largest * (read.max(axis=1).toarray().ravel() if matrix.nnz else 0) + abs(constant.ravel())
    room = (16 + definition.flops) * limits.eps ** 0.75
    with np.errstate(invalid="ignore", over="ignore"):
        if not (abs(found - wanted) <= room * size).all():
            raise _not_linear(definition)
