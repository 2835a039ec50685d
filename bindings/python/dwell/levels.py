# SPDX-License-Identifier: MIT
"""Draws the time of an iteration by its parts: ``python -m dwell.levels LABEL=FILE.json ... -o FILE.svg``.

The files are those of ``dwell explain solve --json FILE.json``, for a device of which there is a model: the levels of a
hierarchy, or the factors of a preconditioner, and the iteration around them, with the projected time of each. Needs
matplotlib (extra ``plot``); the picture's format is that of the output's ending.
"""
from __future__ import annotations

import argparse
import json
import sys
from typing import Any, NamedTuple

from .history import BadInput, split_label, write_picture

SCHEMA = 1


class Bar(NamedTuple):
    """An iteration: its label and device, and the names and projected microseconds of its parts, the outermost first."""

    label: str
    device: str
    parts: list[tuple[str, float]]

    @property
    def us(self) -> float:
        return sum(us for _, us in self.parts)


def read(text: str) -> Bar:
    """Reads ``LABEL=FILE``; without a label, it is the matrix and the preconditioner."""
    label, path = split_label(text)
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        if found["schema"] != SCHEMA:
            raise BadInput(f"{path}: expected schema {SCHEMA} (docs/reference/json.md), found {found['schema']}")
        outer = {**found["outer_iteration"], "name": f"{found['solver']} itself"}
        parts = [(str(p["name"]), p["projected_us"]) for p in [outer, *found["preconditioner_parts"]]]
        label = label or f"{found['matrix']['name']}, {found['preconditioner']}"
        device = str(found["device"]["name"])
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"{path}: expected the JSON of dwell explain solve, found none") from error
    if any(us is None for _, us in parts):
        raise BadInput(f"{path}: expected projected times, found none: there is no model of CPUs (--device-facts h200)")
    return Bar(label, device, [(name, float(us)) for name, us in parts])


def draw(bars: list[Bar], ax: Any) -> None:
    """A bar each, from the iteration itself to the coarsest level; times in parts that have room for them."""
    from matplotlib import colormaps

    longest = max(bar.us for bar in bars)
    depth = max(len(bar.parts) for bar in bars)
    for row, bar in enumerate(bars):
        left = 0.0
        for k, (name, us) in enumerate(bar.parts):
            shade = colormaps["Blues"](0.85 - 0.7 * (k - 1) / max(1, depth - 2)) if k else "#bbbbbb"
            ax.barh(row, us, left=left, color=shade, edgecolor="white", linewidth=0.8)
            if us > 0.085 * longest:
                dark = k and k <= depth / 2
                ax.text(left + us / 2, row, f"{name}\n{us:.3g}", ha="center", va="center", fontsize=8,
                        color="white" if dark else "black")
            left += us
        ax.text(left + 0.01 * longest, row, f"{left:.3g} us", va="center", fontsize=9)
    ax.set_yticks(range(len(bars)), [bar.label for bar in bars])
    ax.invert_yaxis()
    ax.set_xlim(0, 1.12 * longest)
    ax.set_xlabel(f"projected time of an iteration on {bars[0].device}, us")
    for side in ("top", "right", "left"):
        ax.spines[side].set_visible(False)
    ax.tick_params(axis="y", length=0)


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code: 0, or 1 with one line on standard error."""
    parser = argparse.ArgumentParser(prog="dwell.levels", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="[LABEL=]FILE", help="of `dwell explain solve MATRIX --json FILE`")
    parser.add_argument("-o", "--output", required=True, help="the picture: .svg, .png or .pdf")
    parser.add_argument("--title", default="", help="above it")
    args = parser.parse_args(arguments)
    try:
        bars = [read(text) for text in args.files]
        devices = sorted({bar.device for bar in bars})
        if len(devices) > 1:
            raise BadInput(f"expected files of one device, found {' and '.join(devices)}")
        write_picture(args.output, (7.6, 1.1 + 0.62 * len(bars)), args.title, lambda ax: draw(bars, ax))
    except BadInput as error:
        print(f"dwell.levels: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
