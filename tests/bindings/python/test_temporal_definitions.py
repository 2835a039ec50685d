# SPDX-License-Identifier: MIT
"""scripts/measure/temporal-definitions.py: passes of many steps where the ready stencils have no such kernels."""
import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "measure" / "temporal-definitions.py"
CASES = ["gradient", "reflect", "source-reflect", "box-4", "reflect3d", "source3d", "box3d-2"]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_passes_have_the_bits_of_single_steps(tmp_path, dtype):
    out = tmp_path / "out.json"
    done = subprocess.run([sys.executable, SCRIPT, "--cases", ",".join(CASES), "--sizes", "61x83,19x23x31", "--dtype", dtype, "--cells",
                           "1e5", "--repetitions", "1", "-o", out], capture_output=True, text=True, check=True)
    rows = json.loads(out.read_text(encoding="utf-8"))["rows"]
    assert [(r["case"], r["same_bits"]) for r in rows] == [(c, True) for c in CASES], done.stdout
    assert all(r["depth"] > 1 for r in rows), done.stdout


def test_words_that_are_none():
    done = subprocess.run([sys.executable, SCRIPT, "--cases", "star5d"], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "found 'star5d'" in done.stderr
