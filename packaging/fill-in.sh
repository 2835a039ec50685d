#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Fills in the recipes for a release: fill-in.sh ARCHIVE URL HOMEPAGE OUT. ARCHIVE is the release's
# tar.gz, URL where others get it. OUT gets the recipes with version, address and hashes.
set -euo pipefail
if (($# != 4)) || [[ ! -f $1 ]]; then
  echo "usage: $0 ARCHIVE URL HOMEPAGE OUT" >&2
  exit 1
fi
archive=$(realpath "$1") url=$2 homepage=$3 out=$4
cd "$(dirname "$0")"
version=$(sed -n 's/^#define DWELL_VERSION_STRING "\(.*\)"/\1/p' ../include/dwell/version.hpp)
sha256=$(sha256sum "$archive" | cut -d ' ' -f 1)
sha512=$(sha512sum "$archive" | cut -d ' ' -f 1)
mkdir -p "$out"
cp -r spack conda-forge vcpkg "$out/"
find "$out/spack" "$out/conda-forge" "$out/vcpkg" -type f -exec sed -i \
  -e "s|@URL@|$url|; s|@HOMEPAGE@|$homepage|; s|@VERSION@|$version|; s|@SHA256@|$sha256|; s|@SHA512@|$sha512|" {} +
if grep -rn '@[A-Z0-9]\+@' "$out/spack" "$out/conda-forge" "$out/vcpkg"; then
  echo "$0: these are not filled in" >&2
  exit 1
fi
echo "recipes for dwell $version in $out"
