#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds apps/examples against an installed copy of Dwell, as a user's project would, and runs what
# was built: check/examples.sh PREFIX [EXAMPLE...]. Then solve_file again by pkg-config alone, from a
# copy of PREFIX in another place, and solve_mpi with each implementation of MPI. Without the command
# line tool in PREFIX, DWELL names one.
set -euo pipefail
if (($# < 1)) || [[ ! -d $1 ]]; then
  echo "usage: $0 PREFIX [EXAMPLE...]" >&2
  exit 1
fi
prefix=$(cd "$1" && pwd)
shift
examples=("$@")
if ((${#examples[@]} == 0)); then
  examples=(solve_eigen solve_c poisson_c custom_stencil own_method wave heat_steps solve_file)
  if command -v gfortran >/dev/null; then
    examples+=(solve_fortran)
  else
    echo "$0: no Fortran compiler: solve_fortran is skipped" >&2
  fi
fi
dwell=${DWELL:-$prefix/bin/dwell}
cd "$(dirname "$0")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# A copy of the sources elsewhere: nothing of this repository may be needed.
cp -r apps/examples "$folder/source"
cmake -S "$folder/source" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_CUDA_ARCHITECTURES=90 -DCMAKE_PREFIX_PATH="$prefix" >"$folder/log" || { cat "$folder/log"; exit 1; }
cmake --build "$folder/build" --target "${examples[@]}"

"$dwell" generate poisson2d:50x40 -o "$folder/a.mtx"
solve_file() { # solve_file PROGRAM: solves, and refuses a file that is not there
  local status=0
  rm -f "$folder/x.mtx"
  "$1" "$folder/a.mtx" "$folder/x.mtx"
  test -s "$folder/x.mtx"
  "$1" "$folder/absent.mtx" "$folder/y.mtx" || status=$?
  if ((status != 1)) || [[ -e $folder/y.mtx ]]; then
    echo "$0: an absent matrix must be an error and write nothing, found status $status" >&2
    exit 1
  fi
}
if grep -q '^CMAKE_CUDA_COMPILER:' "$folder/build/CMakeCache.txt" && ninja -C "$folder/build" -t query implicit_heat >/dev/null 2>&1; then
  cmake --build "$folder/build" --target implicit_heat  # which needs a GPU to run
fi
for example in "${examples[@]}"; do
  if [[ $example == solve_file ]]; then solve_file "$folder/build/solve_file"; else "$folder/build/$example"; fi
done

# The installed copy moves; pkg-config finds it there, and what is linked with static libraries.
mkdir "$folder/moved"
for part in include lib lib64; do
  [[ ! -e $prefix/$part ]] || cp -rl "$prefix/$part" "$folder/moved/" 2>/dev/null || cp -r "$prefix/$part" "$folder/moved/"
done
pc=$(find "$folder/moved" -name dwell-io.pc)
export PKG_CONFIG_PATH=${pc%/*}
shared=$(find "$folder/moved" -name 'libdwell.so')
[[ -z $shared ]] || export LD_LIBRARY_PATH=${shared%/*}
flags=$(pkg-config --cflags --libs dwell-io)
if [[ $flags == *"$prefix"* ]]; then
  echo "$0: dwell-io.pc names the folder that the copy was moved from: $flags" >&2
  exit 1
fi
read -r -a flags <<<"$flags"
"${CXX:-g++}" -std=c++20 -O1 "$folder/source/solve_file.cpp" "${flags[@]}" -o "$folder/by_pkg_config"
solve_file "$folder/by_pkg_config"

# Every implementation of MPI that is here uses this library.
read -r -a flags <<<"$(pkg-config --cflags --libs dwell-core)"
for mpi in openmpi mpich; do
  if ! command -v "mpicxx.$mpi" >/dev/null; then
    echo "$0: no mpicxx.$mpi: solve_mpi is not tried with it" >&2
    continue
  fi
  "mpicxx.$mpi" -std=c++20 -O1 "$folder/source/solve_mpi.cpp" "${flags[@]}" -o "$folder/solve_$mpi"
  OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
    timeout 100 "mpirun.$mpi" -n 3 "$folder/solve_$mpi" 100
done
echo "examples: built and run against $prefix"
