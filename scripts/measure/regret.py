#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How far is what the planner takes from the best that was measured?

  measure/regret.py path/to/dwell [--part stencil|cg] [--device cuda] [-o regret.json]

Regret is the time of what was taken over the time of the best, less one.

Part stencil: cases of a shape, a precision and a size that nobody has chosen. 'dwell compare stencil'
measures the executors, 'dwell explain stencil' says which of them '--executor auto' takes. Beside the
regret, the model: the projected rate PP against the measured one M, by executor and by shape.

Part cg: the matrices of a folder and the stand-ins. 'dwell compare cg' measures the executors, and perks
with several policies: what a policy loses against policy 'measured', which tries the plans of the
others, and against the best of all executors.

The table is for the reader: speed decides no exit code. Code 1: a run failed, or fields differ from host-loop's.
"""
import argparse
import concurrent.futures
import math
import os
import random
import sys
from pathlib import Path

import measuring
from measuring import dwell, fail, median, percent, quantile, table

NEAR = 0.05
STAND_INS = ("Muu crystm02 finan512 cbuckle ecology2 tmt_sym thermomech_dM consph crankseg_1 bmwcra_1 hood BenElechi1 "
             "crankseg_2 af_1_k101").split()


def cases_of(shapes, precisions, count, seed, smallest, largest):
    """Shapes and precisions in turn, cells and ratios of the axes at random; every second width is a multiple of 32."""
    source = random.Random(seed)
    names = list(shapes)
    for k in range(count):
        dims = shapes[names[k % len(names)]]
        cells = math.exp(source.uniform(math.log(smallest), math.log(largest)))
        ratios = [math.exp(source.uniform(-0.7, 0.7)) for _ in range(dims - 1)]
        width = (cells / math.prod(ratios)) ** (1 / dims)
        axes = [max(8, round(width * r)) for r in ratios] + [max(32, round(width / 32) * 32) if k % 2 else round(width)]
        yield {"stencil": names[k % len(names)], "precision": precisions[k // len(names) % len(precisions)],
               "size": "x".join(map(str, axes)), "cells": math.prod(axes)}


def batches_of(cases, steps, seed):
    """Cases that one call of dwell measures, in an order that leaves out none in particular if time is up."""
    groups = {}
    for case in cases:
        case["steps"] = steps or measuring.steps_for(case["cells"])
        groups.setdefault((case["stencil"], case["precision"], case["steps"]), []).append(case)
    batches = list(groups.values())
    random.Random(seed).shuffle(batches)
    return batches


def ask_what_is_taken(args, cases):
    """Plans are made side by side: nothing is timed."""
    def ask(case):
        found = dwell(args.dwell, "explain", "stencil", case["stencil"], "--size", case["size"], "--precision",
                      case["precision"], "--device", args.device, "--json", "-")
        case["auto"], case["reason"] = found["executor"], found["executor_reason"]
    with concurrent.futures.ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        list(pool.map(ask, cases))


def model_error(projected, measured):
    """|PP - M| / M; None where there is no projection."""
    return abs(projected - measured) / measured if projected else None


def measure_batch(args, executors, cases):
    first = cases[0]
    found = dwell(args.dwell, "compare", "stencil", first["stencil"], "--size", ",".join(c["size"] for c in cases),
                  "--device", args.device, "--precision", first["precision"], "--executors", ",".join(executors),
                  "--steps", first["steps"], "--repetitions", args.repetitions, "--format", "json")
    if found["interrupted"]:
        fail("interrupted")
    for entry, case in zip(found["stencils"], cases):
        if entry["refusal"] or entry["size"] != case["size"]:
            fail(f"{case['stencil']} {case['size']}: {entry['refusal'] or 'expected, found ' + entry['size']}")
        case["executors"] = {
            r["executor"]: {"us": r["time"]["per_step_us"]["median"], "cells_per_s": r["cells_per_s"],
                            "attainable_cells_per_s": r["attainable_cells_per_s"],
                            "projected_cells_per_s": r["projected_cells_per_s"],
                            "model_error": model_error(r["projected_cells_per_s"], r["cells_per_s"])}
            for r in entry["runs"] if r["outcome"] == "measured" and r["executor"] in executors}
        judge(case)
    return found["device"]["name"]


def judge(case):
    """Adds the best of what was measured, and what is lost by what was taken."""
    us = {name: e["us"] for name, e in case["executors"].items()}
    if case["auto"] not in us:
        fail(f"{case['stencil']} {case['size']}: auto takes {case['auto']}, which --executors does not measure")
    case["best"] = min(us, key=us.get)
    case["regret"] = us[case["auto"]] / us[case["best"]] - 1


def distribution(regrets):
    """Figures of a list of regrets that is not empty."""
    return {"cases": len(regrets), "median": median(regrets), "p90": quantile(regrets, 0.9),
            "p95": quantile(regrets, 0.95), "max": max(regrets),
            "near": sum(r <= NEAR for r in regrets) / len(regrets), "best": sum(r == 0 for r in regrets) / len(regrets)}


def distribution_row(name, regrets):
    d = distribution(regrets)
    return [name, d["cases"], *(percent(d[k]) for k in ("median", "p90", "p95", "max", "near", "best"))]


DISTRIBUTION = ["of:", "cases", "median", "90 %", "95 %", "max", f"within {NEAR:.0%}", "the best"]


def grouped(rows, key):
    groups = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return groups


def stencil_text(rows):
    groups = {"all": rows, **grouped(rows, lambda c: c["precision"]), **grouped(rows, lambda c: c["stencil"])}
    parts = ["Regret of what auto takes\n", table(DISTRIBUTION, [distribution_row(name, [c["regret"] for c in part])
                                                                 for name, part in groups.items()])]
    executors = sorted({e for c in rows for e in c["executors"]})
    counts = {(a, b): sum(c["auto"] == a and c["best"] == b for c in rows) for a in executors for b in executors}
    parts += ["\nWhat auto takes (down) and what is the best (across)\n",
              table(["takes:", *executors], [[a, *(counts[a, b] for b in executors)] for a in executors])]
    worst = sorted(rows, key=lambda c: -c["regret"])[:10]
    parts += ["\nThe worst\n",
              table(["stencil:", "precision:", "size:", "takes:", "us", "best:", "us", "regret"],
                    [[c["stencil"], c["precision"], c["size"], c["auto"], f"{c['executors'][c['auto']]['us']:.3g}",
                      c["best"], f"{c['executors'][c['best']]['us']:.3g}", percent(c["regret"])] for c in worst])]
    return "\n".join(parts + [model_text(rows)])


def model_text(rows):
    """What the model says beside what was measured, of executors with a projection."""
    runs = [(c, name, e) for c in rows for name, e in c["executors"].items() if e["model_error"] is not None]
    if not runs:
        return "\nNo projections here."

    def line(name, part):
        errors = [e["model_error"] for _, _, e in part]
        ratio = [e["cells_per_s"] / e["projected_cells_per_s"] for _, _, e in part]
        of_p = [e["cells_per_s"] / e["attainable_cells_per_s"] for _, _, e in part if e["attainable_cells_per_s"]]
        return [*name, len(part), percent(median(of_p)) if of_p else "-", percent(median(ratio)), percent(median(errors)),
                percent(quantile(errors, 0.9)), percent(max(errors))]

    heads = ["executor:", "stencil:", "runs", "M / P", "M / PP", "|PP - M| / M", "90 %", "max"]
    lines = [line((name, "all"), part) for name, part in grouped(runs, lambda r: r[1]).items()]
    lines += [line(key, part) for key, part in sorted(grouped(runs, lambda r: (r[1], r[0]["stencil"])).items())]
    return "\nProjected (PP) and measured (M) rates: medians\n\n" + table(heads, lines)


def run_stencils(args):
    backend = measuring.backend_of(args.dwell, args.device)
    executors = args.executors or (["graph"] if backend == "cuda" else ["persistent"]) + ["perks", "temporal"]
    shapes = measuring.shapes_of(args.dwell, backend, args.shapes)
    cases = list(cases_of(shapes, args.precisions, args.cases, args.seed, args.smallest, args.largest))
    shown = measuring.progress()
    shown.show("plans")
    ask_what_is_taken(args, cases)
    batches, rows, device = batches_of(cases, args.steps, args.seed), [], ""
    for k, batch in enumerate(batches):
        if shown.seconds() > args.seconds:
            break
        shown.show(f"{batch[0]['stencil']} {batch[0]['precision']}, {len(batch)} sizes ({k + 1} of {len(batches)})")
        device = measure_batch(args, executors, batch)
        rows += batch
    shown.erase()
    if not rows:
        fail(f"--seconds {args.seconds}: nothing was measured")
    left = len(cases) - len(rows)
    print(f"{device}: {len(rows)} cases of {len(shapes)} stencils, seed {args.seed}, in {shown.seconds():.0f} s"
          + (f"; {left} left out: --seconds {args.seconds:g}" if left else "") + "\n")
    print(stencil_text(rows))
    return {"part": "stencil", "device": device, "seed": args.seed, "repetitions": args.repetitions, "left_out": left,
            "regret": distribution([c["regret"] for c in rows]), "cases": rows}


def matrices_of(args):
    files = []
    if args.matrices:
        if not Path(args.matrices).is_dir():
            fail(f"--matrices: expected a folder, found '{args.matrices}'")
        files = sorted(p for p in Path(args.matrices).iterdir() if p.name.endswith((".mtx", ".mtx.gz", ".tar.gz")))
    names = [str(f) for f in files] + [f"like:{name}" for name in args.stand_ins if name != "none"]
    if not names:
        fail("part cg: no matrices: expected files in --matrices, or --stand-ins")
    return names


def label(run):
    """Name of the executor and, for perks, its policy."""
    policy = run["requested"]["policy"]
    return f"{run['executor']} {policy}" if policy else run["executor"]


def judge_system(entry, policies):
    """What each policy of perks loses against policy measured, and against the best of all rows."""
    runs = {label(r): r for r in entry["runs"] if r["outcome"] == "measured"}
    us = {name: r["time"]["per_iteration_us"]["median"] for name, r in runs.items()}
    best = min(us, key=us.get)
    tried = us.get("perks measured")
    row = {"matrix": entry["name"], "rows": entry["rows"], "nonzeros": entry["nonzeros"], "us": us, "best": best,
           "policies": {}}
    for policy in policies:
        name = f"perks {policy}"
        if name not in us:
            continue
        projected = runs[name]["projected_us"]
        row["policies"][policy] = {
            "chosen": runs[name]["policy_chosen"] or runs[name]["policy"],
            "over_measured": us[name] / tried - 1 if tried else None, "over_best": us[name] / us[best] - 1,
            # of rates, as for stencils: PP / M is the measured time over the projected one
            "model_error": model_error(us[name] / projected, 1) if projected else None}
    return row


def cg_text(rows, policies):
    lines, heads = [], ["matrix:", "rows", "nonzeros"]
    for p in policies:
        heads += [f"{p}:", "us"] + ([] if p == "measured" else ["over measured"]) + ["over the best"]
    heads += ["best:", "us", "|PP - M| / M"]
    for r in sorted(rows, key=lambda r: r["nonzeros"]):
        line, error = [r["matrix"], r["rows"], r["nonzeros"]], None
        for p in policies:
            one = r["policies"].get(p)
            if one is None:
                line += ["-"] * (3 if p == "measured" else 4)
                continue
            line += [one["chosen"], f"{r['us']['perks ' + p]:.3g}"]
            line += ([] if p == "measured" else [percent(one["over_measured"])]) + [percent(one["over_best"])]
            error = one["model_error"] if error is None else error
        lines.append([*line, r["best"], f"{r['us'][r['best']]:.3g}", percent(error)])
    text = table(heads, lines) + "\n"
    totals = []
    for p in policies:
        for against in ("over_measured", "over_best"):
            part = [r["policies"][p][against] for r in rows if p in r["policies"]]
            part = [v for v in part if v is not None]
            if part and (p, against) != ("measured", "over_measured"):
                totals.append(distribution_row(f"{p}, {against.replace('_', ' ')}", part))
    return text + "\nRegret (below 0: faster than policy measured, by noise)\n\n" + table(DISTRIBUTION, totals)


def run_cg(args):
    executors = args.executors or ["graph", "persistent", "perks"]
    shown, rows, device = measuring.progress(), [], ""
    names = matrices_of(args)
    for k, name in enumerate(names):
        if shown.seconds() > args.seconds:
            break
        shown.show(f"{name} ({k + 1} of {len(names)})")
        found = dwell(args.dwell, "compare", "cg", name, "--device", args.device, "--precision", args.precisions[0],
                      "--executors", ",".join(executors), "--policies", ",".join(args.policies), "--variants",
                      args.variant, "--no-peers", "--iterations", args.iterations, "--repetitions", args.repetitions,
                      "--format", "json")
        if found["interrupted"]:
            fail("interrupted")
        device = found["device"]["name"]
        for entry in found["matrices"]:
            if entry["refusal"]:
                fail(f"{entry['name']}: {entry['refusal']}")
            rows.append(judge_system(entry, args.policies))
    shown.erase()
    if not rows:
        fail(f"--seconds {args.seconds}: nothing was measured")
    left = len(names) - len(rows)
    print(f"{device}: {len(rows)} matrices, {args.precisions[0]}, variant {args.variant}, {args.iterations} iterations"
          + (f"; {left} left out: --seconds {args.seconds:g}" if left else "") + "\n")
    print(cg_text(rows, args.policies))
    return {"part": "cg", "device": device, "precision": args.precisions[0], "variant": args.variant,
            "iterations": args.iterations, "repetitions": args.repetitions, "left_out": left, "matrices": rows}


def main():
    own = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    own.add_argument("dwell")
    own.add_argument("--part", choices=("stencil", "cg"), default="stencil")
    own.add_argument("--device", default="auto", help="as dwell takes it (default: %(default)s)")
    own.add_argument("--executors", type=measuring.words, help="to measure (default: those that auto chooses from)")
    own.add_argument("--repetitions", type=int, default=3)
    own.add_argument("--seconds", type=float, default=480, help="no measurement begins after these (default: %(default)s)")
    own.add_argument("--precisions", type=measuring.words, default=["f64", "f32"], help="of part cg the first one counts")
    own.add_argument("-o", "--output", help="write JSON")
    of_stencils = own.add_argument_group("part stencil")
    of_stencils.add_argument("--cases", type=int, default=200)
    of_stencils.add_argument("--seed", type=int, default=21)
    of_stencils.add_argument("--shapes", type=measuring.words, help="default: all of the build")
    of_stencils.add_argument("--smallest", type=float, default=1e5, help="cells (default: %(default)g)")
    of_stencils.add_argument("--largest", type=float, default=6e7, help="cells (default: %(default)g)")
    of_stencils.add_argument("--steps", type=int, help="default: by cells, 960 to 144")
    of_cg = own.add_argument_group("part cg")
    of_cg.add_argument("--matrices", default=os.environ.get("DWELL_MATRICES"), help="folder (default: $DWELL_MATRICES)")
    of_cg.add_argument("--stand-ins", type=measuring.words, default=STAND_INS, help="none: none (default: all)")
    of_cg.add_argument("--policies", type=measuring.words, default=["auto", "model", "measured"])
    of_cg.add_argument("--variant", default="auto", help="form of the iteration (default: %(default)s)")
    of_cg.add_argument("--iterations", type=int, default=500)
    args = own.parse_args()
    if args.cases < 1 or args.repetitions < 1 or not 64 <= args.smallest < args.largest:
        fail("--cases and --repetitions: expected at least 1, --smallest: from 64 to less than --largest")
    document = run_stencils(args) if args.part == "stencil" else run_cg(args)
    if args.output:
        measuring.write_json(args.output, document)


if __name__ == "__main__":
    sys.exit(main())
