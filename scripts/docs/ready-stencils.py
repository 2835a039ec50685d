#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes apps/dwell/fields/ready/NAME.toml, the ready stencils of the command line, from those of the Python package.

The functions of bindings/python/dwell/stencils/ are their definition. Needs the package: `make python`, then
build/python/venv/bin/python scripts/docs/ready-stencils.py. A test compares the files with what this writes.
"""
from __future__ import annotations

import sys
from pathlib import Path

import dwell
from dwell._definition_text import formulas

FOLDER = Path(__file__).resolve().parents[2] / "apps/dwell/fields/ready"


def ready():
    """{name on the command line: (definition, values) or (definition, values, boundary)}; what is not among these has the
    definition's default. Patterns are periodic: a fixed border would keep its random values."""
    s = dwell.stencils
    pulse = {"u": "hot-spot", "v": "hot-spot"}
    found = {
        "fdtd": (s.fdtd(), {"ez": "hot-spot", "hx": 0.0, "hy": 0.0}),
        "shallow-water": (s.shallow_water(), {"h": "hot-spot:1:1.5", "hu": 0.0, "hv": 0.0}),
        "advection-upwind": (s.advection("upwind"), {"u": "hot-spot", "cx": 0.3, "cy": 0.2}),
        "advection-lax-wendroff": (s.advection("lax-wendroff"), {"u": "hot-spot", "cx": 0.3, "cy": 0.2}),
        "cahn-hilliard": (s.cahn_hilliard(), {"c": "random:1"}, "periodic"),
    }
    for dims in (1, 2, 3):
        found[f"heat{dims}d"] = s.heat(dims), {"u": "hot-spot", "k": 1.0}
        found[f"wave{dims}d"] = s.wave(dims), pulse
        for order in (4, 8):
            found[f"wave{dims}d-order{order}"] = s.wave(dims, order), pulse
        found[f"gray-scott{dims}d"] = s.gray_scott(dims), {"u": "hot-spot:1:0.5", "v": "hot-spot:0:0.25", "feed": 0.04, "kill": 0.06}, "periodic"
        found[f"allen-cahn{dims}d"] = s.allen_cahn(dims), {"p": "random:1"}, "periodic"
    return dict(sorted(found.items()))


def text_of(boundary):
    if isinstance(boundary, str):
        return f'"{boundary}"'
    if isinstance(boundary, dict):
        return "{" + ", ".join(f"{name} = {text_of(b)}" for name, b in boundary.items()) + "}"
    return "[" + ", ".join(text_of(b) for b in boundary) + "]"


def toml_of(name, definition, start, boundary=None):
    """A file for `dwell stencil`."""
    tape = definition.tape
    lines = [f"# Written by scripts/docs/ready-stencils.py from dwell.stencils: {name}.", f'name = "{tape.name}"', f"dims = {tape.dims}",
             f'fields = "{" ".join(tape.fields)}"']
    lines += [f'{what} = "{" ".join(names)}"' for what, names in (("coefficients", tape.coefficients), ("parameters", tape.parameters))
              if names]
    lines.append(f"boundary = {text_of(boundary or definition.boundary)}")
    stages = ['"""\n' + "".join(f"{left} = {right}\n" for left, right in formulas(tape, k)) + '"""' for k in range(len(tape.stages))]
    lines.append(f"step = {stages[0]}" if len(stages) == 1 else "stages = [" + ", ".join(stages) + "]")
    lines += ["", "[values]"]
    values = {**definition.defaults, **start}
    for one in tape.fields + tape.coefficients + tape.parameters:
        lines.append(f'{one} = "{values[one]}"' if isinstance(values[one], str) else f"{one} = {float(values[one])!r}")
    return "\n".join(lines) + "\n"


def main():
    FOLDER.mkdir(exist_ok=True)
    for name, what in ready().items():
        (FOLDER / f"{name}.toml").write_text(toml_of(name, *what))


if __name__ == "__main__":
    sys.exit(main())
