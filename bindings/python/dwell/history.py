# SPDX-License-Identifier: MIT
"""Draws the residuals of several solves: ``python -m dwell.history LABEL=FILE.csv ... -o FILE.svg``.

The files are those of ``dwell solve --history FILE.csv``. Needs matplotlib (extra ``plot``); the picture's format is that
of the output's ending.
"""
from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar


SCHEMA = 1  #: of the JSON of commands
Parsed = TypeVar("Parsed")


class BadInput(Exception):
    """With the one line to print."""


def split_label(text: str) -> tuple[str, str]:
    """The label, or "", and the file of ``LABEL=FILE`` or ``FILE``."""
    label, _, path = text.rpartition("=")
    return label, path


def read_document(path: str, command: str, parse: Callable[[dict[str, Any]], Parsed]) -> Parsed:
    """What ``parse`` makes of the JSON of a command of ``dwell``."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        if found["schema"] != SCHEMA:
            raise BadInput(f"{path}: expected schema {SCHEMA} (docs/reference/json.md), found {found['schema']}")
        if found["document"] != command:
            raise BadInput(f"{path}: expected the JSON of dwell {command}, found that of dwell {found['document']}")
        return parse(found)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"{path}: expected the JSON of dwell {command}, found none") from error


def write_picture(path: str, size: tuple[float, float], title: str, draw_on: Callable[[Any], None]) -> None:
    """A picture of one drawing, in the format of the path's ending."""

    def draw_with_title(ax: Any) -> None:
        draw_on(ax)
        if title:
            ax.set_title(title)

    write_panels(path, size, [draw_with_title])


def write_panels(path: str, size: tuple[float, float], draw_on: Sequence[Callable[[Any], None]]) -> None:
    """A picture of drawings side by side, in the format of the path's ending."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise BadInput(f"expected matplotlib (pip install 'dwell-solvers[plot]'), found none: {error}") from error
    figure = Figure(figsize=size, layout="constrained")
    for place, draw_panel in enumerate(draw_on, 1):
        draw_panel(figure.add_subplot(1, len(draw_on), place))
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise BadInput(f"{path}: {error}") from error


def read(text: str) -> tuple[str, list[float]]:
    """The label of ``LABEL=FILE`` and the relative residuals of the file; without a label, the file's name."""
    label, path = split_label(text)
    label = label or Path(path).stem
    try:
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        residuals = [float(row["relative_residual"]) for row in rows]
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    except (KeyError, TypeError, ValueError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: expected the CSV of dwell solve --history, with a column relative_residual of numbers") \
            from error
    if not residuals:
        raise BadInput(f"{path}: expected residuals, found none")
    return label, residuals


def draw(histories: list[tuple[str, list[float]]], ax: Any, target: float | None = None) -> None:
    """One line each, on a logarithmic axis; a residual of zero is left out."""
    for label, residuals in histories:
        at = [(k, r) for k, r in enumerate(residuals) if r > 0]
        ax.semilogy([k for k, _ in at], [r for _, r in at], label=f"{label} ({len(residuals) - 1})", linewidth=1.2)
    if target is not None:
        ax.axhline(target, color="#777777", linewidth=0.8, linestyle=":")
    ax.set_xlabel("iterations")
    ax.set_ylabel("||r|| / ||b||")
    ax.grid(True, which="major", color="#dddddd", linewidth=0.6)
    ax.legend(frameon=False)


def main(arguments: list[str] | None = None) -> int:
    """Returns the exit code: 0, or 1 with one line on standard error."""
    parser = argparse.ArgumentParser(prog="dwell.history", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="[LABEL=]FILE", help="of `dwell solve MATRIX --history FILE`")
    parser.add_argument("-o", "--output", required=True, help="the picture: .svg, .png or .pdf")
    parser.add_argument("--title", default="", help="above it")
    parser.add_argument("--target", type=float, help="a line at this relative residual")
    args = parser.parse_args(arguments)
    try:
        histories = [read(text) for text in args.files]
        write_picture(args.output, (7.2, 4.4), args.title, lambda ax: draw(histories, ax, args.target))
    except BadInput as error:
        print(f"dwell.history: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
