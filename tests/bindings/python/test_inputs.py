# SPDX-License-Identifier: MIT
"""Inputs of all kinds: what is taken is right, what is rounded is said, what is refused is named in one line."""
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import dwell

A = dwell.generate("poisson2d:9x8")
N = 72
B = np.arange(1.0, N + 1)
X = dwell.cg(A, B, rtol=1e-12)[0]
U = np.random.default_rng(1).random((9, 12))


def refusal(call, kinds=(TypeError, ValueError)):
    with pytest.raises(kinds) as raised:
        call()
    message = str(raised.value)
    assert "\n" not in message and "incompatible function arguments" not in message, message
    return message


def near(x, want=X, rtol=1e-9):
    return np.allclose(x, want, rtol=rtol, atol=1e-9 * np.abs(want).max())


# Options: whatever is given, the message has the name of the argument.

BAD = {
    "number": [None, "1e-5", [1.0, 2.0], object(), True, 1j, {}, np.array([1.0, 2.0])],
    "whole": [1.5, "3", None, 2**31, -2**31 - 1, 2**80, True, [1], object(), np.float64(2.5)],
    "boolean": [0, 1, "yes", None, [], object(), 1.0],
    "word": [None, 3, ["cg"], b"cg", object(), True, "no such word\nof two lines", "\ud800"],
    "dtype": ["foo", 3, "i4", np.int64, complex, object, [1], "f2", "f4,f8", np.longdouble, True, "U3"],
    "named": [3, "x", [1], {0: 1.0}, {"": 1.0}, {None: U}, {"no such name": U}, {("x", 1): U}],
}
SOLVER = {
    "method": "word", "preconditioner": "word", "executor": "word", "variant": "word", "policy": "word",
    "null_space": "word", "smoother": "word", "coarsening": "word", "rtol": "number", "atol": "number", "progress_interval": "number", "restart": "whole",
    "block_size": "whole", "degree": "whole", "power": "whole", "factor_sweeps": "whole", "sweeps": "whole",
    "threads": "whole", "refine": "boolean", "assume_symmetric": "boolean", "history": "boolean",
    "fixed_iterations": "boolean"}
RUNNER = {
    "boundary": "word", "executor": "word", "policy": "word", "blocking": "word", "traversal": "word", "engine": "word",
    "order": "word", "depth": "whole", "threads": "whole", "progress_interval": "number"}
CONVOLVE = {"border": "word", "way": "word", "passes": "word", "correlate": "boolean", "threads": "whole",
            "return_report": "boolean"}
GRID = {
    "shape": "whole", "boundary": "word", "centring": "word", "mean": "word", "k_axes": "number", "spacing": "number",
    "boundary_values": "named", "k_faces": "named", "dtype": "dtype", "threads": "whole", "k": "number", "s": "number"}
GRID_SOLVER = GRID | {
    "method": "word", "preconditioner": "word", "cycle": "word", "coarse": "word", "smoother": "word", "rtol": "number",
    "atol": "number", "maxiter": "whole", "full_multigrid": "boolean", "history": "boolean", "progress_interval": "number"}
FIELDS = {
    "boundary": "word", "executor": "word", "kernel": "word", "depth": "whole", "threads": "whole", "reduce_every": "whole",
    "sources": "named", "receivers": "named", "reductions": "named", "until": "named", "r": "number"}


@dwell.define(fields="u v", coefficients="c", parameters="r", dims=2, boundary="nearest")
def pair(u, v, c, r):
    return u + r * c * (u[-1, 0] + u[0, 1] - 2 * u), v + u


