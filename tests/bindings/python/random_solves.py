# SPDX-License-Identifier: MIT
"""Solves of random systems by the command line and by the program solve_cases (C++ and C). All calls of all languages must
give the same x to the bit and the same report. No package is needed."""
from __future__ import annotations

import json
import math
import struct
import subprocess
from pathlib import Path
from typing import Any

from random_systems import Case

TIMES = {"context_s", "check_s", "upload_s", "plan_s", "cut_s", "preconditioner_s", "load_s", "setup_s", "solve_s",
         "finish_s", "per_iteration_us", "setup"}


# Files -----------------------------------------------------------------------------------------------------------------

def write_npy(file: Path, v: list[float], columns: int = 1) -> None:
    """In double precision; columns one after the other, as NumPy's Fortran order."""
    shape = f"({len(v)},)" if columns == 1 else f"({len(v) // columns}, {columns})"
    header = f"{{'descr': '<f8', 'fortran_order': {columns > 1}, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    file.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack(f"<{len(v)}d", *v))


def read_npy(file: Path) -> list[float]:
    data = file.read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00" and b"'<f8'" in data[:128]
    values = data[10 + struct.unpack("<H", data[8:10])[0]:]
    return list(struct.unpack(f"<{len(values) // 8}d", values))


def bits_of(x: list[float]) -> str:
    return "".join(f"{k:016x}" for k in struct.unpack(f"<{len(x)}Q", struct.pack(f"<{len(x)}d", *x)))


def write_matrix_market(case: Case, file: Path) -> None:
    entries = case.entries()
    lower = case.symmetric and case.seed % 2 == 0
    entries = [e for e in entries if e[0][0] >= e[0][1]] if lower else entries
    lines = [f"%%MatrixMarket matrix coordinate real {'symmetric' if lower else 'general'}",
             f"{case.rows} {case.rows} {len(entries)}"] + [f"{i + 1} {j + 1} {v!r}" for (i, j), v in entries]
    file.write_text("\n".join(lines) + "\n")


def write_case(case: Case, file: Path) -> None:
    """Writes what solve_cases reads."""
    def numbers(v: list[Any]) -> str:
        return f"{len(v)} " + " ".join(one.hex() if isinstance(one, float) else str(one) for one in v)

    lines = [f"precision {case.precision}", f"threads {case.threads}"]
    for name, v in case.options.items():
        kind = ("list" if isinstance(v, list) else "text" if isinstance(v, str) else
                "number" if isinstance(v, float) else "whole")
        shown = numbers(v) if kind == "list" else v.hex() if kind == "number" else str(int(v)) if kind == "whole" else v
        lines.append(f"{kind} {name} {shown}")
    lines += [f"matrix {case.rows}", numbers(case.row_ptr), numbers(case.col), numbers(case.val), "b " + numbers(case.b),
              "x0 " + numbers(case.x0 or [0.0] * case.rows)]
    file.write_text("\n".join(lines) + "\n")


# Solves ------------------------------------------------------------------------------------------------------------------

def by_programs(program: str, cases: list[Case], folder: Path) -> dict[int, list[dict[str, Any]]]:
    """What `program`, solve_cases, says of each case, by seed."""
    files = {str(folder / f"{case.seed}.case"): case for case in cases}
    for file, case in files.items():
        write_case(case, Path(file))
    done = subprocess.run([program, *files], capture_output=True, text=True, check=False)
    out: dict[int, list[dict[str, Any]]] = {case.seed: [] for case in cases}
    for line in done.stdout.splitlines():
        found = json.loads(line)
        out[files[found.pop("case")].seed].append(found)
    if done.returncode != 0:
        raise RuntimeError(f"{program}: ended with {done.returncode}: {done.stderr}")
    return out


