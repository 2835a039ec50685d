#!/bin/sh
# SPDX-License-Identifier: MIT
# Downloads matrices of the SuiteSparse Matrix Collection and verifies them against catalogue.tsv.
# What stands under NAME.mtx has been verified; an interrupted download stays as NAME.tar.gz.part and
# is resumed by the next call. POSIX sh; needs curl or wget, tar, gzip, awk, and sha256sum (or shasum).
set -uf
LC_ALL=C
export LC_ALL

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 4
catalogue=$here/catalogue.tsv
# Where the download buttons of https://sparse.tamu.edu lead.
base=${DWELL_SUITESPARSE_URL:-https://suitesparse-collection-website.herokuapp.com}
# Seconds without an answer, or with less than 100 bytes a second, after which a server is given up.
patience=${DWELL_FETCH_PATIENCE:-30}
to=./matrices
all=no
list=no
keep=no
names=
temporary=

usage() {
  cat <<'END'
usage: fetch.sh NAME... | --all | --list  [--to DIR] [--base URL] [--keep-archive] [--catalogue FILE]

Downloads URL/MM/GROUP/NAME.tar.gz, verifies rows, columns, entries and nonzeros (and the SHA-256 where
the catalogue knows it) and leaves DIR/NAME.mtx. A file that is there already is verified again and not
downloaded. An interrupted download is resumed.

  NAME               a name of the catalogue: ecology2, McRae/ecology2 or D12
  --all              every matrix of the catalogue
  --list             says what there is and what DIR has, downloads nothing
  --to DIR           default ./matrices
  --base URL         default $DWELL_SUITESPARSE_URL, else the collection's own server
  --keep-archive     leaves DIR/NAME.tar.gz too (it may hold a right-hand side, NAME_b.mtx)
  --catalogue FILE   another list, in the form of catalogue.tsv

A server that sends next to nothing for 30 seconds ($DWELL_FETCH_PATIENCE) is given up; what came is kept.

example: datasets/fetch.sh ecology2 && dwell cg matrices/ecology2.mtx

exit codes: 0 everything asked for is there and verified; 1 a file failed its verification;
2 usage, or an unknown name; 3 the server cannot be reached, refused or stalled; 4 a program is missing,
or DIR cannot be written (a full disk, a folder where a file belongs); 130 interrupted (143 terminated)
END
}

say() { printf '%s\n' "fetch: $*"; }
complain() { printf '%s\n' "fetch: $*" >&2; }
die() {
  status=$1
  shift
  complain "$*"
  exit "$status"
}
have() { command -v "$1" >/dev/null 2>&1; }

discard() {
  if [ -n "$temporary" ]; then rm -f -- "$temporary"; fi
  temporary=
}
trap discard EXIT
trap 'complain "interrupted; run it again to resume"; exit 130' INT
trap 'complain "terminated; run it again to resume"; exit 143' TERM HUP

# shellcheck source=datasets/download.sh
. "$here/download.sh"

# The catalogue's lines without comments.
entries() { grep -v -e '^#' -e '^$' "$catalogue"; }

# Prints the catalogue's line for a name, GROUP/NAME or id; fails if there is none.
look_up() {
  entries | awk -F '\t' -v wanted="$1" '
    $3 == wanted || $2 "/" $3 == wanted || $1 == wanted { print; found = 1; exit }
    END { exit !found }'
}

# Names that share a piece with an unknown one, else its first three letters.
similar() {
  entries | awk -F '\t' -v wanted="$1" '
    BEGIN { wanted = tolower(wanted); sub(/.*\//, "", wanted); sub(/\.(mtx|tar\.gz)$/, "", wanted) }
    { name = tolower($3)
      if (index(name, wanted) || index(wanted, name) || substr(name, 1, 3) == substr(wanted, 1, 3))
        out = out (out == "" ? "" : ", ") $3 }
    END { print out }'
}

show_list() {
  {
    printf 'id\tmatrix\trows\tnonzeros\tin %s\n' "$to"
    entries | while IFS='	' read -r d g n r z _; do
      state=-
      if [ -f "$to/$n.mtx" ]; then
        state=yes
      elif [ -f "$to/$n.tar.gz.part" ]; then
        state=partly
      fi
      printf '%s\t%s/%s\t%s\t%s\t%s\n' "$d" "$g" "$n" "$r" "$z" "$state"
    done
  } | awk -F '\t' '{ printf "%-4s %-30s %10s %12s  %s\n", $1, $2, $3, $4, $5 }'
}

sha256_of() {
  if have sha256sum; then
    sha256sum <"$1"
  else
    shasum -a 256 <"$1"
  fi | awk '{ print $1 }'
}

# Prints: rows cols, entries announced, entries found, entries and nonzeros of the full matrix.
measure() {
  awk '
    NR == 1 {
      banner = tolower($0)
      if (banner !~ /^%%matrixmarket[ \t]+matrix[ \t]+coordinate[ \t]/) exit
      mirrored = banner ~ /(symmetric|hermitian)/
      pattern = banner ~ /[ \t]pattern[ \t]/
      next
    }
    /^%/ || NF == 0 { next }
    !sized { rows = $1; cols = $2; announced = $3; sized = 1; next }
    { n = mirrored && $1 != $2 ? 2 : 1
      found++
      full += n
      if (pattern || $3 + 0 != 0) nonzeros += n }
    END { printf "%.0f %.0f %.0f %.0f %.0f %.0f\n", rows, cols, announced, found, full, nonzeros }' "$1"
}

# expect WHAT EXPECTED FOUND: explains a difference in `reason`.
expect() {
  if [ "$2" = - ] || [ "$2" = "$3" ]; then return 0; fi
  reason="$1: expected $2, found ${3:-nothing}"
  return 1
}

# Compares a file with $rows, $nonzeros, $full, $bytes, $sha256; fails with `reason` set.
verify() {
  reason=
  expect bytes "$bytes" "$(wc -c <"$1" | tr -d ' ')" || return 1
  if [ "$sha256" != - ]; then
    expect SHA-256 "$sha256" "$(sha256_of "$1")" || return 1
  fi
  measured=$(measure "$1")
  # shellcheck disable=SC2086  # six numbers
  set -- $measured
  expect rows "$rows" "$1" && expect columns "$rows" "$2" && expect "entries in the file" "$3" "$4" &&
    expect "nonzeros of the full matrix" "$nonzeros" "$6" &&
    expect "entries of the full matrix" "$full" "$5"
}

# unpack PART TEMPORARY: fails with `status` and `reason` set. An archive that can be read to its end is
# not to blame if the matrix could not be written.
unpack() {
  member=$name/$name.mtx
  why=$({ tar -xzOf "$1" "$member" >"$2"; } 2>&1) && return 0
  if tar -xzOf "$1" "$member" >/dev/null 2>&1; then
    why=$(printf '%s\n' "$why" | awk 'NR == 1 { sub(/.*: /, ""); print }')
    status=4 reason="cannot write $to/$name.mtx (${why:-is the disk full?}); the archive is whole and kept: make \
room and run it again"
    return 1
  fi
  rm -f -- "$1"
  status=1 reason="the archive is damaged or has no $member; removed"
  return 1
}

# no_folders FILE...: fails with `reason` set if one of them is something else than a file.
no_folders() {
  for place; do
    if [ -e "$place" ] && [ ! -f "$place" ]; then
      reason="expected a file or nothing at $place, found a folder or a device; move it away"
      return 1
    fi
  done
}

# fetch_one LINE-OF-THE-CATALOGUE. Returns an exit code.
fetch_one() {
  IFS='	' read -r _ group name rows nonzeros full bytes sha256 <<END
$1
END
  final=$to/$name.mtx
  part=$to/$name.tar.gz.part
  if ! no_folders "$final" "$part" "$to/$name.tar.gz"; then
    complain "$name: $reason"
    return 4
  fi
  if [ -e "$final" ]; then
    if verify "$final"; then
      say "$name: $final is there, verified"
      return 0
    fi
    complain "$name: $final is there, but $reason; move it away to download it again"
    return 1
  fi

  url=${base%/}/MM/$group/$name.tar.gz
  # A whole archive: the last call was interrupted between download and verification.
  if [ ! -f "$part" ] || ! gzip -t <"$part" 2>/dev/null; then
    say "$name: $url"
    download "$url" "$part"
    if [ "$status" != 0 ]; then
      complain "$name: $reason"
      return "$status"
    fi
  fi

  temporary=$to/.$name.mtx.$$
  if ! unpack "$part" "$temporary"; then
    discard
    complain "$name: $reason"
    return "$status"
  fi
  if ! verify "$temporary"; then
    rm -f -- "$part"
    discard
    complain "$name: $reason; removed"
    return 1
  fi
  mv -f -- "$temporary" "$final" || return 4
  temporary=
  if [ $keep = yes ]; then
    mv -f -- "$part" "$to/$name.tar.gz" || return 4
  else
    rm -f -- "$part"
  fi
  say "$name: $final, $rows rows, $nonzeros nonzeros, verified"
}

while [ $# -gt 0 ]; do
  case $1 in
    --to | --base | --catalogue)
      if [ $# -lt 2 ] || [ -z "$2" ]; then die 2 "$1 needs a value (--help)"; fi
      case $1 in
        --to) to=$2 ;;
        --base) base=$2 ;;
        --catalogue) catalogue=$2 ;;
      esac
      shift
      ;;
    --all) all=yes ;;
    --list) list=yes ;;
    --keep-archive) keep=yes ;;
    -h | --help) usage && exit 0 ;;
    -*) die 2 "unknown option $1 (--help)" ;;
    *) names="$names $1" ;;
  esac
  shift
