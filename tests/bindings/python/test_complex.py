# SPDX-License-Identifier: MIT
"""Complex matrices and right-hand sides: answers beside SciPy's direct solver, dtypes, orders, strides, refusals."""
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

import dwell

METHODS = ("cg", "bicgstab", "gmres")


def random_matrix(seed, n, hermitian):
    rng = np.random.default_rng(seed)
    a = scipy.sparse.random(n, n, min(1, 4 / n), random_state=rng, format="csr").astype(complex)
    a.data = rng.normal(size=a.nnz) + 1j * rng.normal(size=a.nnz)
    if hermitian:
        a = a + a.conj().T
    size = np.asarray(abs(a).sum(axis=1)).reshape(-1) + 1
    angle = 0 if hermitian else rng.uniform(-1, 1, n)
    return (a + scipy.sparse.diags(size * np.exp(1j * angle))).tocsr()


def random_rhs(seed, *shape):
    rng = np.random.default_rng(seed)
    return rng.normal(size=shape) + 1j * rng.normal(size=shape)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("n", (1, 2, 37, 300))
@pytest.mark.parametrize("dtype", (np.complex128, np.complex64))
def test_answers_are_those_of_a_direct_solver(method, n, dtype):
    a = random_matrix(n, n, method == "cg")
    b = random_rhs(n, n)
    expected = np.linalg.solve(a.toarray(), b)
    single = dtype == np.complex64
    x, info = getattr(dwell, method)(a.astype(dtype), b.astype(dtype), rtol=1e-5 if single else 1e-11)
    assert info == 0 and x.dtype == dtype and x.shape == (n,)
    assert np.linalg.norm(x - expected) <= (1e-3 if single else 1e-8) * np.linalg.norm(expected)


@pytest.mark.parametrize("method", ("bicgstab", "gmres"))
@pytest.mark.parametrize("dtype", (np.complex128, np.complex64))
def test_incomplete_factors(method, dtype):
    a, b = random_matrix(11, 200, False).astype(dtype), random_rhs(12, 200).astype(dtype)
    solver = dwell.Solver(a, device="cpu", method=method, preconditioner="ilu0", rtol=1e-5)
    x = solver.solve(b)
    assert solver.report.preconditioner == "ilu0" and x.dtype == dtype
    assert np.linalg.norm(a.astype(complex) @ x - b) <= 1e-4 * np.linalg.norm(b)


@pytest.mark.parametrize("method", METHODS)
def test_a_matrix_is_not_taken_for_its_conjugate(method):
    a, b = random_matrix(3, 90, method == "cg"), random_rhs(4, 90)
    other = np.linalg.solve(a.conj().toarray(), b)
    x, info = getattr(dwell, method)(a, b, rtol=1e-11)
    assert info == 0 and np.linalg.norm(x - other) > 0.1 * np.linalg.norm(x)
    assert np.linalg.norm(a @ x - b) <= 1e-10 * np.linalg.norm(b)


@pytest.mark.parametrize("make", (scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array, scipy.sparse.bsr_array,
                                  lambda a: (a.indptr, a.indices, a.data), lambda a: a.toarray()))
def test_every_format_of_a_matrix(make):
    a, b = random_matrix(5, 40, False), random_rhs(6, 40)
    solver = dwell.Solver(make(a), method="auto", rtol=1e-11)
    assert solver.dtype == np.complex128
    x = solver.solve(b)
    assert np.linalg.norm(a @ x - b) <= 1e-10 * np.linalg.norm(b)
    assert solver.report.method == "bicgstab" and solver.report.precision == "complex f64"
    assert solver.report.preconditioner == "jacobi"


def test_columns_orders_and_strides():
    a, b = random_matrix(7, 50, True), random_rhs(8, 50, 3)
    solver = dwell.Solver(a, rtol=1e-12)
    expected = np.linalg.solve(a.toarray(), b)
    for given in (b, np.asfortranarray(b), np.repeat(b, 2, axis=0)[::2], np.repeat(b, 2, axis=1)[:, ::2], b[::-1][::-1]):
        x = solver.solve(given)
        assert x.shape == b.shape and np.allclose(x, expected, rtol=1e-9, atol=1e-9)
        assert len(solver.reports) == 3
    out = np.zeros((50, 3), complex, order="F")
    assert solver.solve(b, x0=expected, out=out) is out and solver.report.iterations == 0
    reversed_b = b[::-1, 0]
    assert np.allclose(solver.solve(reversed_b), np.linalg.solve(a.toarray(), reversed_b))
    assert np.allclose(solver.solve(b[:, :1]), expected[:, :1]) and solver.solve(b[:, :1]).shape == (50, 1)


