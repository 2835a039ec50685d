# SPDX-License-Identifier: MIT
"""Tests skip visibly where there is no GPU, or no kernels that they need; and where the real matrices are."""
from __future__ import annotations

import os
import pathlib

import pytest

import dwell

ROOT = pathlib.Path(__file__).resolve().parents[3]
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # else JAX takes the GPU's memory from other tests


def has_cpu_caching():
    """Whether the build has kernels of CPUs that cache as GPUs do (DWELL_CPU_CACHING)."""
    try:
        dwell.Solver(dwell.generate("poisson2d:4x4"), executor="perks", device="cpu")
    except dwell.UnsupportedError:
        return False
    return True


def pytest_collection_modifyitems(items):
    if not has_cpu_caching():
        for item in items:
            perks = hasattr(item, "callspec") and item.callspec.params.get("executor") == "perks"
            if perks or item.get_closest_marker("cpu_caching"):
                item.add_marker(pytest.mark.skip(reason="no kernels of CPUs that cache (DWELL_CPU_CACHING)"))
    if any(d.backend == "cuda" for d in dwell.devices()):
        return
    for item in items:
        if item.get_closest_marker("gpu"):
            item.add_marker(pytest.mark.skip(reason="no CUDA device"))


@pytest.fixture(scope="session", autouse=True)
def kernels(tmp_path_factory):
    """Kernels that tests compile are not left in the user's cache."""
    before = os.environ.get("DWELL_CACHE_DIR")
    # Processes of pytest-xdist have one folder, beside their own: each kernel is compiled once.
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    os.environ.setdefault("DWELL_CACHE_DIR", str(shared / "kernels"))
    yield
    if before is None:
        del os.environ["DWELL_CACHE_DIR"]


@pytest.fixture(scope="session")
def matrices():
    folder = pathlib.Path(os.environ.get("DWELL_MATRICES") or ROOT.parent / "shared" / "matrices")
    if not (folder / "INDEX.md").exists():
        pytest.skip(f"no SuiteSparse matrices in {folder} (DWELL_MATRICES)")
    return folder
