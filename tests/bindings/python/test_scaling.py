# SPDX-License-Identifier: MIT
"""Pictures of what an iteration on many GPUs consists of."""
import json

import pytest

from dwell import scaling


def scaled(path, **more):
    """A file as `dwell model scaling --json` writes it, as far as the picture needs it."""
    def row(gpus, compute, exchange, reduction, latency, efficiency):
        return {"gpus": gpus, "compute_us": compute, "exchange_us": exchange, "reduction_us": reduction,
                "latency_us": latency, "total_us": compute + exchange + reduction + latency, "efficiency": efficiency}

    none = {"gpus": 99, "total_us": None, "efficiency": None}
    path.write_text(json.dumps({
        "schema": 1, "document": "model scaling", "division": "slabs",
        "problem": {"name": "cg", "variant": "pipelined", "size": "9x9", "weak": True},
        "rows": [row(1, 96.0, 0.0, 0.0, 4.0, 1.0), row(8, 40.0, 20.0, 16.0, 4.0, 0.625), none], **more}))
    return str(path)


def test_parts_are_shares_and_rows_without_a_time_are_left_out(tmp_path):
    one = scaling.read(scaled(tmp_path / "a.json"))
    assert one.title == "cg, pipelined, 9x9 each, slabs"
    assert one.gpus == [1, 8] and one.efficiency == [1.0, 0.625]
    assert one.parts == {"compute": [0.96, 0.5], "exchange": [0.0, 0.25], "reduction": [0.0, 0.2], "latency": [0.04, 0.05]}


def test_a_panel_for_each_file(tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "both.svg"
    files = [scaled(tmp_path / "a.json"), "my label=" + scaled(tmp_path / "b.json")]
    assert scaling.main([*files, "-o", str(out)]) == 0
    drawn = out.read_text()
    for words in ("cg, pipelined, 9x9 each, slabs", "my label", "compute", "reduction", "efficiency", "GPUs", "percent"):
        assert f"<!-- {words} -->" in drawn or words in drawn, words


@pytest.mark.parametrize("content, words", [
    (None, "No such file"), ("{", "expected the JSON of dwell model scaling"), ('{"schema": 2}', "expected schema 1"),
    ('{"schema": 1, "document": "info"}', "found that of dwell info"),
])
def test_bad_files_get_one_line(tmp_path, capsys, content, words):
    path = tmp_path / "x.json"
    if content is not None:
        path.write_text(content)
    assert scaling.main([str(path), "-o", str(tmp_path / "y.svg")]) == 1
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1 and not (tmp_path / "y.svg").exists()
