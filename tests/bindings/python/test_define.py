# SPDX-License-Identifier: MIT
"""Functions of a cell become definitions: what is recorded, and what is refused, with file and line."""
import math
import pathlib
import pickle

import numpy as np
import pytest
import tape_oracle

import dwell

LINES = len(pathlib.Path(__file__).read_text().splitlines())
U = np.random.default_rng(0).uniform(0.5, 2.0, (5, 7))


def one(function, fields="u", **more):
    """A definition of one expression."""
    return dwell.define(function, fields=fields, name="one", **more)


def operations(definition):
    return [node[0] for node in definition.tape.nodes if node[0] not in ("tap", "constant", "parameter")]


def test_what_is_recorded():
    @dwell.define(fields="u v", coefficients="c2", parameters="dt")
    def wave(u, v, c2, dt=0.5):
        """A wave."""
        laplacian = u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1] - 4 * u
        return 2 * u - v + c2 * dt**2 * laplacian, u

    assert (wave.name, wave.dims, wave.radius) == ("wave", 2, 1) and wave.__doc__ == "A wave."
    assert (wave.fields, wave.coefficients, wave.parameters) == (("u", "v"), ("c2",), ("dt",))
    assert wave.defaults == {"dt": 0.5} and isinstance(wave.source, str)
    assert wave.tape.stages == (((0, len(wave.tape.nodes) - 1), (1, wave.tape.nodes.index(("tap", 0, (0, 0))))),)
    text = repr(wave)
    assert "u = 2 * u - v + c2 * (dt * dt) * (u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1] - 4 * u)" in text
    assert "v = u" in text and "dt = 0.5" in text and "2-D, radius 1" in text


def test_equal_expressions_are_computed_once():
    made = one(lambda u: (u[1] - u[-1]) * (u[1] - u[-1]) + (u[1] - u[-1]))
    assert operations(made) == ["sub", "mul", "add"]
    assert operations(one(lambda u: u[0] + u * u[0] + 0 * u[1])).count("mul") == 2
    assert [n for n in one(lambda u: u[1] * 0.0 + -0.0).tape.nodes if n[0] == "constant"] == [("constant", 0.0), ("constant", -0.0)]


def test_unused_expressions_leave_nothing():
    def step(u):
        dwell.exp(u[3])
        return u[1] + 1

    assert operations(one(step)) == ["add"] and one(step).radius == 1


def test_names_in_any_form():
    for fields in ("u v", "u, v", ["u", "v"], ("u", "v")):
        assert one(lambda v, u: (u[1], v[1] + u), fields=fields).fields == ("u", "v")


def test_results_in_any_form():
    wanted = one(lambda u, v: (u[1], v + 1), fields="u v").tape.stages
    assert one(lambda u, v: [u[1], v + 1], fields="u v").tape.stages == wanted
    assert one(lambda u, v: {"u": u[1], "v": v + 1}, fields="u v").tape.stages == wanted
    assert one(lambda u: 1.0, dims=2).dims == 2 and one(lambda u: (u[1],)).fields == ("u",)


def test_expressions_have_neighbours():
    def second(w):
        return w[-1] - 2 * w + w[1]

    nested = one(lambda u: second(second(u)))
    flat = one(lambda u: (u[-2] - 2 * u[-1] + u) - 2 * (u[-1] - 2 * u + u[1]) + (u - 2 * u[1] + u[2]))
    assert nested.tape.nodes and nested.radius == 2 and sorted(operations(nested)) == sorted(operations(flat))
    u = U[0]
    assert np.array_equal(tape_oracle.run(nested, [u], boundary="periodic")[0][0],
                          tape_oracle.run(flat, [u], boundary="periodic")[0][0])
    chosen = one(lambda u: dwell.where((u > 1)[1], 1, 0))
    assert [n for n in chosen.tape.nodes if n[0] == "tap"] == [("tap", 0, (1,))]


def test_stages_read_what_the_stage_before_has_left():
    @dwell.define(fields="a b")
    def two(a, b):
        yield {"a": a[1] + b}
        yield {"b": a[-1] * b}

    a, b = U[0], U[1]
    (new_a, new_b), _ = tape_oracle.run(two, [a, b], boundary="periodic")
    assert np.array_equal(new_a, np.roll(a, -1) + b) and np.array_equal(new_b, np.roll(new_a, 1) * b)
    assert "stage 2" in repr(two) and "a kept" in repr(two)


def test_values_of_what_does_not_change_serve_all_stages():
    @dwell.define(fields="a b", coefficients="c", parameters="p")
    def two(a, b, c, p):
        rate = p * (c + c[1])
        yield a + rate, dwell.keep
        yield dwell.keep, b + rate

    assert operations(two).count("mul") == 1


