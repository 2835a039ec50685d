# SPDX-License-Identifier: MIT
"""dwell.cg beside scipy.sparse.linalg.cg."""
from contextlib import nullcontext

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from oracles import random_spd, residual

import dwell


@pytest.mark.parametrize("seed", range(200))
def test_random_systems_as_scipy(seed):
    dtype = np.float32 if seed % 4 == 3 else np.float64
    a = random_spd(seed, dtype=dtype)
    n = a.shape[0]
    random = np.random.default_rng(seed)
    b = random.standard_normal((n, 1) if seed % 3 == 2 else n).astype(dtype)
    x0 = random.standard_normal(n).astype(dtype) if seed % 2 else None
    rtol = 1e-5 if dtype == np.float32 else 1e-9
    x, info = dwell.cg(a, b, x0, rtol=rtol, M="jacobi" if seed % 5 == 0 else None)
    wanted, wanted_info = scipy.sparse.linalg.cg(a, b, x0, rtol=rtol)
    assert (info, wanted_info) == (0, 0)
    assert x.shape == b.shape and x.dtype == wanted.dtype
    assert residual(a, x, b) <= rtol * np.linalg.norm(b.astype(np.float64)) * (1 + 1e-6)
    scale = float(np.abs(wanted).max()) + 1e-30
    assert np.abs(x.ravel() - wanted.ravel()).max() <= (1e-3 if dtype == np.float32 else 1e-6) * scale


@pytest.mark.parametrize("name", ["LF10", "LFAT5", "Trefethen_20b", "494_bus", "Trefethen_2000"])
def test_real_systems_as_scipy(matrices, name):
    a = dwell.read_matrix(matrices / f"{name}.mtx.gz")
    b = a.sum(axis=1)
    x, info = dwell.cg(a, b, rtol=1e-8, M="jacobi")
    assert info == 0 and residual(a, x, b) <= 1e-8 * np.linalg.norm(b) * (1 + 1e-6)
    inverse = scipy.sparse.diags_array(1 / a.diagonal())
    wanted, wanted_info = scipy.sparse.linalg.cg(a, b, rtol=1e-8, M=inverse)
    assert wanted_info == 0
    assert residual(a, x, b) <= 2 * max(residual(a, wanted, b), 1e-8 * np.linalg.norm(b))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
@pytest.mark.parametrize("kind", [scipy.sparse.csr_array, scipy.sparse.csr_matrix])
def test_any_format(form, kind):
    a = random_spd(7, 40)
    b = np.arange(1.0, a.shape[0] + 1)
    assert np.array_equal(dwell.cg(kind(a).asformat(form), b)[0], dwell.cg(a, b)[0])


def test_dense_and_arrays():
    a = random_spd(8)
    b = np.ones(a.shape[0])
    x = dwell.cg(a, b)[0]
    assert np.array_equal(dwell.cg(a.toarray(), b)[0], x)
    assert np.array_equal(dwell.cg((a.indptr, a.indices, a.data), b)[0], x)
    assert np.array_equal(dwell.cg((a.indptr.astype(np.int64), a.indices.astype(np.int64), a.data), list(b))[0], x)


def test_unsorted_and_repeated_entries_are_put_right_in_a_copy():
    a = scipy.sparse.csr_matrix(([1.0, 3.0, 1.0, 5.0], [0, 0, 1, 1], [0, 2, 4]), shape=(2, 2))
    a.indices[2:] = [1, 1]
    before = a.data.copy()
    x, info = dwell.cg(a, [4.0, 6.0])
    assert info == 0 and np.allclose(x, [1, 1]) and np.array_equal(a.data, before)


@pytest.mark.parametrize("matrix,rhs,answer", [("i8", "i4", "f8"), ("f4", "f4", "f4"), ("f4", "f8", "f8"),
                                              ("f8", "f4", "f8"), ("f4", "i4", "f8"), ("i4", "f4", "f8")])
def test_dtypes_as_scipy(matrix, rhs, answer):
    a = scipy.sparse.csr_array(np.array([[4, 1], [1, 3]]), dtype=matrix)
    b = np.array([1, 2], rhs)
    assert dwell.cg(a, b)[0].dtype == scipy.sparse.linalg.cg(a, b)[0].dtype == np.dtype(answer)


def test_no_right_hand_side_is_answered_by_zeros():
    a = random_spd(9)
    n = a.shape[0]
    x, info = dwell.cg(a, np.zeros(n), np.ones(n))
    assert info == 0 and not x.any()


