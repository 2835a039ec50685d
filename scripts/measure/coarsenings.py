#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Both coarsenings of amg and what auto takes on a CPU: coarsenings.py DWELL [--rows N] [--seeds N] [--repetitions N] [--only TEXT].

Processor milliseconds of whole solves of the systems of multigrid_systems.py, as they are numbered and in random orders, less those of reading and
one iteration with jacobi: the least of some repetitions, in turns. One thread (taskset), b = 1, rtol 1e-8. Prints a table in Markdown."""
import argparse
import json
import os
import pathlib
import resource
import statistics
import subprocess
import tempfile

import multigrid_systems as systems

WORDS = ("roots", "classical", "auto")


def run(program, path, more):
    """Processor milliseconds and the report."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, "solve", path, "--solver", "cg", "--rhs", "ones", "--device", "cpu", "--threads", "1", "--json", "-", *more],
                          check=False, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1e3 * (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime), json.loads(done.stdout)


def measured(program, path, repetitions):
    """word -> processor ms, iterations and the note."""
    reading, least = float("inf"), {}
    for _ in range(repetitions):
        reading = min(reading, run(program, path, ["--preconditioner", "jacobi", "--max-iterations", "1"])[0])
        for word in WORDS:
            ms, report = run(program, path, ["--preconditioner", "amg", "--coarsening", word])
            if word not in least or ms < least[word][0]:
                least[word] = ms, report["iterations"], report["preconditioner_note"] or ""
    return {word: (ms - reading, iterations, note) for word, (ms, iterations, note) in least.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=100000)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=2)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print("| system | order | roots | classical | auto took | classical over roots | auto's choice over the better |\n|-|-|-:|-:|-|-:|-:|")
    over = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.dwell"
        for name, make in systems.SYSTEMS.items():
            if given.only not in name:
                continue
            a, _ = make(given.rows)
            for order, p in systems.numberings(None, a.shape[0], range(1, 1 + given.seeds)):
                if order == "backwards":
                    continue
                systems.write(path, systems.renumbered(a, p))
                took = measured(given.program, path, given.repetitions)
                roots, classical, chosen = took["roots"], took["classical"], took["auto"][2].split(":")[0].removeprefix("coarsening ")
                by_word = {"roots": roots[0], "classical": classical[0]}
                over.append(by_word[chosen] / min(by_word.values()))
                print(f"| {name} | {order} | {roots[0]:.0f} ({roots[1]}) | {classical[0]:.0f} ({classical[1]}) | {chosen} |"
                      f" {classical[0] / roots[0]:.2f} | {over[-1]:.2f} |", flush=True)
    print(f"\nauto's choice over the better: median {statistics.median(over):.2f}, most {max(over):.2f}")


if __name__ == "__main__":
    main()
