#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs the rungs of the ladder that are in FOLDER, and prints one table: run.sh FOLDER [SIDE [ITERATIONS]].
# The exit code is that of the first rung that fails, or 1 where rungs 1 to 4 differ in a bit.
set -euo pipefail
if (($# < 1 || $# > 3)) || [[ ! -d $1 ]]; then
  echo "usage: $0 FOLDER [SIDE [ITERATIONS]], FOLDER with the programs, as build/release/apps/ladder" >&2
  exit 2
fi
folder=$1
shift
rows=()
for rung in 1_host_loop 2_persistent 3_cached_vectors 4_cached_matrix 5_program; do
  if [[ ! -x $folder/$rung ]]; then
    echo "$rung is not in $folder" >&2
    continue
  fi
  row=$("$folder/$rung" "$@" --row) || exit
  rows+=("$row")
done
if ((${#rows[@]} == 0)); then
  echo "$0: none of the programs is in $folder" >&2
  exit 2
fi
printf '%s\n' "${rows[@]}" | awk '
  BEGIN { printf "%-18s %12s %12s %12s   %s\n", "rung", "us/iteration", "times faster", "MB/iteration", "bits of x" }
  {
    printf "%-18s %12.2f %12s %12.2f   %s\n", $1, $2, before ? sprintf("%.2f", before / $2) : "", $3 / 1e6, $4
    before = $2
    if ($1 == "5_program") next  # its teams have other rows, and its sums another order
    if (bits && bits != $4) differ = 1
    bits = $4
  }
  END { if (differ) { print "rungs 1 to 4 differ in their bits" > "/dev/stderr"; exit 1 } }'
