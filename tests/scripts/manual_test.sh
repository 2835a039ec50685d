#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The manual pages are without warnings: manual_test.sh DWELL. Exit code 77 where there is neither
# man nor mandoc.
set -euo pipefail
program=$(realpath "$1")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$program" man --directory "$folder"
checked=
warnings=
for page in "$folder"/*.1; do
  if command -v mandoc >/dev/null; then
    # A page has a version and no date: the same source makes the same page.
    warnings+=$(mandoc -Tlint -W warning "$page" | grep -v 'missing date' || true)
    checked=yes
  fi
  if command -v man >/dev/null && command -v groff >/dev/null; then
    warnings+=$(MANWIDTH=80 man -l --warnings "$page" 2>&1 >"$folder/text")
    grep -q '^NAME' "$folder/text"
    grep -q '^OPTIONS' "$folder/text"
    checked=yes
  fi
done
if [[ ! $checked ]]; then
  echo "skipped: neither man with groff nor mandoc here" >&2
  exit 77
fi
if [[ $warnings ]]; then
  printf '%s\n' "$warnings" >&2
  exit 1
fi
echo "manual pages: no warnings"