def test_arrays_that_are_not_aligned_as_complex_numbers_are():
    a, b = random_matrix(9, 60, False), random_rhs(10, 60)
    raw = np.zeros(16 * a.nnz + 8, np.uint8)
    data = raw[8:8 + 16 * a.nnz].view(np.complex128)
    data[:] = a.data
    x = dwell.Solver((a.indptr, a.indices, data), method="gmres", rtol=1e-11).solve(b)
    assert np.linalg.norm(a @ x - b) <= 1e-10 * np.linalg.norm(b)


def test_what_is_real_becomes_complex_beside_what_is_complex():
    a = random_matrix(11, 30, True)
    b = np.arange(30)
    x, info = dwell.cg(a, b, rtol=1e-11)
    assert info == 0 and x.dtype == np.complex128 and np.allclose(a @ x, b)
    real = (a + a.conj()).real.tocsr()
    x, info = dwell.cg(real, b * 1j, rtol=1e-11)
    assert info == 0 and np.allclose(real @ x, b * 1j) and np.allclose(x.real, 0)
    x, info = dwell.cg(a.astype(np.complex64), b.astype(np.float32), rtol=1e-4)
    assert info == 0 and x.dtype == np.complex64


@pytest.mark.parametrize("method", METHODS)
def test_iterations_are_about_those_of_scipy(method):
    a, b = random_matrix(13, 250, method == "cg"), random_rhs(14, 250)
    count = [0]

    def step(_):
        count[0] += 1

    more = {"callback_type": "pr_norm", "restart": 50} if method == "gmres" else {}
    _, info = getattr(scipy.sparse.linalg, method)(a, b, rtol=1e-9, callback=step, **more)
    assert info == 0
    solver = dwell.Solver(a, method=method, preconditioner="none", rtol=1e-9, **({"restart": 50} if method == "gmres" else {}))
    solver.solve(b)
    assert abs(solver.report.iterations - count[0]) <= 2 + 0.2 * count[0]


def test_progress_history_and_limits():
    a, b = random_matrix(15, 200, True), random_rhs(16, 200)
    heard = []
    solver = dwell.Solver(a, rtol=1e-10, history=True, progress_interval=0)
    solver.solve(b, progress=lambda *now: heard.append(now[0]))
    assert heard[:3] == [0, 1, 2] and len(solver.report.history) == solver.report.iterations + 1
    with pytest.warns(dwell.SolveWarning, match="more iterations"):
        dwell.Solver(a, rtol=1e-12, maxiter=2).solve(b)


SYSTEM = random_matrix(17, 20, True)


@pytest.mark.parametrize("error,words,call", [
    (ValueError, "expected a Hermitian one", lambda: dwell.cg(random_matrix(18, 20, False), np.ones(20))),
    (dwell.UnsupportedError, "preconditioner: expected none, jacobi, ilu0, auto for a complex matrix, found amg",
     lambda: dwell.cg(SYSTEM, np.ones(20), M="amg")),
    (dwell.UnsupportedError, "method: expected auto, cg, bicgstab or gmres", lambda: dwell.minres(SYSTEM, np.ones(20))),
    (dwell.UnsupportedError, "update_values: expected a solver of real numbers",
     lambda: dwell.Solver(SYSTEM).update_values(SYSTEM.data)),
    (dwell.UnsupportedError, "explain: expected a solver of real numbers", lambda: dwell.Solver(SYSTEM).explain()),
    (TypeError, "b: expected complex64, found complex128",
     lambda: dwell.Solver(SYSTEM.astype(np.complex64)).solve(np.ones(20, complex))),
    (TypeError, "b: expected complex64, found float64", lambda: dwell.Solver(SYSTEM.astype(np.complex64)).solve(np.ones(20))),
    (TypeError, "b: expected real numbers, found complex128", lambda: dwell.Solver(SYSTEM.real.tocsr()).solve(np.ones(20, complex))),
    (TypeError, "expected complex64 or complex128", lambda: dwell.cg(SYSTEM.toarray().astype(np.clongdouble), np.ones(20))),
    (TypeError, "A: expected real numbers, found complex128", lambda: dwell.Product(SYSTEM)),
    (ValueError, "finite", lambda: dwell.cg(SYSTEM, np.full(20, 1j * np.inf))),
])
def test_refusals(error, words, call):
    with pytest.raises(error, match=words):
        call()
