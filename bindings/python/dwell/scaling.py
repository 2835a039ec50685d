# SPDX-License-Identifier: MIT
"""Draws what an iteration on many GPUs consists of: ``python -m dwell.scaling [LABEL=]FILE.json ... -o FILE.svg``.

The files are those of ``dwell model scaling PROBLEM --json FILE.json``, a panel each: for each number of GPUs the parts of
the time in percent, and the efficiency. Needs matplotlib (extra ``plot``); the picture's format is that of the output's
ending.
"""
from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Any, NamedTuple

from .history import BadInput, read_document, split_label, write_panels

PARTS = ("compute", "exchange", "reduction", "latency")
COLOURS = ("#9cc4f5", "#ffc98a", "#e58a8a", "#c9ccd1")


class Scaling(NamedTuple):
    """Rows of one problem that have a time."""

    title: str
    gpus: list[int]
    parts: dict[str, list[float]]  #: of the time, 0 to 1
    efficiency: list[float]


def scaling_of(found: dict[str, Any]) -> Scaling:
    rows = [r for r in found["rows"] if r["total_us"] is not None]
    problem = found["problem"]
    words = [problem["name"], problem["variant"], problem["size"] + (" each" if problem["weak"] else ""),
             found["division"]]
    return Scaling(", ".join(w for w in words if w), [int(r["gpus"]) for r in rows],
                   {part: [r[f"{part}_us"] / r["total_us"] for r in rows] for part in PARTS},
                   [float(r["efficiency"]) for r in rows])


def read(text: str) -> Scaling:
    """Reads ``LABEL=FILE`` or ``FILE``; the label is the title."""
    label, path = split_label(text)
    found = read_document(path, "model scaling", scaling_of)
    return found._replace(title=label) if label else found


def draw(scaling: Scaling, ax: Any) -> None:
    """Stacked bars of the parts and a line of the efficiency."""
    places = list(range(len(scaling.gpus)))
    below = [0.0] * len(places)
    for part, colour in zip(PARTS, COLOURS, strict=True):
        heights = [100 * share for share in scaling.parts[part]]
        ax.bar(places, heights, bottom=below, color=colour, width=0.8, label=part)
        below = [b + h for b, h in zip(below, heights, strict=True)]
    ax.plot(places, [100 * e for e in scaling.efficiency], "o-", color="#1f2328", linewidth=1.2, markersize=3.5,
            label="efficiency")
    ax.set_xticks(places, [str(n) for n in scaling.gpus], rotation=60, fontsize=8)
    ax.set_ylim(0, 105)
    ax.set_title(scaling.title, fontsize=9)
    ax.set_xlabel("GPUs")
    ax.set_ylabel("percent")
    ax.legend(loc="lower left", fontsize=7, framealpha=0.9)


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code: 0, or 1 with one line on standard error."""
    parser = argparse.ArgumentParser(prog="dwell.scaling", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="[LABEL=]FILE", help="of `dwell model scaling PROBLEM --json FILE`")
    parser.add_argument("-o", "--output", required=True, help="the picture: .svg, .png or .pdf")
    args = parser.parse_args(arguments)
    try:
        found = [read(text) for text in args.files]
        write_panels(args.output, (4.2 * len(found), 3.8), [partial(draw, one) for one in found])
    except BadInput as error:
        print(f"dwell.scaling: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
