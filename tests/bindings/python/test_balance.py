# SPDX-License-Identifier: MIT
"""Pictures of the scratch that temporal blocking wants."""
import json

import pytest

from dwell import balance


def swept(path, stencil="2d5pt", **more):
    """A file as `dwell model sweep --json` writes it, as far as the picture needs it."""
    path.write_text(json.dumps({
        "schema": 1, "document": "model sweep", "stencil": {"name": stencil}, "precision": "f64",
        "rows": [{"balance_flops_per_byte": b, "capacity_bytes": 4096.0 * b,
                  "capacity_lazy_bytes": None if b > 50 else 8192.0 * b} for b in (1.0, 10.0, 100.0)],
        "devices": [{"device": "a chip", "balance_flops_per_byte": 7.74, "shared_bytes": 232448.0}], **more}))
    return str(path)


def test_a_panel_for_each_stencil(tmp_path):
    pytest.importorskip("matplotlib")
    files = [swept(tmp_path / "a.json"), swept(tmp_path / "b.json", "3d7pt")]
    out = tmp_path / "both.svg"
    assert balance.main([*files, "-o", str(out)]) == 0
    drawn = out.read_text()
    for words in ("2d5pt, f64", "3d7pt, f64", "a chip", "a barrier a step", "a barrier a tile",
                  "machine balance, flop per byte", "scratch of a tile, KiB"):
        assert f"<!-- {words} -->" in drawn or words in drawn, words


def test_sizes_are_in_kib_and_what_is_not_known_is_left_out(tmp_path):
    one = balance.read(swept(tmp_path / "a.json"))
    assert (one.capacity, one.lazy) == ([4.0, 40.0, 400.0], [8.0, 80.0, None])
    assert one.devices == [("a chip", 7.74, 227.0)]


@pytest.mark.parametrize("content, words", [
    (None, "No such file"), ("{", "expected the JSON of dwell model sweep"), ("[1]", "expected the JSON of"),
    ('{"schema": 1}', "expected the JSON of dwell model sweep"), ('{"schema": 2}', "expected schema 1"),
    ('{"schema": 1, "document": "info"}', "found that of dwell info"),
])
def test_bad_files_get_one_line(tmp_path, capsys, content, words):
    path = tmp_path / "x.json"
    if content is not None:
        path.write_text(content)
    assert balance.main([str(path), "-o", str(tmp_path / "y.svg")]) == 1
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1 and not (tmp_path / "y.svg").exists()
