# SPDX-License-Identifier: MIT
"""Arrays in a GPU's memory: no copies beside the answer, the caller's stream, every integer type of indices."""
import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg
from oracles import random_spd

import dwell

pytestmark = pytest.mark.gpu

N = 3000
A = scipy.sparse.csr_matrix(dwell.generate("poisson2d:60x50"))
B = np.random.default_rng(5).standard_normal(N)
X = scipy.sparse.linalg.spsolve(A.tocsc(), B)


@pytest.fixture
def cupy():
    return pytest.importorskip("cupy", reason="no CuPy")


@pytest.fixture
def there(cupy):
    import cupyx.scipy.sparse

    return cupyx.scipy.sparse.csr_matrix(A)


def test_a_solve_allocates_its_answer_and_nothing_else(cupy, there):
    pool = cupy.get_default_memory_pool()
    solver = dwell.Solver(there, rtol=1e-10)
    b = cupy.asarray(B)
    out = cupy.zeros(N)
    solver.solve(b, out=out)  # what a first solve sets up
    used = pool.used_bytes()

    def keeps_free_memory() -> bool:
        free = cupy.cuda.runtime.memGetInfo()[0]
        for _ in range(100):
            assert solver.solve(b, out=out) is out
        return cupy.cuda.runtime.memGetInfo()[0] == free

    assert any(keeps_free_memory() for _ in range(20)), "other programs on the GPU may change it, but not all the time"
    assert pool.used_bytes() == used
    x = solver.solve(b)
    assert pool.used_bytes() - used == -(-8 * N // 512) * 512, "the answer, in the pool's units of 512 bytes"
    assert np.allclose(x.get(), X) and cupy.array_equal(x, out)


def test_b_is_read_where_it_is(cupy, there):
    """Other values in the same memory are another right-hand side."""
    solver = dwell.Solver(there, rtol=1e-10)
    b = cupy.asarray(B)
    first = solver.solve(b)
    b *= -3
    assert np.allclose(solver.solve(b).get(), -3 * X) and np.allclose(first.get(), X)


def test_what_computes_b_is_not_overtaken(cupy, there):
    slow = cupy.ones((2000, 2000))
    with cupy.cuda.Stream(non_blocking=True) as stream:
        solver = dwell.Solver(there, rtol=1e-10)
        b = cupy.zeros(N)
        stream.synchronize()
        big = slow
        for _ in range(20):  # tens of milliseconds that nobody waits for
            big = (big @ slow) / 2000
        b += cupy.asarray(B) * big[0, 0]
        x = solver.solve(b)
        twice = x * 2  # in the stream, after the solve
        stream.synchronize()
    assert np.allclose(twice.get(), 2 * X)


def test_a_solver_keeps_the_stream_that_it_was_made_in(cupy, there):
    def made():
        with cupy.cuda.Stream(non_blocking=True):
            runner = dwell.Runner(cupy.ones((20, 20)), "2d5pt")
            return dwell.Solver(there, rtol=1e-10), runner

    solver, runner = made()
    for _ in range(20):  # which would take the number of one that is gone
        cupy.cuda.Stream(non_blocking=True)
    assert np.allclose(solver.solve(cupy.asarray(B)).get(), X)
    runner.run(3)
    del solver, runner
    cupy.cuda.runtime.deviceSynchronize()


@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_indices_of_any_integer_type(cupy, kind):
    arrays = (cupy.asarray(A.indptr.astype(kind)), cupy.asarray(A.indices.astype(kind)), cupy.asarray(A.data))
    x, info = dwell.cg(arrays, cupy.asarray(B), rtol=1e-10)
    assert info == 0 and np.allclose(x.get(), X)


def test_indices_that_are_no_integers_are_refused(cupy):
    arrays = (cupy.asarray(A.indptr.astype("f4")), cupy.asarray(A.indices), cupy.asarray(A.data))
    with pytest.raises(TypeError, match="indptr: expected integers, found float32"):
        dwell.cg(arrays, cupy.asarray(B))


@pytest.mark.parametrize("method", ["cg", "minres", "bicgstab", "gmres"])
@pytest.mark.parametrize("preconditioner", ["jacobi", "amg", "auto"])
def test_every_method(cupy, there, method, preconditioner):
    call = getattr(dwell, method)
    x, info = call(there, cupy.asarray(B), rtol=1e-9, M=preconditioner, maxiter=5000)
    assert info == 0 and np.allclose(x.get(), X, rtol=1e-5, atol=1e-7)


def test_float32_and_updates(cupy):
    import cupyx.scipy.sparse

    a = cupyx.scipy.sparse.csr_matrix(A.astype("f4"))
    solver = dwell.Solver(a, rtol=1e-5)
    b = cupy.asarray(B.astype("f4"))
    assert np.allclose(solver.solve(b).get(), X, rtol=2e-2, atol=1e-2)
    solver.update_values(a.data * 2)
    assert np.allclose(solver.solve(b).get(), X / 2, rtol=2e-2, atol=1e-2)


def test_torch_makes_indices_of_64_bits():
    torch = pytest.importorskip("torch", reason="no PyTorch")
    a = torch.tensor(random_spd(8, 40).toarray(), device="cuda").to_sparse_csr()
    assert a.crow_indices().dtype == torch.int64
    b = torch.ones(40, dtype=torch.float64, device="cuda")
    x, info = dwell.cg(a, b, rtol=1e-12)
    assert info == 0 and torch.allclose(a @ x, b)
    assert x.device == b.device


IN_JAX = """
import jax
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp, numpy as np
from jax.experimental import sparse
import dwell, dwell.jax
a = dwell.generate("poisson2d:20x15")
there = sparse.BCSR((jnp.array(a.data), jnp.array(a.indices), jnp.array(a.indptr)), shape=a.shape)
b = jnp.arange(1.0, 301.0)
if "cuda" not in str(b.device).lower():
    raise SystemExit("JAX has no GPU here")
want = np.linalg.solve(a.toarray(), np.asarray(b))
x, info = dwell.cg(there, b, rtol=1e-12)
assert info == 0 and x.device == b.device and np.allclose(x, want)
value, slope = jax.jit(jax.value_and_grad(lambda b: (dwell.jax.cg(there, b, rtol=1e-12)[0] ** 2).sum()))(b)
assert np.allclose(value, (want ** 2).sum())
assert np.allclose(slope, np.linalg.solve(a.toarray(), 2 * want))
print("fine")
"""


def test_jax_on_its_gpu():
    """In a process of its own: other tests have JAX on the CPU."""
    pytest.importorskip("jax", reason="no JAX")
    environment = {**os.environ, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"}
    environment.pop("JAX_PLATFORMS", None)
    ran = subprocess.run([sys.executable, "-c", IN_JAX], capture_output=True, text=True, env=environment, timeout=300)
    if "JAX has no GPU here" in ran.stderr:
        pytest.skip("JAX has no GPU here")
    assert ran.returncode == 0 and "fine" in ran.stdout, ran.stderr


@pytest.mark.parametrize("dtype", ["uint8", "float16", "float32", "float64"])
def test_prepared_kernels_on_images_where_they_are(cupy, dtype):
    frames = (np.random.default_rng(6).random((5, 40, 52)) * 255).astype(dtype)
    runner = dwell.ConvolutionRunner(cupy.asarray(frames[0]), "gaussian:9", passes="one")
    for frame in frames:
        found = runner.run(cupy.asarray(frame))
        assert found.dtype == dtype
        assert np.array_equal(found.get(), dwell.convolve(frame, "gaussian:9", passes="one", device="cpu"))
    assert runner.report.backend == "cuda"
    host = runner.run(frames[1])  # copied there and back
    assert isinstance(host, np.ndarray) and np.array_equal(host, runner.run(cupy.asarray(frames[1])).get())
    with pytest.raises(ValueError, match="out: expected an array of the GPU"):
        runner.run(cupy.asarray(frames[0]), np.empty_like(frames[0]))
    with pytest.raises(ValueError, match="in C order"):
        runner.run(cupy.asarray(frames[0].T.copy()).T)
    with pytest.raises(TypeError, match="image: expected"):
        runner.run(cupy.zeros((40, 52), "int32"))


def test_prepared_kernels_take_turns_in_a_stream(cupy):
    image = np.random.default_rng(7).random((400, 600)).astype(np.float32)
    wanted = image
    for _ in range(6):
        wanted = dwell.convolve(wanted, "box:5", passes="one", device="cpu")
    with cupy.cuda.Stream(non_blocking=True) as stream:
        a = cupy.asarray(image)
        b = cupy.empty_like(a)
        runner = dwell.ConvolutionRunner(a, "box:5", passes="one")
        for _ in range(3):
            assert runner.run(a, b, wait=False) is b
            runner.run(b, a, wait=False)
        found = a.copy()  # in the stream, after the runs
        stream.synchronize()
        assert np.array_equal(found.get(), wanted)
        runner.wait()


def test_prepared_kernels_of_torch(gpu_torch):
    image = gpu_torch.arange(600, device="cuda").to(gpu_torch.uint8).reshape(20, 30)
    runner = dwell.ConvolutionRunner(image, "box:3", dtype="float32")
    found = runner.run(image)
    assert found.is_cuda and found.dtype == gpu_torch.float32
    assert np.array_equal(found.cpu().numpy(),
                          dwell.convolve(image.cpu().numpy(), "box:3", dtype="float32", device="cpu"))


@pytest.fixture
def gpu_torch():
    torch = pytest.importorskip("torch", reason="no PyTorch")
    if not torch.cuda.is_available():
        pytest.skip("PyTorch has no GPU")
    return torch


def test_products_use_arrays_where_they_are(cupy, there):
    p = dwell.Product(there)
    x = cupy.asarray(B)
    y = p @ x
    assert isinstance(y, cupy.ndarray) and np.allclose(y.get(), A @ B)
    out = cupy.asarray(X)
    assert p.apply(x, out, alpha=2, beta=-1) is out
    assert np.allclose(out.get(), 2 * (A @ B) - X)
    columns = cupy.asarray(np.asfortranarray(np.stack([B, X], axis=1)), order="F")
    assert np.allclose((p @ columns).get(), A @ np.stack([B, X], axis=1))
    with cupy.cuda.Stream():
        assert cupy.array_equal(p @ x, y)
    assert np.allclose(p @ B, y.get()), "an array of the host is copied"
    with pytest.raises(TypeError, match="x: expected float64"):
        p @ x.astype("float32")


def _definition(dims):
    """Two fields, of which one takes the other's memory, and a coefficient."""
    @dwell.define(fields="u v", coefficients="c")
    def swap(u, v, c):
        return u[(0,) * dims] + c[(0,) * dims] * (u[(0,) * (dims - 1) + (1,)] - v[(0,) * dims]), u[(0,) * dims]
    return swap


@pytest.mark.parametrize("seed", range(6))
def test_fields_come_from_and_go_to_a_gpu(cupy, seed):
    random = np.random.default_rng(seed)
    dims = int(random.integers(1, 4))
    shape = tuple(int(n) for n in random.integers(2, 150 if dims < 3 else 20, dims))
    dtype = ["float64", "float32"][seed % 2]
    u, v, c = (random.uniform(-0.1, 0.1, shape).astype(dtype) for _ in range(3))
    wanted = dwell.run(_definition(dims), u=u, v=v, c=c, steps=5, device="cpu")
    with cupy.cuda.Stream(non_blocking=True) as stream:
        runner = dwell.FieldRunner(_definition(dims), u=cupy.asarray(u), v=cupy.asarray(v), c=c if seed % 3 else cupy.asarray(c))
        runner.run(5)
        found = {name: runner.field(name) for name in "uv"}
        out = cupy.empty_like(found["u"])
        assert runner.field("u", out) is out
        stream.synchronize()
    for name in "uv":
        assert isinstance(found[name], cupy.ndarray) and np.array_equal(found[name].get(), wanted[name])
    assert np.array_equal(out.get(), wanted["u"])
    host = np.empty(shape, dtype)
    assert np.array_equal(runner.field("v", host), wanted["v"])
    runner.set(u=cupy.asarray(u), v=v)
    runner.run(5)
    assert np.array_equal(runner.field("u").get(), wanted["u"])


def test_a_field_given_as_a_number_is_of_the_first_array_s_kind(cupy):
    result = dwell.run(_definition(2), u=cupy.ones((5, 7)), v=0.0, c=0.5, steps=2)
    assert isinstance(result["v"], cupy.ndarray)


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64"])
def test_scans_of_arrays_where_they_are(cupy, dtype):
    random = np.random.default_rng(31)
    for n in (0, 1, 127, int(random.integers(4000, 9000)), int(random.integers(10**6, 3 * 10**6))):
        values = (100 * random.standard_normal(n)).astype(dtype)
        for operation in ("sum", "max"):
            for exclusive in (False, True):
                found = dwell.scan(cupy.asarray(values), operation, exclusive=exclusive)
                assert isinstance(found, cupy.ndarray) and found.dtype == dtype
                assert np.array_equal(found.get(), dwell.scan(values, operation, exclusive=exclusive, device="cpu"))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_tables_and_means_of_images_where_they_are(cupy, gpu_torch, dtype):
    random = np.random.default_rng(32)
    for _ in range(8):
        shape = tuple(int(n) for n in random.integers(1, 700, 2))
        window = tuple(int(n) for n in random.integers(1, 90, 2))
        image = random.standard_normal(shape).astype(dtype)
        there = cupy.asarray(image)
        table, means = dwell.summed_area_table(there), dwell.box_mean(there, window)
        assert np.array_equal(table.get(), dwell.summed_area_table(image, device="cpu"))
        assert np.array_equal(means.get(), dwell.box_mean(image, window, device="cpu"))
        assert np.array_equal(there.get(), image)
        found = dwell.box_mean(gpu_torch.from_numpy(image).cuda(), window)
        assert found.is_cuda and np.array_equal(found.cpu().numpy(), means.get())


def test_scans_and_tables_of_a_gpu_that_cannot_be_used(cupy):
    image = cupy.zeros((20, 30))
    for call, error, message in [
        (lambda: dwell.scan(image), ValueError, "values: expected 1 axis"),
        (lambda: dwell.scan(image[0].astype("int32")), TypeError, "values: expected float64, float32 or int64"),
        (lambda: dwell.scan(image[0, ::2]), ValueError, "values: expected an array in C order"),
        (lambda: dwell.scan(image[0], device="cpu"), ValueError, "device: expected .cuda:0., where the arrays are"),
        (lambda: dwell.summed_area_table(image[0]), ValueError, "image: expected 2 axes"),
        (lambda: dwell.summed_area_table(image.T), ValueError, "image: expected an array in C order"),
        (lambda: dwell.box_mean(image.astype("int64"), 3), TypeError, "image: expected float32 or float64"),
        (lambda: dwell.box_mean(image, 0), ValueError, "window: expected 1"),
    ]:
        with pytest.raises(error, match=message):
            call()


def test_fields_of_a_gpu_that_cannot_be_used(cupy):
    u = cupy.zeros((20, 30))
    with pytest.raises(TypeError, match="u: expected float32 or float64"):
        dwell.run(_definition(2), u=u.astype("int32"), v=0.0, c=0.0, steps=1)
    with pytest.raises(TypeError, match="v: expected float64"):
        dwell.run(_definition(2), u=u, v=u.astype("float32"), c=0.0, steps=1)
    with pytest.raises(ValueError, match="v: expected shape .* in C order"):
        dwell.run(_definition(2), u=u, v=cupy.zeros((30, 20)).T, c=0.0, steps=1)
    with pytest.raises(ValueError, match="device: expected .cuda:0., where the arrays are, found .cpu."):
        dwell.run(_definition(2), u=u, v=0.0, c=0.0, steps=1, device="cpu")


def test_fields_of_torch_and_of_jax(gpu_torch):
    u = gpu_torch.rand((40, 50), dtype=gpu_torch.float64, device="cuda")
    wanted = dwell.run(_definition(2), u=u.cpu().numpy(), v=0.0, c=0.3, steps=4, device="cpu")["u"]
    found = dwell.run(_definition(2), u=u, v=0.0, c=0.3, steps=4)
    assert found["u"].is_cuda and found["v"].is_cuda
    assert np.array_equal(found["u"].cpu().numpy(), wanted)
    jax = pytest.importorskip("jax", reason="no JAX")
    if jax.default_backend() != "gpu":
        pytest.skip("JAX has no GPU")
    ours = jax.numpy.asarray(u.cpu().numpy().astype("float32"))
    wanted = dwell.run(_definition(2), u=np.asarray(ours), v=0.0, c=0.3, steps=4, device="cpu")["u"]
    found = dwell.run(_definition(2), u=ours, v=0.0, c=0.3, steps=4)["u"]
    assert next(iter(found.devices())).platform == "gpu" and np.array_equal(np.asarray(found), wanted)


def test_arrays_of_another_library_than_the_stream_s(cupy, gpu_torch):
    a = gpu_torch.rand((60, 70), dtype=gpu_torch.float64, device="cuda")
    with cupy.cuda.Stream(non_blocking=True):
        runner = dwell.FieldRunner(_definition(2), u=cupy.zeros((60, 70)), v=0.0, c=0.1)
        runner.set(u=a * 1)  # a temporary, whose memory PyTorch may use at once
        again = gpu_torch.zeros((60, 70), dtype=gpu_torch.float64, device="cuda")
        out = gpu_torch.empty_like(a)
        runner.field("u", out)
        assert gpu_torch.equal(out, a) and not again.any()
