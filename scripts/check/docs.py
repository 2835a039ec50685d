#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Runs the examples of the documentation against an installed copy of Dwell: check/docs.py PREFIX
# [PAGE...]. Shell blocks run in a scratch folder per page, and what they print is compared with what
# the page shows; C++ blocks are compiled and run; Python blocks run where the package dwell can be
# imported. A block that is not run is listed with the reason (scripts/docs/blocks.py: how a page says
# so). Exit status 1 if one failed. Programs that blocks leave are in build/check-docs.
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

root = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "scripts" / "docs"))
import cpp  # noqa: E402
import shell  # noqa: E402
from blocks import RUN, blocks_of  # noqa: E402

PAGES = ["README.md", "docs/*.md", "docs/design/*.md", "docs/tutorials/*.md", "docs/coming-from/*.md", "docs/reference/**/*.md"]
# Pages whose examples other tests run: of the command line's help, and of the Python package.
ELSEWHERE = {"docs/reference/command-line.md", "docs/reference/python.md"}
TIMEOUT = 120  # seconds, for a page's shell and for a program


def arguments():
    parser = argparse.ArgumentParser(description="Run the examples of the documentation.")
    parser.add_argument("prefix", type=Path, help="an installed copy of Dwell, with its command (or DWELL names one)")
    parser.add_argument("pages", nargs="*", help="default: all that hold examples")
    parser.add_argument("--matrices", type=Path, default=os.environ.get("DWELL_MATRICES") or root / "../shared/matrices",
                        help="a folder of SuiteSparse matrices, NAME.mtx.gz (default: ../shared/matrices)")
    parser.add_argument("--python", default=sys.executable, help="interpreter for the Python blocks")
    return parser.parse_args()


class Checker:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, scratch
        self.prefix = options.prefix.resolve()
        self.dwell = Path(os.environ.get("DWELL") or self.prefix / "bin" / "dwell").resolve()
        if not self.dwell.exists():
            raise ValueError(f"{self.dwell}: no such program; PREFIX is an installed copy of Dwell")
        (scratch / "bin").mkdir()
        (scratch / "bin" / "dwell").symlink_to(self.dwell)
        python = scratch / "bin" / "python3"  # that of --python in shell blocks too
        python.write_text(f'#!/bin/sh\nexec "{options.python}" "$@"\n')
        python.chmod(0o755)
        self.environment = {"PATH": f"{scratch / 'bin'}:{os.environ['PATH']}", "COLUMNS": "200"}
        self.cuda = "with CUDA" in subprocess.run([self.dwell, "info"], text=True, capture_output=True).stdout
        self.nvcc = shutil.which("nvcc") or (shutil.which("/usr/local/cuda/bin/nvcc"))
        self.modules = {}
        self.ran, self.skipped, self.failed = 0, [], []

    def folder_of(self, block):
        folder = self.scratch / str(block.page).replace("/", "_")
        folder.mkdir(exist_ok=True)
        return folder

    def imports(self, module):
        if module not in self.modules:
            done = subprocess.run([self.options.python, "-c", f"import {module}"], capture_output=True,
                                  cwd=self.scratch)
            self.modules[module] = done.returncode == 0
        return self.modules[module]

    def refusal(self, block):
        """Why the block is not run, or ''. Puts what it needs where it runs."""
        if "skip" in block.orders:
            return block.orders["skip"]
        if "nvcc" in block.orders and not self.nvcc:
            return "no nvcc here"
        for thing in block.orders.get("needs", "").split():
            if thing == "cuda" and not self.cuda:
                return "this dwell was built without CUDA"
            if thing.endswith(".mtx.gz"):
                if not (self.options.matrices / thing).exists():
                    return f"no {thing} in {self.options.matrices} (--matrices)"
                link = self.folder_of(block) / thing
                if not link.exists():
                    link.symlink_to((self.options.matrices / thing).resolve())
            elif thing != "cuda" and not self.imports(thing):
                return f"Python module {thing} is not here"
        if block.language == "python" and not self.imports("dwell"):
            return "Python module dwell is not here (--python)"
        return ""

    def note(self, block, message):
        self.ran += 1
        if message:
            self.failed.append(block.place)
            print(f"FAILED {block.place}: {message}\n", flush=True)

    def check(self, pages):
        ready = []
        for page in pages:
            for block in blocks_of(root / page, page):
                if "file" in block.orders:
                    (self.folder_of(block) / block.orders["file"]).write_text(block.text + "\n")
                if block.language not in RUN:
                    continue
                why = self.refusal(block)
                if why:
                    self.skipped.append((block, why))
                else:
                    ready.append(block)
        for page in pages:
            mine = [b for b in ready if b.page == page and b.language in ("console", "sh")]
            if mine:
                for block, message in shell.run_page(mine, self.folder_of(mine[0]), self.environment, TIMEOUT):
                    self.note(block, message)
        for block in (b for b in ready if "nvcc" in b.orders):
            self.note(block, cpp.compile_by_nvcc(block, self.scratch / "nvcc", self.prefix, self.nvcc, TIMEOUT))
        programs = [b for b in ready if b.language == "cpp" and "nvcc" not in b.orders]
        for block, message in cpp.build_and_run(programs, root / "build" / "check-docs", self.prefix, self.folder_of,
                                                TIMEOUT):
            self.note(block, message)
        for page in pages:  # in one interpreter, as a reader would type them
            mine = [b for b in ready if b.page == page and b.language == "python"]
            if mine:
                self.run_python(mine)

    def run_python(self, blocks):
        script = "\n".join(f"exec(compile({chr(10) * (b.line - 1) + b.orders.get('given', '') + chr(10) + b.text!r}, "
                           f"{str(b.page)!r}, 'exec'))\nprint('\\001', flush=True)" for b in blocks)
        ran = subprocess.run([self.options.python, "-c", script], cwd=self.folder_of(blocks[0]), text=True,
                             capture_output=True, timeout=TIMEOUT, env=os.environ | self.environment)
        done = ran.stdout.count("\001")
        for k, block in enumerate(blocks):
            if k > done:
                message = "not reached"
            else:
                message = "" if k < done else ran.stdout.split("\001")[-1] + ran.stderr
            self.note(block, message)


def main():
    options = arguments()
    pages = options.pages or sorted({p.relative_to(root).as_posix() for glob in PAGES for p in root.glob(glob)} - ELSEWHERE)
    with tempfile.TemporaryDirectory(prefix="dwell-docs-") as scratch:
        try:
            checker = Checker(options, Path(scratch))
            checker.check(pages)
        except (ValueError, OSError, RuntimeError) as error:
            sys.exit(f"{sys.argv[0]}: {error}")
    for block, why in checker.skipped:
        print(f"skipped {block.place}: {why}")
    print(f"documentation: {checker.ran} examples of {len(pages)} pages ran, {len(checker.failed)} failed, "
          f"{len(checker.skipped)} skipped")
    sys.exit(1 if checker.failed else 0)


if __name__ == "__main__":
    main()