done

if [ ! -r "$catalogue" ]; then die 2 "cannot read the catalogue $catalogue"; fi
for program in awk tar gzip; do
  if ! have $program; then die 4 "$program is not installed"; fi
done
have curl || have wget || die 4 "neither curl nor wget is installed"
have sha256sum || have shasum || die 4 "neither sha256sum nor shasum is installed"
if [ $list = yes ]; then
  show_list
  exit 0
fi
if [ $all = yes ]; then names=$(entries | cut -f 3); fi
if [ -z "$names" ]; then
  usage >&2
  exit 2
fi
# All names are checked before anything is downloaded.
for name in $names; do
  if ! look_up "$name" >/dev/null; then
    near=$(similar "$name")
    known=$(entries | cut -f 3 | tr '\n' ' ')
    die 2 "expected a matrix of the catalogue (${known% }), found '$name'${near:+; did you mean $near?}"
  fi
done
case $patience in
  '' | *[!0-9]* | 0*) die 2 "DWELL_FETCH_PATIENCE: expected whole seconds from 1 on, found '$patience'" ;;
esac
if ! mkdir -p -- "$to" 2>/dev/null || [ ! -w "$to" ]; then die 4 "cannot write to $to"; fi

worst=0
for name in $names; do
  fetch_one "$(look_up "$name")"
  status=$?
  if [ $status -ge 128 ]; then exit $status; fi
  if [ $worst = 0 ]; then worst=$status; fi
done
exit $worst
