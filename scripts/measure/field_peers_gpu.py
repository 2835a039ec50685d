# SPDX-License-Identifier: MIT
"""Peers of field-peers.py on a GPU: a kernel for each step of CuPy, of Numba and of pystencils, as their users write them.
Arrays are CuPy's. Kernels of CuPy and pystencils are recorded in a CUDA graph, those of Numba are launched one by one."""
import time

HEAD = r"""
typedef %(type)s T;
#define AT(a, z, y, x) a[((long long)(z) * (ny + 2 * R) + (y)) * (nx + 2 * R) + (x)]
extern "C" __global__ void __launch_bounds__(256) step(%(arguments)s, int nz, int ny, int nx) {
  const int R = %(radius)d;
  const int x = blockIdx.x * blockDim.x + threadIdx.x + R, y = blockIdx.y * blockDim.y + threadIdx.y + R;
  const int z = blockIdx.z + %(first_plane)s;
  if (x >= nx + R || y >= ny + R) return;
"""
WEIGHTS = "  const T w0 = T(-2.5), w1 = T(4.0 / 3), w2 = T(-1.0 / 12);\n"
# The fields of a step, what it reads besides, and its text. Arrays have `radius` more cells at each end of an axis.
KERNELS = {
    "wave2d": (2, "const T* u, T* v, const T* c", WEIGHTS + r"""
  const T lap = T(2) * w0 * AT(u, 0, y, x) + w1 * (AT(u, 0, y - 1, x) + AT(u, 0, y + 1, x) + AT(u, 0, y, x - 1) + AT(u, 0, y, x + 1))
    + w2 * (AT(u, 0, y - 2, x) + AT(u, 0, y + 2, x) + AT(u, 0, y, x - 2) + AT(u, 0, y, x + 2));
  AT(v, 0, y, x) = T(2) * AT(u, 0, y, x) - AT(v, 0, y, x) + AT(c, 0, y, x) * lap;
}"""),
    "wave3d": (2, "const T* u, T* v, const T* c", WEIGHTS + r"""
  const T lap = T(3) * w0 * AT(u, z, y, x)
    + w1 * (AT(u, z - 1, y, x) + AT(u, z + 1, y, x) + AT(u, z, y - 1, x) + AT(u, z, y + 1, x) + AT(u, z, y, x - 1) + AT(u, z, y, x + 1))
    + w2 * (AT(u, z - 2, y, x) + AT(u, z + 2, y, x) + AT(u, z, y - 2, x) + AT(u, z, y + 2, x) + AT(u, z, y, x - 2) + AT(u, z, y, x + 2));
  AT(v, z, y, x) = T(2) * AT(u, z, y, x) - AT(v, z, y, x) + AT(c, z, y, x) * lap;
}"""),
    "heat2d": (1, "const T* u, T* to, const T* k", r"""
  const T c = AT(k, 0, y, x), p = AT(u, 0, y, x);
  const T n = AT(k, 0, y - 1, x), s = AT(k, 0, y + 1, x), w = AT(k, 0, y, x - 1), e = AT(k, 0, y, x + 1);
  T gain = T(2) * c * n / (c + n) * (AT(u, 0, y - 1, x) - p);
  gain += T(2) * c * s / (c + s) * (AT(u, 0, y + 1, x) - p);
  gain += T(2) * c * w / (c + w) * (AT(u, 0, y, x - 1) - p);
  gain += T(2) * c * e / (c + e) * (AT(u, 0, y, x + 1) - p);
  AT(to, 0, y, x) = p + T(%(R)r) * gain;
}"""),
    "gray_scott2d": (1, "const T* u, const T* v, T* to_u, T* to_v", r"""
  const T a = AT(u, 0, y, x), b = AT(v, 0, y, x);
  const T lap_u = AT(u, 0, y - 1, x) + AT(u, 0, y + 1, x) + AT(u, 0, y, x - 1) + AT(u, 0, y, x + 1) - T(4) * a;
  const T lap_v = AT(v, 0, y - 1, x) + AT(v, 0, y + 1, x) + AT(v, 0, y, x - 1) + AT(v, 0, y, x + 1) - T(4) * b;
  const T abb = a * b * b;
  AT(to_u, 0, y, x) = a + (T(%(DU)r) * lap_u - abb + T(%(FEED)r) * (T(1) - a));
  AT(to_v, 0, y, x) = b + (T(%(DV)r) * lap_v + abb - T(%(FEED)r + %(KILL)r) * b);
}"""),
}


