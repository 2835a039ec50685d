#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The scripts that measure: measuring_test.py DWELL SCRIPTS. Their arithmetic on numbers that were worked out by hand,
small runs on the CPU whose documents are judged again here, and stand-ins for ncu and nvcc."""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import unittest
from random import Random

PROGRAM, SCRIPTS = sys.argv[1], os.path.abspath(sys.argv[2])
sys.dont_write_bytecode = True
sys.path.insert(0, SCRIPTS)


def script(name):
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), os.path.join(SCRIPTS, f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


measuring, regret, saturation, counters, spill_free, tile_sweep, resources = map(
    script, ("measuring", "regret", "saturation", "counters", "spill-free", "tile-sweep", "resources"))


class Scripts(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_script(self, name, *args, code=0):
        done = subprocess.run([sys.executable, "-B", os.path.join(SCRIPTS, f"{name}.py"), *map(str, args)],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def document(self, name, *args):
        done = self.run_script(name, *args, "-o", self.path("out.json"))
        self.assertEqual(done.stderr, "", "progress is for terminals")
        with open(self.path("out.json"), encoding="utf-8") as file:
            return json.load(file), done.stdout

    def program(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(f"#!{sys.executable}\n{text}")
        os.chmod(self.path(name), 0o755)
        return self.path(name)


class Statistics(unittest.TestCase):
    def test_quantiles_are_by_nearest_rank(self):
        values = [5, 1, 4, 2, 3, 10, 9, 8, 7, 6]
        self.assertEqual([measuring.quantile(values, q) for q in (0.05, 0.1, 0.11, 0.9, 0.91, 1)], [1, 1, 2, 9, 10, 10])
        self.assertEqual(measuring.quantile([7], 0.95), 7)
        self.assertEqual((measuring.median([3, 1, 2]), measuring.median([4, 1, 2, 3])), (2, 2.5))

    def test_steps_fall_with_the_cells(self):
        self.assertEqual([measuring.steps_for(c) for c in (1e5, 2e6, 2.1e6, 2e7, 6e7)], [960, 960, 480, 240, 144])

    def test_a_distribution(self):
        found = regret.distribution([0, 0, 0.04, 0.05, 0.06, 0.5, 0, 0, 0, 0])
        self.assertEqual(found, {"cases": 10, "median": 0, "p90": 0.06, "p95": 0.5, "max": 0.5, "near": 0.8, "best": 0.6})

    def test_regret_is_what_was_taken_over_the_best(self):
        case = {"stencil": "s", "size": "8x8", "auto": "perks", "executors": {"graph": {"us": 4.0}, "perks": {"us": 5.0}}}
        regret.judge(case)
        self.assertEqual((case["best"], case["regret"]), ("graph", 0.25))
        with self.assertRaises(SystemExit):
            regret.judge(dict(case, auto="temporal"))

    def test_errors_of_the_model_are_of_the_measured_rate(self):
        self.assertEqual((regret.model_error(150, 100), regret.model_error(50, 100)), (0.5, 0.5))
        self.assertIsNone(regret.model_error(None, 100))

    def test_regret_of_policies(self):
        def row(executor, policy, us, projected=None):
            return {"executor": executor, "requested": {"policy": policy}, "policy": policy, "policy_chosen": "mixed",
                    "outcome": "measured", "time": {"per_iteration_us": {"median": us}}, "projected_us": projected}
        entry = {"name": "A", "rows": 3, "nonzeros": 9, "runs": [row("graph", None, 4.0), row("perks", "model", 6.0, 3.0),
                                                                 row("perks", "measured", 5.0)]}
        found = regret.judge_system(entry, ["model", "measured"])
        self.assertEqual(found["best"], "graph")
        model = found["policies"]["model"]
        self.assertAlmostEqual(model["over_measured"], 0.2)
        self.assertAlmostEqual(model["over_best"], 0.5)
        self.assertAlmostEqual(model["model_error"], 1.0, msg="projected at 3 us, twice the rate of 6 us")

    def test_cases_are_those_of_the_seed(self):
        shapes = {"a": 2, "b": 3}
        one, two, other = (list(regret.cases_of(shapes, ["f64", "f32"], 40, seed, 1e5, 6e7)) for seed in (1, 1, 2))
        self.assertEqual(one, two)
        self.assertNotEqual(one, other)
        self.assertEqual({c["precision"] for c in one}, {"f64", "f32"})
        for c in one:
            self.assertEqual(c["size"].count("x"), shapes[c["stencil"]] - 1)
            self.assertTrue(8e4 < c["cells"] < 7.5e7, c)
        batches = regret.batches_of(one, None, 1)
        self.assertEqual(sum(map(len, batches)), 40)
        for batch in batches:
            self.assertEqual(len({(c["stencil"], c["precision"], c["steps"]) for c in batch}), 1)

    def test_the_first_that_reaches_the_share(self):
        rates = [(1, 10.0), (2, 80.0), (4, 91.0), (8, 100.0), (16, 70.0)]
        self.assertEqual(saturation.saturating(rates, 0.9),
                         {"cells": 4, "cells_per_s": 91.0, "most_cells": 8, "most_cells_per_s": 100.0})
        self.assertEqual(saturation.saturating(rates, 1)["cells"], 8)
        self.assertIsNone(saturation.saturating([], 0.9))

    def test_domains_grow(self):
        for dims in (2, 3):
            edges = saturation.sizes_of(dims, 6e4, 6.8e7)
            self.assertEqual(edges, sorted(set(edges)))
            self.assertTrue(all(e % (32 if dims == 2 else 8) == 0 for e in edges))

    def test_bisection(self):
        for least in (None, *range(4, 33, 2)):
            asked = []
            found = spill_free.largest(4, 32, 2, lambda v: asked.append(v) or (least is not None and v <= least))
            self.assertEqual(found, least)
            self.assertLessEqual(len(asked), 5)
            self.assertTrue(all(4 <= v <= 32 and v % 2 == 0 for v in asked))


PTXAS = """ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z7size_isILi{0}EEvv' for 'sm_90a'
ptxas info    : Function properties for _Z7size_isILi{0}EEvv
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, used 0 barriers
ptxas info    : Compiling entry function '_Z11ring_kernel' for 'sm_90a'
ptxas info    : Function properties for _Z11ring_kernel
    {1} bytes stack frame, {2} bytes spill stores, {3} bytes spill loads
