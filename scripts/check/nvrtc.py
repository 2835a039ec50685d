#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kernels through NVRTC, which compiles them at run time and knows no host library: check/nvrtc.py [NAME...] | --golden [--write].

NAMEs are stencils, by the names of their files, forms of methods (textbook_cg), convolutions (systolic_convolution), grids, and units of small kernels
(tests/data/small_kernels.tsv: "cuts of matrices in f64"); none: all. NVRTC's front end goes over every
kernel of theirs, in as many processes as there are processors: less than a minute of processor time. No GPU is needed. The library is that of $DWELL_NVRTC, of the
toolkit ($CUDA_HOME, /usr/local/cuda) or of the wheel nvidia-cuda-nvrtc; without one nothing is checked, and that is said.

--golden compiles the kernels of tests/data/kernels.tsv to machine code by one version of the wheel, which pip fetches, and compares
registers, bytes spilled and arithmetic instructions with tests/data/kernels_golden.tsv, which --write writes. It takes a minute and a half of processor time.
"""
import collections
import concurrent.futures
import ctypes
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

top = pathlib.Path(__file__).resolve().parent.parent.parent
linked = ("base", "execution", "formats", "solvers")  # folders whose headers are included by their path from the top
golden_version = "13.5.37"  # registers are the compiler's
golden_file = top / "tests/data/kernels_golden.tsv"
arithmetic = ("DFMA", "DMUL", "DADD", "FFMA", "FMUL", "FADD")
options = ["--std=c++20", "--fmad=false", "-default-device", "--no-cache", "--modify-stack-limit=false",
           "--diag-suppress=1097,20012"]


def library():
    """The path of libnvrtc, or None."""
    if given := os.environ.get("DWELL_NVRTC"):
        return given
    places = [pathlib.Path(os.environ.get("CUDA_HOME", "/usr/local/cuda")) / "lib64"]
    for site in sys.path:
        places += sorted(pathlib.Path(site).glob("nvidia/cu[0-9]*/lib"), reverse=True)
        places.append(pathlib.Path(site) / "nvidia/cuda_nvrtc/lib")
    for place in places:
        for found in sorted(place.glob("libnvrtc.so.[0-9][0-9]")):
            return str(found)
    return None


class Nvrtc:
    def __init__(self, path):
        self.calls = ctypes.CDLL(path)
        self.calls.nvrtcGetErrorString.restype = ctypes.c_char_p
        major, minor = ctypes.c_int(), ctypes.c_int()
        self.calls.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = f"{major.value}.{minor.value}"

    def compile(self, name, text, expressions, more=()):
        """Returns (ok, log, cubin). Without expressions the front end alone runs."""
        headers = standard_headers()
        program = ctypes.c_void_p()
        count = len(headers)
        texts = (ctypes.c_char_p * count)(*[t.encode() for t in headers.values()])
        names = (ctypes.c_char_p * count)(*[n.encode() for n in headers])
        self.call("nvrtcCreateProgram", ctypes.byref(program), text.encode(), name.encode(), count, texts, names)
        for expression in expressions:
            self.call("nvrtcAddNameExpression", program, expression.encode())
        words = options + list(more) + [f"-I{top}/include", f"-I{os.environ['DWELL_LINKS']}"]
        if not expressions:
            words.append("--fdevice-syntax-only")
        words = (ctypes.c_char_p * len(words))(*[w.encode() for w in words])
        status = self.calls.nvrtcCompileProgram(program, len(words), words)
        log = self.bytes_of(program, "ProgramLog").decode(errors="replace").strip("\0\n")
        cubin = self.bytes_of(program, "CUBIN") if status == 0 and expressions else b""
        self.calls.nvrtcDestroyProgram(ctypes.byref(program))
        return status == 0, log, cubin

    def bytes_of(self, program, what):
        size = ctypes.c_size_t()
        self.call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        data = ctypes.create_string_buffer(size.value)
        self.call(f"nvrtcGet{what}", program, data)
        return data.raw

    def call(self, name, *arguments):
        status = getattr(self.calls, name)(*arguments)
        if status != 0:
            sys.exit(f"{name}: {self.calls.nvrtcGetErrorString(status).decode()}")


def standard_headers():
    """The standard library's headers, all of them one text."""
    text = (top / "execution/device/nvrtc_std.cuh").read_text()
    names = re.search(r"Stands for: ([^.]*)\.", text)[1].replace("//", "").split()
    return {"dwell_std": text} | {name: "#include <dwell_std>\n" for name in names}


