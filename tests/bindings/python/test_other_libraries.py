# SPDX-License-Identifier: MIT
"""Arrays of JAX, PyTorch, CuPy and of whoever has DLPack; derivatives through a solve."""
import numpy as np
import pytest
from oracles import random_spd, stencil_by_loops

import dwell

N = 30
A = random_spd(4, N)
B = np.arange(1.0, N + 1)
X = np.linalg.solve(A.toarray(), B)
INVERSE = np.linalg.inv(A.toarray())


class Foreign:
    """An array of a library that has DLPack and nothing else."""

    def __init__(self, a):
        self.a = a
        self.shape, self.dtype = a.shape, a.dtype

    def __dlpack__(self, **options):
        return self.a.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()

    def __array_namespace__(self):
        return self

    def from_dlpack(self, x):
        return Foreign(np.from_dlpack(x))


def test_dlpack():
    x = dwell.Solver(A, rtol=1e-12, device="cpu").solve(Foreign(B))
    assert isinstance(x, Foreign) and np.allclose(x.a, X)
    u = np.random.default_rng(1).standard_normal((9, 12))
    v = dwell.stencil(Foreign(u), "2d5pt", 3)
    assert np.allclose(v.a if isinstance(v, Foreign) else v, stencil_by_loops(u, "2d5pt", 3))


@pytest.fixture
def jax():
    jax = pytest.importorskip("jax", reason="no JAX")
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_enable_x64", True)
    return jax


@pytest.fixture
def bcsr(jax):
    from jax.experimental import sparse

    return sparse.BCSR((jax.numpy.array(A.data), jax.numpy.array(A.indices), jax.numpy.array(A.indptr)), shape=A.shape)


def test_jax_arrays(jax, bcsr):
    b = jax.numpy.array(B)
    x, info = dwell.cg(bcsr, b, rtol=1e-12, device="cpu")
    assert info == 0 and isinstance(x, jax.Array) and np.allclose(x, X)
    solver = dwell.Solver(bcsr, rtol=1e-12, device="cpu")
    assert solver.solve(jax.numpy.ones((N, 3))).shape == (N, 3)
    with pytest.raises(ValueError, match="can be written"):
        solver.solve(b, out=jax.numpy.zeros(N))
    assert isinstance(dwell.stencil(jax.numpy.ones((8, 8)), "2d5pt", 2), jax.Array)


def test_jax_tracers_are_sent_to_dwell_jax(jax, bcsr):
    with pytest.raises(TypeError, match=r"use dwell\.jax\.cg"):
        jax.jit(lambda b: dwell.cg(bcsr, b)[0])(jax.numpy.ones(N))


def test_jax_jit_grad_vmap(jax, bcsr):
    import dwell.jax

    b = jax.numpy.array(B)

    def objective(data, b):
        x, info = dwell.jax.cg((bcsr.indptr, bcsr.indices, data), b, rtol=1e-13, device="cpu")
        return (x**2).sum(), info

    (value, info), (in_data, in_b) = jax.jit(jax.value_and_grad(objective, (0, 1), has_aux=True))(bcsr.data, b)
    adjoint = INVERSE @ (2 * X)
    rows = np.repeat(np.arange(N), np.diff(A.indptr))
    assert info == 0 and np.allclose(value, (X**2).sum()) and np.allclose(in_b, adjoint)
    assert np.allclose(in_data, -adjoint[rows] * X[A.indices])
    many = jax.vmap(lambda b: dwell.jax.cg(bcsr, b, rtol=1e-12, device="cpu")[0])(jax.numpy.stack([b, 2 * b]))
    assert np.allclose(many, [X, 2 * X])
    tangent = jax.jvp(lambda b: dwell.jax.cg(bcsr, b, rtol=1e-13, device="cpu")[0], (b,), (jax.numpy.ones(N),))[1]
    assert np.allclose(tangent, INVERSE @ np.ones(N))
    with pytest.raises(ValueError, match="b: expected shape"):
        dwell.jax.cg(bcsr, b[:3])


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="no PyTorch")


