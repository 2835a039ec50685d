#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/reference/dwell.schema.json against what the command writes: json_schema_test.py DWELL SOURCE.

The committed schema is what scripts/docs/json-schema.py makes of the page; real documents of each kind hold to it; one
with a key too much, one too few or a value of another kind does not. Exit code 77 without python3-jsonschema.
"""
import copy
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import jsonschema
except ImportError:
    print("skipped: no python3-jsonschema here", file=sys.stderr)
    sys.exit(77)

program, source = sys.argv[1], Path(sys.argv[2])
committed = (source / "docs/reference/dwell.schema.json").read_text(encoding="utf-8")
made = subprocess.run([sys.executable, source / "scripts/docs/json-schema.py"], capture_output=True, text=True, check=True)
if made.stdout != committed:
    sys.exit("docs/reference/dwell.schema.json is not that of json.md; to renew it:\n"
             "  scripts/docs/json-schema.py > docs/reference/dwell.schema.json")
schema = json.loads(committed)
jsonschema.Draft202012Validator.check_schema(schema)
judge = jsonschema.Draft202012Validator(schema)

cpu = ["--device", "cpu", "--threads", "1"]
folder = tempfile.TemporaryDirectory()
os.environ["DWELL_CACHE_DIR"] = folder.name
picture = Path(folder.name) / "picture.pgm"
picture.write_bytes(b"P5 4 3 255\n" + bytes(range(12)))
own = Path(folder.name) / "own.toml"
own.write_text("""fields = "u"
step = "u = u + 0.1 * (u[0, 1] - u)"
[values]
u = "hot-spot"
[run]
size = "6x7"
steps = 4
[[receivers]]
field = "u"
cells = [[2, 3]]
output = "{folder}/record.npy"
[reductions]
u = "sum"
""".replace("{folder}", folder.name), encoding="utf-8")
rule = Path(folder.name) / "rule.toml"
rule.write_text("""[figure]
pattern = "([0-9]+) ms"
unit = "ms"
of = "run"
[iterations]
pattern = "([0-9]+) iterations"
[residual]
pattern = "residual ([0-9.e-]+)"
""", encoding="utf-8")
peer = ["--peer", "other=echo 3 ms, 4 iterations, residual 1e-9", "--peer-rules", str(rule)]
commands = {
    "cg": [["cg", "trefethen:50", *cpu], ["cg", "trefethen:50", "--ranks", "2", *cpu], ["cg", "trefethen:50", "--max-iterations", "2", *cpu]],
    "stencil": [["stencil", "2d5pt", "--size", "9x9", "--until", "1e-3", *cpu],
                ["stencil", "2d5pt", "--size", "9x9", "--ranks", "2", *cpu],
                ["stencil", "2d5pt", "--size", "40x40", "--steps", "4", "--executor", "perks", *cpu]],
    "stencil fields": [["stencil", "wave2d", "--size", "9x9", "--steps", "3", *cpu],
                       ["stencil", str(own), *cpu]],
    "compare cg": [["compare", "cg", "trefethen:50", "--iterations", "5", "--repetitions", "1", *cpu, *peer]],
    "compare solve": [["compare", "solve", "trefethen:50", "convection2d:9x9:5", "--repetitions", "1", *cpu, *peer]],
    "compare stencil": [["compare", "stencil", "2d5pt", "--size", "20x30", "--repetitions", "1", "--steps", "3", *cpu,
                         *peer]],
    "convolve": [["convolve", str(picture), "--filter", "gaussian:5", *cpu]],
    "compare convolve": [["compare", "convolve", "--size", "20x30", "--filter", "box:3,gaussian:15", "--repetitions", "1",
                          *cpu, *peer]],
    "explain convolve": [["explain", "convolve", "--size", "64x64", "--filter", "box:3", *cpu],
                         ["explain", "convolve", "--size", "512x512", "--filter", "box:15", "--device-facts", "h100"]],
    "grid": [["grid", "9x9", *cpu], ["grid", "30", "--boundary", "neumann", "--k-axes", "2", *cpu]],
    "explain grid": [["explain", "grid", "40x50", *cpu]],
    "explain cg": [["explain", "cg", "trefethen:50", *cpu]],
    "explain stencil": [["explain", "stencil", "2d5pt", "--size", "64x64", *cpu]],
    "explain stencil fields": [["explain", "stencil", "wave2d", "--size", "64x64", *cpu],
                               ["explain", "stencil", "fdtd", "--size", "2000x2000", *cpu],
                               ["explain", "stencil", "fdtd", "--size", "64x64", "--device-facts", "h200"]],
    "kernels warm": [["kernels", "warm", str(own)]],
    "kernels list": [["kernels", "list"]],
    "kernels clear": [["kernels", "clear"]],
    "info": [["info", "--device", "cpu"]],
    "info matrix": [["info", "trefethen:20"]],
    "info stencil": [["info", "2d5pt"]],
    "info stencil fields": [["info", "fdtd"]],
    "measure": [["measure", *cpu, "--only", "arithmetic"]],
    "model ebisu": [["model", "ebisu", "2d5pt", "--depth", "7"],
                    ["model", "ebisu", "3d7pt", "--tiling", "both", "--tile", "16x16", "--depth", "15"]],
    "model perks": [["model", "perks", "--size", "100x100", "--cached", "50x100"],
                    ["model", "perks", "--size", "9", "--cached", "0", "--parallelism", "2", "--concurrency", "4"]],
    "model roofline": [["model", "roofline", "2d5pt"]],
    "model scaling": [["model", "scaling", "cg", "--size", "64x64", "--gpus", "1,2,128"],
                      ["model", "scaling", "3d7pt", "--size", "64x64x64", "--weak", "--one-gpu", "10"]],
    "model sweep": [["model", "sweep", "3d7pt"]],
    "model tensor": [["model", "tensor", "2d5pt"]],
    "trace": [["trace", "2d5pt", "--size", "12x20"], ["trace", "product", "--size", "9x9"]],
}
failures = []


def look_at(kind, document):
    """Holds to the schema; and with a change that must not hold does not."""
    if document["document"] != kind:
        failures.append(f"{kind}: found document '{document['document']}'")
    failures.extend(f"{kind}: {e.json_path}: {e.message}" for e in judge.iter_errors(document))

    def must_fail(what, change):
        bad = copy.deepcopy(document)
        change(bad)
        if judge.is_valid(bad):
            failures.append(f"{kind}: {what} must not hold to the schema")

    must_fail("a new key", lambda d: d.update(new_key=1))
    must_fail("a missing version", lambda d: d.pop("version"))
    must_fail("another schema", lambda d: d.update(schema=2))
    must_fail("a version that is a number", lambda d: d.update(version=1))


for kind, lines in commands.items():
    for words in lines:
        form = ["--format", "json"] if words[0] == "compare" else ["--json", "-"]
        ran = subprocess.run([program, *words, *form], capture_output=True, text=True, check=False)
        if not ran.stdout:
            sys.exit(f"dwell {' '.join(words)}: {ran.stderr}")
        look_at(kind, json.loads(ran.stdout))
shipped = sorted((source / "execution/device/facts").glob("*.json"))
for file in shipped:
    look_at("device facts", json.loads(file.read_text(encoding="utf-8")))
if len(commands) + bool(shipped) != len(schema["$defs"]):
    failures.append("not every kind of document was asked for")
print("\n".join(failures) if failures else "the schema holds")
sys.exit(1 if failures else 0)
