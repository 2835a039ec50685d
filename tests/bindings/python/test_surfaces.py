# SPDX-License-Identifier: MIT
"""The command line and Python give the same answers and reports of random systems. DWELL_PROGRAM names the command; without
it that of build/cpu or build/release is taken. tests/scripts/surfaces_test.py compares the command with C++ and C."""
from __future__ import annotations

import os
import pathlib
import subprocess
import warnings

import numpy as np
import pytest
import random_solves as solves
import scipy.sparse as sp
from conftest import has_cpu_caching
from random_systems import Case

import dwell
from dwell._options import OPTIONS

ROOT = pathlib.Path(__file__).resolve().parents[3]
SEEDS = range(60)
FUNCTIONS = {"cg": dwell.cg, "minres": dwell.minres, "bicgstab": dwell.bicgstab, "gmres": dwell.gmres}
# Options of Solver that the functions do not have, and those that some of them have.
NOT_OF_FUNCTIONS = {"history"}
OF_SOME = {o.member: o.methods for o in OPTIONS if o.methods}


@pytest.fixture(scope="session")
def program():
    """The command of this version."""
    named = os.environ.get("DWELL_PROGRAM")
    for file in [named] if named else [ROOT / "build" / preset / "apps/dwell/dwell" for preset in ("cpu", "release")]:
        if os.access(file, os.X_OK):
            said = subprocess.run([file, "--version"], capture_output=True, text=True, check=True).stdout
            if dwell.__version__ in said.split():
                return str(file)
            pytest.skip(f"{file} is of another version: {said.strip()} (DWELL_PROGRAM)")
    pytest.skip("no dwell command is built (DWELL_PROGRAM)")


@pytest.fixture(scope="session")
def other_executors(program):
    """Those that only one of the two builds has."""
    words = [program, "solve", "poisson2d:4x4", "--device", "cpu", "--executor", "perks", "--quiet"]
    of_command = subprocess.run(words, capture_output=True, check=False).returncode == 0
    return set() if of_command == has_cpu_caching() else {"perks"}


def arguments(case):
    """Arguments of Solver."""
    out = dict(case.options)
    out["precision"] = "mixed" if out.pop("mixed_precision") else None
    out["maxiter"] = out.pop("max_iterations")
    for name in ("null_vectors", "near_null"):
        if name in out:
            out[name] = np.reshape(out[name], (-1, case.rows)).T
    return {**out, "device": "cpu", "threads": case.threads}


def system(case):
    """A, b and x0 in one of the forms that a caller may have."""
    dtype = np.float32 if case.precision == "f32" else np.float64
    parts = (np.array(case.row_ptr, np.int32), np.array(case.col, np.int32), np.array(case.val, dtype))
    a = sp.csr_matrix((parts[2], parts[1], parts[0]), shape=(case.rows, case.rows))
    stores_zeros = not all(case.val)
    form = case.seed % 5
    if form == 1:
        a = a.tocsc()
    elif form == 2:
        a = parts
    elif form == 3:
        a = a.tocoo()
    elif form == 4 and not stores_zeros:
        a = a.toarray()
    x0 = None if case.x0 is None else np.array(case.x0, dtype)
    return a, np.array(case.b, dtype), x0


def outcome(call, solve):
    """The outcome by_command() would have, from solve(), which returns x and a report."""
    statuses = {"converged": 0, "iteration limit": 2, "accuracy limit": 2, "breakdown": 3, "not finite": 3}
    try:
        x, report = solve()
    except (ValueError, TypeError) as refusal:
        return {"call": call, "status": 1, "message": str(refusal), "x": None, "report": None}
    except dwell.DeviceError as failure:
        return {"call": call, "status": 4, "message": str(failure), "x": None, "report": None}
    found = report.to_dict()
    status = 2 if report.target_missed else statuses[report.stopped]
    return {"call": call, "status": status, "message": "", "x": solves.bits_of(x.astype(float).ravel().tolist()),
            "report": found}


