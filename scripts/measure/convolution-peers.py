#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Convolutions of Dwell beside its peers, as Markdown.

On this machine's CPU (--device cpu) also scans and tables, beside OpenCV, SciPy and NumPy: least times of calls that
write where they are told, in milliseconds. Needs the packages dwell, numpy, scipy and opencv-python.

On a GPU (--device cuda) beside NPP, cuDNN and cuFFT: filters of random weights on square images of f32, medians of
calls that are waited for and of calls in a row; the geometric mean of what NPP takes over Dwell's time, the worst case
beside cuDNN, and what part of a copy's rate narrow filters reach. Needs numpy, torch and the command dwell; cupy and NPP
(package nvidia-npp, or its libraries in --npp FOLDER) where they are there. Exit code 1: something failed, or the values
differ.
"""
import argparse
import sys
import time


def whole_numbers(text):
    return [int(n) for n in text.split(",")]


def on_cpu(args):
    import cv2
    import numpy as np
    import scipy.ndimage

    import dwell

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
             lambda: dwell.convolve(image, w, correlate=True, out=out, algorithm="systolic", **run),
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
    return 0


def on_gpu(args):
    try:
        from peers import convolution_gpu
    except ImportError as e:
        sys.exit(f"convolution-peers.py: --device cuda needs the packages numpy and torch: {e}")
    return convolution_gpu.main(args)


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
cpu = parser.add_argument_group("on a CPU")
cpu.add_argument("--size", type=int, default=2048, help="rows and columns of the image")
cpu.add_argument("--threads", type=int, default=2)
cpu.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
gpu = parser.add_argument_group("on a GPU")
gpu.add_argument("--dwell", default="dwell", help="the command")
gpu.add_argument("--npp", metavar="FOLDER", help="with libnppc.so and libnppif.so")
gpu.add_argument("--sizes", type=whole_numbers, default=[512, 1024, 2048, 4096, 8192], help="rows and columns of images")
gpu.add_argument("--taps", type=whole_numbers, default=[2, 3, 4, 5, 7, 9, 11, 13, 15, 17, 20, 31],
                 help="rows and columns of filters")
gpu.add_argument("--repetitions", type=int, default=3)
gpu.add_argument("--limit", type=float, default=90, help="seconds after which no more peers are measured")
gpu.add_argument("--json", metavar="FILE", help="write all figures there")
args = parser.parse_args()
sys.exit(on_cpu(args) if args.device == "cpu" else on_gpu(args))
