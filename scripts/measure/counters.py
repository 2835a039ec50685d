#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counters of Dwell's kernels by Nsight Compute: hit rates, bytes by memory, occupancy, resources, pipes, clock.

  measure/counters.py path/to/dwell [--ncu ncu] [--cases 2d5pt:4096x4096,cg:like:ecology2] [--power] [-o counters.json]

Each case is a stencil with a size, or cg with a matrix, under the executors of --runs: 'dwell stencil' or 'dwell cg'
is run under ncu, which repeats each kernel for its groups of counters, with the clock as it is
(--clock-control none). Kernels of host-loop, which graph launches too, are taken from the middle of a run; those of
persistent and perks are the whole run, of few steps. Metrics that this ncu or device does not have are left out with
a note. --power runs each stencil once more by itself, for about two seconds, while nvidia-smi samples clock and power.
Needs the permission to read counters. Exit code 1: a run failed.
"""
import argparse
import csv
import io
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import measuring
from measuring import fail, table

# Each quantity with its metrics, of which the first that exists is taken.
METRICS = {
    "seconds": ["gpu__time_duration.sum"],
    "sm_hz": ["sm__cycles_elapsed.avg.per_second", "smsp__cycles_elapsed.avg.per_second"],
    "sm_cycles": ["sm__cycles_elapsed.max"],
    "registers": ["launch__registers_per_thread"],
    "shared_bytes": ["launch__shared_mem_per_block", "launch__shared_mem_per_block_dynamic"],
    "block": ["launch__block_size"],
    "grid": ["launch__grid_size"],
    "occupancy": ["sm__warps_active.avg.pct_of_peak_sustained_active"],
    "l1_hit": ["l1tex__t_sector_hit_rate.pct"],
    "l2_hit": ["lts__t_sector_hit_rate.pct"],
    "l1_bytes": ["l1tex__t_bytes.sum"],
    "l2_bytes": ["lts__t_bytes.sum"],
    "device_read_bytes": ["dram__bytes_read.sum"],
    "device_write_bytes": ["dram__bytes_write.sum"],
    "shared_wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"],
    "shared_pipe": ["l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_elapsed",
                    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum.pct_of_peak_sustained_elapsed"],
    "fp64_pipe": ["sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active",
                  "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active"],
    "issue": ["sm__inst_issued.avg.pct_of_peak_sustained_active", "sm__issue_active.avg.pct_of_peak_sustained_elapsed"],
}
SUMS = {"seconds", "sm_cycles", "l1_bytes", "l2_bytes", "device_read_bytes", "device_write_bytes", "shared_wavefronts"}
WAVEFRONT = 128  # bytes that shared memory hands over in one

RUNS = {"stencil": ["host-loop", "persistent", "perks:shared", "perks:registers", "perks:auto", "temporal"],
        "cg": ["host-loop", "persistent", "perks:none", "perks:vectors", "perks:matrix", "perks:mixed", "perks:greedy"]}
CASES = ["2d5pt:1024x1024", "2d5pt:2816x2400", "2d5pt:8192x8192", "3d7pt:128x192x192", "3d7pt:256x288x256",
         "cg:like:thermomech_dM", "cg:like:ecology2", "cg:like:hood"]
PHASES = 3  # phases of an iteration of variant textbook
# Kernels of a run; of those that are launched again and again, so many at first that are left out, and how many then.
KERNELS = {("stencil", "host-loop"): ("step_kernel", 6, 4), ("stencil", "persistent"): ("loop_kernel", 0, 1),
           ("stencil", "perks"): ("perks_kernel|dataflow_kernel|loop_kernel", 0, 1),
           ("stencil", "temporal"): ("ring_kernel|column_kernel|queue_kernel", 1, 1),
           ("cg", "host-loop"): ("phase_kernel", 9, 9), ("cg", "persistent"): ("run_kernel", 0, 1),
           ("cg", "perks"): ("run_kernel", 0, 1)}


def base_name(metric):
    return metric.split(".")[0]


def known_metrics(ncu):
    """Base names of the metrics that ncu has for the device here; empty if it does not say."""
    names = set()
    for more in ([], ["--query-metrics-collection", "launch"]):
        done = subprocess.run([ncu, "--query-metrics", *more], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            names |= set(re.findall(r"^\s*((?:[a-z0-9]+__)\w+)", done.stdout, re.MULTILINE))
    return names


def metrics_to_take(known):
    """The first metric of each quantity that exists, in METRICS' order; and the quantities that have none. Where ncu
    lists no metric of launches, which it always has, those are taken as they are."""
    taken, missing = {}, []
    listed = {base_name(m).split("__")[0] for m in known}
    for quantity, choices in METRICS.items():
        there = [m for m in choices if not known or base_name(m) in known
                 or (base_name(m).split("__")[0] == "launch" and "launch" not in listed)]
        if there:
            taken[quantity] = there[0]
        else:
            missing.append(quantity)
    return taken, missing


def rows_of_ncu(text):
    """Rows of 'ncu --csv --page raw': after lines that begin with ==, names, units, then a row for each kernel. Each is a
    dictionary; numbers have no thousands' separators, and are in base units (bytes, seconds, hertz)."""
    lines = text.splitlines()
    begin = next((k for k, line in enumerate(lines) if line.startswith('"ID"')), None)
    if begin is None:
        return []
    names, *rows = csv.reader(io.StringIO("\n".join(l for l in lines[begin:] if l.startswith('"'))))
    if "Metric Name" in names:  # a row for each metric, as other pages have them
        kernels = {}
        for row in rows:
            one = dict(zip(names, row))
            kernel = kernels.setdefault(one["ID"], {"Kernel Name": one["Kernel Name"]})
            kernel[one["Metric Name"]] = in_base_unit(one["Metric Value"], one["Metric Unit"])
        return list(kernels.values())
    units, *rows = rows
    return [{name: in_base_unit(value, unit) for name, unit, value in zip(names, units, row)} for row in rows]