def chooses(case):
    return "auto" in (case.options["method"], case.options["preconditioner"])


def by_solver(case):
    a, b, x0 = system(case)

    def once():
        solver = dwell.Solver(a, **arguments(case))
        return solver.solve(b, x0), solver.report

    def again():
        solver = dwell.Solver(a, **arguments(case))
        solver.solve(b, x0)
        out = np.zeros_like(b) if x0 is None else x0.copy()
        solver.solve(b, out, out=out)
        return out, solver.report

    def columns():
        solver = dwell.Solver(a, **arguments(case), columns_at_once=1)
        two = np.asfortranarray(np.stack([b, b], axis=1))
        x = solver.solve(two, None if x0 is None else np.stack([x0, x0], axis=1))
        assert chooses(case) or x[:, 0].tobytes() == x[:, 1].tobytes()
        return x[:, 1], solver.report

    column = outcome("Solver, second column", columns)
    if column["report"]:
        column["report"]["reason"] = column["report"]["reason"].split("; one right-hand side at a time")[0]
    all_of_it = [outcome("Solver", once), outcome("Solver, second solve", again), column]
    # The first column may decide for the second.
    return all_of_it[:-1] if chooses(case) else all_of_it


def fits_functions(case):
    """Can a function be asked for this?"""
    o = case.options
    wants = {name for name, value in o.items() if value or name not in ("history",)}
    if o["method"] == "auto" or wants & NOT_OF_FUNCTIONS:
        return False
    if any(name in o and o["method"] not in methods for name, methods in OF_SOME.items()):
        return False
    return o["method"] != "gmres" or o["max_iterations"] % o.get("restart", 30) == 0


def by_function(case, solver):
    """x and info of dwell.cg and its like; the report is that of `solver`, with which info must agree."""
    a, b, x0 = system(case)
    o = arguments(case)
    method = o.pop("method")
    o["M"] = o.pop("preconditioner")
    del o["history"]
    if method == "gmres":
        o["restart"] = o.get("restart", 30)
        o["maxiter"] //= o["restart"]

    def solve():
        x, info = FUNCTIONS[method](a, b, x0, **o)
        report = solver["report"]
        meets = solver["status"] == 0 and not report["rhs_inconsistent"]
        if meets or info == 0:
            assert info == 0 and (solver["status"] == 0 or met_anyway(report, o, b)), (info, report)
        elif report["stopped"] in ("breakdown", "not finite"):
            assert info == (-10 if report["stopped"] == "breakdown" else -11)
        else:
            assert info == max(report["iterations"], 1)
        return x, info

    try:
        x, _ = solve()
    except ValueError as refusal:
        return {"call": f"dwell.{method}", "status": 1, "message": str(refusal), "x": None, "report": None}
    return {"call": f"dwell.{method}", "status": solver["status"], "message": "", "report": solver["report"],
            "x": solves.bits_of(x.astype(float).ravel().tolist())}


def met_anyway(report, o, b):
    """The true residual, of a solve that ended for another reason, meets the tolerance."""
    norm = report["rhs_norm"]
    target = max(o["rtol"], o["atol"] / norm) if norm > 0 else o["atol"]
    return report["residual_relative_true"] <= target


def compare(case, program, folder):
    """What differs between the command and Python, in words."""
    said = solves.by_command(program, case, folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dwell.SolveWarning)
        judge, *others = by_solver(case)
        if fits_functions(case):
            others.append(by_function(case, judge))
    return [f"{case}\n  {judge['call']} and {other['call']}: " + "; ".join(found)
            for other in [*others, said] if (found := solves.differences(judge, other))]


@pytest.mark.parametrize("seed", SEEDS)
def test_of_random_systems(seed, program, other_executors, tmp_path):
    case = Case(seed)
    if case.options["executor"] in other_executors:
        pytest.skip(f"{program} or the package has no executor {case.options['executor']}")
    assert not compare(case, program, tmp_path), program
