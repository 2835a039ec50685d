#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Ranks with GPUs, one rank a GPU: are answers right, and how do times scale?

  measure/multi-gpu.py BUILD [--gpus 4] [--part PART]... [--quick] [-o multi-gpu.json]

BUILD has `dwell` and, for times, `apps/bench/bench-ranks` and `bench-peers` (DWELL_BENCHMARKS=ON), or all
of them side by side.
--gpus: the most; as many as nvidia-smi lists without it. Ranks are 1, 2, 4, 8 as far as there are GPUs.

correctness  Systems by every executor: the same bits in two runs and under both executors, of one rank
             those of the solver without ranks, iterations within 1 % of it, true residuals at their
             target. Fields: the bits of one GPU.
cg           Microseconds per iteration of conjugate gradients on 7-point Laplacians: strong scaling of
             256^3 and 400^3 cells, weak scaling of 256^3 cells a GPU; strong scaling of like:af_1_k101;
             graph and host-loop, over NCCL.
stencils     Microseconds per step: weak scaling of 2d5pt (8192^2 cells a GPU) and 3d7pt (384^3) with 1,
             2, 4, 16 and 48 steps from one exchange to the next.
barriers     Microseconds in which 1 to all GPUs meet: kernels by flags in each other's memory, launches
             with events or with threads of the host between them, collectives of NCCL (Zhang 2023,
             3.4.3).
reductions   Sums of 2^10 to 2^28 numbers on each of 1 to all GPUs, in the same ways (3.6.3); every sum
             is held against what it should be.
mpi          Processes of MPI, one a GPU, over NCCL and through the hosts, or sharing a GPU: the bits of
             as many threads, and times beside theirs. Skipped where mpirun or MPI in dwell is missing.

