# SPDX-License-Identifier: MIT
"""dwell.GridSolver and dwell.poisson beside SciPy's sparse solver, at random; reports, warnings, and what is refused."""
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.linalg

import dwell


def _matrix(k, spacing, dirichlet):
    """Cell-centred, harmonic means; the sides of an axis are Dirichlet's or Neumann's."""
    n = k.size
    number = np.arange(n).reshape(k.shape)
    rows, cols, values = [], [], []
    diagonal = np.zeros(k.shape)
    for axis, h in enumerate(spacing):
        a, b = np.moveaxis(k, axis, 0), np.moveaxis(number, axis, 0)
        w = 2 / (1 / a[1:] + 1 / a[:-1]) / h**2
        for one, other in ((b[1:], b[:-1]), (b[:-1], b[1:])):
            rows.append(one.ravel()), cols.append(other.ravel()), values.append(-w.ravel())
        d = np.moveaxis(diagonal, axis, 0)
        d[1:] += w
        d[:-1] += w
        if dirichlet[axis]:
            d[0] += 2 * a[0] / h**2
            d[-1] += 2 * a[-1] / h**2
    rows, cols, values = (np.concatenate(x) if x else np.zeros(0) for x in (rows, cols, values))
    off = scipy.sparse.csr_matrix((values, (rows, cols)), shape=(n, n))
    return (off + scipy.sparse.diags(diagonal.ravel())).tocsc()


@pytest.mark.parametrize("seed", range(12))
def test_agrees_with_scipy(seed):
    rng = np.random.default_rng(seed)
    dims = 1 + seed % 3
    shape = tuple(int(n) for n in rng.integers(2, 40 if dims < 3 else 14, dims))
    k = rng.uniform(0.1, 10, shape)
    spacing = tuple(rng.uniform(0.5, 2, dims))
    dirichlet = [True] + [bool(rng.integers(2)) for _ in shape[1:]]
    names = "xyz"[:dims][::-1]
    words = ", ".join(f"{name}: {'dirichlet' if d else 'neumann'}" for name, d in zip(names, dirichlet))
    s = rng.uniform(0, 1, shape) if seed % 2 else 0.3
    f = rng.standard_normal(shape)
    solver = dwell.GridSolver(k=k, s=s, spacing=spacing, boundary=words, rtol=1e-12, threads=1 + seed % 2)
    u = solver.solve(f)
    A = _matrix(k, spacing, dirichlet) + scipy.sparse.diags(np.broadcast_to(s, shape).ravel())
    np.testing.assert_allclose(u.ravel(), scipy.sparse.linalg.spsolve(A.tocsc(), f.ravel()), rtol=1e-8, atol=1e-9)
    assert u.shape == shape == solver.shape and u.dtype == np.float64
    assert solver.report.stopped == "converged" and solver.report.levels[0] == shape
    np.testing.assert_array_equal(
        u, dwell.poisson(f, k=k, s=s, spacing=spacing, boundary=words, rtol=1e-12))
    solver.update(k=2 * k, s=2 * s)
    np.testing.assert_array_equal(solver.solve(2 * f), u)


def test_boundary_values():
    n = 32
    x = (np.arange(n) + 0.5) / n
    exact = np.add.outer(x, 2 * x)
    sides = {"y-": 2 * x, "y+": 1 + 2 * x, "x-": x, "x+": x + 2}
    solver = dwell.GridSolver((n, n), spacing=1 / n, boundary_values=sides, rtol=1e-12)
    np.testing.assert_allclose(solver.solve(0.0), exact, atol=1e-10)
    with pytest.raises(ValueError, match="x-"):
        dwell.GridSolver((4, 5), boundary_values={"x-": np.zeros(5)})
    with pytest.raises(ValueError, match="sides"):
        dwell.GridSolver((4, 5), boundary_values={"z-": np.zeros(5)})
    for values, found in ((np.ones(4) * 1j, "complex128"), (["a"] * 4, "<U1"), ([None] * 4, "list")):
        with pytest.raises(TypeError, match=f"boundary_values.*{found}"):
            dwell.GridSolver((4, 5), boundary_values={"x-": values})
    for dtype in (np.float32, np.int8, ">f8", bool):   # exact in float64
        given = dwell.GridOperator((4, 5), boundary_values={"x-": np.ones(4, dtype)})
        np.testing.assert_array_equal(given.rhs(), dwell.GridOperator((4, 5), boundary="x-: dirichlet 1").rhs())


