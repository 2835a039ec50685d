# SPDX-License-Identifier: MIT
"""What is not as it was asked for is said, once, by the call that could return it unsaid; what is as asked for is not warned of."""
import re
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import dwell

PREFIX = r"(breakdown|not finite|iteration limit|accuracy limit) after (\d+) iterations?: true relative residual (\S+), wanted (\S+?)(; .+)?"
ALONE = re.compile(PREFIX, re.DOTALL)
COLUMNS = re.compile(r"(\d+) of (\d+) right-hand sides did not converge: columns? ([\d, ]+)(?:, \.\.\.)? \(counted from 0\); the first one: " + PREFIX)


def said(call):
    """What a call returns, and the texts of its warnings about convergence and about other things."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        out = call()
    assert all(w.category is dwell.SolveWarning and w.filename == __file__ and "\n" not in str(w.message) for w in heard)
    texts = [str(w.message) for w in heard]
    unmet = [t for t in texts if " after " in t]
    return out, unmet, [t for t in texts if t not in unmet]


def random_case(seed):
    """A system that some methods solve, some with too few iterations or too small a tolerance, and some do not."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 60))
    dtype = random.choice([np.float64, np.float32])
    a = random.standard_normal((n, n)) * (random.random((n, n)) < 0.2)
    a = a + a.T
    method = str(random.choice(["cg", "minres", "bicgstab", "gmres"]))
    if random.random() < 0.7 or method == "cg":
        a += np.diag(abs(a).sum(axis=1) * random.choice([0.5, 1.1]) + 0.1)
    if method in ("bicgstab", "gmres") and random.random() < 0.5:
        a += random.standard_normal((n, n)) * (random.random((n, n)) < 0.1)
    np.fill_diagonal(a, np.where(a.diagonal() == 0, 1, abs(a.diagonal()) if method == "cg" else a.diagonal()))
    shape = random.choice(["alone", "one column", "columns"])
    b = random.standard_normal({"alone": n, "one column": (n, 1), "columns": (n, int(random.integers(2, 9)))}[str(shape)])
    if random.random() < 0.1:
        b[...] = 0
    options = {"rtol": float(random.choice([1e-2, 1e-5, 1e-9, 1e-18, 0.0])), "atol": float(random.choice([0.0, 0.0, 1e-3, 1e-12]))}
    if options["rtol"] == options["atol"] == 0:
        options["rtol"] = 1e-5
    if random.random() < 0.6:
        options["maxiter"] = int(random.integers(1, 12))
    return sp.csr_array(a.astype(dtype)), b.astype(dtype), str(shape) == "columns", method, options, random


def relative(a, x, b):
    norm = np.linalg.norm(b)
    return np.linalg.norm(b - a @ x) / (norm if norm > 0 else 1.0)


@pytest.mark.parametrize("seed", range(150))
def test_a_solver_warns_where_the_true_residual_is_not_met(seed):
    a, b, columns, method, options, random = random_case(seed)
    preconditioner = str(random.choice(["none", "jacobi"]))
    solver = dwell.Solver(a, method=method, preconditioner=preconditioner, null_space="none", device="cpu", threads=1, **options)
    x, unmet, _ = said(lambda: solver.solve(b))
    exact, given = a.toarray().astype(float), b.astype(float).reshape(len(b), -1)
    found = [relative(exact, x.astype(float).reshape(len(b), -1)[:, k], given[:, k]) for k in range(given.shape[1])]
    norms = np.linalg.norm(given, axis=0)
    wanted = [max(options["rtol"], options["atol"] / norm) if norm > 0 else options["atol"] for norm in norms]
    near = [1e-6 * w + 1e-15 for w in wanted]  # what is nearer than rounding of these residuals is not judged
    missed = {k for k, r in enumerate(solver.reports) if found[k] > wanted[k] + near[k] or r.stopped == "not finite"}
    met = {k for k in range(len(found)) if found[k] <= wanted[k] - near[k]} - missed
    assert len(unmet) <= 1 and (unmet or not missed), (found, wanted, solver.reports)
    if not unmet:
        return
    parts = (COLUMNS if columns else ALONE).fullmatch(unmet[0])
    named = [int(k) for k in parts[3].split(", ")] if columns else [0]
    assert missed <= set(named) and not met & set(named), (found, wanted, unmet)
    if columns:
        assert int(parts[1]) == len(named) and int(parts[2]) == b.shape[1]
    why, iterations, residual, target, advice = parts.groups()[-5:]
    first = solver.reports[named[0]]
    assert (why, int(iterations)) == (first.stopped, first.iterations)
    assert float(residual) == pytest.approx(first.residual_relative_true, rel=6e-3, nan_ok=True)
    assert float(target) == pytest.approx(wanted[named[0]], rel=6e-3)
    assert (advice or "").removeprefix("; ") == first.advice


