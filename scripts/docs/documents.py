#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/results/documents.md from docs/results/documents.csv: documents.py [--check].

A row of the table has an id, what the founding documents describe, its state, and evidence: words PATH#TEXT, of which the
file must be there and have the text. What works has a test among them, what was rejected a page of results. Exit status 1,
with a line for each row that is wrong, or (--check) where the page is another one.
"""
import csv
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE, PAGE = "docs/results/documents.csv", "docs/results/documents.md"
STATES = {"works": "works", "partly": "partly", "not": "not", "rejected": "rejected by measurement"}
HEAD = """# What the documents describe, and where Dwell stands

The documents are Zhang's dissertation of 2023 (000: synchronisation and reductions, PERKS, EBISU), SSAM (001: Chen et al. 2019),
the EBISU paper (002) and Prasetya's draft of 2022 (004) ([references](../references.md)). Each row is something that they describe. *Works*: it is there, with
a test; *partly*: not all of it; *not*: none of it; *rejected by measurement*: it was written and measured, and loses.

The table is made by `scripts/docs/documents.py` from `documents.csv`, and a test holds that every file and every name under
"evidence" is there (whether it passes is for the tests to say; those of GPUs need one). The rows are all of an inventory of
what the documents describe: A measuring, B concurrency, C models, D reductions, E traffic, F counters, G EBISU, H peers of stencils, I
conjugate gradients, J SSAM, K its stencils, L several GPUs, M orders of cells, O open questions, X what was overlooked at
first. T is of a later paper.

"""


def evidence_of(text):
    """Pairs of path and text, which may have blanks: a new one begins with a path."""
    return re.findall(r"(\S+?)#(.*?)(?= (?:tests|docs|apps|scripts)/|$)", text)


def wrong_with(row):
    proofs = evidence_of(row["evidence"])
    if row["state"] not in STATES:
        yield f"expected a state ({', '.join(STATES)}), found '{row['state']}'"
    if not proofs:
        yield "expected evidence, found none"
    if row["state"] == "works" and not any(path.startswith("tests/") for path, _ in proofs):
        yield "expected a test, for it works, found none"
    if row["state"] == "rejected" and not any(path.startswith("docs/") for path, _ in proofs):
        yield "expected a page of results, for it was rejected, found none"
    for path, needle in proofs:
        file = ROOT / path
        if not file.is_file():
            yield f"{path}: no such file"
        elif needle not in file.read_text(encoding="utf-8"):
            yield f"{path}: expected '{needle}' in it, found none"


def cell_of(path, needle):
    """A link; of a page as it stands beside this one."""
    name = Path(path).name
    if path.startswith("docs/"):
        up = "" if path.startswith("docs/results/") else "../"
        return f"[{name}]({up}{path.removeprefix('docs/results/').removeprefix('docs/')})"
    return f"`{name}`: `{needle}`" if path.startswith("tests/") else f"`{path}`"


def page_of(rows):
    counts = ", ".join(f"{sum(r['state'] == s for r in rows)} {words}" for s, words in STATES.items())
    lines = [HEAD + f"{len(rows)} rows: {counts}.\n", "| id | what | state | evidence | |", "|-|-|-|-|-|"]
    for row in rows:
        proofs = "; ".join(dict.fromkeys(cell_of(*proof) for proof in evidence_of(row["evidence"])))
        lines.append(f"| {row['id']} | {row['what']} | {STATES[row['state']]} | {proofs} | {row['note']} |")
    return "\n".join(lines) + "\n"


def main():
    with open(ROOT / SOURCE, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="|", quoting=csv.QUOTE_NONE))
    wrong = [f"{SOURCE}: {row['id']}: {why}" for row in rows for why in wrong_with(row)]
    ids = [row["id"] for row in rows]
    wrong += [f"{SOURCE}: expected each id once, found {name} again" for name in ids if ids.count(name) > 1]
    if wrong:
        print("\n".join(dict.fromkeys(wrong)), file=sys.stderr)
        return 1
    page = page_of(rows)
    if "--check" not in sys.argv[1:]:
        (ROOT / PAGE).write_text(page, encoding="utf-8")
    elif (ROOT / PAGE).read_text(encoding="utf-8") != page:
        print(f"{PAGE} is not that of {SOURCE}; to renew it: scripts/docs/documents.py", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
