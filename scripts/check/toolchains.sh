#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles what the first command of the README compiles, the small program of `make solve`, with other toolchains than
# this machine's, without a warning, and solves a system with it: check/toolchains.sh NAME... | --all | --turn N | --list.
# --turn takes one of those that this machine can have, the N-th, round and round. Objects are in build/toolchain-NAME.
#
# cmake-3.25, cmake-newest   CMake of PyPI, with the compiler that is here
# fmt-newest                 fmt of PyPI's cmeel-fmt, which builds of the Python package take
# unity-off                  every file compiled by itself
# headers                    every header compiled by itself
# all-kernels                everything, with all kernels for GPUs, by the nvcc that is here
# gcc-12, clang-14, clang-16 of Debian 12
# gcc-13, gcc-14             in a fresh system of Debian 13 (package/debian-system.sh), with its libraries
# nvcc-here                  the nvcc in PATH or CUDACXX, kernels for GPUs included
# nvcc-newest                of PyPI's nvidia-cuda-nvcc
# nvcc-12.4                  of /usr/local/cuda-12.4: PyPI's wheels of it have ptxas and no nvcc
#
# clang with libc++ is what compiles wheels (package/build-wheels.sh): Debian's libraries, which the command line needs, are made
# for libstdc++.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/package/debian-system.sh
names=(cmake-3.25 cmake-newest fmt-newest unity-off headers all-kernels gcc-12 gcc-13 gcc-14 clang-14 clang-16 nvcc-here nvcc-newest nvcc-12.4)
in_turn=(fmt-newest cmake-newest clang-14 clang-16 gcc-13 gcc-14 unity-off) # seen to pass here, each in 3 minutes; CI itself has gcc-12 and nvcc-here
place=build/toolchains
mkdir -p "$place"