@pytest.mark.parametrize("seed", range(150, 250))
def test_a_function_says_it_by_info(seed):
    a, b, columns, method, options, _ = random_case(seed)
    (x, info), unmet, _ = said(lambda: getattr(dwell, method)(a, b, null_space="none", device="cpu", threads=1, **options))
    exact = a.toarray().astype(float)
    for k in range(b.shape[1] if b.ndim == 2 else 1):
        one, of = (x if b.ndim == 1 else x[:, k]).astype(float), (b if b.ndim == 1 else b[:, k]).astype(float)
        norm = np.linalg.norm(of)
        if info == 0:
            assert np.linalg.norm(exact @ one - of) <= max(options["rtol"] * norm, options["atol"]) * (1 + 1e-6) + 1e-15 * norm
    assert len(unmet) == (1 if columns and info != 0 else 0)


def test_what_was_asked_for_is_not_warned_of():
    a = dwell.generate("poisson2d:40x30")
    b = np.ones(1200)
    fixed = dwell.Solver(a, maxiter=7, fixed_iterations=True)
    for rhs in (b, b[:, None], np.ones((1200, 3))):
        assert said(lambda: fixed.solve(rhs))[1:] == ([], [])
    stopped = dwell.Solver(a, rtol=1e-300, atol=0, refine=False, progress_interval=0)
    _, unmet, _ = said(lambda: stopped.solve(b, progress=lambda *_: False))
    assert unmet == [] and stopped.report.stopped == "interrupted"
    with pytest.raises(dwell.Breakdown):  # said by the exception
        dwell.Solver([[1.0, 3], [3, 1]]).solve([1.0, -1], raise_on_breakdown=True)
    rows = dwell.compare(a, executors=["persistent"], iterations=5, repetitions=1, device="cpu", peers=[])
    assert rows[0]["iterations"] == 5


def test_singular_matrices_of_a_direct_solve():
    random = np.random.default_rng(5)
    checked = 0
    for _ in range(20):
        n = int(random.integers(2, 20))
        a = random.standard_normal((n, n))
        a[:, -1] = a[:, 0]  # less than full rank
        try:
            solver = dwell.Solver(sp.csr_array(a), method="direct")
        except dwell.UnsupportedError:
            pytest.skip("built without Eigen")
        b = random.standard_normal(n)
        x, unmet, _ = said(lambda: solver.solve(b))
        met = np.linalg.norm(b - a @ x) <= 1e-5 * np.linalg.norm(b)
        assert met or len(unmet) == 1 and ALONE.fullmatch(unmet[0]), (unmet, solver.report)
        checked += not met
    assert checked > 10


@pytest.mark.parametrize("seed", range(40))
def test_grids(seed):
    random = np.random.default_rng(seed)
    shape = tuple(int(n) for n in random.integers(1, 30, int(random.integers(1, 4))))[:2 if seed % 2 else 3]
    how = {"method": str(random.choice(["cg", "multigrid", "minres", "bicgstab", "jacobi"])), "maxiter": int(random.integers(1, 12)),
           "rtol": float(random.choice([1e-2, 1e-8, 1e-14])), "atol": float(random.choice([0.0, 1e-3])),
           "boundary": str(random.choice(["dirichlet", "neumann"])), "threads": 1}
    solver = dwell.GridSolver(shape, **how)
    f = random.standard_normal(shape)
    if solver.singular:
        f -= f.mean()
    u, unmet, _ = said(lambda: solver.solve(f))
    a = dwell.GridOperator(shape, boundary=how["boundary"])
    b = a.rhs(f)
    norm = np.linalg.norm(b)
    found, wanted = np.linalg.norm(b - a @ u), max(how["rtol"] * norm, how["atol"])
    if abs(found - wanted) > 1e-3 * wanted + 1e-15 * norm:
        assert (len(unmet) == 1) == (found > wanted), (found, wanted, unmet)
    if unmet:
        parts = ALONE.fullmatch(unmet[0])
        assert (parts[1], int(parts[2])) == (solver.report.stopped, solver.report.iterations)
        assert float(parts[4]) == pytest.approx(wanted / norm, rel=6e-3)


