# SPDX-License-Identifier: MIT
"""bindings/python/dwell/plot.py on a comparison that was just measured on the CPU, and on made-up ones:
plot_test.py PROGRAM SCRIPT. Every figure in the picture is computed again here."""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml

PROGRAM, SCRIPT = sys.argv[1:3]
SVG = "{http://www.w3.org/2000/svg}"


def run(executor, us, policy=None, variant=None, key="per_iteration_us"):
    return {"executor": executor, "requested": {"policy": policy, "variant": variant}, "outcome": "measured",
            "time": {key: {"median": us}, "solve_s": 10e-6 * us}}


def comparison(subjects, kind="matrices", **more):
    how = ({"boundary": "fixed", "max_steps": 1000} if kind == "stencils" else
           {"preconditioner": "none", "fixed_iterations": True, "max_iterations": 20,
            "tolerance": {"relative": None}})
    return {"schema": 1, "device": {"name": "a device"}, "precision": "f64", **how, kind: subjects, **more}


def system(name, *runs):
    return {"name": name, "refusal": None, "runs": list(runs)}


class Plot(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def file(self, content, name="c.json"):
        with open(self.path(name), "w") as out:
            out.write(content if isinstance(content, str) else json.dumps(content))
        return self.path(name)

    def plot(self, *args):
        return subprocess.run([sys.executable, SCRIPT, *args], capture_output=True, text=True)

    def picture(self, *args):
        done = self.plot(*args)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        root = xml.fromstring(done.stdout)
        width, height = map(float, root.get("viewBox").split()[2:])
        for part in root.iter(SVG + "rect"):
            if part.get("x"):
                self.assertLessEqual(float(part.get("x")) + float(part.get("width")), width)
                self.assertLessEqual(float(part.get("y")) + float(part.get("height")), height)
        texts = [t.text for t in root.iter(SVG + "text")]
        cells = sum(r.get("class") == "cell" for r in root.iter(SVG + "rect"))
        return texts, cells

    def refused(self, part, *args):
        done = self.plot(*args)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertIn(part, done.stderr)

    def test_what_was_just_measured(self):
        measured = self.path("measured.json")
        subprocess.run([PROGRAM, "compare", "cg", "trefethen:200", "poisson2d:9x9", "--device", "cpu", "--threads", "2",
                        "--iterations", "20", "--repetitions", "1", "--no-peers", "--policies", "none,vectors,greedy",
                        "--format", "json", "-o", measured], check=True)
        texts, cells = self.picture(measured)
        self.assertEqual(cells, (2 + 1) * 3, "two systems and their mean, three policies; graph needs a GPU")
        self.assertIn("over host-loop", texts)
        self.assertNotIn("over graph", texts)
        with open(measured) as file:
            found = json.load(file)
        gains = {}
        for m in found["matrices"]:
            self.assertIn(m["name"], texts)
            base = m["runs"][0]["time"]["per_iteration_us"]["median"]
            for r in m["runs"]:
                if r["executor"] == "perks":
                    gain = base / r["time"]["per_iteration_us"]["median"]
                    gains.setdefault(r["requested"]["policy"], []).append(gain)
        for policy, both in gains.items():
            self.assertIn(policy, texts)
            self.assertEqual(len(both), 2)
            for value in [*both, math.sqrt(both[0] * both[1])]:
                self.assertIn(f"{value:.2f}", texts)

    def test_two_baselines_and_variants(self):
        subject = system("A", run("host-loop", 12), run("graph", 6), run("perks", 3, "none", "textbook"),
                         run("perks", 2, "greedy", "pipelined"), run("cusparse-graph", 9))
        texts, cells = self.picture(self.file(comparison([subject])))
        self.assertEqual(cells, 2 * 2 * 2)
        for words in ("over host-loop", "over graph", "4.00", "6.00", "2.00", "3.00", "textbook", "pipelined"):
            self.assertIn(words, texts)

    def test_time_to_solution(self):
        found = comparison([system("A", run("host-loop", 8), run("perks", 2, "none"))], fixed_iterations=False,
                           tolerance={"relative": 1e-8})
        found["matrices"][0]["runs"][1]["time"]["solve_s"] = 16e-6
        self.assertIn("5.00", self.picture(self.file(found))[0])

    def test_stencils(self):
        subject = {"name": "2d5pt", "size": "64x64", "refusal": None,
                   "runs": [run("host-loop", 9, key="per_step_us"), run("perks", 2, "registers", key="per_step_us")]}
        texts, _ = self.picture(self.file(comparison([subject], "stencils")))
        for words in ("2d5pt 64x64", "registers", "4.50"):
            self.assertIn(words, texts)

    def test_stencils_by_policy_over_graph(self):
        """Figure 4.9: policies by shapes, over a graph's launches, whatever the order of the runs."""
        gains = {"none": 0.8, "shared": 1.25, "registers": 4, "both": 5, "auto": 5}

        def stencil(name, factor, policies):
            runs = [run("host-loop", 36 * factor, key="per_step_us"), run("graph", 20 * factor, key="per_step_us")]
            runs += [run("perks", 20 * factor / gains[p], p, key="per_step_us") for p in policies]
            return {"name": name, "size": "1344x1232", "refusal": None, "runs": runs}

        first = comparison([stencil("2d5pt", 1, ["auto", "both", "none", "registers", "shared"])], "stencils")
        second = comparison([stencil("2d9pt", 2, list(gains)), stencil("3d7pt", 9, list(gains))], "stencils")
        texts, cells = self.picture(self.file(first, "1.json"), self.file(second, "2.json"), "--baselines", "graph")
        self.assertEqual(cells, (3 + 1) * 5)
        self.assertNotIn("over host-loop", texts)
        at = texts.index("over graph") + 1
        self.assertEqual(texts[at:at + 5], list(gains), "columns in the order of what is kept")
        at += 5
        for _ in range(3 + 1):  # all shapes gain the same here, and so does their mean
            self.assertEqual(texts[at:at + 5], [f"{g:.2f}" for g in gains.values()])
            at += 5
        self.assertIn("f64, boundary fixed, 1000 steps", texts)
        self.assertIn("Speed-up of perks by policy: iterative stencils on a device", texts)
        both, _ = self.picture(self.file(first))
        self.assertIn("over host-loop", both)
        self.assertIn(f"{36 / 20 * 5:.2f}", both)

    def test_stencils_that_were_just_measured(self):
        measured = self.path("measured.json")
        subprocess.run([PROGRAM, "compare", "stencil", "2d5pt", "3d7pt", "--size", "24x40,6x9x12", "--device", "cpu",
                        "--threads", "2", "--steps", "5", "--repetitions", "1", "--policies", "shared,auto,none",
                        "--format", "json", "-o", measured], check=True)
        texts, cells = self.picture(measured)
        self.assertEqual(cells, (2 + 1) * 3)
        at = texts.index("over host-loop") + 1
        self.assertEqual(texts[at:at + 3], ["none", "shared", "auto"])
        for words in ("2d5pt 24x40", "3d7pt 6x9x12", "f64, boundary fixed, 5 steps"):
            self.assertIn(words, texts)

    def test_unlike_runs_make_no_picture(self):
        subject = {"name": "2d5pt", "size": "8x8", "refusal": None,
                   "runs": [run("graph", 9, key="per_step_us"), run("perks", 2, "both", key="per_step_us")]}
        other = dict(subject, name="2d9pt")
        for more in ({"precision": "f32"}, {"boundary": "periodic"}, {"max_steps": 10}, {"source": "f.npy"}):
            self.refused("expected runs under the same conditions", self.file(comparison([subject], "stencils"), "1.json"),
                         self.file(comparison([other], "stencils", **more), "2.json"))

    def test_what_was_not_measured_is_a_dash(self):
        lost = run("perks", 1, "matrix")
        lost["outcome"] = "unsupported"
        first = system("A", run("host-loop", 8), run("perks", 2, "none"), run("perks", 2, "matrix"))
        second = system("B<&>", run("host-loop", 8), run("perks", 2, "none"), lost)
        texts, cells = self.picture(self.file(comparison([first]), "1.json"), self.file(comparison([second]), "2.json"))
        self.assertEqual(cells, 6)
        self.assertEqual(texts.count("-"), 2, "the cell, and a mean that would compare unlike things")
        self.assertIn("B<&>", texts)

    def test_output_is_whole_or_not_there(self):
        good = self.file(comparison([system("A", run("host-loop", 8), run("perks", 2, "none"))]))
        self.assertEqual(self.plot(good, "-o", self.path("p.svg")).returncode, 0)
        xml.parse(self.path("p.svg"))
        self.refused("no/p.svg: expected a file that can be written", good, "-o", self.path("no/p.svg"))
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["c.json", "p.svg"])

    def test_bad_input_is_one_line(self):
        self.refused("c.json: expected JSON", self.file("{"))
        self.refused("expected the JSON of `dwell compare`", self.file("[1]"))
        self.refused("'device'", self.file({"schema": 1, "matrices": []}))
        self.refused("expected schema 1 (docs/reference/json.md), found None", self.file({"matrices": []}))
        self.refused("found 2", self.file(comparison([], schema=2)))
        self.refused("No such file", self.path("nothing"))
        self.refused("found none", self.file(comparison([system("A", run("host-loop", 1))])))
        self.refused("found none", self.file(comparison([system("A", run("perks", 1, "none"))])))
        twice = self.file(comparison([system("A", run("host-loop", 8), run("perks", 2, "none"))]))
        self.refused("'A' again", twice, twice)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
