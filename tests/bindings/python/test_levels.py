# SPDX-License-Identifier: MIT
"""Pictures of an iteration by its parts."""
import json

import pytest

from dwell import levels


def explained(path, parts, outer_us=30.0, device="NVIDIA H200", **more):
    """A file as `dwell explain solve --json` writes it, as far as the picture needs it."""
    path.write_text(json.dumps({
        "schema": 1, "matrix": {"name": "poisson2d:9x9"}, "device": {"name": device}, "solver": "cg",
        "preconditioner": "amg", "preconditioner_parts": [{"name": name, "projected_us": us} for name, us in parts],
        "outer_iteration": {"name": "cg", "projected_us": outer_us}, **more}))
    return str(path)


def test_a_bar_for_each_iteration_and_a_part_for_each_level(tmp_path):
    pytest.importorskip("matplotlib")
    both = [explained(tmp_path / "amg.json", [("level 1", 45.5), ("level 2", 15.0)]),
            "alone=" + explained(tmp_path / "jacobi.json", [], 29.25)]
    out = tmp_path / "all.svg"
    assert levels.main([*both, "-o", str(out), "--title", "Poisson"]) == 0
    drawn = out.read_text()
    for words in ("poisson2d:9x9, amg", "alone", "level 1", "level 2", "45.5", "90.5 us", "29.2 us", "cg itself",
                  "on NVIDIA H200, us", "Poisson"):
        assert f"<!-- {words} -->" in drawn or words in drawn, words


def test_parts_in_their_order_add_up(tmp_path):
    bar = levels.read(explained(tmp_path / "a.json", [("level 1", 45.5), ("level 2", 15.0)]))
    assert (bar.label, bar.us) == ("poisson2d:9x9, amg", 90.5)
    assert [name for name, _ in bar.parts] == ["cg itself", "level 1", "level 2"]


@pytest.mark.parametrize("content, words", [
    (None, "No such file"), ("{", "expected the JSON of dwell explain"), ("[1]", "expected the JSON of dwell explain"),
    ('{"schema": 1}', "expected the JSON of dwell explain"), ('{"schema": 2}', "expected schema 1"),
])
def test_bad_files_get_one_line(tmp_path, capsys, content, words):
    path = tmp_path / "x.json"
    if content is not None:
        path.write_text(content)
    assert levels.main([str(path), "-o", str(tmp_path / "y.svg")]) == 1
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1 and not (tmp_path / "y.svg").exists()


def test_a_cpu_has_no_projected_times(tmp_path, capsys):
    path = explained(tmp_path / "x.json", [("level 1", None)], None)
    assert levels.main([path, "-o", str(tmp_path / "y.svg")]) == 1
    assert "no model of CPUs" in capsys.readouterr().err


def test_devices_are_not_mixed(tmp_path, capsys):
    files = [explained(tmp_path / f"{name}.json", [], device=name) for name in ("A100", "H200")]
    assert levels.main([*files, "-o", str(tmp_path / "y.svg")]) == 1
    assert "found A100 and H200" in capsys.readouterr().err