PREFIX = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "K": 1e3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}


def in_base_unit(value, unit):
    try:
        number = float(value.replace(",", ""))
    except ValueError:
        return value
    if not math.isfinite(number):
        return value
    unit = unit.split("/")[0] if unit.endswith(("/block", "/thread")) else unit
    scaled = re.fullmatch(r"([numKkMGT])(byte|second|s|hz|Hz|cycle/second)", unit)
    if scaled:
        return number * PREFIX[scaled[1]]
    if re.fullmatch(r"cycle/(n|u)second", unit):
        return number / PREFIX[unit[6]]
    return number


def quantities_of(rows, taken):
    """Sums over kernels, or means by their time, of the quantities that were taken."""
    out = {"kernels": len(rows)}
    times = [r.get(taken.get("seconds"), 1.0) for r in rows]
    for quantity, metric in taken.items():
        values = [r.get(metric) for r in rows]
        if any(not isinstance(v, float) for v in values):
            out[quantity] = None
        elif quantity in SUMS:
            out[quantity] = sum(values)
        else:
            out[quantity] = sum(v * t for v, t in zip(values, times)) / sum(times)
    return out


class case:
    """What is run: kind, what (stencil or matrix), size, executor, policy."""

    def __init__(self, text, run):
        self.text, self.run = text, run
        first, _, rest = text.partition(":")
        self.kind = "cg" if first == "cg" else "stencil"
        self.what, self.size = (rest, None) if self.kind == "cg" else (first, rest)
        self.executor, _, self.policy = run.partition(":")
        if not rest or (self.kind, self.executor) not in KERNELS:
            fail(f"expected STENCIL:SIZE or cg:MATRIX, and an executor among "
                 f"{', '.join(e for k, e in KERNELS if k == self.kind)}; found '{text}' and '{run}'")

    def command(self, dwell, precision, steps, report):
        """The call of dwell; report: a file for its JSON, or - for standard output."""
        if self.kind == "stencil":
            head = [dwell, "stencil", self.what, "--size", self.size, "--steps", str(steps)]
        else:
            # a tolerance that is out of reach
            head = [dwell, "cg", self.what, "--rtol", "1e-30", "--max-iterations", str(steps), "--variant", "textbook"]
        return head + ["--device", "cuda", "--executor", self.executor, "--precision", precision, "-q", "--json", report,
                       *(["--policy", self.policy] if self.policy else [])]


