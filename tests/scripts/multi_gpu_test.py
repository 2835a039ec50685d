#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/measure/multi-gpu.py with stand-ins for nvidia-smi and bench-peers: barriers and reductions of several GPUs."""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/measure/multi-gpu.py"
# Lines as bench-peers prints them: a time, or why there is none; `end`: how it ends. It knows how many devices it was given.
PEERS = """#!/usr/bin/env python3
import json, sys
words = sys.argv[1:]
what = words[words.index("--only") + 1]
devices = words[words.index("--devices") + 1].split(",")
print("a line that is no JSON")
for peers in [n for n in (1, 2, 4) if n <= len(devices)]:
    row = {"what": what[:-1], "peers": peers, "shared": False, "device": "Stand-in"}
    if what == "barriers":
        print(json.dumps({**row, "by": "flags", "blocks": 132, "threads": 256, "us": 1.5 * peers}))
        print(json.dumps({**row, "by": "flags", "blocks": 4224, "threads": 64, "why": "1056 blocks of a peer run together"}))
        print(json.dumps({**row, "by": "threads", "us": 12.25}))
    else:
        for size in (1024, 65536):
            print(json.dumps({**row, "by": "flags", "values_per_gpu": size, "us": 2.0, "gb_per_s": 8e-3 * size * peers / 2}))
            print(json.dumps({**row, "by": "nccl", "values_per_gpu": size,
                              **({"why": "one peer has no messages"} if peers == 1 else {"us": 20.0, "gb_per_s": 1.0})}))
END
"""


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def run(folder, *more, gpus=4, end="", code=0):
    put(folder / "bin/nvidia-smi", "#!/bin/sh\n" + "echo 'Stand-in GPU'\n" * gpus)
    put(folder / "apps/bench/bench-peers", PEERS.replace("END", end))
    done = subprocess.run([sys.executable, SCRIPT, folder, "-o", folder / "out.json", *more],
                          env={**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}, capture_output=True, text=True,
                          check=False)
    if done.returncode != code:
        sys.exit(f"expected exit code {code}, found {done.returncode}: {done.stdout}{done.stderr}")
    return done


def expect(pattern, text):
    if not re.search(pattern, text, re.MULTILINE):
        sys.exit(f"expected {pattern!r} in:\n{text}")


def expect_equal(found, expected):
    if found != expected:
        sys.exit(f"expected {expected!r}, found {found!r}")


with tempfile.TemporaryDirectory() as scratch:
    here = pathlib.Path(scratch)
    both = ["--part", "barriers", "--part", "reductions"]
    text = run(here, *both).stdout
    expect(r"^ +1 GPUs +2 GPUs +4 GPUs$", text)
    expect(r"^flags 132 x 256 +1\.500 +3\.000 +6\.000$", text)
    expect(r"^flags 4224 x 64 +- +- +-$", text)
    expect(r"^threads +12\.250 +12\.250 +12\.250$", text)
    expect(r"^not measured: flags 4224 x 64 of 4: 1056 blocks of a peer run together$", text)
    expect(r"^ +1 +1024 +2\.00 \( +4\.1\) +-$", text)
    expect(r"^ +4 +65536 +2\.00 \( +1048\.6\) +20\.00 \( +1\.0\)$", text)
    found = json.loads((here / "out.json").read_text())
    expect_equal(found["gpus"], ["Stand-in GPU"] * 4)
    expect_equal(len(found["barriers"]), 9)
    expect_equal(len(found["reductions"]), 12)
    expect_equal(found["failures"], [])
    # Two of the GPUs; and what fails is said, with what there was.
    run(here, *both, "--gpus", "2")
    expect_equal({r["peers"] for r in json.loads((here / "out.json").read_text())["barriers"]}, {1, 2})
    text = run(here, "--part", "barriers", end="sys.exit('an answer was wrong')", code=1).stdout
    expect(r"^FAILED bench-peers .*: exit code 1: an answer was wrong$", text)
    expect(r"^threads +12\.250", text)
    text = run(here, "--part", "barriers", "--timeout", "2", code=1,
               end="import time\nsys.stdout.flush()\ntime.sleep(60)").stdout
    expect(r"^FAILED bench-peers .*: no end after 2\.0 s$", text)
    expect("expected a GPU, found none", run(here, *both, gpus=0, code=1).stderr)
