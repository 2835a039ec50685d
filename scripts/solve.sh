#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `make solve`: builds a program if there is none, and solves MATRIX with it; arguments are options of `dwell cg`.
# Where everything has been built that is the program dwell. Else it is the small one, which has conjugate gradients
# alone and is compiled in a tenth of the time; its objects are those of a whole build in the same folder.
set -euo pipefail
cd "$(dirname "$0")/.."

build=build/$PRESET
program=$build/apps/dwell/dwell target=dwell_cli
if [[ ! -x $program ]]; then
  program=$build/small/dwell target=dwell_small
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT

if [[ ! -e $build/build.ninja ]]; then
  cmake --preset "$PRESET" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
fi
# Ninja says what there is to do, after CMake has run again where it must.
if ! steps=$(ninja -C "$build" -n "$target" 2>"$log"); then
  printf '%s\n' "$steps" >&2
  cat "$log" >&2
  exit 1
fi
if ! grep -q 'no work to do' <<<"$steps"; then
  if [[ ! -x $program ]]; then
    seconds=120  # processor time, docs/results/build.md
    if grep -q '^CMAKE_CUDA_COMPILER:.*nvcc' "$build/CMakeCache.txt"; then seconds=300; fi
    echo "Building $program, once: about $(((seconds / JOBS + 59) / 60)) min on $JOBS cores."
  fi
  if [[ -t 1 ]]; then  # one line of progress, which Ninja writes over
    cmake --build "$build" --target "$target" --parallel "$JOBS"
  else
    cmake --build "$build" --target "$target" --parallel "$JOBS" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
  fi
fi

echo "$program cg $MATRIX${*:+ $*}"
"$program" cg "$MATRIX" "$@"

cat <<END

Next: make solve MATRIX=path/to/A.mtx      a system of your own; ARGS="--rtol 1e-10 --output x.mtx" for more
      $program cg --help
      make build                          everything: other methods, stencils, convolutions, comparisons
      docs/tutorial.md                    half an hour
END