@pytest.mark.parametrize("n", [0, 1, 2, 3, 4, 5, 6, 7, 11, -1, -3, 2.0])
def test_powers_are_products(n):
    made = one(lambda u: u[1]**n + 0)
    assert "pow" not in operations(made)
    assert operations(made).count("mul") == (0 if n == 0 else int(abs(n)).bit_length() - 1 + bin(int(abs(n))).count("1") - 1)
    x = U[0]
    assert np.allclose(tape_oracle.run(made, [x], boundary="periodic")[0][0], np.roll(x, -1)**n, rtol=1e-14)


def test_functions_of_numpy_record_too():
    pairs = [(np.sqrt, dwell.sqrt), (np.exp, dwell.exp), (np.log, dwell.log), (np.sin, dwell.sin), (np.cos, dwell.cos),
             (np.tanh, dwell.tanh), (np.abs, dwell.abs), (np.fabs, abs), (np.floor, dwell.floor), (np.floor, math.floor),
             (np.negative, lambda x: -x), (np.square, lambda x: x * x), (np.reciprocal, lambda x: 1 / x)]
    for theirs, ours in pairs:
        assert one(lambda u: theirs(u[1])).tape.nodes == one(lambda u: ours(u[1])).tape.nodes, theirs
    for theirs, ours in ((np.minimum, dwell.minimum), (np.maximum, dwell.maximum), (np.add, lambda a, b: a + b),
                         (np.power, lambda a, b: a**b)):
        assert one(lambda u: theirs(u[1], 2)).tape.nodes == one(lambda u: ours(u[1], 2)).tape.nodes, theirs
    numpy = one(lambda u: np.where(np.logical_and(np.less(u[1], 1), ~np.greater_equal(u, 2)), np.float64(2) * u, np.float32(3)))
    ours = one(lambda u: dwell.where((u[1] < 1) & ~(u >= 2), 2 * u, 3))
    assert numpy.tape.nodes == ours.tape.nodes
    assert one(lambda u: np.array(2.0) * u[1]).tape.nodes == one(lambda u: 2 * u[1]).tape.nodes


def test_functions_of_plain_numbers_are_numpys():
    assert dwell.sqrt(4.0) == 2 and np.array_equal(dwell.exp(U), np.exp(U)) and dwell.where(True, 1, 2) == 1
    assert dwell.fma(0.1, 10.0, -1.0) == 2.0**-54 and dwell.fma(1e308, 10.0, -math.inf) == -math.inf
    assert math.copysign(1, dwell.fma(-1.0, 0.0, -0.0)) == -1
    made = one(lambda u: dwell.where(True, u[1], u / 0))  # known before the run
    assert made.tape.nodes == (("tap", 0, (1,)),)


def test_a_number_may_be_a_default():
    made = one(lambda u, k, p=2: u[1] * p + k, coefficients="k", parameters="p")
    assert made.defaults == {"p": 2.0}


KEPT = []


def leak(u):
    KEPT.append(u)
    return u[1]


dwell.define(leak, fields="u")


def calls_itself():
    @dwell.define(fields="u")
    def calls_itself(u):
        return calls_itself(u) + u[1]


def endless(u):
    return endless(u) + 1


def no_stage(u):
    return
    yield u


def unending(u):
    while True:
        yield u[1]


def stale(u, v):
    before = u[1]
    yield {"u": before + v}
    yield {"v": before + u}


def stale_result(u, v):
    before = u[1]
    yield {"u": before + v}
    yield {"v": before}


def many(u):
    out = u[1]
    for k in range(5000):
        out = out * 0.5 + k
    return out


