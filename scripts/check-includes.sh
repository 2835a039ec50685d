#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The include rule: which folder may include which. Every other include of ours fails with its
# file and line, and so does one that is not written from the top ("dwell/formats/csr.hpp"), and
# fmt::join() without the header in which fmt 11 and later have it. Of programs, bindings and tests it
# checks one thing: studies (apps/studies) are included by studies and by their own tests alone.
# Checks the repository that the current directory is in, or FILE... (paths from its top).
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"

# Folder: folders whose headers it may include, besides its own. "*" stands for any one folder. What
# is not listed here fails, so that a new folder gets its line. The family of vector solvers (program/)
# and that of stencils (stencil/) never include each other. An executor may build on others: graph
# records the launches of host-loop; columns has loops of these and of persistent; perks is persistent with data cached, in passes of several steps by
# temporal's engines. Solvers and executors meet in generated files only.
rules='base/                  version.hpp
formats/               base/
datasets/              base/ formats/
execution/device/      base/
execution/comm/        base/ execution/device/
execution/team/        base/ execution/device/
execution/vectors/     base/ execution/device/
execution/program/     base/ formats/ execution/device/ execution/comm/ execution/team/
execution/order/       base/ formats/
execution/stencil/     base/ formats/ execution/device/ execution/team/ execution/order/
execution/model/       base/ formats/ execution/device/ execution/comm/ execution/program/ execution/stencil/
execution/policies/    base/ formats/ execution/device/ execution/order/ execution/program/ execution/stencil/ execution/model/
execution/naive/       base/ formats/ execution/device/ execution/team/ execution/program/ execution/stencil/
execution/host_loop/   base/ formats/ execution/device/ execution/team/ execution/program/ execution/stencil/
execution/graph/       base/ formats/ execution/device/ execution/team/ execution/program/ execution/stencil/ execution/host_loop/
execution/persistent/  base/ formats/ execution/device/ execution/team/ execution/program/ execution/stencil/ execution/model/
execution/batch/       base/ formats/ execution/device/ execution/team/ execution/program/
execution/temporal/    base/ formats/ execution/device/ execution/team/ execution/program/ execution/stencil/ execution/model/ execution/host_loop/ execution/graph/
execution/columns/     base/ formats/ execution/device/ execution/team/ execution/program/ execution/persistent/ execution/host_loop/ execution/graph/
execution/perks/       base/ formats/ execution/device/ execution/team/ execution/program/ execution/stencil/ execution/model/ execution/persistent/ execution/temporal/
solvers/c_api/         dwell.h version.hpp base/ execution/device/ formats/ solvers/linear/ solvers/preconditioners/rigid_body_modes.hpp solvers/convolution/ solvers/stencil/
solvers/cg/            base/ execution/program/ solvers/linear/outcome.hpp solvers/linear/matrix_class.hpp solvers/linear/weighed_form.hpp
solvers/minres/        base/ execution/program/ solvers/linear/outcome.hpp solvers/linear/matrix_class.hpp
solvers/bicgstab/      base/ execution/program/ solvers/linear/outcome.hpp solvers/linear/matrix_class.hpp
solvers/gmres/         base/ execution/program/ solvers/linear/outcome.hpp solvers/linear/matrix_class.hpp
solvers/preconditioners/ base/ formats/ execution/device/ execution/vectors/ execution/team/ execution/program/ solvers/linear/matrix_class.hpp solvers/linear/row_weights.hpp
solvers/distributed/   base/ formats/ execution/device/ execution/comm/ execution/program/ solvers/linear/ solvers/preconditioners/
solvers/convolution/   base/ formats/ execution/device/ execution/team/ execution/model/ execution/policies/
solvers/reduce/        base/ execution/device/ execution/vectors/ execution/team/
solvers/scan/          base/ formats/ execution/device/ execution/team/ execution/policies/
solvers/linear/        base/ formats/ execution/device/ execution/comm/ execution/vectors/ execution/team/ execution/program/ execution/stencil/ execution/model/ execution/policies/ solvers/preconditioners/
solvers/*/             base/ formats/ execution/device/ execution/order/ execution/comm/ execution/vectors/ execution/team/ execution/program/ execution/stencil/ execution/model/ execution/policies/
solvers/               base/ formats/ execution/device/ execution/order/ execution/vectors/ execution/team/ execution/program/ execution/stencil/ execution/model/ execution/policies/
'

if (($# > 0)); then
  files=("$@")
else
  mapfile -d '' -t files < <(git ls-files -z --cached --others --exclude-standard -- \
    base formats datasets execution solvers include apps python tests | grep -z -E '\.(hpp|cpp|cuh|cu|h|c)$')
fi
existing=()
for file in "${files[@]}"; do
  [[ -f $file ]] && existing+=("$file")
done
if ((${#existing[@]} == 0)); then
  echo "$0: no source files found" >&2
  exit 1
fi

RULES=$rules awk '
  function starts(text, prefix) { return substr(text, 1, length(prefix)) == prefix }
  function fail(why) { printf "%s:%d: %s\n", FILENAME, FNR, why; failed = 1 }
  BEGIN {
    lines = split(ENVIRON["RULES"], line, "\n")
    for (i = 1; i <= lines; ++i) {
      words = split(line[i], word, " ")
      if (words == 0) continue
      gsub(/[*]/, "[^/]+", word[1])
      folder[++folders] = "^" word[1]
      for (w = 2; w <= words; ++w) allowed[folders, w] = word[w]
      count[folders] = words
    }
  }
  FNR == 1 {
    rule = ranges = 0
    study = FILENAME ~ /^(apps|tests\/apps)\/studies\//
    program = FILENAME ~ /^(include|apps|python|tests)\//
  }
  !study && /^[ \t]*#[ \t]*include[ \t]*["<]([^">]*\/)?studies\// {
    fail("studies are included by apps/studies and tests/apps/studies alone")
  }
  program { next }
  FNR == 1 {
    for (i = 1; i <= folders && !rule; ++i)
      if (match(FILENAME, folder[i])) {
        rule = i
        allowed[rule, 1] = substr(FILENAME, 1, RLENGTH)  # its own folder
      }
    if (!rule) fail("this folder has no include rule: add it to scripts/check-includes.sh")
  }
  /^#include <fmt\/ranges.h>/ { ranges = 1 }
  /fmt::join\(/ && !ranges { fail("fmt::join() is in <fmt/ranges.h>, which is not included") }
  rule && /^[ \t]*#[ \t]*include[ \t]*["<]/ {
    name = $0
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", name)
    quote = substr(name, 1, 1)
    name = substr(name, 2)
    sub(/[">].*/, "", name)
    ours = starts(name, "dwell/")
    if (quote == "\"" && !ours) fail("\"" name "\" must be written from the top: \"dwell/...\"")
    if (quote == "<" && ours) fail("<" name "> is ours: write it in quotes")
    if (!ours) next
    path = substr(name, 7)
    for (w = 1; w <= count[rule]; ++w) if (starts(path, allowed[rule, w])) next
    list = ""
    for (w = 1; w <= count[rule]; ++w) list = list " " allowed[rule, w]
    fail(allowed[rule, 1] " may not include \"" name "\" (may:" list ")")
  }
  END { exit failed }
' "${existing[@]}"
echo "include rule: ${#existing[@]} files"