ptxas info    : Used 168 registers, used 1 barriers, 1024 bytes cmem[0]
"""
# Spills from 22 rows on; Dwell's own value, which the unit does not say, is taken to be 18; more than 30 are refused.
NVCC = f"""import re, sys
text = open([a for a in sys.argv if a.endswith('.cu')][0]).read()
value = int((re.search(r'return (\\d+);', text) or [0, 18])[1])
if value > 30:
    sys.exit('kernel.cu(3): error: static assertion failed')
spilled = 0 if value < 22 else 8 * value
print('''{PTXAS}'''.format(value, spilled, spilled, spilled), file=sys.stderr)
"""

NCU_CSV = '''==PROF== Connected to process 7 (/usr/bin/dwell)
==PROF== Profiling "step_kernel" - 0: 0%....50%....100% - 9 passes
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC",\
"gpu__time_duration.sum","l1tex__t_sector_hit_rate.pct","lts__t_bytes.sum","dram__bytes_read.sum","dram__bytes_write.sum",\
"launch__registers_per_thread","launch__shared_mem_per_block","sm__cycles_elapsed.avg.per_second"
"","","","","","","","","","","","second","%","byte","byte","byte","register/thread","byte/block","hz"
"0","7","dwell","host","step_kernel<star2d5, double, 1>(dwell::stencil_call<T1, T2>, int)","1","7","(256, 1, 1)","(990, 1, 1)",\
"0","9.0","0.000010","40.00","2,000","1,000.5","500","64","1,024","1,900,000,000"
"1","7","dwell","host","step_kernel<star2d5, double, 1>(dwell::stencil_call<T1, T2>, int)","1","7","(256, 1, 1)","(990, 1, 1)",\
"0","9.0","0.000030","60.00","4,000","2,000","1,500","64","1,024","1,700,000,000"
==PROF== Disconnected from process 7
'''
NCU = f"""import json, sys
if '--query-metrics' in sys.argv:
    print('Device NVIDIA H100 (GH100)\\n----\\nMetric Name   Metric Type\\n----')
    for name in ('gpu__time_duration', 'l1tex__t_sector_hit_rate', 'lts__t_bytes', 'dram__bytes_read', 'dram__bytes_write',
                 'lts__t_sector_hit_rate', 'sm__cycles_elapsed'):
        print(f'{{name:30}}  Counter  # of what')
    sys.exit(0)
