#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the pictures of docs/tutorials/fields.md and docs/reference/ready-stencils.md by running the stencils of
dwell.stencils: `docs/pictures/fields.py` writes fields-NAME.png beside itself, `docs/pictures/fields.py NAME...` some of
them. Needs the packages dwell and matplotlib; a minute on two cores."""
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np
import PIL.Image

import dwell
from dwell import stencils

HERE = pathlib.Path(__file__).resolve().parent
SIGNED, PLAIN = "RdBu_r", "magma"
plt.rcParams.update({"font.size": 9, "axes.titlesize": 9, "figure.dpi": 110, "savefig.dpi": 110, "figure.constrained_layout.use": True,
                     "axes.linewidth": 0.6, "figure.facecolor": "white"})


def row(panels, width=7.2, colours=None, bar=None):
    """A row of images with equal colours: [(title, array)]; colours: (map, least, greatest)."""
    ratio = max(a.shape[0] / a.shape[1] for _, a in panels)
    figure, axes = plt.subplots(1, len(panels), figsize=(width, width / len(panels) * ratio + (0.4 if bar is None else 0.85)), squeeze=False)
    for axis, (title, array) in zip(axes[0], panels):
        shown = axis.imshow(array, cmap=colours[0], vmin=colours[1], vmax=colours[2], origin="lower", interpolation="bilinear")
        axis.set(title=title, xticks=[], yticks=[])
    if bar:
        figure.colorbar(shown, ax=axes, orientation="horizontal", shrink=0.5, aspect=40, label=bar)
    return figure, axes[0]


def absorbing(shape, cells=20, most=0.3):
    """Damping that grows towards the border."""
    d = np.zeros(shape)
    for axis, n in enumerate(shape):
        depth = np.clip(cells - np.minimum(np.arange(n), np.arange(n)[::-1]), 0, cells) / cells
        d = np.maximum(d, most * depth.reshape([-1 if a == axis else 1 for a in range(len(shape))])**2)
    return d


def ricker(steps, period):
    t = (np.arange(steps) - 1.2 * period) / period * np.pi
    return (1 - 2 * t**2) * np.exp(-t**2)


def wave():
    """The example of the tutorial: a pulse over two layers, heard by a line of receivers."""
    ny, nx, steps = 240, 320, 1200
    c = np.full((ny, nx), 1.0)                        # cells per step / 0.5
    c[150:] = 1.6
    c[190:] = 1.2
    cells = [(22, x) for x in range(24, nx - 24, 2)]
    runner = dwell.FieldRunner(stencils.wave(order=8), u=np.zeros((ny, nx)), v=0.0, c2=(0.3 * c)**2, d=absorbing((ny, nx)),
                               boundary="constant:0", sources={"u": ((24, 160), ricker(steps, 60))}, receivers={"u": cells})
    panels, records = [], []
    for until in (230, 420, 610):
        runner.run(until - (panels[-1][2] if panels else 0))
        records.append(runner.records["u"])
        panels.append((f"step {until}", runner.field("u"), until))
    runner.run(steps - 610)  # the reflections come back
    heard = np.concatenate([*records, runner.records["u"]])
    figure, axes = plt.subplots(2, 2, figsize=(7.2, 5.4))
    for axis, (title, u, _) in zip(axes.flat, panels):
        axis.imshow(u, cmap=SIGNED, vmin=-0.6, vmax=0.6, interpolation="bilinear")
        for y in (150, 190):
            axis.axhline(y, color="0.35", lw=0.7)
        axis.plot([160], [24], "k*", ms=6)
        axis.plot([24, nx - 24], [22, 22], color="0.35", lw=0.8, ls=":")
        axis.set(title=title, xticks=[], yticks=[])
    last = axes[1, 1]
    last.imshow(heard, cmap=SIGNED, vmin=-0.06, vmax=0.06, aspect="auto", extent=(24, nx - 24, steps, 0), interpolation="bilinear")
    last.set(title="what the receivers recorded", xlabel="receiver at x", ylabel="step")
    return figure


def heat():
    n = 200
    y, x = np.mgrid[:n, :n]
    k = np.full((n, n), 1.0)
    for cy, cx, r in ((50, 60, 26), (140, 70, 32), (90, 140, 30), (165, 150, 18), (35, 150, 16)):
        k[np.hypot(y - cy, x - cx) < r] = 0.02
    u = np.zeros((n, n))
    u[:, 0] = 1
    out = [("conductivity", k)]
    runner = dwell.FieldRunner(stencils.heat(), u=u, k=k, r=0.24, boundary=("reflect", "fixed"))
    for steps in (3000, 37000):
        runner.run(steps)
        out.append((f"step {3000 if len(out) == 1 else 40000}", runner.field("u")))
    figure, axes = row(out, colours=(PLAIN, 0, 1), bar="temperature")
    axes[0].images[0].set(cmap="Greys_r", clim=(0, 1.2))
    for axis, (_, u) in zip(axes[1:], out[1:]):
        axis.contour(k, levels=[0.5], colors="white", linewidths=0.5, alpha=0.7)
        axis.contour(u, levels=np.arange(0.1, 1, 0.1), colors="0.75", linewidths=0.4)
    return figure


def fdtd():
    ny, nx, steps = 240, 320, 640
    ca, cb = np.ones((ny, nx)), np.full((ny, nx), 0.5)
    wall = np.ones(ny, bool)
    wall[88:100] = wall[140:152] = False
    ca[wall, 120:124], cb[wall, 120:124] = 0, 0       # conductor: E stays 0
    loss = absorbing((ny, nx), 24, 0.25)
    ca, cb = ca * (1 - loss) / (1 + loss), cb / (1 + loss)
    series = np.sin(2 * np.pi * np.arange(steps) / 34)[:, None] * np.ones(ny - 60) * 0.3
    cells = [(y, 36) for y in range(30, ny - 30)]
    runner = dwell.FieldRunner(stencils.fdtd(), ez=np.zeros((ny, nx)), hx=0, hy=0, ca=ca, cb=cb, sources={"ez": (cells, series)})
    runner.run(steps - 68)
    intensity = np.zeros((ny, nx))
    for _ in range(68):                               # two periods
        runner.run(1)
        intensity += runner.field("ez")**2 / 68
    figure, axes = row([("Ez", runner.field("ez")), ("mean of Ez squared", intensity)], colours=(SIGNED, -0.5, 0.5))
    axes[1].images[0].set(cmap=PLAIN, norm=matplotlib.colors.PowerNorm(0.5, 0, 0.1))
    for axis, colour in zip(axes, ("0.1", "white")):
        axis.contourf(np.where(np.arange(nx) // 4 == 30, wall[:, None], False), levels=[0.5, 1.5], colors=[colour])
    return figure


def gray_scott():
    random = np.random.default_rng(2)
    panels = []
    for title, feed, kill, steps in (("feed 0.035, kill 0.065", 0.035, 0.065, 9000), ("feed 0.055, kill 0.062", 0.055, 0.062, 9000),
                                     ("feed 0.039, kill 0.058", 0.039, 0.058, 9000)):
        v = np.zeros((180, 180))
        for _ in range(12):
            y, x = random.integers(8, 172, 2)
            v[y - 5:y + 5, x - 5:x + 5] = 0.5
        out = dwell.run(stencils.gray_scott(), u=1 - v, v=v, feed=feed, kill=kill, steps=steps, boundary="periodic")
        panels.append((title, out["v"]))
    return row(panels, colours=("viridis", 0, 0.4), bar="v")[0]


def advection():
    n = 160
    y, x = np.mgrid[:n, :n] - (n - 1) / 2
    turn = 2 * np.pi / 900
    u = (np.hypot(x, y - 38) < 22) & ~((np.abs(x) < 4) & (y < 50)) | (np.hypot(x - 36, y + 24) < 14)
    u = np.maximum(u.astype(float), np.clip(1 - np.hypot(x + 36, y + 24) / 16, 0, 1))
    panels = [("start, and after a turn exactly", u)]
    for scheme in ("upwind", "lax-wendroff"):
        out = dwell.run(stencils.advection(scheme), u=u, cx=-turn * y, cy=turn * x, steps=900, boundary="constant:0")
        panels.append((f"{scheme}, after a turn", out["u"]))
    return row(panels, colours=(SIGNED, -1.2, 1.2), bar="u")[0]


def shallow_water():
    n = 200
    y, x = np.mgrid[:n, :n]
    h = np.where(np.hypot(x - 70, y - 80) < 28, 2.0, 1.0)
    runner = dwell.FieldRunner(stencils.shallow_water(), h=h, hu=0, hv=0, r=0.08)
    panels = []
    for until in (150, 350, 650):
        runner.run(until - sum((150, 200, 300)[:len(panels)]))
        panels.append((f"step {until}", runner.field("h")))
    figure, axes = row(panels, colours=("Blues_r", 0.8, 1.35), bar="depth h")
    light = matplotlib.colors.LightSource(azdeg=315, altdeg=40)
    for axis, (_, h) in zip(axes, panels):
        shaded = light.shade(h, plt.get_cmap("Blues_r"), vmin=0.8, vmax=1.35, vert_exag=60, blend_mode="soft")
        axis.images[0].set_data(shaded)
    return figure


def cahn_hilliard():
    c = 0.05 * np.random.default_rng(3).standard_normal((160, 160))
    runner, panels, done = dwell.FieldRunner(stencils.cahn_hilliard(), c=c, dt=0.04, boundary="periodic"), [], 0
    for until in (500, 5000, 50000):
        runner.run(until - done)
        done = until
        panels.append((f"t = {0.04 * until:g}", runner.field("c")))
    return row(panels, colours=(SIGNED, -1, 1), bar="c")[0]


def allen_cahn():
    p = np.random.default_rng(4).uniform(-1, 1, (160, 160))
    runner, panels, done = dwell.FieldRunner(stencils.allen_cahn(), p=p, boundary="periodic"), [], 0
    for until in (100, 1000, 6000):
        runner.run(until - done)
        done = until
        panels.append((f"t = {0.05 * until:g}", runner.field("p")))
    return row(panels, colours=(SIGNED, -1, 1), bar="phase p")[0]


PICTURES = [wave, heat, fdtd, gray_scott, advection, shallow_water, cahn_hilliard, allen_cahn]

if __name__ == "__main__":
    wanted = sys.argv[1:] or [p.__name__ for p in PICTURES]
    for picture in PICTURES:
        if picture.__name__ in wanted:
            name = HERE / f"fields-{picture.__name__.replace('_', '-')}.png"
            picture().savefig(name, bbox_inches="tight", pad_inches=0.06)
            plt.close("all")
            PIL.Image.open(name).convert("RGB").quantize(255, kmeans=2).save(name, optimize=True)  # a third of the bytes
            print(name.name, name.stat().st_size // 1024, "KiB", flush=True)
