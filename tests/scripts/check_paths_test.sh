#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# scripts/check/paths.py in a small project: every path that is not there is named with its line, and nothing else.
set -euo pipefail
script=$(realpath "$(dirname "$0")/../../scripts/check/paths.py")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
git init -q .
mkdir -p scripts/check docs solvers/cg
cp "$script" scripts/check/paths.py
printf '// See run.hpp and gone.hpp.\n#pragma once\nint name = 1;  // not "quoted.hpp"\n' >solvers/cg/run.hpp
cat >docs/page.md <<'END'
`solvers/cg/run.hpp`, `solvers/cg/`, `solvers/NAME/run.hpp` and `solvers/*/run.hpp` are there, my/solvers/x.hpp is not ours.
`solvers/cg/left.hpp` is not.
END
printf 'solvers/old.hpp\n' >CHANGELOG.md
status=0
found=$(scripts/check/paths.py 2>/dev/null) || status=$?
expected='docs/page.md:2: solvers/cg/left.hpp
solvers/cg/run.hpp:1: gone.hpp'
if [[ $found != "$expected" || $status != 1 ]]; then
  printf 'expected:\n%s\nfound (status %s):\n%s\n' "$expected" "$status" "$found" >&2
  exit 1
fi
sed -i 2d docs/page.md
sed -i 's/ and gone.hpp//' solvers/cg/run.hpp
scripts/check/paths.py
