#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles every header under INCLUDE/dwell alone, twice in one file, without warnings and without
# CUDA: check-headers.sh [--public] INCLUDE. Left out are .cuh and those with "cuda" in their name,
# which are for nvcc. --public, for the installed headers: no word of CUDA may be in the others. That a
# header needs no other one is asked of g++; clang++ then takes all of them in one file.
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

deps=$(mktemp -d)
trap 'rm -rf "$deps"' EXIT

# What is wrong with a header goes to standard error.
check() {
  local header=$1 status=0
  local twice made=$deps/${header//\//_}
  twice=$(printf '#include "%s"\n#include "%s"\n' "$header" "$header")
  if ! g++ "${flags[@]}" -x c++ -fsyntax-only -MD -MF "$made" - <<<"$twice"; then
    echo "$include/$header: does not compile alone" >&2
    status=1
  elif grep -HE '/cuda|cuda_runtime\.h' "$made" >&2; then
    echo "$include/$header: includes a header of CUDA" >&2
    status=1
  fi
  # fn.hpp holds the macros that become CUDA's words under nvcc, and only there.
  if ((public)) && [[ $header != dwell/formats/fn.hpp ]] &&
    grep -HnE '__(global|device|host|shared)__|<<<|\bcuda[A-Z]\w*|cuda_runtime' "$include/$header" >&2; then
    echo "$include/$header: is public and contains CUDA" >&2
    status=1
  fi
  return "$status"
}

# As many at once as there are processors, each every nth header.
workers=$(nproc)
pids=()
for ((worker = 0; worker < workers; ++worker)); do
  (
    status=0
    for ((i = worker; i < ${#headers[@]}; i += workers)); do check "${headers[i]}" || status=1; done
    exit "$status"
  ) &
  pids+=($!)
done
failures=0
if command -v clang++ >/dev/null &&
  ! printf '#include "%s"\n' "${headers[@]}" | clang++ "${flags[@]}" -x c++ -fsyntax-only -; then
  echo "$include: its headers do not compile with clang++" >&2
  failures=1
fi
for pid in "${pids[@]}"; do wait "$pid" || failures=1; done
((failures == 0))
echo "headers: ${#headers[@]} compile alone"
