#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The command line of the programs of apps/ladder, and rung 5 on a CPU: ladder_test.sh FOLDER. Bad input is one line and
# exit code 2; a GPU that is not there is one line and exit code 4.
set -euo pipefail
folder=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}
refused() { # refused CODE WORD PROGRAM ARGUMENT...
  local code=$1 word=$2 status=0
  shift 2
  "$folder/$1" "${@:2}" >"$scratch/out" 2>"$scratch/err" || status=$?
  [[ $status == "$code" && $(wc -l <"$scratch/err") == 1 && ! -s $scratch/out ]] ||
    fail "$*: status $status, $(cat "$scratch/out" "$scratch/err")"
  grep -qF -- "$word" "$scratch/err" || fail "$*: expected '$word', found $(cat "$scratch/err")"
}

for size in '64 600' '1 3' '2 40' '37 1'; do
  # shellcheck disable=SC2086
  "$folder/5_program" $size --cpu >"$scratch/out" || fail "5_program $size: status $?, $(cat "$scratch/out")"
done
first=$("$folder/5_program" 50 200 --cpu --row)
again=$("$folder/5_program" 50 200 --cpu --row)
[[ $first =~ ^5_program\ [0-9.]+\ [0-9]+\ [0-9a-f]{16}$ ]] || fail "--row: $first"
[[ ${first##* } == "${again##* }" ]] || fail "two runs differ: $first, $again"

programs=()
for rung in 1_host_loop 2_persistent 3_cached_vectors 4_cached_matrix 5_program; do
  if [[ -x $folder/$rung ]]; then programs+=("$rung"); fi
done
for program in "${programs[@]}"; do
  refused 2 'SIDE: expected a number from 1 to' "$program" 0
  refused 2 "found '12x'" "$program" 12x
  refused 2 "found '-3'" "$program" -3
  refused 2 'ITERATIONS: expected a number from 1 to' "$program" 10 99999999999
  refused 2 "found '7'" "$program" 10 10 7
  refused 2 "found '--fast'" "$program" --fast
  "$folder/$program" --help | grep -q '^usage: ' || fail "$program --help"
  # Where there is a GPU its answer is right; elsewhere the program says that there is none.
  status=0
  "$folder/$program" 20 >"$scratch/out" 2>"$scratch/err" || status=$?
  [[ $status == 0 ]] || refused 4 'no CUDA device' "$program" 20
done
if [[ -x $folder/1_host_loop ]]; then
  refused 2 "found '--cpu'" 1_host_loop --cpu
  refused 2 "found '--cached=9'" 3_cached_vectors --cached=9
  refused 2 'ROWS: expected a number from 1 to' 4_cached_matrix --cached=0
fi
