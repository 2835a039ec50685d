# SPDX-License-Identifier: MIT
"""Children after fork: what they inherit works there, for every executor, or says in one line why not."""
import multiprocessing
import os
import signal
import threading
import time
import warnings

import numpy as np
import pytest

import dwell

pytestmark = [pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
              pytest.mark.filterwarnings("ignore:.*fork.*:RuntimeWarning")]  # JAX's, where another test has imported it

A = dwell.generate("poisson2d:60x50")
B = np.ones(3000)
U = np.random.default_rng(1).random((70, 90))
IMAGE = np.random.default_rng(2).random((90, 80))


def in_child(work):
    """What the work is in a child: "ok", "wrong", what it raised, or "hangs"."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = "ok" if work() else "wrong"
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(write, said.encode())
        os._exit(0)
    os.close(write)
    end = time.monotonic() + 60
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(read)
            return "hangs"
        time.sleep(0.005)
    with os.fdopen(read, "rb") as file:
        return file.read().decode() or "died"


@pytest.mark.parametrize("executor", ["auto", "host-loop", "persistent", "perks"])
@pytest.mark.parametrize("preconditioner", ["none", "amg", "block-jacobi"])
def test_solver(executor, preconditioner):
    solver = dwell.Solver(A, executor=executor, preconditioner=preconditioner, threads=2, device="cpu")
    unused = dwell.Solver(A, executor=executor, preconditioner=preconditioner, threads=2, device="cpu")
    want = solver.solve(B)
    assert in_child(lambda: np.array_equal(solver.solve(B), want) and np.array_equal(unused.solve(B), want)) == "ok"
    assert in_child(lambda: in_child(lambda: np.array_equal(solver.solve(B), want)) == "ok") == "ok"
    assert np.array_equal(solver.solve(B), want)


@pytest.mark.parametrize("executor", ["auto", "naive", "host-loop", "persistent", "perks", "temporal"])
def test_runner(executor):
    runner = dwell.Runner(U, "2d5pt", executor=executor, threads=2, device="cpu")
    runner.run(20)
    want = runner.field()

    def again():
        runner.set_field(U)
        runner.run(20)
        return np.array_equal(runner.field(), want)

    assert in_child(again) == "ok"
    assert again()


@pytest.mark.parametrize("executor", ["auto", "naive", "persistent", "temporal"])
def test_field_runner(executor):
    runner = dwell.FieldRunner(dwell.stencils.heat(), u=U, k=1.0, boundary="reflect", executor=executor, threads=2)
    runner.run(20)
    want = runner.field("u")

    def again():
        runner.set(u=U)
        runner.run(20)
        return np.array_equal(runner.field("u"), want)

    assert in_child(again) == "ok"
    assert again()


def test_arrays():
    blur = dwell.ConvolutionRunner(IMAGE, "gaussian:9", threads=2, device="cpu")
    want = blur.run(IMAGE), dwell.scan(IMAGE.ravel(), threads=2), dwell.reduce(IMAGE, threads=2)
    assert in_child(lambda: np.array_equal(blur.run(IMAGE), want[0])) == "ok"
    assert in_child(lambda: np.array_equal(dwell.scan(IMAGE.ravel(), threads=2), want[1])) == "ok"
    assert in_child(lambda: dwell.reduce(IMAGE, threads=2) == want[2]) == "ok"


def test_objects_of_the_parent_end_in_the_child():
    held = [dwell.Solver(A, executor="host-loop", threads=2, device="cpu"),
            dwell.Runner(U, "2d5pt", executor="host-loop", threads=2, device="cpu"),
            dwell.Runner(U, "2d5pt", executor="persistent", threads=2, device="cpu"),
            dwell.FieldRunner(dwell.stencils.heat(), u=U, k=1.0, executor="persistent", threads=2)]
    held[-1].run(2)

    def drop():
        held.clear()
        return True

    assert in_child(drop) == "ok"


def test_amid_a_solve_of_another_thread():
    solver = dwell.Solver(A, fixed_iterations=True, maxiter=10**9, threads=2, device="cpu", progress_interval=0.01)
    begun, stop = threading.Event(), threading.Event()

    def progress(*_):
        begun.set()
        return not stop.is_set()

    busy = threading.Thread(target=lambda: solver.solve(B, progress=progress))
    busy.start()
    begun.wait()
    try:
        assert in_child(lambda: solver.solve(B)) == (
            "RuntimeError: expected no solve in progress when the process forked, found one of the parent: make a new "
            "object here")
        for _ in range(5):
            assert in_child(lambda: dwell.cg(A, B, M="jacobi", threads=2)[1] == 0) == "ok"
    finally:
        stop.set()
        busy.join()


def _solve(seed):
    return dwell.cg(A, np.random.default_rng(seed).standard_normal(3000), M="jacobi", threads=2)[1]


def test_pool_of_processes():
    dwell.cg(A, B, threads=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with multiprocessing.get_context("fork").Pool(2) as pool:
            assert pool.map_async(_solve, range(4)).get(120) == [0] * 4
