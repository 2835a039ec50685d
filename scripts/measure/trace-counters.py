#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What 'dwell trace' simulates for steps of a GPU beside what Nsight Compute counts there: reads of device memory; and the
hit rates of L1 and L2 and how busy the GPU is, by the order of cells.

  measure/trace-counters.py path/to/dwell [--cases 3d7pt:32x1024x1024,...] [--orders rows,columns:1024x32] [--l2 36MiB:16]

A step of executor host-loop, cold caches (ncu empties them before each kernel), against the reads of a simulated L2 of
sectors of 32 bytes. Order rows is simulated as the tiles of a step, one after another; other orders, which
permute tiles, as they are. The simulated stores bring their lines, which those of a GPU do not: they are taken off.
The simulations, a process each, run beside the counting; rows are printed one by one, and with --seconds those that do not fit are
left out.
Needs the permission to read counters. Exit code 1: a run failed.
"""
import argparse
import math
import os
import shutil
import subprocess
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import counters
import measuring
from measuring import dwell, fail, median, table

CASES = ["2d5pt:8192x8192", "2d5pt:256x1048576", "3d7pt:32x1024x1024", "3d7pt:128x512x512"]
ORDERS = {2: ["rows", "columns:4096"], 3: ["rows", "columns:1024x32"]}
READS, FROM_L1 = "dram__bytes_read.sum", "lts__t_sectors_srcunit_tex_op_read.sum"
# Columns of their own: the quantities of counters.py, and the share of device memory's rate.
HEADS = ["case:", "order:", "once, MB", "simulated", "counted", "simulated / counted", "L1 to L2", "L1 hits, %", "L2 hits, %",
         "device memory, %", "warps, %", "us"]
ALSO = {**{name: counters.METRICS[name][0] for name in ("l1_hit", "l2_hit", "occupancy", "seconds")},
        "device_busy": "dram__throughput.avg.pct_of_peak_sustained_elapsed"}
SECTOR, CELL = 32, 8  # bytes
SKIP, COUNT = 6, 4  # launches left out, and counted


def counted(args, shape, size, order, folder, end):
    """Bytes read from device memory in a step, sectors that L1 asked L2 for, and what ALSO names; medians of steps. None: the
    run had not ended at the time end."""
    log = Path(folder) / "ncu.csv"
    log.unlink(missing_ok=True)
    command = [args.ncu, "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--cache-control", "all",
               "--metrics", ",".join([READS, FROM_L1, *ALSO.values()]), "--kernel-name", "regex:step_kernel", "--launch-skip", str(SKIP),
               "--launch-count", str(COUNT), "--log-file", str(log), args.dwell, "stencil", shape, "--size", size,
               "--steps", "12", "--device", "cuda", "--executor", "host-loop", "--order", order, "-q"]
    limit = min(args.timeout, end - time.monotonic())
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=max(limit, 0))
    except subprocess.TimeoutExpired:
        if limit < args.timeout:
            return None
        fail(f"{shape} {size} {order}: not ended after {args.timeout:g} s under ncu")
    said = (log.read_text(encoding="utf-8", errors="replace") if log.exists() else "") + done.stdout + done.stderr
    if "ERR_NVGPUCTRPERM" in said:
        fail("ncu: no permission to read counters (ERR_NVGPUCTRPERM)")
    rows = counters.rows_of_ncu(said)
    if not rows or done.returncode != 0:
        fail(f"{shape} {size} {order}: {(done.stderr.splitlines() + said.splitlines() or ['ncu said nothing'])[-1]}")
    return {name: median([r[metric] for r in rows]) for name, metric in {"read": READS, "sectors": FROM_L1, **ALSO}.items()}


def simulated(args, shape, size, order):
    """Bytes that a simulated L2 reads, less those that stores bring, and those of all cells."""
    found = dwell(args.dwell, "trace", shape, "--size", size, "--cache", args.l2, "--line", SECTOR, "--orders", order, "--writes",
                  "--json", "-")
    cells, tasks = (math.prod(map(int, found["subject"][k].split("x"))) for k in ("size", "tasks"))
    return found["orders"][0]["fetches"] * SECTOR - tasks * CELL, cells * CELL


def order_of_tiles(args, size, order):
    """What 'dwell trace' is asked for: rows are the tiles of a step, one after another."""
    return f"tiles:{args.tiles[size.count('x') - 1]}" if order == "rows" else order


def cells_of(row):
    """A row of the table."""
    return [row["case"], row["order"], *(f"{row[k] / 1e6:.1f}" for k in ("once_bytes", "simulated_bytes", "counted_bytes")),
            f"{row['simulated_bytes'] / row['counted_bytes']:.3f}", f"{row['from_l1_bytes'] / 1e6:.1f}",
            *(f"{row[k]:.1f}" for k in ("l1_hit", "l2_hit", "device_busy", "occupancy")), f"{row['seconds'] * 1e6:.1f}"]


def measured(args, wanted, end):
    """Rows of the table, each printed when it is there."""
    rows = []
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(args.jobs) as pool:
        simulations = [pool.submit(simulated, args, shape, size, order_of_tiles(args, size, order)) for shape, size, order in wanted]
        try:
            for (shape, size, order), simulation in zip(wanted, simulations):
                found = counted(args, shape, size, order, folder, end) if time.monotonic() <= end else None
                if found is None:
                    simulation.cancel()
                    continue
                lines, once = simulation.result()
                rows.append({"case": f"{shape}:{size}", "order": order, "once_bytes": once, "simulated_bytes": lines,
                             "counted_bytes": found["read"], "from_l1_bytes": found["sectors"] * SECTOR,
                             **{name: found[name] for name in ALSO}})
                print("\n".join(table(HEADS, [cells_of(rows[-1])]).splitlines()[0 if len(rows) == 1 else 2:]), flush=True)
        finally:  # where a run failed, simulations that have not begun are left
            pool.shutdown(wait=False, cancel_futures=True)
    return rows


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("dwell")
    words.add_argument("--ncu", default=shutil.which("ncu") or "/usr/local/cuda/bin/ncu")
    words.add_argument("--cases", type=measuring.words, default=CASES, help="STENCIL:SIZE, with commas between")
    words.add_argument("--orders", type=measuring.words, help="as of 'dwell stencil --order' (default: rows, and columns)")
    words.add_argument("--tiles", type=measuring.words, default=["128x32", "128x8x8"],
                       help="cells of a block of a step, in two and in three dimensions (default: %(default)s, of f64)")
    words.add_argument("--l2", default="36MiB:16", help="the simulated cache (default: %(default)s, what an H100 has of its "
                       "50 MB for data that all of it reads)")
    words.add_argument("--timeout", type=float, default=120, help="seconds of a run under ncu (default: %(default)s)")
    words.add_argument("--seconds", type=float, help="no new row after so many seconds (default: all rows)")
    words.add_argument("--jobs", type=int, default=min(8, os.cpu_count() or 1), help="simulations at once (default: %(default)s)")
    words.add_argument("-o", "--output", help="write JSON")
    args = words.parse_args()
    if args.jobs < 1:
        fail(f"--jobs: expected 1 or more, found {args.jobs}")
    if not shutil.which(args.ncu):
        fail(f"--ncu: expected a program, found '{args.ncu}'")
    end = math.inf if args.seconds is None else time.monotonic() + args.seconds
    wanted = [(text.partition(":")[0], text.partition(":")[2], order)
              for text in args.cases for order in args.orders or ORDERS[text.count("x") + 1]]
    rows = measured(args, wanted, end)
    if len(rows) < len(wanted):
        print(f"{len(wanted) - len(rows)} of {len(wanted)} rows left out after {args.seconds:g} s")
    if args.output:
        measuring.write_json(args.output, {"l2": args.l2, "left_out": len(wanted) - len(rows), "rows": rows})


if __name__ == "__main__":
    main()
