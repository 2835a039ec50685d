# SPDX-License-Identifier: MIT
# Makes one CMake project of the C++ blocks of all pages, an executable each, builds it against an
# installed Dwell and runs them. A block without main() becomes the body of one: its #include lines
# and structs move before it, and a line "..." is left out.
import os
import re
import shutil
import subprocess

TARGETS = {"dwell/eigen.hpp": "Eigen3::Eigen", "dwell/custom_stencil.hpp": "dwell::custom_stencil",
           "dwell/custom_program.hpp": "dwell::custom_program", "dwell/stencil/define.hpp": "dwell::custom_stencil"}


def program_of(block):
    text = re.sub(r"^\s*\.\.\.$", "", block.text, flags=re.M)
    place = f'#line {block.line} "{block.page}"\n'
    given = block.orders.get("given", "")
    if "nvcc" in block.orders or re.search(r"\bmain\(", text):
        return place + text
    includes, before, body = [], [], []
    for source in (given, text):
        structs = re.findall(r"^(?:template.*\n)?(?:struct|__global__)\b[\s\S]*?^\};?$", source, flags=re.M)
        for one in structs:
            source = source.replace(one, "\n" * one.count("\n"), 1)
        before += structs
        includes += re.findall(r"^#include .*$", source, flags=re.M)
        body.append(re.sub(r"^#include .*$", "", source, flags=re.M))
    return ("\n".join(includes) + "\n" + "\n".join(before) + f"\nint main() {{\n{body[0]}\n{place}{body[1]}\n}}\n")


def write_project(blocks, folder):
    """Returns {target: block}."""
    shutil.rmtree(folder / "source", ignore_errors=True)
    (folder / "source").mkdir(parents=True)
    lines = ["cmake_minimum_required(VERSION 3.25)", "project(blocks LANGUAGES CXX)", "set(CMAKE_CXX_FLAGS -Wall)",
             "find_package(dwell REQUIRED COMPONENTS core stencil io)", "find_package(Eigen3 3.4 NO_MODULE QUIET)"]
    targets = {}
    for block in blocks:
        target = re.sub(r"\W+", "_", str(block.page).removesuffix(".md")) + f"_{block.line}"
        source = program_of(block)
        (folder / "source" / f"{target}.cpp").write_text(source)
        libraries = ["dwell::dwell"] + [lib for header, lib in TARGETS.items() if f"<{header}>" in source]
        lines += [f"add_executable({target} {target}.cpp)",
                  f"target_link_libraries({target} PRIVATE {' '.join(libraries)})"]
        targets[target] = block
    (folder / "source" / "CMakeLists.txt").write_text("\n".join(lines) + "\n")
    return targets


def build_and_run(blocks, folder, prefix, scratch_of, timeout):
    """Yields (block, message); scratch_of(block): the folder in which it runs."""
    if not blocks:
        return
    targets = write_project(blocks, folder)
    command = ["cmake", "-S", folder / "source", "-B", folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
               "-DCMAKE_CXX_FLAGS_RELEASE=-O1", f"-DCMAKE_PREFIX_PATH={prefix}"]
    if shutil.which("ccache"):
        command.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    said = subprocess.run(command, text=True, capture_output=True)
    if said.returncode:
        raise RuntimeError(f"the project of the C++ blocks: {said.stdout}{said.stderr}")
    built = subprocess.run(["cmake", "--build", folder / "build", "--", "-k", "0"], text=True, capture_output=True)
    for target, block in targets.items():
        program = folder / "build" / target
        if not program.exists() or (built.returncode and f"{target}.cpp.o" in built.stdout.split("FAILED:", 1)[-1]):
            errors = [line for line in built.stdout.splitlines() if f"{block.page}:" in line or target in line]
            yield block, "does not compile:\n" + "\n".join(errors[-12:])
            continue
        ran = subprocess.run([program, *block.orders.get("args", "").split()], cwd=scratch_of(block), text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)
        yield block, "" if ran.returncode == 0 else f"expected status 0, found {ran.returncode}:\n{ran.stdout}"


def compile_by_nvcc(block, folder, prefix, nvcc, timeout):
    """The message; empty where it compiles."""
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / "block.cu"
    source.write_text(program_of(block))
    ran = subprocess.run([nvcc, "-std=c++20", "-I", f"{prefix}/include", "-c", source, "-o", os.devnull], text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)
    return "" if ran.returncode == 0 else f"does not compile:\n{ran.stdout}"
