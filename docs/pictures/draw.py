#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the pictures of docs/concepts.md and the README: `docs/pictures/draw.py` writes NAME.svg beside itself,
`docs/pictures/draw.py NAME...` some of them. Only the standard library is needed. Every picture is a card with a
background of its own, and follows the viewer's light or dark colour scheme."""
import itertools
import json
import math
import pathlib
import sys

LIGHT = dict(card="#ffffff", edge="#d0d7de", ink="#1f2328", soft="#59636e", line="#57606a", register="#9cc4f5",
             shared="#a6dcae", memory="#dfe3e8", halo="#ffc98a", cell="#f6f8fa", strong="#cf222e", fixed="#cfc4ea")
DARK = dict(card="#161b22", edge="#3d444d", ink="#f0f6fc", soft="#a5afba", line="#9aa4af", register="#2a5b96",
            shared="#2b6b3a", memory="#3a424c", halo="#92591a", cell="#21262d", strong="#ff7b72", fixed="#59497f")


def rules(colours):
    """CSS for one scheme: .f-NAME fills, .s-NAME strokes."""
    return "".join(f".f-{n}{{fill:{c}}}.s-{n}{{stroke:{c}}}" for n, c in colours.items())


STYLE = ("text{font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',Arial,sans-serif}"
         + rules(LIGHT) + "@media (prefers-color-scheme:dark){" + rules(DARK) + "}")


def escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


class Picture:
    def __init__(self, width, height, title):
        self.width, self.height, self.title, self.parts = width, height, title, []

    def rect(self, x, y, w, h, fill="cell", stroke="line", thick=1.0, round_=0, dash=None, opacity=None):
        more = f' stroke-dasharray="{dash}"' if dash else ""
        more += f' fill-opacity="{opacity}"' if opacity is not None else ""
        paint = (f"f-{fill}" if fill else "") + (f" s-{stroke}" if stroke else "")
        none = ' fill="none"' if not fill else ""
        self.parts.append(f'<rect class="{paint.strip()}" x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{round_}"'
                          f' stroke-width="{thick if stroke else 0}"{none}{more}/>')

    def line(self, x1, y1, x2, y2, stroke="line", thick=1.5, head=False, both=False, dash=None):
        more = f' stroke-dasharray="{dash}"' if dash else ""
        if head or both:
            more += f' marker-end="url(#head-{stroke})"'
        if both:
            more += f' marker-start="url(#tail-{stroke})"'
        self.parts.append(f'<line class="s-{stroke}" x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
                          f' stroke-width="{thick}"{more}/>')

    def arrow(self, x1, y1, x2, y2, **more):
        self.line(x1, y1, x2, y2, head=True, **more)

    def text(self, x, y, words, size=13, anchor="start", fill="ink", bold=False, italic=False):
        """One line, or several in a list, 1.3 sizes apart."""
        for k, row in enumerate([words] if isinstance(words, str) else words):
            more = (' font-weight="600"' if bold else "") + (' font-style="italic"' if italic else "")
            self.parts.append(f'<text class="f-{fill}" x="{x:g}" y="{y + k * 1.3 * size:g}" font-size="{size}"'
                              f' text-anchor="{anchor}"{more}>{escaped(row)}</text>')

    def box(self, x, y, w, h, words, fill="cell", size=13, bold=False, round_=4, **more):
        """A rectangle with lines of text in its middle."""
        self.rect(x, y, w, h, fill, round_=round_, **more)
        rows = [words] if isinstance(words, str) else words
        self.text(x + w / 2, y + h / 2 + 0.36 * size - 0.65 * size * (len(rows) - 1), rows, size, "middle", bold=bold)

    def legend(self, x, y, entries):
        """Squares with a word each: [(fill, word, width)]."""
        for fill, word, width in entries:
            self.rect(x, y - 11, 14, 14, fill, round_=2)
            self.text(x + 20, y, word, 12, fill="soft")
            x += width

    def svg(self):
        heads = "".join(
            f'<marker id="{kind}-{n}" viewBox="0 0 8 8" refX="{7 if kind == "head" else 1}" refY="4" markerWidth="10"'
            f' markerHeight="10" markerUnits="userSpaceOnUse" orient="auto"><path class="f-{n}" d="{d}"/></marker>'
            for n in ("line", "strong") for kind, d in (("head", "M0 0L8 4L0 8z"), ("tail", "M8 0L0 4L8 8z")))
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}"'
                f' height="{self.height}" role="img"><title>{escaped(self.title)}</title><style>{STYLE}</style>'
                f"<defs>{heads}</defs>"
                f'<rect class="f-card s-edge" x="0.5" y="0.5" width="{self.width - 1}" height="{self.height - 1}" rx="8"/>'
                + "\n".join(self.parts) + "</svg>\n")


def idea():
    p = Picture(900, 372, "A loop of launches moves all data in every step; perks moves only what neighbours need")
    for x, head, words in ((30, "One launch per step (host-loop, graph)", None),
                           (470, "One launch, data cached on the chip (perks)", None)):
        p.text(x, 34, head, 15, bold=True)
    # Left.
    p.rect(30, 52, 400, 96, "cell", round_=6, dash="4 3")
    p.text(40, 70, "chip: empty again after every launch", 12, fill="soft")
    p.rect(30, 244, 400, 52, "memory", round_=6)
    p.text(230, 274, "device memory: the whole matrix, vectors or field", 13, "middle")
    for k in range(3):
        x = 58 + k * 126
        p.box(x, 82, 92, 54, [f"step {k + 1}", "(a launch)"], "register")
        p.arrow(x + 30, 242, x + 30, 139, thick=4.5, stroke="strong")
        p.arrow(x + 62, 138, x + 62, 241, thick=4.5, stroke="strong")
        if k < 2:
            p.text(x + 109, 182, ["all", "data"], 12.5, "middle")
    p.text(30, 322, ["Time of a step: all bytes over the bandwidth of", "device memory, and a launch."], 13)
    # Right.
    p.rect(470, 52, 400, 96, "cell", round_=6)
    p.text(480, 70, "chip: registers and shared memory hold the data throughout", 12, fill="soft")
    for k in range(4):
        x = 484 + k * 97
        p.box(x, 82, 82, 54, ["subdomain", f"of team {k}"], "shared", size=12)
        if k < 3:
            p.line(x + 83, 109, x + 96, 109, both=True, thick=1.6)
    p.rect(470, 244, 400, 52, "memory", round_=6)
    p.text(670, 274, "device memory: what does not fit on the chip", 13, "middle")
    p.arrow(500, 240, 500, 140, thick=1.5, stroke="strong")
    p.arrow(514, 140, 514, 240, thick=1.5, stroke="strong")
    p.text(530, 186, ["before and after", "the run: all; in a", "step: the rest"], 12.5)
    p.text(670, 186, ["between teams: halos and", "sums, through L2 or", "from block to block"], 12.5)
    p.text(470, 322, ["Time of a step: the bytes that are left, each at the", "rate of the place where it is, and a barrier."], 13)
    p.text(30, 360, "One NVIDIA H200: device memory 4.3 TB/s, L2 7.7 TB/s, shared memory 33 TB/s (docs/results/cg-h200.md).", 12,
           fill="soft")
    return p


