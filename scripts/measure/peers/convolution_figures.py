# SPDX-License-Identifier: MIT
# Times of convolutions on a GPU, Dwell's and its peers': what `dwell compare convolve` says, means and worst cases,
# Markdown. All times are microseconds of a call.
import math
import re
from pathlib import Path

PEERS = ("NPP", "cuDNN", "cuFFT")
COLUMNS = ("auto", "best") + PEERS + ("copy",)
KINDS = ("in_a_row", "call")  # calls one after the other; calls that are waited for
NARROW = 5  # filters of up to so many taps along an axis should take as long as a copy


def filter_name(taps):
    """Name of the file that Dwell is given."""
    return f"w{taps}.npy"


def of_dwell(document):
    """{(size, taps): {"in_a_row": {algorithm: us}, "call": {algorithm: us}, "auto": the algorithm it took}} of the JSON document of
    `dwell compare convolve` with filters called filter_name(). Raises ValueError for a row without times."""
    found = {}
    for c in document["convolutions"]:
        taps = int(re.fullmatch(r"w(\d+)\.npy", Path(c["filter"]).name)[1])
        if c["refusal"]:
            raise ValueError(f"dwell: {c['size']}, {taps} x {taps}: {c['refusal']}")
        entry = {"in_a_row": {}, "call": {}, "auto": None}
        for run in c["runs"]:
            algorithm = run["requested"]["algorithm"]
            if run["outcome"] != "measured":
                raise ValueError(f"dwell: {c['size']}, {taps} x {taps}, {algorithm}: {run['why']}")
            entry["in_a_row"][algorithm] = run["in_a_row"]["us"]["median"]
            entry["call"][algorithm] = run["time"]["us"]["median"]
            if algorithm == "auto":
                entry["auto"] = run["algorithm"]
        found[c["size"], taps] = entry
    return found


def cells_of(size):
    return math.prod(int(n) for n in size.split("x"))


def rows_of(dwell, peers):
    """A row for each image and filter, smaller ones first: {"size", "taps", "algorithm", "best_algorithm", kind: {column: us}}. dwell: of of_dwell();
    peers: {(size, taps): {peer or "copy": {kind: us}}}, without what has not been measured."""
    rows = []
    for (size, taps), entry in sorted(dwell.items(), key=lambda item: (cells_of(item[0][0]), item[0][1])):
        row = {"size": size, "taps": taps, "algorithm": entry["auto"]}
        best = min(entry["in_a_row"], key=entry["in_a_row"].get)
        row["best_algorithm"] = entry["auto"] if best == "auto" else best
        for kind in KINDS:
            own = entry[kind]
            row[kind] = {"auto": own["auto"], "best": own[best]}
            for peer, times in peers.get((size, taps), {}).items():
                row[kind][peer] = times[kind]
        rows.append(row)
    return rows


def geometric_mean(values):
    return math.exp(math.fsum(map(math.log, values)) / len(values)) if values else None


def summary_of(rows, kind):
    """How many times as long as Dwell the others take: {peer: {"cases", "mean", "least", "least_at"} for "auto" and
    "best"}, the mean geometric; and the greatest and least part of a copy's rate that `auto` reaches with narrow filters."""
    out = {}
    for own in ("auto", "best"):
        for peer in PEERS:
            ratios = {(r["size"], r["taps"]): r[kind][peer] / r[kind][own] for r in rows if peer in r[kind]}
            at = min(ratios, key=ratios.get) if ratios else None
            out.setdefault(peer, {})[own] = {
                "cases": len(ratios), "mean": geometric_mean(list(ratios.values())),
                "least": ratios[at] if at else None, "least_at": f"{at[0]}, {at[1]} x {at[1]}" if at else None}
    shares = {(r["size"], r["taps"]): r[kind]["copy"] / r[kind]["auto"]
              for r in rows if r["taps"] <= NARROW and "copy" in r[kind]}
    if shares:
        at = min(shares, key=shares.get)
        out["copy"] = {"cases": len(shares), "least": shares[at], "least_at": f"{at[0]}, {at[1]} x {at[1]}",
                       "greatest": max(shares.values())}
    return out


def number(value):
    return "-" if value is None else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def markdown_of(rows, kind):
    """The table of one kind of times, and what its columns come to."""
    heads = ["image", "filter", "auto", "best algorithm", *PEERS, "copy", "NPP / auto", "cuDNN / auto", "copy / auto"]
    lines = ["| " + " | ".join(heads) + " |", "|---|---" + "|--:" * (len(heads) - 2) + "|"]
    for r in rows:
        times = r[kind]
        ratio = [number(times[p] / times["auto"] if p in times else None) for p in ("NPP", "cuDNN", "copy")]
        lines.append("| " + " | ".join(
            [r["size"], f"{r['taps']} x {r['taps']}", f"{number(times['auto'])} ({r['algorithm']})",
             f"{number(times['best'])} ({r['best_algorithm']})", *(number(times.get(p)) for p in PEERS + ("copy",)), *ratio]) + " |")
    lines.append("")
    summary = summary_of(rows, kind)
    for peer in PEERS:
        for own in ("auto", "best"):
            s = summary[peer][own]
            if s["cases"]:
                lines.append(f"* {peer} over `{own}`: {number(s['mean'])} (geometric mean of {s['cases']}), at least "
                             f"{number(s['least'])} ({s['least_at']})")
    if "copy" in summary:
        s = summary["copy"]
        lines.append(f"* of a copy's rate up to {NARROW} x {NARROW}: {number(s['least'])} ({s['least_at']}) to "
                     f"{number(s['greatest'])}")
    return "\n".join(lines)
