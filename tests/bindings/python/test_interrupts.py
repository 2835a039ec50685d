# SPDX-License-Identifier: MIT
"""Signals while the library works: they are heard, what their handler raises ends the work, and nothing is broken."""
import signal
import time

import numpy as np
import pytest

import dwell

A = dwell.generate("poisson2d:300x300")
IMAGE = np.random.default_rng(1).random((1500, 1500))
WEIGHTS = np.random.default_rng(2).random((31, 31))
SHORT = 0.12  # work that is too short to be looked at


class Stop(Exception):
    pass


def _text(size):
    rows = "\n".join(f"{i} {i} 1.5" for i in range(1, size + 1))
    return f"%%MatrixMarket matrix coordinate real general\n{size} {size} {size}\n{rows}\n"


def update(tmp_path):
    solver = dwell.Solver(A, preconditioner="amg", device="cpu", threads=1)
    return lambda: solver.update_values(2 * A.data)


def read(tmp_path):
    path = tmp_path / "A.mtx"
    path.write_text(_text(1_000_000))
    return lambda: dwell.read_matrix(path)


WORKS = {
    "multigrid": lambda _: lambda: dwell.Solver(A, preconditioner="amg", device="cpu", threads=1),
    "factors": lambda _: lambda: dwell.Solver(A, preconditioner="fsai", power=2, device="cpu", threads=1),
    "one call": lambda _: lambda: dwell.cg(A, np.ones(90000), M="amg", device="cpu", threads=1),
    "update": update,
    "generate": lambda _: lambda: dwell.generate("elasticity3d:40x40x40"),
    "read": read,
    "fields": lambda _: lambda: dwell.run(dwell.stencils.heat(), u=IMAGE, k=1.0, steps=10, threads=1, kernel="interpreted"),
    "convolve": lambda _: lambda: dwell.convolve(IMAGE, WEIGHTS, device="cpu", threads=1),
    "convolution runner": lambda _: lambda: dwell.ConvolutionRunner(IMAGE, WEIGHTS, device="cpu", threads=1).run(IMAGE),
}


@pytest.fixture
def timer():
    """Every 5 ms the handler that is given to it."""
    before = signal.getsignal(signal.SIGALRM)

    def start(handler, first=0.005):
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, first, 0.005)

    yield start
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", WORKS)
def test_signals_are_heard_and_end_the_work(name, timer, tmp_path):
    work = WORKS[name](tmp_path)
    heard = []
    timer(lambda *_: heard.append(1))
    begun = time.monotonic()
    work()
    took = time.monotonic() - begun
    signal.setitimer(signal.ITIMER_REAL, 0)
    if took < SHORT:
        pytest.skip("this machine is too fast")
    assert len(heard) >= 3  # once the call has returned the interpreter calls a handler once

    def stop(*_):
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise Stop

    for at in np.random.default_rng(3).uniform(0.1, 0.6, 3):
        for part in (at, at / 2, at / 4, at / 8):  # a busy machine may have made the first run slower than this one
            work = WORKS[name](tmp_path)
            timer(stop, part * took)
            try:
                work()
                signal.setitimer(signal.ITIMER_REAL, 0)
            except Stop:
                break
        else:
            pytest.fail("the work went on to its end")
    WORKS[name](tmp_path)()  # all is well after it


def test_interrupted_update_ends_the_solver(timer, tmp_path):
    solver = dwell.Solver(A, preconditioner="amg", device="cpu", threads=1)

    def stop(*_):
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise Stop

    timer(stop)
    try:
        solver.update_values(2 * A.data)
    except Stop:
        with pytest.raises(dwell.DeviceError, match="make a new one"):
            solver.solve(np.ones(90000))


@pytest.mark.parametrize("kind", ["matrix", "grid"])
def test_an_interrupted_solve_has_its_report(kind, timer):
    if kind == "matrix":
        solver, b = dwell.Solver(A, device="cpu", threads=1, preconditioner="jacobi", fixed_iterations=True, maxiter=10**8), np.ones(90000)
    else:
        solver, b = dwell.GridSolver((700, 700), preconditioner="none", rtol=0, maxiter=10**8, device="cpu", threads=1), 1.0

    def stop(*_):
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise KeyboardInterrupt

    timer(stop, 0.2)
    with pytest.raises(KeyboardInterrupt):
        solver.solve(b)
    assert solver.report.stopped == "interrupted" and solver.report.iterations > 0


@pytest.mark.parametrize("on_interrupt", ["raise", "return"])
def test_an_interrupted_solve_on_a_grid_leaves_its_answer(on_interrupt, timer):
    solver = dwell.GridSolver((700, 700), preconditioner="none", rtol=0, maxiter=10**8, device="cpu", threads=1)
    f, out = np.ones((700, 700)), np.zeros((700, 700))

    def stop(*_):
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise KeyboardInterrupt

    timer(stop, 0.2)
    if on_interrupt == "raise":
        with pytest.raises(KeyboardInterrupt):
            solver.solve(f, out=out)
    else:
        assert solver.solve(f, out=out, on_interrupt="return") is out
    r = solver.report
    assert r.stopped == "interrupted" and r.iterations > 0
    left = np.linalg.norm(f - dwell.GridOperator((700, 700)) @ out) / 700
    np.testing.assert_allclose(left, r.residual_relative_true, rtol=1e-10)
    np.testing.assert_array_equal(solver.solve(f, out, out, rtol=1.0), out)  # and is solved with again


@pytest.mark.parametrize("false", [False, np.False_, np.array(False), np.bool_(0)])
@pytest.mark.parametrize("true", [True, None, np.True_, 0, "", [], np.zeros(3), 0.0])
def test_what_ends_a_run(false, true):
    calls = []

    def look(*_):
        calls.append(1)
        return true if len(calls) < 3 else false

    u = np.zeros((30, 40))
    assert dwell.Runner(u, "2d5pt", device="cpu").run(100, every=10, callback=look).steps == 30
    calls.clear()
    solver = dwell.Solver(A, device="cpu", threads=1, rtol=1e-12, progress_interval=0)
    solver.solve(np.ones(90000), progress=look)
    assert solver.report.stopped == "interrupted" and len(calls) == 3
    calls.clear()
    of_grid = dwell.GridSolver((300, 300), device="cpu", threads=1, rtol=1e-12, progress_interval=0)
    of_grid.solve(1.0, progress=look)
    assert of_grid.report.stopped == "interrupted" and len(calls) == 3
