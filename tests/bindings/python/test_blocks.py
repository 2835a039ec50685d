# SPDX-License-Identifier: MIT
"""Several right-hand sides in one call: one pass over the matrix for several, whatever their order, dtype and number."""
import signal
import threading
import warnings

import numpy as np
import pytest
import scipy.sparse.linalg

import dwell

KINDS = {"grid": "poisson2d:40x30", "sparse": "trefethen:700"}
ORDERS = {"C": np.ascontiguousarray, "F": np.asfortranarray, "strided": lambda b: np.repeat(b, 2, axis=1)[:, ::2]}


def block(matrix, k, seed):
    return np.random.default_rng(seed).standard_normal((matrix.shape[0], k))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("k", [1, 2, 3, 5, 8, 9])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32])
def test_cg_solves_every_column(order, k, dtype):
    kind = KINDS["grid" if k % 2 else "sparse"]
    a = dwell.generate(kind)
    b = ORDERS[order]((10 * block(a, k, 17 * k)).astype(dtype))
    if dtype is np.float32:
        a = a.astype(np.float32)
    rtol = 1e-4 if dtype is np.float32 else 1e-9
    x, info = dwell.cg(a, b, rtol=rtol, device="cpu", threads=2)
    assert info == 0 and x.shape == (a.shape[0], k) and x.dtype == (np.float32 if dtype is np.float32 else np.float64)
    for column in range(k):
        rest = np.linalg.norm(b[:, column] - a.astype(float) @ x[:, column].astype(float))
        assert rest <= 1.01 * rtol * np.linalg.norm(b[:, column].astype(float))


@pytest.mark.parametrize("name", ["minres", "bicgstab", "gmres"])
def test_the_other_methods_take_columns_one_by_one(name):
    a = dwell.generate("poisson2d:20x15")
    b = block(a, 3, 5)
    x, info = getattr(dwell, name)(a, b, rtol=1e-9, device="cpu")
    assert info == 0 and np.allclose(x, scipy.sparse.linalg.spsolve(a.tocsc(), b), atol=1e-6)
    with pytest.raises(TypeError, match="columns_at_once"):
        getattr(dwell, name)(a, b, columns_at_once=2)


