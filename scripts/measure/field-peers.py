#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Stencils of several fields beside Numba, Devito, JAX and NumPy on this machine's CPU, or beside JAX, CuPy, Numba and
pystencils on its GPU, as Markdown.

Waves of order 4 in two and three dimensions, heat with a conductivity per cell, and the Gray-Scott model: the equations of
dwell.stencils, written for each peer as its users write them, zero beyond the border. A figure is billions of cells per
second, of the best of several runs after one that compiles; "first" is the time until the first run has ended, less a run's
own. Every peer is bound to as many cores as --threads says. On a machine that others use, too, --threads 1 --clock cpu counts
processor time in place of waiting. Answers are compared with Dwell's. Needs the packages dwell and numpy, and measures those of numba, devito and jax that
are there; on a GPU (--device cuda), where arrays are CuPy's and stay on the device, those of cupy, jax, numba (numba-cuda) and pystencils, and
dwell-graph: Dwell's single steps in a CUDA graph. JAX does a quarter of the steps there and NumPy a twentieth anywhere, and their answers are not compared then.
Exit code 1: values differ, or a peer failed.
"""
import argparse
import os
import sys
import time

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--threads", type=int, default=os.cpu_count())


def shape_of(dims):
    def shape(text):
        axes = tuple(int(n) for n in text.split("x"))
        if len(axes) not in (1, dims) or min(axes) < 8:
            raise argparse.ArgumentTypeError(f"expected cells of an axis, or of {dims}, as 512 or 300x400, found {text}")
        return axes if len(axes) == dims else axes * dims
    return shape


parser.add_argument("--sizes", type=shape_of(2), nargs="+", default=[(256,) * 2, (1024,) * 2, (4096,) * 2],
                    help="rows and columns of fields in a plane: N or NxN")
parser.add_argument("--sizes-3d", type=shape_of(3), nargs="*", default=[(256,) * 3], help="planes, rows and columns")
parser.add_argument("--dtype", choices=("float64", "float32"), default="float64")
parser.add_argument("--clock", choices=("wall", "cpu"), default="wall")
parser.add_argument("--cells", type=float, default=1e9, help="cells times steps of a run")
parser.add_argument("--repetitions", type=int, default=3)
parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
parser.add_argument("--executor", default="auto", help="Dwell's")
parser.add_argument("--hoist", choices=("auto", "always", "never"), default="auto", help="Dwell's: values of coefficients computed once")
parser.add_argument("--peers", nargs="*", help="of dwell, numba, devito, jax, numpy; on a GPU of dwell, dwell-graph, jax, cupy, numba, pystencils (default: all)")
parser.add_argument("--problems", nargs="*", default=["wave2d", "heat2d", "gray_scott2d", "wave3d"])
args = parser.parse_args()
on_gpu = args.device == "cuda"
if not on_gpu:
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:args.threads])
elif args.clock == "cpu":
    parser.error("--clock cpu: a GPU's work is not processor time")
clock = time.perf_counter if args.clock == "wall" else time.process_time
os.environ.update(OMP_NUM_THREADS=str(args.threads), NUMBA_NUM_THREADS=str(args.threads), DEVITO_LANGUAGE="openmp",
                  DEVITO_LOGGING="ERROR")

import numpy as np  # noqa: E402

import dwell  # noqa: E402
from field_peers_gpu import STEPS, by_kernel  # noqa: E402

if on_gpu:
    import cupy as xp  # noqa: E402
else:
    xp = np

DTYPE = np.dtype(args.dtype)
W = (-5 / 2, 4 / 3, -1 / 12)  # order 4
FEED, KILL, DU, DV, R = 0.035, 0.065, 0.16, 0.08, 0.2


def start(problem, shape):
    """Fields and coefficients of a problem, where they are computed."""
    random = xp.random.default_rng(0)
    u = random.random(shape, DTYPE)
    if problem.startswith("wave"):
        return [u, u.copy()], [xp.full(shape, 0.2, DTYPE)]
    other = random.random(shape, DTYPE)
    if problem == "heat2d":
        return [u], [DTYPE.type(0.1) + DTYPE.type(0.9) * other]
    return [u, DTYPE.type(0.3) * other], []


def by_dwell(problem, fields, coefficients, steps, executor=args.executor):
    stencils = dwell.stencils
    definition, names = {"wave2d": (stencils.wave(2, 4, damped=False), ("u", "v", "c2")), "wave3d": (stencils.wave(3, 4, damped=False), ("u", "v", "c2")),
                         "heat2d": (stencils.heat(), ("u", "k")), "gray_scott2d": (stencils.gray_scott(), ("u", "v"))}[problem]
    given = dict(zip(names, fields + coefficients)) | ({"r": R} if problem == "heat2d" else {})
    runner = dwell.FieldRunner(definition, boundary="constant:0", executor=executor, hoist=args.hoist,
                               **({"device": "cuda"} if on_gpu else {"threads": args.threads}), **given)
    report = []

    def run():
        runner.set(**dict(zip(definition.fields, fields)))
        begin = clock()
        runner.run(steps)
        report[:] = [runner.report]
        return clock() - begin, runner.field("u")

    return run, lambda: f"{report[0].executor}, {report[0].kernel}"


def by_dwell_graph(problem, fields, coefficients, steps):
    return by_dwell(problem, fields, coefficients, steps, "graph")


def offsets(dims):
    """(axis, +-1, +-2) of the neighbours."""
    return [(axis, sign) for axis in range(dims) for sign in (-1, 1)]


def step_of_arrays(problem, xp, at, fields, coefficients):
    """One step by whole arrays: at(a, axis, distance) is a at every cell's neighbour. Of NumPy and of JAX."""
    u = fields[0]
    dims = u.ndim
    if problem.startswith("wave"):
        lap = dims * W[0] * u + sum(W[d] * (at(u, a, -d) + at(u, a, d)) for d in (1, 2) for a in range(dims))
        return [2 * u - fields[1] + coefficients[0] * lap, u]
    if problem == "heat2d":
        k = coefficients[0]
        gain = sum(2 * k * near / (k + near) * (at(u, a, s) - u) for a, s in offsets(2) for near in [at(k, a, s, True)])
        return [u + R * gain]
    v = fields[1]
    lap_u, lap_v = (sum(at(w, a, s) for a, s in offsets(2)) - 4 * w for w in (u, v))
    uvv = u * v * v
    return [u + (DU * lap_u - uvv + FEED * (1 - u)), v + (DV * lap_v + uvv - (FEED + KILL) * v)]


