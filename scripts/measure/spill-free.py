#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The largest configuration of an engine whose kernel does not spill registers, by compiling it.

  measure/spill-free.py ENGINE STENCIL [--precision f64] [--arch sm_90a] [--range LOW:HIGH] [-o spill-free.json]

ENGINE is register_tile2d (rows of a lane in registers, in steps of 2) or ring2d (neighbouring cells of a
lane, odd; or another size, --size steps, slots, ahead, early); STENCIL a file of solvers/stencil/shapes, as
star2d5. Each try is one kernel for one value in the place of the one that Dwell has (sizes.hpp of the engine),
compiled by nvcc with -Xptxas -v, which says registers and spills. From Dwell's own value on the largest is found by
bisection, between one that does not spill and one that does; if Dwell's own spills, values below it are tried one by
one. Needs nvcc, no GPU; a try takes some seconds to a minute.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import measuring
from measuring import fail, table

SOURCE = Path(__file__).resolve().parents[2]
TYPES = {"f64": "double", "f32": "float"}

# {shape}, {type}, {size}, {value}; of a try at Dwell's own value {value} is the word OWN.
RING = """#include "dwell/solvers/stencil/shapes/{shape}.hpp"
#include "dwell/execution/stencil/launch/temporal_cuda.cuh"
namespace dwell::cuda {{
template <>
inline constexpr ring_config ring_config_of<{shape}, {type}, {config}> = [] {{
  ring_config c = ring_configs<backend::cuda, {shape}, {type}>()[{config}];
  constexpr int OWN = ring_configs<backend::cuda, {shape}, {type}>()[{config}].{size};
  c.{size} = {value};
  return c;
}}();
template <int Value>
__global__ void size_is();
template <>
__global__ void size_is<ring_config_of<{shape}, {type}, {config}>.{size}>() {{}}
template __global__ void ring_kernel<{shape}, {type}, {config}, false>(
    const __grid_constant__ stencil_call<{shape}, {type}>, const __grid_constant__ pass_runs);
}}
"""
TILE = """#include "dwell/solvers/stencil/shapes/{shape}.hpp"
#include "dwell/execution/stencil/engines/register_tile2d/sizes.hpp"
namespace dwell {{
{replaced}
}}
#include "dwell/execution/stencil/launch/perks_cuda.cuh"
namespace dwell::cuda {{
template <int Value>
__global__ void size_is();
template <>
__global__ void size_is<register_tile2d::configs<{shape}, {type}>[0].register_rows>() {{}}
template __global__ void perks_kernel<{shape}, {type}, perks_stencil, register_tile2d, 0>(
    const __grid_constant__ stencil_call<{shape}, {type}>);
}}
"""
REPLACED = "template <>\nconstexpr int register_tile_rows<{shape}, {type}>() {{ return {value}; }}"

# Engine: the size that is sought, the others that may be, the step between two values of each, the largest.
ENGINES = {"register_tile2d": {"rows": (2, 40)},
           "ring2d": {"across": (2, 31), "steps": (1, 8), "slots": (1, 8), "ahead": (1, 8), "early": (1, 8)}}


def text_of(args, value):
    """The translation unit; value None: Dwell's own."""
    names = {"shape": args.stencil, "type": TYPES[args.precision], "size": args.size}
    if args.engine == "ring2d":
        return RING.format(**names, value="OWN" if value is None else value, config=0 if args.arch.endswith("a") else 1)
    replaced = "" if value is None else REPLACED.format(**names, value=value)
    return TILE.format(**names, replaced=replaced)


def resources_of(log):
    """What ptxas says of the kernel, and the value that it is compiled for: a kernel of nothing has it in its name."""
    found = {}
    for entry in log.split("Compiling entry function")[1:]:
        name = entry.split("'")[1]
        number = re.search(r"size_isILi(\d+)E", name)
        if number:
            found["value"] = int(number[1])
            continue
        stack = re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", entry)
        registers = re.search(r"Used (\d+) registers", entry)
        if not stack or not registers:
            fail(f"expected registers and spills of {name[:60]} by ptxas, found {entry[:200]!r}")
        found.update(registers=int(registers[1]), stack_bytes=int(stack[1]), spill_store_bytes=int(stack[2]),
                     spill_load_bytes=int(stack[3]))
    return found


