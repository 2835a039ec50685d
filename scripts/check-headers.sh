#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What CMake's all_verify_interface_header_sets does not see: that clang++ too takes all headers, each
# twice, in one file, without warnings and without CUDA: check-headers.sh [--public] INCLUDE. Left out
# are .cuh and those with "cuda" in their name, which are for nvcc. --public, for the installed
# headers: no word of CUDA may be in the others, comments apart.
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
mapfile -t headers < <(cd "$include" && find -L dwell -name '*.hpp' ! -name '*cuda*' ! -path dwell/mpi.hpp ! -path dwell/metis.hpp | sort)
if ((${#headers[@]} == 0)); then
  echo "$0: no headers in $include/dwell" >&2
  exit 1
fi

# -Wno-unknown-pragmas: nvcc's; those who include an installed copy do so as a system's.
flags=(-std=c++20 -Wall -Wextra -Wconversion -Wno-sign-conversion -Wno-unknown-pragmas -Werror
       -I "$include" -isystem "${EIGEN3_INCLUDE_DIR:-/usr/include/eigen3}")
[[ ! -e ${METIS_INCLUDE_DIR:-/usr/include}/metis.h ]] || headers+=(dwell/metis.hpp)
# mpi.h is not where compilers look for it: each implementation has a compiler of its own, OpenMPI's
# and MPICH's both with -show.
if command -v mpicc >/dev/null; then
  headers+=(dwell/mpi.hpp)
  for word in $(mpicc -show); do
    [[ $word != -I* ]] || flags+=(-isystem "${word#-I}")
  done
fi
status=0
printf '#include "%s"\n' "${headers[@]}" "${headers[@]}" |
  "${CLANGXX:-clang++}" "${flags[@]}" -x c++ -fsyntax-only - || status=1
# fn.hpp holds the macros that become CUDA's words under nvcc, and only there.
if ((public)); then
  for header in "${headers[@]}"; do
    [[ $header != dwell/base/fn.hpp ]] || continue
    ! sed 's|//.*||' "$include/$header" |
      grep -HnE --label="$header" '__(global|device|host|shared)__|<<<|\bcuda[A-Z]\w*|cuda_runtime' >&2 || status=1
  done
fi
((status == 0))
echo "headers: ${#headers[@]} compile with clang++"
