#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the tests of GPUs, runs them in parts side by side, some small ones under compute-sanitizer, too, and writes
docs/results/gpu-tests.md: card, commit, counts, and what did not run. Needs a GPU, nvcc and what a build needs. Exit code 1: a
test failed, did not end or was not built, a tool found something, or there is no GPU."""
from __future__ import annotations

import argparse
import collections
import datetime
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/results/gpu-tests.md"
# Tests that end within a minute or two under compute-sanitizer, and the tools of it. racecheck does not know the barriers
# (mbarrier) that order the rings of ring2d and ring_fields2d, so it gets programs without them.
SMALL = {
    "test_fields_gpu": "*heat*:*mixed*",
    "test_field_runner_gpu": "*ends_after*",
    "test_reduce_gpu": "*",
    "test_custom_stencil_gpu": "*",
    "test_custom_program_gpu": "*whole_rows*",
}
TOOLS = {"memcheck": tuple(SMALL), "synccheck": tuple(SMALL), "racecheck": ("test_reduce_gpu", "test_custom_program_gpu")}


class Counts(collections.Counter[str]):
    """passed, skipped, failed; `lost`: parts that did not end."""

    failures: list[str]

    def __init__(self) -> None:
        super().__init__()
        self.failures = []

    def add(self, report: dict) -> None:
        """Adds what a part wrote (--gtest_output=json)."""
        for suite in report["testsuites"]:
            for test in suite["testsuite"]:
                if test.get("failures"):
                    self["failed"] += 1
                    self.failures.append(f"{suite['name']}.{test['name']}")
                elif test.get("result") == "COMPLETED":
                    self["passed"] += 1
                elif test.get("result") == "SKIPPED":
                    self["skipped"] += 1


def output_of(*command: str) -> str:
    """Without the blanks around it; empty where the command fails."""
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def run_parts(program: pathlib.Path, parts: int, limit: float) -> Counts:
    """A program's tests in so many parts side by side."""
    counts = Counts()
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(parts) as pool:

        def part(number: int) -> pathlib.Path:
            report = pathlib.Path(scratch) / f"{number}.json"
            environment = {**os.environ, "GTEST_TOTAL_SHARDS": str(parts), "GTEST_SHARD_INDEX": str(number)}
            try:
                subprocess.run([program, f"--gtest_output=json:{report}"], env=environment, timeout=limit, check=False,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=program.parent)
            except subprocess.TimeoutExpired:
                report.unlink(missing_ok=True)
            return report

        for report in pool.map(part, range(parts)):
            try:
                counts.add(json.loads(report.read_text()))
            except (OSError, ValueError):
                counts["lost"] += 1
    return counts


def under_tool(tool: str, program: pathlib.Path, tests: str, limit: float) -> str:
    """What compute-sanitizer says of some tests, in a few words."""
    sanitizer = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    command = [sanitizer, "--tool", tool, program, f"--gtest_filter={tests}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit, check=False, cwd=program.parent)
    except FileNotFoundError:
        return "no compute-sanitizer"
    except subprocess.TimeoutExpired:
        return f"did not end in {limit:.0f} s"
    summary = [line for line in done.stdout.splitlines() if "ERROR SUMMARY" in line]
    return summary[-1].split("ERROR SUMMARY:")[-1].strip() if summary else f"ended with status {done.returncode}"


def page(card: str, commit: str, shapes: str, results: dict[str, Counts], tools: list[tuple[str, str, str, str]],
         absent: list[str]) -> str:
    """The page as Markdown."""
    lines = ["# Tests on a GPU", "",
             f"Written by `scripts/check/gpu-tests.py` on {datetime.date.today()}: {card}; commit {commit}; kernels of "
             f"{shapes or 'all stencils'}.", "", "| program | passed | skipped | failed | parts that did not end |",
             "|-|-:|-:|-:|-:|"]
    for name, c in results.items():
        lines.append(f"| `{name}` | {c['passed']} | {c['skipped']} | {c['failed']} | {c['lost']} |")
    failures = [f"* `{name}`: `{one}` failed." for name, c in results.items() for one in c.failures]
    if failures:
        lines += ["", *failures]
    if tools:
        lines += ["", "| compute-sanitizer | program | tests | says |", "|-|-|-|-|"]
        lines += [f"| {tool} | `{name}` | `{tests}` | {says} |" for tool, name, tests, says in tools]
    else:
        lines += ["", "Nothing ran under compute-sanitizer."]
    if absent:
        lines += ["", "Not built, so not run: " + ", ".join(f"`{name}`" for name in absent) + "."]
    return "\n".join(lines) + "\n"


def known_programs() -> list[str]:
    """The programs of GPU tests, by the files that define them."""
    return sorted({f"test_{line.split('(')[1].split()[0]}" for text in (ROOT / "tests").rglob("CMakeLists.txt")
                   for line in text.read_text().splitlines() if line.strip().startswith("dwell_gpu_test(")})


def build_programs(folder: pathlib.Path, shapes: str) -> None:
    """Builds those that this machine can; the rest is left out of the page's table, and named there."""
    configured = subprocess.run(
        ["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DDWELL_CUDA=ON",
         "-DDWELL_PRECOMPILED=all", "-DDWELL_BENCHMARKS=OFF", "-DDWELL_EBISU=ON", f"-DDWELL_SHAPES={shapes}"], check=False)
    if configured.returncode != 0:
        sys.exit(f"gpu-tests: cmake cannot configure {folder}: see above")
    targets = output_of("cmake", "--build", str(folder), "--target", "help")
    there = [name for name in known_programs() if f"{name}: phony" in targets]
    if not there:
        sys.exit(f"gpu-tests: {folder} has no tests of GPUs, which need nvcc")
    subprocess.run(["cmake", "--build", folder, "--target", *there, "--", "-k", "0"], check=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/gpu-tests", help="build folder")
    parser.add_argument("--shapes", default="", help="stencils with kernels, such as 'star2d5;star3d7'; without: all")
    parser.add_argument("--parts", type=int, default=min(8, os.cpu_count() or 1), help="of a program, side by side")
    parser.add_argument("--limit", type=float, default=600, help="seconds of a part")
    parser.add_argument("--skip-build", action="store_true", help="the programs are there")
    parser.add_argument("--no-tools", action="store_true", help="without compute-sanitizer")
    parser.add_argument("--output", type=pathlib.Path, default=PAGE)
    options = parser.parse_args()
    card = output_of("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").partition("\n")[0]
    if not card:
        print("gpu-tests: no GPU: nvidia-smi names none", file=sys.stderr)
        return 1
    commit = output_of("git", "describe", "--always", "--dirty") or "unknown"
    if not options.skip_build:
        build_programs(options.build, options.shapes)
    paths = {name: options.build / "tests" / name for name in known_programs()}
    programs, absent = [p for p in paths.values() if p.exists()], [name for name, p in paths.items() if not p.exists()]
    results: dict[str, Counts] = {}
    for program in programs:
        results[program.name] = run_parts(program, options.parts, options.limit)
        print(program.name, dict(results[program.name]), flush=True)
    tools = [(tool, program.name, SMALL[program.name], under_tool(tool, program, SMALL[program.name], options.limit))
             for tool, names in TOOLS.items() for program in programs if program.name in names] if not options.no_tools else []
    options.output.write_text(page(card, commit, options.shapes, results, tools, absent))
    print(f"gpu-tests: {options.output}")
    bad = absent or any(c["failed"] or c["lost"] for c in results.values()) or any("0 errors" not in t[3] for t in tools)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
