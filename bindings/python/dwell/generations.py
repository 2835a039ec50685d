# SPDX-License-Identifier: MIT
"""Draws the machine balance and the memory on the chip over generations of GPUs: ``python -m dwell.generations FILE.json ...
-o FILE.svg``.

The files are those of ``dwell model roofline STENCIL --json FILE.json``, of any stencil; of each the first panel has the
balances of its precision, the last panel has registers, shared memory and L2 of the devices (figures 3.1 and 3.2 and table
1.1 of Zhang 2023). Devices stand in the order of the file, older ones first; a hollow mark is a device whose rates are of
data sheets, and is named so. Needs matplotlib (extra ``plot``); the picture's format is that of the output's ending.
"""
from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Any, NamedTuple

from .history import BadInput, read_document, write_panels

LEVELS = ("registers", "shared memory", "L2")
COLOURS = ("#9cc4f5", "#ffc98a", "#c9ccd1")


class Device(NamedTuple):
    """Balance in flop per byte; registers, shared memory and L2 in MiB."""

    name: str
    measured: bool
    balance: float
    chip: tuple[float, float, float]


class Generations(NamedTuple):
    """Devices at the rates of one precision."""

    precision: str
    devices: list[Device]


def device_of(row: dict[str, Any]) -> Device:
    return Device(str(row["device"]), bool(row["measured"]), float(row["balance_flops_per_byte"]),
                  (row["register_bytes"] / 2**20, row["shared_bytes"] / 2**20, row["l2_bytes"] / 2**20))


def generations_of(path: str, found: dict[str, Any]) -> Generations:
    if any(row["measured"] is None for row in found["devices"]):
        raise BadInput(f"{path}: expected devices that Dwell knows, found rates that were given")
    return Generations(str(found["precision"]), [device_of(row) for row in found["devices"]])


def read(path: str) -> Generations:
    return read_document(path, "model roofline", partial(generations_of, path))


def label_of(device: Device) -> str:
    return device.name if device.measured else f"{device.name}\n(data sheet)"


def name_places(devices: list[Device], ax: Any) -> None:
    ax.set_xticks(range(len(devices)), [label_of(d) for d in devices], rotation=35, fontsize=7, ha="right")


def draw_balance(found: Generations, ax: Any) -> None:
    """A line over the generations; filled marks are rates that were measured."""
    places = list(range(len(found.devices)))
    ax.plot(places, [d.balance for d in found.devices], "-", color="#9aa0a6", linewidth=1.0)
    for words, measured, style in (("measured", True, "full"), ("data sheet", False, "none")):
        at = [k for k in places if found.devices[k].measured == measured]
        ax.plot(at, [found.devices[k].balance for k in at], "o", color="#1f2328", fillstyle=style, label=words)
    for k in places:
        ax.annotate(f"{found.devices[k].balance:.3g}", (k, found.devices[k].balance), textcoords="offset points",
                    xytext=(0, 7), ha="center", fontsize=7)
    name_places(found.devices, ax)
    ax.set_ylim(0, 1.25 * max(d.balance for d in found.devices))
    ax.set_title(f"machine balance, {found.precision}")
    ax.set_ylabel("flop per byte of device memory")
    ax.legend(frameon=False, fontsize=8, loc="lower right")


def draw_chip(devices: list[Device], ax: Any) -> None:
    """Stacked bars of what is on the chip."""
    places = list(range(len(devices)))
    below = [0.0] * len(places)
    for level, (words, colour) in enumerate(zip(LEVELS, COLOURS, strict=True)):
        sizes = [d.chip[level] for d in devices]
        ax.bar(places, sizes, bottom=below, color=colour, width=0.7, label=words)
        below = [b + s for b, s in zip(below, sizes, strict=True)]
    for k, total in enumerate(below):
        ax.annotate(f"{total:.0f}", (k, total), textcoords="offset points", xytext=(0, 3), ha="center", fontsize=7)
    name_places(devices, ax)
    ax.set_title("memory on the chip")
    ax.set_ylabel("MiB")
    ax.legend(frameon=False, fontsize=8, loc="upper left")


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code: 0, or 1 with one line on standard error."""
    parser = argparse.ArgumentParser(prog="dwell.generations", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="of `dwell model roofline STENCIL --json FILE`")
    parser.add_argument("-o", "--output", required=True, help="the picture: .svg, .png or .pdf")
    args = parser.parse_args(arguments)
    try:
        found = [read(path) for path in args.files]
        panels = [partial(draw_balance, one) for one in found]
        write_panels(args.output, (4.4 * (len(found) + 1), 4.2), [*panels, partial(draw_chip, found[0].devices)])
    except BadInput as error:
        print(f"dwell.generations: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
