#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the JSON Schema of Dwell's documents from the tables of docs/reference/json.md.

docs/json-schema.py [JSON.md] prints it. A field of the page is required, and no other is allowed. Where the meaning of
a field is a list of words in code, these are its values.
"""
import json
import re
import sys
from pathlib import Path

SIMPLE = {"integer", "number", "string", "boolean"}


def words_of(meaning):
    """The words of "`a`, `b` or `c`", perhaps with more behind a semicolon or a colon; else none."""
    found = re.match(r"(`[^`]+`(?:, `[^`]+`)* or `[^`]+`)(?:$|[;:])", meaning)
    if not found or "(" in meaning:
        return []
    return re.findall(r"`([^`]+)`", found.group(1))


def schema_of_type(text, meaning):
    null = text.endswith(" or null")
    kind = text.removesuffix(" or null")
    if kind.startswith("array of "):
        element = kind.removeprefix("array of ")
        return {"type": "array", "items": schema_of_type(element, "")}
    if kind == "array":
        return {"type": "array"}
    if kind not in SIMPLE:
        raise SystemExit(f"type '{text}' is not known")
    words = words_of(meaning) if kind == "string" else []
    if words:
        return {"enum": words + ([None] if null else [])}
    return {"type": [kind, "null"] if null else kind}


def new_object():
    return {"type": "object", "additionalProperties": False, "required": [], "properties": {}}


def member(parent, name, make):
    if name not in parent["properties"]:
        parent["properties"][name] = make()
        parent["required"].append(name)
    return parent["properties"][name]


def add_field(root, path, schema):
    at = root
    *parents, last = path.split(".")
    for name in parents:
        if name.endswith("[]"):
            at = member(at, name[:-2], lambda: {"type": "array", "items": new_object()})["items"]
        else:
            at = member(at, name, new_object)
    member(at, last.removesuffix("[]"), lambda: schema)


def kinds_of(page):
    """The objects by heading, and the headings by document: two documents may have one table."""
    kinds, documents, kind = {}, {}, None
    for line in page.splitlines():
        if line.startswith("## "):
            kind = line[3:].strip()
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        if not line.startswith("| `") or len(cells) < 3:
            continue
        path, text, meaning = cells[0].strip("`"), cells[1], "|".join(cells[2:])
        schema = schema_of_type(text, meaning)
        if path == "schema":
            schema = {"const": 1}
        if path == "document":
            words = words_of(meaning) or [kind]
            documents.update({word: kind for word in words})
            schema = {"enum": words} if len(words) > 1 else {"const": kind}
        add_field(kinds.setdefault(kind, new_object()), path, schema)
    return kinds, documents


def main():
    default = Path(__file__).resolve().parents[2] / "docs/reference/json.md"
    kinds, documents = kinds_of(Path(sys.argv[1] if len(sys.argv) > 1 else default).read_text(encoding="utf-8"))
    names = {kind: kind.replace(" ", "_") for kind in kinds}
    print(json.dumps({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Reports of dwell, schema 1",
        "description": "Made by scripts/docs/json-schema.py from docs/reference/json.md",
        "type": "object",
        "required": ["schema", "version", "document"],
        "properties": {"schema": {"const": 1}, "document": {"enum": list(documents)}},
        "allOf": [
            {"if": {"required": ["document"], "properties": {"document": {"const": document}}},
             "then": {"$ref": f"#/$defs/{names[kind]}"}} for document, kind in documents.items()
        ],
        "$defs": {names[kind]: schema for kind, schema in kinds.items()},
    }, indent=1))


main()
