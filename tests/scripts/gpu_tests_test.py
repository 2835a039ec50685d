#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""scripts/check/gpu-tests.py with stand-ins for a card, for cmake, for compute-sanitizer and for the programs of tests."""
import os
import pathlib
import subprocess
import sys
import tempfile

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/check/gpu-tests.py"
# Two parts: the first has one of each result, the second ends as `end` says.
PROGRAM = """#!/bin/sh
for a; do case $a in --gtest_output=json:*) to=${{a#*json:}};; esac; done
case $GTEST_SHARD_INDEX in 0) ;; *) {end};; esac
test -z "$to" || echo '{{"testsuites": [{{"name": "s", "testsuite": [
  {{"name": "a", "result": "COMPLETED"}}, {{"name": "b", "result": "SKIPPED"}},
  {{"name": "c", "result": "COMPLETED", "failures": [{{"failure": "no"}}]}}]}}]}}' > "$to"
"""


# Says what it was asked for; of targets it knows two of GPU tests and another one.
CMAKE = """#!/bin/sh
echo "$*" >> "$(dirname "$0")/../cmake.log"
case "$*" in *"--target help") printf '%s: phony\\n' test_cg_gpu test_reduce_gpu test_base;; esac
"""


def put(path: pathlib.Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def run(folder: pathlib.Path, *more: str, card: bool = True, skip_build: bool = True) -> subprocess.CompletedProcess:
    # The stand-in is found first; a machine with a GPU has its own tool behind it.
    put(folder / "bin/nvidia-smi", "#!/bin/sh\necho 'Stand-in GPU, 1.2'\n" if card else "#!/bin/sh\nexit 9\n")
    put(folder / "bin/compute-sanitizer", "#!/bin/sh\necho '========= ERROR SUMMARY: 3 errors'\n")
    built = ["--skip-build"] if skip_build else []
    return subprocess.run([sys.executable, SCRIPT, "--build", folder, *built, "--parts", "2", "--limit", "3",
                           "--output", folder / "page.md", *more],
                          env={**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}"}, capture_output=True,
                          text=True, check=False)


def expect(what: str, text: str) -> None:
    if what not in text:
        sys.exit(f"expected {what!r} in:\n{text}")


with tempfile.TemporaryDirectory() as scratch:
    here = pathlib.Path(scratch)
    put(here / "tests/test_cg_gpu", PROGRAM.format(end="exit 134"))
    put(here / "tests/test_reduce_gpu", PROGRAM.format(end="true"))
    put(here / "tests/test_fields_gpu", PROGRAM.format(end="exec sleep 100"))
    done = run(here)
    text = (here / "page.md").read_text()
    expect("Stand-in GPU, 1.2", text)
    expect("| `test_cg_gpu` | 1 | 1 | 1 | 1 |", text)
    expect("| `test_reduce_gpu` | 2 | 2 | 2 | 0 |", text)
    expect("| `test_fields_gpu` | 1 | 1 | 1 | 1 |", text)
    expect("`s.c` failed", text)
    for tool in ("memcheck", "synccheck", "racecheck"):
        expect(f"| {tool} | `test_reduce_gpu` | `*` | 3 errors |", text)
    if "| racecheck | `test_fields_gpu`" in text:
        sys.exit("expected no racecheck of rings, found one")
    expect("Not built, so not run:", text)
    expect("`test_stencils_gpu`", text)
    if done.returncode != 1:
        sys.exit(f"expected status 1, found {done.returncode}: {done.stderr}")
    # A build: of what the folder can make, programs of GPU tests alone.
    put(here / "bin/cmake", CMAKE)
    run(here, "--no-tools", "--shapes", "star2d5;star3d7", skip_build=False)
    calls = (here / "cmake.log").read_text()
    expect("-DDWELL_SHAPES=star2d5;star3d7", calls)
    expect("--target test_cg_gpu test_reduce_gpu -- -k 0", calls)
    text = (here / "page.md").read_text()
    expect("Nothing ran under compute-sanitizer.", text)
    expect("kernels of star2d5;star3d7", text)
    (here / "page.md").unlink()
    for wrong, why in (("exit 1", "cannot configure"), ("exit 0", "need nvcc")):
        put(here / "bin/cmake", f"#!/bin/sh\n{wrong}\n")
        done = run(here, skip_build=False)
        expect(why, done.stderr)
        if done.returncode != 1 or (here / "page.md").exists():
            sys.exit(f"expected status 1 and no page, found {done.returncode}")
    none = run(here, card=False)
    expect("no GPU", none.stderr)
    if none.returncode != 1 or (here / "page.md").exists():
        sys.exit(f"expected status 1 and no page, found {none.returncode}")
