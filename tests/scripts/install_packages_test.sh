#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# scripts/package/install-packages.sh, with a stand-in for each program that it calls: installs what is
# missing and only that, as root or through sudo, and says what to do where it cannot.
set -euo pipefail
script=$(cd "$(dirname "$0")/../../scripts" && pwd)/package/install-packages.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The real programs that the script needs, and nothing else of this machine.
fresh() {
  rm -rf "$folder/bin" "$folder/log"
  mkdir "$folder/bin"
  for program in bash env head; do ln -s "$(command -v $program)" "$folder/bin/$program"; done
}
stand_in() { # stand_in NAME LINE...: a program that runs these lines
  printf '%s\n' '#!/bin/bash' "${@:2}" >"$folder/bin/$1"
  chmod +x "$folder/bin/$1"
}
debian() { # debian UID PACKAGE...: a Debian system where all but these packages are installed
  local missing=" ${*:2} "
  fresh
  stand_in id "echo $1"
  stand_in dpkg-query 'package=${!#}' "[[ '$missing' != *\" \$package \"* ]] || exit 1" 'echo installed'
  stand_in apt-get 'printf "%s " "$@" >>'"$folder/log" 'echo >>'"$folder/log"
}

failures=0
expect() { # expect STATUS MESSAGE LOG GROUP...: exit status, text on stderr, text in apt-get's log
  local output status=0 log=
  output=$(PATH=$folder/bin "$folder/bin/bash" "$script" "${@:4}" 2>&1 </dev/null) || status=$?
  [[ -f $folder/log ]] && log=$(<"$folder/log")
  if [[ $status != "$1" || $output != *"$2"* || $log != *"$3"* || (-z $3 && -n $log) ]]; then
    printf 'line %s: expected status %s, "%s", apt-get "%s"; found status %s, "%s", apt-get "%s"\n' \
      "${BASH_LINENO[0]}" "$1" "$2" "$3" "$status" "$output" "$log"
    failures=$((failures + 1))
  fi
}

debian 0
expect 0 '' '' build test checks
debian 0 libfmt-dev curl
expect 0 'installing libfmt-dev curl' 'install -y --no-install-recommends libfmt-dev curl ' build test
debian 0 curl
expect 0 '' '' build

debian 1000 cmake
expect 1 'neither root nor sudo' '' build
debian 1000 cmake
stand_in sudo 'shift; exec "$@"'
expect 0 'installing cmake' 'install -y --no-install-recommends cmake ' build
debian 1000 cmake
stand_in sudo 'exit 1'
expect 1 'could not be installed: cmake' '' build

debian 0 cmake
stand_in apt-get '[[ "$*" != *update* ]] || exit 100' 'echo "$@" >>'"$folder/log"
expect 0 'could not be brought up to date' 'cmake' build
debian 0 cmake
stand_in apt-get 'exit 100'
expect 1 'could not be installed: cmake' '' build
debian 0 cmake
DWELL_PACKAGES=skip expect 0 '' '' build

fresh
expect 0 'warning: not a Debian system' '' build
debian 0
expect 1 "no group of packages is called 'tests'" '' tests

exit $((failures > 0))
