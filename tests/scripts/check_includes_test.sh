#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# scripts/check/includes.sh accepts what the rule allows and names the file and line of what it does not.
set -euo pipefail
script=$(cd "$(dirname "$0")/../../scripts" && pwd)/check/includes.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
git init -q .

put() { mkdir -p "$(dirname "$1")" && printf '%s\n' "${@:2}" >"$1"; }
failures=0
expect() { # expect STATUS TEXT: the script's exit status, and what its output must contain
  local output status=0
  output=$("$script" 2>&1) || status=$?
  if [[ $status != "$1" || $output != *"$2"* ]]; then
    printf 'expected status %s and "%s", found status %s and:\n%s\n' "$1" "$2" "$status" "$output"
    failures=$((failures + 1))
  fi
}

expect 1 'no source files'
put formats/a.hpp '#include <vector>' '#include "dwell/formats/b.hpp"'
put execution/krylov/loops/graph.hpp '#include "dwell/execution/krylov/loops/host_loop.hpp"' '#include <cuda_runtime.h>'
put solvers/linear/cg.cpp '#include "dwell/linear/solve.hpp"' '#include "dwell/device/device.hpp"'
expect 0 'include rule: 3 files'

put formats/bad.hpp '// text' '#include "dwell/device/device.hpp"'
expect 1 'formats/bad.hpp:2: formats/ may not include "dwell/device/device.hpp"'
rm formats/bad.hpp

put solvers/linear/bad.cu '  #  include "dwell/execution/krylov/loops/persistent.hpp"'
expect 1 'solvers/linear/bad.cu:1: solvers/linear/ may not include'
rm solvers/linear/bad.cu

put include/dwell/linear/bad.hpp '#include "dwell/linear/solve.hpp"'
expect 1 'include/dwell/linear/bad.hpp:1: a public header may not include "dwell/linear/solve.hpp", which is not'
put include/dwell/linear/solve.hpp '#include <vector>'
expect 0 'include rule: 5 files'
put include/dwell/linear/bad.hpp '#include "dwell/execution/krylov/plan/plan.hpp"'
expect 1 'include/dwell/linear/bad.hpp:1: a public header may not include'
rm -r include/dwell/linear

put datasets/bad.cpp '#include <fmt/format.h>' 'auto text = fmt::format("{}", fmt::join(words, ", "));'
expect 1 'datasets/bad.cpp:2: fmt::join() is in <fmt/ranges.h>, which is not included'
put datasets/bad.cpp '#include <fmt/ranges.h>' 'auto text = fmt::format("{}", fmt::join(words, ", "));'
expect 0 'include rule: 4 files'
put datasets/bad.cpp '#include "generators.hpp"'
expect 1 'datasets/bad.cpp:1: "generators.hpp" must be written from the top'
put datasets/bad.cpp '#include <dwell/datasets/generators.hpp>'
expect 1 'datasets/bad.cpp:1: <dwell/datasets/generators.hpp> is ours'
rm datasets/bad.cpp

put solvers/linear/bad.cpp '#include "dwell/solvers/stencil/run.hpp"'
expect 1 'solvers/linear/bad.cpp:1: solvers/linear/ may not include'
rm solvers/linear/bad.cpp

put apps/studies/trace/cache.cpp '#include "studies/trace/cache.hpp"' '#include "cli/output.hpp"'
put tests/apps/studies/trace/test_cache.cpp '#include "studies/trace/cache.hpp"'
expect 0 'include rule: 5 files'
for file in apps/dwell/bad.cpp apps/bench/bad.cu tests/execution/bad.cpp include/dwell/bad.hpp bindings/python/ext/bad.cpp; do
  put "$file" '#include <vector>' '#include "studies/trace/cache.hpp"'
  expect 1 "$file:2: studies are included by apps/studies and tests/apps/studies alone"
  rm "$file"
done
put solvers/linear/bad.cpp '#include "../../apps/studies/trace/cache.hpp"'
expect 1 'solvers/linear/bad.cpp:1: studies are included by'
rm solvers/linear/bad.cpp

put execution/new/new.hpp '#include <vector>'
expect 1 'execution/new/new.hpp:1: this folder has no include rule'

exit $((failures > 0))
