#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Conjugate gradients from Python on a GPU: dwell beside CuPy, PyTorch (its loop in a CUDA graph) and JAX.

    python apps/peers/python_cg.py fv1.mtx.gz poisson2d:1000x1000

For matrices, and b of ones, on the device: milliseconds from there to the answer, set-up included; for dwell also
those of a prepared solver. No preconditioner, f64, the true residual as numpy computes it. Median of five. Then
microseconds of a call for a system of ten rows. A library that is not installed is left out.
"""
import argparse
import importlib
import json
import statistics
import sys
import time

import numpy as np
import scipy.sparse

import dwell


def milliseconds(call, wait, repetitions=5):
    """The median of calls after one that is not counted, and the last answer."""
    answer, times = call(), []
    wait()
    for _ in range(repetitions):
        begin = time.perf_counter()
        answer = call()
        wait()
        times.append(1e3 * (time.perf_counter() - begin))
    return statistics.median(times), answer


def of_cupy(a, rtol):
    cupy = importlib.import_module("cupy")
    importlib.import_module("cupyx.scipy.sparse.linalg")
    linalg = sys.modules["cupyx.scipy.sparse.linalg"]
    there = sys.modules["cupyx.scipy.sparse"].csr_matrix(a)
    b = cupy.ones(a.shape[0])
    wait = cupy.cuda.Stream.null.synchronize
    solver = dwell.Solver(there, rtol=rtol)
    yield "dwell.cg", lambda: dwell.cg(there, b, rtol=rtol, maxiter=20000)[0], wait, lambda x: x.get()
    yield "dwell.cg, M=auto", lambda: dwell.cg(there, b, rtol=rtol, maxiter=20000, M="auto")[0], wait, lambda x: x.get()
    yield "dwell.Solver, prepared", lambda: solver.solve(b), wait, lambda x: x.get()
    # SciPy's stopping rule; `tol` before CuPy 14.
    names = linalg.cg.__code__.co_varnames
    asked = {"rtol" if "rtol" in names else "tol": rtol}
    yield "cupyx cg", lambda: linalg.cg(there, b, maxiter=20000, **asked)[0], wait, lambda x: x.get()


def of_torch(a, rtol):
    torch = importlib.import_module("torch")
    there = torch.sparse_csr_tensor(torch.tensor(a.indptr), torch.tensor(a.indices), torch.tensor(a.data), size=a.shape,
                                    check_invariants=False)
    there = there.to("cuda")
    b = torch.ones(a.shape[0], dtype=torch.float64, device="cuda")
    rounds = 10

    def solve():
        x, r, p = torch.zeros_like(b), b.clone(), b.clone()
        rr = torch.dot(r, r)
        target = float(rr) * rtol * rtol

        def step():
            q = there @ p
            alpha = rr / torch.dot(p, q)
            x.add_(alpha * p)
            r.sub_(alpha * q)
            new = torch.dot(r, r)
            p.mul_(new / rr).add_(r)
            rr.copy_(new)

        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(rounds):
                step()
        for _ in range(20000 // rounds):
            graph.replay()
            if float(rr) <= target:
                break
        return x

    yield "PyTorch, CUDA graph", solve, torch.cuda.synchronize, lambda x: x.cpu().numpy()


def of_jax(a, rtol):
    jax = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)
    sparse = importlib.import_module("jax.experimental.sparse")
    cg = importlib.import_module("jax.scipy.sparse.linalg").cg
    there = sparse.BCSR((jax.numpy.array(a.data), jax.numpy.array(a.indices), jax.numpy.array(a.indptr)), shape=a.shape)
    b = jax.numpy.ones(a.shape[0])
    solve = jax.jit(lambda m, b: cg(lambda v: m @ v, b, tol=rtol, maxiter=20000)[0])
    yield "jax.scipy cg, jit", lambda: solve(there, b).block_until_ready(), lambda: None, np.asarray


def measure(a, rtol, lists):
    for peers in lists:
        try:
            for name, call, wait, fetch in peers(a, rtol):
                ms, x = milliseconds(call, wait)
                residual = np.linalg.norm(a @ fetch(x) - 1.0) / np.sqrt(a.shape[0])
                yield {"library": name, "ms": ms, "true_residual": residual}
        except ImportError as why:
            print(f"left out: {why}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("systems", nargs="+", metavar="MATRIX", help="files, or kinds of dwell.generate")
    parser.add_argument("--rtol", type=float, default=1e-8)
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    rows = []
    for name in args.systems:
        a = scipy.sparse.csr_matrix(dwell.generate(name) if ":" in name else dwell.read_matrix(name))
        for row in measure(a, args.rtol, [of_cupy, of_torch, of_jax]):
            rows.append({"system": name, "rows": a.shape[0], **row})
            print(f"{name:24} {row['library']:24} {row['ms']:10.3f} ms  true residual {row['true_residual']:.2e}", flush=True)
    tiny = scipy.sparse.csr_matrix(dwell.generate("poisson2d:5x2"))
    for row in measure(tiny, args.rtol, [of_cupy, of_jax]):
        rows.append({"system": "poisson2d:5x2", "rows": 10, **row})
        print(f"{'ten rows':24} {row['library']:24} {1e3 * row['ms']:10.1f} us", flush=True)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)


if __name__ == "__main__":
    main()
