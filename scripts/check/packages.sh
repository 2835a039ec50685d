#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The ways in of the README, each tried from nothing: check/packages.sh [wheel] [deb] [source]... (all three without
# arguments). Wheels are tried by scripts/package/build-wheels.sh, Debian packages and the source distribution in fresh Debian systems
# (package/debian-system.sh). As root, on Debian.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/package/debian-system.sh
top=$PWD
place=$top/build/packages
system=$place/system
version=$(sed -n 's/^#define DWELL_VERSION_STRING "\(.*\)"/\1/p' include/dwell/version.hpp)

fail() {
  printf '%s: %s\n' "$0" "$*" >&2
  exit 1
}
says() { # says EXPECTED COMMAND...: prints exactly that, in the fresh system
  local found
  found=$(inside "${@:2}") || fail "${*:2}: status $?"
  [[ $found == "$1" ]] || fail "${*:2}: expected '$1', found '$found'"
}
python_works() { # python_works PYTHON: the module solves, and is this version
  says "$version 0 True" "$1" -c 'import dwell, importlib.metadata as m
A = dwell.generate("poisson2d:30x20")
x, info = dwell.cg(A, A.sum(axis=1), rtol=1e-10)
assert m.version("dwell-solvers") == dwell.__version__
print(dwell.__version__, info, bool(abs(x - 1).max() < 1e-6))'
}

check_wheel() {
  scripts/package/build-wheels.sh
  local wheel
  wheel=$(ls build/wheels/dist/*-cp311-*.whl 2>/dev/null) || return 0 # its lines say that there is none
  echo '-- in a system without a compiler'
  fresh_system "$system" bookworm ca-certificates python3 python3-venv # Python 3.11
  cp "$wheel" "$system/"
  inside python3 -m venv /venv
  quietly "$place/log" inside /venv/bin/pip install --only-binary :all: "/${wheel##*/}"
  python_works /venv/bin/python
}

check_deb() {
  local package packages left
  make --no-print-directory deb
  fresh_system "$system" bookworm
  packages=("$top"/build/deb/packages/*.deb)
  ((${#packages[@]} == 4)) || fail "expected four packages, found ${packages[*]##*/}"
  mkdir "$system/packages"
  cp "${packages[@]}" "$system/packages/"
  for package in "${packages[@]}"; do
    [[ $(dpkg-deb -f "$package" Version) == "${version/.dev/\~dev}" ]] ||
      fail "${package##*/}: expected version ${version/.dev/\~dev}, found $(dpkg-deb -f "$package" Version)"
  done

  echo '-- the command alone'
  quietly "$place/log" inside sh -c 'apt-get -qq install -y --no-install-recommends /packages/dwell_*.deb'
  says "dwell $version" dwell --version
  inside dwell cg poisson2d:60x50 | grep -q '^result  *converged' || fail 'dwell cg: expected a line "result converged"'
  inside dwell stencil 2d5pt --size 100x80 --steps 50 | grep -q '50 steps done' || fail 'dwell stencil: expected "50 steps done"'

  echo '-- the Python module'
  quietly "$place/log" inside sh -c 'apt-get -qq install -y --no-install-recommends /packages/python3-dwell_*.deb'
  python_works python3

  echo '-- a C++ program against the library'
  quietly "$place/log" inside sh -c 'apt-get -qq install -y --no-install-recommends g++ cmake make pkg-config /packages/libdwell*.deb'
  mkdir "$system/program"
  cp apps/examples/solve_file.cpp "$system/program/"
  cat >"$system/program/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES CXX)
find_package(dwell ${version%.dev*} EXACT REQUIRED COMPONENTS core io)
add_executable(app solve_file.cpp)
target_link_libraries(app PRIVATE dwell::io)
EOF
  inside dwell generate poisson2d:30x20 -o /program/A.mtx
  quietly "$place/log" inside sh -c \
    'cmake -S /program -B /program/build && cmake --build /program/build && /program/build/app /program/A.mtx /program/x.mtx'
  quietly "$place/log" inside sh -c \
    'cd /program && g++ -std=c++20 -O2 solve_file.cpp $(pkg-config --cflags --libs dwell-io) -o by_pkg_config && ./by_pkg_config A.mtx x.mtx'

  echo '-- and all of it removed'
  quietly "$place/log" inside sh -c 'apt-get -qq remove -y dwell python3-dwell libdwell-dev "libdwell[0-9.]*"'
  left=$(inside find /usr -name '*dwell*')
  [[ -z $left ]] || fail "left behind: $left"
}

check_source() {
  local archive size limit=3145728
  echo '-- source distribution'
  rm -rf "$place/source"
  python3 -m venv "$place/source"
  "$place/source/bin/python" -m pip install -q --disable-pip-version-check build
  # From a copy of the sources alone: the tree may hold builds, and systems of other steps with their /proc.
  mkdir "$place/source/tree"
  git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents --no-dereference -t "$place/source/tree"
  quietly "$place/log" "$place/source/bin/python" -m build --sdist --outdir "$place/source/dist" "$place/source/tree"
  archive=$(ls "$place"/source/dist/*.tar.gz)
  size=$(stat -c %s "$archive")
  printf '%s  %s KiB\n' "${archive##*/}" $((size / 1024))
  ((size <= limit)) || fail "${archive##*/} has $size bytes, more than $limit"

  # A compiler, and Python with what extensions are compiled against; the rest comes by pip.
  fresh_system "$system" bookworm ca-certificates g++ python3 python3-dev python3-venv
  cp "$archive" "$system/"
  inside python3 -m venv /venv
  echo '-- pip install'
  quietly "$place/log" inside env CMAKE_BUILD_PARALLEL_LEVEL="${JOBS:-$(nproc)}" /venv/bin/pip install -v "/${archive##*/}"
  python_works /venv/bin/python
}

mkdir -p "$place"
ways=("$@")
((${#ways[@]} > 0)) || ways=(wheel deb source)
for way in "${ways[@]}"; do
  case $way in
    wheel | deb | source) ;;
    *) fail "expected wheel, deb or source, found '$way'" ;;
  esac
done
for way in "${ways[@]}"; do
  printf '== %s\n' "$way"
  "check_$way"
done
echo "packages: ${ways[*]} as the README says"