GIVEN = {"u": U, "v": U, "c": U, "r": 0.1}
CALLS = {
    "GridSolver": (GRID_SOLVER, lambda **o: dwell.GridSolver(**{"shape": (3, 4), **o})),
    "GridSolver.solve": ({"f": "number", "rtol": "number", "atol": "number", "raise_on_breakdown": "boolean"}, lambda **o: dwell.GridSolver((9, 12)).solve(**o)),
    "GridOperator": (GRID, lambda **o: dwell.GridOperator(**{"shape": (3, 4), **o})),
    "poisson": ({"f": "number", "boundary": "word", "rtol": "number", "spacing": "number", "maxiter": "whole", "method": "word"},
                lambda **o: dwell.poisson(**{"f": U, **o})),
    "FieldRunner": (FIELDS, lambda **o: dwell.FieldRunner(pair, **{**GIVEN, **o})),
    "run": (FIELDS | {"steps": "whole", "on_interrupt": "word"}, lambda **o: dwell.run(pair, **{**GIVEN, "steps": 2, **o})),
    "explain": ({"size": "whole", "executor": "word", "boundary": "word", "depth": "whole", "dtype": "dtype"},
                lambda **o: dwell.explain(pair, **{"size": (9, 12), **o})),
    "Solver": (SOLVER, lambda **o: dwell.Solver(A, **o)),
    "cg": ({k: SOLVER[k] for k in ("rtol", "atol", "executor", "policy", "variant", "degree", "power", "block_size",
                                   "assume_symmetric", "threads")}, lambda **o: dwell.cg(A, B, **o)),
    "gmres": ({"rtol": "number", "sweeps": "whole"}, lambda **o: dwell.gmres(A, B, **o)),
    "Runner": (RUNNER, lambda **o: dwell.Runner(U, "2d5pt", **o)),
    "Runner.run": ({"steps": "whole"}, lambda steps: dwell.Runner(U, "2d5pt").run(steps)),
    "Runner.run_until": ({"tolerance": "number", "max_steps": "whole", "check_every": "whole"},
                         lambda **o: dwell.Runner(U, "2d5pt").run_until(**{"tolerance": 0.0, "max_steps": 3, **o})),
    "stencil": ({"shape": "word", "steps": "whole", "return_report": "boolean"},
                lambda **o: dwell.stencil(U, **{"shape": "2d5pt", "steps": 2, **o})),
    "convolve": (CONVOLVE, lambda **o: dwell.convolve(U, "box:3", **o)),
    "ConvolutionRunner": ({k: v for k, v in CONVOLVE.items() if k != "return_report"},
                          lambda **o: dwell.ConvolutionRunner(U, "box:3", **o)),
    "scan": ({"operation": "word", "exclusive": "boolean", "threads": "whole"}, lambda **o: dwell.scan(B, **o)),
    "reduce": ({"operation": "word", "threads": "whole"}, lambda **o: dwell.reduce(B, **o)),
    "box_mean": ({"window": "whole", "threads": "whole"}, lambda **o: dwell.box_mean(U, **{"window": 3, **o})),
    "generate": ({"kind": "word"}, dwell.generate),
    "generated_coordinates": ({"kind": "word"}, dwell.generated_coordinates),
    "rigid_body_modes": ({"rotations": "boolean"}, lambda **o: dwell.rigid_body_modes(np.eye(3), **o)),
    "compare": ({"iterations": "whole", "repetitions": "whole"},
                lambda **o: dwell.compare(A, executors=["persistent"], device="cpu", peers=[], **o)),
}


NONE_IS_DEFAULT = {("Solver", "maxiter"), ("gmres", "restart"), ("GridSolver", "k_axes"), ("GridOperator", "k_axes"), ("GridSolver", "rtol"), ("poisson", "rtol"),
                   ("GridSolver.solve", "rtol"), ("GridSolver.solve", "atol"), ("FieldRunner", "boundary"), ("run", "boundary"),
                   ("explain", "boundary")}
PER_AXIS = ("k_axes", "spacing", "shape", "size", "boundary", "r", "f", "k", "s")  # lists and arrays have other messages


@pytest.mark.parametrize("call,name", [(call, name) for call, (names, _) in CALLS.items() for name in names])
def test_messages_name_the_argument(call, name):
    names, make = CALLS[call]
    for bad in BAD[names[name]]:
        if bad is None and (call, name) in NONE_IS_DEFAULT or isinstance(bad, (list, np.ndarray)) and name in PER_AXIS:
            continue
        message = refusal(lambda: make(**{name: bad}))
        known = {"whole": ["threads", name], "word": ["filter", "matrix", "stencil", "shape", "expected one of", "reduction", "executor", name],
                 "number": [name], "boolean": [name], "dtype": [name], "named": [name]}[names[name]]
        assert any(word in message for word in known), (bad, message)


