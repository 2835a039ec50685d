#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Whether the paths that documents and comments name exist: check/paths.py. Prints FILE:LINE: PATH for each that does not.

In documents: what begins with a folder of this project (`execution/plan.hpp`, `scripts/`). In comments of sources: also
the name of a source alone (`plan.hpp`), which may lie anywhere in the project. `*` and `NAME` stand for any name.
"""
import fnmatch
import pathlib
import re
import subprocess
import sys

TOP = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = "base|execution|formats|datasets|solvers|apps|tests|scripts|cmake|docs|include|bindings|packaging|dwell"
IN_FOLDER = re.compile(rf"(?<![\w/.\-$}}>~])(?:\./)?((?:{FOLDERS})/[\w*./+-]*[\w*/])(?![\w$])")
SOURCE = re.compile(r"(?<![\w/.\-*<}\"])([\w-]+(?:/[\w-]+)*\.(?:hpp|cpp|cuh|cu|cmake|sh|py|md|in|svg))(?![\w/])")
COMMENT = {".hpp": "//", ".cpp": "//", ".cu": "//", ".cuh": "//", ".h": "//", ".cmake": "#", ".txt": "#", ".sh": "#", ".py": "#"}
# History names what is no longer there; a made site, an installed copy and programs of users are not in the repository.
LEFT_OUT = re.compile(r"^(CHANGELOG\.md|docs/lab-notebook\.md|docs/results/|docs/reference/cpp/|tests/scripts/)")
ELSEWHERE = re.compile(r"^(dwellConfig.cmake$|dwell/(dwell|custom_stencil|custom_program|mpi|metis|eigen|version)\b|include/dwell/?$|docs/html)")


def texts(path: pathlib.Path):
    """(line number, text) of what is read by people."""
    mark = COMMENT.get(path.suffix)
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        if path.suffix == ".md":
            yield number, line
        elif mark and mark in line:
            yield number, line[line.index(mark):]


def main() -> int:
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TOP, capture_output=True, text=True,
                           check=True).stdout.split("\n")
    files = [f for f in files if f]
    known = set(files)
    for f in files:
        known.update(str(p) for p in pathlib.PurePath(f).parents)
    suffixes: set[str] = set()
    for f in files:
        parts = f.split("/")
        suffixes.update("/".join(parts[k:]) for k in range(len(parts)))

    def exists(name: str, at: pathlib.PurePath) -> bool:
        name = re.sub(r"(?<![A-Za-z0-9])[A-Z]{3,}(?![A-Za-z0-9])", "*", name.rstrip("/."))
        places = [name, str(at.parent / name), re.sub(r"^dwell/", "", name), re.sub(r"^dwell/", "include/dwell/", name)]
        if "*" in name:
            return any(fnmatch.fnmatch(k, p) for p in places for k in known)
        return any(p in known or p in suffixes for p in places)

    wrong = 0
    for f in files:
        path = TOP / f
        if LEFT_OUT.search(f) or path.is_symlink() or not path.is_file() or path.suffix not in {".md", *COMMENT}:
            continue
        for number, text in texts(path):
            names = IN_FOLDER.findall(text)
            if path.suffix != ".md":
                names += SOURCE.findall(text)
            for name in dict.fromkeys(names):
                if not ELSEWHERE.search(name) and not exists(name, pathlib.PurePath(f)):
                    print(f"{f}:{number}: {name}")
                    wrong += 1
    if wrong:
        print(f"{sys.argv[0]}: {wrong} paths that do not exist", file=sys.stderr)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
