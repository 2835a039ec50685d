#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Is this tree ready to be tagged? A clean tree; one version everywhere; a dated heading for it in the
# changelog. Says everything that is not, and changes nothing. docs/releasing.md has the procedure.
set -euo pipefail
cd "$(dirname "$0")/../.."

failures=0
wrong() {
  printf 'release-check: %s\n' "$*" >&2
  failures=$((failures + 1))
}
same() { # same WHERE FOUND: it must be the version
  [[ $2 == "$version" ]] || wrong "$1: expected version $version, found '${2:-none}'"
}

header=include/dwell/version.hpp
macro() { sed -n "s|^#define DWELL_VERSION_$1 \"\{0,1\}\([0-9.dev]*\)\"\{0,1\}\( *//.*\)\{0,1\}$|\1|p" $header; }
version=$(macro STRING)
[[ $version =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || wrong "$header: expected the version of a release such as 1.2.3, found '$version'"
same "$header: its three numbers" "$(macro MAJOR).$(macro MINOR).$(macro PATCH)"
same CITATION.cff "$(sed -n 's/^version: *"\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' CITATION.cff)"

# Those that take it from the header do not write it down.
grep -q 'project(dwell VERSION \${dwell_numbers} ' CMakeLists.txt ||
  wrong "CMakeLists.txt: expected the version of $header, project(dwell VERSION \${dwell_numbers} ...)"
for recipe in packaging/conda-forge/recipe.yaml packaging/spack/dwell/package.py packaging/vcpkg/dwell/vcpkg.json; do
  grep -qE "version\"?[:(] *\"@VERSION@\"" $recipe || wrong "$recipe: expected version @VERSION@, which fill-in.sh fills in"
done

# The changelog: the version with a date, newest first, an empty Unreleased above it, a link for each heading.
mapfile -t headings < <(sed -n 's/^## //p' CHANGELOG.md)
[[ ${headings[0]:-} == '[Unreleased]' ]] || wrong "CHANGELOG.md: expected [Unreleased] as the first heading"
[[ ${headings[1]:-} =~ ^\[$version\]\ -\ [0-9]{4}-[0-9]{2}-[0-9]{2}$ ]] ||
  wrong "CHANGELOG.md: expected '[$version] - YYYY-MM-DD' as the second heading, found '${headings[1]:-none}'"
if sed -n '/^## \[Unreleased\]/,/^## \[[0-9]/p' CHANGELOG.md | grep -q '^- '; then
  wrong "CHANGELOG.md: expected nothing under [Unreleased]: what is there belongs to $version"
fi
for heading in "${headings[@]}"; do
  name=${heading%%]*}]
  grep -qF "$name: " CHANGELOG.md || wrong "CHANGELOG.md: expected a link for $name at the end"
done

if [[ -n $(git status --porcelain) ]]; then
  wrong "the tree is not clean: $(git status --porcelain | head -n 3 | tr '\n' ';')"
fi
if git rev-parse -q --verify "refs/tags/v$version" >/dev/null; then
  [[ $(git rev-parse "v$version^{commit}") == $(git rev-parse HEAD) ]] ||
    wrong "tag v$version is there already, on another commit"
fi

((failures == 0)) || exit 1
echo "ready: git tag -a v$version -m 'dwell $version'"
