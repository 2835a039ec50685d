#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes what the manual says of the fields of reports from the tables of the library.

docs/report-tables.py [--check] PROGRAM, which is tests/report_tables of a build: the tables of docs/reference/reports.md,
and the rows of docs/reference/json.md that are fields of reports. --check changes nothing, and fails where a page is not
what would be written. docs/reference/dwell.schema.json is made of json.md by json-schema.py.
"""
import json
import re
import subprocess
import sys
from pathlib import Path

REFERENCE = Path(__file__).resolve().parents[2] / "docs/reference"


def listed(words):
    quoted = [f"`{word}`" for word in words]
    return quoted[0] if len(quoted) == 1 else ", ".join(quoted[:-1]) + " or " + quoted[-1]


def meaning_of(row, for_json):
    text = row["help"]
    if row["words"]:
        text = f"{listed(row['words'])}: {text}"
    if row["none"]:
        text += f"; {'null' if for_json else 'none'} where {row['none']}"
    return text.replace("|", "\\|")


def json_rows(tables):
    """By heading of json.md: type and meaning of the fields that are the report's."""
    out = {}
    for kind, rows in tables.items():
        fields = out[kind] = {}
        for row in rows:
            for path in (row["json"], row["json_column"] and "right_hand_sides[]." + row["json_column"]):
                if path:
                    fields[path] = (row["json_type"], meaning_of(row, True))
    return out


def json_page(page, fields_of):
    kind, widths, lines, met = None, (0, 0), [], set()
    for line in page.split("\n"):
        if line.startswith("## "):
            kind = line[3:].strip()
        if line.startswith("| field"):
            cells = line.split("|")
            widths = (len(cells[1]) - 2, len(cells[2]) - 2)
        found = re.match(r"\| `([^`]+)`", line)
        if found and found[1] in fields_of.get(kind, {}):
            met.add((kind, found[1]))
            type_, meaning = fields_of[kind][found[1]]
            line = f"| {'`' + found[1] + '`':<{widths[0]}} | {type_:<{widths[1]}} | {meaning} |"
        lines.append(line)
    for kind, fields in fields_of.items():
        for path in fields:
            if (kind, path) not in met:
                raise SystemExit(f"{REFERENCE}/json.md: expected a row `{path}` in the table of {kind}, found none")
    return "\n".join(lines)


def table_of(rows):
    heads = ("C++ and C", "Python", "JSON", "type", "unit", "meaning")
    cells = [heads] + [(f"`{r['name']}`", "the same" if r["python"] == r["name"] else f"`{r['python']}`",
                        f"`{r['json']}`" if r["json"] else "", r["kind"], r["unit"], meaning_of(r, False)) for r in rows]
    widths = [max(len(row[k]) for row in cells) for k in range(5)]
    lines = ["| " + " | ".join([*(c.ljust(w) for c, w in zip(row, widths)), row[5]]) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (w + 2) for w in widths) + "|---------|")
    absent = {}
    for row in rows:
        for where, why in row["absent"].items():
            absent.setdefault((where, why), []).append(f"`{row['name']}`")
    reasons = {}
    for (where, why), names in absent.items():
        reasons.setdefault((why, tuple(names)), []).append(where)
    lines += [""] + [f"* Not in {' and '.join(places)}: {', '.join(names)} ({why})." for (why, names), places in
                     reasons.items()]
    return "\n".join(lines)


def reports_page(page, tables):
    for kind, rows in tables.items():
        begin, end = f"<!-- fields of {kind} -->\n", "<!-- end -->"
        if page.count(begin) != 1:
            raise SystemExit(f"{REFERENCE}/reports.md: expected one line {begin.strip()}")
        at = page.index(begin) + len(begin)
        page = page[:at] + "\n" + table_of(rows) + "\n\n" + page[page.index(end, at):]
    return page


def main():
    check = sys.argv[1] == "--check"
    tables = json.loads(subprocess.run([sys.argv[-1]], capture_output=True, text=True, check=True).stdout)
    stale = 0
    for name, write in (("json.md", lambda page: json_page(page, json_rows(tables))),
                        ("reports.md", lambda page: reports_page(page, tables))):
        file = REFERENCE / name
        old = file.read_text(encoding="utf-8")
        new = write(old)
        if new == old:
            continue
        if not check:
            file.write_text(new, encoding="utf-8")
            continue
        stale += 1
        first = next(k for k, (a, b) in enumerate(zip(old.split("\n") + [""], new.split("\n") + [""]), 1) if a != b)
        print(f"{file}:{first}: not what the tables of reports say; to renew it: scripts/docs/report-tables.py "
              f"{sys.argv[-1]}", file=sys.stderr)
    sys.exit(1 if stale else 0)


main()
