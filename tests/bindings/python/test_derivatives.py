# SPDX-License-Identifier: MIT
"""Derivatives whose systems are small, hard or wrong: right, or said; and what is raised is what a solve raises."""
import warnings

import numpy as np
import pytest
import scipy.sparse.linalg

import dwell

A = dwell.generate("poisson2d:25x20")
N = 500
EXACT = scipy.sparse.linalg.splu(A.tocsc())
ROWS = np.repeat(np.arange(N), np.diff(A.indptr))
RNG = np.random.default_rng(67)
B, WEIGHTS = RNG.standard_normal(N), RNG.standard_normal(N)
EIGENVECTOR = np.outer(np.sin(np.pi * np.arange(1, 21) / 21), np.sin(np.pi * np.arange(1, 26) / 26)).ravel()


def by_torch(b, weights, **how):
    torch = pytest.importorskip("torch", reason="no PyTorch")
    import dwell.torch

    indptr, indices, values = (torch.from_numpy(v.copy()) for v in (A.indptr, A.indices, A.data))
    b, values = torch.from_numpy(b.copy()).requires_grad_(), values.requires_grad_()
    x, info = dwell.torch.cg((indptr, indices, values), b, **how)
    (x * torch.from_numpy(weights)).sum().backward()
    return x.detach().numpy(), int(info), b.grad.numpy(), values.grad.numpy()


def by_jax(b, weights, jit=False, **how):
    jax = pytest.importorskip("jax", reason="no JAX")
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_enable_x64", True)
    import dwell.jax

    def loss(b, values):
        x, info = dwell.jax.cg((A.indptr, A.indices, values), b, **how)
        return (x * weights).sum(), (x, info)

    of = jax.value_and_grad(loss, argnums=(0, 1), has_aux=True)
    (_, (x, info)), (in_b, in_values) = (jax.jit(of) if jit else of)(jax.numpy.asarray(b), jax.numpy.asarray(A.data))
    return np.asarray(x), int(info), np.asarray(in_b), np.asarray(in_values)


def by_jit(b, weights, **how):
    return by_jax(b, weights, jit=True, **how)


libraries = pytest.mark.parametrize("by", [by_torch, by_jax, by_jit])


@libraries
@pytest.mark.parametrize("scale_b,scale", [(1, 1), (1e3, 1e-9), (1e-6, 1e6), (1, 1e-200), (1e100, 1e-100), (1, 1e200)])
@pytest.mark.parametrize("relative", ["rtol", "atol"])
def test_tolerance_is_relative_to_the_right_hand_side_of_the_derivative(by, scale_b, scale, relative):
    b, weights = scale_b * B, scale * WEIGHTS
    how = {"rtol": 1e-10} if relative == "rtol" else {"rtol": 0.0, "atol": 1e-10 * np.linalg.norm(b)}
    with warnings.catch_warnings():
        warnings.simplefilter("error", dwell.SolveWarning)
        x, info, in_b, in_values = by(b, weights, **how)
    want = scale * EXACT.solve(WEIGHTS)
    assert info == 0 and np.allclose(in_b, want, rtol=1e-5, atol=1e-8 * scale)
    product = -want[ROWS] * x[A.indices]
    assert np.allclose(in_values, product, rtol=1e-4, atol=1e-7 * np.abs(product).max())


@libraries
def test_a_tolerance_that_the_start_meets_is_none_of_the_derivative(by):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dwell.SolveWarning)  # the answer is none
        x, info, in_b, _ = by(B, WEIGHTS, rtol=0.0, atol=1e9)
    assert info == 0 and not x.any()
    want = EXACT.solve(WEIGHTS)
    assert np.linalg.norm(in_b - want) < 1e-3 * np.linalg.norm(want)


@libraries
def test_what_does_not_converge_is_told(by):
    with pytest.warns(dwell.SolveWarning, match="gradients may be wrong"):
        _, info, in_b, _ = by(EIGENVECTOR, WEIGHTS, rtol=1e-10, maxiter=5)
    assert info == 0 and np.isfinite(in_b).all()


@libraries
def test_a_derivative_of_nothing_is_nothing(by):
    _, info, in_b, in_values = by(B, 0 * WEIGHTS, rtol=1e-8)
    assert info == 0 and not in_b.any() and not in_values.any()


WRONG = [({"M": "nonsense"}, ValueError, "nonsense"), ({"rtol": -1.0}, ValueError, "rtol"), ({"M": 3}, TypeError, "M:"),
         ({"executor": "none"}, ValueError, "executor"), ({"maxiter": 0}, ValueError, "maxiter"),
         ({"rtol": None}, TypeError, "rtol"), ({"degree": 99, "M": "chebyshev"}, ValueError, "degree"),
         ({"no_such_option": 1}, TypeError, "no_such_option"), ({"precision": "f16"}, ValueError, "precision")]


@libraries
@pytest.mark.parametrize("how,kind,words", WRONG)
def test_options_raise_what_a_solve_raises(by, how, kind, words):
    with pytest.raises(kind, match=words):
        by(B, WEIGHTS, **how)


@pytest.mark.parametrize("by", [by_torch, by_jax])
def test_arrays_raise_what_a_solve_raises(by):
    wrong = B.copy()
    wrong[3] = np.nan
    with pytest.raises(ValueError, match="right-hand side"):
        by(wrong, WEIGHTS)


def test_indices_of_torch_are_not_wrapped_round():
    torch = pytest.importorskip("torch", reason="no PyTorch")
    import dwell.torch

    indices = torch.from_numpy(A.indices.astype(np.int64))
    indices[5] -= 2**32
    with pytest.raises(ValueError, match="indices"):
        dwell.torch.cg((torch.from_numpy(A.indptr), indices, torch.from_numpy(A.data)), torch.from_numpy(B))


def test_higher_derivatives_and_forward_mode():
    jax = pytest.importorskip("jax", reason="no JAX")
    jax.config.update("jax_enable_x64", True)
    import dwell.jax

    values, b, direction = jax.numpy.asarray(A.data), jax.numpy.asarray(B), jax.numpy.asarray(WEIGHTS)

    def energy(b):
        return 0.5 * (b * dwell.jax.cg((A.indptr, A.indices, values), b, rtol=1e-12)[0]).sum()

    want = EXACT.solve(WEIGHTS)
    assert np.allclose(jax.jvp(jax.grad(energy), (b,), (direction,))[1], want, rtol=1e-7, atol=1e-9)

    def scaled(s):
        return dwell.jax.cg((A.indptr, A.indices, s * values), b, rtol=1e-12)[0]

    x = EXACT.solve(B)
    assert np.allclose(jax.jvp(scaled, (1.0,), (1.0,))[1], -x, rtol=1e-7, atol=1e-9)
    assert np.allclose(jax.jacfwd(jax.jacfwd(scaled))(1.0), 2 * x, rtol=1e-6, atol=1e-8)
    assert np.allclose(jax.vmap(scaled)(jax.numpy.array([1.0, 2.0])), [x, x / 2], rtol=1e-7, atol=1e-9)
