# SPDX-License-Identifier: MIT
"""Steps that are linear in their fields as matrices: beside a step of every unit field, and what is refused."""
import numpy as np
import pytest

import dwell

WORDS = ["fixed", "constant:-0.75", "constant:0", "reflect", "mirror", "antisymmetric", "nearest", "periodic"]


def linear_definition(random, dims, fields, stages):
    """A definition of random taps with random weights, some of them coefficients, of one stage or two."""
    names = ["u", "v"][:fields]

    def offset():
        return tuple(int(n) for n in random.integers(-2, 3, dims))

    def terms():
        return [(str(random.choice(names)), offset(), offset(), float(random.uniform(-2, 2)), bool(random.random() < 0.5))
                for _ in range(random.integers(1, 6))]

    plans = [[terms() for _ in names] for _ in range(stages)]
    added = float(random.choice([0, 0.5]))

    def value(plan, at, c, p):
        total = added
        for name, where, there, weight, with_c in plan:
            tap = at[name][where if dims > 1 else where[0]]
            total = total + (c[there if dims > 1 else there[0]] * tap if with_c else (weight + p) * tap)
        return total

    def one(u, c, p=0.25):
        for plan in plans:
            yield {"u": value(plan[0], {"u": u}, c, p)}

    def two(u, v, c, p=0.25):
        for plan in plans:
            yield {"u": value(plan[0], {"u": u, "v": v}, c, p), "v": value(plan[1], {"u": u, "v": v}, c, p)}

    return dwell.define(one if fields == 1 else two, fields=names, coefficients="c", parameters="p", dims=dims, name="drawn")


def dense_of(definition, shape, dtype, **rest):
    """A matrix by a step of every unit field."""
    fields, cells = definition.fields, int(np.prod(shape))

    def step(at=None):
        start = np.zeros((len(fields), cells), dtype)
        if at is not None:
            start.ravel()[at] = 1
        result = dwell.run(definition, **{name: one.reshape(shape) for name, one in zip(fields, start)}, steps=1, device="cpu",
                           kernel="interpreted", threads=1, **rest)
        return np.concatenate([result[name].ravel() for name in fields])

    constant = step()
    rest["boundary"] = tuple(tuple("constant:0" if word.startswith("constant") else word for word in pair) for pair in rest["boundary"])
    of_zeros = step()
    return np.stack([step(k) - of_zeros for k in range(len(fields) * cells)], axis=1), constant


@pytest.mark.parametrize("seed", range(40))
def test_elements_are_those_of_unit_fields(seed):
    random = np.random.default_rng(seed)
    dims = int(random.integers(1, 4))
    shape = tuple(int(n) for n in random.integers(1, {1: 40, 2: 11, 3: 6}[dims], dims))
    definition = linear_definition(random, dims, int(random.integers(1, 3)), int(random.integers(1, 3)))
    dtype = ["float64", "float32"][seed % 2]

    def axis():
        low, high = random.choice(WORDS, 2)
        return ("periodic", "periodic") if "periodic" in (low, high) else (str(low), str(high))

    sides = tuple(axis() for _ in range(dims))
    c = random.uniform(-1, 1, shape).astype(dtype)
    try:
        wanted, constant = dense_of(definition, shape, dtype, c=c, p=0.5, boundary=sides)
    except ValueError:  # a border that so few cells or these fields cannot have
        with pytest.raises(ValueError):
            dwell.step_matrix(definition, shape, dtype=dtype, c=c, p=0.5, boundary=sides)
        return
    found = dwell.step_matrix(definition, shape, dtype=dtype, c=c, p=0.5, boundary=sides)
    assert found.matrix.dtype == dtype and found.matrix.has_sorted_indices
    assert found.matrix.nnz == np.count_nonzero(found.matrix.toarray())
    np.testing.assert_array_equal(found.constant, constant)
    np.testing.assert_array_equal(found.matrix.toarray(), wanted)


@pytest.mark.parametrize("n", range(1, 30))
def test_rings_of_every_length(n):
    @dwell.define(fields="u", coefficients="c")
    def shifted(u, c):
        return c * u[-2] + 3 * u[2] - u + 7 * u[1]

    c = 1 + np.arange(float(n))
    wanted = np.zeros((n, n))
    for i in range(n):
        for off, w in ((-2, c[i]), (2, 3), (0, -1), (1, 7)):
            wanted[i, (i + off) % n] += w
    try:
        found = dwell.step_matrix(shifted, (n,), c=c, boundary="periodic").matrix
    except ValueError:
        assert n < 3
        return
    np.testing.assert_array_equal(found.toarray(), wanted)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("beyond", [293.15, 1e5, 1e12, 1e17])
def test_elements_do_not_depend_on_values_beyond_the_border(beyond, dtype):
    @dwell.define(fields="u", coefficients="k")
    def heat(u, k):
        return u + 0.1 * k * (u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1] - 4 * u)

    k = np.random.default_rng(5).uniform(0.1, 1, (7, 9)).astype(dtype)
    wanted = dwell.step_matrix(heat, k.shape, dtype=dtype, k=k, boundary="constant:0")
    found = dwell.step_matrix(heat, k.shape, dtype=dtype, k=k, boundary=("nearest", ("constant:0", f"constant:{beyond}")))
    inside = np.flatnonzero(found.constant == 0)
    assert 0 < inside.size < k.size
    np.testing.assert_array_equal(found.constant.reshape(k.shape)[:, :-1], 0)
    np.testing.assert_allclose(found.constant.reshape(k.shape)[:, -1], 0.1 * k[:, -1] * beyond, rtol=1e-5)
    low_and_high = dwell.step_matrix(heat, k.shape, dtype=dtype, k=k, boundary=f"constant:{beyond}").matrix
    np.testing.assert_array_equal(low_and_high.toarray(), wanted.matrix.toarray())


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("short", [1e-3, 1e-5, 1e-6])
def test_elements_that_are_differences_of_larger_numbers(short, dtype):
    """The middle one, 1 - 2 r, beside the limit of stability: rounding takes its digits from a step, which is linear all the same."""
    @dwell.define(fields="u", parameters="r")
    def heat(u, r):
        return u + r * (u[-1] - 2 * u + u[1])

    found = dwell.step_matrix(heat, (200,), dtype=dtype, r=0.5 - short, boundary="constant:0").matrix
    np.testing.assert_allclose(found.diagonal(), 2 * short, atol=3e-7)


