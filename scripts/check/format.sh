#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fails when a source file is not as clang-format would write it; with --fix, writes it so.
# The result depends on clang-format's version, so it is that of Debian 12.
set -euo pipefail
cd "$(dirname "$0")/../.."

version=14
tool=clang-format-$version
command -v "$tool" >/dev/null || tool=clang-format
if [[ $("$tool" --version) != *"version $version."* ]]; then
  printf '%s: clang-format %s is needed, found: %s\n' "$0" "$version" "$("$tool" --version)" >&2
  exit 1
fi

mapfile -d '' -t files < <(git ls-files -z --cached --others --exclude-standard -- '*.hpp' '*.cpp' '*.cuh' '*.cu')
existing=()
for file in "${files[@]}"; do
  [[ -f $file ]] && existing+=("$file")
done
if ((${#existing[@]} == 0)); then
  echo "$0: no source files found" >&2
  exit 1
fi

case ${1:-} in
  --fix) "$tool" -i "${existing[@]}" ;;
  '') "$tool" --dry-run --Werror "${existing[@]}" ;;
  *) echo "usage: $0 [--fix]" >&2; exit 1 ;;
esac
echo "format: ${#existing[@]} files"
