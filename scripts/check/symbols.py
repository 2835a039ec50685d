#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What shared libraries export: check/symbols.py HEADERS LIBRARY...

HEADERS is a text file with the paths of the installed headers. Every exported name must be a function that one of them
marks DWELL_API or a member of a type so marked, and every marked name must be exported by a library. Prints what is
not so, and exits 1.
"""
import re
import subprocess
import sys


def marked(header):
    """(types, functions and variables) that a header marks."""
    with open(header, encoding="utf-8") as file:
        text = re.sub(r"//[^\n]*", "", file.read())
    text = re.sub(r"^\s*#[^\n]*(?:\\\n[^\n]*)*", "", text, flags=re.M)
    types = set(re.findall(r"\b(?:struct|class) DWELL_API (\w+)", text))
    others = set(re.findall(r"(?<!struct )(?<!class )DWELL_API\b[^;{()]*?(?:\w+::)?(\w+)\s*(?:<[\w, ]*>)?(?=[(;])", text))
    return types, others


def without(text, opening, closing):
    """text without what stands in such brackets."""
    kept, depth = "", 0
    for c in text:
        depth += c == opening
        if depth == 0:
            kept += c
        depth -= c == closing
    return kept


def parts(symbol):
    """["npy_reader", "values"] of "grid<float> dwell::npy_reader::values<float>() const"."""
    name = re.sub(r"^(typeinfo name for|typeinfo for|vtable for) ", "", symbol)
    name = without(name.replace("operator()", "operator_call").replace("[abi:cxx11]", ""), "<", ">")
    name = name.split("(")[0].split(" ")[-1]
    return name.split("::")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        headers = file.read().split()
    types, others, for_cuda = set(), set(), set()
    for header in headers:
        t, o = marked(header)
        types |= t
        others |= o
        if re.search(r"cuda[^/]*$|\.cuh$", header):
            for_cuda |= t | o
    if not types or not others:
        sys.exit(f"{sys.argv[0]}: no name is marked DWELL_API in the {len(headers)} headers of {sys.argv[1]}")

    wrong, seen, count = [], set(), 0
    for library in sys.argv[2:]:
        lines = subprocess.run(["nm", "-DC", "--defined-only", library], check=True, capture_output=True, text=True)
        for line in lines.stdout.splitlines():
            kind, symbol = line[17:18], line[19:].split("@@")[0]
            if kind == "A":  # the version itself
                continue
            count += 1
            name = parts(symbol)
            known = name[0] == "dwell" and any(
                p in types or (p in others and i == len(name) - 2) for i, p in enumerate(name[1:]))
            if symbol.startswith("dwell_") and symbol in others:
                known, name = True, ["", symbol]
            if not known:
                wrong.append(f"{library}: exports what no installed header marks: {symbol}")
            seen.update(name[1:])
    for name in sorted((types | others) - seen - for_cuda):
        wrong.append(f"marked DWELL_API and exported by no library: {name}")
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    if count == 0:
        sys.exit(f"{sys.argv[0]}: nothing is exported")
    if wrong:
        sys.exit(1)
    print(f"symbols: {count} exported, all of {len(types)} types and {len(others)} functions and variables")


main()