@pytest.mark.parametrize("k", [1e38, 1e35, 1e-36, 1e-44])
def test_elements_near_the_limits_of_a_type(k):
    difference = dwell.define(lambda u, k: k * (u[1] - u), fields="u", coefficients="k", dims=1, name="difference")
    found = dwell.step_matrix(difference, (5,), dtype="float32", k=k, boundary="constant:0").matrix
    np.testing.assert_array_equal(found.toarray(), np.float32(k) * (np.eye(5, k=1, dtype="float32") - np.eye(5, dtype="float32")))
    with pytest.raises(ValueError, match="quotient: expected a step of finite numbers, found nan"):
        dwell.step_matrix(dwell.define(lambda u, k: u / k, fields="u", coefficients="k", dims=1, name="quotient"), (5,), k=0.0)


def test_an_implicit_step_is_a_solve():
    """Backward Euler of what explicit steps do: (2 I - M) new = old + constant."""
    random = np.random.default_rng(3)
    k = random.uniform(0.5, 2, (30, 41))
    heat = dwell.stencils.heat()
    M, constant = dwell.step_matrix(heat, k.shape, k=k, r=0.1, boundary="constant:1")
    old = random.uniform(0, 1, k.shape)
    explicit = dwell.run(heat, u=old, k=k, r=0.1, steps=1, boundary="constant:1", device="cpu")["u"]
    np.testing.assert_allclose(M @ old.ravel() + constant, explicit.ravel(), rtol=1e-13)
    eye = np.ones(k.size)
    A = (2 * eye_matrix(eye) - M).tocsr()
    assert abs(A - A.T).max() < 1e-13
    new = dwell.Solver(A, preconditioner="amg", device="cpu", rtol=1e-12).solve(old.ravel() + constant)
    # A step back from the new values: old = new - (M new + constant - new).
    np.testing.assert_allclose(2 * new - (M @ new + constant), old.ravel(), atol=1e-10)


def eye_matrix(diagonal):
    import scipy.sparse

    return scipy.sparse.dia_array((diagonal[None], [0]), shape=(diagonal.size, diagonal.size)).tocsr()


@pytest.mark.parametrize("expression", [
    lambda u, c: u * u, lambda u, c: u[1] * u[-1], lambda u, c: dwell.abs(u), lambda u, c: dwell.minimum(u, 5.0), lambda u, c: 1 / (u + 3),
    lambda u, c: u + 1e-6 * u * u, lambda u, c: dwell.where(u > 0, u, 2 * u), lambda u, c: dwell.exp(u), lambda u, c: c + u ** 3])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_steps_that_are_not_linear_are_refused(expression, dtype):
    definition = dwell.define(lambda u, c: expression(u, c), fields="u", coefficients="c", dims=1, name="curved")
    with pytest.raises(ValueError, match="curved: expected a step that is linear in u, found one that is not"):
        dwell.step_matrix(definition, (50,), c=0.5, dtype=dtype, boundary="nearest")


def test_what_cannot_be_is_said():
    @dwell.define(fields="u", coefficients="k", parameters="r")
    def heat(u, k, r):
        return u + r * k * (u[-1] - 2 * u + u[1])

    with pytest.raises(TypeError, match="definition: expected what dwell.define returns"):
        dwell.step_matrix(3, (4,))
    with pytest.raises(ValueError, match=r"shape: expected 1 whole numbers of at least 1, found \(4, 5\)"):
        dwell.step_matrix(heat, (4, 5), k=1.0, r=0.1)
    with pytest.raises(ValueError, match="shape"):
        dwell.step_matrix(heat, (0,), k=1.0, r=0.1)
    with pytest.raises(TypeError, match="shape: expected a sequence"):
        dwell.step_matrix(heat, 4, k=1.0, r=0.1)
    with pytest.raises(ValueError, match="expected coefficients and parameters, found field 'u'"):
        dwell.step_matrix(heat, (4,), u=np.ones(4), k=1.0, r=0.1)
    for name in ("sources", "receivers", "executor", "device", "kk"):  # also those that a FieldRunner has
        with pytest.raises(ValueError, match=f"heat: expected coefficients and parameters, found '{name}'"):
            dwell.step_matrix(heat, (4,), k=1.0, r=0.1, **{name: "cpu"})
    with pytest.raises(ValueError, match="expected r, a number"):
        dwell.step_matrix(heat, (4,), k=1.0)
    with pytest.raises(ValueError, match="k: expected shape"):
        dwell.step_matrix(heat, (4,), k=np.ones(5), r=0.1)
    first = dwell.step_matrix(heat, (9,), k=1.0, r=[0.1, 0.7, 0.9])
    assert abs(first.matrix - dwell.step_matrix(heat, (9,), k=1.0, r=0.1).matrix).max() == 0