def shifted(xp):
    def at(a, axis, distance, is_coefficient=False):
        width = [(2, 2) if b == axis else (0, 0) for b in range(a.ndim)]
        wide = xp.pad(a, width, mode="edge" if is_coefficient else "constant")
        return wide[tuple(slice(2 + distance, 2 + distance + a.shape[b]) if b == axis else slice(None) for b in range(a.ndim))]
    return at


def shifted_of_one(xp):
    """Likewise, of arrays that are made wider once, along all axes."""
    wide = {}

    def at(a, axis, distance, is_coefficient=False):
        if id(a) not in wide:
            wide[id(a)] = a, xp.pad(a, 2, mode="edge" if is_coefficient else "constant")
        cut = (slice(2 + (distance if b == axis else 0), 2 + (distance if b == axis else 0) + a.shape[b]) for b in range(a.ndim))
        return wide[id(a)][1][tuple(cut)]
    return at


def by_numpy(problem, fields, coefficients, steps):
    def run():
        begin, now = clock(), [f.copy() for f in fields]
        for _ in range(steps):
            now = [a.astype(DTYPE, copy=False) for a in step_of_arrays(problem, np, shifted(np), now, coefficients)]
        return clock() - begin, now[0]
    return run, lambda: "one thread"


def by_jax(problem, fields, coefficients, steps):
    import jax
    import jax.numpy as jnp

    if not on_gpu:
        jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_enable_x64", DTYPE == np.float64)
    taken = jnp.from_dlpack if on_gpu else jnp.asarray
    there = [taken(c) for c in coefficients]

    def way(neighbours):
        def go(now, there, steps):
            return jax.lax.fori_loop(
                0, steps, lambda _, f: [a.astype(DTYPE) for a in step_of_arrays(problem, jnp, neighbours(jnp), f, there)], now)
        return jax.jit(go, donate_argnums=0)

    ways = [way(shifted), way(shifted_of_one)]

    def one(go):
        begin_with = jax.block_until_ready([jnp.array(taken(f)) for f in fields])
        begin = clock()
        out = go(begin_with, there, steps)[0].block_until_ready()
        return clock() - begin, xp.from_dlpack(out) if on_gpu else np.asarray(out)

    def run():
        return min((one(go) for go in ways), key=lambda timed: timed[0])
    return run, lambda: f"jit, donated, the better of two ways, {jax.__version__}"


