# SPDX-License-Identifier: MIT
"""Peers of field-peers.py on a GPU: plain kernels of CuPy, as its users write them, recorded in a CUDA graph."""
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


def by_cupy(problem, fields, coefficients, steps, constants, dtype):
    """constants: FEED, KILL, DU, DV, R."""
    import cupy

    radius, arguments, body = KERNELS[problem]
    dims = fields[0].ndim
    head = HEAD % {"type": "double" if dtype.itemsize == 8 else "float", "arguments": arguments, "radius": radius,
                   "first_plane": "R" if dims == 3 else "0"}
    step = cupy.RawKernel(head + body % constants, "step")
    wide = [cupy.pad(cupy.asarray(c), radius, mode="edge") for c in coefficients]
    inside = (slice(radius, -radius),) * dims
    nz, ny, nx = (1,) * (3 - dims) + fields[0].shape
    grid, block = ((nx + 31) // 32, (ny + 7) // 8, nz), (32, 8, 1)
    sizes = tuple(cupy.int32(n) for n in (nz, ny, nx))

    def some(now, other, count):
        for _ in range(count):
            if problem.startswith("wave"):
                step(grid, block, (now[0], now[1], wide[0], *sizes))
                now = now[::-1]
            else:
                step(grid, block, (*now, *other, *wide, *sizes))
                now, other = other, now
        return now, other

    now = [cupy.pad(cupy.asarray(f), radius) for f in fields]
    other = [cupy.zeros_like(f) for f in now]
    begin_with = [f.copy() for f in now]
    some(now, other, 1)  # compiles
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
        graph.launch(stream)
        stream.synchronize()
        seconds = time.perf_counter() - begin
        return seconds, cupy.asnumpy(last[0][inside])
    return run, lambda: f"RawKernel in a graph, {cupy.__version__}"
