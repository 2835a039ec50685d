#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the documentation site in build/docs/html from docs/*.md and the comments of the public
# headers: docs/build.sh. Needs doxygen, and the network only where build/docs/venv does not have what
# docs/requirements.txt names. Any warning fails: a broken link, a public member without a comment.
set -euo pipefail
cd "$(dirname "$0")/../.."
out=build/docs
venv=$out/venv
mkdir -p "$out"

# The virtual environment is made anew when the list of packages or the interpreter changes.
stamp=$({ cat docs/requirements.txt; python3 -VV; } | sha256sum)
if [[ $(cat "$venv/stamp" 2>/dev/null) != "$stamp" ]]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check -r docs/requirements.txt
  printf '%s\n' "$stamp" >"$venv/stamp"
fi

# All public headers but the entry headers, which have nothing of their own, and macros.
mapfile -t headers < <(find include/dwell -name '*.hpp' ! -path include/dwell/core.hpp ! -path include/dwell/distributed.hpp \
  ! -path include/dwell/stencil.hpp ! -path include/dwell/io.hpp ! -path include/dwell/dwell.hpp ! -path include/dwell/base/fn.hpp | sort)
{
  cat docs/Doxyfile
  printf 'OUTPUT_DIRECTORY = %s/doxygen\nSTRIP_FROM_PATH = include\nINPUT = %s\n' "$out" "${headers[*]}"
} >"$out/Doxyfile"
rm -rf "$out/doxygen"
doxygen "$out/Doxyfile"
python3 scripts/docs/mend_xml.py "$out/doxygen/xml"

"$venv/bin/sphinx-build" -W --keep-going --fresh-env --jobs 2 --quiet -b html docs "$out/html"
echo "documentation: $out/html/index.html"
