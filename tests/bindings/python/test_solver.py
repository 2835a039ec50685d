# SPDX-License-Identifier: MIT
"""A held solver: orders, outputs, values, reports, progress."""
import gc
import json
import sys
import tracemalloc
import warnings

import hypothesis
import hypothesis.extra.numpy as arrays
import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.sparse
from oracles import random_spd, residual

import dwell

A = random_spd(1, 40)
N = 40


@pytest.fixture
def solver():
    return dwell.Solver(A, preconditioner="none", rtol=1e-10)  # that of dwell.cg


def test_same_bits_as_one_call(solver):
    b = np.arange(1.0, N + 1)
    first = solver.solve(b)
    assert np.array_equal(first, dwell.cg(A, b, rtol=1e-10)[0])
    solver.solve(b * 3)
    assert np.array_equal(solver.solve(b), first)


def test_the_matrix_is_read_in_place_and_kept_alive():
    a = random_spd(2, 50)
    b = np.ones(50)
    wanted = dwell.Solver(a).solve(b)
    before = sys.getrefcount(a.data)
    solver = dwell.Solver(a)
    assert sys.getrefcount(a.data) > before, "no copy was made"
    del a
    gc.collect()
    assert np.array_equal(solver.solve(b), wanted)


LAYOUTS = {
    "C": lambda b: np.ascontiguousarray(b),
    "F": lambda b: np.asfortranarray(b),
    "strided": lambda b: np.repeat(b, 2, axis=0)[::2],
    "reversed": lambda b: b[::-1].copy()[::-1],
    "swapped bytes": lambda b: b.astype(b.dtype.newbyteorder()),
    "unaligned": lambda b: np.frombuffer(b"x" + b.tobytes(), np.uint8)[1:].view(b.dtype).reshape(b.shape),
    "read-only": lambda b: np.lib.stride_tricks.as_strided(b, writeable=False),
}


@hypothesis.settings(max_examples=150, deadline=None)
@hypothesis.given(
    columns=st.sampled_from([None, 1, 2, 5]), layout=st.sampled_from(sorted(LAYOUTS)), data=st.data(),
    dtype=st.sampled_from(["f8", "f4", "i4", "u1", "?"]), start=st.booleans(), given_out=st.booleans())
def test_shapes_strides_dtypes(columns, layout, data, dtype, start, given_out):
    shape = (N,) if columns is None else (N, columns)
    values = st.floats(-9, 9, width=32) if dtype[0] == "f" else None
    b = data.draw(arrays.arrays(dtype, shape, elements=values))
    solver = dwell.Solver(A, rtol=1e-10)
    out = np.empty(shape, order="F") if given_out else None
    x = solver.solve(LAYOUTS[layout](b), np.ones(shape) if start else None, out)
    assert x.shape == shape and x.dtype == np.float64 and (out is None or x is out)
    for k in range(columns or 1):
        rhs, answer = (b, x) if columns is None else (b[:, k], x[:, k])
        assert residual(A, answer, rhs) <= 1e-9 * np.linalg.norm(rhs.astype(float)) + 1e-9


def test_columns_one_by_one_are_the_single_solves():
    solver = dwell.Solver(A, rtol=1e-10, columns_at_once=1)
    b = np.random.default_rng(3).standard_normal((N, 4))
    x = solver.solve(b)
    assert x.flags.f_contiguous and len(solver.reports) == 4
    for k in range(4):
        assert np.array_equal(x[:, k], solver.solve(b[:, k]))
    assert solver.solve(np.ones((N, 0))).shape == (N, 0)


def test_columns_in_fortran_order_are_not_copied(solver):
    b = np.ones((N, 3), order="F")
    out = np.zeros((N, 3), order="F")
    tracemalloc.start()
    solver.solve(b, out=out)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < b.nbytes + 20000 and out.any()
    big = dwell.Solver(dwell.generate("poisson2d:300x300"), rtol=0.9)
    b, out = np.ones((90000, 2), order="F"), np.zeros((90000, 2), order="F")
    tracemalloc.start()
    big.solve(b, out=out)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100000, "less than a vector"


def test_start_in_place(solver):
    b = np.ones(N)
    x = solver.solve(b)
    assert solver.solve(b, x, x) is x and solver.report.iterations == 0


