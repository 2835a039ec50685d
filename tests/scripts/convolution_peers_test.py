#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What scripts/measure/convolution-peers.py makes of times: convolution_peers_test.py DWELL SOURCE. Its figures from times that are
given, with the command's own document and with recorded ones. Where PyTorch is not there, the refusal of --device cuda."""
import importlib.util
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

program, source = sys.argv[1], Path(sys.argv[2])
sys.path.insert(0, str(source / "scripts/measure"))
sys.dont_write_bytecode = True
from peers import convolution_figures as figures  # noqa: E402


def expect(found, expected):
    if found != expected:
        sys.exit(f"expected {expected!r}, found {found!r}")


def expect_near(found, expected):
    if not math.isclose(found, expected, rel_tol=1e-12):
        sys.exit(f"expected {expected!r}, found {found!r}")


def run(way, took, call, row):
    return {"requested": {"algorithm": way}, "algorithm": took, "outcome": "measured", "why": None,
            "time": {"us": {"median": call}}, "in_a_row": {"us": {"median": row}}}


# Recorded: two sizes, two filters. "best" is the fastest way by its calls in a row, in both kinds of times.
recorded = {"device": {"name": "some GPU"}, "convolutions": [
    {"filter": "/tmp/a/w31.npy", "size": "2048x2048", "refusal": None, "runs": [
        run("direct", "direct", 900.0, 880.0), run("auto", "systolic", 110.0, 100.0), run("window", "window", 130.0, 120.0)]},
    {"filter": "/tmp/a/w3.npy", "size": "512x512", "refusal": None, "runs": [
        run("direct", "direct", 30.0, 20.0), run("auto", "window", 20.0, 5.0), run("systolic", "systolic", 21.0, 4.0)]}]}
peers = {("512x512", 3): {"copy": {"call": 12.0, "in_a_row": 3.0}, "NPP": {"call": 22.0, "in_a_row": 10.0},
                          "cuDNN": {"call": 40.0, "in_a_row": 4.5}},
         ("2048x2048", 31): {"copy": {"call": 20.0, "in_a_row": 9.0}, "NPP": {"call": 900.0, "in_a_row": 800.0},
                              "cuFFT": {"call": 300.0, "in_a_row": 250.0}}}
rows = figures.rows_of(figures.of_dwell(recorded), peers)
expect([(r["size"], r["taps"], r["algorithm"], r["best_algorithm"]) for r in rows],
       [("512x512", 3, "window", "systolic"), ("2048x2048", 31, "systolic", "systolic")])
expect(rows[0]["in_a_row"], {"auto": 5.0, "best": 4.0, "copy": 3.0, "NPP": 10.0, "cuDNN": 4.5})
expect(rows[0]["call"]["best"], 21.0)
expect(rows[1]["in_a_row"]["best"], 100.0)  # auto itself is best
summary = figures.summary_of(rows, "in_a_row")
expect_near(summary["NPP"]["auto"]["mean"], 4.0)  # mean of 10 / 5 and 800 / 100
expect_near(summary["NPP"]["best"]["mean"], math.sqrt(2.5 * 8))
expect((summary["NPP"]["auto"]["cases"], summary["NPP"]["auto"]["least"], summary["NPP"]["auto"]["least_at"]),
       (2, 2.0, "512x512, 3 x 3"))
expect(summary["cuDNN"]["auto"], {"cases": 1, "mean": summary["cuDNN"]["auto"]["mean"], "least": 0.9, "least_at": "512x512, 3 x 3"})
expect_near(summary["cuFFT"]["auto"]["mean"], 2.5)
expect((summary["cuFFT"]["auto"]["cases"], summary["cuFFT"]["auto"]["least_at"]), (1, "2048x2048, 31 x 31"))
expect(figures.summary_of(rows[:1], "in_a_row")["cuFFT"]["auto"], {"cases": 0, "mean": None, "least": None, "least_at": None})
expect(summary["copy"], {"cases": 1, "least": 0.6, "least_at": "512x512, 3 x 3", "greatest": 0.6})  # 31 x 31 is no copy
expect_near(figures.summary_of(rows, "call")["NPP"]["auto"]["least"], 1.1)
table = figures.markdown_of(rows, "in_a_row").split("\n")
expect(table[2], "| 512x512 | 3 x 3 | 5 (window) | 4 (systolic) | 10 | 4.5 | - | 3 | 2 | 0.9 | 0.6 |")
expect(table[3], "| 2048x2048 | 31 x 31 | 100 (systolic) | 100 (systolic) | 800 | - | 250 | 9 | 8 | - | 0.09 |")
expect([line for line in table if "NPP over `auto`" in line],
       ["* NPP over `auto`: 4 (geometric mean of 2), at least 2 (512x512, 3 x 3)"])

# A row that was not measured is an error, not a gap.
recorded["convolutions"][1]["runs"][2].update(outcome="failed", why="differs from direct")
try:
    figures.of_dwell(recorded)
    sys.exit("expected a ValueError for a way that failed")
except ValueError as e:
    expect(str(e), "dwell: 512x512, 3 x 3, systolic: differs from direct")

# The command's own document.
weights = b"\x93NUMPY\x01\x00" + (118).to_bytes(2, "little")
head = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }"
with tempfile.TemporaryDirectory() as folder:
    file = Path(folder) / figures.filter_name(2)
    file.write_bytes(weights + head.ljust(117).encode() + b"\n" + bytes(16))
    text = subprocess.run([program, "compare", "convolve", "--size", "20x30", "--filter", file, "--repetitions", "1",
                           "--device", "cpu", "--format", "json"], capture_output=True, text=True, check=True).stdout
own = figures.of_dwell(json.loads(text))
expect(list(own), [("20x30", 2)])
expect(set(own["20x30", 2]["call"]), {"auto", "direct", "systolic", "window", "shared"})
expect(own["20x30", 2]["auto"] in ("systolic", "window", "shared", "direct"), True)

if not importlib.util.find_spec("torch"):
    refused = subprocess.run([sys.executable, source / "scripts/measure/convolution-peers.py", "--device", "cuda"],
                             capture_output=True, text=True)
    expect(refused.returncode, 1)
    expect(refused.stderr.startswith("convolution-peers.py: --device cuda needs the packages numpy and torch: "), True)