def covered(one, report, kernels):
    """Steps or iterations that the counted kernels make together."""
    if one.executor == "host-loop":
        return kernels if one.kind == "stencil" else kernels / PHASES
    if one.executor == "temporal":
        return report["plan"]["steps_per_pass"] * kernels
    return report["steps" if one.kind == "stencil" else "iterations"]


def profile(args, one, taken, folder):
    """Runs dwell under ncu; metrics that ncu refuses are taken out and noted. None with a reason if dwell refuses."""
    report, log = Path(folder) / "report.json", Path(folder) / "ncu.csv"
    kernels, skip, count = KERNELS[one.kind, one.executor]
    while True:
        for file in (report, log):
            file.unlink(missing_ok=True)
        command = [args.ncu, "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none", "--metrics",
                   ",".join(taken.values()), "--kernel-name", f"regex:{kernels}", "--launch-skip", str(skip),
                   "--launch-count", str(count), "--log-file", str(log),
                   *one.command(args.dwell, args.precision, args.steps, str(report))]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=args.timeout)
        said = (log.read_text(encoding="utf-8", errors="replace") if log.exists() else "") + done.stdout + done.stderr
        unknown = re.findall(r"Failed to find metric[: ]+'?([\w.]+)", said)
        gone = [q for q, m in taken.items() if m in unknown]
        if gone:
            for quantity in gone:
                print(f"counters: ncu does not have {taken.pop(quantity)}: no {quantity}", file=sys.stderr)
            continue
        if "ERR_NVGPUCTRPERM" in said:
            fail("ncu: no permission to read counters (ERR_NVGPUCTRPERM)")
        rows = rows_of_ncu(said)
        if not rows or not report.exists():
            refusal = [line for line in done.stderr.splitlines() + said.splitlines() if line.startswith(("dwell", "==ERROR=="))]
            return None, (refusal or [f"ncu: exit code {done.returncode}, no kernel {kernels}"])[0]
        return rows, json.loads(report.read_text(encoding="utf-8"))


def measure(args, one, taken, folder):
    rows, report = profile(args, one, taken, folder)
    row = {"case": one.text, "executor": one.executor, "policy": one.policy or None}
    if rows is None:
        return {**row, "refusal": report}
    row.update(quantities_of(rows, taken), refusal=None, kernel=re.split(r"[<(]", str(rows[0].get("Kernel Name", "")))[0])
    steps = covered(one, report, len(rows))
    cells = 1
    if one.kind == "stencil":
        for n in one.size.split("x"):
            cells *= int(n)
    row.update(steps=steps, cells=cells if one.kind == "stencil" else None,
               engine=report["plan"].get("engine") if "plan" in report else None)
    for quantity in ("l1", "l2", "device", "shared"):
        row[f"{quantity}_bytes_per_step"] = bytes_of(row, quantity) / steps if bytes_of(row, quantity) is not None else None
    return row


def bytes_of(row, memory):
    if memory == "device":
        both = (row.get("device_read_bytes"), row.get("device_write_bytes"))
        return None if None in both else sum(both)
    if memory == "shared":
        waves = row.get("shared_wavefronts")
        return None if waves is None else waves * WAVEFRONT
    return row.get(f"{memory}_bytes")


def settled(samples):
    """The median of those within a fifth of the largest: a run has a beginning and an end."""
    return measuring.median([s for s in samples if s >= 0.8 * max(samples)]) if samples else None


def samples_of(text):
    """[(hertz, watts)] of 'nvidia-smi --query-gpu=clocks.sm,power.draw --format=csv'."""
    return [(float(c) * 1e6, float(w)) for c, w in re.findall(r"(\d+) MHz, ([\d.]+) W", text)]


def sample_power(args, one):
    """Clock and power while dwell runs for about --seconds."""
    def run(steps):
        done = subprocess.run(one.command(args.dwell, args.precision, steps, "-"), capture_output=True, text=True, check=False)
        return json.loads(done.stdout) if done.returncode == 0 else None

    first = run(200)
    if first is None:
        return {}
    each = first["time"]["solve_s"] / 200
    sampler = subprocess.Popen([args.nvidia_smi, "--query-gpu=clocks.sm,power.draw", "--format=csv", "-i", "0", "-lms", "50"],
                               stdout=subprocess.PIPE, text=True)
    try:
        time.sleep(0.2)
        run(max(200, round(args.seconds / each)))
    finally:
        sampler.terminate()
        samples = samples_of(sampler.communicate()[0])
    return {"watts": settled([w for _, w in samples]), "clock_under_load_hz": settled([c for c, _ in samples]),
            "samples": len(samples)}


