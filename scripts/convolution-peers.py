#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Convolutions, scans and tables of Dwell beside OpenCV, SciPy and NumPy on this machine's CPU, as Markdown.

convolution-peers.py [--size N] [--threads N] [--seconds S]: least times of calls that write where they are told, in
milliseconds. Needs the packages dwell, numpy, scipy and opencv-python.
"""
import argparse
import time

import cv2
import numpy as np
import scipy.ndimage

import dwell

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--size", type=int, default=2048)
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
args = parser.parse_args()
cv2.setNumThreads(args.threads)
n, random = args.size, np.random.default_rng(1)
image = random.random((n, n), dtype=np.float32)
out = np.empty_like(image)
run = {"device": "cpu", "threads": args.threads}


def least_ms(call):
    call()
    best, end = float("inf"), time.perf_counter() + args.seconds
    while time.perf_counter() < end:
        begin = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begin)
    return 1e3 * best


def line(what, *calls):
    print("| " + " | ".join([what, *("-" if c is None else f"{least_ms(c):.3g}" for c in calls)]) + " |", flush=True)


print(f"{n} x {n} cells of f32, {args.threads} threads (SciPy and NumPy: 1), OpenCV {cv2.__version__}, "
      f"SciPy {scipy.__version__}\n")
print("| filter | Dwell | of it systolic | OpenCV | SciPy |\n|---|--:|--:|--:|--:|")
line("copy of the image", lambda: np.copyto(out, image), None, None, None)
for taps in (3, 5, 7, 9, 15, 31):
    w = random.random((taps, taps), dtype=np.float32)
    line(f"{taps} x {taps}, random weights",
         lambda: dwell.convolve(image, w, correlate=True, out=out, **run),
         lambda: dwell.convolve(image, w, correlate=True, out=out, way="systolic", **run),
         lambda: cv2.filter2D(image, -1, w, dst=out, borderType=cv2.BORDER_REFLECT),
         lambda: scipy.ndimage.correlate(image, w, output=out))
for taps in (5, 15, 31):
    g = cv2.getGaussianKernel(taps, 0).ravel().astype(np.float32)
    line(f"Gaussian {taps} x {taps}",
         lambda: dwell.convolve(image, (g, g), out=out, **run), None,
         lambda: cv2.GaussianBlur(image, (taps, taps), 0, dst=out, borderType=cv2.BORDER_REFLECT),
         lambda: scipy.ndimage.correlate1d(scipy.ndimage.correlate1d(image, g), g, axis=0, output=out))
print("\n| | Dwell | OpenCV | SciPy, NumPy |\n|---|--:|--:|--:|")
line("mean over 31 x 31", lambda: dwell.box_mean(image, 31, **run),
     lambda: cv2.blur(image, (31, 31), dst=out, borderType=cv2.BORDER_REFLECT),
     lambda: scipy.ndimage.uniform_filter(image, 31, output=out))
line("summed-area table", lambda: dwell.summed_area_table(image, **run),
     lambda: cv2.integral(image, sdepth=cv2.CV_32F), lambda: image.cumsum(1).cumsum(0))
flat = image.ravel()
line(f"scan of {n * n:,} elements", lambda: dwell.scan(flat, **run), None, lambda: np.cumsum(flat))
