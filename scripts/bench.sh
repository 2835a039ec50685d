#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs every benchmark program of a build, one after the other: bench.sh BUILD [GOOGLE-BENCHMARK-OPTION...]
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
  "$program" "${@:2}"
done
