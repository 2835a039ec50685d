# SPDX-License-Identifier: MIT
"""Comparisons as tables and pictures."""
import subprocess
import sys

import numpy as np
import pytest

import dwell

A = dwell.generate("poisson2d:20x15")


@pytest.fixture(scope="module")
def table():
    return dwell.compare(A, device="cpu", iterations=10, repetitions=2)


@pytest.mark.cpu_caching
def test_rows(table):
    assert [(r["executor"], r["policy"], r["outcome"]) for r in table] == [
        ("host-loop", "", "measured"), ("graph", "", "unsupported"), ("persistent", "", "measured"),
        ("perks", "none", "measured"), ("perks", "auto", "measured"), ("scipy", "", "measured")]
    assert table[0]["speed_up"] == 1 and table[1]["per_iteration_us"] is None and "graph" in table[1]["why"]
    for row in table:
        if row["outcome"] == "measured":
            assert row["iterations"] == 10 and row["per_iteration_us_min"] <= row["per_iteration_us"]
            assert row["residual"] == pytest.approx(table[0]["residual"], rel=1e-6)
            assert row["speed_up"] == table[0]["per_iteration_us"] / row["per_iteration_us"]
    lines = repr(table).split("\n")
    assert len(lines) == 7 and lines[0].split()[:3] == ["executor", "variant", "policy"]


def test_to_a_tolerance():
    rows = dwell.compare(A, np.ones(300), executors=["persistent"], rtol=1e-6, repetitions=1, device="cpu",
                         preconditioner="jacobi")
    assert all(row["residual"] <= 1.1e-6 for row in rows) and rows[0]["iterations"] < 300


def test_refusals():
    with pytest.raises(ValueError, match="repetitions"):
        dwell.compare(A, repetitions=0)
    with pytest.raises(ValueError, match="peers"):
        dwell.compare(A, peers=["petsc"])
    with pytest.raises(ValueError, match="symmetric"):
        dwell.compare(np.array([[1.0, 0.5], [0.0, 1.0]]))


def test_pandas(table):
    pytest.importorskip("pandas")
    frame = table.to_pandas()
    assert len(frame) == 6 and frame.executor[5] == "scipy"


@pytest.mark.cpu_caching
def test_picture_has_a_bar_and_words_for_each_row_and_none_run_into_another(table):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    ax = table.plot()
    figure = ax.figure
    figure.canvas.draw()
    assert len(ax.patches) == 5 and len(ax.texts) == 5
    assert [t.get_text() for t in ax.get_yticklabels()] == ["host-loop", "persistent", "perks none", "perks auto", "scipy"]
    boxes = [t.get_window_extent() for t in [*ax.texts, *ax.get_yticklabels(), ax.xaxis.label]]
    for k, box in enumerate(boxes):
        assert figure.bbox.contains(box.x0, box.y0) and figure.bbox.contains(box.x1, box.y1)
        assert not any(box.overlaps(other) for other in boxes[k + 1:])
    with pytest.raises(ValueError, match="found none"):
        dwell.Comparison().plot()


def test_plot_of_the_command_line_is_a_module():
    done = subprocess.run([sys.executable, "-m", "dwell.plot", "nothing.json"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (1, "dwell.plot: [Errno 2] No such file or directory: 'nothing.json'\n")