def teams():
    p = Picture(900, 396, "The two kinds of teams: a CPU thread, a GPU thread block")
    p.text(200, 34, "team on a GPU: one thread block", 15, bold=True)
    p.text(560, 34, "team on a CPU: one thread", 15, bold=True)
    rows = [("lane", "a thread of the block", "one turn of a loop over the lanes, which", "the compiler may turn into vectors"),
            ("value of a lane", "a register", "an element of an array", ""),
            ("scratch", "shared memory", "memory of the thread", ""),
            ("barrier of a team", "__syncthreads()", "the end of the loop over lanes", "(tests reverse the loop)"),
            ("shuffle between lanes", "a warp's shuffle", "an element of the neighbour's array", ""),
            ("grid barrier", "a counter in device memory,", "a counter and a futex", ""),
            ("flags of neighbours", "words in device memory", "the same words", "")]
    y = 56
    for name, gpu, cpu, cpu2 in rows:
        p.text(24, y + 24, name, 13, bold=True)
        p.rect(200, y, 330, 38, "register", round_=4)
        p.rect(560, y, 316, 38, "shared", round_=4)
        if name == "grid barrier":
            p.text(212, y + 16, [gpu, "or the hardware barrier of a cluster"], 12)
        else:
            p.text(212, y + 24, gpu)
        p.text(572, y + (16 if cpu2 else 24), [cpu, cpu2] if cpu2 else cpu, 12 if cpu2 else 13)
        y += 44
    p.text(24, 384, "Executors, engines and programs are written once, against a team. So a machine without a GPU runs, and tests, "
           "the GPU's protocol.", 12.5, fill="soft")
    return p


def program():
    p = Picture(900, 470, "One iteration of conjugate gradients: three phases, a grid barrier after each")
    p.text(24, 32, "Conjugate gradients, textbook form: one iteration on four teams", 15, bold=True)
    phases = [("direction", ["x += alpha p", "p = z + beta p"], "p"),
              ("apply", ["q = A p", "partial sum p.q"], "p.q, carries"),
              ("residual", ["r -= alpha q", "partial sums r.r, r.z"], "r.r, r.z")]
    for k, (name, words, out) in enumerate(phases):
        x = 110 + k * 262
        p.text(x + 92, 60, f"phase {k}: {name}", 13, "middle", bold=True)
        for t in range(4):
            p.box(x, 72 + t * 58, 184, 46, words, "register", size=12)
            p.line(x + 186, 95 + t * 58, x + 206, 95 + t * 58)
        p.rect(x + 206, 68, 12, 236, "strong", stroke=None, round_=3)
        p.text(x + 218, 322, "grid barrier", 12, "end", fill="strong")
        p.text(x + 218, 339, "then all may read", 12, "end", fill="soft")
        p.text(x + 218, 356, out, 12.5, "end", bold=True)
        if k < 2:
            for t in range(4):
                p.arrow(x + 220, 95 + t * 58, x + 258, 95 + t * 58)
    for t in range(4):
        p.text(24, 99 + t * 58, f"team {t}", 13)
        p.line(78, 95 + t * 58, 106, 95 + t * 58, head=True)
    p.text(24, 392, ["A team writes its own elements only. It reads elements and partial sums of others only after the next barrier.",
                     "Every team adds the same partial sums in the same order, so every team computes the same alpha and beta."],
           12.5, fill="soft")
    p.text(24, 438, ["Other forms: single-reduction has 2 phases and barriers; pipelined has 1, and multiplies a pair of vectors.",
                     "An executor decides what a barrier is: the end of a launch (host-loop, graph) or a barrier inside it (persistent, perks)."],
           12.5, fill="soft")
    return p


def executors():
    p = Picture(900, 504, "Six executors: where the time loop runs and where the data live")
    p.text(24, 32, "Three steps under six executors", 15, bold=True)
    names = [("naive", "plain loops, no plan", "main memory / device memory"),
             ("host-loop", "a launch per step", "device memory"),
             ("graph", "the same launches, recorded", "device memory"),
             ("persistent", "one launch, barriers inside", "device memory"),
             ("perks", "one launch, data cached", "registers and shared memory"),
             ("temporal", "a launch for many steps", "registers and shared memory")]
    p.text(640, 58, "data between two steps", 12.5, fill="soft")
    p.text(150, 58, "time", 12.5, fill="soft")
    p.arrow(184, 54, 330, 54)
    for k, (name, words, place) in enumerate(names):
        y = 74 + k * 66
        p.text(24, y + 20, name, 14, bold=True)
        p.text(24, y + 38, words, 11.5, fill="soft")
        if name in ("naive", "host-loop"):
            for s in range(3):
                x = 220 + s * 136
                p.rect(x, y + 4, 26, 34, "halo", round_=3)
                p.box(x + 30, y + 4, 84, 34, f"step {s + 1}", "register", size=12)
        elif name == "graph":
            p.rect(220, y + 4, 26, 34, "halo", round_=3)
            for s in range(3):
                p.box(250 + s * 98, y + 4, 84, 34, f"step {s + 1}", "register", size=12)
                if s < 2:
                    p.arrow(336 + s * 98, y + 21, 346 + s * 98, y + 21)
        elif name == "temporal":
            p.rect(220, y + 4, 26, 34, "halo", round_=3)
            for s in range(3):
                p.box(250 + s * 24, y + s * 14, 58, 14, f"step {s + 1}", "shared", size=10.5, round_=0)
        else:
            p.rect(220, y + 4, 26, 34, "halo", round_=3)
            wide = 84 if name == "persistent" else 58
            for s in range(3):
                x = 250 + s * (wide + 8)
                p.box(x, y + 4, wide, 34, f"step {s + 1}", "register" if name == "persistent" else "shared", size=12, round_=0)
                if s < 2:
                    p.rect(x + wide, y + 4, 8, 34, "strong", stroke=None)
        p.box(640, y + 4, 236, 34, place, "shared" if name in ("perks", "temporal") else "memory", size=12)
    p.legend(24, 486, [("halo", "launch from the host", 170), ("register", "step: loads and stores everything", 240),
                       ("shared", "step: loads and stores what is not cached", 284), ("strong", "barrier or flags", 120)])
    return p


def step():
    p = Picture(900, 400, "Engine step: no team owns cells; tiles are dealt in every step")
    p.text(24, 32, "step: the whole field in every step, in tiles that any team may take", 15, bold=True)
    dealt = [0, 1, 2, 3, 0, 1, 2, 3, 1, 0, 3, 2]
    shades = ["register", "shared", "halo", "fixed"]
    for side, (x0, head) in enumerate(((24, "copy A of the field: read in this step"), (500, "copy B: written in this step"))):
        p.text(x0, 60, head, 13)
        for k in range(12):
            x, y = x0 + k % 4 * 94, 72 + k // 4 * 72
            p.rect(x, y, 94, 72, "memory" if side == 0 else shades[dealt[k]])
            if side == 1:
                p.text(x + 47, y + 40, f"team {dealt[k]}", 12, "middle")
    p.rect(24 + 94 - 10, 72 + 72 - 10, 114, 92, "register", stroke="strong", thick=2, opacity=0.55)
    p.text(24 + 141, 72 + 112, "tile + R cells", 12, "middle")
    p.rect(594, 144, 94, 72, None, stroke="strong", thick=2.5)
    p.arrow(226, 180, 496, 180, stroke="strong", thick=2)
    p.text(450, 172, "one step", 12, "middle", fill="strong")
    p.text(24, 318, ["A team reads a tile and the R cells around it from one copy, and writes the tile into the other. Nothing is cached but what",
                     "L1 and L2 cache. The next step begins when all tiles are done: at the end of a launch (naive, host-loop, graph), at a grid",
                     "barrier (persistent), or, under perks, as soon as the flags of the tile and of the tiles around it are up (dataflow: no barrier)."],
           12.5, fill="soft")
    p.text(24, 384, "R: the radius of the stencil. Exchanged: everything, through device memory and L2.", 12.5)
    return p


