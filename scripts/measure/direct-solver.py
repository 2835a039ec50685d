#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Method direct against method auto, and the advice of 'dwell explain solve' against both.

Each system of at most --rows rows is solved by 'dwell solve' with --solver auto and --solver direct in turn: real matrices
of a folder, and systems that 'dwell generate' makes; b = A ones, rtol 1e-8, one thread. A time is set-up, solve and the last
residual; of the repetitions the least is taken, for other work can only add to it, and where they take 5 ms and more the
processor seconds of the command, less those of one that does not iterate, if these are less. Beside it the fill that
'dwell explain solve' counts, what it projects and whether it advises a direct solver. The advice is right where it names the
faster one; where one of both takes at most --close times the other no advice is wrong.

With --before PROGRAM, an earlier program, the table has the systems alone on which method auto counted the fill, and its time
by that program, in turns with that by the present one, beside it.

  scripts/measure/direct-solver.py build/cpu/apps/dwell/dwell --matrices $DWELL_MATRICES --generated poisson2d:100x100

The table is for the reader; code 1: less than nine of ten pieces of advice are right.
"""
import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path

from measuring import fail, progress, table, write_json


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def document(args, command, system, *more, program=None):
    """What a command says of a system, as a dict, and its processor seconds, or None where it took more than --most seconds
    or was refused."""
    begin = processor_seconds()
    line = [program or args.dwell, *command, system, "--device", "cpu", "--threads", "1", "--json", "-", *more]
    try:
        done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=args.most)
    except subprocess.TimeoutExpired:
        return None, 0
    return json.loads(done.stdout) if done.stdout.startswith("{") else None, processor_seconds() - begin


def seconds_of(args, system, solver, programs):
    """The least of the repetitions of each program, in turns, and its last document; no more where they take long."""
    least, found = [None] * len(programs), [None] * len(programs)
    idle = [min(document(args, ["solve"], system, "--preconditioner", "none", "--max-iterations", "1", program=p)[1] for _ in range(3))
            for p in programs]
    for _ in range(args.repetitions):
        for k, program in enumerate(programs):
            found[k], used = document(args, ["solve"], system, "--solver", solver, program=program)
            if found[k] is None:
                return [None] * len(programs), [None] * len(programs)
            time = found[k]["time"]
            one = time["setup_s"] + time["solve_s"] + time["finish_s"]
            if used - idle[k] > 5e-3:
                one = min(one, used - idle[k])
            least[k] = one if least[k] is None else min(least[k], one)
        if max(least) > args.most / 10:
            break
    return least, found


def measure(args, name, system):
    explained, _ = document(args, ["explain", "solve"], system)
    if explained is None:
        return None
    prospect = explained["direct"]
    row = {"name": name, "rows": explained["matrix"]["rows"], "nonzeros": explained["matrix"]["nonzeros"],
           "factors": prospect["factors"]["nonzeros"], "projected_s": prospect["projected_s"],
           "advised": prospect["sooner"], "reason": prospect["reason"]}
    if row["rows"] > args.rows:
        return None
    if args.before and document(args, ["solve"], system)[0]["time"]["setup"]["analyse_s"] == 0:
        return None
    for solver in ("auto", "direct"):
        programs = [args.dwell, *([args.before] if args.before and solver == "auto" else [])]
        (row[solver], *before), (found, *_) = seconds_of(args, system, solver, programs)
        if before:
            row["before"] = before[0]
        row[solver + "_stopped"] = found["stop_reason"] if found else None
        if found:
            row[solver + "_took"] = f"{found['solver']}, {found['iterations']}" if solver == "auto" else found["variant"]
    solved = {s: row[s] if row[s + "_stopped"] == "converged" else float("inf") for s in ("auto", "direct")}
    row["sooner"] = solved["direct"] < solved["auto"]
    ratio = solved["auto"] / solved["direct"] if solved["direct"] < float("inf") else 0.0
    row["close"] = 1 / args.close <= ratio <= args.close
    row["right"] = row["close"] or row["sooner"] == row["advised"]
    return row


def text_of(rows):
    def milliseconds(row, solver):
        if row[solver] is None:
            return "too long"
        return f"{1e3 * row[solver]:.3g}" + ("" if row[solver + "_stopped"] == "converged" else f" ({row[solver + '_stopped']})")

    def ratio(row):
        return f"{row['auto'] / row['direct']:.2g}" if row["auto"] and row["direct"] else "-"

    def before(row):
        return [f"{1e3 * row['before']:.3g}", f"{row['before'] / row['auto']:.2g}"] if "before" in row else []

    return table(["system:", "rows", "nonzeros", "of the factors", *(["before ms", "before / auto"] if "before" in rows[0] else []),
                  "auto ms", "method, iterations:", "direct ms", "factors:",
                  "auto / direct", "projected ms", "advised:", "right:"],
                 [[r["name"], f"{r['rows']:,}", f"{r['nonzeros']:,}", f"{r['factors']:,.0f}", *before(r), milliseconds(r, "auto"),
                   r.get("auto_took", "-"), milliseconds(r, "direct"), r.get("direct_took", "-"), ratio(r),
                   f"{1e3 * r['projected_s']:.3g}", "direct" if r["advised"] else "auto",
                   "close" if r["close"] else "yes" if r["right"] else "NO"] for r in rows])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dwell", help="the program")
    parser.add_argument("--generated", nargs="+", default=[], help="systems that 'dwell generate' makes, as poisson2d:100x100")
    parser.add_argument("--matrices", help="a folder of Matrix Market and .dwell files")
    parser.add_argument("--before", help="an earlier program")
    parser.add_argument("--rows", type=int, default=50000, help="at most (default: %(default)d)")
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--close", type=float, default=1.25, help="a factor of times (default: %(default)g)")
    parser.add_argument("--most", type=float, default=60, help="seconds of a command (default: %(default)g)")
    parser.add_argument("-o", "--output", help="write JSON")
    args = parser.parse_args()
    cases = [(p.name.split(".")[0], str(p)) for p in sorted(Path(args.matrices).iterdir())
             if ".mtx" in p.name or p.suffix == ".dwell"] if args.matrices else []
    cases += [(name, name) for name in args.generated]
    shown, rows = progress(), []
    for name, system in cases:
        shown.show(name)
        row = measure(args, name, system)
        if row:
            rows.append(row)
        if args.output:
            write_json(args.output, {"systems": rows})
    shown.erase()
    if not rows:
        fail("no systems: expected --matrices, or some to generate")
    right = sum(r["right"] for r in rows)
    print(text_of(rows))
    print(f"\nThe advice is right in {right} of {len(rows)} systems, {sum(r['close'] for r in rows)} of them close.")
    return int(10 * right < 9 * len(rows))


if __name__ == "__main__":
    sys.exit(main())
