# SPDX-License-Identifier: MIT
"""Draws the roofline of a GPU with the runs of a stencil: ``python -m dwell.roofline FILE.json ... -o FILE.svg``.

The files are those of ``dwell compare stencil ... --format json`` on a GPU; each field gets a panel. Roofs are the rates of
device memory, of L2, of all shared memories together and of arithmetic in the file (Williams et al. 2009). A run stands at its operational intensity, the
operations of a step over the bytes that its plan moves beyond the chip, and at its measured rate; a hollow mark is the rate
that the planner's model projects, PP. What moves no bytes stands at the right edge. Needs matplotlib (extra ``plot``); the
picture's format is that of the output's ending.
"""
from __future__ import annotations

import argparse
import sys
from functools import partial
from typing import Any, NamedTuple

from .history import BadInput, read_document, write_panels


class Run(NamedTuple):
    """Rates in flop per second; the intensity in flop per byte, None where no byte is moved."""

    label: str
    intensity: float | None
    rate: float
    projected: float | None


class Panel(NamedTuple):
    """Figures of one field; roofs in bytes and in flop per second."""

    title: str
    memory: float
    l2: float
    shared: float
    peak: float
    runs: list[Run]


def run_of(found: dict[str, Any], flops: int, cells: int) -> Run | None:
    """None where it was not measured, or has no plan."""
    if found["cells_per_s"] is None or found["streamed_bytes_per_step"] is None:
        return None
    moved = float(found["streamed_bytes_per_step"])
    projected = found["projected_cells_per_s"]
    asked = found["requested"]["policy"]
    label = found["executor"] if asked is None else f"{found['executor']} {asked}"
    return Run(label, flops * cells / moved if moved > 0 else None, flops * float(found["cells_per_s"]),
               None if projected is None else flops * float(projected))


def panels_of(path: str, found: dict[str, Any]) -> list[Panel]:
    rates = found["device"]["rates"]
    if rates["memory_bytes_per_s"] is None:
        raise BadInput(f"{path}: expected runs on a GPU, found {found['device']['backend']}: there is no model of it")
    panels = []
    for field in found["stencils"]:
        runs = [run_of(run, field["flops_per_cell"], field["changing_cells"]) for run in field["runs"]]
        panels.append(Panel(f"{field['name']}, {field['size']}, {found['precision']}",
                            float(rates["memory_bytes_per_s"]), float(rates["l2_bytes_per_s"]),
                            float(rates["shared_bytes_per_s"]), float(rates["flops_per_s"]), [run for run in runs if run is not None]))
    return panels


def read(path: str) -> list[Panel]:
    return read_document(path, "compare stencil", partial(panels_of, path))


def edges(panel: Panel) -> tuple[float, float]:
    """Ends of the intensities that are shown."""
    at = [run.intensity for run in panel.runs if run.intensity is not None]
    ridge = panel.peak / panel.memory
    return min([*at, ridge]) / 2, max([*at, ridge]) * 4


def draw(panel: Panel, ax: Any) -> None:
    """Roofs as lines, a mark for each run, on logarithmic axes."""
    left, right = edges(panel)
    for rate, name, style in ((panel.memory, "device memory", "-"), (panel.l2, "L2", "--"),
                              (panel.shared, "shared memory", ":")):
        ridge = min(max(panel.peak / rate, left), right)
        ax.loglog([left, ridge, right], [left * rate / 1e9, min(panel.peak, ridge * rate) / 1e9,
                                         min(panel.peak, right * rate) / 1e9],
                  style, color="#444444", linewidth=1.1, label=f"{name}, {rate / 1e12:.2f} TB/s")
    ax.axhline(panel.peak / 1e9, color="#bbbbbb", linewidth=0.8, label=f"arithmetic, {panel.peak / 1e12:.1f} Tflop/s")
    for n, run in enumerate(panel.runs):
        x = right if run.intensity is None else run.intensity
        colour = f"C{n % 10}"
        ax.plot([x], [run.rate / 1e9], "o", color=colour, markersize=5, label=run.label, clip_on=False)
        if run.projected is not None:
            ax.plot([x], [run.projected / 1e9], "o", color=colour, markersize=8, fillstyle="none", clip_on=False)
    ax.set_xlim(left, right)
    ax.set_title(panel.title)
    ax.set_xlabel("flop per byte beyond the chip")
    ax.set_ylabel("Gflop/s")
    ax.grid(True, which="major", color="#dddddd", linewidth=0.6)
    ax.legend(frameon=False, fontsize=7)


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code: 0, or 1 with one line on standard error."""
    parser = argparse.ArgumentParser(prog="dwell.roofline", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="of `dwell compare stencil STENCIL --format json`")
    parser.add_argument("-o", "--output", required=True, help="the picture: .svg, .png or .pdf")
    args = parser.parse_args(arguments)
    try:
        panels = [panel for path in args.files for panel in read(path)]
        if not any(panel.runs for panel in panels):
            raise BadInput(f"{args.files[0]}: expected runs that were measured, found none")
        write_panels(args.output, (5.4 * len(panels), 4.6), [partial(draw, one) for one in panels])
    except BadInput as error:
        print(f"dwell.roofline: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