stencil_unit = """
#include "dwell/solvers/stencil/shapes/SHAPE.hpp"
ENGINE_HEADERS#include "dwell/execution/stencil/launch/perks_kernels_cuda.cuh"
#include "dwell/execution/stencil/launch/temporal_kernels_cuda.cuh"
#include "dwell/execution/stencil/loops/barrier_steps.hpp"
#include "dwell/execution/stencil/loops/naive.hpp"
namespace dwell::cuda {
template <class... F> __device__ int use(F*... f) { return (0 + ... + int(f != nullptr)); }
template <int N> using places = std::make_integer_sequence<int, N>;
template <class S, class T, class Engine, int... K>
__device__ int caching(std::integer_sequence<int, K...>) { return use(&perks_kernel<S, T, perks_stencil, Engine, K>...); }
template <class S, class T, class Engine>
__device__ int caching() { return caching<S, T, Engine>(places<int(Engine::template configs<S, T>.size())>{}); }
template <class S, class T, int... K>
__device__ int plain(std::integer_sequence<int, K...>) {
  return (0 + ... + use(&step_kernel<S, T, K>, &loop_kernel<S, T, barrier_steps, K>, &dataflow_kernel<S, T, K>));
}
template <class S, class T, int... K>
__device__ int rings(std::integer_sequence<int, K...>) { return (0 + ... + use(&ring_kernel<S, T, K, false>, &ring_kernel<S, T, K, true>)); }
template <class S, class T, int... K>
__device__ int columns(std::integer_sequence<int, K...>) { return (0 + ... + use(&column_kernel<S, T, K, false>, &column_kernel<S, T, K, true>)); }
template <class S, class T>
__device__ int all() {
  return ENGINES + use(&own_step_kernel<S, T, naive_stencil>) +
         plain<S, T>(places<int(thread_configs<S, T>.size())>{}) +
         rings<S, T>(places<int(ring_configs<backend::cuda, S, T>().size())>{}) +
         columns<S, T>(places<int(column_configs<backend::cuda, S, T>().size())>{});
}
}  // namespace dwell::cuda
extern "C" __global__ void count(int* n) { *n = dwell::cuda::all<dwell::SHAPE, double>() + dwell::cuda::all<dwell::SHAPE, float>(); }
"""


program_unit = """
#include "dwell/HEADER"
#include "dwell/execution/krylov/launch/kernels_cuda.cuh"
#include "dwell/execution/krylov/loops/batch.hpp"
#include "dwell/execution/krylov/loops/columns.hpp"
#include "dwell/execution/krylov/loops/host_loop.hpp"
#include "dwell/execution/krylov/loops/perks.hpp"
#include "dwell/execution/krylov/loops/persistent.hpp"
namespace dwell::cuda {
template <class... F> __device__ int use(F*... f) { return (0 + ... + int(f != nullptr)); }
template <class P, class T, class E, int... K>
__device__ int runs(std::integer_sequence<int, K...>) { return use(&run_kernel<P, T, E, K>...); }
template <class P, class T, class E, int... K>
__device__ int phases(std::integer_sequence<int, K...>) { return use(&phase_kernel<P, T, E, 0, K>...); }
template <class P, class T, class E>
__device__ int under() {
  if constexpr (E::launches_phases)
    return phases<P, T, E>(std::make_integer_sequence<int, P::phases>{});
  else
    return runs<P, T, E>(std::make_integer_sequence<int, int(std::size(E::cuda_configs))>{});
}
template <class P, class T, class... E>
__device__ int all() { return (0 + ... + under<P, T, E>()); }
template <class P, class... E>
__device__ int of_types() { return all<P, double, E...>() + all<P, float, E...>(); }
template <class P, class... E>
__device__ int of_complex_types() { return all<P, complex_value<double>, E...>() + all<P, complex_value<float>, E...>(); }
}  // namespace dwell::cuda
extern "C" __global__ void count(int* n) { using namespace dwell; *n = COUNT; }
"""


convolution_unit = """
#include "dwell/solvers/arrays/convolution/algorithms/direct.hpp"
#include "dwell/solvers/arrays/convolution/algorithms/systolic.hpp"
#include "dwell/solvers/arrays/convolution/algorithms/window.hpp"
#include "dwell/solvers/arrays/convolution/kernels_cuda.cuh"
namespace dwell::cuda {
template <class... F> __device__ int use(F*... f) { return (0 + ... + int(f != nullptr)); }
template <class Pass, int... K>
__device__ int of(std::integer_sequence<int, K...>) { return use(&convolution_kernel<ALGORITHM::on_cuda, K, Pass>...); }
template <class... Pass>
struct all { static __device__ int count() { return (0 + ... + of<Pass>(std::make_integer_sequence<int, ALGORITHM::on_cuda::instances>{})); } };
}  // namespace dwell::cuda
extern "C" __global__ void count(int* n) { *n = dwell::convolution_passes_of<dwell::cuda::all>::count(); }
"""


