#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# scripts/check/comments.py in a small project: every comment that begins as it should not is named, and nothing else.
set -euo pipefail
script=$(realpath "$(dirname "$0")/../../scripts/check/comments.py")
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
git init -q .
mkdir -p scripts/check
cp "$script" scripts/check/comments.py
cat >wrong.hpp <<'END'
// SPDX-License-Identifier: MIT
// See right.hpp.
#pragma once
int a;  ///< of b
/// Of b.
int b;       // likewise
int c = 1;   // as b
/* The same. */
#define TEXT "// Of text"  // The same
END
cat >right.hpp <<'END'
// SPDX-License-Identifier: MIT
// Ends of lines. They go on
// Of course with any word. See wrong.hpp.
#pragma once
int a;  ///< number
        ///< of b
const char *b = "// Of text", *c = R"(
// As text)";
const char d = '"';  // Office hours, assets
int e = 1'000;  // Assumed
END
cat >wrong.py <<'END'
"""Of it."""
x = "# Of text"  # of it
# As it is


def f():
    """The same."""
END
cat >right.py <<'END'
"""Text."""
# Reads what is there,
# As often as is asked for.
x = """
Of text"""
END
printf '#!/bin/sh\n# Of it.\necho "$#" # Of it\necho a#Of b\n' >wrong.sh
expected='wrong.hpp:2: say what the file does, not '\''See right.hpp'\''
wrong.hpp:4: begin with a noun or a verb, not with '\''of'\''
wrong.hpp:5: begin with a noun or a verb, not with '\''Of'\''
wrong.hpp:6: begin with a noun or a verb, not with '\''likewise'\''
wrong.hpp:7: begin with a noun or a verb, not with '\''as'\''
wrong.hpp:8: begin with a noun or a verb, not with '\''The same'\''
wrong.hpp:9: begin with a noun or a verb, not with '\''The same'\''
wrong.py:1: begin with a noun or a verb, not with '\''Of'\''
wrong.py:2: begin with a noun or a verb, not with '\''of'\''
wrong.py:3: begin with a noun or a verb, not with '\''As'\''
wrong.py:7: begin with a noun or a verb, not with '\''The same'\''
wrong.sh:2: begin with a noun or a verb, not with '\''Of'\''
wrong.sh:3: begin with a noun or a verb, not with '\''Of'\'''
status=0
found=$(scripts/check/comments.py 2>/dev/null) || status=$?
if [[ $found != "$expected" || $status != 1 ]]; then
  printf 'expected:\n%s\nfound (status %s):\n%s\n' "$expected" "$status" "$found" >&2
  exit 1
fi
rm wrong.*
scripts/check/comments.py
