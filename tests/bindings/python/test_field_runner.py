# SPDX-License-Identifier: MIT
"""Definitions run on fields: random expressions beside the same expression of NumPy's scalars, borders, points, tables, and
what is refused."""
import math
import warnings

import numpy as np
import pytest
import tape_oracle

import dwell

EXACT_FUNCTIONS = ["sqrt", "abs", "floor", "neg"]
SIZES = {1: (17,), 2: (7, 9), 3: (5, 6, 7)}
WORDS = ["fixed", "constant:-0.75", "reflect", "mirror", "antisymmetric", "nearest", "periodic"]


@dwell.define(fields="u v", coefficients="c", parameters="p")
def coupled(u, v, c, p=0.25):
    return u + p * (u[-1, 0] - 2 * v[0, 1] + c[1, 1] * u[0, -2]), u * 0.5 + v[1, -1]


def random_expression(random, dims, depth):
    """Text of a number: taps, constants and exact operations. Constants meet values only: Python would compute two in float64."""
    def offsets():
        return ", ".join(str(random.integers(-2, 3)) for _ in range(dims))

    def number(depth):
        if depth == 0 or random.random() < 0.1:
            return random.choice([f"u[{offsets()}]", f"u[{offsets()}]", f"v[{offsets()}]", f"c[{offsets()}]", "p",
                                  f"(K({random.uniform(-2, 2):.17g}) {random.choice(['+', '*', '/'])} u[{offsets()}])"])
        kind = random.integers(10)
        a, b = number(depth - 1), number(depth - 1)
        if kind < 5:
            return f"({a} {random.choice(['+', '-', '*', '/'])} {b})"
        if kind == 5:
            return f"M.{random.choice(['minimum', 'maximum'])}({a}, {b})"
        if kind == 6:
            return f"power({a}, {random.integers(-4, 6)})"
        if kind == 7:
            return f"M.where({condition(depth - 1)}, {a}, {b})"
        return {"sqrt": f"M.sqrt(abs({a}))", "abs": f"abs({a})", "floor": f"M.floor({a})", "neg": f"(-{a})"}[
            random.choice(EXACT_FUNCTIONS)]

    def condition(depth):
        if depth > 0 and random.random() < 0.4:
            a, b = condition(depth - 1), condition(depth - 1)
            return random.choice([f"({a} & {b})", f"({a} | {b})", f"(~{a})"])
        return f"({number(max(depth - 1, 0))} {random.choice(['<', '<=', '>', '>=', '==', '!='])} {number(max(depth - 1, 0))})"

    return number(depth)


class Near:
    """An array from one of its cells: near[offsets] is a scalar of NumPy's."""

    def __init__(self, array, at):
        self.array, self.at = array, at

    def __getitem__(self, offsets):
        offsets = offsets if isinstance(offsets, tuple) else (offsets,)
        return self.array[tuple((i + d) % n for i, d, n in zip(self.at, offsets, self.array.shape))]


def power_of_scalars(x, n):
    """By squaring, from the highest bit."""
    if n == 0:
        return type(x)(1)
    out = x
    for bit in bin(abs(n))[3:]:
        out = out * out
        out = out * x if bit == "1" else out
    return type(x)(1) / out if n < 0 else out


class Scalars:
    """NumPy's functions, whose answers stay scalars."""
    minimum, maximum, sqrt, floor = np.minimum, np.maximum, np.sqrt, np.floor

    @staticmethod
    def where(condition, a, b):
        return a if condition else b


