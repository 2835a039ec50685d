# SPDX-License-Identifier: MIT
"""Small kernels that this build compiles when they are needed, as far as that needs no GPU."""
import os
import pathlib

import pytest

from dwell import _core

listed = pathlib.Path(__file__).parents[2] / "data/small_kernels.tsv"  # what scripts/check/nvrtc.py goes over


@pytest.fixture(scope="module")
def units():
    found = _core.small_kernels()
    if not found:
        pytest.skip("this build has no kernels that are compiled when they are needed")
    return found


def test_the_list_is_that_of_this_build(units):
    lines = ["# The small kernels that NVRTC compiles: of each unit what it is, its headers and its kernels. Written by",
             "# DWELL_GOLDEN_WRITE=1 with tests/bindings/python/test_small_kernels.py.", "unit\theaders\tkernels"]
    for about, text, kernels in units:
        headers = [line.split('"')[1] for line in text.splitlines()]
        lines.append("\t".join([about, " ".join(headers), "; ".join(kernels)]))
    text = "\n".join(lines) + "\n"
    if os.environ.get("DWELL_GOLDEN_WRITE"):
        listed.write_text(text)
    assert listed.read_text() == text


def test_units_are_apart(units):
    names = [about for about, _, _ in units]
    assert len(set(names)) == len(names)
    for _, _, kernels in units:
        assert kernels == sorted(set(kernels))
        assert not any("anonymous" in kernel or "lambda" in kernel for kernel in kernels)


@pytest.mark.parametrize("about", ["the condition of graphs", "checks of systems in f64", "cuts of preconditioners"])
def test_a_unit_is_compiled_once(units, about, tmp_path, monkeypatch):
    monkeypatch.setenv("DWELL_CACHE_DIR", str(tmp_path))
    count = {name: len(kernels) for name, _, kernels in units}[about]
    try:
        assert _core.warm_small_kernels(about, 90) == count
    except _core.UnsupportedError as error:
        if "NVRTC, which compiles kernels at run time, was not found" not in str(error):
            raise
        assert "pip install nvidia-cuda-nvrtc" in str(error)
        pytest.skip(str(error))
    assert len(list(tmp_path.rglob("*.cubin"))) == 1
    assert _core.warm_small_kernels(about, 90) == count


def test_there_is_no_other_unit(units):
    with pytest.raises(ValueError, match="there is no unit 'others'"):
        _core.warm_small_kernels("others", 90)
