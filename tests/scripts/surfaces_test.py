#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The command line, C++ and C give the same answers and reports of random systems: surfaces_test.py DWELL SOLVE_CASES SOURCE
[FIRST COUNT]. tests/bindings/python/test_surfaces.py does the same with Python."""
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
dwell, solve_cases, source = sys.argv[1:4]
sys.path.insert(0, str(Path(source) / "tests" / "bindings" / "python"))
import random_solves as solves  # noqa: E402

first, count = (int(word) for word in sys.argv[4:6]) if len(sys.argv) > 4 else (0, 60)
wrong, ends = 0, Counter()
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    for begin in range(first, first + count, 50):
        cases = [solves.Case(seed) for seed in range(begin, min(begin + 50, first + count))]
        said = solves.by_programs(solve_cases, cases, folder)
        for case in cases:
            judge, *others = said[case.seed]
            ends[judge["report"]["stopped"] if judge["report"] else "refused"] += 1
            for other in [*others, solves.by_command(dwell, case, folder)]:
                found = solves.differences(judge, other)
                if found:
                    wrong += 1
                    print(f"{case}\n  {judge['call']} and {other['call']}: " + "; ".join(found), flush=True)
print(f"systems {first} to {first + count - 1}: " + ", ".join(f"{n} {end}" for end, n in sorted(ends.items())))
sys.exit(f"{wrong} differ" if wrong else 0)
