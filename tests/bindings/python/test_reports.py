# SPDX-License-Identifier: MIT
"""Reports have the fields of the library's tables, documented, with the values of the library, and printed."""
import dataclasses
import typing
import warnings

import numpy as np
import pytest
import scipy.sparse

import dwell
from dwell import _core, _report, _stencil_report

CLASSES = {dwell.Report: (_core.solve_report_table(), _report.Setup),
           dwell.StencilReport: (_core.stencil_report_table(), _stencil_report.StencilSetup),
           dwell.ConvolutionReport: (_core.convolution_report_table(), None),
           dwell.GridReport: (_core.grid_report_table(), None)}
# Lists that the tables have no row for.
BESIDES = {dwell.Report: {"attempts"}, dwell.GridReport: {"levels"}}
# On a CPU without a cache of its own, and not of these runs.
OF_OTHER_RUNS = {"backend", "policy", "policy_chosen", "setup.context_s", "passes", "images", "alternates", "subdomains",
                 "subdomain_of", "traversal", "depth", "pass_steps", "cached_registers", "cached_scratch",
                 "compiler", "compile_s", "setup.compile_s"}


def line_of(n, beside=-1.0):
    return scipy.sparse.diags_array([np.full(n, 2.0), np.full(n - 1, beside), np.full(n - 1, beside)], offsets=[0, 1, -1]).tocsr()


def solves():
    """Reports in each of which some field has another value than in an empty one."""
    grid = dwell.generate("poisson2d:40x30")
    uneven = np.ones(1200)
    uneven[0] = 100
    halves = scipy.sparse.block_diag([line_of(200, -1.0) * 1e6 + 1e6 * scipy.sparse.eye_array(200),
                                      line_of(200) + 0.5 * scipy.sparse.eye_array(200)]).tocsr()
    arrow = scipy.sparse.lil_array((2000, 2000))
    arrow.setdiag(2001)
    arrow[-1, :-1] = arrow[:-1, -1] = -1
    rough = np.random.default_rng(5).uniform(-1, 1, 2000)
    for a, b, options in [
            (grid, np.ones(1200), {"preconditioner": "amg", "history": True}),
            (grid, np.ones(1200), {"preconditioner": "amg", "near_null": np.tile([1.0, -1.0], 600)}),
            (grid, np.ones(1200), {"preconditioner": "auto"}),
            (grid, np.ones(1200), {"precision": "mixed", "rtol": 1e-12}),
            (grid, np.ones(1200), {"method": "direct"}),
            (grid, np.ones(1200), {"maxiter": 5}),
            (grid, np.ones(1200), {"refine": False, "rtol": 1e-18}),
            (dwell.generate("neumann2d:40x30"), uneven, {}),
            (halves, np.repeat([1e6, 1.0], 200), {"rtol": 1e-6, "preconditioner": "none"}),
            (scipy.sparse.diags_array([1, 1, 1e-9]).tocsr(), np.array([1, 1, 1e-10]), {"rtol": 1e-8, "preconditioner": "none"}),
            (line_of(2000), rough, {"maxiter": 300}),
            (arrow.tocsr(), np.ones(2000), {"preconditioner": "fsai", "power": 2}),
            (grid, np.ones((1200, 2)), {"columns_at_once": 2, "preconditioner": "none"})]:
        solver = dwell.Solver(a, device="cpu", threads=2, **options)
        solver.solve(b)
        yield solver.report, solver._reports[-1].fields(), solver.setup


def stencils():
    u = np.full((40, 50), 0.5)
    u[3, 4] = 1
    runner = dwell.Runner(u, "2d5pt", boundary="periodic", device="cpu", threads=2)
    runner.run_until(1e-9, 20, 5)
    yield runner.report, runner._native.report(), runner.report.setup


def convolutions():
    image = np.random.default_rng(1).random((20, 30))
    _, report = dwell.convolve(image, "gaussian:5", correlate=True, device="cpu", threads=2, return_report=True)
    yield report, report.to_dict(), None


def grids():
    for shape, f, options in [
            ((40, 50), 1.0, {"rtol": 0, "history": True}),
            ((150, 150), 1.0, {}),
            ((90, 80), 1.0, {"method": "jacobi", "maxiter": 60}),
            ((40, 50), np.arange(2000.0, dtype=np.float32).reshape(40, 50), {"boundary": "neumann"})]:
        solver = dwell.GridSolver(shape, dtype=np.float32, device="cpu", threads=2, **options)
        solver.solve(f)
        fields = {**solver.report.to_dict()}
        yield solver.report, fields, None


@pytest.mark.parametrize("made", CLASSES, ids=lambda c: c.__name__)
def test_the_classes_have_the_rows_of_the_table(made):
    table, setup = CLASSES[made]
    names = list(dict.fromkeys(row["attribute"].split(".")[0] for row in table))
    assert sorted(f.name for f in dataclasses.fields(made)) == sorted([*names, *BESIDES.get(made, set())])
    types = typing.get_type_hints(made)
    for row in table:
        name, dot, part = row["attribute"].partition(".")
        of, field = (setup, part) if dot else (made, name)
        expected = row["type"] + (" | None" if row["optional"] else "")
        assert of.__annotations__[field].replace("Optional", "") == expected, row["attribute"]
        assert field in types or dot
        assert f"    {field} : " in of.__doc__ and row["help"].split(";")[0].split()[-1] in of.__doc__
        assert not row["not_printed"] or len(row["not_printed"]) > 8


@pytest.mark.parametrize("made,runs", [(dwell.Report, solves), (dwell.StencilReport, stencils),
                                       (dwell.ConvolutionReport, convolutions),
                                       (dwell.GridReport, grids)], ids=lambda x: getattr(x, "__name__", ""))
def test_every_field_is_read_and_printed(made, runs):
    table, _ = CLASSES[made]
    without_value = {row["attribute"]: row for row in table}
    not_printed = {row["attribute"] for row in table if not row["not_printed"]}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dwell.SolveWarning)
        for report, native, setup in runs():
            besides = BESIDES.get(made, set())
            assert report.to_dict().keys() - besides == native.keys() - besides
            if made is dwell.Report and report.columns_together == 1:
                assert sum(a.iterations for a in report.attempts) == report.iterations
                assert report.attempts[-1].preconditioner == report.preconditioner
            text = repr(report)
            for row in table:
                name, dot, part = row["attribute"].partition(".")
                value = getattr(setup, part) if dot and made is dwell.Report else (
                    getattr(getattr(report, name), part) if dot else getattr(report, name))
                if not (dot and made is dwell.Report):
                    assert value == (native[name][part] if dot else native[name])
                empty = value in (0, "", False, None, [], "none", "converged", "as asked", "cpu") or value == (0, 0)
                if not empty or value in ("converged", "as asked", "none"):
                    without_value.pop(row["attribute"], None)
                if value not in (0, "", False, None) and not dot and row["attribute"] in not_printed and report._shown(name) in text:
                    not_printed.discard(row["attribute"])
    assert set(without_value) <= OF_OTHER_RUNS
    assert not {n for n in not_printed if "." not in n}
