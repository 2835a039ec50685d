# SPDX-License-Identifier: MIT
"""The plans of executor perks in words."""
from __future__ import annotations

from typing import Any

from ._report import seconds


def bytes_text(value: float) -> str:
    """A number of bytes: "1.5 KiB"."""
    for power, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if value >= 2**power:
            return f"{value / 2**power:.3g} {unit}"
    return f"{value:.0f} bytes"


def _held(plan: dict[str, Any], part: str) -> str:
    """The vectors of which a part stays there: "r, p 40 %"."""
    words = [v["name"] + (f" {100 * v[part]:.0f} %" if v[part] < 1 else "") for v in plan["vectors"] if v[part] > 0]
    return ", ".join(words) or "-"


def _tiles(plan: dict[str, Any]) -> str:
    kept = plan["tiles_in_registers"] + plan["tiles_in_scratch"]
    return "-" if not kept else "all" if kept >= plan["tiles"] else f"{kept} of {plan['tiles']}"


def table(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def _part(p: dict[str, Any], projected: bool) -> list[str]:
    places = [("on the chip", p["cached_bytes_moved"]), ("L2", p["l2_bytes"]), ("device memory", p["memory_bytes"])]
    moved = sum(bytes_there for _, bytes_there in places)
    row = [p["name"], str(p["rows"]), str(p["nonzeros"]), str(p["barriers"]), bytes_text(moved)]
    if projected:
        row += [seconds(p["seconds"]), ", ".join(f"{place} {100 * there / moved:.0f} %" for place, there in places
                                                 if there >= 0.005 * moved > 0)]
    return row


def text_of(e: dict[str, Any]) -> str:
    """Text of what ``_core.explain`` returns."""
    plan, device = e["policies"][e["chosen"]], e["device"]
    model = "no model of CPUs, so no projected time"
    if e["projected"]:
        model = "limits " + ("measured" if e["limits_measured"] else "of its data sheet, scaled")
        model += "" if e["probed"] else "; not here"
    variant = e["variant"]
    if e["projected"] and len(e["considered"]) > 1:
        variant += ", the least of " + ", ".join(f"{name} {seconds(s)}" for name, s in e["considered"].items())
    head = [
        ["matrix", f"{e['rows']} rows, {e['nonzeros']} nonzeros, {e['precision']}, preconditioner {e['preconditioner']}"],
        ["device", f"{device['name']} ({device['backend']}); {model}"],
        ["method", f"{e['method']}: {e['method_reason']}"],
        *([["preconditioner", f"{e['preconditioner']}: {e['preconditioner_reason']}"]]
          if e["preconditioner_reason"] != "as asked" else []),
        ["variant", variant],
        ["policy", f"{plan['policy']}: {plan['reason']}"],
        ["kernel", f"config {plan['config']}, {plan['teams']} teams of {plan['lanes']} lanes"
                   + (", in one cluster" if e["in_cluster"] else "")],
        ["teams", e["teams_why"]],
        ["per iteration", f"{bytes_text(plan['cached_bytes_moved'])} on the chip, {bytes_text(plan['l2_bytes'])} through L2, "
                          f"{bytes_text(plan['memory_bytes'])} device memory; {bytes_text(e['bytes_per_iteration'])} if nothing "
                          "were cached"],
        ["barriers", str(e["barriers"]) + (f" of {seconds(e['barrier_seconds'])}" if e["projected"] else "")],
    ]
    if e["projected"]:
        head.append(["projected", f"{seconds(plan['seconds'])} per iteration, floor {seconds(plan['floor'])}"])
    head.append(["direct solver", e["direct"]])
    rows = [["policy", "registers", "scratch", "tiles", "L2", "memory"] + (["projected"] if e["projected"] else [])]
    for at, p in enumerate(e["policies"]):
        row = [p["policy"] + (" *" if at == e["chosen"] else ""), _held(p, "in_registers"), _held(p, "in_scratch"),
               _tiles(p), bytes_text(p["l2_bytes"]), bytes_text(p["memory_bytes"])]
        if e["projected"]:
            row.append("refused" if p["refusal"] else seconds(p["seconds"]))
        rows.append(row)
    notes = [f"{name}: tries these plans on the device; not run here" for name in e["policies_that_try"]]
    notes += [f"{p['policy']}: refused: {p['refusal']}" for p in e["policies"] if p["refusal"]]
    outer = {**e["outer_iteration"], "name": e["outer_iteration"]["name"] + " itself"}
    parts = [["part", "rows", "nonzeros", "barriers", "bytes"]
             + (["projected", "where its bytes are"] if e["projected"] else [])]
    parts += [_part(p, e["projected"]) for p in [*e["preconditioner_parts"], outer]]
    made = ["", *table(parts)] if e["preconditioner_parts"] else []
    if e["preconditioner_note"]:
        made.append(e["preconditioner_note"])
    return "\n".join([*table(head), *made, "", *table(rows), *notes])
