# SPDX-License-Identifier: MIT
"""A definition in words and formulas, for people."""
from __future__ import annotations

from typing import Any

from ._tape import LEAVES, Node, Tape, operands

# Signs and ranks: what binds more has the higher one, as in Python.
_INFIX = {"add": ("+", 4), "sub": ("-", 4), "mul": ("*", 5), "div": ("/", 5), "lt": ("<", 1), "le": ("<=", 1),
          "gt": (">", 1), "ge": (">=", 1), "eq": ("==", 1), "ne": ("!=", 1), "and": ("&", 3), "or": ("|", 2)}
_ATOM = 9
_WIDTH = 96  # the limit of a formula; a longer one is cut into named parts


def formulas(tape: Tape, stage: int) -> list[tuple[str, str]]:
    """(name, formula) of a stage: parts that are used more than once or too long to read first, then the new values."""
    roots = [node for _, node in tape.stages[stage]]
    uses: dict[int, int] = {}
    stack = list(roots)
    reached = set[int]()
    while stack:
        k = stack.pop()
        uses[k] = uses.get(k, 0) + 1
        if k not in reached:
            reached.add(k)
            stack += operands(tape.nodes[k])
    texts: dict[int, tuple[str, int]] = {}
    parts: list[tuple[str, str]] = []
    for k in sorted(reached):
        text, rank = _text(tape, tape.nodes[k], texts)
        if tape.nodes[k][0] not in LEAVES and k not in roots and (uses[k] > 1 or len(text) > _WIDTH):
            parts.append((f"t{len(parts) + 1}", text))
            text, rank = parts[-1][0], _ATOM
        texts[k] = text, rank
    return parts + [(tape.fields[field], texts[node][0]) for field, node in tape.stages[stage]]


def _text(tape: Tape, node: Node, texts: dict[int, tuple[str, int]]) -> tuple[str, int]:
    op, *rest = node
    if op == "constant":
        short = f"{rest[0]:g}"
        return short if float(short) == rest[0] else repr(rest[0]), _ATOM if rest[0] >= 0 else 4
    if op == "parameter":
        return tape.parameters[rest[0]], _ATOM
    if op == "tap":
        offsets = f"[{', '.join(map(str, rest[1]))}]" if any(rest[1]) else ""
        return (tape.fields + tape.coefficients)[rest[0]] + offsets, _ATOM
    if op in _INFIX:
        sign, rank = _INFIX[op]
        left, right = (texts[k] for k in rest)
        a = left[0] if left[1] >= rank else f"({left[0]})"
        b = right[0] if right[1] > rank else f"({right[0]})"
        a = f"({left[0]})" if rank == 1 == left[1] else a  # a < b < c would be another thing
        return f"{a} {sign} {b}", rank
    if op in ("neg", "not"):
        inner, rank = texts[rest[0]]
        return ("-" if op == "neg" else "~") + (inner if rank >= _ATOM else f"({inner})"), 6
    return f"{op}({', '.join(texts[k][0] for k in rest)})", _ATOM


def words_of(tape: Tape, radius: int, flops: int, defaults: dict[str, Any]) -> str:
    def names(group: tuple[str, ...]) -> str:
        return ", ".join(name + (f" = {defaults[name]:g}" if name in defaults else "") for name in group)

    rows = [(tape.name, f"{tape.dims}-D, radius {radius}, {flops} operations per cell and step"),
            ("fields", names(tape.fields))]
    rows += [(what, names(group)) for what, group in (("coefficients", tape.coefficients), ("parameters", tape.parameters))
             if group]
    for stage in range(len(tape.stages)):
        label = f"stage {stage + 1}" if len(tape.stages) > 1 else "step"
        for name, text in formulas(tape, stage):
            rows.append((label, f"{name} = {text}"))
            label = ""
        changed = {field for field, _ in tape.stages[stage]}
        kept = [name for k, name in enumerate(tape.fields) if k not in changed]
        if kept:
            rows.append((label, f"{', '.join(kept)} kept"))
    return "\n".join(f"{label:<16} {text}" for label, text in rows)
