#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles kernels (tests/data/kernels.tsv) by nvcc for architectures that may not be here, to machine code:
# check/architectures.sh ARCHITECTURE... | --all | --turn N | --list. --turn takes one of the list, the N-th, round and round.
# One architecture takes about two minutes of a processor. Without nvcc nothing is checked, and that is said.
set -euo pipefail
cd "$(dirname "$0")/../.."
architectures=(80 86 89 90a 100a 120a)

case ${1:-} in
  '') printf '%s: expected an architecture (%s), --all, --turn N or --list\n' "$0" "${architectures[*]}" >&2 && exit 1 ;;
  --list) printf '%s\n' "${architectures[@]}" && exit ;;
  --all) ;;
  --turn)
    [[ ${2:-} =~ ^[0-9]{1,9}$ ]] || { printf "%s: --turn: expected a number, found '%s'\n" "$0" "${2:-}" >&2 && exit 1; }
    architectures=("${architectures[10#$2 % ${#architectures[@]}]}")
    ;;
  *) architectures=("$@") ;;
esac
nvcc=${CUDACXX:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if ! command -v "$nvcc" >/dev/null; then
  echo "architectures: not checked, there is no nvcc ($nvcc)"
  exit
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/include/dwell" # links as each build folder has them (cmake/components.cmake)
for folder in base execution formats solvers; do ln -s "$PWD/$folder" "$scratch/include/dwell/$folder"; done
known=$("$nvcc" --list-gpu-arch)

# compile ARCHITECTURE NAME HEADERS KERNEL: prints what went wrong.
compile() {
  local unit=$scratch/$1-$2.cu header
  for header in $3; do printf '#include "%s"\n' "$header"; done >"$unit"
  printf 'const void* kernel() { return reinterpret_cast<const void*>(&%s); }\n' "$4" >>"$unit"
  if ! "$nvcc" -arch="sm_$1" -cubin -o "$unit.cubin" -std=c++20 -fmad=false --expt-relaxed-constexpr --extended-lambda \
    -diag-suppress 20012 -I include -I "$scratch/include" "$unit" >"$unit.log" 2>&1 || [[ ! -s $unit.cubin ]]; then
    printf '%s for %s:\n%s\n' "$2" "$1" "$(grep -m 5 -E 'error|fatal' "$unit.log" || tail -n 5 "$unit.log")" >&2
    return 1
  fi
}
export -f compile
export nvcc scratch
for architecture in "${architectures[@]}"; do
  if ! grep -qx "compute_${architecture%[af]}" <<<"$known"; then
    echo "architectures: $architecture not checked, $nvcc does not know it"
    continue
  fi
  tail -n +3 tests/data/kernels.tsv | tr '\t\n' '\0\0' |
    xargs -0 -n 3 -P "${JOBS:-$(nproc)}" bash -c 'compile "$@"' sh "$architecture" || { echo "architectures: $architecture: failed" >&2 && exit 1; }
  echo "architectures: $architecture: $(tail -n +3 tests/data/kernels.tsv | wc -l) kernels"
done