def test_update_values(solver):
    b = np.ones(N)
    solver.update_values(A.data * 2)
    assert np.allclose(solver.solve(b), dwell.cg(A * 2, b, rtol=1e-10)[0], rtol=0, atol=0)
    solver.update_values(A * 3)
    assert residual(A * 3, solver.solve(b), b) < 1e-9
    bad = A.data.copy()
    bad[0] = np.nan
    with pytest.raises(ValueError):
        solver.update_values(bad)
    assert residual(A * 3, solver.solve(b), b) < 1e-9, "refused values leave the ones before"
    assert solver.setup.total_s >= 0


@pytest.mark.parametrize("error,words,call", [
    (ValueError, "b: expected shape", lambda s: s.solve(np.ones(N + 1))),
    (ValueError, "b: expected shape", lambda s: s.solve(np.ones((N, 2, 1)))),
    (ValueError, "b: expected shape", lambda s: s.solve(1.0)),
    (TypeError, "complex", lambda s: s.solve(np.ones(N, complex))),
    (TypeError, "numbers", lambda s: s.solve(np.array([None] * N))),
    (TypeError, "out: expected an array of float64", lambda s: s.solve(np.ones(N), out=np.ones(N, "f4"))),
    (ValueError, "out: expected shape", lambda s: s.solve(np.ones(N), out=np.ones((N, 1)))),
    (ValueError, "out: expected a contiguous", lambda s: s.solve(np.ones(N), out=np.ones(2 * N)[::2])),
    (ValueError, "Fortran order", lambda s: s.solve(np.ones((N, 2)), out=np.ones((N, 2)))),
    (ValueError, "can be written", lambda s: s.solve(np.ones(N), out=np.broadcast_to(0.0, N))),
    (ValueError, "memory of its own", lambda s: (lambda b: s.solve(b, out=b))(np.ones(N))),
    (ValueError, "x0: expected shape", lambda s: s.solve(np.ones(N), np.ones(3))),
    (ValueError, "on_interrupt", lambda s: s.solve(np.ones(N), on_interrupt="ignore")),
    (ValueError, "data: expected shape", lambda s: s.update_values(np.ones(3))),
    (ValueError, "same pattern", lambda s: s.update_values(random_spd(5, N))),
    (ValueError, "report: expected a solve", lambda s: s.report),
    (ValueError, "v100", lambda s: s.explain("z80")),
    (ValueError, "threads: only device 'cpu'", lambda s: dwell.Solver(A, device="cuda", threads=2)),
    (ValueError, "threads", lambda s: dwell.Solver(A, device="cpu", threads=-1)),
    (TypeError, "float32, found float64", lambda s: dwell.Solver(A.astype("f4")).solve(np.ones(N))),
])
def test_refusals(solver, error, words, call):
    with pytest.raises(error, match=words) as caught:
        call(solver)
    assert "\n" not in str(caught.value)


def test_report(solver):
    with_history = dwell.Solver(A, history=True, preconditioner="jacobi", device="cpu", threads=1)
    with_history.solve(np.ones(N))
    report = with_history.report
    assert report == with_history.report and report.stopped == "converged" and report.preconditioner == "jacobi"
    assert len(report.history) == report.iterations + 1
    assert report.residual_relative_true == pytest.approx(
        residual(A, with_history.solve(np.ones(N)), np.ones(N)) / N**0.5, rel=1e-6)
    document = json.loads(json.dumps(report.to_dict()))
    assert document["setup"].keys() == {"context_s", "check_s", "upload_s", "plan_s", "cut_s", "preconditioner_s",
                                       "analyse_s", "factor_s", "compile_s", "load_s"}
    assert f"converged after {report.iterations} iterations" in repr(report)
    assert "<table>" in report._repr_html_() and "converged" in report._repr_html_()
    assert with_history.setup.check_s > 0 and "40 x 40" in repr(with_history)


@pytest.mark.cpu_caching
def test_explain(solver):
    text = solver.explain()
    assert "40 rows" in text and "policy" in text and "greedy" in text and "barriers" in text
    assert "itself" not in text
    by_levels = dwell.Solver(dwell.generate("poisson2d:40x40"), preconditioner="amg", device="cpu").explain()
    assert "level 1" in by_levels and "cg itself" in by_levels