def by_numba(problem, fields, coefficients, steps):
    import numba

    r = 2 if problem.startswith("wave") else 1
    feed, kill, du, dv, rate, w0, w1, w2 = (DTYPE.type(x) for x in (FEED, KILL, DU, DV, R, *W))
    two, four, one = DTYPE.type(2), DTYPE.type(4), DTYPE.type(1)

    @numba.njit(parallel=True)
    def wave2d(u, v, c):  # v is overwritten: the field after this step
        for y in numba.prange(2, u.shape[0] - 2):
            for x in range(2, u.shape[1] - 2):
                lap = two * w0 * u[y, x] + w1 * (u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1]) \
                    + w2 * (u[y - 2, x] + u[y + 2, x] + u[y, x - 2] + u[y, x + 2])
                v[y, x] = two * u[y, x] - v[y, x] + c[y, x] * lap

    @numba.njit(parallel=True)
    def wave3d(u, v, c):
        for z in numba.prange(2, u.shape[0] - 2):
            for y in range(2, u.shape[1] - 2):
                for x in range(2, u.shape[2] - 2):
                    lap = DTYPE.type(3) * w0 * u[z, y, x] \
                        + w1 * (u[z - 1, y, x] + u[z + 1, y, x] + u[z, y - 1, x] + u[z, y + 1, x] + u[z, y, x - 1] + u[z, y, x + 1]) \
                        + w2 * (u[z - 2, y, x] + u[z + 2, y, x] + u[z, y - 2, x] + u[z, y + 2, x] + u[z, y, x - 2] + u[z, y, x + 2])
                    v[z, y, x] = two * u[z, y, x] - v[z, y, x] + c[z, y, x] * lap

    @numba.njit(parallel=True)
    def heat2d(u, out, k):
        for y in numba.prange(1, u.shape[0] - 1):
            for x in range(1, u.shape[1] - 1):
                c, p = k[y, x], u[y, x]
                gain = two * c * k[y - 1, x] / (c + k[y - 1, x]) * (u[y - 1, x] - p)
                gain += two * c * k[y + 1, x] / (c + k[y + 1, x]) * (u[y + 1, x] - p)
                gain += two * c * k[y, x - 1] / (c + k[y, x - 1]) * (u[y, x - 1] - p)
                gain += two * c * k[y, x + 1] / (c + k[y, x + 1]) * (u[y, x + 1] - p)
                out[y, x] = p + rate * gain

    @numba.njit(parallel=True)
    def gray_scott2d(u, v, to_u, to_v):
        for y in numba.prange(1, u.shape[0] - 1):
            for x in range(1, u.shape[1] - 1):
                a, b = u[y, x], v[y, x]
                lap_u = u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1] - four * a
                lap_v = v[y - 1, x] + v[y + 1, x] + v[y, x - 1] + v[y, x + 1] - four * b
                abb = a * b * b
                to_u[y, x] = a + (du * lap_u - abb + feed * (one - a))
                to_v[y, x] = b + (dv * lap_v + abb - (feed + kill) * b)

    step = {"wave2d": wave2d, "wave3d": wave3d, "heat2d": heat2d, "gray_scott2d": gray_scott2d}[problem]
    wide = [np.pad(c, r, mode="edge") for c in coefficients]
    inside = (slice(r, -r),) * fields[0].ndim

    def run():
        now = [np.pad(f, r) for f in fields]
        other = [np.zeros_like(f) for f in now]
        begin = clock()
        for _ in range(steps):
            if problem.startswith("wave"):
                step(now[0], now[1], wide[0])
                now.reverse()
            elif problem == "heat2d":
                step(now[0], other[0], wide[0])
                now, other = other, now
            else:
                step(*now, *other)
                now, other = other, now
        return clock() - begin, now[0][inside]
    return run, lambda: f"njit(parallel), {numba.__version__}"


