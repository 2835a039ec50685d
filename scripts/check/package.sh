#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What a build that uses Dwell sees: check/package.sh PREFIX. find_package(dwell) with components, there
# or missing; then a project that has this repository as a part, by add_subdirectory, and is built.
set -euo pipefail
if (($# != 1)) || [[ ! -d $1 ]]; then
  echo "usage: $0 PREFIX" >&2
  exit 1
fi
prefix=$(cd "$1" && pwd)
cd "$(dirname "$0")/../.."
top=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fail() {
  printf '%s: %s\n' "$0" "$*" >&2
  cat "$folder/log" >&2
  exit 1
}
configure() { # configure SOURCE ARGUMENT...: in a new folder
  rm -rf "$folder/build"
  cmake -S "$1" -B "$folder/build" -G Ninja "${@:2}" >"$folder/log" 2>&1
}
project() { # project LINE...: a project of these lines
  mkdir -p "$folder/source"
  printf '%s\n' 'cmake_minimum_required(VERSION 3.25)' 'project(app LANGUAGES CXX)' "$@" >"$folder/source/CMakeLists.txt"
}
finds() { # finds "arguments of find_package" "line that must hold" [cmake argument...]
  project "find_package(dwell $1)" "if(NOT ($2))" 'message(FATAL_ERROR "not as expected")' 'endif()'
  configure "$folder/source" -DCMAKE_PREFIX_PATH="$prefix" "${@:3}" || fail "find_package(dwell $1): expected $2"
}
refuses() { # refuses "arguments" "words of the message" [cmake argument...]
  project "find_package(dwell $1)"
  if configure "$folder/source" -DCMAKE_PREFIX_PATH="$prefix" "${@:3}"; then fail "find_package(dwell $1) must fail"; fi
  tr -s ' \n' ' ' <"$folder/log" | grep -qF "$2" || fail "find_package(dwell $1): expected the words '$2'"
}

said=$(sed -n 's/^#define DWELL_VERSION_STRING "\(.*\)"/\1/p' include/dwell/version.hpp)
version=${said%.dev*} # CMake and pkg-config have the numbers alone
found=$("$prefix/bin/dwell" --version)
if [[ $found != "dwell $said" ]]; then
  echo "$0: dwell --version: expected 'dwell $said', found '$found'" >&2
  exit 1
fi
for file in $(find "$prefix" -name 'dwell*.pc'); do
  if ! grep -qx "Version: $version" "$file"; then
    echo "$0: $file: expected 'Version: $version', found '$(grep ^Version: "$file")'" >&2
    exit 1
  fi
done
finds 'REQUIRED' 'TARGET dwell::dwell AND TARGET dwell::io AND TARGET dwell::custom_stencil AND TARGET dwell::custom_program'
finds "$version EXACT REQUIRED COMPONENTS core" 'TARGET dwell::core AND dwell_core_FOUND AND NOT TARGET dwell::io'
finds 'REQUIRED COMPONENTS stencil' 'TARGET dwell::core AND TARGET dwell::stencil AND NOT TARGET dwell::dwell'
refuses '99.0 REQUIRED' "requested version \"99.0\""
refuses 'REQUIRED COMPONENTS core spectral' 'component spectral: there is no such component (there are: core, stencil, io, cuda)'
if grep -q 'DWELL_HAVE_CUDA ON' "$(find "$prefix" -name dwellConfig.cmake)"; then
  finds 'REQUIRED COMPONENTS core cuda' 'dwell_cuda_FOUND'
else
  refuses 'REQUIRED COMPONENTS core cuda' 'component cuda: this dwell was built without CUDA'
  finds 'REQUIRED COMPONENTS core OPTIONAL_COMPONENTS cuda' 'dwell_FOUND AND TARGET dwell::core AND NOT dwell_cuda_FOUND'
  grep -qF 'dwell without optional component cuda: this dwell was built without CUDA' "$folder/log" ||
    fail 'the reason why an optional component is missing must be told'
fi
# Static libraries leave their dependencies to the program: core does without those of io.
if [[ -n $(find "$prefix" -name 'libdwell_core.a') ]]; then
  without=-DCMAKE_DISABLE_FIND_PACKAGE_LibArchive=ON
  refuses 'REQUIRED' 'component io: it needs LibArchive, which was not found' "$without"
  finds 'REQUIRED COMPONENTS core stencil' 'TARGET dwell::stencil' "$without"
  finds 'REQUIRED COMPONENTS core OPTIONAL_COMPONENTS io' 'dwell_FOUND AND NOT dwell_io_FOUND' "$without"
  refuses 'REQUIRED COMPONENTS io' 'component io: it needs component core: it needs fmt' -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON
fi

# What comes with the command: manual pages, and completions where shells look for them.
for file in man/man1/dwell.1 man/man1/dwell-compare-cg.1 bash-completion/completions/dwell \
  zsh/site-functions/_dwell fish/vendor_completions.d/dwell.fish; do
  if [[ ! -s $prefix/share/$file ]]; then
    echo "$0: share/$file is not installed" >&2
    exit 1
  fi
done

# Dwell as a part of another project: no targets but dwell_*, nothing of it installed or tested, no build type set. In
# build/, where ccache finds again what it compiled.
super=$top/build/super_project
rm -rf "$super"
mkdir -p "$super"
cat >"$super/CMakeLists.txt" <<EOF
cmake_minimum_required(VERSION 3.25)
project(app LANGUAGES CXX)
set(DWELL_CUDA OFF)
add_subdirectory("$top" dwell)
function(targets_of folder)
  get_property(targets DIRECTORY \${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY \${folder} PROPERTY SUBDIRECTORIES)
  foreach(target IN LISTS targets)
    if(NOT target MATCHES "^dwell(_|\$)")
      message(SEND_ERROR "the target \${target} is none of dwell_*")
    endif()
  endforeach()
  foreach(other IN LISTS folders)
    targets_of(\${other})
  endforeach()
endfunction()
targets_of("$top")
get_cmake_property(variables CACHE_VARIABLES)
foreach(variable IN LISTS variables)
  get_property(type CACHE \${variable} PROPERTY TYPE)
  if(NOT type MATCHES "INTERNAL|STATIC" AND NOT variable MATCHES
     "^(DWELL_|CMAKE_|fmt_|Eigen3_|dwell_|app_|LibArchive_|ZLIB_|PNG_|Threads_|PKG_)")
    message(SEND_ERROR "the option \${variable} is none of DWELL_*")
  endif()
endforeach()
if(CMAKE_BUILD_TYPE)
  message(SEND_ERROR "the build type was set")
endif()
add_executable(app app.cpp)
target_link_libraries(app PRIVATE dwell::core dwell::stencil dwell::io dwell::dwell)
EOF
printf '#include <dwell/dwell.hpp>\nint main() { return dwell::version_number() == DWELL_VERSION_NUMBER ? 0 : 1; }\n' \
  >"$super/app.cpp"
cmake -S "$super" -B "$super/build" -G Ninja -DDWELL_SHAPES=none >"$folder/log" 2>&1 ||
  fail 'add_subdirectory'
cmake --build "$super/build" --target app >"$folder/log" 2>&1 || fail 'add_subdirectory: the build'
"$super/build/app" || fail 'add_subdirectory: the program'
cmake --install "$super/build" --prefix "$folder/installed" >"$folder/log" 2>&1 || fail 'add_subdirectory: no install'
if [[ -e $folder/installed ]]; then fail 'a part of another project must not be installed with it'; fi
if configure "$super" -DDWELL_IO=OFF -DDWELL_SHAPES=none; then fail 'dwell::io must be missing with DWELL_IO=OFF'; fi
echo "package: found, refused and added as it should be"
