#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds apps/examples against an installed copy of Dwell, as a user's project would, and runs what
# was built: check-examples.sh PREFIX.
set -euo pipefail
if (($# != 1)) || [[ ! -d $1 ]]; then
  echo "usage: $0 PREFIX" >&2
  exit 1
fi
prefix=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# A copy of the sources elsewhere: nothing of this repository may be needed.
cp -r apps/examples "$folder/source"
cmake -S "$folder/source" -B "$folder/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_PREFIX_PATH="$prefix" >"$folder/log" || { cat "$folder/log"; exit 1; }
cmake --build "$folder/build"

"$folder/build/solve_eigen"
"$folder/build/custom_stencil"
"$prefix/bin/dwell" generate poisson2d:50x40 -o "$folder/a.mtx"
"$folder/build/solve_file" "$folder/a.mtx" "$folder/x.mtx"
test -s "$folder/x.mtx"

status=0
"$folder/build/solve_file" "$folder/absent.mtx" "$folder/y.mtx" || status=$?
if ((status != 1)) || [[ -e $folder/y.mtx ]]; then
  echo "$0: an absent matrix must be an error and write nothing, found status $status" >&2
  exit 1
fi
echo "examples: built and run against $prefix"
