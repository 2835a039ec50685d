# SPDX-License-Identifier: MIT
# Runs the console and sh blocks of a page in one shell, and compares what they print with what the
# page shows: its words, in order; figures, times and names of machines may differ.
import os
import re
import subprocess

NUMBER = re.compile(r"(?<![A-Za-z_])[-+]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?")
VERSION = re.compile(r"\bdwell \d+\.\d+\.\d+(?:\.dev\d+)?")  # pages show that of the next release
UNIT = re.compile(r"# (?:ns|us|ms|s|bytes|KiB|MiB|GiB|[KMG]B/s)\b")


def commands_of(block):
    """[(command, lines shown after it)]; a sh block is one command."""
    if block.language == "sh":
        return [(block.text, [])]
    out = []
    for line in block.text.split("\n"):
        if line.startswith("$ "):
            out.append([line[2:], []])
        elif line.startswith("> ") and out and out[-1][0].endswith("\\"):
            out[-1][0] += "\n" + line[2:]
        elif out:
            if out[-1][0].endswith("\\"):
                out[-1][0] += "\n" + line
            else:
                out[-1][1].append(line)
        else:
            raise ValueError(f"{block.place}: expected '$ ' and a command, found '{line}'")
    return [tuple(one) for one in out]


def words_of(line):
    """A line without its figures, and of a device its key only."""
    if re.match(r"(device|cpu|memory|cache|time|Iterative stencils on|Conjugate gradients on)\b", line):
        line = line.split()[0]
    line = UNIT.sub("# unit", NUMBER.sub("#", VERSION.sub("dwell #", line)))
    return re.sub(r"[\s-]+", " ", line).strip()


def first_missing(shown, printed):
    """The first line of `shown` that is not in `printed` after those before it. Warnings and errors go to another
    stream, and may be anywhere."""
    every = [words_of(line) for line in printed]
    rest = iter(every)
    for line in shown:
        if line.strip() in ("", "..."):
            continue
        words = words_of(line)
        if words not in every if line.startswith("dwell: ") else not any(words == one for one in rest):
            return line
    return None


def run_page(blocks, folder, environment, timeout):
    """Yields (block, message); the message is empty where all went well."""
    script, steps = [], []
    for block in blocks:
        commands = [(block.orders["given"], [])] if "given" in block.orders else []
        own = commands_of(block)
        for k, (command, shown) in enumerate(commands + own):
            last = k == len(commands) + len(own) - 1
            steps.append((block, command, shown, int(block.orders.get("status", 0)) if last else 0))
            script.append(f"{command}\nprintf '\\n\\001%d\\n' $?")
    done = subprocess.run(["bash", "-c", "\n".join(script)], cwd=folder, env=os.environ | environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=timeout,
                          errors="replace")
    parts = re.split(r"\n\001(\d+)\n", done.stdout)
    failed = {}
    for k, (block, command, shown, expected) in enumerate(steps):
        if 2 * k + 1 >= len(parts):
            failed.setdefault(block.line, f"{command}\nended the shell:\n{parts[-1]}")
            continue
        printed, status = parts[2 * k], int(parts[2 * k + 1])
        missing = first_missing(shown, printed.split("\n"))
        if status != expected:
            failed.setdefault(block.line, f"$ {command}\nexpected status {expected}, found {status}:\n{printed}")
        elif missing is not None:
            failed.setdefault(block.line, f"$ {command}\nexpected a line like\n  {missing}\nfound\n{printed}")
    for block in blocks:
        yield block, failed.get(block.line, "")