after = lambda option: sys.argv[sys.argv.index(option) + 1]
metrics = after('--metrics').split(',')
if 'lts__t_sector_hit_rate.pct' in metrics:
    open(after('--log-file'), 'w').write('==ERROR== Failed to find metric lts__t_sector_hit_rate.pct\\n')
    sys.exit(1)
if 'perks' in sys.argv:
    print('dwell: perks: refused', file=sys.stderr)
    sys.exit(1)
assert 'regex:step_kernel' in sys.argv and after('--clock-control') == 'none', sys.argv
open(after('--log-file'), 'w').write({NCU_CSV!r})
json.dump({{'plan': {{'engine': 'step', 'steps_per_pass': 1}}, 'steps': 48}}, open(after('--json'), 'w'))
"""


class Counters(Scripts):
    def test_rows_of_ncu(self):
        one, two = counters.rows_of_ncu(NCU_CSV)
        self.assertEqual(one["dram__bytes_read.sum"], 1000.5)
        self.assertEqual(two["lts__t_bytes.sum"], 4000)
        self.assertEqual(one["Kernel Name"].split("<")[0], "step_kernel")
        self.assertEqual(counters.rows_of_ncu("==ERROR== none\n"), [])
        long = ('"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"\n"0","k(int)","lts__t_bytes.sum","Kbyte","2"\n'
                '"0","k(int)","l1tex__t_sector_hit_rate.pct","%","nan"\n"1","k(int)","lts__t_bytes.sum","byte","7"\n')
        one, two = counters.rows_of_ncu(long)
        self.assertEqual((one["lts__t_bytes.sum"], two["lts__t_bytes.sum"]), (2000, 7))
        self.assertIsNone(counters.quantities_of([one], {"l1_hit": "l1tex__t_sector_hit_rate.pct"})["l1_hit"])

    def test_units(self):
        for value, unit, base in (("1.5", "Kbyte", 1500), ("2", "usecond", 2e-6), ("3", "ns", 3e-9), ("1.98", "cycle/nsecond", 1.98e9),
                                  ("1.7", "Ghz", 1.7e9), ("16.00", "Kbyte/block", 16000), ("1,024", "byte/block", 1024), ("40", "%", 40)):
            self.assertAlmostEqual(counters.in_base_unit(value, unit) / base, 1, places=12, msg=unit)
        self.assertEqual(counters.in_base_unit("(256, 1, 1)", ""), "(256, 1, 1)")

    def test_the_first_metric_that_exists(self):
        taken, missing = counters.metrics_to_take({"sm__inst_executed_pipe_fp64", "gpu__time_duration"})
        self.assertEqual(taken["fp64_pipe"], "sm__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active")
        self.assertIn("registers", taken, "of launches, which are listed nowhere here")
        self.assertIn("l1_hit", missing)
        taken, missing = counters.metrics_to_take(set())
        self.assertEqual((missing, len(taken)), ([], len(counters.METRICS)))

    def test_power_is_that_of_the_middle(self):
        text = "clocks.current.sm [MHz], power.draw [W]\n1980 MHz, 70.10 W\n1980 MHz, 500.00 W\n1755 MHz, 690.50 W\n1740 MHz, 700.00 W\n"
        self.assertEqual(counters.samples_of(text)[0], (1.98e9, 70.1))
        self.assertEqual(counters.settled([w for _, w in counters.samples_of(text)]), 695.25)

    def test_a_run_under_a_stand_in(self):
        ncu = self.program("ncu", NCU)
        done = self.run_script("counters", PROGRAM, "--ncu", ncu, "--cases", "2d5pt:10x20", "--runs", "host-loop,perks:auto",
                               "-o", self.path("out.json"))
        with open(self.path("out.json"), encoding="utf-8") as file:
            step, refused = json.load(file)["rows"]
        self.assertEqual(refused["refusal"], "dwell: perks: refused")
        self.assertIn("perks auto: dwell: perks: refused", done.stdout)
        self.assertEqual((step["kernels"], step["steps"], step["kernel"]), (2, 2, "step_kernel"))
        self.assertAlmostEqual(step["seconds"], 40e-6)
        self.assertAlmostEqual(step["l1_hit"], 55, msg="by time")
        self.assertEqual(step["l2_bytes_per_step"], 3000)
        self.assertEqual(step["device_bytes_per_step"], (1000.5 + 500 + 2000 + 1500) / 2)
        self.assertNotIn("l2_hit", step)
        self.assertIn("ncu does not have lts__t_sector_hit_rate.pct", done.stderr)
        self.assertIn("| 2d5pt:10x20 | host-loop | step_kernel | 2 | 40 | 1.75 | 64 | 1 |", done.stdout)

    def test_bad_cases(self):
        ncu = self.program("ncu", NCU)
        for bad in (["--cases", "2d5pt"], ["--runs", "graf"], ["--ncu", "/no/ncu"], ["--steps", "5"]):
            done = self.run_script("counters", PROGRAM, "--ncu", ncu, *bad, code=1)
            self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)


TRACE_CSV = '''"ID","Kernel Name","dram__bytes_read.sum","lts__t_sectors_srcunit_tex_op_read.sum","l1tex__t_sector_hit_rate.pct",\
"lts__t_sector_hit_rate.pct","sm__warps_active.avg.pct_of_peak_sustained_active","gpu__time_duration.sum",\
"dram__throughput.avg.pct_of_peak_sustained_elapsed"
"","","byte","sector","%","%","%","ns","%"
"0","step_kernel","131,552","5000","54","50","40","2000","91"
"1","step_kernel","131552","5,000","55","50","42","2000","93"
'''
TRACE_NCU = f"""import sys
after = lambda option: sys.argv[sys.argv.index(option) + 1]
if 'columns:64' in sys.argv:
    sys.exit('dwell: order: refused')
