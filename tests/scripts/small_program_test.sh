#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The small program of `make solve`: what it has gives the answers of the whole program to the bit, and what it lacks it
# names in one line, with exit code 1. small_program_test.sh SMALL WHOLE
set -euo pipefail
small=$1 whole=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

fail() {
  printf '%s\n' "$*" >&2
  exit 1
}
same() { # same ARGUMENT...: both programs write the same vector
  "$small" "$@" --device cpu --quiet --output small.npy || fail "small $*: status $?"
  "$whole" "$@" --device cpu --quiet --output whole.npy || fail "whole $*: status $?"
  cmp small.npy whole.npy || fail "$*: the answers differ"
}
refused() { # refused WORD... -- ARGUMENT...: one line with these words
  local words=() word status=0
  while [[ $1 != -- ]]; do words+=("$1") && shift; done
  shift
  "$small" "$@" >out 2>err || status=$?
  [[ $status == 1 && $(wc -l <err) == 1 ]] || fail "$*: status $status, $(cat err)"
  for word in "${words[@]}"; do grep -qF -- "$word" err || fail "$*: expected '$word', found $(cat err)"; done
}

same cg trefethen:500
same solve poisson2d:40x30 --preconditioner amg --rtol 1e-10
for kind in jacobi block-jacobi chebyshev fsai none; do same cg poisson3d:9x8x7 --preconditioner $kind; done
for precision in f32 mixed; do same cg poisson2d:30x31 --precision $precision --rtol 1e-5; done
same cg poisson2d:20x20 --executor host-loop --threads 2
"$small" cg poisson2d:20x20 --rhs-count 5 --device cpu --quiet || fail "--rhs-count: status $?"
# Other variants and the direct solver are not in it.
for program in small whole; do
  "${!program}" explain cg poisson2d:90x90 --device-facts h200 >all.txt || fail "explain, $program: status $?"
  grep -vE '^(variant|direct solver) ' all.txt >$program.txt
done
cmp small.txt whole.txt || fail 'explain: the plans differ'
"$small" generate poisson2d:12x9 -o A.mtx >out
"$small" convert A.mtx -o A.dwell >out
same cg A.dwell
"$small" --help | grep -q generate || fail '--help'
if "$small" --help | grep -qE '^ +(stencil|measure|compare) '; then fail '--help offers what is not there'; fi

for command in stencil convolve compare info measure model trace completion man; do
  refused "'$command'" 'make build' -- $command --anything 3
done
refused 'not symmetric' 'cg' -- solve convection2d:20x20:50
refused ilu0 'not symmetric' cg -- cg poisson3d:9x8x7 --preconditioner ilu0
refused variant pipelined -- cg poisson2d:9x9 --variant pipelined
refused executor perks -- cg poisson2d:9x9 --executor perks --device cpu