def cupy_step(problem, constants, dtype):
    import cupy

    radius, arguments, body = KERNELS[problem]
    dims = 3 if problem.endswith("3d") else 2
    head = HEAD % {"type": "double" if dtype.itemsize == 8 else "float", "arguments": arguments, "radius": radius,
                   "first_plane": "R" if dims == 3 else "0"}
    step = cupy.RawKernel(head + body % constants, "step")

    def launch(*arrays):
        nz, ny, nx = (1,) * (3 - dims) + tuple(n - 2 * radius for n in arrays[0].shape)
        step(((nx + 31) // 32, (ny + 7) // 8, nz), (32, 8, 1), (*arrays, *(cupy.int32(n) for n in (nz, ny, nx))))
    return launch, True, f"RawKernel in a graph, {cupy.__version__}"


def numba_kernel(problem, constants, dtype):
    """The kernel, and the threads of a block."""
    from numba import cuda

    feed, kill, du, dv, rate, w0, w1, w2, one, two, three, four = (
        dtype.type(x) for x in (*(constants[k] for k in ("FEED", "KILL", "DU", "DV", "R")), -5 / 2, 4 / 3, -1 / 12, 1, 2, 3, 4))
    loss = feed + kill

    @cuda.jit
    def wave2d(u, v, c):  # v is overwritten: the field after this step
        x, y = cuda.grid(2)
        x, y = x + 2, y + 2
        if x < u.shape[1] - 2 and y < u.shape[0] - 2:
            lap = two * w0 * u[y, x] + w1 * (u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1]) \
                + w2 * (u[y - 2, x] + u[y + 2, x] + u[y, x - 2] + u[y, x + 2])
            v[y, x] = two * u[y, x] - v[y, x] + c[y, x] * lap

    @cuda.jit
    def wave3d(u, v, c):
        x, y, z = cuda.grid(3)
        x, y, z = x + 2, y + 2, z + 2
        if x < u.shape[2] - 2 and y < u.shape[1] - 2 and z < u.shape[0] - 2:
            lap = three * w0 * u[z, y, x] \
                + w1 * (u[z - 1, y, x] + u[z + 1, y, x] + u[z, y - 1, x] + u[z, y + 1, x] + u[z, y, x - 1] + u[z, y, x + 1]) \
                + w2 * (u[z - 2, y, x] + u[z + 2, y, x] + u[z, y - 2, x] + u[z, y + 2, x] + u[z, y, x - 2] + u[z, y, x + 2])
            v[z, y, x] = two * u[z, y, x] - v[z, y, x] + c[z, y, x] * lap

    @cuda.jit
    def heat2d(u, to, k):
        x, y = cuda.grid(2)
        x, y = x + 1, y + 1
        if x < u.shape[1] - 1 and y < u.shape[0] - 1:
            c, p = k[y, x], u[y, x]
            gain = two * c * k[y - 1, x] / (c + k[y - 1, x]) * (u[y - 1, x] - p)
            gain += two * c * k[y + 1, x] / (c + k[y + 1, x]) * (u[y + 1, x] - p)
            gain += two * c * k[y, x - 1] / (c + k[y, x - 1]) * (u[y, x - 1] - p)
            gain += two * c * k[y, x + 1] / (c + k[y, x + 1]) * (u[y, x + 1] - p)
            to[y, x] = p + rate * gain

    @cuda.jit
    def gray_scott2d(u, v, to_u, to_v):
        x, y = cuda.grid(2)
        x, y = x + 1, y + 1
        if x < u.shape[1] - 1 and y < u.shape[0] - 1:
            a, b = u[y, x], v[y, x]
            lap_u = u[y - 1, x] + u[y + 1, x] + u[y, x - 1] + u[y, x + 1] - four * a
            lap_v = v[y - 1, x] + v[y + 1, x] + v[y, x - 1] + v[y, x + 1] - four * b
            abb = a * b * b
            to_u[y, x] = a + (du * lap_u - abb + feed * (one - a))
            to_v[y, x] = b + (dv * lap_v + abb - loss * b)

    kernel = {"wave2d": wave2d, "wave3d": wave3d, "heat2d": heat2d, "gray_scott2d": gray_scott2d}[problem]
    return kernel, (32, 8, 1) if problem.endswith("3d") else (32, 8)


def numba_step(problem, constants, dtype):
    import numba
    from numba import cuda

    kernel, block = numba_kernel(problem, constants, dtype)
    radius = KERNELS[problem][0]
    views = {}  # a call converts arrays of CuPy anew
    configured = []

    def launch(*arrays):
        if not configured:
            cells = [n - 2 * radius for n in reversed(arrays[0].shape)]
            configured[:] = [kernel[tuple((n + b - 1) // b for n, b in zip(cells, block)), block]]
        for a in arrays:
            if a.data.ptr not in views:
                views[a.data.ptr] = cuda.as_cuda_array(a)
        configured[0](*(views[a.data.ptr] for a in arrays))
    return launch, False, f"cuda.jit, {numba.__version__}"


def pystencils_kernel(problem, constants, dtype, target):
    """The kernel as pystencils makes it, and the names of its arrays in the order of the other peers."""
    import pystencils as ps
    import sympy as sp

    dims = 3 if problem.endswith("3d") else 2
    steps = [tuple(s * (a == axis) for a in range(dims)) for axis in range(dims) for s in (-1, 1)]
    here = (0,) * dims
    names = {"wave": ["u", "v", "c"], "heat": ["u", "to", "k"], "gray": ["u", "v", "to_u", "to_v"]}[problem[:4]]
    f = dict(zip(names, ps.fields(f"{', '.join(names)}: {dtype.name}[{dims}D]")))
    u = f["u"]
    if problem.startswith("wave"):
        near = sum(u[d] for d in steps)
        far = sum(u[tuple(2 * i for i in d)] for d in steps)
        lap = sp.Rational(-5 * dims, 2) * u[here] + sp.Rational(4, 3) * near - sp.Rational(1, 12) * far
        assignments = [ps.Assignment(f["v"][here], 2 * u[here] - f["v"][here] + f["c"][here] * lap)]
    elif problem.startswith("heat"):
        k = f["k"]
        gain = sum(2 * k[here] * k[d] / (k[here] + k[d]) * (u[d] - u[here]) for d in steps)
        assignments = [ps.Assignment(f["to"][here], u[here] + constants["R"] * gain)]
    else:
        v = f["v"]
        abb, feed, loss = u[here] * v[here] ** 2, constants["FEED"], constants["FEED"] + constants["KILL"]
        lap_u, lap_v = (sum(w[d] for d in steps) - 2 * dims * w[here] for w in (u, v))
        assignments = [ps.Assignment(f["to_u"][here], u[here] + constants["DU"] * lap_u - abb + feed * (1 - u[here])),
                       ps.Assignment(f["to_v"][here], v[here] + constants["DV"] * lap_v + abb - loss * v[here])]
    config = ps.CreateKernelConfig(target=target, default_dtype=dtype.name, ghost_layers=KERNELS[problem][0])
    return ps.create_kernel(assignments, config), names


def pystencils_step(problem, constants, dtype):
    import pystencils as ps

    kernel, names = pystencils_kernel(problem, constants, dtype, ps.Target.CUDA)
    step = kernel.compile()
    return lambda *arrays: step(**dict(zip(names, arrays))), True, f"in a graph, {ps.__version__}"


STEPS = {"cupy": cupy_step, "numba": numba_step, "pystencils": pystencils_step}


def by_kernel(peer, problem, fields, coefficients, steps, constants, dtype):
    """Arrays are CuPy's; constants: FEED, KILL, DU, DV, R."""
    import cupy

    step, recordable, how = STEPS[peer](problem, constants, dtype)
    radius = KERNELS[problem][0]
    wide = [cupy.pad(c, radius, mode="edge") for c in coefficients]
    inside = (slice(radius, -radius),) * fields[0].ndim

    def some(now, other, count):
        for _ in range(count):
            if problem.startswith("wave"):
                step(now[0], now[1], wide[0])
                now = now[::-1]
            else:
                step(*now, *other, *wide)
                now, other = other, now
        return now, other

    now = [cupy.pad(f, radius) for f in fields]
    other = [cupy.zeros_like(f) for f in now]
    begin_with = [f.copy() for f in now]
    some(now, other, 2)  # compiles, and meets all arguments
    last, graph = now, None
    if recordable:
        stream = cupy.cuda.Stream(non_blocking=True)
        with stream:
            stream.begin_capture()
            last, _ = some(now, other, steps)
            graph = stream.end_capture()

    def run():
        for to, a in zip(now, begin_with):
            to[...] = a
        for to in other:
            to[...] = 0
        cupy.cuda.runtime.deviceSynchronize()
        begin = time.perf_counter()
        if graph:
            graph.launch(stream)
            out = last
        else:
            out, _ = some(now, other, steps)
        cupy.cuda.runtime.deviceSynchronize()
        seconds = time.perf_counter() - begin
        return seconds, out[0][inside]
    return run, lambda: how
