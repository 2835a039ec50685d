#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs every benchmark program of a build, one after the other: bench.sh BUILD [GOOGLE-BENCHMARK-OPTION...]
# One that ends with 77 needs something that is not here, says so, and does not end the others.
set -euo pipefail
if (($# == 0)) || [[ ! -d $1/apps/bench ]]; then
  echo "usage: $0 BUILD [OPTION...], a build with DWELL_BENCHMARKS=ON" >&2
  exit 1
fi
mapfile -t programs < <(find "$1/apps/bench" -maxdepth 1 -type f -executable | sort)
if ((${#programs[@]} == 0)); then
  echo "$0: no benchmark programs in $1/apps/bench" >&2
  exit 1
fi
for program in "${programs[@]}"; do
  printf '\n== %s\n' "${program##*/}"
  code=0
  "$program" "${@:2}" || code=$?
  if ((code != 0 && code != 77)); then exit "$code"; fi
done
