# SPDX-License-Identifier: MIT
"""Pictures of the roofline with runs of stencils."""
import json

import pytest

from dwell import roofline


def run(executor, policy=None, **more):
    return {"executor": executor, "requested": {"policy": policy}, "cells_per_s": 2e11, "streamed_bytes_per_step": 1.6e7,
            "projected_cells_per_s": None, **more}


def compared(path, **more):
    """A file as `dwell compare stencil --format json` writes it, as far as the picture needs it."""
    path.write_text(json.dumps({
        "schema": 1, "document": "compare stencil", "precision": "f64",
        "device": {"backend": "cuda", "rates": {"memory_bytes_per_s": 2.9e12, "l2_bytes_per_s": 7.3e12,
                                                "shared_bytes_per_s": 3.2e13, "flops_per_s": 3.3e13}},
        "stencils": [{"name": "2d5pt", "size": "1000x1000", "flops_per_cell": 10, "changing_cells": 1000000, "runs": [
            run("graph"), run("perks", "auto", streamed_bytes_per_step=0.0, projected_cells_per_s=9e11),
            run("temporal", cells_per_s=None), run("perks", "measured", streamed_bytes_per_step=None)]}], **more}))
    return str(path)


def test_intensity_is_operations_over_bytes_beyond_the_chip(tmp_path):
    (panel,) = roofline.read(compared(tmp_path / "a.json"))
    assert panel[:5] == ("2d5pt, 1000x1000, f64", 2.9e12, 7.3e12, 3.2e13, 3.3e13)
    assert panel.runs == [("graph", 10 * 1e6 / 1.6e7, 2e12, None), ("perks auto", None, 2e12, 9e12)]


def test_roofs_and_runs_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "a.svg"
    assert roofline.main([compared(tmp_path / "a.json"), compared(tmp_path / "b.json"), "-o", str(out)]) == 0
    drawn = out.read_text()
    for words in ("2d5pt, 1000x1000, f64", "perks auto", "graph", "device memory, 2.90 TB/s", "L2, 7.30 TB/s", "shared memory, 32.00 TB/s",
                  "arithmetic, 33.0 Tflop/s"):
        assert f"<!-- {words} -->" in drawn or words in drawn, words


@pytest.mark.parametrize("content, words", [
    (None, "No such file"), ("{", "expected the JSON of dwell compare stencil"), ("[1]", "expected the JSON of"),
    ('{"schema": 2}', "expected schema 1"), ('{"schema": 1, "document": "info"}', "found that of dwell info"),
    ('{"schema": 1, "document": "compare stencil", "device": {"backend": "cpu", "rates": {"memory_bytes_per_s": null}}}',
     "expected runs on a GPU, found cpu"),
])
def test_bad_files_get_one_line(tmp_path, capsys, content, words):
    path = tmp_path / "x.json"
    if content is not None:
        path.write_text(content)
    assert roofline.main([str(path), "-o", str(tmp_path / "y.svg")]) == 1
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1 and not (tmp_path / "y.svg").exists()


def test_a_file_without_runs_is_refused(tmp_path, capsys):
    path = compared(tmp_path / "a.json", stencils=[])
    assert roofline.main([path, "-o", str(tmp_path / "y.svg")]) == 1
    assert "expected runs that were measured, found none" in capsys.readouterr().err
