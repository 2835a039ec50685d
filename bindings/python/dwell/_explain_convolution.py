# SPDX-License-Identifier: MIT
"""How images would be convolved, in words."""
from __future__ import annotations

from typing import Any

from ._report import seconds

_PARTS = ("all", "memory", "multiply_adds", "moves", "chain", "launch")


def _table(rows: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def text_of(e: dict[str, Any]) -> str:
    """Text of what ``_core.explain_convolution`` returns."""
    q, projected = e["systolic"], e["projected"]
    taps = ["x".join(map(str, p["taps"])) for p in e["passes"]]
    model = "" if projected else "; no model of CPUs, so no projected time"
    times = [f" ({seconds(p['projected']['all'])})" if projected else "" for p in e["passes"]]
    head = [
        ["device", f"{e['device']} ({e['backend']}){model}"],
        ["algorithm", f"{e['algorithm']}: {e['reason']}"],
        ["passes", ", then ".join(f"{n} taps{t}" for n, t in zip(taps, times))],
    ]
    if projected:
        head.append(["systolic", f"C = N + P - 1 = {q['tap_rows']} + {q['sum_rows']} - 1 = {q['cached_rows']} rows of "
                     f"{q['warp_columns']} columns in registers, halo ratio {q['halo_ratio']:.2f}"])
    if q["latencies"]:
        shared, systolic = q["latency_shared"], q["latency_systolic"]
        latencies = "multiply-add {:.0f}, shared memory {:.0f}, shuffle {:.0f}".format(*q["latencies"])
        head.append(["", f"L_smem / L_reg = {shared:.0f} / {systolic:.0f} cycles = {shared / systolic:.2f} "
                     f"(latencies: {latencies})"])
    rows = [["algorithm", *(["time", "memory", "multiply-adds", "moves", "chain", "launch"] if projected else []), "tile", "halo"]]
    for algorithm in e["algorithms"]:
        name = algorithm["algorithm"] + (" *" if algorithm["algorithm"] == e["algorithm"] else "")
        parts = [seconds(algorithm["projected"][part]) for part in _PARTS] if projected else []
        rows.append([name, *parts, f"{algorithm['rows']}x{algorithm['columns']}", f"{100 * algorithm['halo']:.0f} %"])
    refused = [f"{algorithm['algorithm']}: cannot run: {algorithm['refusal']}" for algorithm in e["algorithms"] if algorithm["refusal"]]
    decides = [f"The algorithms are those of the pass of {taps[e['decides']]} taps, which has the most."] * (len(taps) > 1)
    return "\n".join([*_table(head), "", *_table(rows), *refused, *decides])
