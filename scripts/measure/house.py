#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Counts of the sources: measure/house.py [COMMIT]. Files and lines by part, what one reads for an iteration of conjugate
gradients under perks, and in how many files a default stands. COMMIT: the sources as they were."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

TOP = Path(__file__).resolve().parents[2]
SOURCE = {".hpp", ".cpp", ".cu", ".cuh", ".h"}
LIBRARY = ("base", "formats", "datasets", "execution", "solvers", "include")
SURFACES = ("include", "solvers", "bindings", "python", "apps/dwell")
# Public headers that belong to execution/ (rooms of scripts/check/includes.sh), and so are read for an iteration, too.
CONTRACT = ("linear/program.hpp", "device/sums.hpp")
# The files that one opens: the loop and the form; what they include follows.
ITERATION = (("execution/krylov/loops/perks.hpp", "solvers/cg/single_reduction.hpp"),
             ("execution/perks/program.hpp", "solvers/cg/programs/single_reduction.hpp"))


def sources(top: Path, folder: str) -> list[Path]:
    return [p for p in sorted((top / folder).rglob("*")) if p.suffix in SOURCE and p.is_file() and not p.is_symlink()
            and not any(part.is_symlink() for part in p.parents if part != top)]


def lines(files: list[Path]) -> int:
    return sum(len(p.read_text(errors="replace").splitlines()) for p in files)


def read_for(top: Path, first: tuple[str, ...]) -> list[Path]:
    """What the files of an iteration include of execution/ and solvers/, and the contract of programs, directly or not."""
    found: list[Path] = []
    todo = [top / f for f in first]
    while todo:
        path = todo.pop(0)
        if path in found:
            continue
        found.append(path)
        for name in re.findall(r'#\s*include "dwell/([^"]+)"', path.read_text()):
            for place in ((top / "include/dwell" / name).resolve(), top / name):
                if place.exists():
                    if place.is_relative_to(top / "execution") or place.is_relative_to(top / "solvers") or name in CONTRACT:
                        todo.append(place)
                    break
    return found


def places(top: Path, pattern: str) -> list[str]:
    """The files of the surfaces, documents and tests apart, in which a line that is no comment matches."""
    named = []
    for folder in SURFACES:
        root = top / folder
        for p in sorted(root.rglob("*")) if root.is_dir() and not root.is_symlink() else []:
            if p.suffix not in SOURCE | {".py"} or not p.is_file() or any(q.is_symlink() for q in p.parents if q != top):
                continue
            text = re.sub(r"//.*", "", p.read_text(errors="replace"))
            if re.search(pattern, text):
                named.append(str(p.relative_to(top)))
    return named


def main() -> int:
    top = TOP
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 1:
            subprocess.run(f"git -C {TOP} archive {sys.argv[1]} | tar x -C {folder}", shell=True, check=True)
            top = Path(folder).resolve()
        everything = []
        for name, parts in (("library", LIBRARY), ("bindings", ("bindings", "python")), ("apps", ("apps",)), ("tests", ("tests",))):
            files = [p for part in parts for p in sources(top, part)]
            if name == "library":
                files = [p for p in files if "c_api" not in p.parts]
            everything += files
            print(f"{name:34} {len(files):5} files {lines(files):7} lines")
        print(f"{'all':34} {len(everything):5} files {lines(everything):7} lines")
        names = [p.name for p in everything]
        print(f"{'file names that occur again':34} {len({n for n in names if names.count(n) > 1}):5}")
        for first in ITERATION:
            if (top / first[0]).exists():
                files = read_for(top, first)
                print(f"{'an iteration of cg under perks':34} {len(files):5} files {lines(files):7} lines")
                files = read_for(top, first[1:])
                print(f"{'of it the form alone':34} {len(files):5} files {lines(files):7} lines")
        defaults = len(places(top, r"rtol(: float)? *= *1e-"))
        print(f"{'files with a default of rtol':34} {defaults:5}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
