# SPDX-License-Identifier: MIT
"""Draws the scratch that temporal blocking wants by the machine balance: ``python -m dwell.balance FILE.json ... -o
FILE.svg``.

The files are those of ``dwell model sweep STENCIL --json FILE.json``, a panel each: the desired capacity with a barrier a
step and with one a tile (figures 5.13 and 5.14 of Zhang 2023), and the devices that Dwell knows, each at its machine
balance and the scratch that it has. Needs matplotlib (extra ``plot``); the picture's format is that of the output's ending.
"""
from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Any, NamedTuple

from .history import BadInput, read_document, write_panels


class Sweep(NamedTuple):
    """Figures of one stencil; sizes in KiB, balances in flop per byte."""

    title: str
    balances: list[float]
    capacity: list[float | None]
    lazy: list[float | None]
    devices: list[tuple[str, float, float]]  #: name, balance, scratch


def kib(size: float | None) -> float | None:
    return None if size is None else size / 1024


def sweep_of(found: dict[str, Any]) -> Sweep:
    rows = found["rows"]
    return Sweep(f"{found['stencil']['name']}, {found['precision']}",
                 [float(r["balance_flops_per_byte"]) for r in rows],
                 [kib(r["capacity_bytes"]) for r in rows], [kib(r["capacity_lazy_bytes"]) for r in rows],
                 [(str(d["device"]), float(d["balance_flops_per_byte"]), d["shared_bytes"] / 1024)
                  for d in found["devices"]])


def read(path: str) -> Sweep:
    return read_document(path, "model sweep", sweep_of)


def draw(sweep: Sweep, ax: Any) -> None:
    """Two curves and a mark for each device, on logarithmic axes; what is not finite is left out."""
    for sizes, label, style in ((sweep.capacity, "a barrier a step", "-"), (sweep.lazy, "a barrier a tile", "--")):
        at = [(b, s) for b, s in zip(sweep.balances, sizes, strict=True) if s is not None]
        ax.loglog([b for b, _ in at], [s for _, s in at], style, label=label, linewidth=1.4)
    for k, (name, balance, size) in enumerate(sorted(sweep.devices, key=lambda device: device[1])):
        ax.plot([balance], [size], "o", color="#444444", markersize=4)
        up = k % 2 == 0  # the names of neighbours go apart
        ax.annotate(name, (balance, size), textcoords="offset points", xytext=(5, 3 if up else -3), fontsize=7,
                    rotation=25 if up else -25, verticalalignment="bottom" if up else "top")
    ax.set_title(sweep.title)
    ax.set_xlabel("machine balance, flop per byte")
    ax.set_ylabel("scratch of a tile, KiB")
    ax.grid(True, which="major", color="#dddddd", linewidth=0.6)
    ax.legend(frameon=False, fontsize=8)


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code: 0, or 1 with one line on standard error."""
    parser = argparse.ArgumentParser(prog="dwell.balance", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="of `dwell model sweep STENCIL --json FILE`")
    parser.add_argument("-o", "--output", required=True, help="the picture: .svg, .png or .pdf")
    args = parser.parse_args(arguments)
    try:
        sweeps = [read(path) for path in args.files]
        write_panels(args.output, (5.4 * len(sweeps), 4.2),
                     [partial(draw, one) for one in sweeps])
    except BadInput as error:
        print(f"dwell.balance: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
