#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Every option of the build, turned round by itself, every other time with no stencils on CPUs: CMake must make build files.
# check/options.sh [CMAKE-ARGUMENT...]. Nothing is compiled.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

configure() { # configure ARGUMENT...
  cmake "$@" -B "$folder/build" -Wno-dev >"$folder/log" 2>&1 && return
  echo "$0: cmake $*" >&2
  tail -n 20 "$folder/log" >&2
  exit 1
}
# DWELL_FUZZ is of clang alone, DWELL_PYTHON of a build by pip: presets and scripts of their own configure them.
turned() { # those that are ON turned OFF, and the other way round
  sed -n -E 's/^(DWELL_[A-Z_]+):BOOL=ON$/\1=OFF/p; s/^(DWELL_[A-Z_]+):BOOL=OFF$/\1=ON/p' "$folder/build/CMakeCache.txt" |
    grep -vE '^DWELL_(FUZZ|PYTHON)='
}

configure -S . -G Ninja -DDWELL_CUDA=OFF "$@"
count=0
for option in $(turned) BUILD_SHARED_LIBS=ON DWELL_MPI=OFF DWELL_METIS=OFF; do
  rm -f "$folder/build/CMakeCache.txt"
  also=(-DDWELL_SHAPES=none)
  if ((count % 2 == 1)); then also=('-DDWELL_SHAPES=star2d5;star3d7'); fi
  # Tests and the command line need component io, and are refused without it.
  if [[ $option == DWELL_IO=OFF ]]; then also+=(-DDWELL_TESTS=OFF -DDWELL_APPS=OFF); fi
  configure -S . -G Ninja -DDWELL_CUDA=OFF "$@" "${also[@]}" "-D$option"
  count=$((count + 1))
done
if ((count < 10)); then
  echo "$0: expected 10 options and more, in the cache of CMake and here, found $count" >&2
  exit 1
fi
echo "options: $count builds configured"
