#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""docs/results/documents.md from docs/results/documents.csv and documents-figures.csv: documents.py [--check].

A row of the table has an id, what the founding documents describe, its state, and evidence: words PATH#TEXT, of which the
file must be there and have the text. What works has a test among them, what was rejected a page of results. A figure has theirs
and ours, of which the ratio is computed, and a page with ours. Exit status 1, with a line for each row that is wrong, or
(--check) where the page is another one.
"""
import csv
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE, PAGE = "docs/results/documents.csv", "docs/results/documents.md"
FIGURES = "docs/results/documents-figures.csv"
FIGURES_HEAD = """
## Their figures and ours

*Ratio*: ours over theirs, of times theirs over ours, so that more is better. The GPUs are others, of a later generation: what the ratio
has of them and what of the program the table does not say. Theirs are as the documents print them, without a run. Ours are on the
pages with their commands; files of the runs of 30 November 2026 are in [runs](runs).

| what | unit | theirs | on | ours | on | ratio | page | |
|-|-|--:|-|--:|-|--:|-|-|
"""
STATES = {"works": "works", "partly": "partly", "not": "not", "rejected": "rejected by measurement"}
HEAD = """# What the documents describe, and where Dwell stands

The documents are Zhang's dissertation of 2023 (000: synchronisation and reductions, PERKS, EBISU), SSAM (001: Chen et al. 2019),
the EBISU paper (002) and Prasetya's draft of 2022 (004) ([references](../references.md)). Each row is something that they describe. *Works*: it is there, with
a test; *partly*: not all of it; *not*: none of it; *rejected by measurement*: it was written and measured, and loses,
or all that it could gain was measured, and is less than a tenth.

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
    yield from missing(proofs)


def missing(proofs):
    """What files do not have."""
    for path, needle in proofs:
        file = ROOT / path
        if not file.is_file():
            yield f"{path}: no such file"
        elif needle not in file.read_text(encoding="utf-8"):
            yield f"{path}: expected '{needle}' in it, found none"


def wrong_with_figure(row):
    if row["better"] not in ("more", "less"):
        yield f"expected better: more or less, found '{row['better']}'"
    for name in ("theirs", "ours"):
        if not re.fullmatch(r"\d+(\.\d+)?", row[name]) or float(row[name]) == 0:
            yield f"expected {name}: a number above 0, found '{row[name]}'"
    proofs = evidence_of(row["evidence"])
    if not proofs:
        yield "expected a page, found none"
    yield from missing(proofs)


def ratio_of(row):
    ours, theirs = float(row["ours"]), float(row["theirs"])
    return ours / theirs if row["better"] == "more" else theirs / ours


def cell_of(path, needle):
    """A link; of a page as it stands beside this one."""
    name = Path(path).name
    if path.startswith("docs/"):
        up = "" if path.startswith("docs/results/") else "../"
        return f"[{name}]({up}{path.removeprefix('docs/results/').removeprefix('docs/')})"
    return f"`{name}`: `{needle}`" if path.startswith("tests/") else f"`{path}`"


def page_of(rows, figures):
    counts = ", ".join(f"{sum(r['state'] == s for r in rows)} {words}" for s, words in STATES.items())
    lines = [HEAD + f"{len(rows)} rows: {counts}.\n", "| id | what | state | evidence | |", "|-|-|-|-|-|"]
    for row in rows:
        proofs = "; ".join(dict.fromkeys(cell_of(*proof) for proof in evidence_of(row["evidence"])))
        lines.append(f"| {row['id']} | {row['what']} | {STATES[row['state']]} | {proofs} | {row['note']} |")
    shown = []
    for row in figures:
        pages = "; ".join(dict.fromkeys(cell_of(*proof) for proof in evidence_of(row["evidence"])))
        shown.append(f"| {row['what']} | {row['unit']} | {row['theirs']} | {row['card']} | {row['ours']} | {row['our card']} "
                     f"| {ratio_of(row):.3g} | {pages} | {row['note']} |")
    return "\n".join(lines) + "\n" + FIGURES_HEAD + "\n".join(shown) + "\n"


def rows_of(name):
    with open(ROOT / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="|", quoting=csv.QUOTE_NONE))


def main():
    rows, figures = rows_of(SOURCE), rows_of(FIGURES)
    wrong = [f"{SOURCE}: {row['id']}: {why}" for row in rows for why in wrong_with(row)]
    ids = [row["id"] for row in rows]
    wrong += [f"{FIGURES}: {row['what']}: {why}" for row in figures for why in wrong_with_figure(row)]
    wrong += [f"{SOURCE}: expected each id once, found {name} again" for name in ids if ids.count(name) > 1]
    if wrong:
        print("\n".join(dict.fromkeys(wrong)), file=sys.stderr)
        return 1
    page = page_of(rows, figures)
    if "--check" not in sys.argv[1:]:
        (ROOT / PAGE).write_text(page, encoding="utf-8")
    elif (ROOT / PAGE).read_text(encoding="utf-8") != page:
        print(f"{PAGE} is not that of {SOURCE}; to renew it: scripts/docs/documents.py", file=sys.stderr)
        return 1
    return 0


sys.exit(main())
