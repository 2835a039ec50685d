#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# docs/reference/stability.md says what is there: its table of headers has those of include/dwell, its schema and its
# version of binary files are those that are written.
set -euo pipefail
cd "$(dirname "$0")/../.."
page=docs/reference/stability.md
failures=0
same() { # same WHAT EXPECTED FOUND
  [[ $2 == "$3" ]] && return
  printf '%s: %s: expected\n%s\nfound\n%s\n' "$page" "$1" "$2" "$3"
  failures=$((failures + 1))
}
same headers "$(find -H include/dwell -maxdepth 1 -name '*.h*' -type f | sed 's|^include/||' | sort)" \
  "$(sed -n 's/^| `\(dwell\/[a-z_]*\.h[p]*\)` .*/\1/p' $page | sort)"
same 'schema of JSON' "$(sed -n 's/.*int json_schema = \([0-9]*\);/\1/p' apps/dwell/report/json.hpp)" \
  "$(sed -n 's/.*\[schema\](json\.md) \([0-9]*\).*/\1/p' $page)"
same 'version of .dwell files' "$(sed -n 's/.*| version of the format: \([0-9]*\) .*/\1/p' docs/reference/binary-matrix.md)" \
  "$(sed -n 's/.*\[version \([0-9]*\)\](binary-matrix\.md).*/\1/p' $page)"
abi=$(sed -n 's/^#define DWELL_VERSION_STRING "\([0-9]*\.[0-9]*\)\..*/\1/p' include/dwell/version.hpp)
same 'SONAME' "$abi" "$(sed -n 's/.*`libdwell\.so\.\([0-9.]*\)`.*/\1/p' $page)"
# What is installed for others is what DWELL_ENTRY_* names, and dwell.hpp.
for header in $(sed -n 's/^set(DWELL_ENTRY_[a-z]* \(.*\))/\1/p' cmake/headers.cmake); do
  grep -q "^| \`dwell/$header\`" $page || same "header of cmake/headers.cmake" "$header" none
done
((failures == 0)) && echo 'stability: as expected'
exit $((failures > 0))
