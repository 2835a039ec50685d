#!/bin/sh
# SPDX-License-Identifier: MIT
# datasets/fetch.sh against a server on 127.0.0.1 and a made-up catalogue, once with curl and once with
# wget, whichever are there. Exits 77 (skipped) without python3, 1 if a check failed.
# usage: test_fetch.sh FETCH-SCRIPT
set -u
fetch=$(realpath "$1")
tests=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }

work=$(mktemp -d) || exit 1
server=
finish() {
  if [ -n "$server" ]; then kill "$server" 2>/dev/null; fi
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' INT TERM HUP
unset DWELL_SUITESPARSE_URL http_proxy https_proxy HTTP_PROXY ALL_PROXY all_proxy

# The collection: tri is symmetric (4 rows, 10 nonzeros), zero has explicit zeros, gen is general,
# pat is a pattern. Random comments make the archives of tri and zero large enough to be cut.
matrix() { # NAME, text on standard input
  mkdir -p "$work/$1" "$work/www/MM/Made"
  cat >"$work/$1/$1.mtx"
  echo "%%MatrixMarket matrix array real general" >"$work/$1/$1_b.mtx"
  tar -czf "$work/www/MM/Made/$1.tar.gz" -C "$work" "$1"
}
noise() { od -An -tx1 -N6000 /dev/urandom | sed 's/^/%/'; }
{ echo '%%MatrixMarket matrix coordinate real symmetric'; noise
  printf '%s\n' '4 4 7' '1 1 2' '2 1 -1' '2 2 2' '3 2 -1' '3 3 2' '4 3 -1' '4 4 2'; } | matrix tri
{ echo '%%MatrixMarket matrix coordinate real symmetric'; noise
  printf '%s\n' '% no' '' '3 3 5' '1 1 2.5' '2 1 0' '2 2 1e-300' '3 1 -0.0' '3 3 4'; } | matrix zero
printf '%s\n' '%%MatrixMarket matrix coordinate integer general' '2 2 3' '1 1 1' '1 2 5' '2 2 1' |
  matrix gen
printf '%s\n' '%%MatrixMarket matrix coordinate pattern symmetric' '2 2 2' '1 1' '2 1' | matrix pat
printf '%s\n' '%%MatrixMarket matrix coordinate real symmetric' '2 2 3' '1 1 1' '2 2 1' | matrix short
echo 'not an archive' >"$work/www/MM/Made/junk.tar.gz"
sum() { sha256sum <"$work/$1/$1.mtx" | awk '{ print $1 }'; }
size() { wc -c <"$work/$1/$1.mtx" | tr -d ' '; }
wrong=$(printf '%064d' 0)
{
  echo '#id	group	name	rows	nonzeros	entries	bytes	sha256'
  printf '%s\tMade\t%s\t%s\t%s\t%s\t%s\t%s\n' \
    M1 tri 4 10 10 "$(size tri)" "$(sum tri)" M2 zero 3 3 7 - - M3 gen 2 3 - - "$(sum gen)" \
    M4 pat 2 3 3 - - M5 short 2 2 - - - M6 junk 2 2 - - - M7 absent 5 5 - - -
} >"$work/good.tsv"
sed "s/$(sum tri)/$wrong/; s/zero	3	3	7/zero	3	4	7/; s/gen	2/gen	3/; s/pat	2	3	3/pat	2	3	4/" \
  "$work/good.tsv" >"$work/bad.tsv"

python3 "$tests/fetch_server.py" "$work/www" "$work/port" "$work/log" &
server=$!
tries=0
while [ ! -f "$work/port" ]; do
  tries=$((tries + 1))
  [ $tries -lt 100 ] || { echo "the server did not start"; exit 1; }
  sleep 0.1
done
address=http://127.0.0.1:$(cat "$work/port")

failures=0
checks=0
check() { # WHAT, then a command that must succeed
  what=$1
  shift
  checks=$((checks + 1))
  if ! "$@"; then
    failures=$((failures + 1))
    echo "FAILED ($client): $what"
    sed 's/^/  | /' "$work/out" "$work/err"
  fi
}
# run CODE BEHAVIOUR ARGUMENT...: the script under sh, its exit code checked. $most: the largest file that it can
# write, in blocks of 512 bytes, as if the disk were full then; $patience: DWELL_FETCH_PATIENCE.
most=
patience=30
run() {
  code=$1
  behaviour=$2
  shift 2
  : >"$work/log"
  (
    if [ -n "$most" ]; then
      trap '' XFSZ # an error of write(), not the end of the program
      ulimit -f "$most"
    fi
    DWELL_FETCH_PATIENCE=$patience PATH="$work/bin" exec sh "$fetch" --catalogue "$catalogue" --to "$to" \
      --base "$address/$behaviour/" "$@" >"$work/out" 2>"$work/err"
  )
  got=$?
  check "exit code $code of '$*' over $behaviour, got $got" test $got = "$code"
}
said() { check "stderr says: $1" grep -q -- "$1" "$work/err"; }
requests() { check "$1 requests" test "$(wc -l <"$work/log" | tr -d ' ')" = "$1"; }
holds() { # the names in $to, hidden ones too, in order
  found=$(find "$to" -mindepth 1 | sed 's,.*/,,' | sort | tr '\n' ' ')
  check "the folder holds '$*', found '$found'" test "$found" = "${*:+$* }"
}
same() { check "$1.mtx is the served one" cmp -s "$to/$1.mtx" "$work/$1/$1.mtx"; }
begin() { # WHICH-CATALOGUE: an empty folder
  catalogue=$work/$1.tsv
  rm -rf "$to"
  mkdir -p "$to"
}
part_of() { head -c 2000 "$work/www/MM/Made/$1.tar.gz" >"$to/$1.tar.gz.part"; }

battery() {
  begin good # success, and a second call does nothing
  run 0 plain tri Made/zero M3 pat
  requests 4
  holds gen.mtx pat.mtx tri.mtx zero.mtx
  same tri
  check "no chatter without a terminal" test ! -s "$work/err"
  run 0 plain tri zero gen pat
  requests 0
  check "says it is there" grep -q 'is there, verified' "$work/out"
  run 0 plain --list
  check "lists the catalogue" grep -q 'M1 .*Made/tri .* yes' "$work/out"

  begin good # one that is there and wrong is neither taken nor lost
  echo mine >"$to/tri.mtx"
  run 1 plain tri
  said 'tri.mtx is there, but bytes: expected'
  requests 0
  check "left alone" grep -q mine "$to/tri.mtx"

  begin good # resumed
  part_of tri
  run 0 plain tri
  check "asks for the rest" grep -q 'bytes=2000-' "$work/log"
  same tri
  holds tri.mtx
  begin good # a server that cannot resume
  part_of tri
  run 0 norange tri
  same tri
  begin good # whole already: not downloaded again
  cp "$work/www/MM/Made/tri.tar.gz" "$to/tri.tar.gz.part"
  run 0 plain tri
  requests 0
  begin good # a part of something else
  noise | head -c 2000 >"$to/tri.tar.gz.part"
  run 1 plain tri
  said damaged
  holds
  run 0 plain tri

  begin good # the archive kept
  run 0 plain --keep-archive tri
  holds tri.mtx tri.tar.gz

  begin bad # verification
  run 1 plain tri zero gen pat
  said "tri: SHA-256: expected $wrong, found $(sum tri); removed"
  said 'zero: nonzeros of the full matrix: expected 4, found 3'
  said 'gen: rows: expected 3, found 2'
  said 'pat: entries of the full matrix: expected 4, found 3'
  check "one line for each" test "$(wc -l <"$work/err" | tr -d ' ')" = 4
  holds
  begin good
  run 1 plain short
  said 'short: entries in the file: expected 3, found 2'
  run 1 plain junk
  said 'junk: the archive is damaged'
  holds

  run 3 plain absent # 404; the others are fetched all the same
  said 'absent: the server'
  holds
  run 3 plain absent tri
  holds tri.mtx

  begin good # names and usage: nothing is downloaded
  run 2 plain tri trid
  said "found 'trid'; did you mean tri?"
  said 'expected a matrix of the catalogue (tri zero gen pat short junk absent), found'
  check "one line" test "$(wc -l <"$work/err" | tr -d ' ')" = 1
  run 2 plain '*'
  said "found '\*'$"
  requests 0
  run 2 plain --frobnicate
  run 2 plain
  run 2 plain tri --to
  run 0 plain --help
  holds

  begin good # something else where a file belongs
  for place in tri.mtx tri.tar.gz.part tri.tar.gz; do
    mkdir "$to/$place"
    run 4 plain tri
    check "one line" test "$(wc -l <"$work/err" | tr -d ' ')" = 1
    said "expected a file or nothing at $to/$place, found a folder"
    requests 0
    holds $place
    rmdir "$to/$place"
  done

  begin good # no room: for the matrix, then for the archive; what came is kept, and no archive is to blame
  most=24
  run 4 plain tri # blocks of 512 bytes
  most=
  said "cannot write $to/tri.mtx (.*); the archive is whole and kept"
  holds tri.tar.gz.part
  run 0 plain tri
  requests 0
  same tri
  holds tri.mtx
  begin good
  most=2
  run 4 plain tri
  most=
  said "cannot write $to/tri.tar.gz.part (is the disk full?); what came is kept"
  holds tri.tar.gz.part
  run 0 plain tri
  same tri

  begin good # a server that says nothing, or half of it
  patience=1
  run 3 silent tri
  said "stalled"
  holds
  run 3 stall tri
  patience=30
  said "stalled.*run it again to resume"
  holds tri.tar.gz.part
  run 0 plain tri
  check "resumes" grep -q 'bytes=[1-9][0-9]*-' "$work/log"
  same tri
  patience=never
  run 2 plain gen
  patience=30
  said "DWELL_FETCH_PATIENCE: expected whole seconds from 1 on, found 'never'"

  begin good # nobody there
  behaviour=plain
  PATH="$work/bin" sh "$fetch" --catalogue "$catalogue" --to "$to" --base http://127.0.0.1:1 tri \
    >"$work/out" 2>"$work/err"
  check "exit code 3 offline" test $? = 3
  said 'cannot reach http://127.0.0.1:1 (offline?'
  check "one line" test "$(wc -l <"$work/err" | tr -d ' ')" = 1
  DWELL_SUITESPARSE_URL=$address/plain PATH="$work/bin" sh "$fetch" --catalogue "$catalogue" \
    --to "$to" gen >"$work/out" 2>"$work/err"
  check "the address from the environment" test $? = 0

  begin good # Ctrl-C keeps the part, and only that
  : >"$work/log"
  # An asynchronous command of sh ignores SIGINT; this one does not, and leads a group as on a terminal.
  PATH="$work/bin:$PATH" python3 -c 'import os, signal, sys
os.setsid()
signal.signal(signal.SIGINT, signal.default_int_handler)
os.execvpe(sys.argv[1], sys.argv[1:], dict(os.environ, PATH=sys.argv[1][:-3]))' "$work/bin/sh" "$fetch" \
    --catalogue "$catalogue" --to "$to" --base "$address/slow" tri >"$work/out" 2>"$work/err" &
  leader=$!
  tries=0
  while [ ! -s "$to/tri.tar.gz.part" ] && [ $tries -lt 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  kill -INT "-$leader"
  wait "$leader"
  check "exit code 130" test $? = 130
  said 'interrupted; run it again to resume'
  holds tri.tar.gz.part
  run 0 plain tri
  check "resumes" grep -q 'bytes=[1-9][0-9]*-' "$work/log"
  same tri
}

ran=
for client in curl wget; do
  command -v $client >/dev/null || continue
  ran="$ran $client"
  rm -rf "${work:?}/bin"
  mkdir "$work/bin"
  # The script sees these programs and no others.
  for program in $client sh awk tar gzip grep cut tr wc rm mv mkdir dirname cat sha256sum; do
    ln -s "$(command -v "$program")" "$work/bin/$program"
  done
  to=$work/to
  battery
  if [ $client = curl ]; then # wget resumes by itself
    begin good
    run 3 drop tri
    said 'broke off'
    holds tri.tar.gz.part
    run 0 drop tri
    same tri
  else
    begin good
    run 0 drop tri
    same tri
  fi
done
if [ -z "$ran" ]; then
  echo "skipped: neither curl nor wget"
  exit 77
fi
echo "$checks checks with$ran, $failures failed"
[ $failures = 0 ]
