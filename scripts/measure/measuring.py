# SPDX-License-Identifier: MIT
"""What the scripts that measure share: calls of dwell, the shapes of a build, sizes and steps of runs,
quantiles, tables, progress."""
import json
import math
import os
import subprocess
import sys
import time

LIMITS = ((2e6, 960), (5e6, 480), (2e7, 240), (math.inf, 144))  # whole passes of 24, 16, 12, 8, 6 steps


def name_of_script():
    return os.path.basename(sys.argv[0]).removesuffix(".py")


def fail(what):
    sys.exit(f"{name_of_script()}: {what}")


def dwell(program, *arguments):
    """The JSON that a command of dwell writes to standard output; what it says goes to standard error."""
    arguments = [str(a) for a in arguments]
    try:
        done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, text=True, check=False)
    except OSError as error:
        fail(f"{program}: {error.strerror}")
    if done.returncode != 0:
        fail(f"{' '.join(arguments)}: exit code {done.returncode}")
    try:
        return json.loads(done.stdout)
    except json.JSONDecodeError:
        fail(f"{' '.join(arguments)}: expected JSON, found {done.stdout[:60]!r}")


def words(text):
    return text.split(",")


def shapes_of(program, backend, wanted=None):
    """Names of the stencils of a build, or those of them that are wanted, each with its number of dimensions."""
    there = []
    for v in dwell(program, "info", "--json", "-")["variants"]:
        if v["problem"] == "stencil" and v["backend"] == backend and v["shape"] not in there:
            there.append(v["shape"])
    for name in wanted or []:
        if name not in there:
            fail(f"--shapes: expected some of {', '.join(there)}, found '{name}'")
    return {s: dwell(program, "info", s, "--json", "-")["stencil"]["dimensions"] for s in wanted or there}


def backend_of(program, device):
    """cpu or cuda, of --device."""
    if device == "auto":
        return "cuda" if dwell(program, "info", "--json", "-")["cuda_devices"] > 0 else "cpu"
    return "cpu" if device == "cpu" else "cuda"


def steps_for(cells):
    """Steps of a run that takes some milliseconds or more on a GPU."""
    return next(steps for most, steps in LIMITS if cells <= most)


def quantile(values, share):
    """The least value that at least this share of all do not exceed (nearest rank)."""
    ranked = sorted(values)
    return ranked[max(0, math.ceil(share * len(ranked)) - 1)]


def median(values):
    ranked = sorted(values)
    n = len(ranked)
    return 0.5 * (ranked[(n - 1) // 2] + ranked[n // 2])


def table(heads, rows):
    """Markdown; columns whose head ends with ':' are words, others are numbers."""
    lines = ["| " + " | ".join(h.rstrip(":") for h in heads) + " |",
             "|" + "|".join("---" if h.endswith(":") else "--:" for h in heads) + "|"]
    lines += ["| " + " | ".join(str(c) for c in row) + " |" for row in rows]
    return "\n".join(lines)


def percent(value, digits=1):
    return "-" if value is None else f"{100 * value:.{digits}f} %"


class progress:
    """A line on standard error that is overwritten; nothing where that is no terminal."""

    def __init__(self):
        self.shown = sys.stderr.isatty()
        self.begin = time.monotonic()

    def seconds(self):
        return time.monotonic() - self.begin

    def show(self, text):
        if self.shown:
            print(f"\r\033[K{text}"[:120], end="", file=sys.stderr, flush=True)

    def erase(self):
        if self.shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def write_json(path, document):
    try:
        with open(path, "w", encoding="utf-8") as out:
            json.dump(document, out, indent=1)
            out.write("\n")
    except OSError as error:
        fail(f"{path}: {error.strerror}")
