# SPDX-License-Identifier: MIT
"""Draws what the step of a stencil consists of, by executor: ``python -m dwell.split FILE.json ... -o FILE.svg``.

The files are those of ``dwell explain stencil STENCIL --json FILE.json`` for a GPU, a panel each: for each plan the projected
time of arithmetic, of shared memory, of L2 and of device memory by itself, and of exchanges; a mark is the time of the step.
A line across the bar of device memory is its time with half of the traffic (figure 4.3 of Zhang 2023). Plans that are the
same appear once. Needs matplotlib (extra ``plot``); the picture's format is that of the output's ending.
"""
from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Any, NamedTuple

from .history import BadInput, read_document, write_panels

PARTS = ("arithmetic", "shared_memory", "l2", "device_memory", "exchange")
COLOURS = ("#9cc4f5", "#ffc98a", "#a8d5a2", "#e58a8a", "#c9ccd1")


class Plan(NamedTuple):
    """Times of a step in microseconds."""

    label: str
    total: float
    parts: tuple[float, ...]  #: as PARTS


class Split(NamedTuple):
    """Plans of one field."""

    title: str
    plans: list[Plan]


def plan_of(found: dict[str, Any]) -> Plan | None:
    """None where there is no plan, or no model of it."""
    times = found["projected_us"]
    if times["total"] is None:
        return None
    steps = found["steps_per_pass"]
    words = [found["executor"]]
    if found["policy"] is not None:
        words.append(found["policy"])
    if steps is not None and steps > 1:
        words.append(f"{steps} steps")
    return Plan("\n".join(words), float(times["total"]), tuple(float(times[part] or 0) for part in PARTS))


def split_of(path: str, found: dict[str, Any]) -> Split:
    plans: list[Plan] = []
    for one in (plan_of(row) for row in found["plans"]):
        if one is not None and all((one.total, one.parts) != (p.total, p.parts) for p in plans):
            plans.append(one)
    if not plans:
        raise BadInput(f"{path}: expected plans with projected times, found none: there is a model of GPUs alone")
    stencil = found["stencil"]
    return Split(f"{stencil['name']}, {stencil['size']}, {found['precision']}, {found['device']['name']}", plans)


def read(path: str) -> Split:
    return read_document(path, "explain stencil", partial(split_of, path))


def draw(split: Split, ax: Any) -> None:
    """Bars of the parts beside each other, a mark for the whole step."""
    width = 0.8 / len(PARTS)
    for k, (part, colour) in enumerate(zip(PARTS, COLOURS, strict=True)):
        at = [n + (k - (len(PARTS) - 1) / 2) * width for n in range(len(split.plans))]
        ax.bar(at, [p.parts[k] for p in split.plans], width=width, color=colour, label="L2" if part == "l2" else part.replace("_", " "))
        if part == "device_memory":
            ax.hlines([p.parts[k] / 2 for p in split.plans], [x - width / 2 for x in at], [x + width / 2 for x in at],
                      color="#1f2328", linewidth=1.2, label="half of the traffic")
    ax.plot(range(len(split.plans)), [p.total for p in split.plans], "_", color="#1f2328", markersize=22, label="a step")
    ax.set_xticks(range(len(split.plans)), [p.label for p in split.plans], fontsize=7)
    ax.set_ylim(bottom=0)
    ax.set_title(split.title, fontsize=9)
    ax.set_ylabel("us of a step, by itself")
    ax.grid(True, axis="y", color="#dddddd", linewidth=0.6)
    ax.set_axisbelow(True)
    ax.legend(frameon=False, fontsize=7)


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code: 0, or 1 with one line on standard error."""
    parser = argparse.ArgumentParser(prog="dwell.split", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="of `dwell explain stencil STENCIL --json FILE`")
    parser.add_argument("-o", "--output", required=True, help="the picture: .svg, .png or .pdf")
    args = parser.parse_args(arguments)
    try:
        found = [read(path) for path in args.files]
        write_panels(args.output, (max(5.4, 0.9 * max(len(s.plans) for s in found)) * len(found), 4.4),
                     [partial(draw, one) for one in found])
    except BadInput as error:
        print(f"dwell.split: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
