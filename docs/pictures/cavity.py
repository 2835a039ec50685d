#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws docs/pictures/cavity.png by the program of docs/tutorials/cavity.md, whose blocks it runs, and prints the table of
docs/results/grids.md. Needs the packages dwell and matplotlib; a minute."""
import pathlib
import re
import time

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import PIL.Image

HERE = pathlib.Path(__file__).resolve().parent
plt.rcParams.update({"font.size": 9, "axes.titlesize": 9, "figure.dpi": 110, "savefig.dpi": 110, "figure.constrained_layout.use": True,
                     "axes.linewidth": 0.6, "figure.facecolor": "white"})
blocks = re.findall("```python\n(.*?)```", (HERE.parent / "tutorials/cavity.md").read_text(), re.S)
program = {}
for block in blocks:
    exec(block.split("\nfor n, reynolds")[0], program)  # without the runs of the page


def drawn(axes, u, v, reynolds):
    n = len(u)
    across = (u + np.append(u[:, 1:], np.zeros((n, 1)), axis=1)) / 2
    upward = (v + np.append(v[1:], np.zeros((1, n)), axis=0)) / 2
    speed = np.hypot(across, upward)
    axes[0].imshow(speed, cmap="magma_r", vmin=0, vmax=0.8, origin="lower", extent=(0, 1, 0, 1), interpolation="bilinear")
    # The stream function on corners, from the flow through columns.
    psi = np.vstack((np.zeros(n), np.cumsum(u, axis=0))) / n
    edge = np.arange(n + 1) / n
    psi = np.hstack((psi, np.zeros((n + 1, 1))))
    most = -psi.min()
    levels = sorted([*(-most * np.linspace(0.05, 0.95, 10)), -0.01 * most, 1e-6, 1e-5, 1e-4])  # above 0: eddies in corners
    axes[0].contour(edge, edge, psi, levels=levels, colors="0.2", linewidths=0.6, linestyles="solid")
    axes[0].set(title=f"Re {reynolds}", xticks=[], yticks=[], xlim=(0, 1), ylim=(0, 1))
    at, on_y, on_x = program["lines"](u, v)
    axes[1].plot(on_y, at, color="C0", lw=1.2, label="u on the vertical line")
    axes[1].plot(program["U"][reynolds], program["Y"], "o", ms=3, color="C0", mfc="white")
    known = [(x, y) for x, y in zip(program["X"], program["V"][reynolds]) if y is not None]
    axes[1].plot(at, on_x / 2 + 0.5, color="C3", lw=1.2, label="v / 2 + 1/2 on the horizontal line")
    axes[1].plot([x for x, _ in known], [y / 2 + 0.5 for _, y in known], "s", ms=3, color="C3", mfc="white")
    axes[1].set(xlim=(-0.5, 1.02), ylim=(0, 1), aspect="auto")
    axes[1].legend(frameon=False, fontsize=7, loc="lower right")
    low = np.unravel_index(psi.argmin(), psi.shape)
    return edge[low[1]], edge[low[0]]


figure, axes = plt.subplots(2, 2, figsize=(7.2, 7.0))
for row, (reynolds, size, until) in zip(axes, ((100, 128, 20), (400, 256, 40))):
    for n in (size // 4, size // 2, size):
        begin = time.perf_counter()
        u, v = program["cavity"](n, reynolds, until)
        seconds = time.perf_counter() - begin
        of_u, of_v = program["differences"](u, v, reynolds)
        print(f"| {reynolds} | {n} x {n} | {of_u:.4f} | {of_v:.4f} | {u[:, n // 2].min():.5f} | {v[n // 2].max():.5f} | {v[n // 2].min():.5f} | {seconds:.1f} s |",
              flush=True)
    x, y = drawn(row, u, v, reynolds)
    print(f"the middle of the vortex at Re {reynolds}: {x:.4f}, {y:.4f}", flush=True)
figure.savefig(HERE / "cavity.png")
PIL.Image.open(HERE / "cavity.png").quantize(128).save(HERE / "cavity.png", optimize=True)
