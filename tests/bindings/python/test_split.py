# SPDX-License-Identifier: MIT
"""Pictures of what a stencil's step consists of."""
import json

import pytest

from dwell import split


def plan(executor, policy, total, memory, **more):
    times = {"total": total, "arithmetic": 20.0, "shared_memory": None, "l2": 4.0, "device_memory": memory, "exchange": 0.5}
    return {"executor": executor, "policy": policy, "steps_per_pass": 1, "projected_us": times, **more}


def explained(path, **more):
    """A file as `dwell explain stencil --json` writes it, as far as the picture needs it."""
    path.write_text(json.dumps({
        "schema": 1, "document": "explain stencil", "precision": "f64", "device": {"name": "a chip"},
        "stencil": {"name": "2d5pt", "size": "800x900"},
        "plans": [plan("perks", "auto", 40.0, 30.0, steps_per_pass=8), plan("perks", "none", 40.0, 30.0, steps_per_pass=8),
                  plan("perks", "measured", None, None), plan("graph", None, 250.0, 248.0)], **more}))
    return str(path)


def test_plans_with_times_are_read_once_each(tmp_path):
    found = split.read(explained(tmp_path / "a.json"))
    assert found.title == "2d5pt, 800x900, f64, a chip"
    assert found.plans == [("perks\nauto\n8 steps", 40.0, (20.0, 0.0, 4.0, 30.0, 0.5)),
                           ("graph", 250.0, (20.0, 0.0, 4.0, 248.0, 0.5))]


def test_half_of_the_traffic_is_marked(tmp_path):
    figure = pytest.importorskip("matplotlib.figure").Figure()
    ax = figure.add_subplot()
    split.draw(split.read(explained(tmp_path / "a.json")), ax)
    (halves,) = ax.collections
    assert [segment[0][1] for segment in halves.get_segments()] == [15.0, 124.0]
    assert [bar.get_height() for bar in ax.containers[3]] == [30.0, 248.0]
    assert list(ax.lines[0].get_ydata()) == [40.0, 250.0]


def test_a_panel_for_each_field(tmp_path):
    pytest.importorskip("matplotlib")
    out = tmp_path / "both.svg"
    assert split.main([explained(tmp_path / "a.json"), explained(tmp_path / "b.json"), "-o", str(out)]) == 0
    drawn = out.read_text()
    for words in ("2d5pt, 800x900, f64, a chip", "device memory", "half of the traffic", "arithmetic", "graph", "8 steps"):
        assert f"<!-- {words} -->" in drawn or words in drawn, words


@pytest.mark.parametrize("content, words", [
    (None, "No such file"), ("{", "expected the JSON of dwell explain stencil"), ('{"schema": 2}', "expected schema 1"),
    ('{"schema": 1, "document": "explain cg"}', "found that of dwell explain cg"),
    ('{"schema": 1, "document": "explain stencil", "plans": []}', "expected plans with projected times, found none"),
])
def test_bad_files_get_one_line(tmp_path, capsys, content, words):
    path = tmp_path / "x.json"
    if content is not None:
        path.write_text(content)
    assert split.main([str(path), "-o", str(tmp_path / "y.svg")]) == 1
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1 and not (tmp_path / "y.svg").exists()
