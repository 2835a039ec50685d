#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles every header under INCLUDE/dwell alone, twice in one file, without warnings and without
# CUDA: check-headers.sh [--public] INCLUDE. Left out are .cuh and those with "cuda" in their name,
# which are for nvcc. --public, for the installed headers: no word of CUDA may be in the others.
set -euo pipefail

public=0
if [[ ${1:-} == --public ]]; then
  public=1
  shift
fi
if (($# != 1)) || [[ ! -d $1/dwell ]]; then
  echo "usage: $0 [--public] INCLUDE, a folder that holds dwell/" >&2
  exit 1
fi
include=$1

flags=(-std=c++20 -Wall -Wextra -Wconversion -Wno-sign-conversion -Werror -I "$include")
flags+=(-isystem "${EIGEN3_INCLUDE_DIR:-/usr/include/eigen3}")

names=(-name '*.hpp' ! -name '*cuda*')
flags+=(-Wno-unknown-pragmas)  # nvcc's; those who include an installed copy do so as a system's
mapfile -t headers < <(cd "$include" && find -L dwell "${names[@]}" | sort)
if ((${#headers[@]} == 0)); then
  echo "$0: no headers in $include/dwell" >&2
  exit 1
fi

failures=0
for header in "${headers[@]}"; do
  twice=$(printf '#include "%s"\n#include "%s"\n' "$header" "$header")
  for compiler in g++ clang++; do
    command -v $compiler >/dev/null || continue
    if ! $compiler "${flags[@]}" -x c++ -fsyntax-only - <<<"$twice"; then
      echo "$include/$header: does not compile alone with $compiler" >&2
      failures=$((failures + 1))
    fi
  done
  if g++ "${flags[@]}" -x c++ -M - <<<"$twice" | grep -E '/cuda|cuda_runtime\.h' >&2; then
    echo "$include/$header: includes a header of CUDA" >&2
    failures=$((failures + 1))
  fi
  # fn.hpp holds the macros that become CUDA's words under nvcc, and only there.
  if ((public)) && [[ $header != dwell/formats/fn.hpp ]] &&
    grep -HnE '__(global|device|host|shared)__|<<<|\bcuda[A-Z]\w*|cuda_runtime' "$include/$header" >&2; then
    echo "$include/$header: is public and contains CUDA" >&2
    failures=$((failures + 1))
  fi
done
((failures == 0))
echo "headers: ${#headers[@]} compile alone"
