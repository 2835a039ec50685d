#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The include rule: which folder may include which. Every other include of ours fails with its
# file and line, and so does one that is not written from the top ("dwell/formats/csr.hpp"), and
# fmt::join() without the header in which fmt 11 and later have it. Of programs, bindings and tests it
# checks one thing: studies (apps/studies) are included by studies and by their own tests alone.
# Checks the repository that the current directory is in, or FILE... (paths from its top).
set -euo pipefail
cd "$(git rev-parse --show-toplevel)"

# Folder: folders whose headers it may include, besides its own, and behind ! those that it may not. What
# is not listed here fails, so that a new folder gets its line. Vector solvers (krylov/) and stencils
# (stencil/) never include each other. Their kernels meet methods and shapes in generated files only.
rules='base/                    version.hpp
formats/                 base/
datasets/                base/ formats/
execution/device/        base/
execution/team/          base/ execution/device/
execution/comm/          base/ execution/device/
execution/krylov/        base/ formats/ execution/device/ execution/comm/ execution/team/
execution/stencil/       base/ formats/ execution/device/ execution/team/
solvers/cg/              base/ execution/krylov/ solvers/linear/method/ !execution/krylov/loops/
solvers/minres/          base/ execution/krylov/ solvers/linear/method/ !execution/krylov/loops/
solvers/bicgstab/        base/ execution/krylov/ solvers/linear/method/ !execution/krylov/loops/
solvers/gmres/           base/ execution/krylov/ solvers/linear/method/ !execution/krylov/loops/
solvers/spmv/            base/ formats/ execution/device/ execution/team/ execution/krylov/ !execution/krylov/loops/
solvers/product/         base/ formats/ execution/device/ execution/stencil/order/
solvers/preconditioners/ base/ formats/ execution/device/ execution/team/ execution/krylov/ solvers/linear/method/ !execution/krylov/loops/
solvers/linear/method/   base/
solvers/linear/          base/ formats/ execution/device/ execution/comm/ execution/team/ execution/krylov/ solvers/preconditioners/ !execution/krylov/loops/
solvers/complex/         base/ formats/ execution/device/ execution/krylov/ solvers/linear/ solvers/cg/ solvers/bicgstab/ solvers/gmres/ solvers/preconditioners/ !execution/krylov/loops/
solvers/arrays/          base/ formats/ execution/device/ execution/team/
solvers/grid/            base/ formats/ execution/device/ execution/comm/ execution/team/ solvers/linear/
solvers/stencil/         base/ formats/ execution/device/ execution/comm/ execution/team/ execution/stencil/ solvers/arrays/ !execution/stencil/loops/
solvers/built_kernels    base/ formats/ execution/device/ execution/krylov/ execution/stencil/ solvers/stencil/
bindings/c/              dwell.h version.hpp base/ formats/ execution/device/ execution/stencil/ solvers/
'

# Public headers, in include/dwell/, belong to the folder whose sources define what they declare.
rooms='base/                              base/
comm/                              execution/comm/
datasets/                          datasets/
device/sums.hpp                    execution/team/
device/                            execution/device/
formats/                           formats/
arrays/                            solvers/arrays/
grid/                              solvers/grid/
linear/matrix_class.hpp            solvers/linear/method/
linear/product.hpp                 solvers/spmv/
linear/program.hpp                 execution/krylov/
linear/preconditioner_options.hpp  solvers/preconditioners/
linear/rigid_body_modes.hpp        solvers/preconditioners/
linear/complex_solver.hpp          solvers/complex/
linear/                            solvers/linear/
stencil/default_weights.hpp        execution/stencil/
stencil/stencil.hpp                execution/stencil/
stencil/built_row_kernels.hpp      execution/stencil/
stencil/cell_math.hpp              execution/stencil/
stencil/definition.hpp             execution/stencil/
stencil/field_boundary.hpp         execution/stencil/
stencil/field_limits.hpp           execution/stencil/
stencil/formulas.hpp               execution/stencil/
stencil/side_kind.hpp              execution/stencil/
stencil/tape_recorder.hpp          execution/stencil/
stencil/                           solvers/stencil/
'

if (($# > 0)); then
  files=("$@")
else
  mapfile -d '' -t files < <(git ls-files -z --cached --others --exclude-standard -- \
    base formats datasets execution solvers include apps bindings tests | grep -z -E '\.(hpp|cpp|cuh|cu|h|c)$')
fi
existing=()
for file in "${files[@]}"; do
  [[ -f $file ]] && existing+=("$file")
done
if ((${#existing[@]} == 0)); then
  echo "$0: no source files found" >&2
  exit 1
fi

RULES=$rules ROOMS=$rooms awk '
  function starts(text, prefix) { return substr(text, 1, length(prefix)) == prefix }
  function fail(why) { printf "%s:%d: %s\n", FILENAME, FNR, why; failed = 1 }
  # The folder of a header that is written "dwell/PATH".
  function room_of(path,   i) {
    for (i = 1; i <= rooms; ++i)
      if (starts(path, public_name[i])) return room[i] substr(path, length(public_name[i]) + 1)
    return path
  }
  BEGIN {
    rooms = split(ENVIRON["ROOMS"], line, "\n") - 1
    for (i = 1; i <= rooms; ++i) {
      split(line[i], word, " ")
      public_name[i] = word[1]
      room[i] = word[2]
    }
    lines = split(ENVIRON["RULES"], line, "\n")
    for (i = 1; i <= lines; ++i) {
      words = split(line[i], word, " ")
      if (words == 0) continue
      folder[++folders] = "^" word[1]
      for (w = 2; w <= words; ++w) allowed[folders, w] = word[w]
      count[folders] = words
    }
  }
  FNR == 1 {
    rule = ranges = 0
    study = FILENAME ~ /^(apps|tests\/apps)\/studies\//
    public = starts(FILENAME, "include/dwell/")
    name = public ? substr(FILENAME, length("include/dwell/") + 1) : FILENAME
    program = FILENAME ~ /^(apps|bindings\/python|tests)\// || (public && name !~ /\//)  # entry headers, too
    name = public ? room_of(name) : name
  }
  !study && /^[ \t]*#[ \t]*include[ \t]*["<]([^">]*\/)?studies\// {
    fail("studies are included by apps/studies and tests/apps/studies alone")
  }
  program { next }
  FNR == 1 {
    for (i = 1; i <= folders && !rule; ++i)
      if (match(name, folder[i])) {
        rule = i
        allowed[rule, 1] = substr(name, 1, RLENGTH)  # its own folder
      }
    if (!rule) fail("this folder has no include rule: add it to scripts/check/includes.sh")
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
    if (public && (getline found < ("include/" name)) < 0) fail("a public header may not include \"" name "\", which is not")
    close("include/" name)
    path = room_of(substr(name, 7))
    may = 0
    list = ""
    for (w = 1; w <= count[rule]; ++w) {
      list = list " " allowed[rule, w]
      if (starts(path, allowed[rule, w])) may = 1
      if (starts("!" path, allowed[rule, w])) {
        may = 0
        break
      }
    }
    if (may) next
    fail(allowed[rule, 1] " may not include \"" name "\" (may:" list ")")
  }
  END { exit failed }
' "${existing[@]}"
echo "include rule: ${#existing[@]} files"
