#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stencils on fields of 60 sizes that nobody has chosen: how near does 'auto' come to the best?

  sweep-auto.py path/to/dwell [--seed 21] [--steps 200] [--repetitions 3] [-o sweep.json]

Runs 'dwell compare stencil' on a GPU, once for each shape, with graph, persistent, perks (policy auto)
and temporal, where it has the shape; every field is compared with host-loop's there, bit by bit. Then asks 'dwell stencil --steps 0'
which of them '--executor auto' takes. The table names every size at which that, or perks, is under
0.97 of the best of all; the JSON has all sizes. Exit code 1: a run failed or fields differ.
Speed decides nothing: it is for the reader.
"""
import argparse
import json
import math
import random
import subprocess
import sys

FLAT = "2d5pt 2ds9pt 2d13pt 2d17pt 2d21pt 2ds25pt 2d9pt 2d25pt 2d49pt gradient2d".split()
SOLID = "3d7pt 3d13pt 3d17pt 3d27pt poisson".split()
KNOWN = {"3d7pt", "3d13pt", "3d27pt", "poisson"}  # begin with a field that was slow once
NOT_TEMPORAL = ["gradient2d"]
ENOUGH = 0.97


def draw(source, dims, low, high, least, most):
    """Axes from low to high, all ratios alike, of least to most cells together."""
    while True:
        axes = [round(math.exp(source.uniform(math.log(low), math.log(high)))) for _ in range(dims)]
        if least <= math.prod(axes) <= most:
            return axes


def sizes_of(seed):
    source = random.Random(seed)
    sizes = {s: [draw(source, 2, 200, 6000, 2e5, 2e7) for _ in range(3)] for s in FLAT}
    for s in SOLID:
        sizes[s] = [[257, 311, 259] if k == 0 and s in KNOWN else draw(source, 3, 24, 420, 2e5, 2.5e7)
                    for k in range(6)]
    return {s: ["x".join(map(str, n)) for n in all_of_it] for s, all_of_it in sizes.items()}


def dwell(program, *arguments):
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"sweep-auto: {' '.join(arguments)}: exit code {done.returncode}")
    return json.loads(done.stdout)


def rows_of(args, shape, sizes):
    executors = ["graph", "persistent", "perks"] + ([] if shape in NOT_TEMPORAL else ["temporal"])
    compared = dwell(args.dwell, "compare", "stencil", shape, "--size", ",".join(sizes),
                     "--device", "cuda", "--executors", ",".join(executors), "--policies", "auto",
                     "--steps", str(args.steps), "--repetitions", str(args.repetitions),
                     "--format", "json")
    for entry in compared["stencils"]:
        runs = {r["executor"]: r for r in entry["runs"]}
        if entry["refusal"] or any(not runs[e]["same_bits"] for e in executors):
            sys.exit(f"sweep-auto: {shape} {entry['size']}: {entry['refusal'] or 'bits differ'}")
        taken = dwell(args.dwell, "stencil", shape, "--size", entry["size"], "--device", "cuda",
                      "--steps", "0", "--json", "-", "-q")
        rate = {e: runs[e]["cells_per_s"] * 1e-9 for e in executors}
        best = max(rate.values())
        yield {"stencil": shape, "size": entry["size"], "gcells_per_s": rate,
               "auto": taken["executor"], "auto_of_best": rate[taken["executor"]] / best,
               "perks_of_best": rate["perks"] / best, "reason": taken["reason"]}


def main():
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("dwell")
    words.add_argument("--seed", type=int, default=21)
    words.add_argument("--steps", type=int, default=200)
    words.add_argument("--repetitions", type=int, default=3)
    words.add_argument("-o", "--output")
    args = words.parse_args()
    rows = [row for shape, sizes in sizes_of(args.seed).items() for row in rows_of(args, shape, sizes)]
    print("| stencil | size | graph | persistent | perks | temporal | auto takes | of the best | perks of it |")
    print("|---|---|--:|--:|--:|--:|---|--:|--:|")
    for r in rows:
        rate = r["gcells_per_s"]
        rates = " | ".join(f"{rate[e]:.0f}" if e in rate else "-"
                           for e in ("graph", "persistent", "perks", "temporal"))
        low = "" if min(r["auto_of_best"], r["perks_of_best"]) >= ENOUGH else " (low)"
        print(f"| {r['stencil']} | {r['size']} | {rates} | {r['auto']} | {r['auto_of_best']:.2f} | "
              f"{r['perks_of_best']:.2f}{low} |")
    for name in ("auto", "perks"):
        part = [r[name + "_of_best"] for r in rows]
        print(f"\n{name}: at least {ENOUGH} of the best at {sum(p >= ENOUGH for p in part)} of "
              f"{len(part)} sizes, at the worst {min(part):.2f}")
    if args.output:
        with open(args.output, "w", encoding="utf-8") as out:
            json.dump({"seed": args.seed, "steps": args.steps, "rows": rows}, out, indent=1)


if __name__ == "__main__":
    main()
