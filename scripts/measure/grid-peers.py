#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Times of solves on grids, as a Markdown table: dwell::grid_solver and Dwell's amg on the matrix (bench-grid), hypre's PFMG as
the preconditioner of its conjugate gradients (peer-hypre-grid, if it is there), with 1 and 2 threads or ranks.

usage: grid-peers.py FOLDER [SIZE[:JUMP] ...]     FOLDER: of a build with benchmarks, or one that has the two programs"""
import json
import shutil
import subprocess
import sys
from pathlib import Path

CASES = ("1000x1000", "1000x1000:1e4", "1000x1000:1e6", "100x100x100", "100x100x100:1e6")
REPEATS = 5


def program(folder, name):
    found = sorted(p for p in Path(folder).rglob(name) if p.is_file())
    return str(found[0]) if found else None


def rows_of(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(f"grid-peers.py: {' '.join(command)}: {done.stderr.strip()[-200:]}", file=sys.stderr)
        return []
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 1
    folder, cases = sys.argv[1], sys.argv[2:] or CASES
    own, peer, mpirun = program(folder, "bench-grid"), program(folder, "peer-hypre-grid"), shutil.which("mpirun")
    if own is None:
        print(f"grid-peers.py: {folder}: expected bench-grid in it", file=sys.stderr)
        return 1
    print("| cells | k | solver | threads | iterations | set-up, ms | solve, ms: least | median |")
    print("|-|-|-|-:|-:|-:|-:|-:|")
    for case in cases:
        size, _, jump = case.partition(":")
        for threads in (1, 2):
            rows = rows_of([own, size, str(threads), jump or "1", str(REPEATS)])
            if peer and mpirun:
                rows += rows_of([mpirun, "--allow-run-as-root", "--oversubscribe", "-n", str(threads), peer, size, jump or "1",
                                 str(REPEATS)])
            for r in rows:
                print(f"| {size} | {'1:' + jump if jump else '1'} | {r['solver']} | {r['threads']} | {r['iterations']} | "
                      f"{r['setup_ms']:.1f} | {r['least_ms']:.1f} | {r['median_ms']:.1f} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
