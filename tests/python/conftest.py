# SPDX-License-Identifier: MIT
"""GPU tests skip visibly where there is no GPU; and where the real matrices are."""
from __future__ import annotations

import os
import pathlib

import pytest

import dwell

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pytest_collection_modifyitems(items):
    if any(d.backend == "cuda" for d in dwell.devices()):
        return
    for item in items:
        if item.get_closest_marker("gpu"):
            item.add_marker(pytest.mark.skip(reason="no CUDA device"))


@pytest.fixture(scope="session")
def matrices():
    folder = pathlib.Path(os.environ.get("DWELL_MATRICES") or ROOT.parent / "shared" / "matrices")
    if not (folder / "INDEX.md").exists():
        pytest.skip(f"no SuiteSparse matrices in {folder} (DWELL_MATRICES)")
    return folder