All of it stays under ten minutes on four H100; every run ends after --timeout seconds. NVLink multicast
stays off. Exit code 1: an answer was wrong or a run failed. Speed decides nothing: it is for the reader.
"""
import argparse
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

PARTS = ["correctness", "cg", "stencils", "barriers", "reductions", "mpi"]


class Runs:
    def __init__(self, args):
        self.folder = pathlib.Path(args.build).resolve()
        self.timeout = args.timeout
        self.failures = []
        self.environment = dict(os.environ, NCCL_NVLS_ENABLE="0")

    def program(self, name):
        for at in (self.folder / name, self.folder / "apps" / "bench" / name):
            if at.exists():
                return str(at)
        sys.exit(f"multi-gpu: {name}: expected it in {self.folder}")

    def fail(self, text):
        self.failures.append(text)
        print("FAILED", text, flush=True)

    def run(self, name, *arguments):
        return self.run_command([self.program(name), *map(str, arguments)])

    def run_command(self, command, environment=None, good=(0,)):
        """What it prints, also where it fails in the end."""
        words = " ".join([pathlib.Path(command[0]).name, *command[1:]])
        begin = time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env=environment or self.environment) as process:
            try:
                out, err = process.communicate(timeout=self.timeout)
                if process.returncode not in good:
                    self.fail(f"{words}: exit code {process.returncode}: {err.strip()[-500:]}")
            except subprocess.TimeoutExpired:
                self.fail(f"{words}: no end after {self.timeout} s")
                process.terminate()  # mpirun then ends its processes
                try:
                    out, _ = process.communicate(timeout=10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    out, _ = process.communicate()
        print(f"  ({time.monotonic() - begin:.1f} s) {words}", file=sys.stderr, flush=True)
        return out

    def report(self, *arguments):
        return document(self.run("dwell", *arguments, "--json", "-", "--quiet"))

    def measure(self, *arguments, by="bench-ranks"):
        """A row for each whole line."""
        found = [document(line) for line in self.run(by, *arguments).splitlines()]
        return [row for row in found if row]


def document(text):
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


def counts(gpus):
    return [n for n in (1, 2, 4, 8) if n <= gpus]


def check_systems(runs, args, folder):
    rows = []
    systems = [("poisson3d:96x96x96", "none", "single-reduction"), ("poisson2d:700x700", "jacobi", "textbook"),
               ("poisson3d:64x64x64", "amg", "auto")]
    for system, preconditioner, variant in systems[:1] if args.quick else systems:
        common = ["cg", system, "--device", "cuda", "--preconditioner", preconditioner, "--variant", variant,
                  "--rtol", "1e-8"]

        def solve(name, *more):
            at = folder / name
            r = runs.report(*common, *more, "--output", at)
            return r, digest(at)

        alone, bits_alone = solve("alone.npy", "--executor", "graph")
        for ranks in counts(args.gpus):
            got = [solve("x.npy", "--ranks", ranks, "--executor", executor)
                   for executor in ("graph", "graph", "host-loop")]
            first, bits = got[0]
            if not first or not alone:
                continue
            same = len({b for _, b in got}) == 1
            by_blocks = preconditioner == "amg" and ranks > 1
            near = by_blocks or abs(first["iterations"] - alone["iterations"]) <= max(2, alone["iterations"] / 100)
            true = first["residual"]["relative_true"]
            rows.append({"system": system, "preconditioner": preconditioner, "variant": first["variant"],
                         "ranks": ranks, "transport": first["transport"], "iterations": first["iterations"],
                         "iterations_alone": alone["iterations"], "true_residual": true,
                         "largest_error": first["largest_error"], "same_bits": same, "bits_of_one": bits == bits_alone})
            what = f"{system} {preconditioner} {first['variant']} on {ranks}"
            if not same:
                runs.fail(f"{what}: bits differ between runs or executors")
            if ranks == 1 and bits != bits_alone:
                runs.fail(f"{what}: not the bits of the solver without ranks")
            if not near or true > 1.01e-8:
                runs.fail(f"{what}: {first['iterations']} iterations, residual {true}")
    return rows


def check_fields(runs, args, folder):
    rows = []
    for shape, size in (("2d5pt", "1503x1021"), ("3d7pt", "143x157x131")):
        for boundary in ("fixed",) if args.quick else ("fixed", "periodic"):
            common = ["stencil", shape, "--size", size, "--steps", "101", "--boundary", boundary, "--initial", "random:7",
                      "--device", "cuda"]
            runs.report(*common, "-o", folder / "alone.npy")
            alone = digest(folder / "alone.npy")
            for ranks in counts(args.gpus):
                for every in (1, 4) if ranks > 1 else (1,):
                    at = folder / "u.npy"
                    r = runs.report(*common, "--ranks", ranks, "--exchange-every", every, "-o", at)
                    same = digest(at) == alone
                    rows.append({"stencil": shape, "boundary": boundary, "ranks": ranks, "steps_per_exchange": every,
                                 "transport": r and r["transport"], "same_bits": same})
                    if not same:
                        runs.fail(f"{shape} {boundary} on {ranks}, every {every}: not the bits of one GPU")
    return rows


def correctness(runs, args):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        found = {"systems": check_systems(runs, args, folder), "fields": check_fields(runs, args, folder)}
    print("system              preconditioner variant           ranks  iterations (alone)  true residual  same bits  of one")
    for r in found["systems"]:
        print(f"{r['system']:<19} {r['preconditioner']:<14} {r['variant']:<16} {r['ranks']:>6} {r['iterations']:>11} "
              f"{r['iterations_alone']:>7} {r['true_residual']:>14.3e}  {r['same_bits']!s:>9}  {r['bits_of_one']!s:>6}")
    good = sum(r["same_bits"] for r in found["fields"])
    print(f"fields: {good} of {len(found['fields'])} have the bits of one GPU\n", flush=True)
    return found


def cube(n, ranks=1):
    return f"{n * ranks}x{n}x{n}"


def cg(runs, args):
    forms = ["textbook,single-reduction", "single-reduction"]
    plan = [("strong", 256, False, 200, forms[0]), ("strong", 400, False, 100, forms[1]),
            ("weak", 256, True, 200, forms[1])]
    if args.quick:
        plan = [("strong", 128, False, 200, forms[0]), ("weak", 128, True, 200, forms[1])]
    rows = []
    for scaling, n, grows, iterations, variants in plan:
        for ranks in counts(args.gpus):
            if grows and ranks == 1:
                continue  # that of strong scaling
            rows += [{"scaling": scaling, "cells_per_axis": n, **r}
                     for r in runs.measure("cg", "--size", cube(n, ranks if grows else 1), "--ranks", ranks,
                                           "--executors", "graph,host-loop", "--variants", variants,
                                           "--iterations", iterations, "--repetitions", 3)]
    for system in ("like:hood",) if args.quick else ("like:af_1_k101",):
        for ranks in counts(args.gpus):
            rows += [{"scaling": "strong", "cells_per_axis": system, **r}
                     for r in runs.measure("cg", "--system", system, "--ranks", ranks, "--executors",
                                           "graph,host-loop", "--variants", forms[0], "--iterations", 200,
                                           "--repetitions", 3)]
    print("cg, us per iteration (GPUs: speed-up, or of weak scaling the efficiency)")
    firsts = {(r["cells_per_axis"], r["executor"], r["variant"]): r["us"] for r in rows if r["ranks"] == 1}
    for r in rows:
        one = firsts.get((r["cells_per_axis"], r["executor"], r["variant"]))
        r["ratio"] = one / r["us"] if one else None
        print(f"{r['scaling']:<7} {r['size']:<14} {r['nonzeros'] / 1e6:>7.1f} M nonzeros  {r['executor']:<10}"
              f"{r['variant']:<17} {r['ranks']} x {r['us']:>9.1f} us  {r['ratio'] or 0:>5.2f}", flush=True)
    print()
    return rows


def stencils(runs, args):
    plan = [("2d5pt", 8192, 2, 960), ("3d7pt", 384, 3, 480)]
    if args.quick:
        plan = [("2d5pt", 2048, 2, 480), ("3d7pt", 128, 3, 480)]
    rows = []
    for shape, n, axes, steps in plan:
        for ranks in counts(args.gpus):
            size = "x".join([str(n * ranks)] + [str(n)] * (axes - 1))
            for executor in ("auto", "graph") if ranks == 1 else ("auto",):
                rows += [{"cells_per_axis": n, **r}
                         for r in runs.measure("stencil", "--shape", shape, "--size", size, "--ranks", ranks,
                                               "--steps", steps, "--repetitions", 3, "--executor", executor,
                                               "--exchange-every", "1,2,4,16,48" if ranks > 1 else "0")]
    print("stencils, us per step, weak scaling (efficiency: the time of one GPU with the same executor over it)")
    firsts = {(r["shape"], r["executor"]): r["us"] for r in rows if r["ranks"] == 1}
    for r in rows:
        one = firsts.get((r["shape"], r["executor"]))
        r["ratio"] = one / r["us"] if one else None
        print(f"{r['shape']:<6} {r['size']:<16} {r['executor']:<10} {r['ranks']} x  every {r['steps_per_exchange']:>2}"
              f"  {r['us']:>9.2f} us  {r['ratio'] or 0:>5.3f}", flush=True)
    print()
    return rows


def peers(runs, args, what, *more):
    """Rows of bench-peers; the ways that could not be measured have a reason instead of a time."""
    all_gpus = ",".join(map(str, range(args.gpus)))
    return runs.measure("--only", what, "--devices", all_gpus, *more, by="bench-peers")


def way(r):
    grid = f" {r['blocks']} x {r['threads']}" if "threads" in r else ""
    return f"{r['by']}{grid}"


def barriers(runs, args):
    rows = peers(runs, args, "barriers", "--rounds", 1000 if args.quick else 5000)
    counted = sorted({r["peers"] for r in rows})
    print("barriers, us (flags: blocks x threads of each GPU)")
    print(f"{'':<24}" + "".join(f"{n:>4} GPUs" for n in counted))
    for name in dict.fromkeys(map(way, rows)):
        of = {r["peers"]: r for r in rows if way(r) == name}
        print(f"{name:<24}" + "".join(f"{of[n]['us']:>9.3f}" if n in of and "us" in of[n] else f"{'-':>9}"
                                      for n in counted))
    tell_why(rows)
    return rows


def reductions(runs, args):
    rows = peers(runs, args, "reductions", *(("--sizes", "10,16,20") if args.quick else ()))
    ways = list(dict.fromkeys(r["by"] for r in rows))
    print("reductions, us (GB/s of all GPUs)")
    print("GPUs  values of each " + "".join(f"{w:>22}" for w in ways))
    for n in sorted({r["peers"] for r in rows}):
        for size in sorted({r["values_per_gpu"] for r in rows}):
            of = {r["by"]: r for r in rows if (r["peers"], r["values_per_gpu"]) == (n, size)}
            print(f"{n:>4} {size:>15} " + "".join(
                f"{of[w]['us']:>11.2f} ({of[w]['gb_per_s']:>8.1f})" if w in of and "us" in of[w] else f"{'-':>22}"
                for w in ways))
    tell_why(rows)
    return rows


def tell_why(rows):
    for peers_, by, why in dict.fromkeys((r["peers"], way(r), r["why"]) for r in rows if "why" in r):
        print(f"not measured: {by} of {peers_}: {why}")
    print(flush=True)


def mpi(runs, args):
    mpirun = shutil.which("mpirun")
    why = "no mpirun here" if not mpirun else ""
    if mpirun and "--distributed: this dwell was built without MPI" in subprocess.run(
            [runs.program("dwell"), "cg", "poisson2d:3x3", "--distributed", "--device", "cpu"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False).stdout:
        why = "this dwell was built without MPI"
    if why:
        print(f"mpi: skipped, {why}\n", flush=True)
        return {"skipped": why}
    base = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
            "OMPI_MCA_btl_vader_single_copy_mechanism": "none", **runs.environment}
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        one_gpu = folder / "one-gpu.sh"  # each process sees its own GPU alone
        one_gpu.write_text("export CUDA_VISIBLE_DEVICES=${OMPI_COMM_WORLD_LOCAL_RANK:-$MPI_LOCALRANKID}\n"
                           'exec "$@"\n')

        def solve(command, words, name, env, good):
            at, report = folder / f"{name}.npy", folder / f"{name}.json"
            at.unlink(missing_ok=True)
            report.unlink(missing_ok=True)
            runs.run_command([*command, runs.program("dwell"), "cg", *words, "--device", "cuda", "--quiet",
                              "--json", str(report), "--output", str(at)], env, good)
            return document(report.read_text()) if report.exists() else None, digest(at)

        def compare(what, ranks, system, transport, more=(), env=None, through=()):
            env = {**base, **(env or {})}
            words = [system, "--rhs", "ones", "--transport", transport, *map(str, more)]
            good = (2,) if more is fixed else (0,)  # not converged
            processes, bits = solve([mpirun, "-n", str(ranks), *through], [*words, "--distributed"], "processes",
                                    env, good)
            threads, bits_of_threads = solve([], [*words, "--ranks", str(ranks)], "threads", env, good)
            if not processes or not threads:
                return
            rows.append({"what": what, "system": system, "processes": ranks, "transport": processes["transport"],
                         "executor": processes["executor"], "variant": processes["variant"],
                         "gpus": [r["gpu"] for r in processes["ranks"]],
                         "iterations": processes["iterations"], "iterations_of_threads": threads["iterations"],
                         "true_residual": processes["residual"]["relative_true"],
                         "us": processes["time"]["per_iteration_us"],
                         "us_of_threads": threads["time"]["per_iteration_us"],
                         "same_bits": bits is not None and bits == bits_of_threads})
            if not rows[-1]["same_bits"] or processes["iterations"] != threads["iterations"]:
                runs.fail(f"mpi, {what}, {system} on {ranks}: not the answer of threads")

        small, large = ("poisson3d:48x48x48", "poisson3d:96x96x96") if args.quick else (
            "poisson3d:96x96x96", "poisson3d:256x256x256")
        fixed = ("--max-iterations", 200, "--rtol", 0, "--assume-symmetric")
        for ranks in counts(args.gpus):
            compare("one a GPU", ranks, small, "nccl")
            compare("one a GPU", ranks, large, "nccl", fixed)
            if ranks > 1:
                compare("each sees one GPU", ranks, small, "nccl", through=("sh", str(one_gpu)))
                compare("one a GPU", ranks, small, "host")
                compare("one a GPU", ranks, large, "host", fixed)
        compare("two share a GPU", 2, "poisson2d:200x200", "host", env={"CUDA_VISIBLE_DEVICES": "0"})
    print("mpi, us per iteration            processes  transport  executor    processes    threads  iterations  same bits")
    for r in rows:
        print(f"{r['what']:<17} {r['system']:<22} {r['processes']:>2}  {r['transport']:<9} {r['executor']:<10}"
              f"{r['us']:>12.2f} {r['us_of_threads']:>10.2f} {r['iterations']:>11}  {r['same_bits']!s:>9}")
    print(flush=True)
    return rows


def gpus_here():
    try:
        listed = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], stdout=subprocess.PIPE,
                                text=True, check=False).stdout.strip()
    except FileNotFoundError:
        return []
    return listed.splitlines()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", help="folder with the programs")
    parser.add_argument("--gpus", type=int, help="the most to use")
    parser.add_argument("--part", action="append", choices=PARTS, help="what to do (default: all)")
    parser.add_argument("--quick", action="store_true", help="small sizes, to see whether all of it runs")
    parser.add_argument("--timeout", type=float, default=120, help="seconds of a run (default: 120)")
    parser.add_argument("-o", "--output", help="write the figures here, as JSON")
    args = parser.parse_args()
    names = gpus_here()
    args.gpus = min(args.gpus or len(names), len(names))
    if args.gpus == 0:
        sys.exit("multi-gpu: expected a GPU, found none (nvidia-smi)")
    runs = Runs(args)
    found = {"gpus": names[:args.gpus]}
    for part in args.part or PARTS:
        print(f"part {part}", file=sys.stderr, flush=True)
        begin = time.monotonic()
        found[part] = globals()[part](runs, args)
        found.setdefault("seconds", {})[part] = round(time.monotonic() - begin, 1)
        found["failures"] = runs.failures
        if args.output:  # what there is stays if a later part does not end
            pathlib.Path(args.output).write_text(json.dumps(found, indent=1) + "\n")
    print(f"{len(runs.failures)} failures; seconds: {found['seconds']}")
    return 1 if runs.failures else 0


if __name__ == "__main__":
    sys.exit(main())
