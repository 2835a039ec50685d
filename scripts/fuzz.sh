#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs a libFuzzer program for a while from a corpus that it does not change:
# fuzz.sh PROGRAM CORPUS SECONDS. What it finds is kept beside the program, in found/; a crash is
# written there, too, and fails.
set -euo pipefail
if (($# != 3)) || [[ ! -x $1 || ! -d $2 ]]; then
  echo "usage: $0 PROGRAM CORPUS SECONDS" >&2
  exit 1
fi
found=$(dirname "$1")/found
mkdir -p "$found"
# 4096 MB and 25 s for one input: far above what any input of 64 kB justifies.
"$1" "$found" "$2" -max_total_time="$3" -max_len=65536 -timeout=25 -rss_limit_mb=4096 \
  -artifact_prefix="$found/crash-" -print_final_stats=1
