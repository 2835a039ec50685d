# SPDX-License-Identifier: MIT
"""Stencils beside plain NumPy."""
import numpy as np
import pytest
from oracles import stencil_by_loops

import dwell

SHAPES = {s.name: s for s in dwell.shapes()}
FIELDS = {2: (23, 37), 3: (9, 12, 17)}
RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("boundary", ["fixed", "periodic", "reflect"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", sorted(n for n, s in SHAPES.items() if s.linear))
@pytest.mark.parametrize("with_source", [False, True])
def test_as_numpy(shape, dtype, boundary, with_source):
    u = RANDOM.standard_normal(FIELDS[SHAPES[shape].dims]).astype(dtype)
    source = RANDOM.standard_normal(u.shape).astype(dtype) if with_source else None
    before = u.copy()
    v = dwell.stencil(u, shape, 7, boundary=boundary, source=source)
    assert v.dtype == dtype and np.array_equal(u, before)
    wanted = stencil_by_loops(u, shape, 7, boundary, source)
    assert np.abs(v - wanted).max() <= 60 * np.finfo(dtype).eps * np.abs(wanted).max()


@pytest.mark.parametrize("executor", ["naive", "host-loop", "persistent", "perks"])
def test_executors_give_the_same_bits(executor):
    u = RANDOM.standard_normal((40, 50))
    v, report = dwell.stencil(u, "2d5pt", 20, executor=executor, device="cpu", return_report=True)
    assert np.array_equal(v, dwell.stencil(u, "2d5pt", 20, device="cpu")) and report.executor == executor


@pytest.mark.cpu_caching
def test_a_policy_that_leaves_warns():
    u = RANDOM.standard_normal((40, 50))
    with pytest.warns(DeprecationWarning, match="'both' is the same"):
        v = dwell.stencil(u, "2d5pt", 9, executor="perks", policy="greedy", device="cpu")
    assert np.array_equal(v, dwell.stencil(u, "2d5pt", 9, executor="perks", policy="both", device="cpu"))


def test_out_in_place_and_other_dtypes():
    u = RANDOM.standard_normal((20, 30))
    wanted = dwell.stencil(u, "2d5pt", 5)
    out = np.empty_like(u)
    assert dwell.stencil(u, "2d5pt", 5, out=out) is out and np.array_equal(out, wanted)
    same = u.copy()
    assert dwell.stencil(same, "2d5pt", 5, out=same) is same and np.array_equal(same, wanted)
    assert np.array_equal(dwell.stencil(np.asfortranarray(u), "2d5pt", 5), wanted)
    whole = np.arange(600).reshape(20, 30)
    assert np.array_equal(dwell.stencil(whole, "2d5pt", 3), dwell.stencil(whole.astype(float), "2d5pt", 3))


def test_until_and_weights():
    u = np.zeros((20, 20))
    u[0] = 1
    v, report = dwell.stencil(u, "2d5pt", 100000, until=1e-9, check_every=10, return_report=True)
    assert report.stopped == "converged" and report.change <= 1e-9 and report.steps % 10 == 0
    with pytest.warns(dwell.SolveWarning, match=r"step limit after 5 steps: largest change \S+, wanted 1.00e-12"):
        _, report = dwell.stencil(u, "2d5pt", 5, until=1e-12, return_report=True)
    assert report.stopped == "step limit" and report.steps == 5
    weights = [0.2, 0.1, 0.3, 0.15, 0.25]
    found = dwell.stencil(v, "2d5pt", 4, weights=weights, boundary="periodic")
    assert np.allclose(found, stencil_by_loops(v, "2d5pt", 4, "periodic", weights=weights), rtol=1e-13)


def test_runner():
    u = RANDOM.standard_normal((30, 40))
    runner = dwell.Runner(u, "2d5pt", boundary="periodic")
    assert runner.run(7)[:2] == (7, "steps done") and runner.run(5).steps == 5
    assert np.array_equal(runner.field(), dwell.stencil(u, "2d5pt", 12, boundary="periodic"))
    seen = []
    runner.set_field(u)
    outcome = runner.run(10, every=4, callback=lambda now: seen.append((now.step, now.field())))
    assert [step for step, _ in seen] == [4, 8, 10] and outcome.steps == 10
    assert np.array_equal(seen[1][1], dwell.stencil(u, "2d5pt", 8, boundary="periodic"))
    assert runner.run(10, every=3, callback=lambda now: now.step < 6) [:2] == (6, "interrupted")
    assert runner.run_until(1e3, 50, 10).stopped == "converged"
    runner.set_weights([1, 0, 0, 0, 0])
    still = runner.field()
    runner.run(3)
    assert np.array_equal(runner.field(), still)
    report = runner.report
    assert report.size == (30, 40) and report.setup.plan_s >= 0 and "2d5pt" in repr(report)
    with pytest.raises(ZeroDivisionError):
        runner.run(4, every=2, callback=lambda now: 1 / 0)
    with pytest.raises(RuntimeError, match="inside it"):
        runner.run(4, every=2, callback=lambda now: runner.run(1))


def test_runner_source():
    u, f = RANDOM.standard_normal((2, 12, 15))
    runner = dwell.Runner(u, "2d5pt", source=f)
    runner.run(3)
    assert np.array_equal(runner.field(), dwell.stencil(u, "2d5pt", 3, source=f))
    runner.set_source(np.zeros_like(f))
    runner.set_field(u)
    runner.run(3)
    assert np.array_equal(runner.field(), dwell.stencil(u, "2d5pt", 3))


def test_progress_ends_a_run():
    runner = dwell.Runner(np.ones((64, 64)), "2d5pt", progress_interval=0.01)
    assert runner.run(10**9, progress=lambda *now: False).stopped == "interrupted"


U = np.ones((8, 8))


@pytest.mark.parametrize("error,words,call", [
    (dwell.UnsupportedError, "2d5pt", lambda: dwell.stencil(U, "2d6pt", 1)),
    (ValueError, "2 or 3 axes", lambda: dwell.stencil(U[0], "2d5pt", 1)),
    (ValueError, "dimensions|axes", lambda: dwell.stencil(U[None], "2d5pt", 1)),
    (TypeError, "complex", lambda: dwell.stencil(U * 1j, "2d5pt", 1)),
    (ValueError, "NaN|nan|finite", lambda: dwell.stencil(U * np.nan, "2d5pt", 1)),
    (ValueError, "fixed|periodic", lambda: dwell.stencil(U, "2d5pt", 1, boundary="open")),
    (ValueError, "steps", lambda: dwell.stencil(U, "2d5pt", -1)),
    (ValueError, "weights", lambda: dwell.stencil(U, "2d5pt", 1, weights=[1.0])),
    (ValueError, "source: expected shape", lambda: dwell.stencil(U, "2d5pt", 1, source=U[1:])),
    (TypeError, "float32, found float64", lambda: dwell.stencil(U.astype("f4"), "2d5pt", 1, source=U)),
    (ValueError, "C order", lambda: dwell.stencil(U, "2d5pt", 1, out=U.copy().T)),
    (TypeError, "out: expected an array of float64", lambda: dwell.stencil(U, "2d5pt", 1, out=U.astype("f4"))),
    (ValueError, "can be written", lambda: dwell.stencil(U, "2d5pt", 1, out=np.broadcast_to(0.0, (8, 8)))),
    (ValueError, "source", lambda: dwell.Runner(U, "2d5pt").set_source(U)),
    (ValueError, "every and callback", lambda: dwell.Runner(U, "2d5pt").run(1, every=1)),
    (ValueError, "depth|traversal|executor", lambda: dwell.stencil(U, "2d5pt", 1, executor="naive", depth=2)),
    (ValueError, "order: expected columns:W", lambda: dwell.stencil(U, "2d5pt", 1, order="columns")),
    (ValueError, "an order of its own", lambda: dwell.stencil(U, "2d5pt", 1, executor="naive", order="columns:4")),
])
def test_refusals(error, words, call):
    with pytest.raises(error, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("order", ["rows", "columns:3", "tiles:4x2", "zigzag:5", "hilbert:2x2"])
def test_any_order_of_cells_gives_the_same_bits(order):
    expected = dwell.stencil(U, "2d5pt", 4, boundary="reflect")
    field, report = dwell.stencil(U, "2d5pt", 4, boundary="reflect", order=order, return_report=True)
    assert np.array_equal(field, expected)
    assert report.order == order