def test_inputs_stay():
    a, b, x0 = random_spd(10, 30), np.ones(30), np.full(30, 2.0)
    data = a.data.copy()
    dwell.cg(a, b, x0)
    assert (b == 1).all() and (x0 == 2).all() and np.array_equal(a.data, data)


def test_atol_and_a_start_that_is_the_answer():
    a = random_spd(11, 40)
    x = np.linspace(1, 2, 40)
    again, info = dwell.cg(a, a @ x, x, rtol=0, atol=1e-8)
    assert info == 0 and np.array_equal(again, x)


def test_too_few_iterations():
    a = dwell.generate("poisson2d:30x30")
    x, info = dwell.cg(a, np.ones(900), rtol=1e-12, maxiter=7)
    assert info == 7 and 1e-12 * 30 < residual(a, x, np.ones(900)) <= 30 * (1 + 1e-12)


def test_info_is_of_the_true_residual():
    """In float32 the carried residual goes on falling where the true one cannot."""
    a = dwell.generate("poisson2d:60x60").astype(np.float32)
    b = np.ones(3600, np.float32)
    x, info = dwell.cg(a, b, rtol=1e-7, maxiter=5000)
    reached = residual(a, x, b) <= 1e-7 * np.linalg.norm(b.astype(np.float64))
    assert (info == 0) == reached
    with nullcontext() if reached else pytest.warns(dwell.SolveWarning, match="accuracy limit .* wanted 1.00e-07"):
        assert dwell.Solver(a, rtol=1e-7).solve(b).dtype == np.float32


def test_breakdown():
    a = scipy.sparse.csr_array(np.array([[1.0, 3.0], [3.0, 1.0]]))
    assert dwell.cg(a, [1.0, -1.0])[1] == -10
    with pytest.raises(dwell.Breakdown, match="breakdown") as caught:
        dwell.Solver(a).solve([1.0, -1.0], raise_on_breakdown=True)
    assert caught.value.report.stopped == "breakdown" and caught.value.x.shape == (2,)


A = random_spd(12, 5)
B = np.ones(5)


