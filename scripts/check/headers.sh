#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What CMake's all_verify_interface_header_sets does not see: that clang++ too takes all headers, each
# twice, in one file, without warnings and without CUDA: check/headers.sh [--public INCLUDE]. Left out
# are .cuh and those with "cuda" in their name, which are for nvcc. --public, for the headers installed in
# INCLUDE: no word of CUDA may be in them, comments apart.
set -euo pipefail

public=0
if [[ ${1:-} == --public && $# == 2 && -d ${2:-}/dwell ]]; then
  public=1
  includes=("$2")
elif (($# == 0)); then
  # Links as those of a build folder (cmake/components.cmake).
  top=$(cd "$(dirname "$0")/../.." && pwd)
  links=$(mktemp -d)
  trap 'rm -rf "$links"' EXIT
  mkdir -p "$links/dwell/bindings"
  ln -s "$top"/{base,datasets,execution,formats,solvers} "$links/dwell"
  ln -s "$top/bindings/c" "$links/dwell/bindings"
  includes=("$top/include" "$links")
else
  echo "usage: $0 [--public INCLUDE], a folder that holds dwell/" >&2
  exit 1
fi
mapfile -t headers < <(for include in "${includes[@]}"; do
  cd "$include" && find -L dwell -name '*.hpp' ! -name '*cuda*' ! -path dwell/mpi.hpp ! -path dwell/metis.hpp
done | sort)
if ((${#headers[@]} == 0)); then
  echo "$0: no headers in ${includes[*]}" >&2
  exit 1
fi

# -Wno-unknown-pragmas: nvcc's; those who include an installed copy do so as a system's.
flags=(-std=c++20 -Wall -Wextra -Wconversion -Wno-sign-conversion -Wno-unknown-pragmas -Werror
       "${includes[@]/#/-I}" -isystem "${EIGEN3_INCLUDE_DIR:-/usr/include/eigen3}")
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
    ! sed 's|//.*||' "${includes[0]}/$header" |
      grep -HnE --label="$header" '__(global|device|host|shared)__|<<<|\bcuda[A-Z]\w*|cuda_runtime' >&2 || status=1
  done
fi
((status == 0))
echo "headers: ${#headers[@]} compile with clang++"
