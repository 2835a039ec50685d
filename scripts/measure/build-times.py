#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a build takes, of Ninja's log: measure/build-times.py [BUILD-FOLDER] [--over SECONDS].

Seconds of all steps, by part of the project, and the steps that take longest. A step's time is by the clock: with as
many jobs as cores, and nothing else running, the sum is about the processor time of a build from an empty cache (`time`
has it exactly). Of a step that ran several times the last run counts.
"""
import argparse
import collections
import pathlib
import re
import subprocess

PARTS = [  # the first that matches
    ("stencils, CPU kernels that cache", r"_caching_cpu\."),
    ("systems, CPU kernels that cache", r"_perks_cpu\."),
    ("convolutions, kernels", r"kernels/\w+_convolution_"),
    ("systems, CPU kernels", r"kernels/\w+_(host_loop_persistent|columns|batch)_cpu\."),
    ("systems, GPU kernels", r"kernels/\w+_(host_loop_graph|persistent|perks|columns|batch|host_loop)_cuda\."),
    ("stencils, CPU kernels", r"dwell_shapes\.dir"),
    ("stencils, GPU kernels", r"kernels/\w+_cuda\.cu"),
    ("library, set-up on GPUs", r"CMakeFiles/dwell_(core|systems)\.dir/.*\.cu"),
    ("library", r"CMakeFiles/dwell_(core|systems|loops|stencil|files|io)\.dir"),
    ("command line", r"apps/dwell"),
    ("studies", r"apps/studies"),
    ("benchmarks and peers", r"apps/(bench|peers)"),
    ("tests", r"tests/"),
]


def steps_of(log: pathlib.Path) -> dict[str, float]:
    """Seconds of each output that the build still has: the log keeps those of rules that are gone."""
    targets = subprocess.run(["ninja", "-C", log.parent, "-t", "targets", "all"], capture_output=True, text=True, check=True)
    present = {line.rsplit(":", 1)[0] for line in targets.stdout.splitlines()}
    steps: dict[str, float] = {}
    for line in log.read_text().splitlines():
        if line.startswith("#"):
            continue
        begin, end, _, output, _ = line.split("\t")
        if output in present:
            steps[output] = (int(end) - int(begin)) / 1000
    return steps


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", type=pathlib.Path, default=pathlib.Path("build/release"))
    parser.add_argument("--over", type=float, default=20, metavar="SECONDS", help="list steps that take longer (20)")
    args = parser.parse_args()
    log = args.build / ".ninja_log"
    if not log.is_file():
        parser.error(f"expected a build folder of Ninja, found no {log}")
    steps = steps_of(log)
    parts: dict[str, float] = collections.defaultdict(float)
    for output, seconds in steps.items():
        parts[next((part for part, pattern in PARTS if re.search(pattern, output)), "other")] += seconds
    print(f"{'part':34}  seconds")
    for part, seconds in sorted(parts.items(), key=lambda row: -row[1]):
        print(f"{part:34} {seconds:8.1f}")
    print(f"{'all':34} {sum(parts.values()):8.1f}  ({len(steps)} steps)")
    longest = sorted(((s, o) for o, s in steps.items() if s > args.over), reverse=True)
    print(f"\nsteps over {args.over:g} s: {len(longest)}")
    for seconds, output in longest:
        print(f"{seconds:8.1f}  {output}")


if __name__ == "__main__":
    main()
