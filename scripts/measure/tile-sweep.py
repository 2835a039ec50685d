#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Occupancy, cells of a lane and depth of temporal blocking against each other (Zhang 2023, figure 5.10).

The kernel of several_steps.cu, 2d5pt, is compiled at run time for each combination, and its field compared with plain
steps, bit for bit. Blocks of a multiprocessor are held at what was asked for by their shared memory; a dash: the rows that the
steps keep do not fit in it. Needs CuPy and a GPU (--list says what would be compiled, without either).
"""
import argparse
import itertools
import json
import math
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

THREADS = 256
RESERVED = 1024  # bytes of shared memory that CUDA takes of each block
CENTRE, BESIDE = 0.5, 0.125
PLAIN = r"""
extern "C" __global__ void plain(const REAL* u, REAL* v, int ny, int nx, REAL centre, REAL beside) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  const REAL* c = u + (long long)(y) * nx + x;
  REAL e = *c;
  if (y > 0 && y < ny - 1 && x > 0 && x < nx - 1)
    e = fma(beside, c[nx], fma(beside, c[1], fma(centre, c[0], fma(beside, c[-1], beside * c[-nx]))));
  v[(long long)(y) * nx + x] = e;
}
"""


def needed_bytes(cells, depth, real=8):
    """Four rows of each step but the last, and two cells beside each; real: bytes of a cell."""
    return real * depth * 4 * (THREADS * cells + 2)


def shared_bytes(blocks, cells, depth, unit_bytes, real=8):
    """What a block asks for so that `blocks` of them fit in a multiprocessor and one more does not; None: so many do not fit."""
    least = unit_bytes // (blocks + 1) - RESERVED + 16
    asked = max(needed_bytes(cells, depth, real), least // 16 * 16 + 16)
    return asked if asked <= unit_bytes // blocks - RESERVED else None


def division(ny, nx, units, blocks, cells, depth):
    """Tiles across, pieces down and rows of a piece: at most one block for each place there is."""
    across = math.ceil(nx / (THREADS * cells - 2 * depth))
    down = max(1, units * blocks // across)
    rows = math.ceil(ny / down)
    return across, math.ceil(ny / rows), rows


def combinations(args):
    """Tiles that are at least as wide as what they lose."""
    return [c for c in itertools.product(args.blocks, args.cells, args.depths) if 2 * c[2] < THREADS * c[1]]


class Gpu:
    def __init__(self, args):
        import cupy

        self.cupy, self.args = cupy, args
        properties = cupy.cuda.runtime.getDeviceProperties(0)
        self.name, self.units = properties["name"].decode(), properties["multiProcessorCount"]
        self.unit_bytes = properties["sharedMemPerMultiprocessor"]
        self.text = (Path(__file__).parent / "several_steps.cu").read_text(encoding="utf-8")
        self.real, self.type = (8, cupy.float64) if args.precision == "f64" else (4, cupy.float32)
        self.word = f"-DREAL={'double' if self.real == 8 else 'float'}"
        self.plain = cupy.RawKernel(PLAIN, "plain", options=(self.word,))
        self.start = cupy.random.RandomState(7).rand(*args.size).astype(self.type)
        self.weights = self.type(CENTRE), self.type(BESIDE)
        self.expected = {}

    def compiled(self, combination):
        blocks, cells, depth = combination
        asked = shared_bytes(blocks, cells, depth, self.unit_bytes, self.real)
        if asked is None:
            return None
        options = (f"-DBLOCKS={blocks}", f"-DCELLS={cells}", f"-DDEPTH={depth}", f"-DTHREADS={THREADS}", self.word, "-std=c++17")
        kernel = self.cupy.RawModule(code=self.text, options=options).get_function("several_steps")
        kernel.max_dynamic_shared_size_bytes = asked
        return kernel

    def plain_steps(self, count):
        if count not in self.expected:
            ny, nx = self.args.size
            u, v = self.start.copy(), self.start.copy()
            for _ in range(count):
                self.plain(((nx + 31) // 32, (ny + 7) // 8), (32, 8), (u, v, ny, nx, *self.weights))
                u, v = v, u
            self.expected[count] = u
        return self.expected[count]

    def measure(self, combination, kernel):
        """A row of the table."""
        blocks, cells, depth = combination
        row = {"blocks": blocks, "cells": cells, "depth": depth, "registers": None, "spilled_bytes": None, "shared_bytes": None,
               "cells_per_s": None}
        if kernel is None:
            return row
        ny, nx = self.args.size
        across, down, rows = division(ny, nx, self.units, blocks, cells, depth)
        asked = shared_bytes(blocks, cells, depth, self.unit_bytes, self.real)
        cupy = self.cupy
        u, v = self.start.copy(), self.start.copy()

        def one_pass(a, b):
            kernel((across, down), (THREADS,), (a, b, ny, nx, rows, *self.weights), shared_mem=asked)

        one_pass(u, v)
        if not bool((v == self.plain_steps(depth)).all()):
            sys.exit(f"tile-sweep: {blocks} blocks, {cells} cells, {depth} steps: other bits than plain steps")
        passes = max(1, round(self.args.steps / depth))
        best = math.inf
        for _ in range(self.args.runs):
            begin, end = cupy.cuda.Event(), cupy.cuda.Event()
            begin.record()
            for _ in range(passes):
                one_pass(u, v)
                u, v = v, u
            end.record()
            end.synchronize()
            best = min(best, cupy.cuda.get_elapsed_time(begin, end) * 1e-3)
        row.update(registers=kernel.num_regs, spilled_bytes=kernel.local_size_bytes, shared_bytes=asked,
                   cells_per_s=(ny - 2) * (nx - 2) * passes * depth / best)
        return row


def table_of(rows, depths):
    """A line for each number of blocks and of cells, GCells/s by depth."""
    lines = ["| blocks | cells of a lane | " + " | ".join(f"{d} steps" for d in depths) + " | registers |",
             "|--:|--:|" + "--:|" * (len(depths) + 1)]
    for key in dict.fromkeys((r["blocks"], r["cells"]) for r in rows):
        mine = {r["depth"]: r for r in rows if (r["blocks"], r["cells"]) == key}
        shown = [f"{mine[d]['cells_per_s'] * 1e-9:.0f}" if d in mine and mine[d]["cells_per_s"] else "-" for d in depths]
        registers = [r["registers"] for r in mine.values() if r["registers"]]
        lines.append(f"| {key[0]} | {key[1]} | {' | '.join(shown)} "
                     f"| {f'{min(registers)} to {max(registers)}' if registers else '-'} |")
    return "\n".join(lines)


def numbers(text):
    return [int(word) for word in text.split(",")]


def size_of(text):
    ny, nx = (int(word) for word in text.split("x"))
    return ny, nx


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=size_of, default=(8192, 8192), metavar="ROWSxCOLUMNS", help="cells (default: 8192x8192)")
    parser.add_argument("--precision", choices=("f64", "f32"), default="f64", help="of the cells (default: f64)")
    parser.add_argument("--blocks", type=numbers, default=[1, 2, 4], metavar="LIST", help="of a multiprocessor (default: 1,2,4)")
    parser.add_argument("--cells", type=numbers, default=[1, 2, 4], metavar="LIST", help="of a lane (default: 1,2,4)")
    parser.add_argument("--depths", type=numbers, default=[1, 2, 4, 8, 12], metavar="LIST",
                        help="steps of a pass (default: 1,2,4,8,12)")
    parser.add_argument("--steps", type=int, default=96, help="of a run (default: 96)")
    parser.add_argument("--runs", type=int, default=3, help="of each, of which the fastest counts (default: 3)")
    parser.add_argument("--list", action="store_true", help="the combinations and the shared memory that they need, without a GPU")
    parser.add_argument("-o", "--output", help="the rows as JSON")
    args = parser.parse_args()
    if args.list:
        for blocks, cells, depth in combinations(args):
            print(f"{blocks} blocks, {cells} cells of a lane, {depth} steps: "
                  f"{needed_bytes(cells, depth, 8 if args.precision == 'f64' else 4)} bytes")
        return
    gpu = Gpu(args)
    with ThreadPoolExecutor() as pool:
        kernels = list(pool.map(gpu.compiled, combinations(args)))
    rows = [gpu.measure(c, kernel) for c, kernel in zip(combinations(args), kernels)]
    print(f"2d5pt {args.precision}, {args.size[0]}x{args.size[1]}, blocks of {THREADS} threads, GCells/s; {gpu.name}\n")
    print(table_of(rows, args.depths))
    if args.output:
        document = {"device": gpu.name, "precision": args.precision, "size": list(args.size), "threads": THREADS, "rows": rows}
        Path(args.output).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
