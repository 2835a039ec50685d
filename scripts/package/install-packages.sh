#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Installs the Debian packages that are missing, and only those: a machine that has them all never
# calls apt and needs no network. Takes the names of groups, which are below.
# Where there is no dpkg it warns and leaves the search to CMake. DWELL_PACKAGES=skip does the same.
set -euo pipefail

# What each group is for: build - the library, the command line and the test programs;
# test - what tests run as programs; checks - sanitizers, fuzzing and formatting (.ci/run);
# python - what the Python package is built with, besides what pip brings;
# deb - Debian packages, and systems to try them in;
# docs - the documentation site, beside what docs/requirements.txt names.
declare -A group=(
  [build]="g++ cmake ninja-build ccache libeigen3-dev libcli11-dev libtomlplusplus-dev libfmt-dev
           nlohmann-json3-dev libarchive-dev zlib1g-dev libpng-dev libgtest-dev libbenchmark-dev
           libopenmpi-dev openmpi-bin libmetis-dev"
  [test]="git python3 python3-jsonschema curl mandoc zsh fish"
  [checks]="mpich libmpich-dev gfortran clang clang-format libclang-rt-dev"
  [python]="python3 python3-dev python3-venv binutils"
  [deb]="dpkg-dev file debootstrap"
  [docs]="doxygen python3 python3-venv"
)

say() { printf 'dwell: %s\n' "$*" >&2; }

wanted=()
for name in "$@"; do
  if [[ -z ${group[$name]:-} ]]; then
    say "no group of packages is called '$name' (there are: build, test, checks, python, deb, docs)"
    exit 1
  fi
  read -r -d '' -a packages <<<"${group[$name]}" || true
  wanted+=("${packages[@]}")
done

if [[ ${DWELL_PACKAGES:-} == skip ]]; then
  exit 0
fi
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  say "warning: not a Debian system, so nothing is installed; what is needed: ${wanted[*]}"
  exit 0
fi

missing=()
for package in "${wanted[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | head -n 1) || true
  [[ $state == installed ]] || missing+=("$package")
done
if ((${#missing[@]} == 0)); then
  exit 0
fi

as_root=()
if (($(id -u) != 0)); then
  if ! command -v sudo >/dev/null; then
    say "missing packages, and neither root nor sudo to install them. Ask an administrator for"
    say "    apt-get install ${missing[*]}"
    say "or, with these libraries elsewhere (CMAKE_PREFIX_PATH), set DWELL_PACKAGES=skip"
    exit 1
  fi
  # The password is asked for where somebody can type it; elsewhere sudo fails at once.
  as_root=(sudo)
  [[ -t 0 ]] || as_root=(sudo -n)
fi
apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Use-Pty=0 -o DPkg::Lock::Timeout=300)

say "installing ${missing[*]}"
if ! "${apt[@]}" update; then
  say "warning: the package lists could not be brought up to date; trying with those at hand"
fi
if ! "${apt[@]}" install -y --no-install-recommends "${missing[@]}"; then
  say "these packages could not be installed: ${missing[*]}"
  say "install them by hand, or, with these libraries elsewhere (CMAKE_PREFIX_PATH), set DWELL_PACKAGES=skip"
  exit 1
fi
