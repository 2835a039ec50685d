#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Builds the documentation site in build/docs/html from docs/*.md and the comments of the public
# headers: build-docs.sh. Needs doxygen, and the network only where build/docs/venv does not have what
# docs/requirements.txt names. Any warning fails: a broken link, a public member without a comment.
set -euo pipefail
cd "$(dirname "$0")/.."
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

# What the entry headers include is public; so are these, which stand alone or are included by those.
headers=(include/dwell/custom_stencil.hpp include/dwell/eigen.hpp include/dwell/mpi.hpp include/dwell/metis.hpp
         base/half.hpp base/index.hpp execution/comm/halo.hpp execution/stencil/stencil.hpp
         execution/device/progress_function.hpp solvers/convolution/border.hpp solvers/convolution/filter.hpp)
while read -r header; do
  [[ -e include/dwell/$header ]] || { echo "$0: $header: no such header" >&2; exit 1; }
  case $header in core.hpp | distributed.hpp | stencil.hpp | io.hpp) ;; *) headers+=("$header") ;; esac
done < <(sed -n 's|^#include "dwell/\(.*\)"$|\1|p' include/dwell/{core,distributed,stencil,io}.hpp | sort -u)
for k in "${!headers[@]}"; do [[ ${headers[k]} != version.hpp ]] || headers[k]=include/dwell/version.hpp; done
{
  cat docs/Doxyfile
  printf 'OUTPUT_DIRECTORY = %s/doxygen\nSTRIP_FROM_PATH = include .\nINPUT = %s\n' "$out" "${headers[*]}"
} >"$out/Doxyfile"
rm -rf "$out/doxygen"
doxygen "$out/Doxyfile"
python3 scripts/docs/mend_xml.py "$out/doxygen/xml"

"$venv/bin/sphinx-build" -W --keep-going --fresh-env --jobs 2 --quiet -b html docs "$out/html"
echo "documentation: $out/html/index.html"
