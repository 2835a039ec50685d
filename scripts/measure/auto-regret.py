#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How far is preconditioner auto from the best that could have been asked for?

Each system is solved by 'dwell solve' with --solver cg, with each preconditioner and with auto: real matrices of a folder,
and systems of multigrid_systems.py with so many rows, as they are numbered and in a random order; b = A ones, rtol 1e-8.
With --convection in place of all these those of convection_systems.py, by --solver bicgstab or gmres (default: auto), with --further those of
further_systems.py.
A time is set-up, iterations and the last residual, of the repetition with the least, the preconditioners in turn; beside it
the iterations. `--clock processor` counts processor seconds of the command in its place, less those of a run of one
iteration without any (and SciPy's of its solve): on a machine that does other work these say more. `--clock composed` sums set-ups and iterations of all attempts
in its place, each at the least time that it took with that preconditioner by name, so that equal work takes equal time. With --device cuda, and "python" for the command, systems
are solved by the Python package dwell in one process, each once before what counts, since kernels may be compiled then. With --scipy also
by SciPy: Bi-CGSTAB and GMRES(30) with incomplete factors of SuperLU, of the matrix's size and, as SciPy has them where nothing is said, of up
to ten times that; factors, products and the last residual count. Regret is the
time of auto over the best of the others that met the tolerance, less one; where none met it the system does not count. LOST says that auto failed where another one met the
tolerance. Needs numpy and scipy.

  scripts/measure/auto-regret.py build/cpu/apps/dwell/dwell --matrices $DWELL_MATRICES -o regret.json

The table is for the reader: speed decides no exit code. Code 1: auto failed where another preconditioner did not.
"""
import argparse
import fnmatch
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse
from measuring import fail, median, percent, progress, quantile, table, words, write_json

import convection_systems
import further_systems
import multigrid_systems as systems

SYMMETRIC, UNSYMMETRIC = ["jacobi", "fsai", "block-jacobi", "amg"], ["jacobi", "block-jacobi", "ilu0", "aggregation"]
CHAINS = {"chain": lambda rows: systems.constant((rows,), (1,))}
ALLOWED = 1.25


def seconds_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def solve_here(args, a, preconditioner):
    """One solve by the Python package, or None where it was refused."""
    import dwell  # --device cuda alone needs it

    begin = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            solver = dwell.Solver(a, device="cuda", method=args.solver, preconditioner=preconditioner, rtol=1e-8,
                                  maxiter=args.max_iterations)
            solver.solve(a @ np.ones(a.shape[1]))
    except (ValueError, ArithmeticError, RuntimeError):
        return None
    r = solver.report
    return {"seconds": time.perf_counter() - begin, "preconditioner_s": r.setup.preconditioner_s, "per_iteration_us": r.per_iteration_us,
            "iterations": r.iterations, "stopped": r.stopped, "relative": r.residual_relative_true, "took": r.preconditioner,
            "reason": r.preconditioner_reason}


def solve(args, path, preconditioner, more=()):
    """One solve: {'seconds', 'iterations', ...}, or None where it took more than --most seconds or was refused."""
    if args.device == "cuda":
        return solve_here(args, path, preconditioner)
    command = [args.dwell, "solve", path, "--solver", args.solver, "--preconditioner", preconditioner, "--device", args.device,
               "--threads", str(args.threads), "--json", "-", *more]
    begin = seconds_of_children()
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=args.most)
    except subprocess.TimeoutExpired:
        return None
    if not done.stdout:
        return None
    used = seconds_of_children() - begin
    found = json.loads(done.stdout)
    t = found["time"]
    return {"seconds": used if args.clock == "processor" else t["setup_s"] + t["solve_s"] + t["finish_s"],
            "preconditioner_s": t["setup"]["preconditioner_s"], "per_iteration_us": t["per_iteration_us"],
            "iterations": found["iterations"], "stopped": found["stop_reason"],
            "attempts": [(a["preconditioner"], a["iterations"]) for a in found["attempts"]],
            "relative": found["residual"]["relative_true"], "took": found["preconditioner"],
            "reason": found["preconditioner_reason"]}


class Costs:
    """The least set-up and the least time of an iteration, by preconditioner."""

    def __init__(self):
        self.set_up, self.iteration = {}, {}

    def note(self, one):
        p = one["took"]
        self.set_up[p] = min(self.set_up.get(p, np.inf), one["preconditioner_s"])
        self.iteration[p] = min(self.iteration.get(p, np.inf), 1e-6 * one["per_iteration_us"])

    def of(self, one):
        """None: a preconditioner of its attempts has not been seen by name."""
        took = {p for p, _ in one["attempts"]}
        if not took <= set(self.set_up):
            return None
        return sum(self.set_up[p] for p in took) + sum(n * self.iteration[p] for p, n in one["attempts"])


def best_of_each(args, path, show):
    """The fastest of several, by preconditioner; what took too long is not repeated."""
    best, costs = dict.fromkeys([*args.others, "auto"]), Costs()
    idle = min((solve(args, path, "none", ["--max-iterations", "1"]) or {"seconds": 0})["seconds"]
               for _ in range(3)) if args.clock == "processor" else 0
    if args.device == "cuda":
        for p in best:
            solve(args, path, p)
    for repetition in range(args.repetitions):
        for p in best:
            show(p)
            if repetition > 0 and (best[p] is None or best[p]["seconds"] > args.most / 10):
                continue
            one = solve(args, path, p, ["--max-iterations", str(args.max_iterations)])
            if one is not None:
                if p != "auto":
                    costs.note(one)
                one["seconds"] = max(one["seconds"] - idle, 1e-5)
                if best[p] is None or one["seconds"] < best[p]["seconds"]:
                    best[p] = one
    if args.clock == "composed":
        for one in filter(None, best.values()):
            one["seconds"] = costs.of(one)
            if one["seconds"] is None:
                fail(f"--clock composed: no time by name of a preconditioner that auto took: {one['attempts']}")
    return best


def by_scipy(a, method, drop, clock):
    """One solve by SciPy with incomplete factors, or None where these are singular. Products are counted as iterations."""
    import scipy.sparse.linalg as linalg

    b, products = a @ np.ones(a.shape[1]), [0]

    def multiply(v):
        products[0] += 1
        return a @ v

    begin = clock()
    try:
        factors = linalg.spilu(scipy.sparse.csc_array(a), **drop)
    except RuntimeError:
        return None
    operator = linalg.LinearOperator(a.shape, matvec=multiply, dtype=a.dtype)
    by = linalg.LinearOperator(a.shape, matvec=factors.solve, dtype=a.dtype)
    how = {"restart": 30, "maxiter": 300} if method == "gmres" else {"maxiter": 5000}
    with np.errstate(all="ignore"):
        x, _ = getattr(linalg, method)(operator, b, rtol=1e-8, M=by, **how)
        relative = np.linalg.norm(b - a @ x) / np.linalg.norm(b)
    return {"seconds": clock() - begin, "iterations": products[0], "relative": float(relative),
            "stopped": "converged" if relative <= 1e-7 else "not solved"}


def peers_of(args, a):
    """The fastest of several, by method and factors."""
    best, clock = {}, time.process_time if args.clock == "processor" else time.perf_counter
    for method in ("bicgstab", "gmres"):
        for name, drop in (("fill 1", {"drop_tol": 0, "fill_factor": 1}), ("fill 10", {})):
            runs = [one for _ in range(args.repetitions) if (one := by_scipy(a, method, drop, clock))]
            best[f"SciPy {method}, {name}"] = min(runs, key=lambda one: one["seconds"], default=None)
    return best


def judge(row, others):
    """Adds the best of those that were asked for, and the regret."""
    met = {p: row[p]["seconds"] for p in others if row[p] and row[p]["stopped"] == "converged"}
    row["best"] = min(met, key=met.get) if met else None
    auto = row["auto"]
    row["lost"] = bool(met) and (auto is None or auto["stopped"] != "converged")
    row["regret"] = auto["seconds"] / met[row["best"]] - 1 if met and auto and not row["lost"] else None
    return row


def cases_of(args, folder):
    """Names, files and, where it is asked for, matrices of systems."""
    for pattern in args.matrices and sorted(Path(args.matrices).glob("*.mtx*")) or []:
        name = pattern.name.split(".")[0]
        if fnmatch.fnmatch(name, args.systems) and args.device == "cuda":
            yield name, scipy.sparse.csr_array(scipy.io.mmread(pattern)), None
        elif fnmatch.fnmatch(name, args.systems):
            path = os.path.join(folder, "a.dwell")
            subprocess.run([args.dwell, "convert", pattern, "-o", path], check=False, capture_output=True)
            a = scipy.sparse.csr_array(scipy.io.mmread(pattern)) if args.scipy else None
            yield name, path if os.path.exists(path) else str(pattern), a
            if os.path.exists(path):
                os.remove(path)
    for rows in args.rows:
        for name, make in args.generated.items():
            if not fnmatch.fnmatch(name, args.systems):
                continue
            a, _ = make(rows)
            orders = {"": np.arange(a.shape[0])}
            if args.random:
                orders[", random order"] = np.random.default_rng(args.seed).permutation(a.shape[0])
            for order, p in orders.items():
                path = os.path.join(folder, "a.dwell")
                ordered = systems.renumbered(a, p)
                if args.device == "cpu":
                    systems.write(path, ordered)
                yield f"{name}, {a.shape[0]:,} rows{order}", path if args.device == "cpu" else ordered, ordered


def cell(one):
    if one is None:
        return "-"
    mark = {"converged": "", "accuracy limit": " (accuracy)"}.get(one["stopped"], f" ({one['stopped']})")
    return f"{1e3 * one['seconds']:.3g} / {one['iterations']:,}{mark}"


def text_of(rows, others):
    peers = list(rows[0].get("peers", {}))
    lines = [[r["name"], *(cell(r[p]) for p in others), cell(r["auto"]), r["auto"]["took"] if r["auto"] else "-",
              "LOST" if r["lost"] else percent(r["regret"], 0), *(cell(r["peers"][p]) for p in peers)] for r in rows]
    text = table(["system, ms / iterations:", *(f"{p}:" for p in others), "auto:", "ends with:", "regret",
                  *(f"{p} (products):" for p in peers)], lines)
    regrets = [r["regret"] for r in rows if r["regret"] is not None]
    if not regrets:
        return text
    return text + (f"\n\n{len(regrets)} systems: regret {percent(median(regrets), 0)} in the median, "
                   f"{percent(quantile(regrets, 0.9), 0)} at most of 90 %, {percent(max(regrets), 0)} at most; "
                   f"{sum(r > ALLOWED - 1 for r in regrets)} over {percent(ALLOWED - 1, 0)}; "
                   f"{sum(r['lost'] for r in rows)} lost")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dwell", help="the command")
    parser.add_argument("--matrices", help="a folder of .mtx and .mtx.gz files")
    parser.add_argument("--rows", type=lambda t: [int(w) for w in words(t)] if t else [], default=[1000, 10000, 100000],
                        help="of generated systems, about; empty: none (default: 1000,10000,100000)")
    parser.add_argument("--systems", default="*", help="names, as a pattern")
    parser.add_argument("--random", action="store_true", help="generated systems in a random order, too")
    parser.add_argument("--convection", action="store_true", help="systems of convection and diffusion")
    parser.add_argument("--further", action="store_true", help="systems that no rule of auto was made by")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--solver", help="auto: of unsymmetric matrices, too (default: cg, with --convection auto)")
    parser.add_argument("--max-iterations", type=int, default=10000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--most", type=float, default=20, help="seconds of a solve (default: %(default)g)")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--clock", choices=("wall", "processor", "composed"), default="wall")
    parser.add_argument("--scipy", action="store_true", help="SciPy beside it, on the CPU")
    parser.add_argument("-o", "--output", help="write JSON")
    args = parser.parse_args()
    if args.convection and args.matrices:
        fail("--convection: expected no --matrices beside it")
    if args.scipy and args.device != "cpu":
        fail("--scipy: expected --device cpu beside it")
    if args.convection and args.further:
        fail("--convection: expected no --further beside it")
    if args.device == "cuda" and (args.clock != "wall" or args.dwell != "python"):
        fail("--device cuda: expected 'python' as the command and --clock wall")
    args.solver = args.solver or ("auto" if args.convection else "cg")
    args.others = UNSYMMETRIC if args.convection or args.solver in ("bicgstab", "gmres") else SYMMETRIC
    args.generated = (convection_systems.SYSTEMS if args.convection else
                      further_systems.SYSTEMS if args.further else {**CHAINS, **systems.SYSTEMS})
    shown, rows = progress(), []
    with tempfile.TemporaryDirectory() as folder:
        for name, path, a in cases_of(args, folder):
            row = {"name": name, **best_of_each(args, path, lambda p, name=name: shown.show(f"{name}, {p}"))}
            if args.scipy:
                row["peers"] = peers_of(args, a)
            rows.append(judge(row, args.others))
            if args.output:
                write_json(args.output, {"threads": args.threads, "solver": args.solver, "clock": args.clock, "systems": rows})
    shown.erase()
    if not rows:
        fail(f"no systems: expected --matrices, or --systems of {'; '.join(args.generated)}")
    print(text_of(rows, args.others))
    return int(any(r["lost"] for r in rows))


if __name__ == "__main__":
    sys.exit(main())
