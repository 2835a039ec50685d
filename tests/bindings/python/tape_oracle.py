# SPDX-License-Identifier: MIT
"""A definition of dwell.define run by NumPy, on whole arrays, one operation after the other: what every kernel and executor
is compared with. Knows nothing of the library's code: borders are index maps of plain Python."""
from fractions import Fraction

import numpy as np

BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "lt": np.less, "le": np.less_equal,
          "gt": np.greater, "ge": np.greater_equal, "eq": np.equal, "ne": np.not_equal, "and": np.logical_and,
          "or": np.logical_or, "min": np.minimum, "max": np.maximum}
UNARY = {"neg": np.negative, "abs": np.absolute, "sqrt": np.sqrt, "exp": np.exp, "log": np.log, "sin": np.sin,
         "cos": np.cos, "tanh": np.tanh, "floor": np.floor, "not": np.logical_not}


@np.vectorize
def _fma(a, b, c):
    if not np.isfinite([a, b, c]).all():
        return float(a) * float(b) + float(c)
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    return float(exact) if exact else float(a) * float(b) + float(c)


def fma(a, b, c):
    """Rounded once; in float32 once more, from float64."""
    return _fma(a, b, c).astype(np.result_type(a, b, c))


def sides_of(boundary, dims):
    """[(low, high)] of each axis, for one field: a word, or a tuple with a word or a pair for each axis."""
    axes = [boundary] * dims if isinstance(boundary, str) else list(boundary)
    return [(axis, axis) if isinstance(axis, str) else tuple(axis) for axis in axes]


def beyond(i, n, low, high):
    """(index, factor, constant) of what stands at i of an axis of n cells, by the words of its sides."""
    if 0 <= i < n:
        return i, 1, None
    kind, depth = (low, -1 - i) if i < 0 else (high, i - n)  # so many cells beyond the first one outside

    def inside(k):
        return k if i < 0 else n - 1 - k

    if kind.startswith("constant:"):
        return 0, 1, float(kind.partition(":")[2])
    if kind == "periodic":
        return i % n, 1, None
    if kind == "reflect":
        return inside(depth), 1, None
    if kind == "antisymmetric":
        return inside(depth), -1, None
    if kind == "mirror":
        return inside(depth + 1), 1, None
    return inside(0), 1, None  # nearest, and fixed, whose outermost cells are not computed


def tapped(a, offsets, sides):
    """a at every cell's neighbour. Beyond a corner axes apply one after the other, the slowest first, as numpy.pad does."""
    out = a
    for axis, (d, (low, high)) in enumerate(zip(offsets, sides)):
        found = [beyond(i + d, a.shape[axis], low, high) for i in range(a.shape[axis])]
        out = np.moveaxis(np.take(out, [f[0] for f in found], axis), axis, 0).copy()
        for i, (_, factor, constant) in enumerate(found):
            if constant is not None:
                out[i] = constant
            elif factor < 0:
                out[i] = -out[i]
        out = np.moveaxis(out, 0, axis)
    return out


def step(tape, fields, coefficients, parameters, boundary, radius):
    """The fields after one step; boundary: the sides of each field."""
    dtype = fields[0].dtype
    dims = tape.dims
    periodic = [boundary[0][axis][0] == "periodic" for axis in range(dims)]
    of_coefficients = [("periodic",) * 2 if p else ("nearest",) * 2 for p in periodic]
    moving = np.ones(fields[0].shape, bool)
    for axis, (low, high) in enumerate(boundary[0]):
        for is_fixed, cells in ((low == "fixed", slice(0, radius)), (high == "fixed", slice(-radius, None))):
            if is_fixed and radius:
                where = [slice(None)] * dims
                where[axis] = cells
                moving[tuple(where)] = False
    for stage in tape.stages:
        values = []
        with np.errstate(all="ignore"):
            for op, *rest in tape.nodes:
                if op == "constant":
                    values.append(dtype.type(rest[0]))
                elif op == "parameter":
                    values.append(dtype.type(parameters[rest[0]]))
                elif op == "tap":
                    array = (fields + coefficients)[rest[0]]
                    sides = boundary[rest[0]] if rest[0] < len(fields) else of_coefficients
                    values.append(tapped(array, rest[1], sides))
                else:
                    given = [values[k] for k in rest]
                    values.append(fma(*given) if op == "fma" else np.where(*given) if op == "where" else
                                  (BINARY.get(op) or UNARY[op])(*given))
        fields = list(fields)
        for field, node in stage:
            fields[field] = np.where(moving, np.broadcast_to(values[node], moving.shape), fields[field]).astype(dtype)
    return fields


def run(definition, fields, coefficients=(), parameters=(), steps=1, boundary="fixed", sources=(), receivers=()):
    """Fields after so many steps, and what receivers recorded. boundary: a word or axes for all fields, or a dict of them by
    name; parameters: numbers, or a value per step; sources: (field, cells, series); receivers: (field, cells)."""
    tape = definition.tape
    of = boundary if isinstance(boundary, dict) else {name: boundary for name in tape.fields}
    sides = [sides_of(of[name], tape.dims) for name in tape.fields]
    fields, coefficients = [np.array(f) for f in fields], [np.array(c) for c in coefficients]
    records = [[] for _ in receivers]
    for at in range(steps):
        now = [p[at] if np.ndim(p) else p for p in parameters]
        fields = step(tape, fields, coefficients, now, sides, definition.radius)
        for field, cells, series in sources:
            for cell, value in zip(cells, np.asarray(series)[at]):
                fields[field][tuple(cell)] += fields[field].dtype.type(value)
        for k, (field, cells) in enumerate(receivers):
            records[k].append([fields[field][tuple(cell)] for cell in cells])
    return fields, [np.array(r) for r in records]