def register_tile2d():
    p = Picture(900, 470, "Engine register_tile2d: a team owns a tile and computes a redundant halo around it")
    p.text(24, 32, "register_tile2d: a tile per team, a redundant halo of depth x R cells, an exchange every depth steps", 15, bold=True)
    # The grid of subdomains.
    p.text(24, 60, "subdomains of nine teams", 13)
    for k in range(9):
        p.rect(24 + k % 3 * 84, 72 + k // 3 * 84, 84, 84, "cell")
        p.text(66 + k % 3 * 84, 118 + k // 3 * 84, f"team {k}", 12, "middle", fill="soft")
    p.rect(24 + 84 - 18, 72 + 84 - 18, 120, 120, "halo", stroke="strong", thick=2, opacity=0.75)
    p.rect(108, 156, 84, 84, "register")
    p.text(150, 202, "team 4", 12, "middle", bold=True)
    p.text(24, 346, ["Team 4 holds the whole framed tile.", "Its halo belongs to its eight neighbours;", "team 4 computes it too."], 12.5, fill="soft")
    # The tile, warp by warp.
    x, y, w = 330, 72, 250
    p.text(x, 60, "the tile of one team: 8 warps, a strip of rows each", 13)
    for k in range(8):
        p.rect(x, y + k * 32, w, 18, "register")
        p.rect(x, y + k * 32 + 18, w, 7, "shared")
        p.rect(x, y + k * 32 + 25, w, 7, "memory")
        p.text(x + w + 8, y + k * 32 + 21, f"warp {k}", 12, fill="soft")
    p.rect(x, y, w, 256, None, stroke="strong", thick=2)
    p.rect(x + 18, y + 18, w - 36, 220, None, stroke="line", thick=1.5, dash="5 4")
    p.text(x, 346, ["128 columns: 4 for each of 32 lanes. First rows in", "registers, others in shared memory, others stream.",
                    "Small tiles are in registers whole."], 12.5, fill="soft")
    # What depth means.
    x = 690
    p.text(x, 60, "valid cells", 13)
    for k, words in enumerate((["after the", "exchange"], ["one step", "later"], ["two steps", "later", "(depth 2)"])):
        s = 84 - k * 24
        yy = 72 + k * 92
        p.rect(x, yy, 84, 84, "halo", stroke="strong", thick=1.5, opacity=0.3)
        p.rect(x + 12 * k, yy + 12 * k, s, s, "halo", stroke="line", opacity=0.85)
        p.rect(x + 24, yy + 24, 36, 36, "register")
        p.text(x + 94, yy + 38, words, 12, fill="soft")
    p.legend(24, 420, [("register", "own cells; rows in registers", 220), ("halo", "redundant halo", 140), ("shared", "rows in shared memory", 186),
                       ("memory", "rows that stream", 150)])
    p.text(24, 452, "Exchanged, through the field and with flags: the frame of depth x R cells on each side of a tile's border, corners included.", 12.5)
    return p


def strip2d():
    p = Picture(900, 448, "Engine strip2d: a warp owns a subdomain that is fully cached, and exchanges its edges in every step")
    p.text(24, 32, "strip2d: a subdomain per warp, fully cached, no redundant halo, an exchange in every step", 15, bold=True)
    p.text(24, 60, "subdomains of warps (t.w: warp w of team t)", 13)
    for k in range(12):
        x, y = 24 + k % 3 * 112, 72 + k // 3 * 62
        p.rect(x, y, 112, 62, "register" if k == 4 else "cell")
        p.text(x + 56, y + 36, f"{k % 4}.{k // 4}", 12, "middle", bold=k == 4, fill="ink" if k == 4 else "soft")
    p.rect(24 + 112, 72 + 62, 112, 62, None, stroke="strong", thick=2.5)
    p.rect(24 + 112 - 12, 72 + 62 - 12, 136, 12, "halo", opacity=0.85)
    p.rect(24 + 112 - 12, 72 + 124, 136, 12, "halo", opacity=0.85)
    p.rect(24 + 112 - 12, 72 + 62, 12, 62, "halo", opacity=0.85)
    p.rect(24 + 224, 72 + 62, 12, 62, "halo", opacity=0.85)
    p.text(24, 344, ["Dealt to teams in turn, so neighbours are of different teams.", "Read of others: R cells all around (orange)."], 12.5, fill="soft")
    x, y, w = 420, 72, 250
    p.text(x, 60, "one subdomain, at most 128 columns", 13)
    parts = [("register", 92, "rows in registers"), ("shared", 118, "rows in shared memory"), ("memory", 38, "last rows, at most R: in the field")]
    yy = y
    for fill, h, words in parts:
        p.rect(x, yy, w, h, fill)
        p.text(x + w / 2, yy + h / 2 + 5, words, 12.5, "middle")
        yy += h
    p.rect(x, y, 14, yy - y, "halo", opacity=0.6)
    p.rect(x + w - 14, y, 14, yy - y, "halo", opacity=0.6)
    p.rect(x, y, w, 14, "halo", opacity=0.6)
    p.text(x, 344, ["What neighbours read (R cells from an edge) is stored", "into the field, too. Nothing else leaves the chip."], 12.5, fill="soft")
    x = 720
    p.text(x, 60, "one step", 13)
    for k in range(9):
        p.rect(x, 72 + k * 26, 60, 26, "halo" if k < 1 or k > 7 else "cell")
    p.arrow(x + 74, 78, x + 74, 300, thick=2, stroke="strong")
    p.text(x + 84, 110, ["rows come", "in from the", "top; each", "adds to the", "partial sums", "of 2R + 1", "rows, and", "completes", "the one R", "above it"], 12, fill="soft")
    p.legend(24, 398, [("register", "registers", 110), ("shared", "shared memory", 140), ("memory", "field (L2)", 110), ("halo", "read by, or from, neighbours", 220)])
    p.text(24, 430, "Exchanged in every step, through the field and with a flag per warp: R cells from each edge, with up to eight neighbours.", 12.5)
    return p


def block3d():
    p = Picture(900, 448, "Engine block3d: a team owns a block of planes that is fully cached, and exchanges its faces in every step")
    p.text(24, 32, "block3d: a block per team, fully cached, no redundant halo, an exchange in every step", 15, bold=True)
    # Isometric stack of planes.
    p.text(24, 60, "the planes of one block, up to 64 x 32 cells each", 13)
    fills = ["register"] * 4 + ["shared"] * 5
    for k, fill in reversed(list(enumerate(fills))):
        x, y = 40 + k * 26, 100 + k * 20
        p.parts.append(f'<polygon class="f-{fill} s-line" stroke-width="1" points="{x},{y} {x + 120},{y - 26} {x + 120},{y + 40}'
                       f' {x},{y + 66}"/>')
    p.text(40, 216, ["first planes:", "registers"], 12.5, "start")
    p.text(276, 140, ["other planes:", "shared memory"], 12.5, fill="ink")
    p.arrow(60, 270, 200, 350, stroke="strong", thick=2)
    p.text(24, 372, "a step goes through the planes, z upwards", 12.5, fill="soft")
    # One plane.
    x, y = 440, 92
    p.text(x - 20, 60, "one plane: 8 warps, 2 x 4 cells a lane", 13)
    p.rect(x - 16, y - 16, 252, 224, "halo", opacity=0.8)
    for k in range(8):
        p.rect(x, y + k * 24, 220, 24, "cell")
        p.text(x + 110, y + k * 24 + 17, f"warp {k}", 12, "middle", fill="soft")
    p.text(x - 20, 338, ["Orange: R cells of neighbours' planes, brought", "by asynchronous copies some planes ahead.",
                         "Rows of other warps: read in shared memory.", "One barrier of the team per plane."], 12.5, fill="soft")
    x = 760
    p.text(x - 20, 60, "partial sums", 13)
    for k in range(7):
        p.rect(x, 72 + k * 34, 60, 34, "register" if k in (3, 4, 5) else "cell")
    p.text(x + 30, 72 + 4 * 34 + 22, "z", 12.5, "middle", bold=True)
    p.text(x + 30, 72 + 3 * 34 + 22, "z - 1", 12.5, "middle")
    p.text(x + 30, 72 + 5 * 34 + 22, "z + 1", 12.5, "middle")
    p.text(x - 20, 338, ["R = 1: plane z adds", "to the sums of three", "planes, and completes", "plane z - 1."], 12.5, fill="soft")
    p.legend(24, 410, [("register", "planes in registers", 160), ("shared", "planes in shared memory", 196), ("halo", "halo, from the field", 170)])
    p.text(24, 436, "Exchanged in every step, through the field and with a flag per team: R cells from each face (boxes: edges and corners too).", 12.5)
    return p


def stream():
    p = Picture(900, 470, "A temporal stream: one pass over the layers does several time steps")
    p.text(24, 32, "temporal stream: one pass over the layers does several time steps (R = 1, three time steps)", 15, bold=True)
    x0, y0, c = 120, 90, 44
    p.text(24, 76, "time step", 12.5, fill="soft")
    for t in range(4):
        yy = y0 + (3 - t) * 58
        p.text(24, yy + 26, f"t + {t}" if t else "t (loaded)", 13)
        for j in range(12):
            done = j <= 9 - t
            now = j == 9 - t
            p.rect(x0 + j * c, yy, c - 4, 38, "register" if now else "cell" if not done else "memory", stroke="strong" if now else "line",
                   thick=2 if now else 1)
        if t:
            p.arrow(x0 + (9 - t + 1) * c + 16, yy + 58, x0 + (9 - t) * c + 26, yy + 42, stroke="strong", thick=1.8)
    p.text(x0 + 9 * c + 18, y0 + 3 * 58 + 56, "layer 9 comes in", 12.5, "middle", bold=True)
    p.text(x0 + 6 * c + 18, y0 - 8, "layer 6 goes out, three steps later", 12.5, "middle", bold=True)
    p.text(x0, y0 + 4 * 58 + 22, "layers: rows (stream2d) or planes (stream3d), from first to last", 12.5, fill="soft")
    p.arrow(x0 + 420, y0 + 4 * 58 + 18, x0 + 520, y0 + 4 * 58 + 18)
    p.text(670, 100, ["Each time step takes the", "layer that the one before it", "has just completed, and",
                      "completes the layer R before", "that one. Between two time", "steps only 2R layers are", "held, in registers."], 13)
    p.text(670, 250, ["So a cell is loaded and", "stored once in three", "steps, not three times."], 13, bold=True)
    p.legend(120, 372, [("memory", "done in this pass", 150), ("register", "completed in this turn", 180), ("cell", "still to come", 120)])
    p.text(24, 408, ["In stream3d a time step takes what the one before it left in the turn before (R + 1 layers behind, not R), so that one barrier of",
                     "the team per plane serves all time steps. Layers loaded and not cached in shared memory come by asynchronous copies, ahead of time."],
           12.5, fill="soft")
    p.text(24, 452, "The literature's terms: temporal blocking, overlapped tiling, depth (EBISU 2023).", 12.5, fill="soft")
    return p


def stream2d():
    p = Picture(900, 440, "Engine stream2d: a warp owns a subdomain and computes a redundant halo on all sides")
    p.text(24, 32, "stream2d: a subdomain per warp, several steps per pass, a redundant halo of (time steps) x R cells", 15, bold=True)
    p.text(24, 60, "subdomains of warps", 13)
    for k in range(9):
        p.rect(24 + k % 3 * 88, 72 + k // 3 * 84, 88, 84, "cell")
    p.rect(24 + 88 - 20, 72 + 84 - 20, 128, 124, "halo", stroke="strong", thick=2, opacity=0.75)
    p.rect(112, 156, 88, 84, "memory")
    p.text(156, 202, "one warp", 12, "middle", bold=True)
    p.text(24, 352, ["The warp loads and computes the framed cells,", "at most 128 columns, and owns the inner ones."], 12.5, fill="soft")
    x, y, w = 340, 72, 290
    p.text(x, 60, "where the cells of one subdomain live", 13)
    p.rect(x, y, w, 252, "halo", opacity=0.75)
    p.text(x + w / 2, y + 16, "redundant halo: published by its owners", 11.5, "middle")
    p.rect(x + 24, y + 24, w - 48, 204, "fixed")
    p.text(x + w / 2, y + 42, "own, read by neighbours: in the field", 11.5, "middle")
    p.rect(x + 52, y + 52, w - 104, 70, "shared")
    p.text(x + w / 2, y + 92, "private, shared memory", 11.5, "middle")
    p.rect(x + 52, y + 122, w - 104, 78, "memory")
    p.text(x + w / 2, y + 166, "private, streams", 11.5, "middle")
    p.text(x, 352, ["A cell lives in one place only. In every second team", "the last private rows are cached instead of the first."], 12.5, fill="soft")
    x = 690
    p.text(x, 60, "one pass", 13)
    p.rect(x, 72, 70, 252, "cell")
    for t in range(3):
        p.rect(x, 160 - t * 26, 70, 16, "register")
        p.text(x + 80, 173 - t * 26, f"time step {t + 1}", 12, fill="soft")
    p.arrow(x + 35, 182, x + 35, 316, stroke="strong", thick=2)
    p.text(x + 80, 240, ["the time steps go", "down the rows", "together"], 12, fill="soft")
    p.text(x, 352, ["No barrier inside a pass,", "only shuffles."], 12.5, fill="soft")
    p.legend(24, 396, [("halo", "redundant halo", 130), ("fixed", "own, published", 130), ("shared", "own, shared memory", 160),
                       ("memory", "own, streams", 120), ("register", "layers between two time steps, in registers", 280)])
    p.text(24, 426, "Exchanged after every pass, through the field and with a flag per warp: (time steps) x R cells from each edge, corners included.", 12.5)
    return p


def ring2d():
    p = Picture(900, 452, "Engine ring2d: rows pass through a chain of warps, each of which makes the next steps")
    p.text(24, 32, "ring2d: rows of a strip pass through a chain of warps; each makes the next steps of every row", 15, bold=True)
    p.text(24, 60, "the field, in strips", 13)
    for k in range(3):
        p.rect(24 + k * 76, 72, 100, 250, "halo", stroke=None, opacity=0.6)
    for k in range(3):
        p.rect(36 + k * 76, 72, 76, 250, "cell")
    p.rect(112, 72 + 84, 76, 96, "memory")
    p.rect(100, 72 + 72, 100, 120, None, stroke="strong", thick=2)
    p.text(150, 208, ["one team's", "run of rows"], 12, "middle")
    p.text(24, 348, ["A team computes the framed cells and owns", "the inner ones; strips overlap by their halos."], 12.5, fill="soft")
    x = 330
    p.text(x, 60, "a team: roles, and rings between them in shared memory", 13)
    p.box(x, 92, 88, 40, ["brings rows in"], "cell", size=11.5)
    p.box(x + 452, 92, 96, 40, ["puts rows out"], "cell", size=11.5)
    for w in range(3):
        at = x + 116 + w * 112
        p.box(at, 92, 80, 40, [f"warp {w}" if w < 2 else "warp 7", f"steps {3 * w + 1}-{3 * w + 3}" if w < 2 else "steps 22-24"], "register", size=11.5)
    for r, at in enumerate((x + 92, x + 200, x + 312, x + 424)):
        for q in range(3):
            p.rect(at, 88 + q * 17, 20, 15, "shared")
    p.text(x + 322, 82, "...", 14, "middle", bold=True)
    p.text(x, 172, ["A ring has slots for a few rows. A role waits for a row in the ring before it, and for room in", "the one behind it; for nothing else between the start and the end of a launch."], 12.5, fill="soft")
    p.text(x, 232, "one warp, one row (2d5pt, three steps)", 13)
    y = 246
    for s in range(3):
        p.rect(x, y + s * 26, 300, 20, "register")
        p.text(x + 8, y + 15 + s * 26, f"sums of step {s + 1}: rows y - {s + 1} and y" + (f" - {s}" if s else ""), 11.5)
    p.arrow(x + 330, y - 4, x + 330, y + 80, stroke="strong", thick=2)
    p.text(x + 344, y + 16, ["row y ends the sum of row y - 1,", "which goes on to the next step,", "and begins that of row y + 1"], 12, fill="soft")
    p.text(x, 348, ["Sums stay in registers; lanes exchange only the cells at their ends, by shuffle."], 12.5, fill="soft")
    p.legend(24, 408, [("halo", "redundant halo", 130), ("memory", "own", 70), ("shared", "slots, shared memory", 170), ("register", "sums, registers", 150)])
    p.text(24, 438, "Between two launches the field lies in device memory; nothing is cached, so its size does not matter.", 12.5)
    return p


def skewed():
    p = Picture(900, 430, "Engine skewed: slabs of layers shrink with every step, and a second phase fills what they leave between them")
    p.text(24, 32, "skewed: several steps of a field in a core's caches, no cell computed twice (R = 1, 6 steps)", 15, bold=True)
    x0, y0, w, h, steps = 96, 84, 16, 30, 6
    cuts = [0, 16, 32, 48]
    shades = ["register", "shared", "register"]
    p.text(24, y0 - 14, "step", 12.5, fill="soft")
    for s in range(steps):
        y = y0 + (steps - 1 - s) * h
        p.text(40, y + 20, f"{s + 1}", 13)
        for k in range(3):
            first = cuts[k] + (s if k > 0 else 0)
            last = cuts[k + 1] - (s if k < 2 else 0)
            p.rect(x0 + first * w, y, (last - first) * w, h - 3, shades[k])
        for cut in cuts[1:3]:
            if s:
                p.rect(x0 + (cut - s) * w, y, 2 * s * w, h - 3, "halo")
    for k in range(3):
        p.text(x0 + (cuts[k] + cuts[k + 1]) / 2 * w, y0 + 3 * h + 18, f"slab of team {k}", 13, "middle", bold=True)
    for k, cut in enumerate(cuts[1:3]):
        p.text(x0 + cut * w, y0 + 18, f"team {k + 1}, later", 12.5, "middle")
    # A front that goes down the first slab.
    p.line(x0 + 5.5 * w, y0 - 4, x0 + 11.5 * w, y0 + steps * h, stroke="strong", thick=2)
    p.arrow(x0 + 14 * w, y0 + steps * h + 16, x0 + 17 * w, y0 + steps * h + 16, stroke="strong", thick=1.8)
    p.text(x0, y0 + steps * h + 21, "the front of a team goes this way", 12.5, fill="soft")
    p.text(x0 + 24 * w, y0 + steps * h + 21, "layers: rows in two dimensions, planes in three", 12.5, fill="soft")
    p.legend(96, 310, [("register", "first phase", 130), ("halo", "second phase, when all teams have done the first", 330)])
    p.text(24, 348, ["Behind the front, step s of a layer follows step s - 1 of the layer R further on: a team needs (steps + 1) x R + 1 layers at a time, and",
                     "cuts them into tiles of columns (rows of planes) that fit into a core's caches. Tiles come one after the other, skewed in the same way.",
                     "Step s goes from one copy of the field to the other, as single steps do."], 12.5, fill="soft")
    p.text(24, 414, "The literature's terms: time skewing (McCalpin, Wonnacott 1999), split tiling (Krishnamoorthy et al. 2007).", 12.5, fill="soft")
    return p


def stream3d():
    p = Picture(900, 440, "Engine stream3d: a team takes planes of 64 by 64 cells through several time steps")
    p.text(24, 32, "stream3d: a subdomain per team, planes of 64 x 64 cells, several steps per pass", 15, bold=True)
    x, y = 44, 84
    p.text(24, 60, "one plane of a team (f64)", 13)
    p.rect(x, y, 240, 240, "halo", opacity=0.75)
    for k in range(8):
        p.line(x, y + k * 30, x + 240, y + k * 30, thick=1)
        p.text(x + 250, y + k * 30 + 20, f"warp {k}", 12, fill="soft")
    p.rect(x, y, 240, 240, None, stroke="strong", thick=2)
    p.rect(x + 12, y + 12, 216, 216, "shared", opacity=0.55)
    p.text(x + 120, y + 124, "60 x 60 own cells", 13, "middle", bold=True)
    p.text(24, 348, ["Two time steps, R = 1: a redundant halo of 2", "cells on all sides. A lane has 2 x 8 cells."], 12.5, fill="soft")
    x = 400
    p.text(x, 60, "the planes of the subdomain", 13)
    for k in range(11):
        fill = "halo" if k in (0, 1, 9, 10) else "shared" if k < 5 else "memory"
        p.rect(x, 76 + k * 22, 130, 22, fill)
    p.text(x + 140, 98, "redundant halo", 12, fill="soft")
    p.text(x + 140, 158, ["cached in", "shared memory"], 12, fill="soft")
    p.text(x + 140, 222, ["stream: from one", "copy of the field", "to the other"], 12, fill="soft")
    p.text(x + 140, 302, "redundant halo", 12, fill="soft")
    p.text(x, 348, ["In every second team the last planes", "are cached instead of the first."], 12.5, fill="soft")
    x = 668
    p.text(x, 60, "one turn: plane j comes in", 13)
    steps = [("fetches of plane j have arrived", "cell"), ("barrier of the team", "strong"), ("time step 1 takes plane j", "register"),
             ("time step 2 takes what", "register"), ("a plane is stored; the next", "cell")]
    more = ["", "", "", "step 1 left last turn", "fetch begins"]
    for k, (words, fill) in enumerate(steps):
        yy = 76 + k * 50
        if fill == "strong":
            p.rect(x, yy + 12, 208, 10, "strong", stroke=None, round_=3)
            p.text(x + 104, yy + 38, words, 12, "middle", fill="strong")
        else:
            p.box(x, yy, 208, 42, [words, more[k]] if more[k] else words, fill, size=12)
    p.text(x, 348, ["Rows above and below a warp are", "read in shared memory."], 12.5, fill="soft")
    p.legend(24, 396, [("halo", "redundant halo", 130), ("shared", "own, shared memory", 160), ("memory", "own, streams", 120),
                       ("register", "in registers", 120)])
    p.text(24, 426, "Exchanged after every pass, through the field and with a flag per team: (time steps) x R cells from each face, edges and corners "
           "included.", 12.5)
    return p


def ghosts():
    p = Picture(900, 400, "A matrix under perks: nonzero tiles and the ghost vector")
    p.text(24, 32, "A matrix under perks: equal parts of the merge path, nonzero tiles, a ghost vector", 15, bold=True)
    x, y = 24, 72
    p.text(x, 60, "matrix, cut by rows + nonzeros", 13)
    cuts = [0, 66, 120, 196, 252]
    shades = ["register", "shared", "halo", "fixed"]
    for t in range(4):
        p.rect(x, y + cuts[t], 252, cuts[t + 1] - cuts[t], "cell")
        p.text(x + 262, y + (cuts[t] + cuts[t + 1]) / 2 + 5, f"team {t}", 12, fill="soft")
        p.rect(x + cuts[t], y + cuts[t], cuts[t + 1] - cuts[t], cuts[t + 1] - cuts[t], shades[t])
    for i, j in ((10, 150), (40, 100), (90, 20), (100, 210), (150, 60), (160, 230), (215, 30), (230, 150), (30, 235), (205, 110)):
        p.rect(x + j, y + i, 7, 7, "line", stroke=None)
    p.text(x, 348, ["Blocks on the diagonal: elements of p that the", "team owns. Dots: elements of other teams."], 12.5, fill="soft")
    x = 360
    p.text(x, 60, "one team: nonzero tiles of 256", 13)
    for k in range(8):
        fill = "register" if k < 2 else "shared" if k < 5 else "memory"
        p.box(x, 76 + k * 31, 176, 26, f"tile {k}: 8 per lane", fill, size=12)
    p.text(x, 348, ["In registers, in shared memory,", "or streamed: the policy decides."], 12.5, fill="soft")
    x = 610
    p.text(x, 60, "one team: elements of p it multiplies", 13)
    p.rect(x, 76, 170, 40, "register")
    p.text(x + 85, 101, "own elements", 12.5, "middle")
    p.rect(x + 170, 76, 90, 40, "halo")
    p.text(x + 215, 101, "ghosts", 12.5, "middle")
    p.text(x, 140, ["Fully cached in a cluster: both in shared", "memory, and owners store each element", "into the blocks that multiply it.",
                    "Else p lies in device memory (L2), and a", "barrier stands between write and read."], 12.5, fill="soft")
    for k in range(4):
        p.box(x + k * 66, 262, 52, 36, f"team {k}", shades[k], size=12)
    p.line(x + 26, 258, x + 92, 258, both=True)
    p.line(x + 92, 248, x + 158, 248, both=True)
    p.line(x + 26, 238, x + 224, 238, both=True)
    p.text(x, 348, ["cluster exchange: from block to block,", "counted by the receiver's memory barrier"], 12.5, fill="soft")
    p.legend(24, 388, [("register", "registers / own", 140), ("shared", "shared memory", 140), ("memory", "streamed", 110), ("halo", "of other teams", 140)])
    return p


def box_order(nx, ny, w, h, mirrors=False):
    """The cells (x, y) of a grid in blocks of w x h."""
    cells = []
    for y0 in range(0, ny, h):
        for x0 in range(0, nx, w):
            for k, y in enumerate(range(y0, min(y0 + h, ny))):
                row = [(x, y) for x in range(x0, min(x0 + w, nx))]
                cells += reversed(row) if mirrors and k % 2 == 0 else row
    return cells


def hilbert_order(n):
    """The cells of a square of 2^k along a Hilbert curve: four curves of half the size, two of them turned."""
    if n == 1:
        return [(0, 0)]
    half, part = n // 2, hilbert_order(n // 2)
    return ([(y, x) for x, y in part] + [(x, y + half) for x, y in part] + [(x + half, y + half) for x, y in part]
            + [(n - 1 - y, half - 1 - x) for x, y in part])


def orders():
    p = Picture(900, 330, "Orders of cells: rows, tiles, columns, zigzag, a Hilbert curve")
    p.text(24, 34, "In which order a step takes the cells of its field", 15, bold=True)
    panels = [("rows", box_order(8, 8, 8, 8)), ("tiles:3x3", box_order(8, 8, 3, 3)), ("columns:3", box_order(8, 8, 3, 8)),
              ("zigzag:3", box_order(8, 8, 3, 8, True)), ("hilbert:1x1", hilbert_order(8))]
    size = 18
    for k, (name, cells) in enumerate(panels):
        x0, y0 = 28 + k * 174, 84
        p.text(x0, y0 - 14, name, 13, bold=True)
        number = {c: n for n, c in enumerate(cells)}
        now = number[(1, 4)]  # the cell that is taken now
        wanted = {(1 + dx, 4 + dy) for dx, dy in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1))}
        recent = set()  # the last cells of memory that tasks have read, as many as the cache holds
        held = []
        for n in range(now):
            x, y = cells[n]
            for c in ((x, y - 1), (x - 1, y), (x, y), (x + 1, y), (x, y + 1)):
                if 0 <= c[0] < 8 and 0 <= c[1] < 8:
                    if c in held:
                        held.remove(c)
                    held.append(c)
        recent = set(held[-16:])
        for y in range(8):
            for x in range(8):
                c = (x, y)
                fill = ("register" if c in recent else "halo") if c in wanted else "shared" if c in recent else "cell"
                p.rect(x0 + x * size, y0 + y * size, size, size, fill, thick=0.6)
        middle = lambda c: (x0 + (c[0] + 0.5) * size, y0 + (c[1] + 0.5) * size)
        for n in range(now):
            (x1, y1), (x2, y2) = middle(cells[n]), middle(cells[n + 1])
            if abs(x1 - x2) + abs(y1 - y2) <= 1.01 * size:
                p.line(x1, y1, x2, y2, thick=1.1)
        p.rect(x0 + 1 * size, y0 + 4 * size, size, size, None, stroke="strong", thick=2.2)
    p.legend(28, 262, [("shared", "in a cache of 16 cells", 180), ("register", "there, and read now", 170),
                       ("halo", "read now, to be fetched", 190)])
    p.text(28, 296, ["The framed cell of a five-point stencil is taken; lines show the cells before it. By rows the row above has left the cache:",
                     "three rows do not fit. By columns three rows of a column do, and only the new row is fetched."], 12.5, fill="soft")
    return p


def column_rates():
    """Figures: docs/results/columns.md."""
    p = Picture(900, 372, "Time of a step of 2d5pt on a CPU thread, by rows and by columns")
    p.text(24, 34, "2d5pt on one CPU thread: by columns over by rows", 15, bold=True)
    p.text(24, 56, "Speed of --order auto over rows (1: as fast); 16.8 million cells of f64, from 4,194,304 on more, 16,777,216 in f32", 12.5,
           fill="soft")
    figures = [("1,024", 1.00, "rows"), ("4,096", 1.00, "rows"), ("16,384", 1.00, "rows"), ("65,536", 1.00, "rows"),
               ("262,144", 1.17, "columns:37456"), ("1,048,576", 1.19, "columns:41944"), ("4,194,304", 1.59, "columns:43248"),
               ("16,777,216", 1.62, "columns:86936")]
    left, bottom, high = 70, 290, 120  # pixels for 1
    for k in (0.5, 1.0, 1.5):
        p.line(left, bottom - k * high, 870, bottom - k * high, thick=0.6, dash="3 3" if k != 1 else None)
        p.text(left - 10, bottom - k * high + 4, f"{k:g}", 12, "end", fill="soft")
    p.line(left, bottom, 870, bottom, thick=1)
    for k, (width, rate, order) in enumerate(figures):
        x = left + 22 + k * 98
        p.rect(x, bottom - rate * high, 58, rate * high, "shared" if order == "rows" else "register", round_=3)
        p.text(x + 29, bottom - rate * high - 8, f"{rate:.2f}", 12.5, "middle", bold=True)
        p.text(x + 29, bottom + 18, width, 12, "middle")
        p.text(x + 29, bottom + 35, order, 10.5, "middle", fill="soft")
    p.text(24, 352, "Width of the field in cells. Three rows of up to 87,378 cells of f64 fit the core's cache of 2 MiB: there auto takes rows.", 12.5,
           fill="soft")
    return p


def filter_rates():
    """Figures: docs/results/systolic.md."""
    taps = [2, 3, 4, 5, 7, 9, 11, 13, 15, 17, 20, 31]
    rates = [("Dwell (auto: systolic)", "strong", 3, [358, 363, 353, 332, 250, 190, 113, 76.2, 65, 55.1, 41.2, 17.8]),
             ("NPP", "register", 2, [122, 314, 87.7, 255, 45.5, 39.7, 28.2, 21.8, 16.6, 13.1, 9.53, 4.05]),
             ("cuDNN", "shared", 2, [102, 114, 66.8, 47.8, 30.4, 21.8, 14.8, 11.6, 8.65, 7.1, 5.53, 2.32]),
             ("cuFFT", "halo", 2, [13.8] * 12)]
    copy = 372
    p = Picture(900, 440, "Rates of convolutions on an H100 by the size of the filter")
    p.text(24, 34, "Filters of N x N random weights on an image of 8192 x 8192 cells of f32, one H100", 15, bold=True)
    p.text(24, 56, "GCells/s, logarithmic; calls in a row", 12.5, fill="soft")
    left, right, bottom, high = 70, 870, 360, 120  # pixels for a factor of ten

    def x(n):
        return left + (n - 2) / 29 * (right - left)

    def y(rate):
        return bottom - high * math.log10(rate / 2)

    for rate in (2, 5, 10, 20, 50, 100, 200, 500):
        p.line(left, y(rate), right, y(rate), thick=1 if rate == 2 else 0.6, dash=None if rate == 2 else "3 3")
        p.text(left - 10, y(rate) + 4, f"{rate}", 12, "end", fill="soft")
    for n in taps:
        p.line(x(n), bottom, x(n), bottom + 5, thick=1)
        p.text(x(n), bottom + 20, f"{n}", 12, "middle", fill="soft")
    p.text((left + right) / 2, bottom + 40, "N", 12.5, "middle", italic=True, fill="soft")
    p.line(left, y(copy), right, y(copy), thick=1.5, dash="7 4")
    p.text(right, y(copy) - 6, "copy of the image", 12, "end", fill="soft")
    for _, colour, thick, of in rates:
        for (n, a), (m, b) in itertools.pairwise(zip(taps, of)):
            p.line(x(n), y(a), x(m), y(b), stroke=colour, thick=thick)
        for n, a in zip(taps, of):
            p.rect(x(n) - 3, y(a) - 3, 6, 6, colour, stroke=None, round_=3)
    p.legend(left, 420, [(colour, word, 190) for word, colour, _, _ in rates])
    return p


def scaling():
    """Figures: docs/design/scaling.md, 'dwell model scaling cg' with 1, 2, 4 and so on to 1024 GPUs."""
    ways = [("slabs, sums by a ring", "halo", 2.5), ("slabs, sums in rounds (today)", "strong", 3), ("blocks", "shared", 2.5),
            ("blocks, exchanges hidden", "register", 2.5), ("pipelined, all hidden", "soft", 2)]
    panels = [("1024³ rows on all", [[100, 100, 100, 99, 96, 91, 81, 63, 38, 16, 5], [100, 100, 100, 99, 96, 92, 85, 73, 56, 39, 23],
                                     [100, 100, 100, 99, 99, 97, 93, 87, 78, 64, 45], [100, 100, 100, 100, 99, 99, 97, 93, 86, 74, 55],
                                     [100, 100, 100, 100, 100, 100, 100, 99, 99, 97, 94]]),
              ("256³ rows on each", [[100, 98, 98, 98, 95, 94, 91, 86, 78, 65, 49], [100, 98, 98, 98, 96, 96, 95, 95, 94, 94, 93],
                                     [100, 98, 98, 98, 96, 95, 94, 93, 93, 92, 92], [100, 99, 99, 99, 98, 98, 98, 97, 97, 96, 96],
                                     [100] * 11])]
    p = Picture(900, 430, "Efficiency of conjugate gradients on up to 1024 GPUs, by a model")
    p.text(24, 34, "Conjugate gradients on up to 1024 H100, by the model: efficiency over one GPU", 15, bold=True)
    p.text(24, 56, "Percent; seven-point Laplacian, f64, eight GPUs a host", 12.5, fill="soft")
    bottom, high = 330, 2.3  # pixels for a percent
    for left, (title, lines) in zip((70, 500), panels):
        right = left + 370
        p.text((left + right) / 2, 82, title, 13, "middle", bold=True)
        for percent in (0, 25, 50, 75, 100):
            y = bottom - percent * high
            p.line(left, y, right, y, thick=0.6 if percent else 1, dash="3 3" if percent else None)
            p.text(left - 10, y + 4, f"{percent}", 12, "end", fill="soft")
        step = (right - left) / 10
        for k in range(0, 11, 2):
            p.line(left + k * step, bottom, left + k * step, bottom + 5, thick=1)
            p.text(left + k * step, bottom + 20, f"{2 ** k}", 12, "middle", fill="soft")
        p.text((left + right) / 2, bottom + 40, "GPUs", 12.5, "middle", fill="soft")
        for (_, colour, thick), of in zip(ways, lines):
            for k, (a, b) in enumerate(itertools.pairwise(of)):
                p.line(left + k * step, bottom - a * high, left + (k + 1) * step, bottom - b * high, stroke=colour, thick=thick)
            for k, a in enumerate(of):
                p.rect(left + k * step - 2.5, bottom - a * high - 2.5, 5, 5, colour, stroke=None, round_=2)
    x = 40
    for word, colour, _ in ways:
        p.legend(x, 408, [(colour, word, 0)])
        x += 34 + 6.2 * len(word)
    return p


def ladder():
    """Bytes: docs/tutorials/ladder.md."""
    p = Picture(900, 474, "Five programs: what stands between two phases, and where the bytes of an iteration are")
    p.text(24, 32, "The ladder: one iteration of conjugate gradients", 15, bold=True)
    p.text(240, 58, "what stands between two phases", 12.5, fill="soft")
    p.text(570, 58, "where the bytes that it reads and writes are, in MB", 12.5, fill="soft")
    rungs = [("1  host loop", "a launch per phase", [("memory", 54.7)]),
             ("2  persistent", "one launch, barriers inside", [("memory", 54.7)]),
             ("3  cached vectors", "x, r, q, p in registers", [("memory", 28.8), ("register", 25.9)]),
             ("4  cached matrix", "and the matrix in shared memory", [("memory", 5.8), ("register", 25.9), ("shared", 23.0)]),
             ("5  program", "the library: a plan decides", [("memory", 11.3), ("shared", 47.8)])]
    for k, (name, words, bytes_) in enumerate(rungs):
        y = 76 + k * 66
        p.text(24, y + 20, name, 14, bold=True)
        p.text(24, y + 38, words, 11.5, fill="soft")
        if k == 0:
            for s, phase in enumerate(("direction", "product", "residual")):
                x = 240 + s * 104
                p.rect(x, y + 4, 22, 34, "halo", round_=3)
                p.box(x + 25, y + 4, 70, 34, phase, "cell", size=11.5)
        elif k < 4:
            for s, phase in enumerate(("direction", "product", "residual")):
                x = 240 + s * 84
                p.box(x, y + 4, 76, 34, phase, "cell", size=11.5, round_=0)
                p.rect(x + 76, y + 4, 8, 34, "strong", stroke=None)
        else:
            for s, phase in enumerate(("update", "product")):
                x = 240 + s * 84
                p.box(x, y + 4, 76, 34, phase, "cell", size=11.5, round_=0)
                p.rect(x + 76, y + 4, 8, 34, "strong", stroke=None)
        x = 570
        for fill, megabytes in bytes_:
            wide = 5.1 * megabytes
            p.rect(x, y + 4, wide, 34, fill)
            p.text(x + wide / 2, y + 26, f"{megabytes:.1f}", 12, "middle")
            x += wide
    p.legend(24, 424, [("halo", "launch from the host", 170), ("strong", "barrier of the grid", 160), ("memory", "L2 and device memory", 180),
                       ("register", "registers", 110), ("shared", "shared memory", 120)])
    p.text(24, 456, "Of 360,000 rows and 1,797,600 nonzeros in f64 (600 x 600 points); rung 5 by its plan for an H200, with one phase and barrier less.",
           12, fill="soft")
    return p


RUNGS = ("queue", "queue-computed", "queue-async", "queue-bulk", "queue-lazy", "queue-registers", "queue-device")
# Work of a cell and step: operations, accesses of shared memory without and with an own column in registers (Zhang 2023, table 5.3).
EBISU_CELLS = {"2d5pt": (10, 6, 4), "2d9pt": (18, 10, 4), "3d7pt": (14, 8, 4.5)}


def ebisu_rates():
    """From the table of docs/results/ebisu-h100.md: {stencil: {rung: {depth: GCells/s}}}."""
    page = pathlib.Path(__file__).parents[1] / "results" / "ebisu-h100.md"
    rows = [[w.strip(" `") for w in line.strip("| \n").split("|")] for line in page.read_text(encoding="utf-8").splitlines()
            if line.startswith("| `queue") or line.startswith("| engine")]
    heads, stencil = [], None
    for word in rows[0][2:]:  # "2d5pt, depth 4", "8", "12", "2d9pt, 4", ...
        stencil = word.split(",")[0] if "," in word else stencil
        heads.append((stencil, int(word.split()[-1])))
    rates = {name: {rung: {} for rung in RUNGS} for name in EBISU_CELLS}
    for row in rows[1:]:
        for (name, depth), rate in zip(heads, row[2:]):
            if rate != "-":
                rates[name][row[0]][depth] = float(rate)
    return rates


def ebisu_ladder():
    """Figures: docs/results/ebisu-h100.md; roofs: execution/device/facts/h100.json."""
    facts = json.loads((pathlib.Path(__file__).parents[2] / "execution/device/facts/h100.json").read_text(encoding="utf-8"))
    memory, shared = (1e-9 * facts["rates"][name] for name in ("memory_bytes_per_s", "shared_bytes_per_s"))
    peak = 2e-9 * facts["rates"]["fma_f64_per_cycle"] * facts["rates"]["clock_hz"] * facts["units"]
    colours = dict(zip(RUNGS, ("line", "fixed", "register", "halo", "shared", "strong", "ink")))
    p = Picture(1020, 500, "EBISU's optimisations under the roofs of an H100")
    p.text(24, 34, "EBISU's optimisations one at a time, under the roofs of an H100 (f64)", 15, bold=True)
    p.text(24, 56, "Gflop/s over flop a byte of device memory, which is 16 bytes a cell and pass; both logarithmic", 12.5, fill="soft")
    low, high, top, bottom = 400, 5e4, 90, 400

    def y(rate):
        return bottom - (bottom - top) * math.log(rate / low) / math.log(high / low)

    for k, (name, (flops, plain, streamed)) in enumerate(EBISU_CELLS.items()):
        left, right = 66 + k * 322, 346 + k * 322
        depths = sorted({d for of in ebisu_rates()[name].values() for d in of})
        first, last = flops * depths[0] / 16 / 1.6, flops * depths[-1] / 16 * 1.6

        def x(intensity, first=first, last=last, left=left, right=right):
            return left + (right - left) * math.log(intensity / first) / math.log(last / first)

        p.line(left, bottom, right, bottom, thick=1)
        for rate in (500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4):
            p.line(left, y(rate), right, y(rate), thick=0.5, dash="3 3")
            if k == 0:
                p.text(left - 8, y(rate) + 4, f"{rate:,.0f}", 11.5, "end", fill="soft")
        p.text(left, 80, name, 13.5, bold=True)
        bend = min(max(peak / memory, first), last)
        p.line(x(first), y(first * memory), x(bend), y(bend * memory), stroke="ink", thick=1.6)
        p.line(x(bend), y(peak), x(last), y(peak), stroke="ink", thick=1.6)
        p.text(right, y(peak) - 6, "arithmetic", 11, "end", fill="soft")
        at = first * (last / first) ** 0.6
        p.text(x(at) - 8, y(at * memory) - 6, "device memory", 11, "end", fill="soft")
        for accesses, words in ((plain, f"shared memory, {plain:g} accesses a cell"), (streamed, f"with registers, {streamed:g}")):
            roof = flops * shared / (8 * accesses)
            p.line(left, y(roof), right, y(roof), stroke="shared" if accesses == plain else "strong", thick=1.4, dash="7 4")
            p.text(right, y(roof) + (13 if accesses == plain else -4), words, 11, "end", fill="soft")
        for depth in depths:
            middle = x(flops * depth / 16)
            p.line(middle, bottom, middle, bottom + 5, thick=1)
            p.text(middle, bottom + 19, f"{flops * depth / 16:.3g}", 11.5, "middle", fill="soft")
            p.text(middle, bottom + 34, f"{depth} steps", 11, "middle", fill="soft")
            for n, rung in enumerate(RUNGS):
                rate = ebisu_rates()[name][rung].get(depth)
                if rate:
                    p.rect(middle + (n - 3) * 5 - 3.5, y(flops * rate) - 3.5, 7, 7, colours[rung], stroke="ink", thick=0.6, round_=3.5)
    p.legend(66, 470, [(colours[r], r, 40 + 7 * len(r)) for r in RUNGS])
    return p


PICTURES = [idea, teams, program, executors, step, register_tile2d, strip2d, block3d, stream, stream2d, ring2d, skewed, stream3d, ghosts,
            orders, column_rates, filter_rates, scaling, ladder, ebisu_ladder]


def main(names):
    known = {f.__name__: f for f in PICTURES}
    for name in names or known:
        if name not in known:
            sys.exit(f"draw.py: expected one of {', '.join(known)}, found {name}")
        path = pathlib.Path(__file__).with_name(name + ".svg")
        path.write_text(known[name]().svg(), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