@dwell.define(fields="u v", parameters="r", boundary="reflect")
def spread(u, v, r=0.2):
    return u + r * (u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1] - 4 * u), 0.5 * v


@pytest.mark.parametrize("seed", range(20))
def test_fields(seed):
    random = np.random.default_rng(seed)
    shape, steps, every = tuple(random.integers(2, 30, 2)), int(random.integers(1, 60)), int(random.integers(1, 80))
    quantity, wanted = str(random.choice(["change-norm-max", "norm2"])), float(10.0 ** random.integers(-6, 2))
    until = {str(random.choice(["u", "v"])): {quantity: wanted}}
    r = float(random.choice([0.2, 0.2, 1e160]))
    u = random.standard_normal(shape)
    result, unmet, _ = said(lambda: dwell.run(spread, u=u, v=1.0, r=r, steps=steps, until=until, reduce_every=every))
    assert len(unmet) == (0 if result.report.stopped == "converged" and result.report.finite else 1)
    finite = all(np.isfinite(field).all() for field in result)
    assert result.report.finite == finite
    if result.report.stopped == "step limit":
        name = f"{quantity}({next(iter(until))})"
        value = result.report.reductions[name]
        assert unmet == [f"step limit after {steps} step{'s' * (steps != 1)}: {name} "
                         f"{'not computed' if value is None else format(value, '.2e')}, wanted {wanted:.2e}"]
        assert (value is None) == (steps < every)
    runner = dwell.FieldRunner(spread, u=u, v=1.0, r=r, until=until, reduce_every=every)
    outcome, *heard = said(lambda: runner.run(steps))
    assert heard == [[], []] and outcome.stopped == result.report.stopped


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", ["2d5pt", "3d7pt"])
def test_stencils(shape, dtype):
    u = np.random.default_rng(3).random((12, 13) if shape == "2d5pt" else (6, 7, 8)).astype(dtype)
    taps = next(len(s.taps) for s in dwell.shapes() if s.name == shape)
    assert said(lambda: dwell.stencil(u, shape, 10))[1:] == ([], [])
    assert said(lambda: dwell.stencil(u, shape, 100000, until=1e-3, check_every=10))[1:] == ([], [])
    for steps, counted in ((0, "0 steps"), (1, "1 step"), (7, "7 steps")):
        _, unmet, _ = said(lambda: dwell.stencil(u, shape, steps, until=1e-12))
        assert re.fullmatch(rf"step limit after {counted}: largest change (\S+|not computed), wanted 1.00e-12", unmet[0])
    growing = [3.0] * taps
    field, unmet, _ = said(lambda: dwell.stencil(u, shape, 3000, weights=growing))
    assert not np.isfinite(field).all() and unmet == ["values are not finite after 3000 steps"]
    out = np.empty_like(u)
    _, unmet, _ = said(lambda: dwell.stencil(u, shape, 3000, weights=growing, until=1e-3, out=out))
    assert len(unmet) == 1 and unmet[0].startswith("values are not finite after ")
    runner = dwell.Runner(u, shape)
    outcome, *heard = said(lambda: runner.run_until(1e-12, 5))
    assert outcome.stopped == "step limit" and heard == [[], []], "the outcome says it"


@pytest.mark.parametrize("kind", ["poisson2d:9x8", "neumann2d:9x8"])
def test_a_part_that_was_left_out_because_of_null_space_says_so(kind):
    """Whatever the matrix is, of which nothing is said."""
    solver = dwell.Solver(dwell.generate(kind), null_space="constant", maxiter=50, device="cpu")
    _, _, others = said(lambda: solver.solve(np.arange(72.0)))
    assert len(others) == 1
    assert others[0].endswith("of the norm of b is constant and was left out, as null_space=\"constant\" asks")
