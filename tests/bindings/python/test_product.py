# SPDX-License-Identifier: MIT
"""dwell.Product beside SciPy's: shapes, dtypes, orders and libraries at random, and what is refused."""
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

import dwell


def _random(rng, rows, cols, dtype=np.float64):
    a = scipy.sparse.random(rows, cols, density=min(1.0, 4 / max(cols, 1)), random_state=rng, format="csr")
    a.data = rng.uniform(-1, 1, a.nnz)
    return a.astype(dtype)


@pytest.mark.parametrize("seed", range(12))
def test_agrees_with_scipy(seed):
    rng = np.random.default_rng(seed)
    rows, cols = rng.integers(1, 400, 2)
    dtype = rng.choice([np.float32, np.float64])
    A = _random(rng, rows, cols, dtype)
    given = {0: A, 1: A.tocsc(), 2: A.tocoo(), 3: A.toarray(), 4: scipy.sparse.csr_array(A)}[seed % 5]
    p = dwell.Product(given, device="cpu", threads=int(rng.integers(0, 4)))
    assert p.shape == (rows, cols) and p.dtype == dtype
    columns = [(), (1,), (3,)][seed % 3]
    x = np.asarray(rng.uniform(-1, 1, (cols, *columns)), dtype, order=rng.choice(["C", "F"]))
    tolerance = dict(rtol=0, atol=200 * np.finfo(dtype).eps)
    y = p @ x
    assert y.dtype == dtype and y.shape == (rows, *columns)
    np.testing.assert_allclose(y, A @ x, **tolerance)
    np.testing.assert_array_equal(p.matvec(x), y)
    out = np.asarray(rng.uniform(-1, 1, y.shape), dtype, order="F")
    expected = 2 * (A @ x) - 0.5 * out
    assert p.apply(x, out, alpha=2, beta=-0.5) is out
    np.testing.assert_allclose(out, expected, **tolerance)


def test_whole_numbers_and_lists_are_taken():
    p = dwell.Product(scipy.sparse.csr_array(np.array([[1, 2, 0], [0, 0, 3]])), device="cpu")
    assert p.dtype == np.float64
    np.testing.assert_array_equal(p @ [1, 2, 3], [5, 9])


def test_beta_zero_does_not_read_out():
    p = dwell.Product(scipy.sparse.eye_array(5, format="csr"), device="cpu")
    out = np.full(5, np.nan)
    p.apply(np.arange(5.0), out)
    np.testing.assert_array_equal(out, np.arange(5.0))


def test_matrix_is_read_in_place_and_kept_alive():
    A = dwell.generate("poisson2d:30x20")
    x = np.ones(600)
    expected = A @ x
    p = dwell.Product(A, device="cpu")
    A.data *= 2
    np.testing.assert_allclose(p @ x, 2 * expected)
    del A
    np.testing.assert_allclose(p @ x, 2 * expected)


def test_is_a_linear_operator_of_scipy():
    A = dwell.generate("poisson2d:15x10")
    operator = scipy.sparse.linalg.aslinearoperator(dwell.Product(A, device="cpu"))
    largest = scipy.sparse.linalg.eigsh(operator, k=1, which="LM", return_eigenvectors=False)
    np.testing.assert_allclose(largest, scipy.sparse.linalg.eigsh(A, k=1, which="LM", return_eigenvectors=False))


def test_report():
    p = dwell.Product(dwell.generate("poisson2d:15x10"), device="cpu", threads=2)
    assert p.report.teams == 2 and p.report.bytes > 0 and p.report.setup_s > 0 and "2 threads" in p.report.reason
    assert repr(p) == "<dwell.Product: 150 x 150, float64, cpu>"


def test_torch_arrays_of_the_host():
    torch = pytest.importorskip("torch")
    A = dwell.generate("poisson2d:15x10")
    y = dwell.Product(A, device="cpu") @ torch.ones(150, dtype=torch.float64)
    assert isinstance(y, torch.Tensor)
    np.testing.assert_allclose(y.numpy(), A @ np.ones(150))


@pytest.mark.parametrize("call, error, words", [
    (lambda p: p @ np.ones(5), ValueError, r"x: expected shape \(4,\), \(4, 1\) or \(4, k\), found \(5,\)"),
    (lambda p: p @ np.ones((4, 2, 1)), ValueError, r"found \(4, 2, 1\)"),
    (lambda p: p @ (1j * np.ones(4)), TypeError, "x: expected real numbers, found complex128"),
    (lambda p: p.apply(np.ones(4), np.ones(4)), ValueError, r"out: expected shape \(3,\), found \(4,\)"),
    (lambda p: p.apply(np.ones(4), np.ones(3, np.float32)), TypeError, "out: expected an array of float64"),
    (lambda p: p.apply(np.ones(4), beta=1), ValueError, "beta: expected 0 without out, found 1.0"),
    (lambda p: p.apply(np.ones((4, 2)), np.ones((3, 2))), ValueError, "out: expected a contiguous array in Fortran order"),
])
def test_refusals(call, error, words):
    p = dwell.Product(scipy.sparse.csr_array(np.ones((3, 4))), device="cpu")
    with pytest.raises(error, match=words):
        call(p)


def test_refuses_its_own_memory_and_narrower_numbers():
    p = dwell.Product(scipy.sparse.csr_array(np.ones((4, 4), np.float32)), device="cpu")
    x = np.ones(4, np.float32)
    with pytest.raises(ValueError, match="out: expected memory of its own, found that of x"):
        p.apply(x, x)
    with pytest.raises(TypeError, match="x: expected float32, found float64"):
        p @ np.ones(4)
    with pytest.raises(ValueError):
        dwell.Product(scipy.sparse.csr_array(np.array([[np.inf]])), device="cpu")
