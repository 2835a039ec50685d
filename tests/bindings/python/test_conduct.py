# SPDX-License-Identifier: MIT
"""Conduct in a process: threads, interrupts, leaks, imports."""
import gc
import os
import subprocess
import sys
import textwrap
import threading
import tracemalloc

import numpy as np
import pytest
from oracles import random_spd

import dwell

A = random_spd(1, 40)
N = 40


def test_threads_take_turns_and_the_lock_is_released():
    solver = dwell.Solver(A, rtol=1e-10)
    right = [np.random.default_rng(k).standard_normal(N) for k in range(8)]
    wanted = [solver.solve(b) for b in right]
    found = [None] * 8

    def work(k):
        for _ in range(50):
            found[k] = solver.solve(right[k])

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(a, b) for a, b in zip(found, wanted))

    slow = dwell.Solver(A, fixed_iterations=True, maxiter=10**9, progress_interval=0.01, device="cpu", threads=1)
    stop = threading.Event()
    solving = threading.Thread(target=lambda: slow.solve(np.ones(N), progress=lambda *_: not stop.is_set()))
    solving.start()
    counted = sum(1 for _ in range(1000))  # the interpreter goes on
    stop.set()
    solving.join(60)
    assert counted == 1000 and not solving.is_alive()


INTERRUPT = """
import os, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
import numpy as np
import dwell
if sys.argv[1] == "stencil":
    runner = dwell.Runner(np.ones((64, 64)), "2d5pt")
    solve = lambda how: runner.run(10**9, on_interrupt=how)
elif sys.argv[1] == "fields":
    runner = dwell.FieldRunner(dwell.stencils.gray_scott(), u=np.ones((64, 64)), v=0.1, boundary="periodic")
    solve = lambda how: runner.run(10**9, every=10**8, callback=print, on_interrupt=how)
else:
    solver = dwell.Solver(dwell.generate("poisson2d:100x100"), fixed_iterations=True, maxiter=10**9, threads=1, device="cpu")
    out = np.zeros(10000)
    solve = lambda how: solver.solve(np.ones(10000), out=out, on_interrupt=how)
for how in ("raise", "return"):
    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        solve(how)
        print("returned")
    except KeyboardInterrupt:
        print("raised")
if sys.argv[1] == "stencil":
    print(runner.report.stopped, runner.field().shape)
elif sys.argv[1] == "fields":
    print(runner.run(3).stopped, runner.field("v").shape)
else:
    print(solver.report.stopped, out.any())
"""


@pytest.mark.parametrize("what,end", [("system", "interrupted True"), ("stencil", "interrupted (64, 64)"),
                                      ("fields", "steps done (64, 64)")])
def test_ctrl_c(what, end):
    done = subprocess.run([sys.executable, "-c", INTERRUPT, what], capture_output=True, text=True, timeout=60)
    assert (done.stdout.split("\n")[:3], done.stderr) == (["raised", "returned", end], "")


def test_nothing_leaks():
    b = np.ones(N)

    def work(count):
        for _ in range(count):
            solver = dwell.Solver(A)
            solver.solve(b)
            solver.report.to_dict()
            dwell.cg(A, b)
            with pytest.raises(ValueError):
                solver.solve(b[:3])

    def traced():
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    # Caches of the interpreter may fill in some round (under Python 3.10 they do); a leak grows in every one.
    work(50)
    tracemalloc.start()
    work(50)
    pages = resident()
    grown = []
    for _ in range(3):
        before = traced()
        work(500)
        grown.append(traced() - before)
    tracemalloc.stop()
    assert min(grown) < 10000, grown
    assert resident() - pages < 20 << 20, "what the extension allocates is not traced"


def test_fields_leak_nothing():
    u = np.ones((20, 30))

    def work(count):
        for _ in range(count):
            heat = dwell.define(lambda u, k, r: u + r * (u[0, 1] - 2 * u + u[0, -1]) * k, fields="u", coefficients="k", parameters="r",
                                name="heat")
            result = dwell.run(heat, u=u, k=1, r=np.full(3, 0.1), steps=3, sources={"u": ((4, 5), [1.0, 2.0, 3.0])},
                               receivers={"u": [(4, 5)]}, kernel="interpreted", threads=1)
            result.report.to_dict()
            with pytest.raises(dwell.DefinitionError):
                dwell.define(lambda u: u[9], fields="u")

    work(30)
    gc.collect()
    tracemalloc.start()
    work(30)
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    pages = resident()
    work(300)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 20000
    assert resident() - pages < 20 << 20, "what the extension allocates is not traced"


def test_threads_share_a_runner_of_fields():
    runner = dwell.FieldRunner(dwell.stencils.heat(), u=np.eye(40), k=1.0, boundary="reflect", device="cpu", kernel="interpreted")
    threads = [threading.Thread(target=lambda: [runner.run(1) for _ in range(25)]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wanted = dwell.run(dwell.stencils.heat(), u=np.eye(40), k=1.0, steps=100, boundary="reflect")["u"]
    assert np.array_equal(runner.field("u"), wanted) and runner.report.total_steps == 100


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_import_needs_no_optional_library():
    code = textwrap.dedent("""
        import sys
        class Absent:
            def find_spec(self, name, path=None, target=None):
                if name.split(".")[0] in ("jax", "torch", "cupy", "tqdm", "matplotlib", "pandas"):
                    raise ImportError(name)
        sys.meta_path.insert(0, Absent())
        import dwell
        print(dwell.cg(dwell.generate("poisson2d:3x3"), [1.0] * 9)[1])
        try:
            dwell.Solver(dwell.generate("poisson2d:3x3")).solve([1.0] * 9, progress=True)
        except ImportError as error:
            print(error)
    """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout == "0\nprogress=True needs tqdm: pip install 'dwell-solvers[progress]'\n", done.stderr
