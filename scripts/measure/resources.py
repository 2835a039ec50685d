#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Registers, stack and shared memory of a program's kernels, and how many blocks of them a multiprocessor holds.

  measure/resources.py PROGRAM [--kernel REGEX] [--threads N] [--dynamic BYTES] [--on h200] [-o resources.json]

PROGRAM is Dwell's or another one's: cuobjdump reads its kernels, so no GPU is needed. Names are readable where c++filt is
there. The threads of a block and its dynamic shared memory are those of the launch, which the kernel's code does not have:
--threads and --dynamic; without --threads there is no occupancy. Sizes of the multiprocessor are of execution/device/facts.
"""
import argparse
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import measuring
from measuring import fail, percent, table

FACTS = Path(__file__).resolve().parents[2] / "execution/device/facts"
WARP, MOST_WARPS, MOST_BLOCKS = 32, 64, 32  # compute capabilities 7.0, 8.0, 9.0 and 10.0 (CUDA C++ Programming Guide)
REGISTERS_AT_ONCE, SHARED_AT_ONCE = 256, 128  # a warp's registers and a block's bytes come in multiples of these
RESERVED = 1024  # bytes that CUDA takes of each block from compute capability 8.0 on
ENTRY = re.compile(r"Function (\S+):\s+REG:(\d+) STACK:(\d+) SHARED:(\d+)")
KERNEL = "registers", "stack_bytes", "shared_bytes"


def kernels_of(text):
    """What cuobjdump --dump-resource-usage says, by the names in the file. From 9.0 on it adds what CUDA takes of each
    block where shared memory is used; that is taken off here."""
    found = {}
    for part in re.split(r"(?=^arch = sm_)", text, flags=re.MULTILINE):
        arch = re.match(r"arch = sm_(\d+)", part)
        added = RESERVED if not arch or int(arch[1]) >= 90 else 0
        for name, registers, stack, shared in ENTRY.findall(part):
            found[name] = dict(zip(KERNEL, (int(registers), int(stack), max(0, int(shared) - added))))
    return found


def up(value, step):
    return -(-value // step) * step


def blocks_that_fit(kernel, threads, dynamic, unit):
    """Blocks of a multiprocessor, and what keeps one more out: the least of four limits."""
    warps = up(threads, WARP) // WARP
    registers = up(kernel["registers"] * WARP, REGISTERS_AT_ONCE) * warps
    shared = up(kernel["shared_bytes"] + dynamic + RESERVED, SHARED_AT_ONCE)
    limits = {"registers": unit["registers_per_unit"] // registers, "shared memory": unit["shared_per_unit"] // shared,
              "warps": MOST_WARPS // warps, "blocks": MOST_BLOCKS}
    binds = min(limits, key=limits.get)
    return limits[binds], binds


def output_of(command, text=None):
    try:
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    except OSError as error:
        fail(f"{command[0]}: {error.strerror}")
    if done.returncode != 0:
        fail(f"{command[0]}: {(done.stderr or done.stdout).strip().splitlines()[-1:] or [done.returncode]}")
    return done.stdout


def readable(names):
    if not shutil.which("c++filt"):
        return names
    return output_of(["c++filt"], "\n".join(names) + "\n").splitlines()


def rows_of(args, unit):
    found = kernels_of(output_of([args.cuobjdump, "--dump-resource-usage", args.program]))
    rows = []
    for (name, kernel), shown in zip(found.items(), readable(list(found))):
        if not (re.search(args.kernel, shown) or re.search(args.kernel, name)):
            continue
        row = {"kernel": shown, **kernel, "blocks": None, "warps_part": None, "binds": None}
        if args.threads:
            row["blocks"], row["binds"] = blocks_that_fit(kernel, args.threads, args.dynamic, unit)
            row["warps_part"] = row["blocks"] * up(args.threads, WARP) / WARP / MOST_WARPS
        rows.append(row)
    if not rows:
        fail(f"{args.program}: expected kernels with '{args.kernel}' in their names, found none of {len(found)}")
    return rows


def pattern(text):
    try:
        re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"expected a regular expression: {error}") from error
    return text


def whole(least, most):
    def parse(text):
        if not text.isdigit() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"expected a whole number from {least} to {most}, found '{text}'")
        return int(text)
    return parse


def main():
    known = sorted(path.stem for path in FACTS.glob("*.json"))
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("program")
    words.add_argument("--kernel", type=pattern, default="", help="only kernels in whose name this is found")
    words.add_argument("--threads", type=whole(1, 1024), help="of a block")
    words.add_argument("--dynamic", type=whole(0, 1 << 20), default=0, help="bytes of shared memory that a launch asks for")
    words.add_argument("--on", choices=known, default="h200")
    words.add_argument("--cuobjdump", default=shutil.which("cuobjdump") or "/usr/local/cuda/bin/cuobjdump")
    words.add_argument("-o", "--output", help="write JSON")
    args = words.parse_args()
    with open(FACTS / f"{args.on}.json", encoding="utf-8") as file:
        unit = json.load(file)
    rows = rows_of(args, unit)
    print(table(["kernel:", "registers", "stack, bytes", "shared, bytes", "blocks", "warps", "binds:"],
                [[f"`{r['kernel']}`", r["registers"], r["stack_bytes"], r["shared_bytes"] + args.dynamic,
                  "-" if r["blocks"] is None else r["blocks"], percent(r["warps_part"]), r["binds"] or "-"] for r in rows]))
    if args.output:
        measuring.write_json(args.output, {"program": args.program, "device": unit["name"], "threads": args.threads,
                                           "dynamic_bytes": args.dynamic, "kernels": rows})


if __name__ == "__main__":
    sys.exit(main())