def test_report_says_what_to_know_of_the_preconditioner():
    n = 2000
    arrow = scipy.sparse.lil_matrix((n, n))
    arrow.setdiag(n + 1.0)
    arrow[n - 1, :n - 1] = arrow[:n - 1, n - 1] = -1.0
    plain, squared = (dwell.Solver(arrow.tocsr(), preconditioner="fsai", power=power, device="cpu") for power in (1, 2))
    plain.solve(np.ones(n))
    squared.solve(np.ones(n))
    assert plain.report.preconditioner_note == ""
    assert "too many elements" in squared.report.preconditioner_note
    assert squared.report.preconditioner_note in repr(squared.report)


def test_progress_tells_every_iteration_and_may_end_the_solve():
    solver = dwell.Solver(dwell.generate("poisson2d:40x40"), rtol=1e-10, progress_interval=0)
    told = []
    solver.solve(np.ones(1600), progress=lambda *now: told.append(now))
    assert [now[0] for now in told] == list(range(solver.report.iterations + 1))
    assert told[0][1] == pytest.approx(1) and told[-1][1] <= told[-1][2] == 1e-10
    fixed = dwell.Solver(dwell.generate("poisson2d:40x40"), fixed_iterations=True, maxiter=10**8, progress_interval=0.01)
    fixed.solve(np.ones(1600), progress=lambda *now: False)
    assert fixed.report.stopped == "interrupted" and 0 < fixed.report.iterations < 10**8


def test_progress_that_raises():
    solver = dwell.Solver(A, fixed_iterations=True, maxiter=10**8, progress_interval=0.01)

    def fail(*_):
        raise KeyError("mine")

    out = np.zeros(N)
    with pytest.raises(KeyError, match="mine"):
        solver.solve(np.ones(N), out=out, progress=fail)
    assert out.any() and solver.report.stopped == "interrupted"

    def again(*_):
        solver.solve(np.ones(N))

    with pytest.raises(RuntimeError, match="found one from inside it"):
        solver.solve(np.ones(N), progress=again)


def test_progress_bar(capsys):
    pytest.importorskip("tqdm")
    dwell.Solver(A, progress_interval=0).solve(np.ones(N), progress=True)
    assert "iteration" in capsys.readouterr().err


def test_mixed_precision():
    a = dwell.generate("poisson2d:40x30")
    b = np.random.default_rng(3).standard_normal(1200)
    solver = dwell.Solver(a, preconditioner="jacobi", rtol=1e-12, precision="mixed", device="cpu", history=True)
    x = solver.solve(b)
    report = solver.report
    assert report.precision == "mixed" and report.stopped == "converged" and report.refinements >= 1
    assert np.linalg.norm(b - a @ x) <= 1.1e-12 * np.linalg.norm(b)
    assert len(report.history) == report.iterations + 1
    assert x.dtype == np.float64
    y, info = dwell.cg(a, b, rtol=1e-10, M="jacobi", precision="mixed", device="cpu")
    assert info == 0 and np.linalg.norm(b - a @ y) <= 1.1e-10 * np.linalg.norm(b)
    with pytest.raises(ValueError, match="precision: expected None"):
        dwell.Solver(a, precision="f16")
    with pytest.raises(ValueError, match="^precision mixed: expected a system in f64"):
        dwell.Solver(a.astype(np.float32), precision="mixed", device="cpu")
    with pytest.raises(ValueError, match="^precision mixed: expected .*fixed_iterations"):
        dwell.Solver(a, precision="mixed", fixed_iterations=True, device="cpu")


@pytest.mark.parametrize("options, line", [
    (dict(preconditioner="jacobi", degree=5), "degree has no effect: it is of preconditioner chebyshev, and the preconditioner is jacobi"),
    (dict(preconditioner="auto", power=2), "power has no effect: it is of preconditioner fsai, and the preconditioner is jacobi"),
    (dict(preconditioner="jacobi", near_null=np.ones(90)), "near_null has no effect: it is of preconditioner amg, and the preconditioner is jacobi"),
    (dict(preconditioner="none", block_size=3), "block_size has no effect: it is of preconditioner block-jacobi, and of amg with near-null "
                                                "vectors, and the preconditioner is none"),
    (dict(restart=5), "restart has no effect: it is of method gmres, and the method is cg"),
    (dict(preconditioner="chebyshev", degree=5), None), (dict(preconditioner="amg", near_null=np.ones(90), block_size=1), None),
    (dict(method="gmres", restart=5), None), (dict(preconditioner="jacobi"), None)])