@pytest.mark.parametrize("error,words,call", [
    (TypeError, "LinearOperator", lambda: dwell.cg(scipy.sparse.linalg.aslinearoperator(A), B)),
    (TypeError, "expected a sparse matrix", lambda: dwell.cg(lambda x: x, B)),
    (TypeError, "M: expected the name", lambda: dwell.cg(A, B, M=A)),
    (TypeError, "M: expected the name", lambda: dwell.cg(A, B, M=lambda r: r)),
    (ValueError, "none, jacobi, found 'ilu'|jacobi.*ilu|ilu", lambda: dwell.cg(A, B, M="ilu")),
    (NotImplementedError, "progress=function", lambda: dwell.cg(A, B, callback=print)),
    (ValueError, r"b: expected shape \(5,\)", lambda: dwell.cg(A, np.ones(4))),
    (ValueError, r"b: expected shape", lambda: dwell.cg(A, np.ones((4, 2)))),
    (ValueError, r"x0: expected shape", lambda: dwell.cg(A, B, np.ones(6))),
    (ValueError, "maxiter: expected 1", lambda: dwell.cg(A, B, maxiter=0)),
    (ValueError, "maxiter: expected 1", lambda: dwell.cg(A, B, maxiter=2**31)),
    (ValueError, "rtol", lambda: dwell.cg(A, B, rtol=-1.0)),
    (ValueError, "atol", lambda: dwell.cg(A, B, atol=float("nan"))),
    (ValueError, "executor", lambda: dwell.cg(A, B, executor="fast")),
    (ValueError, "variant|form", lambda: dwell.cg(A, B, variant="fast")),
    pytest.param(ValueError, "policy", lambda: dwell.cg(A, B, executor="perks", policy="fast"), marks=pytest.mark.cpu_caching),
    (ValueError, "device: expected", lambda: dwell.cg(A, B, device="gpu")),
    (TypeError, "device: expected", lambda: dwell.cg(A, B, device=0)),
    (ValueError, "symmetric", lambda: dwell.cg(scipy.sparse.csr_array([[2.0, 1.0], [0.0, 2.0]]), B[:2])),
    (ValueError, "square|rows", lambda: dwell.cg(scipy.sparse.csr_array(np.ones((2, 3))), B[:2])),
    (ValueError, "diagonal", lambda: dwell.cg(scipy.sparse.csr_array([[-2.0]]), B[:1])),
    (ValueError, "right-hand side", lambda: dwell.cg(A, B * np.nan)),
    (ValueError, "start vector", lambda: dwell.cg(A, B, B * np.inf)),
    (ValueError, "indices: expected 9", lambda: dwell.cg((np.array([0, 9]), np.array([0]), np.ones(1)), B[:1])),
    (ValueError, "indptr", lambda: dwell.cg((np.array([0, -1]), np.array([0]), np.ones(1)), B[:1])),
    (TypeError, "indptr: expected integers", lambda: dwell.cg((np.array([0.0, 1]), np.array([0]), np.ones(1)), B[:1])),
    (TypeError, "progress: expected True", lambda: dwell.cg(A, B, progress=3)),
    (TypeError, "unexpected keyword", lambda: dwell.cg(A, B, tol=1e-5)),
])
def test_refusals(error, words, call):
    with pytest.raises(error, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(any(d.backend == "cuda" for d in dwell.devices()), reason="there is a GPU")
def test_an_absent_gpu_is_a_device_error():
    with pytest.raises(dwell.DeviceError):
        dwell.cg(A, B, device="cuda")


def test_unsupported_is_a_value_error_of_its_own():
    with pytest.raises(dwell.UnsupportedError):
        dwell.Solver(A, device="cpu", executor="graph")
    assert issubclass(dwell.UnsupportedError, ValueError) and issubclass(dwell.DeviceError, RuntimeError)


@pytest.mark.parametrize("kind", ["convection2d:40x30:20", "helmholtz2d:31x23:1.2"])
def test_bicgstab_is_that_of_scipy(kind):
    a = dwell.generate(kind)
    b = np.linspace(-1, 2, a.shape[0])
    x, info = dwell.bicgstab(a, b, rtol=1e-9, device="cpu")
    assert info == 0 and np.linalg.norm(b - a @ x) <= 1.1e-9 * np.linalg.norm(b)
    y, theirs = scipy.sparse.linalg.bicgstab(a, b, rtol=1e-9)
    assert theirs == 0 and np.linalg.norm(x - y) <= 1e-5 * np.linalg.norm(y)


@pytest.mark.parametrize("restart", [None, 7, 200])
def test_gmres_is_that_of_scipy(restart):
    a = dwell.generate("convection2d:40x30:20")
    b = np.linspace(-1, 2, a.shape[0])
    x, info = dwell.gmres(a, b, rtol=1e-9, restart=restart, device="cpu")
    assert info == 0 and np.linalg.norm(b - a @ x) <= 1.1e-9 * np.linalg.norm(b)
    y, theirs = scipy.sparse.linalg.gmres(a, b, rtol=1e-9, restart=restart)
    assert theirs == 0 and np.linalg.norm(x - y) <= 1e-5 * np.linalg.norm(y)
    x, info = dwell.gmres(a, b, rtol=1e-9, restart=5, maxiter=2, device="cpu")
    assert info == 10, "two restarts of five iterations"


class Columns(scipy.sparse.csc_array):
    """Counts how often it is converted to rows."""
    conversions = 0

    def tocsr(self, copy=False):
        Columns.conversions += 1
        return super().tocsr(copy=copy)


@pytest.mark.parametrize("name", ["cg", "minres", "bicgstab", "gmres"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex128])
def test_matrices_are_converted_once(name, dtype):
    if (name, dtype) == ("minres", np.complex128):
        pytest.skip("minres is for real matrices")
    a = Columns(dwell.generate("poisson2d:9x8").astype(dtype))
    Columns.conversions = 0
    _, info = getattr(dwell, name)(a, np.ones(72, dtype), rtol=1e-4, device="cpu")
    assert (info, Columns.conversions) == (0, 1)


def test_minres_is_that_of_scipy():
    a = dwell.generate("helmholtz2d:31x23:1.2")
    b = np.linspace(-1, 2, a.shape[0])
    for m in (None, "jacobi"):
        x, info = dwell.minres(a, b, rtol=1e-9, M=m, device="cpu")
        assert info == 0 and np.linalg.norm(b - a @ x) <= 1.1e-9 * np.linalg.norm(b)
    y, theirs = scipy.sparse.linalg.minres(a, b, rtol=1e-12)
    assert theirs == 0 and np.linalg.norm(x - y) <= 1e-5 * np.linalg.norm(y)


def test_auto_says_which_method_and_why():
    b = np.ones(713)
    solver = dwell.Solver(dwell.generate("helmholtz2d:31x23:1.2"), method="auto", device="cpu")
    solver.solve(b)
    assert solver.report.method == "minres" and "cg broke down" in solver.report.method_reason
    assert "minres" in repr(solver.report)
    solver = dwell.Solver(dwell.generate("convection2d:31x23:5"), method="auto", device="cpu")
    solver.solve(b)
    assert solver.report.method == "bicgstab"


@pytest.mark.parametrize("what, call", [
    ("symmetric", lambda: dwell.minres(dwell.generate("convection2d:9x9:5"), np.ones(81), device="cpu")),
    ("asks for it", lambda: dwell.bicgstab(dwell.generate("convection2d:9x9:5"), np.ones(81), M="amg", device="cpu")),
    ("restart: expected 1 to 500, found 501", lambda: dwell.gmres(A, B, restart=501, device="cpu")),
    ("expected a method", lambda: dwell.Solver(A, method="gauss", device="cpu")),
])
def test_methods_refuse_by_name(what, call):
    with pytest.raises((ValueError, dwell.UnsupportedError), match=what):
        call()


@pytest.mark.parametrize("call, kind, M, options", [
    ("cg", "elasticity2d:20x15", "block-jacobi", {"block_size": 4}),
    ("cg", "poisson2d:31x23", "chebyshev", {"degree": 7}),
    ("cg", "poisson2d:31x23", "fsai", {"power": 2}),
    ("minres", "poisson2d:31x23", "chebyshev", {"degree": 2}),
    ("minres", "poisson2d:31x23", "fsai", {"power": 2}),
    ("bicgstab", "convection2d:31x23:20", "ilu0", {"factor_sweeps": 1}),
    ("gmres", "convection2d:31x23:20", "ilu0", {"sweeps": 1}),
    ("bicgstab", "convection2d:32x23:20", "block-jacobi", {"block_size": 8}),
    ("gmres", "convection2d:32x23:20", "block-jacobi", {"block_size": 8}),
    ("bicgstab", "poisson2d:31x23", "chebyshev", {"degree": 2}),
    ("gmres", "poisson2d:31x23", "fsai", {"power": 2}),
])
def test_options_of_preconditioners_are_those_of_a_solver(call, kind, M, options):
    a = dwell.generate(kind)
    b = np.sin(1 + np.arange(a.shape[0]))
    place = {"rtol": 1e-9, "device": "cpu", "threads": 1}
    size = {"restart": 20} if call == "gmres" else {}
    x, info = getattr(dwell, call)(a, b, M=M, **options, **size, **place)
    solver = dwell.Solver(a, method=call, preconditioner=M, **options, **size, **place)
    assert info == 0 and np.array_equal(x, solver.solve(b))
    assert not np.array_equal(x, getattr(dwell, call)(a, b, M=M, **size, **place)[0]), "and not without them"


@pytest.mark.parametrize("call", ["cg", "minres"])
def test_near_null_vectors_are_those_of_a_solver(call):
    kind = "elasticity2d:40x30"
    a, modes = dwell.generate(kind), dwell.rigid_body_modes(dwell.generated_coordinates(kind))
    b = np.sin(1 + np.arange(a.shape[0]))
    options = {"near_null": modes, "block_size": 2, "rtol": 1e-8, "device": "cpu", "threads": 1}
    x, info = getattr(dwell, call)(a, b, M="amg", **options)
    solver = dwell.Solver(a, method=call, preconditioner="amg", **options)
    assert info == 0 and np.array_equal(x, solver.solve(b))
    with pytest.raises(ValueError, match="near_null: expected shape"):
        getattr(dwell, call)(a, b, M="amg", near_null=modes[:-1], device="cpu")


def test_options_that_no_preconditioner_of_a_method_has_are_no_arguments():
    with pytest.raises(TypeError, match="sweeps"):
        dwell.cg(A, B, M="jacobi", sweeps=2)
    with pytest.raises(ValueError, match="degree: expected 1 to 16, found 17"):
        dwell.cg(A, B, M="chebyshev", degree=17, device="cpu")
    for wrong, words in ((dict(degree=99), "degree: expected 1 to 16, found 99"), (dict(block_size=-1), "block_size: expected 1 to 32"),
                         (dict(sweeps=17), "sweeps: expected 0 to 16, found 17")):
        for preconditioner in ("jacobi", "auto"):
            with pytest.raises(ValueError, match=words):
                dwell.Solver(A, preconditioner=preconditioner, device="cpu", **wrong)
