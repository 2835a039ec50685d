# SPDX-License-Identifier: MIT
# The fenced blocks of a Markdown page and what the comments before them say to check/docs.py:
#   <!-- test: skip REASON -->        is not run; the reason is printed
#   <!-- test: needs THING -->        runs where THING is there, else is skipped: a matrix of
#                                     SuiteSparse (NAME.mtx.gz), cuda (a build with CUDA), a Python module
#   <!-- test: status N -->           the exit status of the last command of a console block (else 0)
#   <!-- test: args WORD... -->       of a C++ program
#   <!-- test: file NAME -->          the text is written there before the page runs
#   <!-- test: nvcc -->               C++ that is compiled by nvcc where there is one, and not run
#   <!-- test: given
#   ... -->                           lines that stand before the block's own and are not shown
import re
from dataclasses import dataclass, field
from pathlib import Path

RUN = ("console", "sh", "cpp", "python")
SHOWN = ("text", "cmake", "json", "toml", "c", "csv", "make")
ORDERS = ("skip", "needs", "status", "args", "file", "nvcc", "given")


@dataclass
class Block:
    page: Path
    line: int  # number of the text's first line
    language: str
    text: str
    orders: dict = field(default_factory=dict)

    @property
    def place(self):
        return f"{self.page}:{self.line}"


def blocks_of(page, name):
    """All fenced blocks of the file `page`, called `name` in messages. Raises ValueError for an order that there is not."""
    found, orders, lines = [], {}, page.read_text(encoding="utf-8").split("\n")
    i = 0
    while i < len(lines):
        line = lines[i]
        if line.lstrip().startswith("<!-- test:"):
            begin = i
            while "-->" not in lines[i]:
                i += 1
            words = "\n".join(lines[begin:i + 1]).lstrip().removeprefix("<!-- test:").rpartition("-->")[0]
            order, _, value = words.lstrip().partition("\n" if words.strip().startswith("given") else " ")
            if order.strip() not in ORDERS:
                raise ValueError(f"{name}:{begin + 1}: expected test: {', '.join(ORDERS)}, found {order.strip()}")
            orders[order.strip()] = value.strip("\n") if order.strip() == "given" else value.strip()
        elif fence := re.match(r"( *)(```+)(.*)$", line):
            indent, marks, info = fence.groups()
            begin = i + 1
            i += 1
            while i < len(lines) and lines[i].strip() != marks:
                i += 1
            text = "\n".join(part.removeprefix(indent) for part in lines[begin:i])
            if not info.startswith("{"):  # else a directive of MyST
                found.append(Block(name, begin + 1, info.strip(), text, orders))
            orders = {}
        elif line.strip() and orders:
            raise ValueError(f"{name}:{i + 1}: expected a block after <!-- test: ... -->, found other text")
        i += 1
    for block in found:
        if block.language not in RUN + SHOWN:
            raise ValueError(f"{block.place}: expected a block of {', '.join(RUN + SHOWN)}, found "
                             f"'{block.language}'")
    return found
