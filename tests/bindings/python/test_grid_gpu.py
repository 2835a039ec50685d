# SPDX-License-Identifier: MIT
"""Systems on grids with arrays in a GPU's memory, of several libraries: answers are those of arrays of the host, to the bit."""
import importlib

import numpy as np
import pytest

import dwell

pytestmark = pytest.mark.gpu

RANDOM = np.random.default_rng(3)
SHAPE = (70, 83)
K = np.exp(RANDOM.uniform(-2, 2, SHAPE))
F = RANDOM.standard_normal(SHAPE)


class Cupy:
    def __init__(self):
        self.cupy = importlib.import_module("cupy")

    def there(self, a):
        return self.cupy.asarray(a)

    def here(self, a):
        assert isinstance(a, self.cupy.ndarray)
        return a.get()


class Torch:
    def __init__(self):
        self.torch = importlib.import_module("torch")
        if not self.torch.cuda.is_available():
            raise ImportError

    def there(self, a):
        return self.torch.tensor(np.ascontiguousarray(a), device="cuda")

    def here(self, a):
        assert a.is_cuda
        return a.cpu().numpy()


class Jax:
    def __init__(self):
        self.jax = importlib.import_module("jax")
        self.jax.config.update("jax_enable_x64", True)
        if self.jax.default_backend() != "gpu":
            raise ImportError

    def there(self, a):
        return self.jax.numpy.asarray(a)

    def here(self, a):
        assert isinstance(a, self.jax.Array) and next(iter(a.devices())).platform in ("gpu", "cuda")
        return np.asarray(a)


@pytest.fixture(params=[Cupy, Torch, Jax])
def library(request):
    try:
        return request.param()
    except ImportError:
        pytest.skip(f"no {request.param.__name__} with a GPU")


def test_answers_are_those_of_arrays_of_the_host(library):
    solver = dwell.GridSolver(k=K, device="cuda", rtol=1e-10, boundary="x: dirichlet 1, y: neumann 0.5")
    for solve in (solver.solve, solver.solve_algebraic):
        u = solve(F)
        f = library.there(F)
        found = solve(f)
        assert solver.report.stopped == "converged"
        assert np.array_equal(library.here(found), u) and np.array_equal(library.here(f), F)
        start = library.there(u)
        again = solve(f, start, rtol=1e-9)
        assert solver.report.iterations == 0
        assert np.allclose(library.here(again), u, rtol=1e-14) and np.array_equal(library.here(start), u)


def test_what_is_wrong_is_said(library):
    solver = dwell.GridSolver(k=K, device="cuda")
    f = library.there(F)
    with pytest.raises(TypeError, match="f: expected float64"):
        solver.solve(library.there(F.astype(np.float32)))
    with pytest.raises(ValueError, match=r"f: expected shape \(70, 83\), found \(70, 82\)"):
        solver.solve(library.there(F[:, 1:]))
    with pytest.raises(ValueError, match="u0: expected an array on cuda:0, where f is"):
        solver.solve(f, F)
    with pytest.raises(ValueError, match="b: expected an array on the solver's device cpu, found one on cuda:0"):
        dwell.GridSolver(k=K).solve_algebraic(f)
    with pytest.raises(ValueError, match="u0: expected an array of the host"):
        solver.solve(F, f)
    assert np.array_equal(library.here(solver.solve(f)), solver.solve(F))


@pytest.mark.parametrize("n", [40, 200])  # levels are the host's, or made by kernels
def test_coefficients_of_a_gpu(library, n):
    k, s, f = (np.exp(RANDOM.uniform(-2, 2, (n, n + 1))) for _ in range(3))
    for boundary in ("dirichlet", "x: dirichlet 1, y: neumann 0.5"):
        here = dwell.GridSolver(k=k, s=s, boundary=boundary, device="cuda")
        there = dwell.GridSolver(k=library.there(k), s=library.there(s), boundary=boundary)
        assert np.array_equal(there.solve(f), here.solve(f))
        here.update(k=2 * k)
        there.update(k=library.there(2 * k))
        assert np.array_equal(there.solve(f), here.solve(f))
    with pytest.raises(TypeError, match="s: expected float64"):
        dwell.GridSolver(k=k, s=library.there(s.astype(np.float32)), device="cuda")
    with pytest.raises(ValueError, match="k: expected numbers > 0, found -1"):
        there.update(k=library.there(np.where(k == k[3, 4], -1.0, k)))
    with pytest.raises(ValueError, match="expected memory of the host for a CPU"):
        dwell.GridSolver(k=library.there(k), device="cpu")
    with pytest.raises(ValueError, match="k: expected an array of the host"):
        dwell.GridOperator(k=library.there(k))


def test_poisson_is_solved_where_f_is(library):
    assert np.allclose(library.here(dwell.poisson(library.there(F), k=K)), dwell.poisson(F, k=K), rtol=1e-5, atol=1e-6)
    single = dwell.poisson(library.there(F.astype(np.float32)), k=K.astype(np.float32), rtol=1e-4)
    assert library.here(single).dtype == np.float32


def test_arrays_in_another_order_are_refused():
    cupy = pytest.importorskip("cupy", reason="no CuPy")
    with pytest.raises(ValueError, match="f: expected an array in C order"):
        dwell.GridSolver(SHAPE, device="cuda").solve(cupy.asfortranarray(cupy.asarray(F)))


def test_what_computes_f_is_not_overtaken():
    cupy = pytest.importorskip("cupy", reason="no CuPy")
    solver = dwell.GridSolver(k=K, device="cuda", rtol=1e-10)
    slow = cupy.ones((2000, 2000))
    with cupy.cuda.Stream(non_blocking=True) as stream:
        f, big = cupy.zeros(SHAPE), slow
        for _ in range(20):  # tens of milliseconds that nobody waits for
            big = (big @ slow) / 2000
        f += cupy.asarray(F) * big[0, 0]
        u = solver.solve(f) * 2
        stream.synchronize()
    assert np.allclose(u.get(), 2 * solver.solve(F))
