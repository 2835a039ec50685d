#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How comments begin: check/comments.py. Prints FILE:LINE: what is wrong, for each comment that is not as it should be.

A comment begins with a noun or a verb, never with "Of", "The same" or "As"; one behind code neither with "likewise". The
head of a file says what the file does: "See file.hpp." alone says nothing. Docstrings of Python are comments.
"""
import io
import pathlib
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator

TOP = pathlib.Path(__file__).resolve().parents[2]
C_LIKE = {".hpp", ".cpp", ".cu", ".cuh", ".h", ".c"}
HASH = {".sh", ".cmake", ".txt", ""}
ABOVE = re.compile(r"(Of|The same|As)\b")
BEHIND = re.compile(r"(of|the same|as|likewise)\b", re.IGNORECASE)
SEE = re.compile(r"See [\w/.]+\.(hpp|cuh|h)\b")
# A comment of C++, and what may hold its mark without being one: strings, characters, raw strings.
CODE = re.compile(r'R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'|//[^\n]*|/\*(?:.|\n)*?\*/')


def of_c(text: str) -> Iterator[tuple[int, int, bool, str]]:
    """(line number, column, whether it is behind code, text) of the lines of comments; for /* */ the first line."""
    for found in CODE.finditer(text):
        comment = found[0]
        if comment[:2] not in ("//", "/*"):
            continue
        line = text.rfind("\n", 0, found.start()) + 1
        yield (text.count("\n", 0, found.start()) + 1, found.start() - line, bool(text[line:found.start()].strip()),
               re.sub(r"^/[/*]+[<!]?", "", comment.split("\n", 1)[0]).strip())


def of_hash(text: str) -> Iterator[tuple[int, int, bool, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.match(r"(.*?)(?:^|(?<=\s))# ?(\w.*|$)", line):
            yield number, found.end(1), bool(found[1].strip()), found[2].strip()


def of_python(text: str) -> Iterator[tuple[int, int, bool, str]]:
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield *token.start, bool(token.line[:token.start[1]].strip()), token.string.lstrip("#").strip()
        elif token.type == tokenize.STRING and token.string.startswith('"""') and before != tokenize.OP:
            yield *token.start, False, token.string[3:].split("\n", 1)[0].strip()
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            before = token.type


def faults(path: pathlib.Path) -> Iterator[tuple[int, str]]:
    text = path.read_text(errors="replace")
    lines = of_c(text) if path.suffix in C_LIKE else of_python(text) if path.suffix == ".py" else of_hash(text)
    last = None
    for number, column, behind, words in lines:
        if words.startswith("SPDX-License-Identifier"):
            continue
        # A line below one of the same column goes on with that comment.
        goes_on = (number - 1, column) == last and not behind
        last = (number, column)
        if goes_on:
            continue
        found = (BEHIND if behind else ABOVE).match(words)
        if found:
            yield number, f"begin with a noun or a verb, not with '{found[0]}'"
        elif number <= 2 and SEE.match(words):
            yield number, f"say what the file does, not '{SEE.match(words)[0]}'"


def main() -> int:
    files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=TOP, capture_output=True, text=True,
                           check=True).stdout.split("\n")
    wrong = checked = 0
    for name in filter(None, files):
        path = TOP / name
        named = path.suffix not in {"", ".txt"} or path.name in {"CMakeLists.txt", "Makefile"} or name == ".ci/run"
        if name == "tests/scripts/check_comments_test.sh":  # it has wrong ones
            continue
        if not named or path.suffix not in C_LIKE | HASH | {".py"} or path.is_symlink() or not path.is_file():
            continue
        checked += 1
        for number, what in faults(path):
            print(f"{name}:{number}: {what}")
            wrong += 1
    print(f"comments: {checked} files", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