assert after('--cache-control') == 'all' and after('--order') == 'rows', sys.argv
open(after('--log-file'), 'w').write({TRACE_CSV!r})
"""


class TraceCounters(Scripts):
    def test_a_run_under_a_stand_in(self):
        # Reads of 32 x 512 cells, and 30 rows of 128 sectors that are stored less 510 cells of each.
        found, said = self.document("trace-counters", PROGRAM, "--ncu", self.program("ncu", TRACE_NCU), "--cases", "2d5pt:32x512",
                                    "--orders", "rows", "--tiles", "64x8,64x8x8", "--l2", "1MiB:16")
        self.assertEqual(found["rows"], [{"case": "2d5pt:32x512", "order": "rows", "once_bytes": 131072, "simulated_bytes": 131552,
                                          "counted_bytes": 131552, "from_l1_bytes": 160000, "l1_hit": 54.5, "l2_hit": 50,
                                          "occupancy": 41, "seconds": 2000 * 1e-9, "device_busy": 92}])
        self.assertIn("| 1.000 | 0.2 | 54.5 | 50.0 | 92.0 | 41.0 | 2.0 |", said)

    def test_what_does_not_fit_is_left_out(self):
        found, said = self.document("trace-counters", PROGRAM, "--ncu", self.program("ncu", TRACE_NCU), "--cases", "2d5pt:32x512,2d5pt:64x64",
                                    "--orders", "rows", "--seconds", "1e-9")
        self.assertEqual((found["rows"], found["left_out"], said), ([], 2, "2 of 2 rows left out after 1e-09 s\n"))

    def test_what_fails(self):
        ncu = self.program("ncu", TRACE_NCU)
        for bad in (["--orders", "columns:64"], ["--ncu", "/no/ncu"]):
            done = self.run_script("trace-counters", PROGRAM, "--ncu", ncu, "--cases", "2d5pt:32x512", *bad, code=1)
            self.assertEqual((done.stdout, done.stderr.count("\n")), ("", 1), done.stderr)


class SpillFree(Scripts):
    def test_resources(self):
        self.assertEqual(spill_free.resources_of(PTXAS.format(15, 8, 16, 24)),
                         {"value": 15, "registers": 168, "stack_bytes": 8, "spill_store_bytes": 16, "spill_load_bytes": 24})

    def test_the_largest(self):
        nvcc = self.program("nvcc", NVCC)
        found, text = self.document("spill-free", "register_tile2d", "star2d5", "--nvcc", nvcc)
        self.assertEqual((found["own"], found["largest"]), (18, 20))
        tried = {t["value"]: t for t in found["tries"]}
        self.assertEqual(tried[20]["spill_store_bytes"], 0)
        self.assertEqual(tried[22]["spill_store_bytes"], 176)
        self.assertIn("largest without spills 20", text)
        found, text = self.document("spill-free", "register_tile2d", "star2d5", "--nvcc", nvcc, "--range", "22:36")
        self.assertIsNone(found["largest"])

    def test_bad_words(self):
        nvcc = self.program("nvcc", NVCC)
        for bad in (["register_tile2d", "star"], ["ring2d", "star2d5", "--size", "rows"], ["ring2d", "star2d5", "--nvcc", "/no"]):
            done = self.run_script("spill-free", "--nvcc", nvcc, *bad, code=1)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)


# Lines of cuobjdump 13: of two programs of others, and of kernels of one's own for 8.0.
CUOBJDUMP = """print('''
Fatbin elf code:
================
arch = sm_90
code version = [1,8]

Resource usage:
 Common:
  GLOBAL:0 CONSTANT[3]:72
 Function _Z10kernel0_10Pdiii:
  REG:94 STACK:0 SHARED:5120 LOCAL:0 CONSTANT[0]:548 TEXTURE:0 SURFACE:0 SAMPLER:0
 Function _Z9d3pt7_arrPA544_A544_dS1_Pd:
  REG:32 STACK:512 SHARED:0 LOCAL:0 CONSTANT[0]:552 TEXTURE:0 SURFACE:0 SAMPLER:0

Fatbin elf code:
================
arch = sm_80

Resource usage:
 Function older:
  REG:40 STACK:0 SHARED:2048 LOCAL:0 CONSTANT[0]:368 TEXTURE:0 SURFACE:0 SAMPLER:0
''')
"""


class Resources(Scripts):
    UNIT = {"registers_per_unit": 65536, "shared_per_unit": 233472}

    def test_so_many_blocks_are_held_and_one_more_is_not(self):
        random = Random(3)
        bound = set()
        for _ in range(500):
            kernel = {"registers": random.randint(16, 255), "shared_bytes": random.choice((0, 128 * random.randint(0, 300)))}
            threads, dynamic = random.choice((32, random.randint(1, 1024))), random.choice((0, 0, 128 * random.randint(0, 1400)))
            blocks, binds = resources.blocks_that_fit(kernel, threads, dynamic, self.UNIT)
            warps = (threads + 31) // 32
            # A warp takes registers for 32 threads, in multiples of 8 of a thread.
            takes = {"registers": (warps * 32 * 8 * ((kernel["registers"] + 7) // 8), 65536), "warps": (warps, 64),
                     "shared memory": (kernel["shared_bytes"] + dynamic + 1024, 228 * 1024), "blocks": (1, 32)}
            for each, there in takes.values():
                self.assertLessEqual(blocks * each, there)
            each, there = takes[binds]
            self.assertGreater((blocks + 1) * each, there, binds)
            bound.add(binds)
        self.assertEqual(bound, {"registers", "shared memory", "warps", "blocks"})

    def test_programs_of_others(self):
        tool = self.program("cuobjdump", CUOBJDUMP)
        found, text = self.document("resources", "a.out", "--cuobjdump", tool, "--kernel", "kernel0", "--threads", 256)
        self.assertEqual(len(found["kernels"]), 1)
        kernel = found["kernels"][0]
        self.assertEqual((kernel["registers"], kernel["stack_bytes"], kernel["shared_bytes"]), (94, 0, 4096))
        self.assertEqual((kernel["blocks"], kernel["warps_part"], kernel["binds"]), (2, 0.25, "registers"))
        self.assertIn("25.0 %", text)
        found, text = self.document("resources", "a.out", "--cuobjdump", tool)
        self.assertEqual([(k["registers"], k["stack_bytes"], k["shared_bytes"], k["blocks"]) for k in found["kernels"]],
                         [(94, 0, 4096, None), (32, 512, 0, None), (40, 0, 2048, None)])

    def test_bad_words(self):
        tool = self.program("cuobjdump", CUOBJDUMP)
        for bad in (["--kernel", "none"], ["--kernel", "("], ["--threads", "0"], ["--dynamic", "-1"], ["--cuobjdump", "/no"]):
            code = 1 if bad[0] == "--cuobjdump" or bad[1] == "none" else 2
            done = self.run_script("resources", "a.out", "--cuobjdump", tool, *bad, code=code)
            self.assertEqual(len([line for line in done.stderr.splitlines() if "expected" in line or "/no" in line]), 1, done.stderr)


class TileSweep(Scripts):
    """What needs no GPU of it; its kernel is played in test_several_steps.cpp."""

    def test_so_many_blocks_fit_and_one_more_does_not(self):
        unit = 228 * 1024
        for blocks in (1, 2, 3, 4, 7):
            for cells, depth in ((1, 1), (1, 12), (2, 4), (4, 2)):
                asked = tile_sweep.shared_bytes(blocks, cells, depth, unit)
                if asked is None:
                    self.assertGreater(blocks * (tile_sweep.needed_bytes(cells, depth) + 1024), unit)
                    continue
                self.assertGreaterEqual(asked, tile_sweep.needed_bytes(cells, depth))
                self.assertLessEqual(blocks * (asked + 1024), unit)
                self.assertGreater((blocks + 1) * (asked + 1024), unit)

    def test_pieces_cover_the_field_in_one_wave(self):
        for size, blocks, cells, depth in (((8192, 8192), 2, 2, 4), ((100, 5000), 1, 1, 12), ((7, 300), 4, 1, 1)):
            across, down, rows = tile_sweep.division(*size, 132, blocks, cells, depth)
            self.assertGreaterEqual(across * (256 * cells - 2 * depth), size[1])
            self.assertGreaterEqual(down * rows, size[0])
            self.assertLess((down - 1) * rows, size[0])
            self.assertLessEqual(across * down, max(132 * blocks, across))

    def test_a_line_for_each_number_of_blocks_and_cells(self):
        rows = [{"blocks": 1, "cells": 2, "depth": 4, "registers": 40, "cells_per_s": 512.4e9},
                {"blocks": 1, "cells": 2, "depth": 8, "registers": None, "cells_per_s": None}]
        self.assertEqual(tile_sweep.table_of(rows, [4, 8]).splitlines()[2], "| 1 | 2 | 512 | - | 40 to 40 |")

    def test_lists_what_it_would_compile(self):
        lines = self.run_script("tile-sweep", "--list", "--blocks", "1", "--cells", "1", "--depths", "2,200").stdout.splitlines()
        self.assertEqual(lines, [f"1 blocks, 1 cells of a lane, 2 steps: {8 * 2 * 4 * 258} bytes"])


class OnTheCpu(Scripts):
    def setUp(self):
        super().setUp()
        if not {"2d5pt", "3d7pt"} <= set(measuring.shapes_of(PROGRAM, "cpu")):
            self.skipTest("this build has not both of 2d5pt and 3d7pt")

    def test_regret_of_stencils(self):
        found, text = self.document("regret", PROGRAM, "--device", "cpu", "--shapes", "2d5pt,3d7pt", "--cases", 5, "--smallest", 2000,
                                    "--largest", 9000, "--steps", 4, "--repetitions", 1)
        self.assertEqual((len(found["cases"]), found["left_out"]), (5, 0))
        regrets = []
        for case in found["cases"]:
            us = {e: r["us"] for e, r in case["executors"].items()}
            self.assertEqual(set(us), {"persistent", "perks", "temporal"})
            self.assertEqual(case["regret"], us[case["auto"]] / min(us.values()) - 1)
            regrets.append(case["regret"])
        self.assertEqual(found["regret"]["max"], max(regrets))
        self.assertEqual(found["regret"]["median"], sorted(regrets)[2])
        for words in ("| all | 5 |", "| 2d5pt | 3 |", "| 3d7pt | 2 |", "No projections here"):
            self.assertIn(words, text)

    def test_nothing_begins_after_the_time(self):
        done = self.run_script("regret", PROGRAM, "--device", "cpu", "--shapes", "2d5pt", "--cases", 2, "--smallest", 500,
                               "--largest", 900, "--steps", 2, "--seconds", -1, code=1)
        self.assertIn("nothing was measured", done.stderr)

    def test_regret_of_systems(self):
        subprocess.run([PROGRAM, "generate", "trefethen:60", "-o", self.path("T60.mtx")], check=True, capture_output=True)
        found, text = self.document("regret", PROGRAM, "--part", "cg", "--device", "cpu", "--matrices", self.folder.name,
                                    "--stand-ins", "none", "--executors", "persistent,perks", "--iterations", 5, "--repetitions", 1)
        (one,) = found["matrices"]
        self.assertEqual((one["matrix"], one["rows"]), ("T60", 60))
        for policy in ("auto", "model", "measured"):
            over = one["us"][f"perks {policy}"] / min(one["us"].values()) - 1
            self.assertEqual(one["policies"][policy]["over_best"], over)
        self.assertIn("| model, over measured | 1 |", text)

    def test_saturation(self):
        found, text = self.document("saturation", PROGRAM, "--device", "cpu", "--shapes", "3d7pt", "--smallest", 500, "--largest", 8000,
                                    "--steps", 3, "--repetitions", 1)
        self.assertEqual({r["executor"] for r in found["rows"]}, {"persistent", "perks", "temporal"})
        for row in found["rows"]:
            most = max(r["cells_per_s"] for r in row["rates"])
            self.assertEqual(row["cells_per_s"], most)
            self.assertEqual(row["least"], next(r["size"] for r in row["rates"] if r["cells_per_s"] >= 0.9 * most))
            self.assertIsNone(row["least_beyond_l2"])
        self.assertIn("smallest domains with 90% of the largest rate", text)

    def test_bad_words_are_one_line(self):
        for name, args, said in (("regret", ["--shapes", "2d5p"], "found '2d5p'"), ("regret", ["--cases", 0], "at least 1"),
                                 ("regret", ["--part", "cg", "--matrices", "/no"], "expected a folder"),
                                 ("saturation", ["--share", 2], "--share"), ("saturation", ["--shapes", "x"], "found 'x'")):
            done = self.run_script(name, PROGRAM, "--device", "cpu", *args, code=1)
            self.assertIn(said, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
