#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Asks a shell what it completes: completion_test.sh DWELL bash|zsh|fish. Exit code 77 where that
# shell is not there.
set -euo pipefail
program=$(realpath "$1") shell=$2
if ! command -v "$shell" >/dev/null; then
  echo "skipped: no $shell here" >&2
  exit 77
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
touch 'ab.mtx' 'a b.mtx'
mkdir bin
ln -s "$program" bin/dwell
export PATH=$folder/bin:$PATH
"$program" completion "$shell" --output "$folder/script"
"$shell" -n "$folder/script"

case $shell in
  bash)
    # Bash fills COMP_WORDS as it splits a line at blanks, = and :, each of these a word.
    cat >ask <<'END'
source ./script
COMP_LINE=$1
COMP_WORDBREAKS=$' \t\n"\'><=;|&(:'
mapfile -t COMP_WORDS < <(sed -E 's/([=:])/\n\1\n/g; s/ +/\n/g' <<<"$1" | sed '/^$/d')
[[ $1 == *[\ ] ]] && COMP_WORDS+=('')
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
COMP_POINT=${#COMP_LINE}
_dwell dwell
printf '%s\n' "${COMPREPLY[@]}"
END
    complete() { bash --norc ask "$1"; }
    ;;
  fish)
    complete() { XDG_CONFIG_HOME=$folder/config fish -c 'source ./script; complete -C $argv[1]' "$1" | cut -f 1; }
    ;;
  zsh)
    # Its completion runs in a line editor alone: that it is read and found is what can be asked here.
    mkdir functions
    cp script functions/_dwell
    found=$(zsh -f -c 'fpath=($PWD/functions $fpath); autoload -Uz compinit; compinit -u -D; autoload +X _dwell; print $_comps[dwell]')
    if [[ $found != _dwell ]]; then
      echo "zsh: expected _dwell to complete dwell, found '$found'" >&2
      exit 1
    fi
    for word in cg compare_cg stencil generate; do grep -qx "_dwell_$word() {" script; done
    echo "completion in zsh: as expected"
    exit 0
    ;;
esac

failures=0
expect() { # expect LINE WORD...: these words among those that are offered, and all of one beginning
  local line=$1 found word
  found=$(complete "$line")
  for word in "${@:2}"; do
    if [[ $word == !* ]]; then
      if grep -qxF -- "${word#!}" <<<"$found"; then
        printf "'%s': '%s' must not be offered\n" "$line" "${word#!}" >&2
        failures=$((failures + 1))
      fi
    elif ! grep -qxF -- "$word" <<<"$found"; then
      printf "'%s': expected '%s', found: %s\n" "$line" "$word" "$(tr '\n' ' ' <<<"$found")" >&2
      failures=$((failures + 1))
    fi
  done
}

expect 'dwell ' cg stencil compare explain info generate completion man
expect 'dwell comp' compare completion '!cg'
expect 'dwell compare ' cg stencil '!info'
expect 'dwell explain c' cg '!stencil'
expect 'dwell cg --pre' --precision --preconditioner '!--policy'
expect 'dwell compare cg --re' --repetitions '!--steps'
expect 'dwell stencil --bo' --boundary
expect 'dwell cg --executor ' auto host-loop persistent '!cg'
expect 'dwell cg a.mtx --policy m' matrix mixed model measured '!none'
expect 'dwell stencil 2d5pt --boundary ' fixed periodic reflect
expect 'dwell stencil 3d' 3d7pt '!2d5pt'
expect 'dwell generate t' trefethen:
expect 'dwell cg --rhs r' row-sums
expect 'dwell cg a' 'ab.mtx'
expect 'dwell completion ' bash zsh fish
expect 'dwell man exp' explain
# What the line cannot take is not offered.
expect 'dwell cg --preconditioner ' jacobi amg '!ilu0' '!aggregation'
expect 'dwell solve --preconditioner ' jacobi amg ilu0 aggregation
expect 'dwell cg ab.mtx a' '!ab.mtx'
expect 'dwell cg --rhs ab.mtx a' ab.mtx
expect 'dwell man cg sol' '!solve'
expect 'dwell cg ab.mtx --quiet --' --json '!--quiet'
expect 'dwell cg ab.mtx --output x.mtx --' --json '!--output'
expect 'dwell cg ab.mtx --ranks 2 --' --partition '!--ranks' '!--distributed'
expect 'dwell explain cg ab.mtx --device cpu --' --json '!--device' '!--device-facts'
expect 'dwell compare stencil 2d5pt 3d' 3d7pt
if [[ $shell == bash ]]; then
  expect 'dwell cg -' -o --output -q
  expect 'dwell cg --executor=per' persistent
  expect 'dwell cg like:ec' ecology2
  expect 'dwell cg like:ecology2 --dev' --device
  expect 'dwell compare cg A.mtx --executors graph,per' graph,perks graph,persistent
  expect 'dwell cg -o a' 'ab.mtx' 'a b.mtx'
  expect 'dwell help comp' compare
  expect 'dwell compare cg A.mtx --executors perks,' perks,graph '!perks,perks'
  expect 'dwell cg ab.mtx -q -' --json '!-q' '!--quiet'
  expect 'dwell cg ab.mtx --output=x.mtx --' --json '!--output'
fi
((failures == 0)) && echo "completion in $shell: as expected"
exit $((failures > 0))