def by_devito(problem, fields, coefficients, steps):
    import devito

    shape = fields[0].shape
    grid = devito.Grid(shape=shape, extent=tuple(n - 1.0 for n in shape), dtype=DTYPE.type)
    is_wave = problem.startswith("wave")
    r = 2 if is_wave else 1
    functions = [devito.TimeFunction(name=name, grid=grid, time_order=2 if is_wave else 1, space_order=2 * r)
                 for name in ("u",) + (("w",) if problem == "gray_scott2d" else ())]
    c = None
    if coefficients:
        c = devito.Function(name="c", grid=grid, space_order=2 * r)
        c.data_with_halo[:] = np.pad(coefficients[0], [tuple(h) for h in c.halo], mode="edge") if hasattr(c, "halo") else 0
    t, space = grid.stepping_dim, grid.dimensions

    def near(f, axis, distance):
        return f.subs(space[axis], space[axis] + distance * space[axis].spacing)

    u = functions[0]
    if is_wave:
        lap = len(shape) * W[0] * u + sum(W[d] * (near(u, a, -d) + near(u, a, d)) for d in (1, 2) for a in range(len(shape)))
        equations = [devito.Eq(u.forward, 2 * u - u.backward + c * lap)]
    elif problem == "heat2d":
        gain = sum(2 * c * near(c, a, s) / (c + near(c, a, s)) * (near(u, a, s) - u) for a, s in offsets(2))
        equations = [devito.Eq(u.forward, u + R * gain)]
    else:
        v = functions[1]
        lap_u, lap_v = (sum(near(w, a, s) for a, s in offsets(2)) - 4 * w for w in (u, v))
        uvv = u * v * v
        equations = [devito.Eq(u.forward, u + (DU * lap_u - uvv + FEED * (1 - u))),
                     devito.Eq(v.forward, v + (DV * lap_v + uvv - (FEED + KILL) * v))]
    operator = devito.Operator(equations)

    def run():
        for f in functions:
            f.data_with_halo[:] = 0
        if is_wave:
            u.data[0], u.data[2] = fields[0], fields[1]
        else:
            for f, given in zip(functions, fields):
                f.data[0] = given
        begin = clock()
        operator.apply(time_m=0, time_M=steps - 1)
        return clock() - begin, np.array(u.data[steps % u.data.shape[0]])
    return run, lambda: f"openmp, {devito.__version__}"


def on_gpu_by(peer):
    def by(problem, fields, coefficients, steps):
        return by_kernel(peer, problem, fields, coefficients, steps, {"FEED": FEED, "KILL": KILL, "DU": DU, "DV": DV, "R": R}, DTYPE)
    return by


PEERS = ({"dwell": by_dwell, "dwell-graph": by_dwell_graph, **{peer: on_gpu_by(peer) for peer in STEPS}, "jax": by_jax} if on_gpu else
         {"dwell": by_dwell, "numba": by_numba, "devito": by_devito, "jax": by_jax, "numpy": by_numpy})


# Peers that do so many times fewer steps, without an answer to compare.
FEWER = {"numpy": 20} | ({"jax": 4} if on_gpu else {})


def main():
    failed = False
    peers = args.peers or list(PEERS)
    if unknown := [name for name in peers if name not in PEERS]:
        parser.error(f"--peers: expected {', '.join(PEERS)}, found {unknown[0]}")
    where = args.device if on_gpu else f"{args.threads} thread{'s' if args.threads > 1 else ''}"
    print(f"{where}, {args.dtype}, best of {args.repetitions}, {args.clock} time\n")
    print("| problem | cells | peer | GCells/s | Dwell over it | first, s | how |\n|---|---|---|--:|--:|--:|---|")
    for problem in args.problems:
        for shape in args.sizes_3d if problem == "wave3d" else args.sizes:
            fields, coefficients = start(problem, shape)
            steps = max(3, int(args.cells / fields[0].size))
            right = rate_of_dwell = None
            for name in peers:
                few = max(3, steps // FEWER.get(name, 1))
                try:
                    begin = clock()
                    run, how = PEERS[name](problem, fields, coefficients, few)
                    run()
                    first = clock() - begin
                    best, out = min((run() for _ in range(args.repetitions)), key=lambda timed: timed[0])
                except ImportError:
                    continue
                except Exception as error:  # a peer raises its own
                    print(f"field-peers.py: {name}, {problem}: {type(error).__name__}: {str(error).splitlines()[0]}", file=sys.stderr)
                    failed = True
                    continue
                rate = fields[0].size * few / best / 1e9
                if name == "dwell":
                    right, rate_of_dwell = out, rate
                elif few == steps and right is not None:
                    scale = max(float(xp.abs(right).max()), 1e-30)
                    if not float(xp.abs(out - right).max()) <= (1e-9 if DTYPE == np.float64 else 1e-2) * scale:
                        print(f"field-peers.py: {name}, {problem}: other values than Dwell's", file=sys.stderr)
                        failed = True
                over = f"{rate_of_dwell / rate:.1f}" if rate_of_dwell and name != "dwell" else ""
                print(f"| {problem} | {'x'.join(map(str, fields[0].shape))} | {name} | {rate:.3g} | {over} | "
                      f"{max(first - best, 0):.2g} | {how()} |", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
