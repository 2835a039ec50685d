# SPDX-License-Identifier: MIT
"""How a system on a grid would be solved, in words."""
from __future__ import annotations

from typing import Any

from ._explain import bytes_text, table
from ._report import seconds


def _size(cells: tuple[int, ...]) -> str:
    return "x".join(map(str, cells))


def grid_text_of(e: dict[str, Any]) -> str:
    """Text of what the extension's explain() returns."""
    on_gpu = e["device"]["backend"] != "cpu"
    head = [
        ["device", f"{e['device']['name']} ({e['device']['backend']})"],
        ["method", f"{e['method']}, preconditioner {e['preconditioner']}, {e['precision']}"],
        ["blocks" if on_gpu else "threads", f"{e['threads']}: {e['reason']}"],
        ["cycle", e["cycle"]],
        *([["null space", "constant: nothing holds u"]] if e["singular"] else []),
        ["coefficients", "some rows that all others share" if e["shared_rows"] else "of each cell, read by each visit"],
        ["vectors", f"{bytes_text(e['vector_bytes'])}, in {e['vectors_live_in']}"],
        ["moved", f"{bytes_text(e['cycle_bytes'])} a cycle, {bytes_text(e['bytes_per_iteration'])} an iteration, by the model"],
    ]
    if on_gpu:
        head.append(["at least", f"{seconds(e['least_s'])} an iteration: these bytes, {e['barriers']} barriers, nothing else"])
    if e["start_barriers"]:
        head.append(["", f"{seconds(e['start_least_s'])} full multigrid before them, {e['start_barriers']} barriers"])
    rows = [["level", "halved", "solved by", "blocks" if on_gpu else "threads", "visits", "holds", "lives in", "moved a cycle"]]
    for level in e["levels"]:
        dims = len(level["cells"])
        halved = " ".join("xyz"[dims - 1 - axis] for axis in reversed(level["halved"]))
        rows.append([_size(level["cells"]), halved or "-", level["solved_by"], str(level["threads"]), str(level["visits"]),
                     bytes_text(level["bytes"]), level["lives_in"], bytes_text(level["bytes_per_cycle"])])
    return "\n".join([*table(head), *(["", *table(rows)] if e["levels"] else [])])
