#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Poisson's equation on periodic grids by cuFFT (as torch.fft) and by dwell.GridSolver on a GPU, as Markdown.

Transforms solve what has constant coefficients and periodic sides, and nothing else: the limit of what a solver for all can
reach. Medians of solves that are waited for, with arrays of the GPU, f64, milliseconds. Needs the packages dwell, numpy and
torch. Exit code 1: answers differ.
"""
import argparse
import sys
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sizes", nargs="*", default=["512x512", "1024x1024", "1000x1000", "4096x4096", "8192x8192", "128x128x128", "256x256x256"])
    parser.add_argument("--rounds", type=int, default=7)
    args = parser.parse_args()
    import numpy as np
    import torch

    import dwell

    def median_ms(call):
        call()
        times = []
        for _ in range(args.rounds):
            torch.cuda.synchronize()
            begin = time.perf_counter()
            call()
            torch.cuda.synchronize()
            times.append(time.perf_counter() - begin)
        return 1e3 * float(np.median(times))

    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}\n")
    print("| cells | cuFFT, ms | dwell, rtol 1e-8, ms | iterations | dwell over cuFFT | answers differ by |\n|-|-:|-:|-:|-:|-:|")
    worst = 0.0
    for size in args.sizes:
        shape = tuple(map(int, size.split("x")))
        f = torch.randn(shape, dtype=torch.float64, device="cuda", generator=torch.Generator("cuda").manual_seed(1))
        f -= f.mean()
        eigen = torch.zeros(*shape[:-1], shape[-1] // 2 + 1, dtype=torch.float64, device="cuda")
        for axis, n in enumerate(shape):
            m = torch.arange(eigen.shape[axis], dtype=torch.float64, device="cuda")
            eigen += (2 - 2 * torch.cos(2 * torch.pi * m / n)).reshape([-1 if a == axis else 1 for a in range(len(shape))])
        eigen.view(-1)[0] = torch.inf

        def transform():
            return torch.fft.irfftn(torch.fft.rfftn(f) / eigen, shape)

        solver = dwell.GridSolver(shape, boundary="periodic", device="cuda")
        u = solver.solve(f)
        wanted = transform()
        differs = float((u - u.mean() - wanted).norm() / wanted.norm())
        worst = max(worst, differs)
        by_fft, by_grid = median_ms(transform), median_ms(lambda: solver.solve(f))
        print(f"| {size} | {by_fft:.3f} | {by_grid:.3f} | {solver.report.iterations} | {by_grid / by_fft:.1f} | {differs:.1e} |", flush=True)
        del solver, eigen, f, u, wanted
    return 1 if worst > 1e-5 else 0


if __name__ == "__main__":
    sys.exit(main())
