# SPDX-License-Identifier: MIT
"""The ready stencils of the command line are those of the package: their files are what the script writes."""
import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def test_files_are_what_the_package_has():
    script = runpy.run_path(str(ROOT / "scripts/docs/ready-stencils.py"))
    files = {path.stem: path.read_text() for path in (ROOT / "apps/dwell/fields/ready").glob("*.toml")}
    wanted = {name: script["toml_of"](name, *what) for name, what in script["ready"]().items()}
    assert files == wanted, "run scripts/docs/ready-stencils.py"
