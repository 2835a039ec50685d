#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Debian packages of the library, its headers, the command and the Python module, in build/deb/packages:
# package/build-deb.sh [CMAKE-ARGUMENT...]. The module is for Debian's own Python. Without CUDA and MPI, so that who installs them
# needs neither: -DDWELL_CUDA=ON and -DDWELL_MPI=ON build them in.
set -euo pipefail
cd "$(dirname "$0")/../.."

python=/usr/bin/python3
place=$PWD/build/deb
tools=$place/tools
mkdir -p "$place"
if [[ $("$tools/bin/python" -V 2>/dev/null) != $("$python" -V) ]]; then
  rm -rf "$tools"
  "$python" -m venv "$tools"
fi
"$tools/bin/python" -m pip install -q --disable-pip-version-check 'nanobind>=2.4'

cmake --fresh -G Ninja -S . -B "$place" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DDWELL_TESTS=OFF \
  -DDWELL_BENCHMARKS=OFF -DDWELL_CUDA=OFF -DDWELL_MPI=OFF -DDWELL_PYTHON=ON -DPython_EXECUTABLE="$python" \
  -Dnanobind_DIR="$("$tools/bin/python" -m nanobind --cmake_dir)" "$@" >"$place/configure.log" 2>&1 ||
  { tail -n 40 "$place/configure.log" >&2; exit 1; }
cmake --build "$place" --target dwell_installed --parallel "${JOBS:-$(nproc)}" >"$place/build.log" 2>&1 ||
  { tail -n 60 "$place/build.log" >&2; exit 1; }
rm -rf "$place/packages"
(cd "$place" && cpack -B "$place/packages" >"$place/cpack.log" 2>&1) || { cat "$place/cpack.log" >&2; exit 1; }
rm -rf "$place/packages/_CPack_Packages"
for package in "$place"/packages/*.deb; do
  printf '%s  %s KiB\n' "${package#"$PWD/"}" $(($(stat -c %s "$package") / 1024))
done