REFUSALS = [
    ("at most 4 away in 2-D, found 5", lambda: one(lambda u: u[5, 0])),
    ("at most 4 away in 1-D, found 6", lambda: one(lambda u: (u[3] * 2)[3])),
    ("at most 4 away in 3-D, found 5", lambda: one(lambda u: u[0, 0, -5])),
    ("expected 2 offsets, as before, found 1", lambda: one(lambda u: u[0, 1] + u[1])),
    ("expected 2 offsets, as before, found 3", lambda: one(lambda u: u[0, 1] + (u * 2)[1, 0, 0])),
    ("expected 1, 2 or 3 offsets, found 4", lambda: one(lambda u: u[0, 0, 0, 0])),
    ("expected 3 offsets, as before, found 1", lambda: one(lambda u: u[1], dims=3)),
    ("whole numbers as offsets, found 0.5", lambda: one(lambda u: u[0.5, 0])),
    ("whole numbers as offsets, found a slice", lambda: one(lambda u: u[1:, 0])),
    ("whole numbers as offsets, found True", lambda: one(lambda u: u[True, 0])),
    ("whole numbers as offsets, found a value of every cell", lambda: one(lambda u: u[u])),
    ("expected 1 result .u., found 2", lambda: one(lambda u: (u[1], u))),
    ("expected 2 results .u, v., found 1", lambda: one(lambda u, v: u[1] + v, fields="u v")),
    ("expected 1 result .u., found none", lambda: one(lambda u: None)),
    ("expected new values of u, found 'w'", lambda: one(lambda u: {"w": u[1]})),
    ("found a coefficient, which stays", lambda: one(lambda u, k: {"u": u[1], "k": k}, coefficients="k")),
    ("u: expected a value made of u, found str", lambda: one(lambda u: "u")),
    ("u: expected a number, found a condition", lambda: one(lambda u: u[1] > 0)),
    ("u: expected a finite number, found nan", lambda: one(lambda u: math.nan, dims=1)),
    ("expected a new value of a field, found none", lambda: one(lambda u: dwell.keep, dims=1)),
    ("expected a new value of a field, found none", lambda: one(lambda u: u, dims=1)),
    ("no stage updates field .v.: make it a coefficient", lambda: one(lambda u, v: (u[1] + v, dwell.keep), fields="u v")),
    ("found one of every cell: for if", lambda: one(lambda u: u if u > 0 else -u[1])),
    ("found one of every cell: for if", lambda: one(lambda u: max(u, u[1]))),
    ("found one of every cell: for if", lambda: one(lambda u: dwell.where(0 < u[1] < 1, u, 0))),
    ("found one of every cell: use dwell.sqrt", lambda: one(lambda u: math.sqrt(u[1]))),
    ("found a loop over cells", lambda: one(lambda u: sum(u))),
    ("found an assignment to a cell", lambda: one(lambda u: u.__setitem__((0, 1), 2))),
    ("found another operator", lambda: one(lambda u: u[1] % 2)),
    ("name 'w' is not defined; the names of this definition are u", lambda: one(lambda u: u[1] + w)),  # noqa: F821
    ("calls itself without end", lambda: one(endless)),
    ("expected a function that does not call itself, found calls_itself", calls_itself),
    ("functions of dwell, found .sum of a cell", lambda: one(lambda u: u.sum())),
    ("functions of dwell, found .real of a cell", lambda: one(lambda u: (u[1] > 0).real)),
    ("at most 4096 operations", lambda: one(many)),
    ("expected a finite number, found nan", lambda: one(lambda u: u[1] * math.nan)),
    ("expected a finite number, found inf", lambda: one(lambda u: u[1] * math.inf)),
    ("found an integer above 1.8e308", lambda: one(lambda u: u[1] * 10**400)),
    ("found an array of shape .5, 7.: make it a coefficient", lambda: one(lambda u: u[1, 0] * U)),
    ("expected a number, found str", lambda: one(lambda u: u[1] + "1")),
    ("expected a number, found True", lambda: one(lambda u: u[1] + True)),
    ("expected a number, found complex", lambda: one(lambda u: u[1] * 1j)),
    ("found a condition: dwell.where", lambda: one(lambda u: u[1] + (u > 0))),
    ("& and |: expected conditions, found a number", lambda: one(lambda u: dwell.where(u[1] & (u > 0), 1, 2))),
    ("and: expected conditions, found bool", lambda: one(lambda u: dwell.where((u[1] > 0) & True, 1, 2))),
    ("where: expected a condition, found a number", lambda: one(lambda u: dwell.where(u[1], 1, 2))),
    ("whole exponent .* found 0.5: dwell.sqrt", lambda: one(lambda u: u[1]**0.5)),
    ("whole exponent .* found a number", lambda: one(lambda u: u[1]**u)),
    ("whole exponent .* found 65", lambda: one(lambda u: u[1]**65)),
    ("found one of every cell: use dwell.exp", lambda: one(lambda u: 2**u[1])),
    ("found numpy.arctan$", lambda: one(lambda u: np.arctan(u[1]))),
    ("found numpy.add.reduce", lambda: one(lambda u: np.add.reduce(u[1]))),
    ("found numpy.sqrt with options", lambda: one(lambda u: np.sqrt(u[1], where=True))),
    ("found numpy.roll", lambda: one(lambda u: np.roll(u, 1))),
    ("values of one definition, found one of another", lambda: one(lambda u: u[1] + KEPT[0])),
    ("a value of this definition, found one of another", lambda: one(lambda u: KEPT[0], dims=1)),
    ("expected as arguments u, found w", lambda: one(lambda w: w[1])),
    ("expected as arguments u, found ..rest", lambda: one(lambda u, **rest: u[1])),
    ("k: expected an argument of that name, found u", lambda: one(lambda u: u[1], coefficients="k")),
    ("u: expected no default for a field", lambda: one(lambda u=1: u[1])),
    ("p: expected a finite number as default, found nan", lambda: one(lambda u, p=math.nan: u[1] * p, parameters="p")),
    ("k: expected a finite number as default, found inf", lambda: one(lambda u, k=math.inf: u[1] * k, coefficients="k")),
    ("u: expected each name once, found it twice", lambda: one(lambda u: u[1], coefficients="u")),
    ("fields: expected 1 to 4 names, found none", lambda: one(lambda: 1, fields="")),
    ("expected names as Python's, found '2u'", lambda: one(lambda u: u[1], fields="2u")),
    ("expected names as Python's, found 'lambda'", lambda: one(lambda u: u[1], fields="lambda")),
    ("'steps' is an argument of dwell.run", lambda: one(lambda steps: steps[1], fields="steps")),
    ("dims: expected 1, 2 or 3 where no neighbour is read, found none", lambda: one(lambda u: u + 1)),
    ("dims: expected 1, 2 or 3, found 4", lambda: one(lambda u: u + 1, dims=4)),
    ("name: expected an identifier, found '<lambda>'", lambda: dwell.define(lambda u: u[1], fields="u")),
    ("expected at least one stage, found no yield", lambda: one(no_stage)),
    ("expected at most 8 stages, found more", lambda: one(unending)),
    ("u: a value read in stage 1 is used in stage 2, after u has changed", lambda: one(stale, fields="u v")),
    ("u: a value read in stage 1 is used in stage 2, after u has changed", lambda: one(stale_result, fields="u v")),
]


