#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bench-occupancy on CPU threads: occupancy_test.py BENCH. Its lines are those of every number of threads that the process may
have, and its rates and ratios are those of the printed times; bad input has one line and exit code 1."""
import os
import random
import re
import subprocess
import sys
import unittest

BENCH = sys.argv[1]
ROW = re.compile(r" *(\d+) +(\d+) +([\d.]+) +([\d.e+-]+) +([\d.]+)")


def run(processors, *args):
    return subprocess.run([BENCH, "--device", "cpu", *map(str, args)], capture_output=True, text=True, check=False,
                          preexec_fn=lambda: os.sched_setaffinity(0, processors))


class Occupancy(unittest.TestCase):
    def setUp(self):
        self.processors = sorted(os.sched_getaffinity(0))
        self.random = random.Random(20)

    def table_of(self, text, threads, amount):
        """amount: billions of cells or nonzeros of a step."""
        rows = [ROW.fullmatch(line) for line in text.splitlines()[2:]]
        self.assertTrue(all(rows), text)
        self.assertEqual([int(r[1]) for r in rows], list(range(1, threads + 1)), text)
        first = float(rows[0][4])
        for row in rows:
            used, lanes, us, rate, ratio = (float(value) for value in row.groups())
            self.assertEqual(lanes, used * float(rows[0][2]), text)
            self.assertAlmostEqual(rate * us * 1e-6 / amount, 1, delta=6e-4 + 6e-4 / us, msg=text)
            self.assertAlmostEqual(ratio, rate / first, delta=0.006 + 2e-3 * ratio, msg=text)

    def test_every_number_of_threads_has_a_line(self):
        for threads in (1, min(3, len(self.processors))):
            edge, steps, runs = self.random.randint(64, 300), self.random.randint(1, 6), self.random.randint(1, 3)
            a, b = self.random.randint(3, 40), self.random.randint(3, 40)
            done = run(self.processors[:threads], "--edge", edge, "--steps", steps, "--runs", runs, "--matrix", f"poisson2d:{a}x{b}")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            head, f64, f32, systems = done.stdout.rstrip("\n").split("\n\n")
            self.assertTrue(head.endswith(f", {threads} threads"), head)
            for precision, text in (("f64", f64), ("f32", f32)):
                self.assertEqual(text.splitlines()[0], f"2d5pt, {precision}, {edge}x{edge} cells, {steps} steps; GCells/s")
                self.table_of(text, threads, (edge - 2) ** 2 * 1e-9)
            self.assertIn(f"poisson2d:{a}x{b}, {steps} iterations", systems.splitlines()[0])
            self.table_of(systems, threads, (5 * a * b - 2 * a - 2 * b) * 1e-9)

    def test_a_matrix_that_nobody_has(self):
        done = run(self.processors[:1], "--edge", 64, "--steps", 1, "--runs", 1, "--matrix", "poisson2d:0x7")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"\Abench-occupancy: [^\n]+\n\Z")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
