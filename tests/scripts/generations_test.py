#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of docs/models.md that sets PERKS on a GPU against plain steps on the next one (Zhang 2023, section 4.7.1):
generations_test.py DWELL SOURCE. Each of its rates is what `dwell explain stencil --device-facts` projects."""
import functools
import json
import re
import subprocess
import sys
from pathlib import Path

program, source = sys.argv[1], Path(sys.argv[2])
HEAD = re.compile(r"^\| stencil \| size \|((?: \w+ over \w+ \|)+)$", re.MULTILINE)
CELL = re.compile(r"^(\d+) / (\d+) = (\d+\.\d+)$")
skipped = []


@functools.cache
def plans(stencil, size, gpu):
    done = subprocess.run([program, "explain", "stencil", stencil, "--size", size, "--device-facts", gpu, "--json", "-"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        if "expected a stencil" in done.stderr:  # a build of some stencils
            return None
        sys.exit(done.stderr)
    return {p["executor"]: p for p in reversed(json.loads(done.stdout)["plans"])}


def rate(stencil, size, gpu, executor):
    """GCells/s of cells that change, or None without the stencil."""
    found = plans(stencil, size, gpu)
    if found is None:
        return None
    cells = 1
    border = {"2d25pt": 2}.get(stencil, 1)
    for side in size.split("x"):
        cells *= int(side) - 2 * border
    return cells / found[executor]["projected_us"]["total"] / 1e3


def differs(page, projected):
    """By more than its last digit."""
    return abs(page - projected) > 0.5 * 1.0001


def main():
    text = (source / "docs/models.md").read_text(encoding="utf-8")
    head = HEAD.search(text)
    if not head:
        sys.exit("docs/models.md: expected a table of stencil, size and 'GPU over GPU', found none")
    pairs = [tuple(word.lower() for word in cell.split(" over ")) for cell in head[1].strip(" |").split(" | ")]
    checked = 0
    for line in text[head.end():].strip().splitlines()[1:]:
        if not line.startswith("| "):
            break
        stencil, size, *cells = line.strip("| ").split(" | ")
        for (older, newer), cell in zip(pairs, cells, strict=True):
            perks, graph, ratio = map(float, CELL.match(cell).groups())
            projected = rate(stencil, size, older, "perks"), rate(stencil, size, newer, "graph")
            if None in projected:
                skipped.append(stencil)
                continue
            checked += 1
            if differs(perks, projected[0]) or differs(graph, projected[1]):
                sys.exit(f"docs/models.md: {stencil} {size}, {older} over {newer}: {cell}; projected are {projected}")
            if abs(ratio - projected[0] / projected[1]) > 0.051:
                sys.exit(f"docs/models.md: {stencil} {size}, {older} over {newer}: {ratio} is not their ratio")
    if skipped:
        print("not in this build:", ", ".join(sorted(set(skipped))))
    if not checked:
        sys.exit(77 if skipped else "docs/models.md: expected rows of the table, found none")


main()