def test_maxiter_is_named_as_the_argument_is():
    for bad in (0, -1, 2**31, 2**63 - 1):
        with pytest.raises(ValueError, match=f"^maxiter: expected 1 to 2147483647, found {bad}$"):
            dwell.GridSolver((3,), maxiter=bad)
    solver = dwell.GridSolver((30, 30), maxiter=2.0)    # whole numbers, as of dwell.Solver
    with pytest.warns(dwell.SolveWarning, match="iteration limit after 2"):
        solver.solve(1.0)


@pytest.mark.parametrize("method", ["cg", "multigrid", "minres", "bicgstab", "chebyshev", "jacobi"])
@pytest.mark.parametrize("preconditioner", ["auto", "multigrid", "jacobi", "none"])
def test_methods(method, preconditioner):
    if method in ("multigrid", "jacobi") and preconditioner != "auto":
        return
    rng = np.random.default_rng(7)
    k, f = rng.uniform(0.5, 2, (11, 14)), rng.standard_normal((11, 14))
    A = _matrix(k, (1, 1), (True, True))
    for s in (0.1, -0.4):
        if s < 0 and method not in ("minres", "bicgstab"):
            with pytest.raises(ValueError, match="minres"):
                dwell.GridSolver(k=k, s=s, method=method)
            continue
        solver = dwell.GridSolver(k=k, s=s, method=method, preconditioner=preconditioner, rtol=1e-11, maxiter=100000)
        want = scipy.sparse.linalg.spsolve(A + s * scipy.sparse.eye_array(k.size, format="csc"), f.ravel())
        np.testing.assert_allclose(solver.solve(f).ravel(), want, rtol=1e-6, atol=1e-7)
        own = "jacobi" if method == "jacobi" else "multigrid"
        assert solver.report.method == method
        assert solver.report.preconditioner == (own if preconditioner == "auto" else preconditioner)


@pytest.mark.parametrize("seed", range(6))
def test_operators(seed):
    rng = np.random.default_rng(seed)
    dims = 1 + seed % 3
    shape = tuple(int(n) for n in rng.integers(2, 12, dims))
    k, s, f, u = (rng.uniform(0.1, 10, shape) for _ in range(4))
    spacing = tuple(rng.uniform(0.5, 2, dims))
    A = dwell.GridOperator(k=k, s=s, spacing=spacing, boundary="dirichlet 2", threads=1 + seed % 2)
    want = _matrix(k, spacing, [True] * dims) + scipy.sparse.diags(s.ravel())
    M = A.to_matrix()
    assert abs(M - want).max() < 1e-12 * abs(want).max() and M.has_sorted_indices
    np.testing.assert_allclose((A @ u).ravel(), want @ u.ravel(), rtol=1e-12, atol=1e-11)
    np.testing.assert_array_equal(A.apply(u), A @ u)
    b = A.rhs(f)
    np.testing.assert_allclose((b - f).sum(), 2 * (want @ np.ones(k.size) - s.ravel()).sum(), rtol=1e-10)
    solver = dwell.GridSolver(k=k, s=s, spacing=spacing, boundary="dirichlet 2", rtol=1e-12)
    np.testing.assert_array_equal(solver.solve_algebraic(b), solver.solve(f))
    assert A.shape == shape and A.dtype == np.float64 and not A.singular
    assert dwell.GridOperator(shape, boundary="periodic").singular
    with pytest.raises(ValueError, match="u: expected shape"):
        A @ np.ones(3 * k.size)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_k_of_faces(dtype):
    rng = np.random.default_rng(2)
    kx, ky = rng.uniform(1, 2, (7, 10)).astype(dtype), rng.uniform(1, 2, (8, 9)).astype(dtype)
    faces = {"x": kx, "y": ky}
    M = dwell.GridOperator((7, 9), k_faces=faces, dtype=dtype).to_matrix()
    assert M.dtype == dtype
    M = M.toarray()
    number = np.arange(63).reshape(7, 9)
    np.testing.assert_array_equal(-M[number[:, 1:], number[:, :-1]], kx[:, 1:-1])
    np.testing.assert_array_equal(-M[number[1:], number[:-1]], ky[1:-1])
    sides = np.zeros((7, 9))
    sides[:, 0] += 2 * kx[:, 0]
    sides[:, -1] += 2 * kx[:, -1]
    sides[0] += 2 * ky[0]
    sides[-1] += 2 * ky[-1]
    np.testing.assert_allclose(M.sum(axis=1).reshape(7, 9), sides, atol=1e-5)
    f = rng.standard_normal((7, 9)).astype(dtype)
    solver = dwell.GridSolver((7, 9), dtype=dtype, rtol=1e-5)
    plain = solver.solve(f)
    solver.update(k_faces=faces)
    u = solver.solve(f)
    np.testing.assert_allclose(M @ u.ravel(), f.ravel(), atol=1e-3)
    np.testing.assert_array_equal(dwell.GridSolver((7, 9), k_faces=faces, dtype=dtype, rtol=1e-5).solve(f), u)
    solver.update(s=0.0)  # faces stay
    np.testing.assert_array_equal(solver.solve(f), u)
    solver.update(k=1.0)  # and go
    np.testing.assert_array_equal(solver.solve(f), plain)
    for wrong in ({"z": kx}, {"xy": kx}, {"x": ky}, {"x": -kx}):
        with pytest.raises(ValueError, match="k_faces"):
            dwell.GridSolver((7, 9), k_faces=wrong, dtype=dtype)


