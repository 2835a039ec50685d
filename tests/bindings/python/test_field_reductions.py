# SPDX-License-Identifier: MIT
"""Reductions of fields in Python: numbers are those of dwell.reduce of the fields, and runs end where they should."""
import numpy as np
import pytest

import dwell

QUANTITIES = ["sum", "min", "max", "norm1", "norm2", "norm-max"]


@dwell.define(fields="u v", parameters="r")
def pair(u, v, r=0.2):
    return u + r * (u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1] - 4 * u), 0.5 * u - 0.25 * v[0, 1]


def some_fields(seed, dtype, shape):
    random = np.random.default_rng(seed)
    return {name: random.standard_normal(shape).astype(dtype) for name in "uv"}


@pytest.mark.parametrize("seed", range(12))
def test_numbers_are_those_of_reduce(seed):
    random = np.random.default_rng(seed)
    dtype, shape = random.choice([np.float32, np.float64]), tuple(random.integers(3, 70, 2))
    every, steps = int(random.integers(1, 6)), int(random.integers(0, 20))
    wanted = {name: [str(q) for q in random.permutation(QUANTITIES + ["change-" + q for q in QUANTITIES])[:4]] for name in "uv"}
    a = some_fields(seed, dtype, shape)
    more = {"executor": str(random.choice(["auto", "naive", "persistent"])), "threads": int(random.integers(1, 5))}
    result = dwell.run(pair, steps=steps, boundary="reflect", reductions=wanted, reduce_every=every, **more, **a)
    table = result.reductions
    assert table.dtype.names == ("step", *(f"{q}({name})" for name in "uv" for q in wanted[name]))
    assert table["step"].tolist() == list(range(every, steps + 1, every))
    plain = dwell.FieldRunner(pair, boundary="reflect", **a)
    row = 0
    for step in range(1, steps + 1):
        old = {name: plain.field(name) for name in "uv"}
        plain.run(1)
        if step % every:
            continue
        for name in "uv":
            now = plain.field(name)
            for q in wanted[name]:
                of = now - old[name] if q.startswith("change-") else now
                assert table[row][f"{q}({name})"] == dwell.reduce(of, q.removeprefix("change-"))
        row += 1
    assert row == len(table)
    assert all(np.array_equal(result[name], plain.field(name)) for name in "uv")
    last = {column: (table[column][-1] if row else None) for column in table.dtype.names[1:]}
    assert result.report.reductions == last and result.report.reduce_every == every and result.report.stopped == "steps done"


def test_a_run_ends_below_a_tolerance():
    a = some_fields(1, np.float64, (20, 30))
    runner = dwell.FieldRunner(pair, boundary="reflect", until={"u": {"change-norm2": 1e-3}}, reduce_every=7, **a)
    outcome = runner.run(100000)
    table = runner.reductions
    assert outcome.stopped == "converged" and outcome.steps % 7 == 0 and outcome.steps == table["step"][-1]
    assert table["change-norm2(u)"][-1] <= 1e-3 < table["change-norm2(u)"][-2]
    assert "converged after" in str(runner.report) and runner.report.until == {"change-norm2(u)": 1e-3}
    runner = dwell.FieldRunner(pair, boundary="reflect", until={"u": {"change-norm2": 1e-3}}, reduce_every=7, **a)
    seen = []
    pieces = runner.run(100000, every=10, callback=lambda now: seen.append(now.step))
    assert pieces[:2] == outcome[:2] and seen[0] == 10 and np.array_equal(runner.reductions, table)
    assert runner.run(3).stopped == "step limit"
    runner.set_reductions({"v": "sum"}, 2)
    assert runner.run(4).stopped == "steps done" and len(runner.reductions) == 2
    runner.set_reductions()
    assert runner.run(4).steps == 4 and len(runner.reductions) == 0 and runner.report.reduce_every == 0


def test_a_run_ends_where_a_quantity_is_not_a_number():
    @dwell.define(fields="u", dims=2)
    def root(u):
        return dwell.sqrt(u - 1)

    with pytest.warns(dwell.SolveWarning, match="values are not finite after 5 steps"):
        result = dwell.run(root, u=np.full((20, 30), 0.5), steps=100, until={"u": {"change-norm-max": 1e-3}}, reduce_every=5)
    assert result.report.stopped == "not finite" and result.report.total_steps == 5


A = some_fields(0, np.float64, (8, 9))
REFUSALS = [
    ("reductions: expected a dict by field, found str", TypeError, {"reductions": "sum"}),
    ("reductions: expected u, v as names, found 'w'", ValueError, {"reductions": {"w": "sum"}}),
    ("reductions of u: expected a word or a list of words, found int", TypeError, {"reductions": {"u": 1}}),
    ("reductions of u: expected a word, found 1", TypeError, {"reductions": {"u": [1]}}),
    ("quantity: expected sum, min, .* found 'mean'", ValueError, {"reductions": {"u": "mean"}}),
    ("found 'change-norm'; did you mean 'change-norm1'", ValueError, {"reductions": {"u": "change-norm"}}),
    ("reductions: expected each one once, found sum.u. twice", ValueError, {"reductions": {"u": ["sum", "sum"]}}),
    ("until: expected u, v as names, found 'w'", ValueError, {"until": {"w": {"sum": 1}}}),
    ("until of u: expected a dict .* found float", TypeError, {"until": {"u": 1e-3}}),
    ("until of u: expected a number, found 'x'", TypeError, {"until": {"u": {"sum": "x"}}}),
    ("expected every 1 step or more, found 0", ValueError, {"reductions": {"u": "sum"}, "reduce_every": 0}),
]


@pytest.mark.parametrize("words,error,options", REFUSALS, ids=[words for words, _, _ in REFUSALS])
def test_refusals(words, error, options):
    with pytest.raises(error, match=words) as caught:
        dwell.run(pair, steps=1, **options, **A)
    assert "\n" not in str(caught.value)