def attempt(args, folder, value):
    """Compiles the kernel for a value. A value that the engine refuses (static_assert) is said to be refused."""
    file = Path(folder) / "kernel.cu"
    file.write_text(text_of(args, value), encoding="utf-8")
    begin = time.monotonic()
    done = subprocess.run([args.nvcc, "-std=c++20", "-O3", "-cubin", f"-arch={args.arch}", "-Xptxas", "-v",
                           "-fmad=false", "--expt-relaxed-constexpr", "--extended-lambda", "-DNDEBUG", "-I", str(SOURCE / "include"), str(file), "-o",
                           str(Path(folder) / "kernel.cubin")], capture_output=True, text=True, check=False)
    seconds, log = time.monotonic() - begin, done.stdout + done.stderr
    if done.returncode != 0:
        refused = [line for line in log.splitlines() if "static assertion failed" in line or "static_assert" in line]
        refused += [line for line in log.splitlines() if "Error" in line and "too much shared data" in line]
        if value is None or not refused:
            errors = [line for line in log.splitlines() if "error" in line]
            fail(f"{args.nvcc}: {(errors or [log[:300]])[0]}")
        return {"value": value, "refused": True, "seconds": seconds}
    found = resources_of(log)
    if "registers" not in found or "value" not in found or (value is not None and found["value"] != value):
        fail(f"expected a kernel for {args.size} {value}, found {found}")
    return {**found, "refused": False, "seconds": seconds}


def spills(found):
    return found["refused"] or found["spill_store_bytes"] + found["spill_load_bytes"] > 0


def largest(low, high, step, try_value):
    """The largest of low, low + step, ..., high for which try_value() is true, if all smaller ones are; None: not even
    low. All values that were tried are those that this asked for."""
    if not try_value(low):
        return None
    good, bad = 0, (high - low) // step + 1
    while bad - good > 1:
        middle = (good + bad) // 2
        if try_value(low + middle * step):
            good = middle
        else:
            bad = middle
    return low + good * step


def search(args, folder):
    step, most = ENGINES[args.engine][args.size]
    shown = measuring.progress()
    shown.show("Dwell's own value")
    own = attempt(args, folder, None)
    tries = {own["value"]: own}

    def free(value):
        shown.show(f"{args.size} {value}")
        if value not in tries:
            tries[value] = attempt(args, folder, value)
        return not spills(tries[value])

    if args.range:
        low, high = args.range
        best = largest(low, high - (high - low) % step, step, free)
    elif spills(own):  # downwards, to the first that does not, or that the engine refuses
        value = own["value"] - step
        while value > 0 and not free(value) and not tries[value]["refused"]:
            value -= step
        best = value if value > 0 and not tries[value]["refused"] else None
    else:
        best = largest(own["value"], most - (most - own["value"]) % step, step, free)
    shown.erase()
    return own["value"], best, [tries[v] for v in sorted(tries)]


def range_of(text):
    low, _, high = text.partition(":")
    if not low.isdigit() or not high.isdigit() or not 0 < int(low) <= int(high):
        raise argparse.ArgumentTypeError(f"expected LOW:HIGH, found '{text}'")
    return int(low), int(high)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("engine", choices=ENGINES)
    words.add_argument("stencil")
    words.add_argument("--precision", choices=TYPES, default="f64")
    words.add_argument("--size", help="which size of the engine (default: the first one)")
    words.add_argument("--range", type=range_of, help="by bisection within it (default: from Dwell's own value)")
    words.add_argument("--arch", default="sm_90a", help="default: %(default)s; without the a, ring2d has no bulk copies")
    words.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc")
    words.add_argument("-o", "--output", help="write JSON")
    args = words.parse_args()
    sizes = ENGINES[args.engine]
    args.size = args.size or next(iter(sizes))
    if args.size not in sizes:
        fail(f"--size: expected one of {', '.join(sizes)}, found '{args.size}'")
    if not (SOURCE / "solvers/stencil/shapes" / f"{args.stencil}.hpp").exists():
        fail(f"expected a file of solvers/stencil/shapes, found '{args.stencil}'")
    if not os.access(args.nvcc, os.X_OK):
        fail(f"--nvcc: expected a program, found '{args.nvcc}'")
    with tempfile.TemporaryDirectory() as folder:
        own, best, tries = search(args, folder)
    print(f"{args.engine} of {args.stencil}, {args.precision}, {args.arch}: {args.size} by Dwell {own}, "
          + (f"largest without spills {best}" if best is not None else "the least that was tried spills") + "\n")
    rows = [[t["value"], *(["refused"] + ["-"] * 3 if t["refused"] else [t["registers"], t["stack_bytes"],
                                                                        t["spill_store_bytes"], t["spill_load_bytes"]]),
             f"{t['seconds']:.0f}"] for t in tries]
    print(table([args.size, "registers", "stack, bytes", "spill stores, bytes", "spill loads, bytes", "s"], rows))
    if args.output:
        measuring.write_json(args.output, {"engine": args.engine, "stencil": args.stencil, "precision": args.precision,
                                           "arch": args.arch, "size": args.size, "own": own, "largest": best,
                                           "tries": tries})


if __name__ == "__main__":
    sys.exit(main())
