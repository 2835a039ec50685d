# SPDX-License-Identifier: MIT
"""Comparisons as tables and pictures."""
import subprocess
import sys
import time

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


def by_steps(record, wait=0.0, returns=None):
    """A peer of plain steps of Richardson, which says what it was called with."""

    def peer(matrix, b, rtol, maxiter):
        record.append((matrix.shape, b.dtype, rtol, maxiter, time.perf_counter()))
        x = np.zeros_like(b)
        done = 0
        while done < maxiter and not (rtol > 0 and np.linalg.norm(b - matrix @ x) <= rtol * np.linalg.norm(b)):
            x += (b - matrix @ x) / 8
            done += 1
        time.sleep(wait)
        return returns(x, done) if returns else (x, done)

    return peer


@pytest.mark.parametrize("seed", range(6))
def test_peers_of_ones_own(seed):
    random = np.random.default_rng(seed)
    rows, columns = (int(v) for v in random.integers(3, 12, 2))
    matrix = dwell.generate(f"poisson2d:{rows}x{columns}").astype(random.choice(["f4", "f8"]))
    b = random.standard_normal(rows * columns).astype(matrix.dtype)
    repetitions, iterations = (int(v) for v in random.integers(1, 6, 2))
    calls = []
    found = dwell.compare(matrix, b, executors=["persistent", "host-loop"], iterations=iterations, repetitions=repetitions,
                          device="cpu", peers={"steps": by_steps(calls, returns=None if seed % 2 else lambda x, _: x)})
    assert [r["executor"] for r in found] == ["persistent", "host-loop", "steps"]
    assert len(calls) == repetitions + 1, "one is not counted"
    assert {c[:4] for c in calls} == {(matrix.shape, matrix.dtype, 0.0, iterations)}
    row = found[-1]
    x = np.zeros_like(b)
    for _ in range(iterations):
        x += (b - matrix @ x) / 8
    assert row["outcome"] == "measured" and row["iterations"] == iterations
    assert row["residual"] == pytest.approx(np.linalg.norm(b - matrix @ x) / np.linalg.norm(b), rel=1e-5)
    assert row["per_iteration_us_min"] <= row["per_iteration_us"] <= row["per_iteration_us_max"]


def test_calls_of_peers_are_between_runs_of_ours(monkeypatch):
    order = []
    solve = dwell.Solver._answer
    monkeypatch.setattr(dwell.Solver, "_answer", lambda *a, **k: (order.append("ours"), solve(*a, **k))[1])

    def peer(matrix, b, rtol, maxiter):
        order.append("peer")
        return b

    dwell.compare(A, executors=["host-loop", "persistent"], iterations=2, repetitions=2, device="cpu", peers=[peer])
    assert order == ["ours", "peer", "ours", "ours", "peer", "ours", "ours", "peer", "ours"]


def test_a_peer_that_fails_has_a_row_that_says_so():
    def raises(matrix, b, rtol, maxiter):
        raise RuntimeError("no device\nand more")

    def wrong_shape(matrix, b, rtol, maxiter):
        return b[1:]

    def text(matrix, b, rtol, maxiter):
        return np.array(["x"] * len(b))

    def good(matrix, b, rtol, maxiter):
        return b

    rows = dwell.compare(A, executors=["persistent"], iterations=2, repetitions=1, device="cpu",
                         peers=["scipy", raises, wrong_shape, text, good])
    found = {r["executor"]: r for r in rows}
    assert [found[n]["outcome"] for n in ("persistent", "raises", "wrong_shape", "text", "good", "scipy")] == [
        "measured", "failed", "failed", "failed", "measured", "measured"]
    assert found["raises"]["why"] == "RuntimeError: no device"
    assert "expected x of shape (300,)" in found["wrong_shape"]["why"] and found["text"]["speed_up"] is None
    rows = dwell.compare(A, executors=["persistent"], rtol=1e-3, repetitions=1, device="cpu", peers=[good])
    assert "expected x and its iterations" in rows[-1]["why"]


def test_peers_that_are_refused():
    with pytest.raises(TypeError, match="found 3|found int"):
        dwell.compare(A, peers=[3])
    with pytest.raises(TypeError, match="expected a list"):
        dwell.compare(A, peers="scipy")
    with pytest.raises(ValueError, match="each name once"):
        dwell.compare(A, peers=[lambda *_: None, lambda *_: None])


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
