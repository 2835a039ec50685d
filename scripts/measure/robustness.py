#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attacks a dwell command by classes and prints a table: class, tried, right.

Every try has an expectation of its own: exit code, lines, files, values. What is not as expected is
listed below the table. Needs nothing but Python 3; takes a few minutes on two cores.

  scripts/measure/robustness.py build/release/apps/dwell/dwell [--device cuda] [--matrices FOLDER]
"""
import argparse
import gzip
import json
import os
import random
import re
import resource
import struct
import subprocess
import sys
import tempfile
from fractions import Fraction
from pathlib import Path

OK, USAGE, NOT_CONVERGED, BREAKDOWN, DEVICE = 0, 1, 2, 3, 4


class attack:
    def __init__(self, dwell, device, folder):
        self.dwell, self.device, self.folder = str(Path(dwell).resolve()), device, Path(folder)
        self.classes, self.wrong = {}, []

    def run(self, *args, stdin=None, limit=None, seconds=120):
        def bound():
            if limit:
                resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        p = subprocess.run([self.dwell, *map(str, args)], input=stdin, capture_output=True, cwd=self.folder,
                           timeout=seconds, preexec_fn=bound if limit else None)
        p.err = p.stderr.decode(errors="replace")
        return p

    def note(self, name, right, what):
        tried = self.classes.setdefault(name, [0, 0])
        tried[0] += 1
        tried[1] += bool(right)
        if not right:
            self.wrong.append(f"{name}: {what}")

    def refused(self, name, code, *args, says="", **options):
        """One line on standard error that contains `says`, this exit code, and nothing on standard output."""
        p = self.run(*args, **options)
        lines = [line for line in p.err.split("\n") if line]
        self.note(name, p.returncode == code and len(lines) == 1 and says in p.err and not p.stdout,
                  f"{' '.join(map(str, args))}: {p.returncode}, {p.err[:300]!r}")


def matrix(values, n):
    """Matrix Market text of a symmetric matrix."""
    lines = [f"{i} {j} {v!r}" for (i, j), v in values.items()]
    return "%%MatrixMarket matrix coordinate real symmetric\n" + f"{n} {n} {len(lines)}\n" + "\n".join(lines) + "\n"


def scales(a):
    name = "scale of the matrix and the right-hand side"
    plane = {(i, i): 4.0 for i in range(1, 101)}
    plane.update({(i + 1, i): -1.0 for i in range(1, 100) if i % 10})
    plane.update({(i + 10, i): -1.0 for i in range(1, 91)})
    for precision, powers in (("f64", (-900, -500, -3, 1, 510, 900)), ("f32", (-100, -60, 5, 77, 100))):
        for executor in ("host-loop", "persistent", "perks"):
            for variant in ("textbook", "single-reduction", "pipelined"):
                counts = set()
                for power in (0, *powers):
                    scaled = {k: float(Fraction(v) * Fraction(2) ** power) for k, v in plane.items()}
                    (a.folder / "s.mtx").write_text(matrix(scaled, 100))
                    rtol = "1e-8" if precision == "f64" else "1e-4"
                    p = a.run("cg", "s.mtx", "--device", a.device, "--precision", precision, "--executor", executor,
                              "--variant", variant, "--rtol", rtol, "--json", "-")
                    counts.add((p.returncode, json.loads(p.stdout)["iterations"] if p.stdout else -1))
                    a.note(name, p.returncode == OK and len(counts) == 1,
                           f"{precision} {executor} {variant} 2^{power}: {counts} {p.err[:200]}")


def real_matrices(a, matrices):
    name = "real matrices: every form ends with a verdict that its true residual bears out"
    for file in sorted(Path(matrices).glob("*.mtx.gz")) if matrices else []:
        if file.stat().st_size > 2_000_000:
            continue
        for variant in ("textbook", "single-reduction", "pipelined"):
            p = a.run("cg", file, "--device", a.device, "--variant", variant, "--preconditioner", "jacobi",
                      "--max-iterations", 3000, "--json", "-")
            r = json.loads(p.stdout) if p.stdout else {}
            honest = p.returncode in (OK, NOT_CONVERGED, BREAKDOWN)
            if p.returncode == OK:
                honest = r["residual"]["relative_true"] < 1e-7 or r["residual"]["disagree"]
            a.note(name, honest, f"{file.name} {variant}: {p.returncode} {p.err[:200]}")


def outputs(a):
    name = "outputs: standard output, spellings, endings, full disks"
    g = a.run("generate", "trefethen:50", "-o", "g.mtx").returncode
    a.note(name, g == OK, "generate -o g.mtx")
    want = (a.folder / "g.mtx").read_bytes()
    for spelling in ("-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
        p = a.run("generate", "trefethen:50", "-o", spelling)
        a.note(name, p.returncode == OK and p.stdout == want, f"generate -o {spelling}")
        with open(a.folder / "redirected", "wb") as to:
            q = subprocess.run([a.dwell, "generate", "trefethen:50", "-o", spelling], stdout=to,
                               stderr=subprocess.DEVNULL, cwd=a.folder)
        a.note(name, q.returncode == OK and (a.folder / "redirected").read_bytes() == want,
               f"generate -o {spelling} > file")
        for option in ("-o", "--history", "--json"):
            with open(a.folder / "redirected", "wb") as to:
                q = subprocess.run([a.dwell, "cg", "trefethen:50", option, spelling], stdout=to,
                                   stderr=subprocess.PIPE, cwd=a.folder)
            text = (a.folder / "redirected").read_text()
            whole = {"-o": "%%MatrixMarket", "--history": "iteration", "--json": "{"}[option]
            a.note(name, q.returncode == OK and text.startswith(whole), f"cg {option} {spelling}: {text[:60]!r}")
        a.refused(name, USAGE, "cg", "trefethen:50", "-o", spelling, "--history", "-")
    for one, two in (("z.mtx", "./z.mtx"), ("z.mtx", f"{a.folder}/z.mtx"), ("d/../z.mtx", "z.mtx")):
        (a.folder / "d").mkdir(exist_ok=True)
        a.refused(name, USAGE, "cg", "trefethen:50", "-o", one, "--history", two)
        a.note(name, not (a.folder / "z.mtx").exists(), "nothing was written")
    a.refused(name, USAGE, "cg", "trefethen:50", "-o", "x.txt", says="npy")
    for ending in ("mtx", "mtx.gz", "npy"):
        ends = a.run("cg", "trefethen:50", "-o", f"x.{ending}").returncode
        again = a.run("cg", "trefethen:50", "--x0", f"x.{ending}", "--rhs", "ones", "--json", "-")
        a.note(name, ends == OK and again.returncode == OK, f"x.{ending}: {again.err[:200]}")
    for args in (("generate", "trefethen:50", "-o", "/dev/full"), ("cg", "trefethen:50", "--json", "/dev/full"),
                 ("stencil", "2d5pt", "--size", "9x9", "--steps", 1, "--json", "/dev/full")):
        p = a.run(*args)
        a.note(name, p.returncode not in (OK, -6, -11) and p.err.count("\n") <= 2, f"{args}: {p.returncode} {p.err}")


def inputs(a):
    name = "files: damaged, endless, huge, misnamed"
    good = (a.folder / "g.mtx").read_bytes()
    rng = random.Random(7)
    for _ in range(200):
        bad = bytearray(good)
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(bad))
            choice = rng.randrange(3)
            if choice == 0:
                bad[at] = rng.randrange(256)
            elif choice == 1:
                del bad[at:at + rng.randint(1, 30)]
            else:
                bad[at:at] = bytes(rng.choice(b"0123456789eE+-.% \n") for _ in range(rng.randint(1, 9)))
        packed = rng.random() < 0.3
        file = a.folder / ("bad.mtx.gz" if packed else "bad.mtx")
        file.write_bytes(gzip.compress(bytes(bad)) if packed else bytes(bad))
        p = a.run("info", file.name, limit=1 << 30)
        a.note(name, p.returncode in (OK, USAGE, DEVICE) and p.err.count("\n") <= 2, f"{p.returncode} {p.err[:200]}")
    for cut in range(0, len(good), max(1, len(good) // 40)):
        (a.folder / "cut.mtx").write_bytes(good[:cut])
        a.refused(name, USAGE, "info", "cut.mtx", says="cut.mtx")
    a.refused(name, USAGE, "info", "/dev/zero", limit=1 << 29)
    for head, rest in ((b"", b"\n" * 50_000_000), (b"%%MatrixMarket matrix coordinate real general\n", b"%\n" * 25_000_000),
                       (b"%%MatrixMarket matrix coordinate real general\n2000000000 2000000000 2000000000\n",
                        b"\n" * 50_000_000)):
        (a.folder / "bomb.mtx.gz").write_bytes(gzip.compress(head + rest, 9))
        a.refused(name, USAGE, "info", "bomb.mtx.gz", limit=1 << 29)
    for value in ("nan", "inf", "1e999", "0x", "1,5", ""):
        (a.folder / "v.mtx").write_text(f"%%MatrixMarket matrix coordinate real symmetric\n1 1 1\n1 1 {value}\n")
        a.refused(name, USAGE, "cg", "v.mtx", says="v.mtx:3")
    for shape in ((3,), (1 << 40,), (2, 2, 2, 2)):
        head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}, }}".encode().ljust(117) + b"\n"
        (a.folder / "v.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + b"\0" * 24)
        a.refused(name, USAGE, "cg", "trefethen:50", "--rhs", "v.npy", says="v.npy")
    for odd in ("a\nb.mtx", "esc\x1b[31m.mtx", "tab\t.mtx"):
        p = a.run("info", odd)
        a.note(name, p.returncode == USAGE and p.err.count("\n") == 1 and "\x1b" not in p.err, repr(odd))
        (a.folder / odd).write_bytes(good)
        p = a.run("info", odd)
        shown = p.stdout.decode()
        a.note(name, p.returncode == OK and "\x1b" not in shown and "a\nb" not in shown, repr(odd))


def systems(a):
    name = "systems that are not positive definite, not symmetric, not square"
    for what, values, code in (("indefinite", {(1, 1): 1.0, (2, 1): 3.0, (2, 2): 2.0}, BREAKDOWN),
                               ("zero diagonal", {(1, 1): 1.0, (2, 1): 1.0, (2, 2): 0.0}, USAGE),
                               ("negative diagonal", {(1, 1): -1.0, (2, 2): 1.0}, USAGE),
                               ("missing diagonal", {(1, 1): 1.0, (2, 1): 0.5}, USAGE)):
        (a.folder / "n.mtx").write_text(matrix(values, 2))
        for variant in ("textbook", "single-reduction", "pipelined"):
            p = a.run("cg", "n.mtx", "--device", a.device, "--variant", variant)
            a.note(name, p.returncode == code, f"{what} {variant}: {p.returncode} {p.err[:200]}")
    for text in ("2 3 1\n1 1 1\n", "2 2 3\n1 1 1\n1 2 1\n2 2 1\n"):
        (a.folder / "n.mtx").write_text("%%MatrixMarket matrix coordinate real general\n" + text)
        a.refused(name, USAGE, "cg", "n.mtx", "--device", a.device)


def limits(a):
    name = "too little memory, too many threads"
    # Below the size of the program itself the system cannot start it.
    least = (os.path.getsize(a.dwell) >> 20) + 30
    for megabytes in range(least, least + 300, 20):
        for args in (("stencil", "2d5pt", "--size", "400x400", "--steps", 5, "--executor", "perks"),
                     ("cg", "poisson2d:200x200", "--executor", "perks"),
                     ("stencil", "3d7pt", "--size", "40x60x60", "--steps", 5, "--executor", "persistent")):
            p = a.run(*args, "--device", "cpu", limit=megabytes << 20)
            a.note(name, p.returncode in (OK, DEVICE, 127) and p.err.count("\n") <= 2,
                   f"{args} at {megabytes} MiB: {p.returncode} {p.err[:200]}")
    for threads in (1_000_000_000, 100_000, 5000, -1):
        for args in (("cg", "trefethen:50"), ("stencil", "2d5pt", "--size", "9x9"), ("compare", "cg", "trefethen:50")):
            a.refused(name, USAGE, *args, "--threads", threads)


def words(a):
    name = "words: commands, options, shapes, policies, matrices"
    for args, says in ((("cgg",), "cg"), (("stencl",), "stencil"), (("cg", "trefethen:50", "--ouput", "x"), "--output"),
                       (("cg", "trefethen:50", "--tol", "1e-3"), "--rtol"), (("cg", "trefethn:50"), "trefethen"),
                       (("stencil", "2d5p", "--size", "9x9"), "2d5pt"), (("cg", "trefethen:50", "--policy", "gredy"), "greedy"),
                       (("cg", "trefethen:50", "--executor", "perk"), "perks"),
                       (("cg", "trefethen:50", "--variant", "pipelind"), "pipelined"),
                       (("stencil", "2d5pt", "--size", "9x9", "--boundary", "fixd"), "fixed")):
        a.refused(name, USAGE, *args, says=says)
    for args in (("help",), ("help", "cg"), ("version",), ("--version",), ("cg", "--help")):
        p = a.run(*args)
        a.note(name, p.returncode == OK and p.stdout and not p.stderr, f"{args}: {p.returncode} {p.err[:200]}")


def fields(a):
    name = "stencil fields: every executor against host-loop, whole arrays"
    rng = random.Random(11)
    for _ in range(60):
        shape = rng.choice(("2d5pt", "2d9pt", "3d7pt", "gradient2d"))
        dims = 3 if shape.startswith("3d") else 2
        size = "x".join(str(rng.randint(1, 40 if dims == 3 else 150)) for _ in range(dims))
        common = ["stencil", shape, "--size", size, "--steps", rng.randint(1, 30), "--boundary",
                  rng.choice(("fixed", "periodic", "reflect")), "--initial", f"random:{rng.randint(1, 99)}", "--precision",
                  rng.choice(("f64", "f32")), "--device", a.device]
        first = a.run(*common, "--executor", "host-loop", "-o", "ref.npy")
        want = (a.folder / "ref.npy").read_bytes() if first.returncode == OK else None
        a.note(name, first.returncode in (OK, USAGE), f"{common}: {first.err[:200]}")
        for executor in ("persistent", "perks"):
            p = a.run(*common, "--executor", executor, "-o", "u.npy")
            same = p.returncode == OK and (a.folder / "u.npy").read_bytes() == want
            a.note(name, same or (p.returncode == first.returncode == USAGE) or
                   (executor == "perks" and p.returncode == USAGE and p.err.count("\n") == 1),
                   f"{common} {executor}: {p.returncode} {p.err[:200]}")


def command_options(a):
    """Commands and their options with values, as the reference that the program writes has them."""
    command, found = None, {}
    for line in a.run("man", "--format", "markdown").stdout.decode().split("\n"):
        if line.startswith("## dwell"):
            command = tuple(line.split()[2:])
            found[command] = []
        elif command is not None and line.startswith("- `-"):
            shown = re.findall(r"`(-[^`]*)`", line.split("`: ")[0] + "`")
            name = re.split(r"[ \[=]", shown[-1])[0]
            if shown[-1] != name:
                found[command].append(name)
    return found


def odd_values(a):
    name = "every option of every command with odd values"
    a.run("generate", "poisson2d:5x5", "-o", "A.mtx")
    a.run("stencil", "2d5pt", "--size", "9x9", "--steps", "1", "-o", "u.npy")
    small = ["2d5pt", "--size", "9x9"]
    base = {("solve",): ["A.mtx", "-q"], ("cg",): ["A.mtx", "-q"], ("stencil",): [*small, "--steps", "2", "-q"],
            ("convolve",): ["u.npy", "--filter", "box:3", "-q"], ("info",): ["A.mtx"],
            ("compare", "solve"): ["A.mtx", "--repetitions", "1", "--no-peers"],
            ("compare", "cg"): ["A.mtx", "--repetitions", "1", "--iterations", "2", "--no-peers"],
            ("compare", "stencil"): [*small, "--steps", "2", "--repetitions", "1"],
            ("compare", "convolve"): ["--size", "9x9", "--repetitions", "1", "--filter", "box:3"],
            ("explain", "solve"): ["A.mtx"], ("explain", "cg"): ["A.mtx"], ("explain", "stencil"): small,
            ("explain", "convolve"): ["--size", "9x9", "--filter", "box:3"], ("trace",): small,
            ("generate",): ["poisson2d:4x4", "-o", "G.mtx", "-q"], ("convert",): ["A.mtx", "-o", "B.mtx", "-q"],
            ("model", "sweep"): ["2d5pt"], ("model", "scaling"): ["cg", "--size", "64x64x64"], ("man",): []}
    values = ["", "-1", "0", "1e999", "nan", "inf", "9" * 19, str(2**31 - 1), "a\nb", "\xe9", "a" * 5000, "/", ".", "0x0",
              "1x1x1x1", "99999999x99999999", "1,1", "1,,2", ",", "-", "/dev/null", "\x1b[2J", "auto", "random:-1", "1e-320"]
    for command, options in command_options(a).items():
        for option in options if command in base else ():
            words = list(base[command])
            if option in words:
                del words[words.index(option):words.index(option) + 2]
            for value in values:
                if value == str(2**31 - 1) and option in ("--steps", "--iterations", "--repetitions", "--points"):
                    continue  # that much work is done
                what = [*command, *words, f"{option}={value}"]
                p = a.run(*what, stdin=b"", seconds=60)
                lines = [line for line in p.err.split("\n") if line and not line.startswith("dwell: warning")]
                right = 0 <= p.returncode <= 4 and (p.returncode != USAGE or len(lines) == 1) and "\x1b" not in p.err
                a.note(name, right, f"{what}: {p.returncode} {p.err[:200]!r}")


def damaged_bytes(a):
    name = "files of every format, a bit of each byte changed, cut, doubled"
    text = b"%%MatrixMarket matrix coordinate real symmetric\n% c\n4 4 6\n1 1 4\n2 1 -1\n2 2 4\n3 2 -1.5\n3 3 4\n4 4 4e0\n"
    (a.folder / "A.mtx").write_bytes(text)
    a.run("convert", "A.mtx", "-o", "A.dwell")
    a.run("stencil", "2d5pt", "--size", "5x5", "--steps", "1", "-o", "u.npy")
    a.run("solve", "A.mtx", "-o", "x.npy")
    a.run("convolve", "u.npy", "--filter", "box:3", "-o", "p.png")
    a.run("convolve", "u.npy", "--filter", "box:3", "-o", "p.pgm")
    options = b"[solve]\nrtol = 1e-6 # c\nquiet = true\nsolver = 'cg'\n[compare.cg]\nexecutors = [\"perks\"]\n"
    (a.folder / "o.toml").write_bytes(options)
    (a.folder / "A.mtx.gz").write_bytes(gzip.compress(text, mtime=0))
    cases = [("A.mtx.gz", ["solve", "@", "-q"]), ("A.dwell", ["solve", "@", "-q"]), ("A.dwell", ["info", "@"]),
             ("x.npy", ["solve", "A.mtx", "--rhs", "@", "-q"]), ("u.npy", ["stencil", "2d5pt", "--input", "@", "-q"]),
             ("u.npy", ["convolve", "@", "--filter", "box:3", "-q"]), ("p.png", ["convolve", "@", "--filter", "box:3", "-q"]),
             ("p.pgm", ["convolve", "@", "--filter", "box:3", "-q"]), ("o.toml", ["solve", "A.mtx", "--config", "@"]),
             ("A.mtx", ["solve", "@", "-q"])]
    rng = random.Random(3)
    for file, command in cases:
        good = (a.folder / file).read_bytes()
        for k in range(len(good)):
            bit = good[:k] + bytes([good[k] ^ 1 << rng.randrange(8)]) + good[k + 1:]
            for bad in (bit, good[:k], good[:k] + good[k:k + 1] * 2 + good[k + 1:])[:3 if k % 5 == 0 else 1]:
                (a.folder / f"bad-{file}").write_bytes(bad)
                p = a.run(*[f"bad-{file}" if word == "@" else word for word in command], seconds=60)
                lines = [line for line in p.err.split("\n") if line]
                right = 0 <= p.returncode <= 3 and (p.returncode != USAGE or len(lines) == 1) and "\x1b" not in p.err
                sure = file == "A.dwell" and bad != good
                a.note(name, right and (p.returncode == USAGE or not sure), f"{command}: {p.returncode} {p.err[:200]!r}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dwell")
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--matrices", help="a folder of SuiteSparse matrices (.mtx.gz); without: that class is not tried")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        a = attack(args.dwell, args.device, folder)
        outputs(a)
        for one in (inputs, systems, limits, words, fields, scales, odd_values, damaged_bytes):
            one(a)
        real_matrices(a, os.path.abspath(args.matrices) if args.matrices else None)
    print("| class | tried | right |\n|---|--:|--:|")
    for name, (tried, right) in a.classes.items():
        print(f"| {name} | {tried} | {right} |")
    for line in a.wrong:
        print("wrong:", line, file=sys.stderr)
    return 1 if a.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