def test_devices_and_the_like():
    for bad in (3, ["cpu"], "gpu", "cuda:x", "cuda:-1", "cuda:99999999999999999999", True):
        assert "device" in refusal(lambda: dwell.Solver(A, device=bad), (TypeError, ValueError, dwell.DeviceError)).lower() \
            or "cuda" in refusal(lambda: dwell.Solver(A, device=bad), (TypeError, ValueError, dwell.DeviceError)).lower()
    for bad in ("f32", 3, ["mixed"], True):
        assert refusal(lambda: dwell.Solver(A, precision=bad)).startswith("precision:")
    for bad in (0, -1, 1.5, 2**31, float("nan"), float("inf"), "9", True, [3]):
        assert refusal(lambda: dwell.Solver(A, maxiter=bad)).startswith("maxiter:"), bad
    solver = dwell.Solver(A, device="cpu")
    for bad in ("stop", None, 3, np.zeros(3)):
        assert refusal(lambda: solver.solve(B, on_interrupt=bad)).startswith("on_interrupt:")
    for bad in ("yes", 3, [1]):
        assert refusal(lambda: solver.solve(B, progress=bad)).startswith("progress:")
    assert refusal(lambda: solver.solve(B, raise_on_breakdown=1)).startswith("raise_on_breakdown:")
    assert refusal(lambda: solver.explain(3)).startswith("device_facts:")
    assert dwell.Solver(A, method="gmres", maxiter=1000.0, restart=np.int64(7), rtol=np.float32(1e-3), atol=np.array(0), threads=np.int8(1),
                        refine=np.False_, device="cpu").solve(B).shape == (N,)


# Arrays.

LISTS = [[1.0, [2.0]], "abc", object(), {}, None, [None] * N, ["1.0"] * N, np.array([None] * N),
         np.zeros(N, "M8[s]"), np.zeros(N, "m8[s]"), np.zeros(N, "S3"), np.zeros(N, [("x", float)]), np.ones(N) * 1j,
         sp.csr_array(np.eye(N))]
ARRAYS = {
    "b": lambda a: dwell.Solver(A, device="cpu").solve(a),
    "x0": lambda a: dwell.Solver(A, device="cpu").solve(B, a),
    "b of cg": lambda a: dwell.cg(A, a),
    "x0 of cg": lambda a: dwell.cg(A, B, a),
    "A": dwell.Solver,
    "data": lambda a: dwell.Solver(A, device="cpu").update_values(a),
    "near_null": lambda a: dwell.Solver(A, preconditioner="amg", near_null=a),
    "null_vectors": lambda a: dwell.Solver(A, null_vectors=a),
    "coords": dwell.rigid_body_modes,
    "u": lambda a: dwell.Runner(a, "2d5pt"),
    "source": lambda a: dwell.Runner(U, "2d5pt", source=a),
    "weights": lambda a: dwell.Runner(U, "2d5pt", weights=a),
    "image": lambda a: dwell.convolve(a, "box:3"),
    "kernel": lambda a: dwell.convolve(U, a),
    "values": dwell.scan,
    "values of reduce": dwell.reduce,
    "x": lambda a: dwell.dot(a, B),
    "y": lambda a: dwell.dot(B, a),
    "image of box_mean": lambda a: dwell.box_mean(a, 3),
}
OPTIONAL = ("x0", "x0 of cg", "near_null", "null_vectors", "source", "weights")


@pytest.mark.parametrize("what", ARRAYS)
def test_no_arrays_of_numbers(what):
    name = what.partition(" ")[0]
    for bad in LISTS:
        if (bad is None and what in OPTIONAL) or (what == "A" and sp.issparse(bad)) or (what == "kernel" and isinstance(bad, str)):
            continue
        if what == "data" and sp.issparse(bad):
            continue
        if what == "b of cg" and isinstance(bad, np.ndarray) and bad.dtype.kind == "c":  # a complex system
            continue
        assert name in refusal(lambda: ARRAYS[what](bad)), bad


