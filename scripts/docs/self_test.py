# SPDX-License-Identifier: MIT
# Does check/docs.py find what is wrong? self_test.py PREFIX: pages with one mistake each, every one of
# which must fail with its message, and one without, which must pass.
import subprocess
import sys
import tempfile
from pathlib import Path

CASES = {  # name: (page, what must be said)
    "status": ("```console\n$ dwell cg no-such.mtx\n```\n", "expected status 0, found 1"),
    "words": ("```console\n$ dwell info 2d5pt\nstencil     2d5pt, 2 dimensions, radius 1, curved\n```\n",
              "expected a line like"),
    "order": ("```console\n$ printf 'a\\nb\\n'\nb\na\n```\n", "expected a line like"),
    "shell": ("```sh\nexit 0\n```\n\n```sh\ntrue\n```\n", "ended the shell"),
    "compile": ("```cpp\n#include <dwell/core.hpp>\ndwell::solve_options o;\no.no_such = 1;\n```\n", "does not compile"),
    "run": ("```cpp\nreturn 3;\n```\n", "expected status 0, found 3"),
    "marker": ("<!-- test: skp x -->\n```sh\ntrue\n```\n", "expected test:"),
    "language": ("```\ntrue\n```\n", "expected a block of"),
    "lost": ("<!-- test: skip x -->\ntext\n\n```sh\ntrue\n```\n", "expected a block after"),
    "good": ("```console\n$ dwell info 2d5pt\n...\narithmetic  7 operations per cell and step\n...\n$ false || true\n```\n\n"
             "<!-- test: given\nconst int n = 0;\n-->\n```cpp\n#include <dwell/core.hpp>\n...\nreturn n;\n```\n", "0 failed, 0 skipped"),
}

checker = Path(__file__).resolve().parent.parent / "check/docs.py"
wrong = []
with tempfile.TemporaryDirectory() as folder:
    for name, (text, said) in CASES.items():
        page = Path(folder) / f"{name}.md"
        page.write_text(f"# {name}\n\n{text}", encoding="utf-8")
        ran = subprocess.run([checker, sys.argv[1], page], text=True, capture_output=True)
        if ran.returncode != (0 if name == "good" else 1) or said not in ran.stdout + ran.stderr:
            wrong.append(name)
            print(f"{name}: expected '{said}', found status {ran.returncode}:\n{ran.stdout}{ran.stderr}")
print(f"check/docs.py: {len(CASES)} pages, {len(wrong)} judged wrongly")
sys.exit(1 if wrong else 0)
