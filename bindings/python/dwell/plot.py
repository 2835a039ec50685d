#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws what caching policies gain, from the JSON of `dwell compare`, as an SVG file.

One grid per baseline (host-loop, graph): a row per system, or per stencil and size, a column per
policy of perks, the speed-up in every cell, the best of a row in bold, and the geometric mean below.
This is figure 4.10 of Zhang's dissertation (2023) for systems, and 4.9 for stencils, whose baseline
there is a graph's launches. Several files make one picture if they are of one device, one precision,
and one preconditioner or boundary. `python -m dwell.plot`; the file alone needs nothing but Python 3.
"""
import argparse
import json
import math
import os
import sys
import tempfile
from xml.sax.saxutils import escape

CELL_W, CELL_H = 72, 21
FONT = 12
CHAR = 0.6 * FONT  # mean width of a character, generously; labels get room by it
PANEL_GAP, MEAN_GAP, MARGIN = 30, 5, 18
# Columns in this order, whatever the order of the runs: what is kept grows, then who chooses.
POLICIES = ["none", "shared", "registers", "both", "vectors", "matrix", "mixed", "greedy", "model", "auto", "measured"]
SCHEMA = 1
FEW, MANY, UNDER = (247, 251, 255), (8, 64, 129), (203, 75, 22)


class BadInput(Exception):
    pass


class Grid:
    """Medians in microseconds by row and column, and by row and baseline."""

    def __init__(self, baselines):
        self.rows, self.columns, self.device, self.kind, self.conditions = [], [], None, None, None
        self.baselines = baselines
        self.us, self.base = {}, {}

    def add(self, path, found):
        if (schema := found.get("schema")) != SCHEMA:
            raise BadInput(f"{path}: expected schema {SCHEMA} (docs/reference/json.md), found {schema}")
        kind = "stencils" if "stencils" in found else "matrices"
        self._same(path, "kind", kind, "all of systems, or all of stencils")
        self._same(path, "device", found["device"]["name"], "one device")
        self._same(path, "conditions", conditions(found, kind), "runs under the same conditions")
        for subject in found[kind]:
            name = (f'{subject["name"]} {subject["size"]}' if kind == "stencils" else subject["name"])
            if subject["refusal"] is not None:
                continue
            if name in self.rows:
                raise BadInput(f"{path}: expected every row once, found '{name}' again")
            self.rows.append(name)
            for run in subject["runs"]:
                self._take(name, run, found)

    def _same(self, path, field, value, what):
        if getattr(self, field) not in (None, value):
            raise BadInput(f"{path}: expected {what}, found {getattr(self, field)} and {value}")
        setattr(self, field, value)

    def _take(self, name, run, found):
        if run["outcome"] != "measured":
            return
        if self.kind == "stencils":
            us = run["time"]["per_step_us"]["median"]
        elif found["fixed_iterations"]:
            us = run["time"]["per_iteration_us"]["median"]
        else:
            us = 1e6 * run["time"]["solve_s"]
        asked = run["requested"]
        variant = asked.get("variant") or ""
        if run["executor"] == "perks":
            column = (variant, asked["policy"])
            if column not in self.columns:
                self.columns.append(column)
                self.columns = sorted(self.columns, key=self._place)
            self.us[name, column] = us
        elif run["executor"] in self.baselines and (name, run["executor"]) not in self.base:
            self.base[name, run["executor"]] = us

    def _place(self, column):
        """Variants as they come, policies in their order."""
        variant, policy = column
        variants = list(dict.fromkeys(v for v, _ in self.columns))
        return variants.index(variant), POLICIES.index(policy) if policy in POLICIES else len(POLICIES), policy

    def speed_up(self, row, column, baseline):
        us, base = self.us.get((row, column)), self.base.get((row, baseline))
        return base / us if us and base else None

    def panels(self):
        return [b for b in self.baselines if any((row, b) in self.base for row in self.rows)]

    def labels(self, column):
        """One line, or two where there is more than one variant."""
        several = len({variant for variant, _ in self.columns}) > 1
        return [column[1], column[0]] if several else [column[1]]


def conditions(found, kind):
    """What a reader must know of all the runs, in words."""
    if kind == "stencils":
        words = [found["precision"], f'boundary {found["boundary"]}', f'{found["max_steps"]} steps']
        return ", ".join(words + (["with a source"] if found.get("source") else []))
    words = [found["precision"], f'preconditioner {found["preconditioner"]}']
    words.append(f'{found["max_iterations"]} iterations, time of one' if found["fixed_iterations"]
                 else f'time to a relative residual of {found["tolerance"]["relative"]:g}')
    return ", ".join(words)


def mean(values):
    known = [v for v in values if v]
    return math.exp(sum(map(math.log, known)) / len(known)) if known and len(known) == len(values) else None


def colour(value, scale):
    """Colour of a speed-up on a logarithmic scale: pale at 1, blue at `scale`, orange at its inverse."""
    share = min(1.0, abs(math.log(value)) / math.log(scale))
    end = MANY if value >= 1 else UNDER
    return tuple(round(a + share * (b - a)) for a, b in zip(FEW, end))


def is_dark(rgb):
    return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2] < 140


class Svg:
    def __init__(self):
        self.parts = []

    def text(self, x, y, words, anchor="start", size=FONT, bold=False, fill="#222222"):
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}"'
                          f'{weight} fill="{fill}">{escape(words)}</text>')

    def rect(self, x, y, w, h, fill, kind=""):
        named = f' class="{kind}"' if kind else ""
        self.parts.append(f'<rect{named} x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" fill="{fill}"/>')

    def whole(self, width, height, title):
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
                f'width="{width:.0f}" height="{height:.0f}" font-family="Helvetica, Arial, sans-serif">')
        return "\n".join([head, f"<title>{escape(title)}</title>",
                          f'<rect width="{width:.0f}" height="{height:.0f}" fill="#ffffff"/>',
                          *self.parts, "</svg>", ""])


def draw_cell(svg, x, y, value, scale, best):
    if value is None:
        svg.rect(x, y, CELL_W - 1, CELL_H - 1, "#eeeeee", "cell")
        svg.text(x + CELL_W / 2, y + CELL_H - 6, "-", "middle", fill="#777777")
        return
    rgb = colour(value, scale)
    svg.rect(x, y, CELL_W - 1, CELL_H - 1, "#%02x%02x%02x" % rgb, "cell")
    svg.text(x + CELL_W / 2, y + CELL_H - 6, f"{value:.2f}", "middle", bold=best,
             fill="#ffffff" if is_dark(rgb) else "#222222")


def draw_row(svg, x, y, values, scale):
    shown = [v and f"{v:.2f}" for v in values]
    best = max((v for v in values if v), default=None)
    for k, value in enumerate(values):
        draw_cell(svg, x + k * CELL_W, y, value, scale, value is not None and shown[k] == f"{best:.2f}")


def draw_panel(svg, grid, x, y, baseline, scale):
    middle = x + len(grid.columns) * CELL_W / 2
    svg.text(middle, y, f"over {baseline}", "middle", FONT + 1, bold=True)
    y += 18
    lines = max(len(grid.labels(c)) for c in grid.columns)
    for k, column in enumerate(grid.columns):
        for line, words in enumerate(grid.labels(column)):
            size = FONT if len(words) * CHAR < CELL_W - 4 else FONT * (CELL_W - 4) / (len(words) * CHAR)
            svg.text(x + (k + 0.5) * CELL_W, y + 15 * line, words, "middle", f"{size:.1f}")
    y += 15 * (lines - 1) + 6
    for row in grid.rows:
        draw_row(svg, x, y, [grid.speed_up(row, c, baseline) for c in grid.columns], scale)
        y += CELL_H
    y += MEAN_GAP
    draw_row(svg, x, y, [mean([grid.speed_up(r, c, baseline) for r in grid.rows]) for c in grid.columns], scale)
    return y + CELL_H


def draw_legend(svg, x, y, least, most, scale):
    """A bar from the least speed-up (1 at most) to the greatest, with the ends and 1 marked."""
    steps, width = 60, 240
    low, high = math.log(min(1.0, least)), math.log(most)
    for k in range(steps):
        value = math.exp(low + (k + 0.5) / steps * (high - low))
        svg.rect(x + k * width / steps, y, width / steps + 0.5, 11, "#%02x%02x%02x" % colour(value, scale))
    place = lambda value: x + (math.log(value) - low) / (high - low) * width
    ticks = []
    for value in (1.0, most, least, math.sqrt(most)):  # in this order, each where it does not run into another
        room = (len(f"{value:.2f}") + 1) * CHAR
        if low <= math.log(value) and all(abs(place(value) - place(other)) > room for other in ticks):
            ticks.append(value)
    for value in ticks:
        svg.text(place(value), y + 24, f"{value:.2f}", "middle", FONT - 1)
    svg.text(x + width + 22, y + 10, "times faster than the baseline; bold: the best of a row; -: not measured",
             size=FONT - 1)


def draw(grid, title):
    if not grid.columns:
        raise BadInput("expected runs of executor perks, found none that was measured")
    panels = grid.panels()
    if not panels:
        raise BadInput(f"expected runs of a baseline ({', '.join(grid.baselines)}), found none that was measured")
    all_values = [v for b in panels for r in grid.rows for c in grid.columns
                  if (v := grid.speed_up(r, c, b))]
    least, most = min(all_values), max(1.1, max(all_values))
    scale = max(most, 1 / least)
    svg = Svg()
    label_width = max(len(name) for name in [*grid.rows, "geometric mean"]) * CHAR + 10
    width = MARGIN * 2 + label_width + len(panels) * (len(grid.columns) * CELL_W + PANEL_GAP) - PANEL_GAP
    width = max(width, MARGIN * 2 + len(title) * 0.6 * (FONT + 4), MARGIN * 2 + 240 + 22 + 75 * CHAR)
    svg.text(MARGIN, MARGIN + 14, title, size=FONT + 4, bold=True)
    svg.text(MARGIN, MARGIN + 32, grid.conditions, fill="#555555")
    top = MARGIN + 66
    x = MARGIN + label_width
    for baseline in panels:
        bottom = draw_panel(svg, grid, x, top, baseline, scale)
        x += len(grid.columns) * CELL_W + PANEL_GAP
    y = bottom - MEAN_GAP - (len(grid.rows) + 1) * CELL_H
    for name in grid.rows:
        svg.text(MARGIN + label_width - 8, y + CELL_H - 6, name, "end")
        y += CELL_H
    svg.text(MARGIN + label_width - 8, y + MEAN_GAP + CELL_H - 6, "geometric mean", "end", bold=True)
    draw_legend(svg, MARGIN + 12, bottom + 20, least, most, scale)
    return svg.whole(width, bottom + 20 + 24 + MARGIN, title)


def write(text, path):
    """Whole or not at all."""
    folder = os.path.dirname(os.path.abspath(path))
    try:
        handle, part = tempfile.mkstemp(dir=folder, prefix=".plot-")
    except OSError as error:
        raise BadInput(f"{path}: expected a file that can be written, found {error.strerror}") from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as out:
            out.write(text)
        os.chmod(part, 0o644)
        os.replace(part, path)
    except BaseException:
        os.unlink(part)
        raise


def read(path, grid):
    try:
        with open(path, encoding="utf-8") as file:
            grid.add(path, json.load(file))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: expected JSON, found {error}") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise BadInput(f"{path}: expected the JSON of `dwell compare`, but {error!r} is missing or odd") from error


def main():
    parser = argparse.ArgumentParser(prog="dwell.plot", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="of `dwell compare ... --format json -o FILE`")
    parser.add_argument("-o", "--output", help="the SVG file (default: standard output)")
    parser.add_argument("--title", help="above all (default: from the files)")
    parser.add_argument("--baselines", default="host-loop,graph", metavar="LIST",
                        help="executors to compare with, a grid each (default: %(default)s)")
    args = parser.parse_args()
    try:
        grid = Grid(args.baselines.split(","))
        for path in args.files:
            read(path, grid)
        what = "iterative stencils" if grid.kind == "stencils" else "conjugate gradients"
        picture = draw(grid, args.title or f"Speed-up of perks by policy: {what} on {grid.device}")
        if args.output:
            write(picture, args.output)
        else:
            sys.stdout.write(picture)
    except (BadInput, OSError) as error:
        print(f"dwell.plot: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