@pytest.mark.parametrize("what", ARRAYS)
def test_masked_arrays_are_refused(what):
    shape = {"A": (N, N), "coords": (5, 2), "u": (9, 12), "source": (9, 12), "image": (9, 12), "weights": (5,),
             "kernel": (3, 3), "data": A.data.shape}.get(what.partition(" ")[0], (N,))
    for mask in (False, True):
        masked = np.ma.masked_array(np.ones(shape), mask=mask)
        assert "mask" in refusal(lambda: ARRAYS[what](masked), TypeError)
    if what in ("b", "A"):
        masked = np.ma.masked_equal(A.data, 4.0)
        assert "mask" in refusal(lambda: dwell.Solver((A.indptr, A.indices, masked)), TypeError)


KINDS = ["<f8", ">f8", "<f4", ">f4", "<f2", ">f2", "<i8", ">i8", "<i4", ">i4", "i1", "<u8", ">u4", "u2", "u1", "?",
         np.longdouble]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_numbers_of_every_kind(kind):
    kind = np.dtype(kind)
    small = (B % 7 > 2).astype(kind) if kind.kind in "b" else (B % 7).astype(kind)
    want = dwell.cg(A, small.astype(float), rtol=1e-12)[0]
    values = A.data.astype(kind) if kind.kind in "if" else None
    assert near(dwell.cg(A, small, rtol=1e-12)[0], want)
    assert near(dwell.Solver(A, rtol=1e-12).solve(small), want)
    assert near(dwell.Solver(A, rtol=1e-12).solve(B, small))
    assert near(dwell.Solver(A, rtol=1e-12).solve(np.column_stack([small, small]))[:, 1], want)
    rtol = 1e-6 if kind.itemsize == 4 and kind.kind == "f" else 1e-12
    loose = 1e-4 if rtol == 1e-6 else 1e-9
    if values is not None:
        dense = A.toarray().astype(kind)
        for matrix in (dense, (A.indptr, A.indices, values)):
            assert near(dwell.Solver(matrix, rtol=rtol).solve(B.astype(np.float32) if loose > 1e-9 else B), rtol=loose)
        if kind.itemsize > 2 or kind.kind != "f":
            sparse = sp.csr_array((values.astype(kind.newbyteorder("=")), A.indices, A.indptr), shape=A.shape)
            for form in ("csr", "csc", "coo", "bsr", "dia", "lil"):
                assert near(dwell.cg(sparse.asformat(form), B, rtol=1e-12)[0]), form
            sparse.data = values
            assert near(dwell.cg(sparse, B, rtol=1e-12)[0])
    u = (U * 8).astype(kind)
    assert near(dwell.stencil(u, "2d5pt", 2), dwell.stencil(u.astype(float), "2d5pt", 2), 1e-6)
    assert dwell.reduce(u) == pytest.approx(float(u.astype(float).sum()))
    assert near(dwell.box_mean(u, 3), dwell.box_mean(u.astype(float), 3), 1e-6)
    images = dwell.convolve(u, "box:3", dtype=np.float32 if kind.newbyteorder("=") in (np.uint8, np.float16) else None)
    assert near(images, dwell.convolve(u.astype(float), "box:3"), 1e-5)


def test_sums_of_duplicates_do_not_wrap_round():
    for kind in (np.int8, np.uint8, np.int16, np.bool_):
        value = 100 if np.dtype(kind).kind in "iu" else 1
        i = np.r_[np.arange(N), np.arange(N)]
        twice = sp.coo_array((np.full(2 * N, value, kind), (i, i)), shape=(N, N))
        assert np.allclose(dwell.cg(twice, B, rtol=1e-12)[0], B / (2 * value))


BIG = {np.int64: [2**53 + 1, -2**53 - 1, 2**63 - 1, 2**60 + 1], np.uint64: [2**53 + 1, 2**64 - 1, 2**63 + 1],
       np.longdouble: [np.longdouble(1) / 3, np.longdouble(2)**60 + np.longdouble(0.5)]}