def test_options_of_multigrid():
    rng = np.random.default_rng(1)
    k = np.kron(np.where(rng.random((51, 51)) < 0.5, 1e4, 1.0), np.ones((5, 5)))
    f = np.ones(k.shape)
    found = {}
    for coarse in ("auto", "averaged", "galerkin"):
        solver = dwell.GridSolver(k=k, coarse=coarse)
        solver.solve(f)
        found[coarse] = solver.report.iterations
        assert ("Galerkin" in solver.report.cycle) == (coarse != "averaged")
    assert found["galerkin"] < 25 < found["auto"] + 10 and found["auto"] < found["averaged"]
    plain, full = dwell.GridSolver((300, 300)), dwell.GridSolver((300, 300), full_multigrid=True)
    np.testing.assert_allclose(full.solve(1.0), plain.solve(1.0), rtol=1e-6)
    assert full.report.iterations < plain.report.iterations
    kx, ky = np.ones((120, 121)), np.ones((121, 120))
    kx[:, :60] = ky[:, 60:] = 1e3
    its = {}
    for smoother in ("points", "lines"):
        solver = dwell.GridSolver((120, 120), k_faces={"x": kx, "y": ky}, smoother=smoother)
        solver.solve(1.0)
        its[smoother] = solver.report.iterations
    assert its["lines"] < 15 < 60 < its["points"]
    w = dwell.GridSolver((300, 300), cycle="w")
    w.solve(1.0)
    assert w.report.cycle.startswith("W-cycle") and plain.report.cycle == "V-cycle"


def test_float32_and_starts():
    f = np.ones((30, 40), np.float32)
    u = dwell.poisson(f, rtol=1e-5)
    assert u.dtype == np.float32
    solver = dwell.GridSolver(f.shape, dtype=np.float32, rtol=1e-5, history=True)
    np.testing.assert_array_equal(solver.solve(f), u)
    assert len(solver.report.history) == solver.report.iterations + 1
    solver.solve(f, u)
    assert solver.report.iterations == 0


