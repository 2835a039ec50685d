#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scans, summed-area tables and means over windows of arrays on a GPU, beside CuPy's, whose sums are CUB's.

  measure/scan-peers.py [--elements 262144,4194304,67108864] [--sizes 1024,8192] [--repetitions 20]

Microseconds of a call that returns when its new array is done, medians; and which part of the rate of a copy on the device that
is. Values are compared: Dwell's own with those of a CPU, bit by bit. Needs the packages dwell, numpy and cupy. Exit
code 1: values differ.
"""
import argparse
import statistics
import sys
import time

import cupy
import cupyx.scipy.ndimage
import numpy as np

import dwell


def whole_numbers(text):
    return [int(n) for n in text.split(",")]


def microseconds(call, repetitions):
    for _ in range(3):
        call()
    times = []
    for _ in range(repetitions):
        cupy.cuda.runtime.deviceSynchronize()
        begin = time.perf_counter()
        call()
        cupy.cuda.runtime.deviceSynchronize()
        times.append(time.perf_counter() - begin)
    return 1e6 * statistics.median(times)


def line(what, values, calls, args):
    """Times of Dwell, of the peer and of a copy."""
    ours, peer, copy = (microseconds(call, args.repetitions) for call in (*calls, values.copy))
    print(f"| {what} | {values.dtype.name} | {ours:.0f} | {peer:.0f} | {copy:.0f} | {copy / ours:.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--elements", type=whole_numbers, default=[1 << 18, 1 << 22, 1 << 26], help="of scans")
    parser.add_argument("--sizes", type=whole_numbers, default=[1024, 8192], help="rows and columns of images")
    parser.add_argument("--repetitions", type=int, default=20)
    args = parser.parse_args()
    random, wrong = np.random.default_rng(1), []

    def same(what, found, wanted):
        if not np.array_equal(found.get(), wanted):
            wrong.append(what)

    print(f"{cupy.cuda.runtime.getDeviceProperties(0)['name'].decode()}, CuPy {cupy.__version__}\n")
    print("| what | type | Dwell, us | CuPy, us | copy, us | part of its rate |\n|-|-|--:|--:|--:|--:|")
    for n in args.elements:
        for dtype in ("float64", "float32", "int64"):
            host = (1000 * random.standard_normal(n)).astype(dtype)
            values = cupy.asarray(host)
            same(f"scan of {n} {dtype}", dwell.scan(values), dwell.scan(host, device="cpu"))
            line(f"scan of {n}", values, (lambda v=values: dwell.scan(v), lambda v=values: cupy.cumsum(v)), args)
    for n in args.sizes:
        for dtype in ("float64", "float32"):
            host = random.standard_normal((n, n)).astype(dtype)
            image = cupy.asarray(host)
            same(f"table of {n} {dtype}", dwell.summed_area_table(image), dwell.summed_area_table(host, device="cpu"))
            same(f"means of {n} {dtype}", dwell.box_mean(image, 31), dwell.box_mean(host, 31, device="cpu"))
            line(f"table of {n} x {n}", image,
                 (lambda i=image: dwell.summed_area_table(i), lambda i=image: cupy.cumsum(cupy.cumsum(i, axis=1), axis=0)), args)
            line(f"means over 31 x 31 of {n} x {n}", image,
                 (lambda i=image: dwell.box_mean(i, 31), lambda i=image: cupyx.scipy.ndimage.uniform_filter(i, 31)), args)
    for what in wrong:
        print(f"scan-peers.py: {what}: expected the bits of a CPU, found others", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
