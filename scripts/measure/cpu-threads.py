#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Microseconds per iteration of CG on the CPU, by size and number of threads, as a Markdown table:
measure/cpu-threads.py DWELL [MATRIX...]. With --load N so many busy loops run beside it."""
import argparse
import json
import subprocess

SIZES = ["trefethen:500", "trefethen:2000", "poisson2d:64x64", "poisson2d:100x100", "poisson2d:200x200",
         "poisson2d:400x400", "poisson2d:707x707"]


def measure(program, matrix, threads, iterations, repetitions):
    command = [program, "compare", "cg", matrix, "--device", "cpu", "--executors", "persistent", "--no-peers",
               "--iterations", str(iterations), "--repetitions", str(repetitions), "--format", "json"]
    if threads:
        command += ["--threads", str(threads)]
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    system = json.loads(out)["matrices"][0]
    run = next(r for r in system["runs"] if r["executor"] == "persistent")
    return system, run["time"]["per_iteration_us"], run["reason"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program")
    parser.add_argument("matrices", nargs="*", default=SIZES)
    parser.add_argument("--load", type=int, default=0)
    parser.add_argument("--threads", default="1,2,0", help="0: none named (default: 1,2,0)")
    how = parser.parse_args()
    threads = [int(t) for t in how.threads.split(",")]
    load = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(how.load)]
    try:
        print("| matrix | rows | KiB per iteration |" + "".join(f" {t or 'default'} |" for t in threads) + " default takes |")
        print("|---|--:|--:|" + "--:|" * len(threads) + "--:|")
        for matrix in how.matrices:
            cells, detail = [], ""
            for t in threads:
                iterations = 100
                for _ in range(2):  # the first one may be no more than the start of the threads
                    us = measure(how.program, matrix, t, iterations, 1)[1]["median"]
                    iterations = int(min(max(1e5 / us, 50), 20000))  # a tenth of a second
                system, us, detail = measure(how.program, matrix, t, iterations, 5)
                cells.append(f" {us['median']:.3g} ({us['min']:.3g} to {us['max']:.3g}) |")
            takes = detail.split("; ")[-1].split(",")[0]
            print(f"| {matrix.split('/')[-1]} | {system['rows']} | {system['bytes_per_iteration'] / 1024:.0f} |"
                  + "".join(cells) + f" {takes} |", flush=True)
    finally:
        for process in load:
            process.kill()


main()
