#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Iterations of CG with multigrid in other numberings of the unknowns, beside PyAMG, as a Markdown table.

Each system (multigrid_systems.py) is solved as it is numbered, transposed, mirrored along each axis, backwards and in
random orders; b = 1, rtol 1e-8. `given`: as it is numbered; `mirrors`: the least and the most of the regular
numberings; `random`: the median of the random ones; `median`, `worst`: by what factor random orders and all orders
take more or fewer iterations than another, the median of max(n / given, given / n) and the largest. PyAMG: CG with
smoothed_aggregation_solver with damped Jacobi (as Dwell smooths) and with its default, symmetric Gauss-Seidel, and
ruge_stuben_solver with its default; `ratio`: `given` over the least of these. Needs numpy, scipy and, for the last
columns, pyamg (--peers).

  scripts/measure/multigrid-numbering.py build/cpu/apps/dwell/dwell --rows 40000 --seeds 20 --peers
"""
import argparse
import fnmatch
import json
import os
import subprocess
import tempfile
import warnings

import numpy as np
from measuring import fail, median, progress, table, write_json

import multigrid_systems as systems


def iterations_of(program, path, more):
    """Counts those of a solve, one that rounding ended as well (`accuracy limit`, where coefficients differ much)."""
    command = [program, "solve", path, "--solver", "cg", "--preconditioner", "amg", "--rhs", "ones", "--device", "cpu",
               "--json", "-", *more]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout)["iterations"]
    except json.JSONDecodeError:
        fail(f"{' '.join(command)}: {done.stderr.strip()}")


def peers_of(a):
    import pyamg
    jacobi = ("jacobi", {"omega": 4 / 3})
    b, found = np.ones(a.shape[0]), []
    a = pyamg_matrix(a)
    for make in (lambda: pyamg.smoothed_aggregation_solver(a, presmoother=jacobi, postsmoother=jacobi, max_coarse=160),
                 lambda: pyamg.smoothed_aggregation_solver(a, max_coarse=160),
                 lambda: pyamg.ruge_stuben_solver(a, max_coarse=160)):
        residuals = []
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                x = make().solve(b, tol=1e-8, maxiter=500, accel="cg", residuals=residuals)
                solved = np.linalg.norm(b - a @ x) < 1e-6 * np.linalg.norm(b) and len(residuals) <= 500
            except ValueError:  # values are not finite
                solved = False
        found.append(len(residuals) - 1 if solved else None)
    return found


def pyamg_matrix(a):
    import scipy.sparse as sp
    return sp.csr_matrix((a.data, a.indices.astype("i4"), a.indptr.astype("i4")), shape=a.shape)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dwell", help="the command")
    parser.add_argument("--rows", type=int, default=40000, help="of a system, at least, about")
    parser.add_argument("--seeds", type=int, default=20, help="random orders")
    parser.add_argument("--systems", default="*", help="names, as a pattern or several with semicolons between")
    parser.add_argument("--peers", action="store_true", help="PyAMG, too")
    parser.add_argument("--json", help="write what was found to a file")
    args, more = parser.parse_known_args()
    names = [n for n in systems.SYSTEMS if any(fnmatch.fnmatch(n, p) for p in args.systems.split(";"))]
    if not names:
        fail(f"--systems: expected some of {'; '.join(systems.SYSTEMS)}, found '{args.systems}'")
    heads = ["system:", "rows", "given", "mirrors", "random", "median", "worst"]
    if args.peers:
        heads += ["PyAMG, Jacobi", "PyAMG", "Ruge-Stuben", "ratio"]
    shown, rows, documents = progress(), [], {}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "a.dwell")
        for name in names:
            a, shape = systems.SYSTEMS[name](args.rows)
            counts = {}
            for numbering, p in systems.numberings(shape, a.shape[0], range(args.seeds)):
                shown.show(f"{name}, {numbering}")
                systems.write(path, systems.renumbered(a, p))
                counts[numbering] = iterations_of(args.dwell, path, more)
            given = counts["given"]
            regular = [n for k, n in counts.items() if not k.startswith("random")]
            random = [n for k, n in counts.items() if k.startswith("random")] or [given]
            off = [max(n / given, given / n) for n in random]
            row = [name, f"{a.shape[0]:,}", given, f"{min(regular)} to {max(regular)}", f"{median(random):g}",
                   f"{median(off):.2f}", f"{max([*off, *(max(n / given, given / n) for n in regular)]):.2f}"]
            documents[name] = {"rows": a.shape[0], "iterations": counts}
            if args.peers:
                found = peers_of(systems.renumbered(a, np.arange(a.shape[0])))
                documents[name]["peers"] = found
                solved = [n for n in found if n is not None]
                row += [*("-" if n is None else n for n in found), f"{given / min(solved):.2f}" if solved else "-"]
            rows.append(row)
            if args.json:
                write_json(args.json, documents)
    shown.erase()
    print(table(heads, rows))


if __name__ == "__main__":
    main()