grids_unit = """
#include "dwell/solvers/grid/device/kernel_cuda.cuh"
#include "dwell/solvers/grid/device/setup_kernel_cuda.cuh"
namespace dwell::cuda {
using grids::level_kind;
template <class... F> __device__ int use(F*... f) { return (0 + ... + int(f != nullptr)); }
template <class T, bool Flat, level_kind... Kind>
__device__ int of_kinds() {
  return use(&grid_solve_kernel<T, grids::grid_lanes, Flat, Kind, false>...) + use(&grid_solve_kernel<T, grids::grid_lanes, Flat, Kind, Kind != level_kind::none>...);
}
template <class T, bool Flat>
__device__ int of() { return of_kinds<T, Flat, level_kind::points, level_kind::boxes, level_kind::lines, level_kind::none>(); }
template <class T>
__device__ int all() { return of<T, true>() + of<T, false>() + use(&grid_setup_kernel<T, grids::grid_lanes>); }
}  // namespace dwell::cuda
extern "C" __global__ void count(int* n) { *n = dwell::cuda::all<double>() + dwell::cuda::all<float>(); }
"""


small_unit = """
HEADERS
namespace dwell::cuda {
template <class... F> __device__ int use(F*... f) { return (0 + ... + int(f != nullptr)); }
}  // namespace dwell::cuda
extern "C" __global__ void count(int* n) { *n = dwell::cuda::use(KERNELS); }
"""


def small_kernels():
    """Name of a unit -> its text."""
    lines = [line for line in (top / "tests/data/small_kernels.tsv").read_text().splitlines() if not line.startswith("#")]
    rows = [line.split("\t") for line in lines[1:]]
    return {name: small_unit.replace("HEADERS", "".join(f'#include "{header}"\n' for header in headers.split()))
            .replace("KERNELS", ", ".join(f"&{kernel}" for kernel in kernels.split("; "))) for name, headers, kernels in rows}


def convolutions():
    """The algorithms of solvers/CMakeLists.txt, as the names of their structs."""
    words = re.search(r"^dwell_add_convolutions\(([^)]*)\)", (top / "solvers/CMakeLists.txt").read_text(), re.M)[1]
    return [word.split(":")[0] + "_convolution" for word in words.split()]


def caching_engines():
    """The engines of executor perks, from the list of the library; a folder has the name of its engine."""
    text = (top / "execution/stencil/engines/perks_engines.hpp").read_text()
    return re.search(r"using caching_engines =\s*engine_list<([\w,\s]+)>;", text)[1].replace(",", " ").split()


def units():
    """Name -> text: the stencils, the programs that execution/krylov/kernels.hpp lists, the convolutions, grids, and small kernels."""
    engines = caching_engines()
    unit = stencil_unit.replace("ENGINE_HEADERS", "".join(f'#include "dwell/execution/stencil/engines/{e}/engine.hpp"\n' for e in engines))
    unit = unit.replace("ENGINES", " + ".join(f"caching<S, T, {e}>()" for e in engines))
    all_units = {p.stem: unit.replace("SHAPE", p.stem) for p in sorted((top / "solvers/stencil/shapes").glob("*.hpp"))}
    rows = re.findall(r'^ *\{"(\w+)", *"([\w/.]+)", *"[^"]*", *"([^"]*)"\},$', (top / "execution/krylov/kernels.hpp").read_text(), re.M)
    for program, header, loops in rows:
        if not loops:  # on CPUs alone
            continue
        executors = [loop for loop in re.split(r"[ +]", loops.replace("*", "")) if not loop.startswith("graph")]  # whose kernels are host_loop's
        name = f"{program}_batch" if executors == ["batch"] else program
        types = "of_complex_types" if program.startswith("complex_") else "of_types"
        text = program_unit.replace("HEADER", header)
        all_units[name] = text.replace("COUNT", f"cuda::{types}<{program}, {', '.join(executors)}>()")
    all_units |= {name: convolution_unit.replace("ALGORITHM", name) for name in convolutions()}
    return all_units | {"grids": grids_unit} | small_kernels()


def kernels():
    """The rows of tests/data/kernels.tsv: name, headers, kernel."""
    lines = [line for line in (top / "tests/data/kernels.tsv").read_text().splitlines() if not line.startswith("#")]
    return [line.split("\t") for line in lines[1:]]