@pytest.mark.parametrize("asked", [1, 2, 4, 8])
def test_as_many_together_as_asked(asked):
    a = dwell.generate(KINDS["grid"])
    solver = dwell.Solver(a, preconditioner="none", columns_at_once=asked, device="cpu", threads=2)
    x = solver.solve(block(a, 9, 3))
    together = [r.columns_together for r in solver.reports]
    assert together == [asked] * (9 // asked * asked) + [1] * (9 % asked)
    assert len(solver.reports) == 9 and all(r.stopped == "converged" for r in solver.reports)
    assert ("in a pass of" in repr(solver.reports[0])) == (asked > 1)
    # A second block of the same solver, and a solve of one column after it.
    assert solver.solve(block(a, 9, 3)).tobytes() == x.tobytes()
    alone = dwell.Solver(a, preconditioner="none", device="cpu", threads=2)
    b = block(a, 1, 4)[:, 0]
    assert solver.solve(b).tobytes() == alone.solve(b).tobytes()


def test_bits_do_not_depend_on_the_columns_beside():
    a = dwell.generate(KINDS["grid"])
    b = block(a, 4, 8)
    solver = dwell.Solver(a, preconditioner="none", columns_at_once=4, device="cpu", threads=2)
    x = solver.solve(b)
    other = b.copy()
    other[:, 2] = 1e9
    assert solver.solve(other)[:, [0, 1, 3]].tobytes() == x[:, [0, 1, 3]].tobytes()


def test_a_number_out_of_range_is_refused():
    with pytest.raises(ValueError, match="columns_at_once: expected 0 .as planned., 1, 2, 4 or 8, found 3"):
        dwell.Solver(dwell.generate("poisson2d:5x4"), columns_at_once=3)


@pytest.mark.parametrize("together", [1, 4])
def test_a_column_that_does_not_converge_is_named(together):
    a = dwell.generate(KINDS["grid"])
    b = np.zeros((1200, 4))
    b[:, 0] = a @ np.ones(1200)
    b[:, 1:] = block(a, 3, 6)
    easy = np.linalg.eigh(a.toarray())[1][:, 0]
    b[:, [0, 3]] = np.stack([easy, 3 * easy], axis=1)  # eigenvectors take one iteration
    solver = dwell.Solver(a, preconditioner="none", columns_at_once=together, maxiter=5, device="cpu", threads=2)
    with pytest.warns(dwell.SolveWarning, match=r"2 of 4 right-hand sides did not converge: columns 1, 2 \(counted from 0\)"):
        x = solver.solve(b)
    assert [r.stopped for r in solver.reports] == ["converged", "iteration limit", "iteration limit", "converged"]
    assert np.allclose(a @ x[:, 3], b[:, 3], atol=1e-4)
    with pytest.warns(dwell.SolveWarning, match="did not converge"):
        _, info = dwell.cg(a, b, columns_at_once=together, maxiter=5, device="cpu")
    assert info == 5
    with warnings.catch_warnings():
        warnings.simplefilter("error", dwell.SolveWarning)
        assert dwell.cg(a, b[:, 1], maxiter=5, device="cpu")[1] == 5, "of one right-hand side info says it"


def test_a_matrix_that_is_not_definite_breaks_every_column_down():
    a = dwell.generate("helmholtz2d:31x23:1.2")
    with pytest.warns(dwell.SolveWarning, match="2 of 2 right-hand sides did not converge: columns 0, 1 .*breakdown"):
        _, info = dwell.cg(a, block(a, 2, 1), device="cpu")
    assert info == -10
    with pytest.raises(dwell.Breakdown), warnings.catch_warnings():
        warnings.simplefilter("ignore", dwell.SolveWarning)
        dwell.Solver(a, preconditioner="none", device="cpu").solve(block(a, 2, 1), raise_on_breakdown=True)


@pytest.mark.parametrize("together", [0, 1, 2])
@pytest.mark.parametrize("start", [None, "one", "each"])
def test_a_column_of_zeros_has_the_answer_zero(together, start):
    a = dwell.generate(KINDS["grid"])
    b = block(a, 3, 2)
    b[:, 1] = 0
    x0 = None if start is None else np.ones(1200) if start == "one" else np.ones((1200, 3))
    x, info = dwell.cg(a, b, x0, columns_at_once=together, device="cpu")
    assert info == 0 and not x[:, 1].any() and np.allclose(a @ x, b, atol=1e-3)
    x, info = dwell.cg(a, np.zeros((1200, 3)), x0, columns_at_once=together, device="cpu")
    assert info == 0 and x.shape == (1200, 3) and not x.any()


def test_shapes_that_do_not_fit():
    a = dwell.generate("poisson2d:5x4")
    for shape in [(), (19,), (19, 2), (20, 2, 1)]:
        with pytest.raises(ValueError, match=r"b: expected shape \(20,\), \(20, 1\) or \(20, k\), found"):
            dwell.cg(a, np.ones(shape))
    with pytest.raises(ValueError, match=r"x0: expected shape \(20,\), \(20, 1\) or \(20, 3\), found \(20, 2\)"):
        dwell.cg(a, np.ones((20, 3)), np.ones((20, 2)))
    x, info = dwell.cg(a, np.ones((20, 0)))
    assert x.shape == (20, 0) and info == 0


def test_a_progress_function_is_told_of_one_column_after_the_other():
    a = dwell.generate(KINDS["grid"])
    told = []
    solver = dwell.Solver(a, preconditioner="none", progress_interval=0, device="cpu", threads=2)
    solver.solve(block(a, 3, 9), progress=lambda *now: told.append(now[0]))
    assert told.count(0) == 3 and [r.columns_together for r in solver.reports] == [1, 1, 1]
    solver.solve(block(a, 2, 9))
    assert [r.columns_together for r in solver.reports] == [2, 2], "without one they go together again"


@pytest.fixture
def interruptible():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.skipif(threading.current_thread() is not threading.main_thread(), reason="signals go to the main thread")
@pytest.mark.parametrize("together", [1, 8])
def test_ctrl_c_ends_a_block(together, interruptible):
    a = dwell.generate("poisson2d:700x600")
    b = block(a, 8, 1)
    out = np.zeros_like(b, order="F")
    solver = dwell.Solver(a, preconditioner="none", rtol=0.0, maxiter=10**6, refine=False, columns_at_once=together, device="cpu", threads=2)
    timer = threading.Timer(0.5, lambda: signal.pthread_kill(threading.main_thread().ident, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        solver.solve(b, out=out)
    assert solver.reports[-1].stopped == "interrupted" and len(solver.reports) == together and out[:, 0].any()
    assert not out[:, together:].any(), "the others have not begun"
    short = dwell.Solver(a, preconditioner="none", maxiter=3, columns_at_once=together, device="cpu")
    with pytest.warns(dwell.SolveWarning):
        short.solve(b)
    assert [r.stopped for r in short.reports] == ["iteration limit"] * 8
