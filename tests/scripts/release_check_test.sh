#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# scripts/package/release-check.sh, on a small repository that is ready, and with one thing after the other
# that is not.
set -euo pipefail
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b

commit() { git add -A && git commit -qm "$1"; }
ready() { # a repository of the files that are looked at, at the version of a release, with a changelog for it
  rm -rf "$folder/r"
  mkdir -p "$folder/r/scripts/package" "$folder/r/include/dwell"
  cd "$folder/r"
  cp "$source/scripts/package/release-check.sh" scripts/package/
  cp "$source/include/dwell/version.hpp" include/dwell/
  cp "$source/CMakeLists.txt" "$source/CITATION.cff" .
  cp -r "$source/packaging" .
  sed -i -E '/VERSION_STRING|^version:/s/\.dev[0-9]+//' include/dwell/version.hpp CITATION.cff
  version=$(sed -n 's/^#define DWELL_VERSION_STRING "\(.*\)"/\1/p' include/dwell/version.hpp)
  printf '# Changelog\n\n## [Unreleased]\n\n## [%s] - 2026-01-02\n\n### Added\n\n- x\n\n[Unreleased]: u\n[%s]: v\n' \
    "$version" "$version" >CHANGELOG.md
  git init -q
  commit one
}

failures=0
expect() { # expect STATUS TEXT
  local status=0 output
  output=$(scripts/package/release-check.sh 2>&1) || status=$?
  if [[ $status != "$1" || $output != *"$2"* ]]; then
    printf 'line %s: expected status %s, "%s"; found status %s, "%s"\n' "${BASH_LINENO[0]}" "$1" "$2" "$status" "$output"
    failures=$((failures + 1))
  fi
}
change() { # change FILE SED-COMMAND: in a repository that was ready
  ready
  sed -i "$2" "$1"
  commit two
}

ready
expect 0 "ready: git tag -a v$version"
touch new
expect 1 'the tree is not clean'
change CITATION.cff 's/^version: .*/version: 9.9.9/'
expect 1 "CITATION.cff: expected version $version, found '9.9.9'"
change CITATION.cff '/^version: /d'
expect 1 "CITATION.cff: expected version $version, found 'none'"
change include/dwell/version.hpp 's/^#define DWELL_VERSION_PATCH .*/#define DWELL_VERSION_PATCH 77/'
expect 1 'its three numbers'
change include/dwell/version.hpp 's/^\(#define DWELL_VERSION_STRING "[0-9.]*\)"/\1.dev0"/'
expect 1 "expected the version of a release such as 1.2.3, found '$version.dev0'"
change CMakeLists.txt 's/VERSION ${dwell_numbers}/VERSION 1.0.0/'
expect 1 'CMakeLists.txt: expected the version of'
change packaging/spack/dwell/package.py 's/@VERSION@/1.0.0/'
expect 1 'package.py: expected version @VERSION@'
change CHANGELOG.md 's/ - 2026-01-02//'
expect 1 'as the second heading'
change CHANGELOG.md 's/^## \[Unreleased\]/&\n\n- y/'
expect 1 'expected nothing under [Unreleased]'
change CHANGELOG.md '/^\[[0-9].*\]: v/d'
expect 1 'expected a link for'
ready
git tag -a "v$version" -m one
expect 0 'ready'
touch more && commit two
expect 1 'is there already, on another commit'
((failures == 0)) && echo 'release-check: as expected'
exit $((failures > 0))