fail() {
  printf '%s: %s\n' "$0" "$*" >&2
  exit 1
}
pip_environment() { # pip_environment NAME PACKAGE...: build/toolchains/NAME, an environment with these of PyPI
  [[ -x $place/$1/bin/python ]] || python3 -m venv "$place/$1"
  "$place/$1/bin/python" -m pip install -q --disable-pip-version-check "${@:2}"
}
debian_packages() { # installs those that are missing
  local package missing=()
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  ((${#missing[@]} == 0)) || quietly "$place/apt.log" apt-get -qq install -y --no-install-recommends "${missing[@]}"
}
# compile NAME [CMAKE-ARGUMENT...]: by the CMake in PATH; `within` is "inside" for what is done in a Debian system.
compile() {
  local name=$1 folder=build/toolchain-$1 log=$place/$1.log warnings
  $within cmake --fresh --preset release -B "$folder" -DDWELL_TESTS=OFF -DDWELL_CUDA=OFF "${@:2}" >"$log" 2>&1 || { tail -n 40 "$log" >&2; fail "$name: CMake"; }
  $within cmake --build "$folder" --target dwell_small --parallel "${JOBS:-$(nproc)}" >>"$log" 2>&1 ||
    { grep -m 20 -A 8 -E 'error:|^FAILED' "$log" >&2 || tail -n 40 "$log" >&2; fail "$name: the build, see $log"; }
  warnings=$(grep -cE 'warning( #[0-9-]+)?:' "$log" || true)
  if ((warnings > 0)); then
    grep -m 20 -A 4 -E 'warning( #[0-9-]+)?:' "$log" >&2
    fail "$name: $warnings warnings, see $log"
  fi
  $within "$folder/small/dwell" cg trefethen:2000 --device cpu --quiet || fail "$name: dwell cg trefethen:2000: status $?"
  printf '%-14s %s\n' "$name" "$(sed -n 's/^-- The \(CXX\|CUDA\) compiler identification is //p' "$log" | paste -sd ' ')"
}
within=

in_debian_13() { # in_debian_13 NAME COMPILER: with this repository at /source
  fresh_system "$PWD/build/toolchains/trixie" trixie ca-certificates git
  mkdir -p "$debian_folder/source"
  mount --bind "$PWD" "$debian_folder/source"
  quietly "$place/apt.log" inside sh -c "cd /source && scripts/package/install-packages.sh build"
  quietly "$place/apt.log" inside apt-get -qq install -y --no-install-recommends "$2"
  within_source() { inside sh -c 'cd /source && exec "$@"' sh "$@"; }
  within=within_source
  rm -rf "build/toolchain-$1" # its paths are those of /source
  # Debian's libraries are linked with the newest libstdc++, which programs find when they run; older compilers have
  # one of their own to link with.
  compile "$1" -DCMAKE_CXX_COMPILER="$2" -DCMAKE_EXE_LINKER_FLAGS=-Wl,--allow-shlib-undefined
  within=
}

check() {
  local tools site
  case $1 in
    cmake-3.25)
      pip_environment cmake-3.25 'cmake==3.25.*'
      (PATH=$PWD/$place/cmake-3.25/bin:$PATH && compile "$1")
      ;;
    cmake-newest)
      pip_environment cmake-newest --upgrade cmake
      (PATH=$PWD/$place/cmake-newest/bin:$PATH && compile "$1")
      ;;
    fmt-newest)
      pip_environment fmt-newest --upgrade cmeel-fmt
      site=$(echo "$PWD/$place"/fmt-newest/lib/python*/site-packages/cmeel.prefix)
      compile "$1" -DCMAKE_PREFIX_PATH="$site" -DCMAKE_BUILD_RPATH="$site/lib"
      grep -q '^fmt_DIR:PATH=.*cmeel' "build/toolchain-$1/CMakeCache.txt" || fail "$1: fmt of PyPI was not taken"
      ;;
    headers) PRESET=release make --no-print-directory headers ;;
    all-kernels) PRESET=all-kernels make --no-print-directory build ;;
    unity-off) compile "$1" -DDWELL_UNITY=OFF ;;
    gcc-12)
      debian_packages g++-12
      compile "$1" -DCMAKE_CXX_COMPILER=g++-12
      ;;
    gcc-13 | gcc-14) in_debian_13 "$1" "g++-${1#gcc-}" ;;
    clang-14 | clang-16)
      debian_packages "$1" "libclang-rt-${1#clang-}-dev"
      compile "$1" -DCMAKE_CXX_COMPILER="clang++-${1#clang-}"
      ;;
    nvcc-here) compile "$1" -DDWELL_CUDA=ON ;;
    nvcc-newest)
      pip_environment nvcc-newest nvidia-cuda-nvcc nvidia-cuda-runtime nvidia-cuda-cccl
      site=$(dirname "$(find "$PWD/$place/nvcc-newest" -path '*/bin/nvcc' | head -n 1)")
      [[ -x $site/nvcc ]] || fail "$1: no nvcc in the wheels of PyPI"
      compile "$1" -DDWELL_CUDA=ON -DCMAKE_CUDA_COMPILER="$site/nvcc" -DCUDAToolkit_ROOT="$(dirname "$site")"
      ;;
    nvcc-12.4)
      tools=/usr/local/cuda-12.4/bin/nvcc
      [[ -x $tools ]] || fail "$1: $tools is not here, and PyPI has no nvcc of 12.4"
      compile "$1" -DDWELL_CUDA=ON -DCMAKE_CUDA_COMPILER="$tools"
      ;;
    *) fail "expected a toolchain (${names[*]}), --all, --turn N or --list, found '$1'" ;;
  esac
}
can_be_had() { # can_be_had NAME: here
  case $1 in
    nvcc-12.4) [[ -x /usr/local/cuda-12.4/bin/nvcc ]] ;;
    nvcc-here) command -v "${CUDACXX:-nvcc}" >/dev/null || [[ -x /usr/local/cuda/bin/nvcc ]] ;;
    gcc-13 | gcc-14) # root, who may mount
      (($(id -u) == 0)) && command -v debootstrap >/dev/null && unshare --mount mount --bind /tmp /tmp 2>/dev/null
      ;;
    gcc-12 | clang-*) command -v "$1" >/dev/null || { command -v apt-get >/dev/null && (($(id -u) == 0)); } ;;
  esac
}

case ${1:-} in
  '') fail "expected a toolchain (${names[*]}), --all, --turn N or --list" ;;
  --list) printf '%s\n' "${names[@]}" && exit ;;
  --all | --turn)
    [[ $1 == --all || ${2:-} =~ ^[0-9]{1,9}$ ]] || fail "--turn: expected a number, found '${2:-}'"
    chosen=()
    [[ $1 == --all ]] || names=("${in_turn[@]}")
    for name in "${names[@]}"; do
      if can_be_had "$name"; then
        chosen+=("$name")
      else
        echo "$name: cannot be had here"
      fi
    done
    if [[ $1 == --turn ]]; then
      chosen=("${chosen[10#$2 % ${#chosen[@]}]}")
    fi
    ;;
  *) chosen=("$@") ;;
esac
if ((${#chosen[@]} == 1)); then
  check "${chosen[0]}"
  exit
fi
failed=()
for name in "${chosen[@]}"; do
  "scripts/${0##*/}" "$name" || failed+=("$name")
done
((${#failed[@]} == 0)) || fail "failed: ${failed[*]}"
echo "toolchains: ${chosen[*]}"