def command_words(case: Case, folder: Path) -> list[str]:
    o = case.options
    as_cg = o["method"] == "cg" and "restart" not in o and case.seed % 3 == 0
    words = ["cg" if as_cg else "solve", str(folder / "a.mtx"), "--device", "cpu", "--rhs", str(folder / "b.npy"),
             "--precision", case.precision, "--output", str(folder / "x.npy"), "--json", str(folder / "report.json")]
    if case.threads:
        words += ["--threads", str(case.threads)]
    if case.x0 is not None:
        words += ["--x0", str(folder / "x0.npy")]
    for name, v in o.items():
        if name == "mixed_precision" or name == "method" and as_cg:
            continue
        option = "--solver" if name == "method" else "--" + name.replace("_", "-")
        if name == "refine":
            words.append("--no-refine")
        elif name == "assume_symmetric":
            words.append(option)
        elif name == "history":
            words += [option, str(folder / "history.csv")] if v else []
        elif isinstance(v, list):
            words += [option, str(folder / f"{name}.npy")]
        else:
            words += [option, repr(v) if isinstance(v, float) else str(v)]
    return words


def by_command(program: str, case: Case, folder: Path) -> dict[str, Any]:
    for name in ("x.npy", "report.json"):
        (folder / name).unlink(missing_ok=True)
    write_matrix_market(case, folder / "a.mtx")
    write_npy(folder / "b.npy", case.b)
    if case.x0 is not None:
        write_npy(folder / "x0.npy", case.x0)
    for name, v in case.options.items():
        if isinstance(v, list):
            write_npy(folder / f"{name}.npy", v, len(v) // case.rows)
    words = command_words(case, folder)
    done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    out: dict[str, Any] = {"call": f"dwell {words[0]}", "status": done.returncode, "message": done.stderr.strip(),
                           "x": None, "report": None}
    if (folder / "x.npy").exists():
        out["x"] = bits_of(read_npy(folder / "x.npy"))
    if (folder / "report.json").exists():
        out["report"] = _report_of(json.loads((folder / "report.json").read_text()))
    return out


def _report_of(document: dict[str, Any]) -> dict[str, Any]:
    """By the names of solve_report."""
    residual = document["residual"]
    out = {name: document[name] for name in (
        "precision", "preconditioner", "preconditioner_reason", "near_null_misfit", "policy_chosen", "iterations", "refinements",
        "target_missed", "rhs_norm", "null_space", "rhs_outside_range", "rhs_inconsistent", "error_estimate",
        "no_digit_safe", "stagnated", "bytes_per_iteration")}
    out.update({name: document[name] or "" for name in ("preconditioner_note", "advice")})
    out.update({"method": document["solver"], "method_reason": document["solver_reason"], "stopped": document["stop_reason"],
                "residual_relative_true": residual["relative_true"], "residuals_disagree": residual["disagree"],
                "residual_relative_recursive": residual["relative_recursive"], "rows_missed": residual["rows_missed"],
                "componentwise_backward_error": residual["componentwise"], "condition_estimate": document["condition"]})
    for name in ("executor", "variant", "policy"):
        if name in document:
            out[name] = document[name]
    return out


def differences(judge: dict[str, Any], other: dict[str, Any]) -> list[str]:
    """In what `other` is not as `judge` is: status, x, and what both reports have but times."""
    found = []
    if judge["status"] != other["status"]:
        found.append(f"status: {judge['status']} ({judge['message']}), {other['status']} ({other['message']})")
    if judge["x"] != other["x"] and other["x"] is not None and judge["report"] is not None:
        found.append("x differs")
    if (judge["report"] is None) != (other["report"] is None):
        return found
    if judge["report"] is not None and other["x"] is None:
        found.append("no x")
    for name in (judge["report"] or {}).keys() & (other["report"] or {}).keys() - TIMES:
        one, two = (_plain(name, side["report"][name]) for side in (judge, other))
        if one != two:
            found.append(f"{name}: {one!r}, {two!r}")
    return found


def _plain(name: str, v: Any) -> Any:
    """What is not finite is null in JSON, and so is an estimate that there is none of."""
    if isinstance(v, list):
        return [_plain("", one) for one in v]
    if isinstance(v, dict):
        return {key: _plain(key, one) for key, one in v.items() if key not in TIMES}
    if isinstance(v, float) and not math.isfinite(v) or name in ("condition_estimate", "error_estimate") and v == 0:
        return None
    return v