@pytest.mark.parametrize("columns", [1, 3])
def test_options_without_effect_are_told_as_by_the_command(options, line, columns):
    solver = dwell.Solver(dwell.generate("poisson2d:10x9"), device="cpu", threads=1, **options)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        solver.solve(np.ones((90, columns)))
    assert [str(one.message) for one in heard] == ([line] if line else [])
    assert all(one.category is dwell.SolveWarning for one in heard)


def test_null_vectors():
    part = dwell.generate("neumann2d:9x8")
    a = scipy.sparse.block_diag([part, 2 * part, part], format="csr")
    null = np.repeat(np.eye(3), 72, axis=0)
    b = np.random.default_rng(3).standard_normal(216)
    solver = dwell.Solver(a, rtol=1e-11, null_vectors=null @ [[1, 1, 0], [0, 1, 0], [0, 1, 2]], device="cpu")
    with pytest.warns(dwell.SolveWarning, match="in the span of null_vectors"):
        x = solver.solve(b)
    assert solver.report.null_space == "given" and solver.report.stopped == "converged"
    assert "orthogonal" in str(solver.report)
    want = np.linalg.lstsq(a.toarray(), b, rcond=1e-10)[0]
    assert np.linalg.norm(x - want) <= 1e-8 * np.linalg.norm(want)
    assert np.abs(null.T @ x).max() <= 1e-12 * np.linalg.norm(x)
    with pytest.raises(ValueError, match="null_vectors: expected shape"):
        dwell.Solver(a, null_vectors=null[:-1])
    with pytest.raises(ValueError, match="in the span"):
        dwell.Solver(a, null_vectors=null[:, [0, 0]], device="cpu")
    with pytest.raises(ValueError, match="takes to zero"):
        dwell.Solver(a, null_vectors=b, device="cpu")


def direct_systems():
    random = np.random.default_rng(5)
    for kind in ("definite", "indefinite", "unsymmetric"):
        a = scipy.sparse.random(60, 60, 0.05, format="csr", random_state=7)
        a = a if kind == "unsymmetric" else a + a.T
        signs = np.where(random.random(60) < 0.4, -1, 1) if kind != "definite" else 1
        yield scipy.sparse.csr_matrix(a + scipy.sparse.diags((1 + abs(a).sum(axis=1).A1) * signs))


def test_direct():
    for a in direct_systems():
        b = np.random.default_rng(2).standard_normal((60, 4))
        wanted = np.linalg.solve(a.toarray(), b)
        try:
            solver = dwell.Solver(a, method="direct", rtol=1e-12)
        except ValueError as e:  # built without Eigen
            assert "direct" in str(e)
            return
        x = solver.solve(b)
        assert np.allclose(x, wanted, rtol=0, atol=1e-11 * abs(wanted).max())
        assert solver.report.method == "direct" and solver.report.stopped == "converged"
        assert solver.report.factor_nonzeros >= 60 and solver.setup.factor_s > 0
        assert "factors" in repr(solver.report)
        solver.update_values(2 * a.data)
        assert np.allclose(2 * solver.solve(b), wanted, rtol=0, atol=1e-11 * abs(wanted).max())
    with pytest.raises(dwell.UnsupportedError, match="preconditioner: expected auto or none with method direct"):
        dwell.Solver(a, method="direct", preconditioner="jacobi")
    singular = scipy.sparse.csr_matrix(np.array([[1.0, -1, 0], [-1, 2, -1], [0, -1, 1]]))
    solver = dwell.Solver(singular, method="direct")
    with pytest.warns(dwell.SolveWarning, match="breakdown after 0 iterations: .*; the matrix is singular"):
        solver.solve(np.array([1.0, 0, 0]))
    assert solver.report.stopped == "breakdown" and "singular" in solver.report.advice
