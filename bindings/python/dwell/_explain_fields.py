# SPDX-License-Identifier: MIT
"""Plans of steps of several fields in words."""
from __future__ import annotations

from typing import Any

from ._explain import bytes_text
from ._report import seconds


def _counted(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def _stage(use: dict[str, Any]) -> str:
    parts = []
    if use["computed"]:
        read = [f"{name} ({_counted(cells, 'cell')})" for name, cells in use["read"].items()]
        parts.append(f"computes {', '.join(use['computed'])}" + (f" of {', '.join(read)}" if read else ""))
    parts += [f"{field} is the {source} before, not moved" for field, source in use["renamed"].items()]
    return f"{'; '.join(parts)}; {bytes_text(use['cell_bytes'])} per cell"


def _once(e: dict[str, Any]) -> list[tuple[str, str]]:
    if not e["hoisted"]:
        return []
    rows = [("once", f"{_counted(e['hoisted'], 'value')} of coefficients alone: {e['hoisted_operations']} operations and "
                     f"{bytes_text(e['hoisted_cell_bytes'])} per cell and step become {e['operations']} and {bytes_text(e['cell_bytes'])}")]
    if e["hoisted_step_seconds"]:
        rows.append(("", f"projected {seconds(e['hoisted_step_seconds'])} per step without"))
    return rows


def _passes(e: dict[str, Any]) -> list[tuple[str, str]]:
    tiles, on_cpu = _counted(e["tiles"], "tile"), e["backend"] == "cpu"
    chip = f"{bytes_text(e['working_set'])} of shared memory in each multiprocessor, {e['registers']} registers of each lane for cells"
    if e["executor"] == "perks":
        cells = (f"{e['slabs']}x{e['tiles']} of at most {e['slab_cells']}x{e['tile_cells']}" if e["dims"] > 1
                 else f"{e['slabs']} of at most {e['slab_cells']}")
        return [("tiles", f"{cells} cells"), ("working set", chip)]
    if e["depth"] == 1:
        return []
    if on_cpu:
        line, cells = e["dims"] == 1, _counted(e["tile_cells"], "cell")
        parts = f"each by blocks of {cells}" if line else f"of the slowest axis, each in {tiles} of {cells}"
        rows = [("passes", f"{e['depth']} steps each; {_counted(e['slabs'], 'part')}{', ' if line else ' '}{parts}"),
                ("working set", f"{bytes_text(e['working_set'])} of a {'block' if line else 'tile'}"
                 + (f", half of a core's cache is {bytes_text(e['core_cache'] / 2)}" if e["core_cache"] else ""))]
    else:
        rows = [("passes", f"{e['depth']} steps each; {_counted(e['tiles'], 'part')} of {_counted(e['tile_cells'], 'cell')} across that "
                           "are right at its end"), ("working set", chip)]
    return [*rows, ("", f"{bytes_text(e['cell_bytes'] / e['depth'])} per cell and step, if rows in flight stay there")]


def _times(e: dict[str, Any]) -> list[tuple[str, str]]:
    longest = max(e["memory_seconds"], e["arithmetic_seconds"])
    if not longest:
        return [("roof", "no model of CPUs, so no projected time")]
    binds = "device memory" if e["memory_seconds"] >= e["arithmetic_seconds"] else "arithmetic"
    rows = [("projected", f"{seconds(e['step_seconds'])} per step")] if e["step_seconds"] else []
    return [*rows, ("roof", f"{seconds(longest)} per plain step; {binds} binds: device memory {seconds(e['memory_seconds'])}, "
                            f"arithmetic {seconds(e['arithmetic_seconds'])}")]


def plan_rows(e: dict[str, Any]) -> list[tuple[str, str]]:
    """Labels and words of what ``_core.explain_fields`` returns."""
    fits = "" if e["memory"] <= e["device_memory"] else "DOES NOT FIT: "
    units = "thread" if e["backend"] == "cpu" else "multiprocessor"
    return [
        ("memory", f"{fits}{bytes_text(e['memory'])} in {_counted(e['arrays'], 'array')}"),
        ("device", f"{e['device']} ({e['backend']})"),
        *_once(e),
        *(("stages" if k == 0 else "", _stage(use)) for k, use in enumerate(e["stages"])),
        ("per step", f"{bytes_text(e['cell_bytes'])} per cell, {bytes_text(e['bytes_per_step'])} in all, if nothing stays in a cache; "
                     f"{e['operations'] / e['cell_bytes']:.3g} operations a byte"),
        ("executor", f"{e['executor']} on {_counted(e['threads'], units)}"),
        *([("", e["reason"])] if e["reason"] else []),
        *_passes(e),
        *_times(e),
    ]