def test_torch_arrays_and_gradient(torch):
    import dwell.torch

    a = torch.sparse_csr_tensor(torch.tensor(A.indptr), torch.tensor(A.indices), torch.tensor(A.data), size=A.shape)
    b = torch.tensor(B, requires_grad=True)
    x, info = dwell.cg(a, b, rtol=1e-12, device="cpu")
    assert info == 0 and isinstance(x, torch.Tensor) and np.allclose(x.numpy(), X)
    out = torch.zeros(N, dtype=torch.float64)
    assert dwell.Solver(a, device="cpu").solve(b.detach(), out=out) is out and bool(out.any())
    values = a.values().clone().requires_grad_()
    x, info = dwell.torch.cg((a.crow_indices(), a.col_indices(), values), b, rtol=1e-13, device="cpu")
    (x**2).sum().backward()
    adjoint = INVERSE @ (2 * X)
    rows = np.repeat(np.arange(N), np.diff(A.indptr))
    assert np.allclose(b.grad.numpy(), adjoint)
    assert np.allclose(values.grad.numpy(), -adjoint[rows] * X[A.indices])


@pytest.mark.gpu
def test_cupy_in_the_callers_stream():
    cupy = pytest.importorskip("cupy", reason="no CuPy")
    import cupyx.scipy.sparse

    a = cupyx.scipy.sparse.csr_matrix(A)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        b = cupy.asarray(B)
        solver = dwell.Solver(a, rtol=1e-12)
        x = solver.solve(b)
        columns = solver.solve(cupy.asfortranarray(cupy.stack([b, 2 * b], axis=1)))
        stream.synchronize()
    assert isinstance(x, cupy.ndarray) and np.allclose(x.get(), X) and np.allclose(columns.get()[:, 1], 2 * X)
    assert np.allclose(solver.solve(B), X), "arrays of the host are copied"
    assert np.allclose(dwell.cg(a, cupy.asarray(B), rtol=1e-12)[0].get(), X)
    with pytest.raises(TypeError, match="b: expected float64"):
        solver.solve(cupy.asarray(B, dtype="f4"))
    with pytest.raises(ValueError, match="on the solver's device cpu"):
        dwell.Solver(A, device="cpu").solve(cupy.asarray(B))
    u = cupy.random.standard_normal((40, 50))
    assert np.allclose(dwell.stencil(u, "2d5pt", 5).get(), stencil_by_loops(u.get(), "2d5pt", 5))


@pytest.mark.gpu
def test_torch_on_a_gpu(torch):
    import dwell.torch

    there = "cuda:0"
    a = torch.sparse_csr_tensor(torch.tensor(A.indptr), torch.tensor(A.indices), torch.tensor(A.data), size=A.shape)
    a = a.to(there)
    b = torch.tensor(B, device=there, requires_grad=True)
    with torch.cuda.stream(torch.cuda.Stream()):
        x, info = dwell.torch.cg(a, b * 1.0, rtol=1e-12)
        x.sum().backward()
    torch.cuda.synchronize()
    assert info == 0 and x.is_cuda and np.allclose(x.detach().cpu(), X)
    assert np.allclose(b.grad.cpu(), INVERSE @ np.ones(N))
    u = torch.randn(40, 50, dtype=torch.float64, device=there)
    assert np.allclose(dwell.stencil(u, "2d5pt", 5).cpu(), stencil_by_loops(u.cpu().numpy(), "2d5pt", 5))


@pytest.mark.gpu
def test_arrays_of_the_host_on_a_gpu():
    assert np.allclose(dwell.Solver(A, rtol=1e-12, device="cuda").solve(B), X)
    u = np.random.default_rng(2).standard_normal((40, 50))
    assert np.array_equal(dwell.stencil(u, "2d5pt", 9, device="cuda"), dwell.stencil(u, "2d5pt", 9, device="cpu"))
