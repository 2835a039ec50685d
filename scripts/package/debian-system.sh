#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# A fresh Debian system in a folder, for scripts that try something from nothing; they source this file. It has what
# debootstrap's smallest variant has, and of this machine how it reaches registries, nothing else. As root, on Debian.
# MIRROR names another mirror.
debian_folder= # set by fresh_system

unmount_debian() {
  local folder
  [[ $debian_folder ]] || return 0
  for folder in source dev proc; do
    if mountpoint -q "$debian_folder/$folder"; then umount "$debian_folder/$folder"; fi
  done
}
trap unmount_debian EXIT

quietly() { # quietly LOG COMMAND...: its output goes to LOG, whose end is shown if it fails
  local log=$1
  "${@:2}" >"$log" 2>&1 || { tail -n 40 "$log" >&2; printf '%s: failed: %s\n' "$0" "${*:2}" >&2; return 1; }
}
fresh_system() { # fresh_system FOLDER SUITE PACKAGE...: a new system in FOLDER; FOLDER.tar keeps what debootstrap fetched
  if (($(id -u) != 0)) || ! command -v debootstrap >/dev/null; then
    printf '%s: expected root and debootstrap, which make a Debian system in a folder\n' "$0" >&2
    return 1
  fi
  debian_folder=$1
  local archive=$1-$2.tar mirror=()
  [[ ! ${MIRROR:-} ]] || mirror=("$MIRROR")
  unmount_debian
  rm -rf --one-file-system "$1"
  mkdir -p "$(dirname "$1")"
  if [[ ! -s $archive ]]; then
    quietly "$1.log" debootstrap --variant=minbase --make-tarball="$archive" "$2" "$1" "${mirror[@]}"
    rm -rf --one-file-system "$1"
  fi
  quietly "$1.log" debootstrap --variant=minbase --unpack-tarball="$archive" "$2" "$1" "${mirror[@]}"
  reach_registries
  mount --bind /dev "$1/dev"
  mount -t proc proc "$1/proc"
  quietly "$1.log" inside apt-get -qq update
  (($# == 2)) || quietly "$1.log" inside apt-get -qq install -y --no-install-recommends "${@:3}"
  reach_registries # the package ca-certificates writes the list of certificates anew
}
reach_registries() { # by what this machine has: names, certificates, proxies, settings of pip
  local file
  for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt /etc/apt/apt.conf.d/*proxy*; do
    [[ ! -e $file ]] || install -D -m 644 "$file" "$debian_folder$file"
  done
}
inside() { # inside COMMAND...: in the system that fresh_system has made, with no more of the environment than it needs
  local variable kept=()
  for variable in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL PIP_CERT PIP_DEFAULT_TIMEOUT; do
    [[ -z ${!variable:-} ]] || kept+=("$variable=${!variable}")
  done
  chroot "$debian_folder" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
    PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore "${kept[@]}" "$@"
}