def front_end(name):
    good, log, _ = Nvrtc(library()).compile(f"{name}.cu", units()[name], [], ["--gpu-architecture=sm_90a"])
    return name, good and "warning" not in log, log


def machine_code(row):
    """The line of a kernel in the golden file, or what is wrong."""
    name, headers, kernel = row
    text = "".join(f'#include "{header}"\n' for header in headers.split())
    began = time.process_time()
    good, log, cubin = Nvrtc(library()).compile(f"{name}.cu", text, [kernel], ["--gpu-architecture=sm_90a", "--ptxas-options=-v"])
    if not good:
        return name, False, log
    print(f"{name}: {time.process_time() - began:.1f} s of a processor, {len(cubin) / 1000:.0f} kB", flush=True)
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(cubin)
        file.flush()
        code = subprocess.run([os.environ["DWELL_NVDISASM"], file.name], check=True, capture_output=True, text=True).stdout
    counts = collections.Counter(re.findall(r"^\s+/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z0-9]+)", code, re.M))
    numbers = [re.search(r"Used (\d+) registers", log)[1], *re.search(r"(\d+) bytes spill stores, (\d+) bytes spill loads", log).groups()]
    return name, True, "\t".join([name, *numbers, *(str(counts[operation]) for operation in arithmetic)])


def all_of(work, items):
    """The third values of work(item) for all items, or None and what failed is printed."""
    results, failed = [], []
    with concurrent.futures.ProcessPoolExecutor(int(os.environ.get("JOBS", 0)) or None) as pool:
        for name, good, text in pool.map(work, items):
            results.append(text)
            if not good:
                failed.append(name)
                print(f"{name}:\n" + "\n".join(text.splitlines()[:30]), file=sys.stderr)
    if failed:
        sys.exit(f"nvrtc: failed: {', '.join(failed)}")
    return results


def golden(write):
    folder = top / f"build/toolchains/nvrtc-{golden_version}"
    if not (folder / "bin/python").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    subprocess.run([folder / "bin/python", "-m", "pip", "install", "-q", "--disable-pip-version-check",
                    f"nvidia-cuda-nvrtc=={golden_version}", f"nvidia-cuda-nvdisasm=={golden_version}"], check=True)
    os.environ["DWELL_NVRTC"] = str(next(folder.glob("lib/python*/site-packages/nvidia/*/lib/libnvrtc.so.[0-9][0-9]")))
    os.environ["DWELL_NVDISASM"] = str(next(folder.glob("lib/python*/site-packages/nvidia/*/bin/nvdisasm")))
    lines = [f"# Machine code for sm_90a by NVRTC {golden_version}: scripts/check/nvrtc.py --golden --write.",
             "\t".join(["name", "registers", "spill_stores", "spill_loads", *arithmetic]), *all_of(machine_code, kernels())]
    if write:
        golden_file.write_text("\n".join(lines) + "\n")
        print(f"nvrtc: wrote {golden_file.relative_to(top)}")
        return
    before = golden_file.read_text().splitlines()
    different = [(old, new) for old, new in zip(before, lines) if old != new]
    for old, new in different:
        print(f"- {old}\n+ {new}", file=sys.stderr)
    if different or len(before) != len(lines):
        sys.exit(f"nvrtc: {golden_file.relative_to(top)} differs: if that is meant, run {sys.argv[0]} --golden --write and say why")
    print(f"nvrtc: registers, spills and arithmetic of {len(lines) - 2} kernels as before, by NVRTC {golden_version}")


def check(names):
    path = library()
    if not path:
        print("nvrtc: not checked, there is no NVRTC: set DWELL_NVRTC, install the CUDA toolkit or pip install nvidia-cuda-nvrtc")
        return
    known = list(units())
    for name in names:
        if name not in known:
            sys.exit(f"{sys.argv[0]}: expected a name of {', '.join(known)}, found '{name}'")
    all_of(front_end, names or known)
    print(f"nvrtc: all kernels of {len(names or known)} stencils, methods, convolutions, grids and units of small kernels, by NVRTC {Nvrtc(path).version} ({path})")


def main():
    with tempfile.TemporaryDirectory() as folder:  # links as each build folder has them (cmake/components.cmake)
        os.environ["DWELL_LINKS"] = folder
        place = pathlib.Path(folder) / "dwell"
        place.mkdir()
        for name in linked:
            (place / name).symlink_to(top / name)
        if sys.argv[1:] in (["--golden"], ["--golden", "--write"]):
            golden(len(sys.argv) == 3)
        else:
            check(sys.argv[1:])


if __name__ == "__main__":
    main()
