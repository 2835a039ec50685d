# shellcheck shell=sh disable=SC2154,SC2034
# SPDX-License-Identifier: MIT
# Part of fetch.sh: the download of one file with curl or wget, and what its end means. Reads `base` and
# `patience`. A part that has come is kept, for the next call to resume, unless it is of no use.

# download URL PART: appends what is missing. Sets `status`: 0, or an exit code with `reason` set.
download() {
  status=0
  if have curl; then
    download_with_curl "$1" "$2"
  else
    download_with_wget "$1" "$2"
  fi
}

# Sets `code`, and `http` and `connected` (seconds until there was a connection, 0.000000: never).
curl_to() { # PART URL, then options
  part_file=$1 from=$2
  shift 2
  loud=-s
  if [ -t 2 ]; then loud=--progress-bar; fi
  answer=$(curl -fL $loud --connect-timeout "$patience" --speed-time "$patience" --speed-limit 100 --retry 2 \
    --retry-max-time "$patience" "$@" -o "$part_file" -w '%{http_code} %{time_connect}' "$from")
  code=$?
  http=${answer%% *}
  connected=${answer##* }
}

download_with_curl() {
  curl_to "$2" "$1" -C -
  # 33, 416: the server cannot resume here. What there is of the file is of no use.
  if [ -f "$2" ] && { [ $code = 33 ] || [ "$http" = 416 ]; }; then
    rm -f -- "$2"
    curl_to "$2" "$1"
  fi
  if [ $code = 28 ]; then
    case $connected in
      0 | 0.000000) code=7 ;; # no connection in time
    esac
  fi
  case $code in
    0) ;;
    5 | 6 | 7) status=3 reason="cannot reach $base (offline? --base names another server)" ;;
    28) status=3 reason="the server stalled: next to nothing of $1 came for $patience s; run it again to resume" ;;
    22) status=3 reason="the server answered $http for $1" ;;
    35 | 60) status=3 reason="the certificate of $base was not accepted (curl: $code)" ;;
    23) status=4 reason=$(not_written "$2") ;;
    130 | 143) status=$code reason=interrupted ;;
    *) status=3 reason="the download of $1 broke off (curl: $code); run it again to resume" ;;
  esac
}

download_with_wget() {
  loud=-q
  if [ -t 2 ]; then loud='-q --show-progress'; fi
  # shellcheck disable=SC2086  # two words
  wget $loud -c --timeout="$patience" --tries=3 -O "$2" "$1"
  code=$?
  # wget leaves an empty file where there is nothing to download.
  if [ $code != 0 ] && [ ! -s "$2" ]; then rm -f -- "$2"; fi
  case $code in
    0) ;;
    3) status=4 reason=$(not_written "$2") ;;
    4)
      status=3
      if [ -f "$2" ]; then
        reason="the download of $1 broke off, or the server stalled ($patience s); run it again to resume"
      else
        reason="cannot reach $base (offline? --base names another server), or it stalled for $patience s"
      fi
      ;;
    8) status=3 reason="the server refused $1" ;;
    130 | 143) status=$code reason=interrupted ;;
    *) status=3 reason="the download of $1 broke off (wget: $code); run it again to resume" ;;
  esac
}

# not_written PART: the end of a download for which there was no room.
not_written() {
  printf '%s' "cannot write $1 (is the disk full?)"
  if [ -s "$1" ]; then printf '%s' "; what came is kept, make room and run it again to resume"; fi
}
