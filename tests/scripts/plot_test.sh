#!/bin/sh
# SPDX-License-Identifier: MIT
# plot_test.sh PROGRAM SCRIPT: runs plot_test.py, or exits 77 (skipped) without python3.
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
exec python3 "$(dirname -- "$0")/plot_test.py" "$1" "$2"