EXACT = {np.int64: [2**53, -2**53, 2**62, -2**63, 2**53 + 2, 0], np.uint64: [2**63, 2**53, 0, 2**64 - 2**11],
         np.longdouble: [0.5, 2.0**70, 1e300]}


@pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="long doubles are doubles here")
@pytest.mark.parametrize("kind", BIG)
def test_rounded_numbers_are_told(kind):
    def taken(value):
        row = np.ones(N, kind)
        row[5] = value
        diagonal = np.array([1, value], kind)
        positive = value > 0
        return [
            lambda: dwell.Solver(A).solve(row),
            lambda: dwell.cg(A, row),
            lambda: dwell.Solver(A).solve(B, row),
            lambda: dwell.Solver(A).solve(np.column_stack([row, row])),
            *([lambda: dwell.Solver(np.diag(diagonal)), lambda: dwell.Solver(sp.diags_array(diagonal, dtype=kind)),
               lambda: dwell.Solver(([0, 1, 2], [0, 1], diagonal))] if positive else []),
            lambda: dwell.Solver(A, null_space="none", near_null=row, preconditioner="amg"),
            lambda: dwell.stencil(np.broadcast_to(row, (3, N)), "2d5pt", 1),
            lambda: dwell.convolve(np.broadcast_to(row, (3, N)), "box:3"),
            lambda: dwell.reduce(row), lambda: dwell.dot(row, row), lambda: dwell.box_mean(np.broadcast_to(row, (3, N)), 3),
        ]

    for value in BIG[kind]:
        for k, call in enumerate(taken(value)):
            with pytest.warns(dwell.RoundingWarning, match="are rounded"):
                call()
    for value in EXACT[kind]:
        for call in taken(value):
            with warnings.catch_warnings():
                warnings.simplefilter("error", dwell.RoundingWarning)
                warnings.simplefilter("ignore", dwell.SolveWarning)  # from a start of 1e300 there is no way to 1e-5
                call()
    if kind is np.int64:
        single = dwell.Solver(A.astype(np.float32))
        with pytest.warns(dwell.RoundingWarning, match="float32"):
            single.solve(np.full(N, 2**24 + 1))
        solved = single.solve(np.full(N, 2**24))
        assert solved.dtype == np.float32


def test_the_warning_points_at_the_caller():
    with pytest.warns(dwell.RoundingWarning) as said:
        dwell.cg(A, np.full(N, 2**53 + 1))
    assert said[0].filename == __file__


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("indices", [np.int32, np.int64])
def test_row_pointers_of_64_bits_where_there_are_many_entries(monkeypatch, dtype, indices):
    """Where int32 is made to count fewer, row pointers stay as they are, and what has no place for them says so."""
    a = (A.indptr.astype(np.int64), A.indices.astype(indices), A.data.astype(dtype))
    b, rtol = B.astype(dtype), 1e-10 if dtype == np.float64 else 1e-5
    wanted = dwell.cg(a, b, rtol=rtol)
    gmres = dwell.gmres(a, b, rtol=rtol)
    monkeypatch.setattr("dwell._csr._MOST_ENTRIES", 20)
    x, info = dwell.cg(a, b, rtol=rtol)
    assert info == 0 and np.array_equal(x, wanted[0])
    assert np.array_equal(dwell.gmres(a, b, rtol=rtol)[0], gmres[0])
    solver = dwell.Solver(a, rtol=rtol)
    solver.update_values(sp.csr_array((2 * a[2], a[1], a[0]), shape=A.shape))
    assert near(2 * solver.solve(b), rtol=1e-3)
    assert "explain: expected a matrix of at most 2147483647 entries" in refusal(solver.explain, dwell.UnsupportedError)
    assert "A: expected at most 20 entries, found" in refusal(lambda: dwell.Product(a))
    assert "A: expected at most 20 entries, found" in refusal(lambda: dwell.compare(a, b))
    assert "entries of complex numbers, found" in refusal(lambda: dwell.cg((*a[:2], a[2] + 0j), b))
    reals = [one.astype(float) for one in a]
    assert "A: expected at most 20 entries, found" in refusal(lambda: dwell.Product((a[0], reals[1], a[2])))  # sizes first
    assert refusal(lambda: dwell.cg((reals[0], *a[1:]), b), TypeError) == "indptr: expected integers, found float64"
    broken = a[0].copy()
    broken[4] += 2**32
    assert "row 4 (counted from 0): expected row_ptr not to decrease" in refusal(lambda: dwell.cg((broken, *a[1:]), b))