@pytest.mark.parametrize("seed", range(60))
def test_random_expressions_as_scalars_of_numpy(seed):
    random = np.random.default_rng(seed)
    dims, dtype = int(random.integers(1, 4)), random.choice([np.float32, np.float64])
    text = random_expression(random, dims, int(random.integers(1, 6)))
    around = ", ".join(["1"] * dims)
    text = f"({text}) + u[{around}]"  # a number of every cell, whatever the text is

    def traced(u, v, c, p):
        return eval(text, {"u": u, "v": v, "c": c, "p": p, "M": dwell, "K": float, "power": lambda x, n: x**n}), v + 1

    definition = dwell.define(traced, fields="u v", coefficients="c", parameters="p")
    u, v, c = (random.uniform(-2, 2, SIZES[dims]).astype(dtype) for _ in range(3))
    p = float(random.uniform(-1, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dwell.SolveWarning)  # some values are infinite or NaN, as wanted
        found = dwell.run(definition, u=u, v=v, c=c, p=p, steps=1, boundary="periodic", device="cpu",
                          kernel="interpreted" if seed % 4 else "auto")["u"]
    with np.errstate(all="ignore"):
        for at in np.ndindex(u.shape):
            wanted = eval(text, {"u": Near(u, at), "v": Near(v, at), "c": Near(c, at), "p": dtype(p), "M": Scalars, "K": dtype,
                                 "power": power_of_scalars})
            assert np.asarray(wanted).dtype == dtype, text
            assert np.array_equal(found[at], wanted, equal_nan=True), (text, at, found[at], wanted)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", ["exp", "log", "sin", "cos", "tanh"])
def test_functions_are_near_the_true_value(name, dtype):
    random = np.random.default_rng(8)
    x = np.concatenate((random.uniform(-20, 20, 2000), random.uniform(-1e-3, 1e-3, 500), [0.0, 1.0, -1.0])).astype(dtype)
    x = np.abs(x) + dtype(1e-3) if name == "log" else x
    definition = dwell.define(lambda u: getattr(dwell, name)(u), fields="u", dims=1, name="f")
    found = dwell.run(definition, u=x, steps=1, boundary="reflect")["u"]
    exact = getattr(np, name)(x.astype(np.longdouble))
    assert (np.abs(found - exact) <= 1.6 * np.spacing(np.abs(exact.astype(dtype)))).all()


def test_fma_is_rounded_once():
    u = np.random.default_rng(9).uniform(1, 2, 500)
    definition = dwell.define(lambda u: dwell.fma(u, u, -2.0), fields="u", dims=1, name="f")
    found = dwell.run(definition, u=u, steps=1, boundary="reflect")["u"]
    assert np.array_equal(found, [dwell.fma(x, x, -2.0) for x in u])


@pytest.mark.parametrize("seed", range(40))
def test_random_borders(seed):
    """Each side of each field its own word; fixed and periodic sides of all fields alike."""
    random = np.random.default_rng(seed)
    dims, dtype = int(random.integers(1, 4)), random.choice([np.float32, np.float64])
    far = [tuple(int(d) for d in random.integers(-2, 3, dims)) for _ in range(4)]

    def step(u, v, c):
        return 0.4 * u[far[0]] - 0.3 * v[far[1]] + 0.1 * c[far[2]], 0.5 * v[far[3]] + 0.2 * u * c

    definition = dwell.define(step, fields="u v", coefficients="c", dims=dims)
    size = tuple(int(n) for n in random.integers(4, 9, dims))
    boundary = {"u": [], "v": []}
    for _ in range(dims):
        shared = random.choice(["periodic", "fixed", "free"], p=[0.2, 0.2, 0.6])
        for axes in boundary.values():
            low, high = random.choice([w for w in WORDS if w not in ("fixed", "periodic")], 2)
            axes.append("periodic" if shared == "periodic" else (str("fixed" if shared == "fixed" else low), str(high)))
    boundary = {name: tuple(axes) for name, axes in boundary.items()}
    u, v, c = (random.standard_normal(size).astype(dtype) for _ in range(3))
    found = dwell.run(definition, u=u, v=v, c=c, steps=3, boundary=boundary, device="cpu",
                      kernel="interpreted" if seed % 4 else "auto")
    wanted, _ = tape_oracle.run(definition, [u, v], [c], steps=3, boundary=boundary)
    for name, a, b in zip("uv", found, wanted):
        assert np.array_equal(a, b), (name, boundary, far)


@pytest.mark.parametrize("boundary", WORDS)
def test_renamed_fields_keep_their_fixed_cells(boundary):
    """v takes u's place and moves no data: under fixed sides it keeps its own border, which differs from u's."""
    random = np.random.default_rng(10)
    u, v = random.standard_normal((2, 9, 11))
    wave = dwell.stencils.wave()
    for steps in (1, 2, 3, 8):
        found = dwell.run(wave, u=u, v=v, steps=steps, boundary=boundary)
        wanted, _ = tape_oracle.run(wave, [u, v], [np.full(u.shape, 0.25), np.zeros(u.shape)], steps=steps, boundary=boundary)
        assert np.array_equal(found["u"], wanted[0]) and np.array_equal(found["v"], wanted[1]), steps


@pytest.mark.parametrize("kernel", ["auto", "interpreted", "compiled"])
@pytest.mark.parametrize("executor,threads", [("naive", 1), ("persistent", 1), ("persistent", 2), ("persistent", 5), ("temporal", 2),
                                              ("auto", 0)])
def test_no_choice_changes_a_bit(kernel, executor, threads):
    random = np.random.default_rng(14)
    for name in ("wave", "shallow_water", "fdtd"):
        definition = getattr(dwell.stencils, name)()
        u = random.uniform(1, 1.2, (203, 97))
        given = dict(zip(definition.fields, (u, u * 0.1, u * 0.2))) | {"boundary": "reflect"}
        try:
            found = dwell.run(definition, steps=11, kernel=kernel, executor=executor, threads=threads, **given)
        except dwell.UnsupportedError as error:
            pytest.skip(str(error))
        assert found.report.executor == executor or executor == "auto"
        assert found.report.kernel == kernel or kernel == "auto"
        plain = dwell.run(definition, steps=11, device="cpu", kernel="interpreted", executor="naive", **given)
        assert all(np.array_equal(a, b) for a, b in zip(found, plain)), name


def test_passes_that_cannot_be_are_refused():
    u = np.random.default_rng(15).standard_normal((64, 64))
    with pytest.raises(ValueError, match="executor temporal: .*fixed cells"):
        dwell.run(dwell.stencils.wave(), u=u, v=-u, steps=3, executor="temporal", threads=1)


def test_explain_says_the_plan():
    text = coupled.explain((500, 400), dtype="float32", device="cpu", executor="naive")
    assert text == dwell.explain(coupled, (500, 400), dtype="float32", device="cpu", executor="naive")
    assert text.startswith(repr(coupled)) and "500x400 cells, f32, " in text and "naive on 1 thread\n" in text
    assert all(len(line) < 200 for line in text.splitlines())


def test_explain_says_the_plan_of_a_gpu_that_is_not_here():
    heat = dwell.stencils.heat()
    text = dwell.explain(heat, (8192, 8192), device_facts="h200")
    for words in ("NVIDIA H200 (cuda)", "4 values of coefficients alone: 34 operations and 24 bytes per cell and step become 13 and 48",
                  "registers of each lane for cells", "of shared memory in each multiprocessor", "\nprojected ", "binds: device memory"):
        assert words in text, (words, text)
    assert "of coefficients alone" not in dwell.explain(heat, (8192, 8192), device_facts="h200", hoist="never")
    assert "perks on" in dwell.explain(heat, (512, 512), device_facts="h200")
    assert "DOES NOT FIT" in dwell.explain(heat, (200000, 200000), device_facts="h200")
    with pytest.raises(ValueError, match="device_facts: expected no device"):
        dwell.explain(heat, (8, 8), device="cpu", device_facts="h200")
    with pytest.raises(TypeError, match="dtype: expected float32 or float64, found int64"):
        dwell.explain(heat, (8, 8), dtype="int64")


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_values_that_are_computed_once_have_the_same_bits(dtype):
    random = np.random.default_rng(16)
    for definition, boundary in ((dwell.stencils.heat(), "reflect"), (dwell.stencils.heat(3), "periodic"), (dwell.stencils.wave(), "fixed")):
        shape = tuple(random.integers(5, 30, definition.dims))
        given = {n: random.uniform(0, 0.2, shape).astype(dtype) for n in definition.fields + definition.coefficients}
        if "v" in given:
            given["v"] = given["u"]
        runners = [dwell.FieldRunner(definition, boundary=boundary, device="cpu", hoist=hoist, **given) for hoist in ("never", "always")]
        for _ in range(2):
            for runner in runners:
                runner.run(7)
            assert np.array_equal(*(runner.field("u") for runner in runners))
            other = random.uniform(0, 0.2, shape).astype(dtype)
            for runner in runners:
                runner.set(**{definition.coefficients[-1]: other})
        assert [runner.report.hoisted > 0 for runner in runners] == [False, True]
        assert "of coefficients alone" in str(runners[1].report)


def random_fields(dtype=np.float64):
    return dict(zip("uvc", np.random.default_rng(11).standard_normal((3, 8, 9)).astype(dtype)))


def as_oracle(a, steps, boundary, p=0.25, **more):
    return tape_oracle.run(coupled, [a["u"], a["v"]], [a["c"]], [p], steps, boundary, **more)


def test_forms_of_a_boundary():
    a = random_fields()
    forms = [("reflect", (("reflect", "reflect"), ("reflect", "reflect"))), (("fixed", "periodic"), (("fixed", "fixed"), "periodic")),
             ({"u": "nearest", "v": ("nearest", "nearest")}, "nearest"), (["mirror", ["mirror", "nearest"]],
                                                                         ("mirror", ("mirror", "nearest")))]
    for one, other in forms:
        one, other = (dwell.run(coupled, steps=3, boundary=b, **a) for b in (one, other))
        assert all(np.array_equal(x, y) for x, y in zip(one, other))


def test_fields_stay_and_results_have_names():
    a = random_fields()
    before = {k: v.copy() for k, v in a.items()}
    result = dwell.run(coupled, steps=4, boundary="mirror", **a)
    u, v = result
    assert u is result["u"] and v is result.fields["v"] and len(result) == 2 and result.records == {}
    assert all(np.array_equal(a[k], before[k]) for k in a) and result.report.steps == 4 and repr(result) == repr(result.report)
    with pytest.raises(KeyError, match="expected u, v, found 'w'"):
        result["w"]


def test_a_run_does_not_depend_on_how_it_is_cut():
    a, random = random_fields(), np.random.default_rng(12)
    p, series = random.uniform(0.1, 0.3, 20), random.standard_normal((20, 2))
    cells, heard = [(2, 3), (5, 1)], [(4, 4), (0, 0), (7, 8)]
    wanted, records = as_oracle(a, 20, "nearest", p, sources=[(1, cells, series)], receivers=[(0, heard)])
    runner = dwell.FieldRunner(coupled, p=p, boundary="nearest", sources={"v": (cells, series)}, receivers={"u": heard}, **a)
    found = []
    for steps in (7, 1, 12):
        assert runner.run(steps).steps == steps
        found.append(runner.records["u"])
    assert np.array_equal(runner.field("u"), wanted[0]) and np.array_equal(runner.field("v"), wanted[1])
    assert np.array_equal(np.concatenate(found), records[0])
    with pytest.raises(ValueError, match="p: expected a value for each of 1 steps, found 0"):
        runner.run(1)
    runner.set(p=p, **a)
    runner.set_points({"v": (cells, series)}, {"u": heard})
    seen = []
    assert runner.run(20, every=6, callback=lambda now: seen.append((now.step, now.field("u")))).steps == 20
    assert [s for s, _ in seen] == [6, 12, 18, 20] and np.array_equal(seen[-1][1], wanted[0])
    assert np.array_equal(runner.records["u"], records[0])


def test_one_cell_without_an_axis():
    a, series = random_fields(), np.arange(5.0)
    one = dwell.run(coupled, steps=5, sources={"u": ((2, 3), series)}, receivers={"v": (4, 4), "u": [(2, 3)]}, **a)
    many = dwell.run(coupled, steps=5, sources={"u": ([(2, 3)], series[:, None])}, receivers={"v": [(4, 4)]}, **a)
    assert np.array_equal(one["u"], many["u"]) and one.records["v"].shape == (5,) and one.records["u"].shape == (5, 1)
    assert np.array_equal(one.records["v"], many.records["v"][:, 0])


def test_cells_that_are_there_twice_are_added_in_turn():
    a = random_fields()
    series = np.random.default_rng(13).standard_normal((3, 2))
    found = dwell.run(coupled, steps=3, boundary="nearest", sources={"u": ([(2, 3), (2, 3)], series)}, **a)
    wanted, _ = as_oracle(a, 3, "nearest", sources=[(0, [(2, 3), (2, 3)], series)])
    assert np.array_equal(found["u"], wanted[0])


def test_numbers_and_other_dtypes():
    a = random_fields()
    full = dwell.run(coupled, steps=3, u=a["u"], v=np.full((8, 9), 0.5), c=np.full((8, 9), 2.0))
    assert np.array_equal(dwell.run(coupled, steps=3, u=a["u"], v=0.5, c=2)["u"], full["u"])
    whole = np.arange(72).reshape(8, 9)
    assert np.array_equal(dwell.run(coupled, steps=2, u=whole, v=whole, c=1)["v"],
                          dwell.run(coupled, steps=2, u=whole.astype(float), v=whole.astype(float), c=1)["v"])
    single = random_fields(np.float32)
    found = dwell.run(coupled, steps=3, boundary="nearest", **single)["u"]
    assert found.dtype == np.float32 and np.array_equal(found, as_oracle(single, 3, "nearest")[0][0])
    assert np.array_equal(dwell.run(coupled, steps=3, boundary="nearest", **{k: np.asfortranarray(v) for k, v in single.items()})["u"], found)


@pytest.mark.parametrize("library,make", [("torch", "from_numpy"), ("jax.numpy", "asarray")])
def test_fields_of_other_libraries(library, make):
    make = getattr(pytest.importorskip(library, reason=f"no {library}"), make)
    a = random_fields(np.float32)
    theirs = {k: make(v) for k, v in a.items()}
    result = dwell.run(coupled, steps=3, **theirs)
    wanted = dwell.run(coupled, steps=3, **a)
    assert all(type(found) is type(theirs["u"]) and np.array_equal(np.asarray(found), right) for found, right in zip(result, wanted))
    mixed = dwell.run(coupled, steps=3, u=theirs["u"], v=a["v"], c=a["c"])
    assert type(mixed["u"]) is type(theirs["u"]) and type(mixed["v"]) is np.ndarray


def test_out_and_set():
    a = random_fields()
    runner = dwell.FieldRunner(coupled, boundary="reflect", **a)
    runner.run(5)
    out = np.empty((8, 9))
    assert runner.field("v", out) is out and np.array_equal(out, runner.field("v"))
    runner.set(u=a["u"], v=a["v"], c=3.0, p=0.1)
    runner.run(2)
    assert np.array_equal(runner.field("u"), dwell.run(coupled, steps=2, boundary="reflect", u=a["u"], v=a["v"], c=3.0, p=0.1)["u"])
    assert runner.run(0).steps == 0 and runner.shape == (8, 9) and runner.dtype == np.float64


def test_callbacks_and_progress_end_a_run():
    runner = dwell.FieldRunner(coupled, boundary="reflect", p=0.01, **random_fields())
    outcome = runner.run(10, every=3, callback=lambda now: now.step < 6)
    assert outcome[:2] == (6, "interrupted")
    with pytest.raises(ZeroDivisionError):
        runner.run(4, every=2, callback=lambda now: 1 / 0)
    with pytest.raises(RuntimeError, match="inside it"):
        runner.run(4, every=2, callback=lambda now: runner.run(1))


def test_progress_is_told_and_ends_a_run():
    runner = dwell.FieldRunner(coupled, boundary="reflect", p=0.01, progress_interval=0, **random_fields())
    told = []
    outcome = runner.run(1000, progress=lambda step, seconds: told.append((step, seconds)))
    assert outcome[:2] == (1000, "steps done") and told and all(0 < step <= 1000 and s >= 0 for step, s in told)
    assert sorted(told) == told
    outcome = runner.run(10**8, progress=lambda step, seconds: step < 5)
    assert outcome.stopped == "interrupted" and outcome.steps < 10**8
    pytest.importorskip("tqdm")
    assert runner.run(100, progress=True, every=30, callback=lambda now: None).steps == 100


A = random_fields()
RUNNER = [
    ("expected what dwell.define returns, found function", TypeError, lambda: dwell.FieldRunner(lambda u: u, u=A["u"])),
    ("coupled: expected v, an array or a number, found none", ValueError, lambda: dwell.run(coupled, steps=1, u=A["u"], c=1)),
    ("coupled: expected u, v, c, p, found 'w'", ValueError, lambda: dwell.run(coupled, steps=1, w=1, **A)),
    ("expected an array for u or v or c, found numbers", ValueError, lambda: dwell.run(coupled, steps=1, u=1, v=1, c=1)),
    ("u: expected 2 axes, found 1", ValueError, lambda: dwell.run(coupled, steps=1, u=A["u"][0], v=1, c=1)),
    ("v: expected shape .8, 9., found .8, 8.", ValueError, lambda: dwell.run(coupled, steps=1, u=A["u"], v=A["v"][:, 1:], c=1)),
    ("v: expected float32, found float64", TypeError,
     lambda: dwell.run(coupled, steps=1, u=A["u"].astype("f4"), v=A["v"], c=1)),
    ("u: expected real numbers, found complex128", TypeError, lambda: dwell.run(coupled, steps=1, u=A["u"] * 1j, v=1, c=1)),
    ("c: expected an array of numbers, found objects", TypeError, lambda: dwell.run(coupled, steps=1, u=A["u"], v=1, c=np.array([None]))),
    ("p: expected a number, found 'x'|p: .*found <U1|p: .*real numbers", TypeError, lambda: dwell.run(coupled, steps=1, p="x", **A)),
    ("found function coupled, which dwell.define makes one of$", TypeError, lambda: dwell.run(coupled.function, steps=1, **A)),
    (r"found dwell.stencils.heat: call it, as in dwell.stencils.heat\(\)$", TypeError, lambda: dwell.explain(dwell.stencils.heat, (8, 9))),
    ("definition: expected what dwell.define returns, found int", TypeError, lambda: dwell.FieldRunner(3, **A)),
    ("found 'constant' without its value$", ValueError, lambda: dwell.run(coupled, steps=1, boundary="constant", **A)),
    ("p: expected a number that is finite in float64, found nan$", ValueError, lambda: dwell.run(coupled, steps=1, p=float("nan"), **A)),
    (r"p: expected finite values, found inf at \[1\]", ValueError, lambda: dwell.run(coupled, steps=3, p=[1, np.inf, 2], **A)),
    ("p: expected a number, or a sequence", ValueError, lambda: dwell.run(coupled, steps=1, p=[[1.0]], **A)),
    ("p: expected a value for each of 3 steps, found 2", ValueError, lambda: dwell.run(coupled, steps=3, p=[1, 2], **A)),
    ("steps: expected a whole number, found 1.5", TypeError, lambda: dwell.run(coupled, steps=1.5, **A)),
    ("steps: expected at least 0, found -1", ValueError, lambda: dwell.run(coupled, steps=-1, **A)),
    ("boundary: expected 2 entries, one for each axis, the slowest first, found 1", ValueError,
     lambda: dwell.run(coupled, steps=1, boundary=("fixed",), **A)),
    ("boundary, axis 1: expected a word or a pair", ValueError, lambda: dwell.run(coupled, steps=1, boundary=("fixed", 3), **A)),
    ("boundary of v, axis 0: expected a word or a pair", ValueError,
     lambda: dwell.run(coupled, steps=1, boundary={"u": "fixed", "v": (("a", "b", "c"), "d")}, **A)),
    ("boundary: expected a word, or a tuple .* found float", TypeError, lambda: dwell.run(coupled, steps=1, boundary=0.0, **A)),
    ("boundary: expected every field, u, v, found none of 'v'", ValueError,
     lambda: dwell.run(coupled, steps=1, boundary={"u": "fixed"}, **A)),
    ("boundary: expected u, v as names, found 'w'", ValueError, lambda: dwell.run(coupled, steps=1, boundary={"w": "fixed"}, **A)),
    ("sources: expected a dict by field, found list", TypeError, lambda: dwell.run(coupled, steps=1, sources=[1], **A)),
    ("sources: expected u, v as names, found 'c'", ValueError, lambda: dwell.run(coupled, steps=1, sources={"c": 1}, **A)),
    ("sources of u: expected .cells, series., found int", ValueError, lambda: dwell.run(coupled, steps=1, sources={"u": 1}, **A)),
    ("sources of u: expected a series of shape .steps, 1., found .2, 2.", ValueError,
     lambda: dwell.run(coupled, steps=1, sources={"u": ([(1, 1)], np.ones((2, 2)))}, **A)),
    ("sources of u: expected a value for each of 3 steps, found 2", ValueError,
     lambda: dwell.run(coupled, steps=3, sources={"u": ((2, 2), [1.0, 2.0])}, **A)),
    ("receivers of u: expected cells of a field of shape .8, 9., found .8, 0.", ValueError,
     lambda: dwell.run(coupled, steps=1, receivers={"u": [(1, 1), (8, 0)]}, **A)),
    ("receivers of u: expected cells of a field of shape .8, 9., found .-1, 0.", ValueError,
     lambda: dwell.run(coupled, steps=1, receivers={"u": (-1, 0)}, **A)),
    ("receivers of u: expected cells of shape .n, 2. or .2,.", ValueError, lambda: dwell.run(coupled, steps=1, receivers={"u": (1, 1, 1)}, **A)),
    ("receivers of u: expected cells of whole numbers, found float64", TypeError,
     lambda: dwell.run(coupled, steps=1, receivers={"u": (1.0, 1.0)}, **A)),
    ("every and callback: expected both", ValueError, lambda: dwell.FieldRunner(coupled, **A).run(1, every=1)),
    ("definition: expected what dwell.define returns, found str", TypeError, lambda: dwell.explain("coupled", (8, 9))),
    ("field: expected u, v, found 'c'", ValueError, lambda: dwell.FieldRunner(coupled, **A).field("c")),
    ("expected u, v, c, p, found 'w'", ValueError, lambda: dwell.FieldRunner(coupled, **A).set(w=1)),
    ("out: expected shape", ValueError, lambda: dwell.FieldRunner(coupled, **A).field("u", np.empty(3))),
    ("out: expected an array of float64", TypeError, lambda: dwell.FieldRunner(coupled, **A).field("u", np.empty((8, 9), "f4"))),
    ("kernel: expected a word, found 3", TypeError, lambda: dwell.run(coupled, steps=1, kernel=3, **A)),
    ("threads: expected a whole number", TypeError, lambda: dwell.run(coupled, steps=1, threads="2", **A)),
    ("kernel: expected auto, compiled or interpreted, found 'fast'", ValueError, lambda: dwell.run(coupled, steps=1, kernel="fast", device="cpu", **A)),
    ("executor: expected auto, naive, persistent or temporal, found 'fast'", ValueError, lambda: dwell.run(coupled, steps=1, executor="fast", device="cpu", **A)),
    ("threads", ValueError, lambda: dwell.run(coupled, steps=1, threads=-1, **A)),
    ("boundary: expected fixed, constant:VALUE, reflect, .* found 'open'", ValueError, lambda: dwell.run(coupled, steps=1, boundary="open", **A)),
    ("boundary: expected a number after 'constant:', found 'x'", ValueError, lambda: dwell.run(coupled, steps=1, boundary="constant:x", **A)),
    ("boundary of field 'u' along .*periodic", ValueError, lambda: dwell.run(coupled, steps=1, boundary=(("periodic", "fixed"), "fixed"), **A)),
    ("boundary of field '.' along .*fixed", ValueError, lambda: dwell.run(coupled, steps=1, boundary={"u": "fixed", "v": "nearest"}, **A)),
    ("boundary of field 'u' along .*cells", ValueError, lambda: dwell.run(coupled, steps=1, boundary="mirror", u=np.ones((8, 1)), v=1, c=1)),
    ("depth: executor naive has no passes", ValueError, lambda: dwell.run(coupled, steps=1, executor="naive", depth=2, device="cpu", **A)),
    ("source.*fixed", ValueError, lambda: dwell.run(coupled, steps=1, sources={"u": ((0, 3), [1.0])}, **A)),
    ("expected 2 axes", ValueError, lambda: coupled.explain((8,))),
    ("size: expected a sequence of whole numbers, found 8", TypeError, lambda: coupled.explain(8)),
    ("hoist: expected auto, always or never, found 'yes'", ValueError, lambda: coupled.explain((8, 9), hoist="yes")),
    ("size: expected a whole number", TypeError, lambda: coupled.explain((8, "9"))),
]


@pytest.mark.parametrize("words,error,call", RUNNER, ids=[words for words, _, _ in RUNNER])
def test_refusals(words, error, call):
    with pytest.raises(error, match=words) as caught:
        call()
    assert "\n" not in str(caught.value)


def test_device_is_where_fields_are():
    """The CPU's words are the CPU's; a GPU has the same bits, or says that there is none."""
    u = np.random.default_rng(4).standard_normal((61, 83))
    values = {"u": u, "v": 2 * u, "c": np.full(u.shape, 0.125)}
    here = dwell.run(coupled, steps=7, device="cpu", boundary="reflect", **values)
    assert here.report.backend == "cpu" and "(cpu)" in str(here.report)
    with pytest.raises(ValueError, match="device"):
        dwell.run(coupled, steps=1, device="gpu", **values)
    with pytest.raises(ValueError, match="threads"):
        dwell.run(coupled, steps=1, device="cuda", threads=2, **values)
    if not any(d.backend == "cuda" for d in dwell.devices()):
        with pytest.raises(dwell.DeviceError):
            dwell.run(coupled, steps=1, device="cuda", **values)
        pytest.skip("no GPU")
    for executor in ("naive", "host-loop", "graph", "persistent", "temporal"):
        there = dwell.run(coupled, steps=7, device="cuda", executor=executor, boundary="reflect", **values)
        assert there.report.backend == "cuda"
        for a, b in zip(here, there):
            assert a.tobytes() == b.tobytes()