def scaled(value, factor, digits=3):
    return "-" if value is None else f"{value * factor:.{digits}g}"


def text_of(rows, power):
    heads = ["case:", "executor:", "kernel:", "kernels", "us", "GHz", "registers", "shared, KiB", "occupancy, %", "L1 hits, %",
             "L2 hits, %", "shared", "L1", "L2", "device", "FP64 pipe, %", "shared pipe, %"] + (["W", "GHz then"] if power else [])
    lines = []
    for r in rows:
        name = r["executor"] + (f" {r['policy']}" if r["policy"] else "")
        if r["refusal"]:
            continue
        per = r["cells"] or 1
        factor = 1 / per if r["cells"] else 1e-6
        lines.append([r["case"], name, r["kernel"], r["kernels"], scaled(r.get("seconds"), 1e6, 4), scaled(r.get("sm_hz"), 1e-9),
                      scaled(r.get("registers"), 1), scaled(r.get("shared_bytes"), 1 / 1024),
                      *(scaled(r.get(q), 1) for q in ("occupancy", "l1_hit", "l2_hit")),
                      *(scaled(r[f"{m}_bytes_per_step"], factor) for m in ("shared", "l1", "l2", "device")),
                      scaled(r.get("fp64_pipe"), 1), scaled(r.get("shared_pipe"), 1),
                      *([scaled(r.get("watts"), 1), scaled(r.get("clock_under_load_hz"), 1e-9)] if power else [])])
    text = table(heads, lines) + "\n\nshared, L1, L2, device: bytes of a cell and step; of cg, MB of an iteration"
    return text + "".join(f"\n{r['case']}, {r['executor']} {r['policy'] or ''}: {r['refusal']}" for r in rows if r["refusal"])


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("dwell")
    words.add_argument("--ncu", default=shutil.which("ncu") or "/usr/local/cuda/bin/ncu")
    words.add_argument("--nvidia-smi", default="nvidia-smi")
    words.add_argument("--cases", type=measuring.words, default=CASES, help="STENCIL:SIZE or cg:MATRIX, with commas between")
    words.add_argument("--runs", type=measuring.words, help="EXECUTOR or perks:POLICY (default: all, by kind of case)")
    words.add_argument("--precision", choices=("f64", "f32"), default="f64")
    words.add_argument("--steps", type=int, default=48, help="of a run, or iterations (default: %(default)s)")
    words.add_argument("--timeout", type=float, default=120, help="seconds of a run under ncu (default: %(default)s)")
    words.add_argument("--power", action="store_true", help="sample clock and power of stencils, too")
    words.add_argument("--seconds", type=float, default=2, help="of a run whose power is sampled (default: %(default)s)")
    words.add_argument("-o", "--output", help="write JSON")
    args = words.parse_args()
    if args.steps < 48:
        fail("--steps: expected at least 48, two passes of temporal")
    if not shutil.which(args.ncu):
        fail(f"--ncu: expected a program, found '{args.ncu}'")
    todo = [case(text, run) for text in args.cases for run in args.runs or RUNS["cg" if text.startswith("cg:") else "stencil"]]
    taken, missing = metrics_to_take(known_metrics(args.ncu))
    for quantity in missing:
        print(f"counters: ncu has none of {', '.join(METRICS[quantity])}: no {quantity}", file=sys.stderr)
    shown, rows = measuring.progress(), []
    with tempfile.TemporaryDirectory() as folder:
        for k, one in enumerate(todo):
            shown.show(f"{one.text} {one.run} ({k + 1} of {len(todo)})")
            row = measure(args, one, taken, folder)
            if args.power and one.kind == "stencil" and not row["refusal"]:
                row.update(sample_power(args, one))
            rows.append(row)
    shown.erase()
    print(text_of(rows, args.power))
    if args.output:
        measuring.write_json(args.output, {"precision": args.precision, "steps": args.steps, "metrics": taken, "rows": rows})
    if all(r["refusal"] for r in rows):
        fail("no case could be measured")


if __name__ == "__main__":
    sys.exit(main())