@pytest.mark.parametrize("kind", [np.int64, ">i8", np.uint64])
def test_indices_that_would_wrap_round(kind):
    for off in (2**31, -2**31 - 1, 2**32, -2**32, 2**32 + 1, -2**33 + 5, 2**40, -2**40, 2**63 - 1, -2**63):
        for part in (0, 1):
            arrays = [A.indptr.astype(object), A.indices.astype(object), A.data]
            for at in (1, 7, len(arrays[part]) - 1):
                wrong = arrays[part].copy()
                value = int(wrong[at]) + off
                low, high = (0, 2**64 - 1) if kind is np.uint64 else (-2**63, 2**63 - 1)
                wrong[at] = min(max(value, low), high)
                if wrong[at] == arrays[part][at]:
                    continue
                given = [arrays[0].astype(np.int64), arrays[1].astype(np.int64), A.data]
                given[part] = wrong.astype(kind)
                assert refusal(lambda: dwell.Solver(tuple(given)), ValueError)
    for least, most in ((-5, 3), (0, 71)):
        wrong = A.indices.astype(np.int64)
        wrong[:2] = least, most
        if least < 0:
            assert refusal(lambda: dwell.Solver((A.indptr, wrong, A.data)), ValueError)


def test_row_pointers_that_scipy_would_follow():
    for at, value in ((3, 10**6), (3, -1), (N, 10**9), (0, 1), (N, 5)):
        broken = A.copy()
        broken.indptr[at] = value
        assert "indptr" in refusal(lambda: dwell.Solver(broken), ValueError)


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
def test_starts_of_every_shape():
    column = B.reshape(-1, 1)
    for start in (X, X.reshape(-1, 1), np.asmatrix(X).T, np.asfortranarray(X.reshape(-1, 1)), list(X), X[::-1][::-1],
                  X.astype(">f8"), np.repeat(X, 2)[::2]):
        for b in (B, column, np.asmatrix(B).T, list(B)):
            x, info = dwell.cg(A, b, start, rtol=1e-10, maxiter=1)
            assert info == 0 and near(np.asarray(x).ravel())
            solver = dwell.Solver(A, rtol=1e-10)
            assert near(np.asarray(solver.solve(b, start)).ravel()) and solver.report.iterations <= 1
        two = dwell.Solver(A, rtol=1e-10).solve(np.column_stack([B, B]), start)
        assert near(two[:, 0]) and near(two[:, 1])
    for bad in (X[:-1], X.reshape(1, -1), X.reshape(8, 9), np.asmatrix(X), 3.0, np.zeros((N, 2)), np.zeros((N, 1, 1))):
        assert refusal(lambda: dwell.cg(A, B, bad)).startswith("x0:")
        assert refusal(lambda: dwell.Solver(A).solve(B, bad)).startswith("x0:")


def test_right_hand_sides_without_a_solution():
    neumann = dwell.generate("neumann2d:9x8")
    rng = np.random.default_rng(4)
    for mean in (0.0, 1e-3, 1.0, 1e3):
        b = rng.standard_normal(N)
        b += mean - b.mean()
        outside = np.sqrt(N) * mean / np.linalg.norm(b)
        for call in (dwell.cg, dwell.minres):
            with warnings.catch_warnings(record=True) as said:
                warnings.simplefilter("always")
                x, info = call(neumann, b, rtol=1e-8)
            residual = np.linalg.norm(b - neumann @ x) / np.linalg.norm(b)
            assert (info == 0) == (mean == 0) == (residual <= 1.001e-8)
            assert [w.category for w in said] == ([] if mean == 0 else [dwell.SolveWarning])
            assert abs(residual - outside) < 1e-6
        solver = dwell.Solver(neumann, rtol=1e-8)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            solver.solve(np.column_stack([b, b]))
        assert len(said) == (mean != 0) and all("there is no solution" in str(w.message) for w in said)
        assert abs(solver.report.rhs_outside_range - outside) < 1e-6


