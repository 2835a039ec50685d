#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The smallest domain that saturates a device, by stencil and executor.

  measure/saturation.py path/to/dwell [--device cuda] [--shapes 2d5pt,3d7pt] [--share 0.9] [-o saturation.json]

Squares and cubes of growing size, measured by 'dwell compare stencil'. A domain saturates if its cells per second
reach the share of the largest of the sweep. A field that L2 holds may be faster than larger ones: on a GPU there is a
second answer, of the domains beyond L2 alone. The table is for the reader. Exit code 1: a run failed.
"""
import argparse
import sys

import measuring
from measuring import dwell, fail, percent, table


def sizes_of(dims, smallest, largest):
    """Edges in steps of half a doubling of the cells, rounded to whole pieces of rows."""
    piece, sizes, n = (32 if dims == 2 else 8), [], smallest
    while n <= largest * 1.01:
        edge = max(piece, round(n ** (1 / dims) / piece) * piece)
        if edge not in sizes:
            sizes.append(edge)
        n *= 2 ** 0.5
    return sizes


def saturating(rates, share):
    """The first of [(cells, rate)] whose rate reaches the share of the largest, and the largest; None if it is empty."""
    if not rates:
        return None
    most = max(rates, key=lambda r: r[1])
    least = next(r for r in sorted(rates) if r[1] >= share * most[1])
    return {"cells": least[0], "cells_per_s": least[1], "most_cells": most[0], "most_cells_per_s": most[1]}


def measure(args, shape, dims, executors, shown):
    """Cells and cells per second of every size, by executor; and the size of each number of cells."""
    groups = {}
    for edge in sizes_of(dims, args.smallest, args.largest):
        groups.setdefault(args.steps or measuring.steps_for(edge ** dims), []).append(edge)
    rates, names, device, beyond = {e: [] for e in executors}, {}, "", set()
    for steps, edges in groups.items():
        shown.show(f"{shape}, {len(edges)} sizes up to {'x'.join([str(edges[-1])] * dims)}")
        found = dwell(args.dwell, "compare", "stencil", shape, "--size", ",".join("x".join([str(e)] * dims) for e in edges),
                      "--device", args.device, "--precision", args.precision, "--executors", ",".join(executors), "--steps",
                      steps, "--repetitions", args.repetitions, "--format", "json")
        if found["interrupted"]:
            fail("interrupted")
        device = found["device"]["name"]
        for entry, edge in zip(found["stencils"], edges):
            if entry["refusal"]:
                fail(f"{shape} {entry['size']}: {entry['refusal']}")
            names[edge ** dims] = entry["size"]
            if entry["roof"] == "device memory":
                beyond.add(edge ** dims)
            for r in entry["runs"]:
                if r["outcome"] == "measured" and r["executor"] in rates:
                    rates[r["executor"]].append((edge ** dims, r["cells_per_s"]))
    return rates, names, beyond, device


def row_of(shape, executor, rates, names, beyond, share):
    every = saturating(rates, share)
    large = saturating([r for r in rates if r[0] in beyond], share)
    return {"stencil": shape, "executor": executor, "least": names[every["cells"]], "least_cells": every["cells"],
            "most_at": names[every["most_cells"]], "cells_per_s": every["most_cells_per_s"],
            "least_beyond_l2": names[large["cells"]] if large else None,
            "cells_per_s_beyond_l2": large["most_cells_per_s"] if large else None,
            "smallest_of_most": rates[0][1] / every["most_cells_per_s"],
            "rates": [{"size": names[c], "cells": c, "cells_per_s": r} for c, r in rates]}


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("dwell")
    words.add_argument("--device", default="auto", help="as dwell takes it (default: %(default)s)")
    words.add_argument("--shapes", type=measuring.words, help="default: all of the build")
    words.add_argument("--executors", type=measuring.words, help="default: graph,persistent,perks,temporal; on a CPU without graph")
    words.add_argument("--precision", choices=("f64", "f32"), default="f64")
    words.add_argument("--share", type=float, default=0.9, help="of the largest rate (default: %(default)s)")
    words.add_argument("--smallest", type=float, default=6e4, help="cells (default: %(default)g)")
    words.add_argument("--largest", type=float, default=6.8e7, help="cells (default: %(default)g)")
    words.add_argument("--steps", type=int, help="default: by cells, 960 to 144")
    words.add_argument("--repetitions", type=int, default=3)
    words.add_argument("-o", "--output", help="write JSON")
    args = words.parse_args()
    if not 0 < args.share <= 1 or not 64 <= args.smallest < args.largest or args.repetitions < 1:
        fail("--share: expected more than 0, at most 1; --smallest: from 64 to less than --largest; --repetitions: 1 or more")
    backend = measuring.backend_of(args.dwell, args.device)
    executors = args.executors or (["graph"] if backend == "cuda" else []) + ["persistent", "perks", "temporal"]
    shapes, shown, rows, device = measuring.shapes_of(args.dwell, backend, args.shapes), measuring.progress(), [], ""
    for shape, dims in shapes.items():
        rates, names, beyond, device = measure(args, shape, dims, executors, shown)
        rows += [row_of(shape, e, rates[e], names, beyond, args.share) for e in executors if rates[e]]
    shown.erase()
    print(f"{device}, {args.precision}: smallest domains with {args.share:.0%} of the largest rate, in {shown.seconds():.0f} s\n")
    print(table(["stencil:", "executor:", "smallest:", "largest rate at:", "GCells/s", "beyond L2, smallest:", "GCells/s",
                 "smallest of the sweep"],
                [[r["stencil"], r["executor"], r["least"], r["most_at"], f"{r['cells_per_s'] * 1e-9:.4g}",
                  r["least_beyond_l2"] or "-", f"{r['cells_per_s_beyond_l2'] * 1e-9:.4g}" if r["least_beyond_l2"] else "-",
                  percent(r["smallest_of_most"], 0)] for r in rows]))
    if args.output:
        measuring.write_json(args.output, {"device": device, "precision": args.precision, "share": args.share, "rows": rows})


if __name__ == "__main__":
    sys.exit(main())
