# SPDX-License-Identifier: MIT
"""The current device of a thread is the caller's: calls leave it as they found it."""
import threading
from collections.abc import Callable

import numpy as np
import pytest

import dwell

pytestmark = pytest.mark.gpu

A = dwell.generate("poisson2d:31x23")
RNG = np.random.default_rng(30)
X = RNG.standard_normal(A.shape[0])
FIELD = RNG.standard_normal((37, 53))


@dwell.define(fields="u v", parameters="r")
def waves(u, v, r):
    return 2 * u[0, 0] - v[0, 0] + r * (u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1] - 4 * u[0, 0]), u[0, 0]


def prepared_solver(device: str) -> None:
    solver = dwell.Solver(A, preconditioner="amg", device=device)
    solver.solve(X)
    solver.update_values(A.data)
    solver.solve(X)


def prepared_grid(device: str) -> None:
    solver = dwell.GridSolver((40, 30), device=device)
    solver.solve(1.0)


CALLS: dict[str, Callable[[str], object]] = {
    "devices": lambda device: dwell.devices(),
    "cg": lambda device: dwell.cg(A, X, device=device),
    "gmres": lambda device: dwell.gmres(A, X, device=device),
    "solver": prepared_solver,
    "grid": prepared_grid,
    "product": lambda device: dwell.Product(A, device=device) @ X,
    "stencil": lambda device: dwell.stencil(FIELD, "2d5pt", 7, device=device),
    "stencil, executors": lambda device: [dwell.stencil(FIELD, "2d5pt", 7, device=device, executor=one)
                                          for one in ("host-loop", "graph", "persistent", "temporal")],
    "fields": lambda device: dwell.run(waves, u=FIELD, v=FIELD, r=0.1, steps=9, device=device),
    "fields, graph": lambda device: dwell.run(waves, u=FIELD, v=FIELD, r=0.1, steps=9, device=device, executor="graph"),
    "convolve": lambda device: dwell.convolve(FIELD, np.ones((3, 3)), device=device),
    "reduce": lambda device: dwell.reduce(X, "sum", device=device),
    "scan": lambda device: dwell.scan(X, device=device),
    "summed-area table": lambda device: dwell.summed_area_table(FIELD, device=device),
}


def gpus() -> int:
    return sum(one.backend == "cuda" for one in dwell.devices())


@pytest.mark.parametrize("call", CALLS)
def test_a_thread_that_chose_none_has_the_first(call):
    cupy = pytest.importorskip("cupy", reason="no CuPy")
    if gpus() < 2:
        pytest.skip("needs two GPUs")
    with cupy.cuda.Device(0):
        cupy.ones(3)
    seen = []

    def look() -> None:
        CALLS[call](f"cuda:{gpus() - 1}")
        seen.append(cupy.zeros(3).device.id)

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert seen == [0]


@pytest.mark.parametrize("call", CALLS)
def test_the_device_that_a_caller_chose_stays(call):
    cupy = pytest.importorskip("cupy", reason="no CuPy")
    if gpus() < 2:
        pytest.skip("needs two GPUs")
    for chosen, other in ((0, 1), (1, 0)):
        with cupy.cuda.Device(chosen):
            before = cupy.ones(3)
            CALLS[call](f"cuda:{other}")
            assert cupy.cuda.runtime.getDevice() == chosen
            assert cupy.zeros(3).device.id == before.device.id == chosen