# Fields: no number that is not finite, in the precision of the run, comes in by any argument of the host.

def some_inputs(rng, dtype):
    shape = (int(rng.integers(1, 9)), int(rng.integers(1, 9)))
    steps = int(rng.integers(1, 5))
    cells = [[int(rng.integers(n)) for n in shape] for _ in range(int(rng.integers(1, 4)))]
    values = {"u": rng.random(shape).astype(dtype), "v": rng.random(shape).astype(dtype), "c": rng.random(shape).astype(dtype),
              "r": rng.random(steps), "sources": {"v": (cells, rng.random((steps, len(cells))))}}
    for name in ("v", "c", "r"):
        if rng.random() < 0.3:
            values[name] = float(rng.random())
    if rng.random() < 0.3:
        values["u"] = np.asfortranarray(values["u"])
    return values, steps


@pytest.mark.parametrize("seed", range(60))
def test_values_that_are_not_finite_do_not_come_into_fields(seed):
    rng = np.random.default_rng(seed)
    dtype = np.dtype(rng.choice(["f4", "f8"]))
    values, steps = some_inputs(rng, dtype)
    runner = dwell.FieldRunner(pair, threads=1, kernel="interpreted", **values)
    assert runner.run(steps).steps == steps and runner.report.finite
    name = str(rng.choice(list(values)))
    bad = float(rng.choice([np.nan, np.inf, -np.inf]))
    what, given = name, values[name]
    if name == "sources":
        what, given = "sources of v", given["v"][1]
    if isinstance(given, float) or name in ("r", "sources"):  # which are rounded to the precision of the run
        bad = float(rng.choice([bad, 1e300])) if dtype == np.float32 else bad
    found = bad if bad != 1e300 else np.inf
    if isinstance(given, float):
        given = bad
        expected = f"{what}: expected a number that is finite in {dtype}, found {bad:g}"
    else:
        given = given.copy()
        at = tuple(int(rng.integers(n)) for n in given.shape)
        given[at] = bad
        expected = f"{what}: expected finite values, found {found} at [{', '.join(map(str, at))}] (counted from 0)"
    poisoned = {**values, name: {"v": (values["sources"]["v"][0], given)} if name == "sources" else given}
    assert refusal(lambda: dwell.FieldRunner(pair, threads=1, kernel="interpreted", **poisoned)) == expected
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert refusal(lambda: dwell.run(pair, steps=steps, threads=1, kernel="interpreted", **poisoned)) == expected
    if name == "sources":
        assert refusal(lambda: runner.set_points(poisoned["sources"])) == expected
    else:
        assert refusal(lambda: runner.set(**{name: given})) == expected


def test_numbers_and_lists_of_several_lengths_are_named():
    ragged = [[1, 2], [3]]
    solver = dwell.GridSolver((3, 4), dtype="f4")
    for name, call in {
        "r": lambda v: dwell.run(pair, u=U, v=U, c=U, r=v, steps=2), "u": lambda v: dwell.run(pair, u=v, v=U, c=U, r=1, steps=2),
        "c": lambda v: dwell.run(pair, u=U, v=U, c=v, r=1, steps=2), "f": lambda v: solver.solve(v),
        "k": lambda v: dwell.GridSolver((3, 4), k=v), "s": lambda v: dwell.GridSolver((3, 4), s=v), "b": lambda v: dwell.cg(A, v),
        "image": lambda v: dwell.convolve(v, "box:3"), "values": lambda v: dwell.scan(v), "x": lambda v: dwell.dot(v, v),
    }.items():
        message = refusal(lambda: call(ragged))  # noqa: B023
        assert message == f"{name}: expected an array of numbers, found list", message
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert refusal(lambda: solver.solve(1e300)) == "f: expected a number that is finite in float32, found 1e+300"
    assert "at most 1.8e308" in refusal(lambda: dwell.run(pair, u=U, v=10**400, c=U, r=1, steps=2))
