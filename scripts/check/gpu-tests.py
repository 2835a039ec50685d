#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds the tests of GPUs, runs them in parts side by side, some small ones under compute-sanitizer, too, and writes
docs/results/gpu-tests.md: card, commit, counts, and what did not run. Needs a GPU, nvcc and what a build needs."""
from __future__ import annotations

import argparse
import collections
import datetime
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/results/gpu-tests.md"
# Tools of compute-sanitizer, and tests that end within a minute or two under them. racecheck does not know the barriers
# (mbarrier) that order the rings of ring2d and ring_fields2d.
TOOLS = ("memcheck", "synccheck")
SMALL = {
    "test_fields_gpu": "*heat*:*mixed*",
    "test_field_runner_gpu": "*ends_after*",
    "test_reduce_gpu": "*",
    "test_custom_stencil_gpu": "*",
    "test_custom_program_gpu": "*whole_rows*",
}


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
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT).stdout.strip()


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
    command = ["compute-sanitizer", "--tool", tool, program, f"--gtest_filter={tests}"]
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
    if absent:
        lines += ["", "Not built, so not run: " + ", ".join(f"`{name}`" for name in absent) + "."]
    return "\n".join(lines) + "\n"


def programs_in(build: pathlib.Path) -> tuple[list[pathlib.Path], list[str]]:
    """The programs of GPU tests that were built, and the names of those that were not."""
    known = sorted({f"test_{line.split('(')[1].split()[0]}" for text in (ROOT / "tests").rglob("CMakeLists.txt")
                    for line in text.read_text().splitlines()
                    if line.strip().startswith("dwell_gpu_test(")})
    there = [build / "tests" / name for name in known if (build / "tests" / name).exists()]
    return there, [name for name in known if not (build / "tests" / name).exists()]


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
    try:
        card = output_of("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        print("gpu-tests: no GPU: nvidia-smi names none", file=sys.stderr)
        return 1
    if not options.skip_build:
        shapes = [f"-DDWELL_SHAPES={options.shapes}"] if options.shapes else []
        subprocess.run(["cmake", "-S", ROOT, "-B", options.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DDWELL_CUDA=ON", "-DDWELL_PRECOMPILED=all", *shapes], check=True)
        subprocess.run(["cmake", "--build", options.build, "--", "-k", "0"], check=False)
    programs, absent = programs_in(options.build)
    results: dict[str, Counts] = {}
    for program in programs:
        results[program.name] = run_parts(program, options.parts, options.limit)
        print(program.name, dict(results[program.name]), flush=True)
    tools = [(tool, program.name, SMALL[program.name], under_tool(tool, program, SMALL[program.name], options.limit))
             for tool in TOOLS for program in programs if program.name in SMALL] if not options.no_tools else []
    commit = output_of("git", "describe", "--always", "--dirty")
    options.output.write_text(page(card, commit, options.shapes, results, tools, absent))
    print(f"gpu-tests: {options.output}")
    bad = absent or any(c["failed"] or c["lost"] for c in results.values()) or any("0 errors" not in t[3] for t in tools)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