@pytest.mark.parametrize("shape", [(40,), (200, 210), (40, 30, 20)])
def test_the_default_tolerance_is_that_of_the_dtype(shape):
    f = np.ones(shape)
    wide = dwell.poisson(f)
    np.testing.assert_array_equal(wide, dwell.poisson(f, rtol=1e-8))
    narrow = dwell.GridSolver(shape, dtype=np.float32)
    u = narrow.solve(1.0)   # without a warning
    np.testing.assert_allclose(u, wide, rtol=1e-4)
    r = narrow.report
    assert r.stopped == "converged" and r.residual_relative_wanted == 1e-5
    assert r.met_by_rounding == (r.residual_relative_true > 1e-5) == (shape == (200, 210) or r.residual_relative_true > 1e-5)
    assert ("as far as rounding allows" in repr(r)) == r.met_by_rounding
    if r.met_by_rounding:
        with pytest.warns(dwell.SolveWarning, match="accuracy limit.*try f64, a larger tolerance"):
            narrow.solve(1.0, rtol=1e-5)


@pytest.mark.parametrize("seed", range(12))
def test_starts_of_every_magnitude(seed):
    rng = np.random.default_rng(seed)
    dtype = (np.float64, np.float32)[seed % 2]
    most = 300 if seed % 2 == 0 else 36
    shape = tuple(int(n) for n in rng.integers(3, 14, 1 + seed % 3))
    f = (rng.standard_normal(shape) * 10.0 ** rng.integers(-most // 2, most - 8)).astype(dtype)
    start = (rng.standard_normal(shape) * 10.0 ** rng.integers(-most // 2, most)).astype(dtype)
    solver = dwell.GridSolver(shape, dtype=dtype)
    np.testing.assert_allclose(solver.solve(f, start), solver.solve(f), rtol=1e-3, atol=1e-4 * abs(f).max())
    assert solver.report.stopped == "converged"


@pytest.mark.parametrize("seed", range(24))
def test_starts_far_from_the_mean_zero(seed):
    """Where nothing holds u a start's constant, and one that rounding brings in, take no digits from the answer."""
    rng = np.random.default_rng(seed)
    dtype = (np.float64, np.float32)[seed % 2]
    shape = tuple(int(n) for n in rng.integers(3, 14, 1 + seed % 3))
    f = rng.standard_normal(shape)
    f = (f - f.mean()).astype(dtype)
    solver = dwell.GridSolver(shape, dtype=dtype, boundary="neumann")
    wanted = solver.solve(f)
    start = rng.standard_normal(shape) if seed % 4 < 2 else np.ones(shape)
    found = solver.solve(f, (start * 10.0 ** rng.integers(3, 13 if dtype == np.float64 else 7)).astype(dtype))
    assert solver.report.stopped == "converged"
    np.testing.assert_allclose(found, wanted, atol=(1e-5 if dtype == np.float64 else 1e-2) * abs(wanted).max())
    assert abs(found.mean(dtype=np.float64)) < 10 * np.finfo(dtype).eps * abs(wanted).max()


@pytest.mark.parametrize("kind", ["solve", "solve_algebraic", "poisson", "apply", "rhs"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_out(kind, dtype):
    rng = np.random.default_rng(3)
    f = rng.standard_normal((20, 30)).astype(dtype)
    solver, operator = dwell.GridSolver(f.shape, dtype=dtype), dwell.GridOperator(f.shape, dtype=dtype)
    call = {"solve": solver.solve, "solve_algebraic": solver.solve_algebraic, "poisson": dwell.poisson,
            "apply": operator.apply, "rhs": operator.rhs}[kind]
    out = rng.standard_normal(f.shape).astype(dtype)
    want = call(f)
    assert call(f, out=out) is out
    np.testing.assert_array_equal(out, want)
    big = np.zeros((40, 30), dtype)
    call(f, out=big[10:30])
    np.testing.assert_array_equal(big[10:30], want)
    assert not big[:10].any() and not big[30:].any()
    if kind.startswith("solve"):
        start = rng.standard_normal(f.shape).astype(dtype)
        want = call(f, start)
        assert call(f, start, start) is start       # in place
        np.testing.assert_array_equal(start, want)
        assert call(1.0, out=out) is out
    frozen = out.copy()
    frozen.flags.writeable = False
    other = np.float32 if dtype == np.float64 else np.float64
    for wrong, error in ((f, ValueError), (out.T, ValueError), (out[:, ::2], ValueError), (np.asfortranarray(out), ValueError),
                         (frozen, ValueError), (out.astype(other), TypeError), (out.astype(int), TypeError)):
        with pytest.raises(error, match="^out: expected"):
            call(f, out=wrong)


def test_progress():
    for interval in (0, 1e9):
        told = []
        solver = dwell.GridSolver((200, 200), rtol=1e-10, atol=1e-3, history=True, progress_interval=interval)
        solver.solve(1.0, progress=lambda *now: told.append(now))
        r = solver.report
        if interval:
            assert not told
            continue
        assert [now[0] for now in told] == list(range(1, r.iterations + 1))
        np.testing.assert_allclose([now[1] for now in told], np.array(r.history[1:]) / r.rhs_norm, rtol=1e-12)
        assert {now[2] for now in told} == {r.residual_relative_wanted} == {1e-3 / r.rhs_norm}
        assert all(a[3] <= b[3] for a, b in zip(told, told[1:]))
    told = []
    dwell.poisson(np.ones((200, 200)), progress=lambda *now: told.append(now), progress_interval=0)
    assert told
    with pytest.raises(ZeroDivisionError):
        solver.solve(1.0, progress=lambda *_: 1 / 0)  # not called
        dwell.poisson(np.ones((200, 200)), progress=lambda *_: 1 / 0, progress_interval=0)
    for wrong in (-1, float("nan")):
        with pytest.raises(ValueError, match="progress_interval"):
            dwell.GridSolver((3,), progress_interval=wrong)
    with pytest.raises(TypeError, match="progress: expected True or a function"):
        solver.solve(1.0, progress=3)
    with pytest.raises(ValueError, match="on_interrupt"):
        solver.solve(1.0, on_interrupt="ignore")


def test_advice_is_in_the_warning_and_the_report():
    solver = dwell.GridSolver((90, 80), preconditioner="none", maxiter=30)
    with pytest.warns(dwell.SolveWarning, match="iteration limit after 30.*wanted 1.00e-08; .*preconditioner multigrid"):
        solver.solve(1.0)
    assert "preconditioner multigrid" in solver.report.advice and solver.report.advice in repr(solver.report)
    assert solver.report.to_dict()["advice"] == solver.report.advice and "<table>" in solver.report._repr_html_()


def test_a_breakdown_is_raised_where_that_is_asked_for():
    solver = dwell.GridSolver((2,), s=-3.0, method="bicgstab", preconditioner="none")  # (0, -1; -1, 0)
    f = np.array([1.0, 0.0])
    with pytest.warns(dwell.SolveWarning, match="breakdown after 0 iterations.*try method minres"):
        solver.solve(f)
    with pytest.raises(dwell.Breakdown, match="breakdown after 0 iterations") as raised:
        solver.solve(f, raise_on_breakdown=True)
    assert raised.value.report == solver.report and raised.value.x.shape == (2,)
    minres = dwell.GridSolver((2,), s=-3.0, method="minres", preconditioner="none")
    np.testing.assert_allclose(minres.solve(f, raise_on_breakdown=True), [0, -1], atol=1e-12)


def test_explain():
    rng = np.random.default_rng(1)
    k = rng.uniform(1, 2, (100, 90))
    solver = dwell.GridSolver(k=k)
    text = solver.explain()
    assert "100x90" in text and "Cholesky factor" in text and "of each cell" in text
    solver.solve(1.0)
    assert all("x".join(map(str, level)) in text for level in solver.report.levels)
    there = solver.explain("h200")
    assert "H200" in there and "barriers" in there and "its inverse" in there
    solver.update(k=1.0)
    assert "some rows that all others share" in solver.explain()
    assert "lives in" not in dwell.GridSolver((5,), preconditioner="none").explain()
    with pytest.raises(ValueError, match="h3"):
        solver.explain("h3")
    assert solver.setup_s > 0


def test_poisson_takes_the_options_of_the_solver():
    import inspect

    of_solver = set(inspect.signature(dwell.GridSolver.__init__).parameters) - {"self", "shape"}
    assert set(inspect.signature(dwell.poisson).parameters) == of_solver | {"f", "u0", "out", "progress"}
    with pytest.raises(TypeError, match=r"poisson\(\) got an unexpected keyword argument 'tol'"):
        dwell.poisson(np.ones(3), tol=1)


def test_what_is_not_as_wanted_is_said():
    singular = dwell.GridSolver((20, 20), boundary="neumann")
    assert singular.singular
    with pytest.warns(dwell.SolveWarning, match="no solution"):
        u = singular.solve(np.arange(400.0).reshape(20, 20))
    assert abs(u.mean()) < 1e-10
    with pytest.warns(dwell.SolveWarning, match="iteration limit"):
        dwell.GridSolver((50, 50), maxiter=1).solve(1.0)
    for solver in (dwell.GridSolver((5, 5)), dwell.Solver(np.eye(5), device="cpu")):
        with pytest.raises(ValueError, match="report: expected a solve before, found none"):
            solver.report


def test_factors_of_axes_are_those_of_faces_too():
    faces = np.random.default_rng(9).uniform(1, 2, (5, 8))
    by_factor = dwell.GridOperator((5, 7), k_faces={"x": faces}, k_axes=(2, 3)).to_matrix()
    by_values = dwell.GridOperator((5, 7), k_faces={"x": 3 * faces}, k_axes=(2, 1)).to_matrix()
    assert np.allclose(by_factor.toarray(), by_values.toarray(), rtol=1e-14)


@pytest.mark.parametrize("wrong", [
    dict(), dict(shape=(2, 2, 2, 2)), dict(shape=(0,)), dict(shape=(3,), k=0), dict(shape=(3,), k=[1.0, 1.0]),
    dict(shape=(3,), k=[1.0, -1.0, 1.0]), dict(shape=(3,), s=-1), dict(shape=(3,), spacing=0), dict(shape=(3,), spacing=(1, 1)),
    dict(shape=(3,), boundary="wall"), dict(shape=(3,), boundary="y: neumann"), dict(shape=(3,), centring="face"),
    dict(shape=(3,), mean="geometric"), dict(shape=(3,), method="lu"), dict(shape=(3,), preconditioner="amg"),
    dict(shape=(3,), method="multigrid", preconditioner="jacobi"), dict(shape=(3,), rtol=-1), dict(shape=(3,), maxiter=0),
    dict(shape=(3,), k_axes=(1, 2)), dict(shape=(3,), cycle="f"), dict(shape=(3,), coarse="amg"), dict(shape=(3,), smoother="lines", coarse="galerkin"),
    dict(shape=(3,), preconditioner="jacobi", cycle="v"), dict(shape=(3,), preconditioner="none", full_multigrid=True),
])
def test_refusals(wrong):
    with pytest.raises(ValueError) as raised:
        dwell.GridSolver(**wrong)
    assert "\n" not in str(raised.value)


def test_refusals_of_solves():
    solver = dwell.GridSolver((3, 4))
    for wrong in (np.ones((4, 3)), np.full((3, 4), np.nan)):
        with pytest.raises(ValueError):
            solver.solve(wrong)
    with pytest.raises(TypeError):
        solver.solve(np.ones((3, 4), complex))
    with pytest.raises(ValueError):
        solver.solve(1.0, np.ones(12))


def test_arrays_of_a_gpu_are_for_solvers_there():
    class There:
        shape = (4, 5)
        __cuda_array_interface__ = {"shape": (4, 5), "typestr": "<f8", "data": (0, False), "version": 3}

    solver = dwell.GridSolver((4, 5))
    with pytest.raises(ValueError, match="f: expected an array on the solver's device cpu, found one on cuda:0"):
        solver.solve(There())
    with pytest.raises(ValueError, match="u0: expected an array of the host, found one of cuda:0"):
        solver.solve(1.0, There())
    with pytest.raises(ValueError, match="k: expected an array of the host, found one of cuda:0"):
        dwell.GridOperator((4, 5), k=There(), device="cpu")
