#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Passes of many steps for stencils, borders and sources that the ready stencils have no such kernels of, as definitions.

  measure/temporal-definitions.py [--device cuda] [--cases gradient,box-4,reflect] [--sizes 8192x8192,512x512x512]

A stencil of dwell.define gets its kernel when it is first needed. Each row: GCells/s of single steps (graph, on a CPU
persistent) and of passes (temporal), the steps of a pass, and whether both leave the same bits. Exit code 1: other bits.
"""
import argparse
import itertools
import json
import sys
import time

import numpy as np

import dwell


def box(dims, radius):
    """The mean of a box of 2 radius + 1 cells an axis, the sums of each row first."""
    def step(u):
        total = sum(u[at] for at in itertools.product(range(-radius, radius + 1), repeat=dims))
        return total / (2 * radius + 1) ** dims
    return dwell.define(step, fields="u", dims=dims, name=f"box_{dims}d_{radius}")


def star(dims, radius, source=False):
    """Diffusion by 2 radius neighbours an axis; source: plus a value of each cell in every step."""
    def step(u, s=None):
        near = sum(u[tuple(d if a == axis else 0 for a in range(dims))]
                   for axis in range(dims) for d in range(-radius, radius + 1) if d)
        out = 0.5 * u + near * (0.5 / (2 * dims * radius))
        return out + s if source else out
    if source:
        return dwell.define(lambda u, s: step(u, s), fields="u", coefficients="s", dims=dims, name=f"star_{dims}d_{radius}_source")
    return dwell.define(lambda u: step(u), fields="u", dims=dims, name=f"star_{dims}d_{radius}")


def gradient():
    """Diffusion that slows down where the field is steep (gradient2d of the ready stencils)."""
    def step(u, rate=0.2, steepness=4.0):
        flows = [u[at] - u for at in ((-1, 0), (1, 0), (0, -1), (0, 1))]
        return u + rate * sum(d / (1 + steepness * (d * d)) for d in flows)
    return dwell.define(step, fields="u", parameters="rate steepness", dims=2, name="gradient")


# Each case: its definition, its number of axes, its border.
CASES = {
    "star": (lambda: star(2, 1), 2, "fixed"),
    "gradient": (gradient, 2, "fixed"),
    "reflect": (lambda: star(2, 1), 2, "reflect"),
    "source": (lambda: star(2, 1, True), 2, "fixed"),
    "source-reflect": (lambda: star(2, 1, True), 2, "reflect"),
    "box-3": (lambda: box(2, 3), 2, "fixed"),
    "box-4": (lambda: box(2, 4), 2, "fixed"),
    "star3d": (lambda: star(3, 1), 3, "fixed"),
    "reflect3d": (lambda: star(3, 1), 3, "reflect"),
    "source3d": (lambda: star(3, 1, True), 3, "fixed"),
    "box3d-2": (lambda: box(3, 2), 3, "fixed"),
}


def measured(name, shape, dtype, device, cells, repetitions):
    """A row: rates and bits of single steps and of passes."""
    make, dims, border = CASES[name]
    definition, random = make(), np.random.default_rng(1)
    values = {n: random.random(shape, dtype) for n in definition.fields + definition.coefficients}
    steps = max(1, round(cells / np.prod(shape) / 48)) * 48
    row, bits = {"case": name, "cells": "x".join(map(str, shape)), "type": np.dtype(dtype).name, "border": border, "steps": steps}, []
    for key, executor in (("single", "graph" if device == "cuda" else "persistent"), ("passes", "temporal")):
        try:
            runner = dwell.FieldRunner(definition, boundary=border, executor=executor, device=device, **values)
            runner.run(steps)
            bits.append(np.asarray(runner.field("u")).tobytes())
            best = min(timed(runner, steps) for _ in range(repetitions))
            row[key] = np.prod(shape) * steps / best / 1e9
            if executor == "temporal":
                row["depth"] = runner.report.depth
        except (ValueError, RuntimeError) as error:
            row[key], row["why"] = None, str(error).splitlines()[0]
    row["same_bits"] = len(bits) == 2 and bits[0] == bits[1]
    return row, len(bits) < 2 or row["same_bits"]


def timed(runner, steps):
    begin = time.perf_counter()
    runner.run(steps)
    return time.perf_counter() - begin


def shape_of(text):
    return tuple(int(n) for n in text.split("x"))


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    words.add_argument("--cases", type=lambda t: t.split(","), default=list(CASES), help=f"of {', '.join(CASES)}")
    words.add_argument("--sizes", type=lambda t: [shape_of(s) for s in t.split(",")], default=[(8192, 8192), (512, 512, 512)])
    words.add_argument("--dtype", choices=("float64", "float32"), default="float64")
    words.add_argument("--cells", type=float, default=6e9, help="cells times steps of a run, about (default: %(default)g)")
    words.add_argument("--repetitions", type=int, default=3)
    words.add_argument("--seconds", type=float, help="no new row after so many (default: all rows)")
    words.add_argument("-o", "--output", help="write JSON")
    args = words.parse_args()
    if unknown := [c for c in args.cases if c not in CASES]:
        words.error(f"--cases: expected some of {', '.join(CASES)}, found '{unknown[0]}'")
    rows, well, begin = [], True, time.monotonic()
    print("| stencil | border | cells | type | single steps | passes | steps of a pass | same bits |\n|---|---|---|---|--:|--:|--:|---|")
    for name in args.cases:
        for shape in [s for s in args.sizes if len(s) == CASES[name][1]]:
            if args.seconds is not None and time.monotonic() - begin > args.seconds:
                continue
            row, fine = measured(name, shape, np.dtype(args.dtype).type, args.device, args.cells, args.repetitions)
            rows.append(row)
            well = well and fine
            rates = ["-" if row[k] is None else f"{row[k]:.3g}" for k in ("single", "passes")]
            print(f"| {name} | {row['border']} | {row['cells']} | {row['type']} | {' | '.join(rates)} | {row.get('depth', '-')} "
                  f"| {'yes' if row['same_bits'] else row.get('why', 'NO')} |", flush=True)
    if args.output:
        with open(args.output, "w", encoding="utf-8") as out:
            json.dump({"device": args.device, "rows": rows}, out, indent=1)
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