@pytest.mark.parametrize("words,call", REFUSALS, ids=[words for words, _ in REFUSALS])
def test_refusals_name_the_line(words, call):
    with pytest.raises(dwell.DefinitionError, match=words) as caught:
        call()
    error = caught.value
    assert "\n" not in str(error) and str(error) == f"{error.place}: {error.what}"
    file, _, line = error.place.rpartition(":")
    assert file == __file__ and 1 <= int(line) <= LINES
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.place, again.what) == (str(error), error.place, error.what)


def test_the_line_is_that_of_the_mistake():
    def neighbours(w):
        return w[1, 0] + w[
            7, 0]

    with pytest.raises(dwell.DefinitionError) as caught:
        one(lambda u: neighbours(u))
    assert int(caught.value.place.rpartition(":")[2]) - neighbours.__code__.co_firstlineno in (1, 2)


def test_other_refusals():
    with pytest.raises(TypeError, match="expected a function, found int"):
        dwell.define(3, fields="u")
    with pytest.raises(TypeError, match="expected dwell.run.one"):
        one(lambda u: u[1])(1)
    with pytest.raises(AttributeError, match="'int' object has no attribute 'sum'"):  # the caller's own
        one(lambda u: u[1] + (1).sum())
    with pytest.raises(ZeroDivisionError):  # the caller's own, too
        one(lambda u: u[1] * (1 / 0))


def native(dims=1, reach=1, nodes=0, stages=1):
    tape = [("tap", 0, (reach,) + (0,) * (dims - 1))] + [("neg", k) for k in range(nodes - 1)]
    return dwell._core.Definition("limits", dims, ["u"], [], [], tape, [[(0, len(tape) - 1)]] * stages)


def test_limits_are_those_of_the_library():
    from dwell._define import MOST_STAGES
    from dwell._tape import MOST_DIMS, MOST_NODES, MOST_REACH

    for dims in range(1, MOST_DIMS + 1):
        native(dims, MOST_REACH)
        with pytest.raises(ValueError, match=str(MOST_REACH)):
            native(dims, MOST_REACH + 1)
    with pytest.raises(ValueError, match=str(MOST_DIMS)):
        native(MOST_DIMS + 1)
    for most, name in ((MOST_NODES, "nodes"), (MOST_STAGES, "stages")):
        native(**{name: most})
        with pytest.raises(ValueError, match=str(most)):
            native(**{name: most + 1})


def test_errors_of_the_library_have_the_line():
    with pytest.raises(dwell.DefinitionError, match=r"test_define.py:\d+: .*4") as caught:
        one(lambda a, b, c, d, e: (a[1], b, c, d, e), fields="a b c d e")
    assert caught.value.what and "\n" not in str(caught.value)
