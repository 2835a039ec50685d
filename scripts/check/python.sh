#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The Python package as its users get it: a source distribution, a wheel made of that, installed in a fresh
# environment, with no library in it that another machine may lack; its tests there, and its types.
# PYTHON chooses the interpreter. Stencils are left out of the wheel as far as tests have no use for them: DWELL_SHAPES; perks on
# CPUs, which is there for tests, is in it. The CUDA backend is in it, built without nvcc, whether there is a GPU or not; DWELL_CUDA=OFF
# leaves it out. fmt is the system's, so that the cache of compilations has most objects from other builds; with PyPI's, which users' builds
# take, scripts/check/toolchains.sh and packages.sh compile. More arguments are pytest's.
set -euo pipefail
cd "$(dirname "$0")/../.."

python=${PYTHON:-python3}
place=$PWD/build/python
mkdir -p "$place"

tools=$place/tools
if [[ $("$tools/bin/python" -V 2>/dev/null) != $("$python" -V) || -d $(echo "$tools"/lib/python*/site-packages/cmeel.prefix) ]]; then
  rm -rf "$tools"
  "$python" -m venv "$tools"
fi
"$tools/bin/python" -m pip install -q --disable-pip-version-check \
  build auditwheel 'nanobind>=2.4' 'scikit-build-core>=0.10' 'nvidia-cuda-runtime==13.0.*' 'nvidia-cuda-crt==13.0.*'

echo '-- sdist and wheel'
rm -rf "$place/dist"
CMAKE_BUILD_PARALLEL_LEVEL=${JOBS:-$(nproc)} "$tools/bin/python" -m build --no-isolation --outdir "$place/dist" \
  --skip-dependency-check "-Ccmake.define.DWELL_SHAPES=${DWELL_SHAPES:-star2d5;star3d7}" "-Ccmake.define.DWELL_CUDA=${DWELL_CUDA:-ON}" \
  -Ccmake.define.DWELL_CPU_CACHING=ON \
  . >"$place/build.log" 2>&1 || { tail -n 60 "$place/build.log" >&2; exit 1; }
wheel=$(ls "$place"/dist/*.whl)

echo "-- what ${wheel##*/} needs"
"$tools/bin/python" -m auditwheel show "$wheel" | sed '/^$/d'
rm -rf "$place/unpacked"
"$tools/bin/python" -m zipfile -e "$wheel" "$place/unpacked"
needed=$(readelf -d "$place"/unpacked/dwell/_core*.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for library in $needed; do
  case $library in
    libc.so.* | libm.so.* | libstdc++.so.* | libgcc_s.so.* | libpthread.so.* | libdl.so.* | librt.so.* | ld-linux*) ;;
    *)
      echo "$0: the extension needs $library, which machines of users may lack" >&2
      exit 1
      ;;
  esac
done

echo '-- tests'
venv=$place/venv
rm -rf "$venv"
"$python" -m venv "$venv"
"$venv/bin/python" -m pip install -q --disable-pip-version-check "$wheel[test,jax]"
# From elsewhere: `import dwell` must find what was installed.
(cd "$place" && "$venv/bin/python" -m pytest -q -n "${JOBS:-$(nproc)}" --dist worksteal \
  -c "$OLDPWD/pyproject.toml" --rootdir "$OLDPWD" -p no:cacheprovider "$OLDPWD/tests/bindings/python" "$@")

echo '-- types'
(cd "$place" && "$venv/bin/python" -m mypy --config-file "$OLDPWD/pyproject.toml" -p dwell)
