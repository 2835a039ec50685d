# SPDX-License-Identifier: MIT
"""Random small systems with random options of solves, made of a seed alone. No package is needed."""
from __future__ import annotations

import math
import random
import struct
from typing import Any

METHODS = ("cg", "minres", "bicgstab", "gmres", "auto")
PRECONDITIONERS = ("none", "jacobi", "amg", "fsai", "block-jacobi", "ilu0", "chebyshev", "aggregation", "auto")
LARGEST = {"f64": 1.7e308, "f32": 3.4e38}


def to_f32(v: float) -> float:
    try:
        return struct.unpack("f", struct.pack("f", v))[0]
    except OverflowError:
        return math.copysign(LARGEST["f32"], v)


class Case:
    """A system of `rows` rows in compressed sparse rows, b, x0 (or None), precision, threads, and options by the names of
    solve_options."""

    def __init__(self, seed: int, most_rows: int = 200) -> None:
        self.seed = seed
        self._random = r = random.Random(seed)
        self.precision = r.choice(("f64", "f64", "f32", "mixed"))
        self.threads = r.choice((1, 1, 1, 2, 2, 3, 0))
        self.rows = min(most_rows, r.choice((r.randint(1, 4), r.randint(1, 30), r.randint(1, 200), r.randint(60, 200))))
        self.kind, self.symmetric, entries = self._entries()
        self.null = self._null_vectors
        if self.null is None:
            entries = self._scaled(entries)
        self._compress(entries)
        diagonal = {i: v for (i, j), v in self.entries() if i == j}
        self.has_diagonal = all(diagonal.get(i) for i in range(self.rows))
        self.has_positive_diagonal = all(diagonal.get(i, 0) > 0 for i in range(self.rows))
        self.b = self._right_hand_side()
        self.x0 = self._start()
        self.options = self._options()

    # The matrix ------------------------------------------------------------------------------------------------------

    def _entries(self) -> tuple[str, bool, dict[tuple[int, int], float]]:
        r, n = self._random, self.rows
        self._null_vectors: list[list[float]] | None = None
        kind = r.choice(("grid", "grid", "dominant", "dominant", "indefinite", "shifted", "general", "general", "convection",
                         "neumann", "neumann", "parts", "diagonal", "gram", "saddle", "skew", "permutation") + ("empty rows",) * (r.random() < 0.2))
        a: dict[tuple[int, int], float] = {}
        symmetric = kind not in ("general", "convection", "skew", "permutation", "empty rows")

        def add(i: int, j: int, v: float) -> None:
            a[i, j] = a.get((i, j), 0.0) + v

        def couple(i: int, j: int, w: float) -> None:
            add(i, j, -w), add(j, i, -w), add(i, i, w), add(j, j, w)

        width = r.randint(1, max(1, math.isqrt(n) + 1))
        edges = [(i, i + 1) for i in range(n - 1) if (i + 1) % width or width == 1] + [(i, i + width) for i in range(n - width)]
        edges = sorted({(i, j) for i, j in edges if i != j})
        weight = r.choice((lambda: 1.0, lambda: float(r.randint(1, 9)), lambda: r.uniform(0.1, 1.0),
                           lambda: 10.0 ** r.uniform(-4, 4)))
        if kind in ("grid", "neumann", "shifted", "convection", "parts"):
            broken = r.randrange(1, n) if kind == "parts" and n > 1 else 0
            for i, j in edges:
                if not i < broken <= j:
                    couple(i, j, weight())
            for i in range(n):
                add(i, i, 0.0)
                if kind == "grid":
                    add(i, i, r.choice((0.0, 0.5, 1e-3)) + (1.0 if i == 0 else 0.0))
                elif kind == "shifted":
                    add(i, i, -r.uniform(0.3, 3.0))
                elif kind == "convection":
                    add(i, i, 0.5)
            if kind == "convection":
                strength = r.uniform(-2, 2)
                for i, j in edges:
                    add(i, j, strength), add(j, i, -strength)
            if kind == "parts" and r.random() < 0.6:
                self._null_vectors = [[1.0 if i < broken else 0.0 for i in range(n)],
                                      [0.0 if i < broken else 1.0 for i in range(n)]]
                if broken == 0:
                    self._null_vectors = self._null_vectors[1:]
        elif kind == "diagonal":
            for i in range(n):
                add(i, i, r.choice((1, -1)) * r.uniform(0.1, 9) if r.random() < 0.3 else r.uniform(0.1, 9))
        elif kind == "permutation":
            to = list(range(n))
            r.shuffle(to)
            for i in range(n):
                add(i, to[i], r.uniform(0.5, 2))
        elif kind == "gram":
            m = min(n, 12)
            rows = [[r.gauss(0, 1) for _ in range(m)] for _ in range(m)]
            for i in range(n):
                add(i, i, 1e-3)
            for i in range(m):
                for j in range(i + 1):
                    v = sum(rows[k][i] * rows[k][j] for k in range(m))
                    add(i, j, v)
                    if i != j:
                        add(j, i, v)
        else:
            per_row = r.uniform(0.5, 5)
            for _ in range(int(n * per_row)):
                i, j = r.randrange(n), r.randrange(n)
                v = r.gauss(0, 1)
                if i == j:
                    continue
                if symmetric:
                    a[max(i, j), min(i, j)] = a[min(i, j), max(i, j)] = v
                elif kind == "skew":
                    a[i, j], a[j, i] = v, -v
                else:
                    a[i, j] = v
            excess = r.choice((0.5, 1.01, 2.0, 0.0))
            sums = [0.0] * n
            for (i, _), v in a.items():
                sums[i] += abs(v)
            for i in range(n):
                if kind == "saddle" and i >= n // 2:
                    if r.random() < 0.5:
                        a[i, i] = 0.0
                elif kind == "empty rows" and r.random() < 0.2:
                    for k in [k for k in a if k[0] == i]:
                        del a[k]
                elif kind == "skew":
                    a[i, i] = r.choice((0.0, 1.0, 1e-6))
                else:
                    sign = r.choice((1, -1)) if kind == "indefinite" else 1
                    a[i, i] = sign * ((1.001 if kind == "dominant" else excess) * sums[i] + r.choice((0.1, 1.0)))
        if r.random() < 0.1:  # zeros that are stored
            for _ in range(3):
                i, j = r.randrange(n), r.randrange(n)
                if (i, j) not in a and (j, i) not in a:
                    a[i, j] = a[j, i] = 0.0
        return kind, symmetric, a

    def _scaled(self, a: dict[tuple[int, int], float]) -> dict[tuple[int, int], float]:
        r, most = self._random, 300 if self.precision == "f64" else 35 if self.precision == "f32" else 100
        how = r.choice(("none", "none", "none", "none", "whole", "units", "mild units", "rows", "penalty", "each"))
        if how == "none":
            return a
        if how == "whole":
            by = 10.0 ** r.uniform(-most, most)
            return {k: v * by for k, v in a.items()}
        if how in ("units", "mild units"):
            e = r.choice((10, most // 2)) if how == "units" else 3
            d = [2.0 ** round(r.uniform(-e, e) * 3.32) for _ in range(self.rows)]
            return {(i, j): v * d[i] * d[j] for (i, j), v in a.items()}
        if how == "rows":
            self.symmetric = False
            d = [10.0 ** r.uniform(-most / 4, most / 4) for _ in range(self.rows)]
            return {(i, j): v * d[i] for (i, j), v in a.items()}
        if how == "penalty":
            by = 10.0 ** r.uniform(3, most)
            rows = set(r.sample(range(self.rows), max(1, self.rows // 10)))
            return {(i, j): v + by if i == j and i in rows else v for (i, j), v in a.items()}
        e = r.choice((3, 20, most))
        by = {k: 10.0 ** r.uniform(-e, e) for k in sorted(a)}
        return {(i, j): v * by[max(i, j), min(i, j)] if (max(i, j), min(i, j)) in by else v * by[i, j]
                for (i, j), v in a.items()}

    def value(self, v: float) -> float:
        """In range of the precision that is given to all calls, which is f32 for "f32"."""
        name = "f32" if self.precision == "f32" else "f64"
        v = max(-LARGEST[name], min(LARGEST[name], v)) if v == v else 0.0
        return to_f32(v) if name == "f32" else v

    def _compress(self, a: dict[tuple[int, int], float]) -> None:
        self.row_ptr, self.col, self.val = [0], [], []
        of_row: list[list[tuple[int, float]]] = [[] for _ in range(self.rows)]
        for (i, j), v in a.items():
            of_row[i].append((j, self.value(v)))
        for row in of_row:
            for j, v in sorted(row):
                self.col.append(j)
                self.val.append(v)
            self.row_ptr.append(len(self.col))
        if self.symmetric:  # after rounding
            found = dict(self.entries())
            self.symmetric = all(found.get((j, i)) == v for (i, j), v in found.items())

    def entries(self) -> list[tuple[tuple[int, int], float]]:
        return [((i, self.col[k]), self.val[k]) for i in range(self.rows)
                for k in range(self.row_ptr[i], self.row_ptr[i + 1])]

    # Vectors ---------------------------------------------------------------------------------------------------------

    def _product(self, x: list[float]) -> list[float]:
        return [self.value(sum(self.val[k] * x[self.col[k]] for k in range(self.row_ptr[i], self.row_ptr[i + 1])))
                for i in range(self.rows)]

    def _vector(self, scale: float) -> list[float]:
        r = self._random
        return [self.value(r.gauss(0, 1) * scale) for _ in range(self.rows)]

    def _right_hand_side(self) -> list[float]:
        r, n = self._random, self.rows
        most = 300 if self.precision == "f64" else 30
        scale = r.choice((1.0, 1.0, 10.0 ** r.uniform(-most, most)))
        how = r.choice(("ones", "random", "random", "unit", "product", "product", "product", "zero", "mixed"))
        if how == "ones":
            return [self.value(scale)] * n
        if how == "unit":
            b = [0.0] * n
            b[r.randrange(n)] = self.value(scale)
            return b
        if how == "product":
            return self._product(self._vector(1.0))
        if how == "zero":
            return [0.0] * n
        if how == "mixed":
            return [self.value(r.choice((1, -1)) * 10.0 ** r.uniform(-most, most)) for _ in range(n)]
        return self._vector(scale)

    def _start(self) -> list[float] | None:
        r = self._random
        most = 300 if self.precision == "f64" else 30
        return r.choice((lambda: None, lambda: None, lambda: self._vector(1.0), lambda: [0.0] * self.rows,
                         lambda: self._vector(10.0 ** r.uniform(-most, most))))()

    # Options ---------------------------------------------------------------------------------------------------------

    def _options(self) -> dict[str, Any]:
        r = self._random
        # Mostly what is not refused.
        definite = self.symmetric and self.has_positive_diagonal
        fitting = (("cg",) * definite + ("minres",) * self.symmetric + ("bicgstab", "gmres", "auto"))
        method = r.choice(METHODS if r.random() < 0.05 else fitting)
        fitting = (("none", "auto") + ("jacobi", "block-jacobi") * self.has_diagonal
                   + ("aggregation",) * (self.has_positive_diagonal and method in ("bicgstab", "gmres"))
                   + ("ilu0",) * (self.has_diagonal and method in ("bicgstab", "gmres"))
                   + ("amg", "fsai", "chebyshev") * definite)
        preconditioner = r.choice(PRECONDITIONERS if r.random() < 0.05 else fitting)
        plain = method == "cg" and preconditioner in ("none", "jacobi")
        executor = r.choice(("auto", "auto", "host-loop", "persistent", "perks", "perks"))
        o: dict[str, Any] = {
            "method": method,
            "preconditioner": preconditioner,
            "executor": executor if r.random() < 0.99 else "graph",
            "rtol": r.choice((1e-8, 1e-5, 1e-12, 0.1, 1e-15, 10.0 ** r.uniform(-16, 0), 0.0)),
            "atol": r.choice((0.0, 0.0, 0.0, 10.0 ** r.uniform(-20, 3), 10.0 ** r.uniform(-300, 300))),
            "max_iterations": r.choice((1, 2, 5, r.randint(1, 60), 200, 400)),
            "mixed_precision": self.precision == "mixed",
            "history": r.random() < 0.3,
        }

        def perhaps(name: str, value: Any, share: float) -> None:
            if r.random() < share:
                o[name] = value

        perhaps("variant", r.choice(("textbook", "single-reduction", "pipelined")), 0.5 if plain else 0.01)
        perhaps("policy", r.choice(("none", "vectors", "matrix", "mixed", "greedy", "model")), 0.7 if executor == "perks" else 0.01)
        perhaps("null_space", r.choice(("none", "constant")), 0.15)
        perhaps("assume_symmetric", True, 0.15)
        perhaps("refine", False, 0.15)
        if method == "gmres" or r.random() < 0.05:
            perhaps("restart", r.choice((1, 2, 5, 30, 100, r.randint(1, 500))), 0.6)
            if "restart" in o and r.random() < 0.7:
                o["max_iterations"] = o["restart"] * r.randint(1, max(1, 200 // o["restart"]))
        perhaps("degree", r.randint(1, 16), 0.5 if o["preconditioner"] == "chebyshev" else 0.02)
        perhaps("power", r.randint(1, 2), 0.5 if o["preconditioner"] == "fsai" else 0.02)
        perhaps("factor_sweeps", r.randint(1, 10), 0.4 if o["preconditioner"] == "ilu0" else 0.02)
        perhaps("sweeps", r.randint(1, 5), 0.4 if o["preconditioner"] == "ilu0" else 0.02)
        perhaps("block_size", r.randint(1, 33), 0.5 if o["preconditioner"] == "block-jacobi" else 0.02)
        perhaps("smoother", r.choice(("jacobi", "gauss-seidel", "auto")), 0.5 if o["preconditioner"] == "amg" else 0.02)
        perhaps("coarsening", r.choice(("roots", "classical", "auto")), 0.5 if o["preconditioner"] == "amg" else 0.02)
        if self.null:
            o["null_vectors"] = [v for column in self.null for v in column]
            o.pop("null_space", None)
        if o["preconditioner"] == "amg" and self.rows > 1 and r.random() < 0.3:
            o["near_null"] = [r.choice((1.0, r.uniform(0.5, 1.5))) for _ in range(self.rows * r.randint(1, 2))]
            o["block_size"] = r.choice([k for k in (1, 2, 3) if self.rows % k == 0])
        return o

    def __repr__(self) -> str:
        shown = {k: v if not isinstance(v, list) else f"{len(v)} values" for k, v in self.options.items()}
        return (f"seed {self.seed}: {self.kind}, {self.rows} rows, {len(self.val)} values, {self.precision}, "
                f"{self.threads} threads, {'x0' if self.x0 else 'no x0'}, {shown}")
