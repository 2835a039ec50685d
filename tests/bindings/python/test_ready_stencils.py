# SPDX-License-Identifier: MIT
"""The stencils of dwell.stencils: bit by bit beside the tape run by NumPy, beside formulas written by hand, and beside
solutions on paper."""
import itertools
import warnings

import numpy as np
import pytest
import tape_oracle
from tape_oracle import sides_of, tapped

import dwell
from dwell import stencils

SIZES = {1: (31,), 2: (13, 19), 3: (7, 10, 9)}


def all_of_them():
    """(label, name, options) of every stencil under every option."""
    yield from ((f"heat{d}", "heat", (d,)) for d in (1, 2, 3))
    yield from ((f"wave{d}-{o}", "wave", (d, o)) for d in (1, 2, 3) for o in (2, 4, 8))
    yield "wave2-2-undamped", "wave", (2, 2, False)
    yield from ((f"gray_scott{d}", "gray_scott", (d,)) for d in (1, 2, 3))
    yield from ((f"allen_cahn{d}", "allen_cahn", (d,)) for d in (1, 2, 3))
    yield from ((f"advection-{s}", "advection", (s,)) for s in ("upwind", "lax-wendroff"))
    yield from ((name, name, ()) for name in ("cahn_hilliard", "fdtd", "shallow_water"))


ALL = {label: (name, options) for label, name, options in all_of_them()}


def made(label):
    name, options = ALL[label]
    return getattr(stencils, name)(*options)


def random_arrays(definition, dtype, seed=0, size=None):
    """Fields and coefficients for a few stable steps."""
    random = np.random.default_rng(seed)
    size = size or SIZES[definition.dims]
    of = {"h": (1.0, 1.5), "hu": (-0.1, 0.1), "hv": (-0.1, 0.1), "c2": (0.05, 0.15), "d": (0, 0.3), "k": (0, 1), "cx": (-0.3, 0.3),
          "cy": (-0.3, 0.3), "ca": (0.8, 1), "cb": (0.3, 0.5)}
    return {name: random.uniform(*of.get(name, (-0.9, 0.9)), size).astype(dtype)
            for name in definition.fields + definition.coefficients}


def boundaries(definition):
    """Its own one, every word, and one of several words."""
    kinds = ["fixed", "constant:0.5", "reflect", "mirror", "antisymmetric", "nearest", "periodic"]
    if definition.boundary != "fixed":
        kinds.append(definition.boundary)
    kinds.append((("nearest", "mirror"), "periodic", ("fixed", "reflect"))[:definition.dims])
    return kinds


def test_there_is_a_test_for_each():
    assert {name for name, _ in ALL.values()} == set(stencils.names())
    with pytest.raises(AttributeError, match="expected a stencil, advection, .*found 'heatt'"):
        stencils.heatt


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("label", ALL)
def test_bits_of_the_tape(label, dtype):
    definition = made(label)
    arrays = random_arrays(definition, dtype)
    for boundary in boundaries(definition):
        wanted, _ = tape_oracle.run(definition, [arrays[f] for f in definition.fields], [arrays[c] for c in definition.coefficients],
                                    [definition.defaults[p] for p in definition.parameters], 3, boundary)
        for kernel in ("auto", "interpreted"):  # auto: compiled where there is a compiler
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", dwell.SolveWarning)  # some values are NaN in the oracle, too
                result = dwell.run(definition, steps=3, boundary=boundary, device="cpu", kernel=kernel, **arrays)
            for name, found, right in zip(definition.fields, result, wanted):
                assert found.dtype == dtype and np.array_equal(found, right, equal_nan=True), (kernel, boundary, name)


@pytest.mark.filterwarnings("ignore:values are not finite:dwell.SolveWarning")
@pytest.mark.parametrize("label", ALL)
def test_bits_of_runs_drawn_at_random(label):
    """Sizes, sides, steps, precision, executor, threads, values that are computed once."""
    definition = made(label)
    chance = np.random.default_rng(list(label.encode()))
    most = {1: 70, 2: 70, 3: 16}[definition.dims]
    for case in range(6):
        size = tuple(int(n) for n in chance.integers(definition.radius + 1, most + 1, definition.dims))
        dtype = (np.float64, np.float32)[chance.integers(2)]
        arrays = random_arrays(definition, dtype, case, size)
        if "v" in arrays and definition.name.startswith("wave"):
            arrays["v"] = arrays["u"].copy()  # fixed cells that are equal: passes are possible
        kinds = boundaries(definition)
        boundary, steps = kinds[chance.integers(len(kinds))], int(chance.integers(0, 41))
        options = {"executor": ("auto", "naive", "persistent", "temporal")[chance.integers(4)], "threads": int(chance.integers(1, 4)),
                   "hoist": ("auto", "always")[chance.integers(2)], "kernel": "interpreted", "steps": steps, "boundary": boundary}
        wanted, _ = tape_oracle.run(definition, [arrays[f] for f in definition.fields], [arrays[c] for c in definition.coefficients],
                                    [definition.defaults[p] for p in definition.parameters], steps, boundary)
        try:
            result = dwell.run(definition, **options, **arrays)
        except ValueError as refused:
            assert "executor temporal: the field is too small" in str(refused), (size, options)
            result = dwell.run(definition, **{**options, "executor": "auto"}, **arrays)
        for name, found, right in zip(definition.fields, result, wanted):
            assert found.dtype == dtype and np.array_equal(found, right, equal_nan=True), (size, options, name)


# The schemes once more, written by hand: at(a, *offsets) is a at every cell's neighbour.


def by_hand_heat(at, a, dims, r):
    u, k = a["u"], a["k"]
    out = u.copy()
    for axis in range(dims):
        for to in (-1, 1):
            off = tuple(to if b == axis else 0 for b in range(dims))
            near = at("k", *off)
            face = np.where((k > 0) & (near > 0), 2 / (1 / np.where(k > 0, k, 1) + 1 / np.where(near > 0, near, 1)), 0)
            out = out + r * face * (at("u", *off) - u)
    return {"u": out}


def laplacian(at, name, dims, weights=(-2, 1)):
    total = 0
    for axis in range(dims):
        for distance in range(-len(weights) + 1, len(weights)):
            total = total + weights[abs(distance)] * at(name, *(distance if b == axis else 0 for b in range(dims)))
    return total


FORNBERG = {2: (-2, 1), 4: (-5 / 2, 4 / 3, -1 / 12), 8: (-205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560)}


def by_hand_wave(at, a, dims, order):
    u, v, c2, d = a["u"], a["v"], a["c2"], a.get("d", 0)
    return {"u": (2 * u - v + d * v + c2 * laplacian(at, "u", dims, FORNBERG[order])) / (1 + d), "v": u}


def by_hand_gray_scott(at, a, dims):
    u, v = a["u"], a["v"]
    return {"u": u + 0.16 * laplacian(at, "u", dims) - u * v**2 + 0.035 * (1 - u),
            "v": v + 0.08 * laplacian(at, "v", dims) + u * v**2 - (0.065 + 0.035) * v}


def by_hand_allen_cahn(at, a, dims):
    return {"p": a["p"] + 0.05 * (2.0 * laplacian(at, "p", dims) + a["p"] - a["p"]**3)}


def by_hand_upwind(at, a):
    u, cx, cy = a["u"], a["cx"], a["cy"]
    out = u - np.where(cx > 0, cx * (u - at("u", 0, -1)), cx * (at("u", 0, 1) - u))
    return {"u": out - np.where(cy > 0, cy * (u - at("u", -1, 0)), cy * (at("u", 1, 0) - u))}


def by_hand_lax_wendroff(at, a):
    u, cx, cy = a["u"], a["cx"], a["cy"]
    dx, dy = (at("u", 0, 1) - at("u", 0, -1)) / 2, (at("u", 1, 0) - at("u", -1, 0)) / 2
    xx, yy = at("u", 0, 1) - 2 * u + at("u", 0, -1), at("u", 1, 0) - 2 * u + at("u", -1, 0)
    xy = (at("u", 1, 1) - at("u", 1, -1) - at("u", -1, 1) + at("u", -1, -1)) / 4
    return {"u": u - cx * dx - cy * dy + (cx**2 * xx + cy**2 * yy) / 2 + cx * cy * xy}


def by_hand_cahn_hilliard(at, a):
    def lap(off):
        y, x = off
        return at("c", y - 1, x) + at("c", y + 1, x) + at("c", y, x - 1) + at("c", y, x + 1) - 4 * at("c", y, x)

    def mu(off):
        return at("c", *off)**3 - at("c", *off) - 0.5 * lap(off)

    return {"c": a["c"] + 0.02 * (mu((-1, 0)) + mu((1, 0)) + mu((0, -1)) + mu((0, 1)) - 4 * mu((0, 0)))}


def by_hand_fdtd_h(at, a):
    return {"hx": a["hx"] - 0.5 * (at("ez", 1, 0) - a["ez"]), "hy": a["hy"] + 0.5 * (at("ez", 0, 1) - a["ez"])}


def by_hand_fdtd_e(at, a):
    return {"ez": a["ca"] * a["ez"] + a["cb"] * (a["hy"] - at("hy", 0, -1) - a["hx"] + at("hx", -1, 0))}


def by_hand_shallow_water(at, a):
    def flux(axis, off):
        """The flow of (h, hu, hv) over the far face of the cell at `off`."""
        to = (off[0] + (axis == 0), off[1] + (axis == 1))
        sides = [np.array([at(n, *o) for n in ("h", "hu", "hv")]) for o in (off, to)]
        flows, speeds = [], []
        for s in sides:
            velocity = s[1 if axis == 1 else 2] / s[0]
            f = s * velocity
            f[1 if axis == 1 else 2] += 9.81 * s[0]**2 / 2
            flows.append(f)
            speeds.append(np.abs(velocity) + np.sqrt(9.81 * s[0]))
        return (flows[0] + flows[1]) / 2 - np.maximum(*speeds) / 2 * (sides[1] - sides[0])

    state = np.array([a["h"], a["hu"], a["hv"]])
    new = state - 0.1 * (flux(1, (0, 0)) - flux(1, (0, -1)) + flux(0, (0, 0)) - flux(0, (-1, 0)))
    return dict(zip(("h", "hu", "hv"), new))


def by_hand(label):
    """The stages of a stencil."""
    name, _, option = label.partition("-")
    dims = int(name[-1]) if name[-1].isdigit() else 2
    name = name.rstrip("123")
    if name == "heat":
        return [lambda at, a: by_hand_heat(at, a, dims, 0.1)]
    if name == "wave":
        return [lambda at, a: by_hand_wave(at, a, dims, int(option.partition("-")[0]))]
    if name in ("gray_scott", "allen_cahn"):
        function = by_hand_gray_scott if name == "gray_scott" else by_hand_allen_cahn
        return [lambda at, a: function(at, a, dims)]
    if name == "advection":
        return [by_hand_upwind if option == "upwind" else by_hand_lax_wendroff]
    return {"cahn_hilliard": [by_hand_cahn_hilliard], "shallow_water": [by_hand_shallow_water],
            "fdtd": [by_hand_fdtd_h, by_hand_fdtd_e]}[name]


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("boundary", ["own", "periodic"])
@pytest.mark.parametrize("label", ALL)
def test_beside_formulas_by_hand(label, boundary, dtype):
    definition = made(label)
    boundary = boundary if boundary != "own" else "nearest" if definition.boundary == "fixed" else definition.boundary
    arrays = random_arrays(definition, dtype, 1)
    found = dwell.run(definition, steps=4, boundary=boundary, **arrays)
    of = boundary if isinstance(boundary, dict) else {f: boundary for f in definition.fields}
    sides = {f: sides_of(of[f], definition.dims) for f in definition.fields}
    sides.update({c: sides_of("periodic" if boundary == "periodic" else "nearest", definition.dims) for c in definition.coefficients})
    now = {name: a.astype(np.float64) for name, a in arrays.items()}
    for _, stage in itertools.product(range(4), by_hand(label)):
        now.update(stage(lambda name, *off: tapped(now[name], off, sides[name]), now))
    for name in definition.fields:
        assert np.abs(found[name] - now[name]).max() <= 400 * np.finfo(dtype).eps, name


def mode(size, waves, phase=0.3):
    """cos(k.x) of so many waves along each axis, and minus its second difference of each axis over it."""
    k = [2 * np.pi * w / n for w, n in zip(waves, size)]
    x = np.meshgrid(*map(np.arange, size), indexing="ij")
    return np.cos(sum(a * b for a, b in zip(k, x)) + phase), k


def symbol(k, order=2):
    """Minus the sum of second differences, of the mode k."""
    return -sum(w[0] + 2 * sum(a * np.cos(j * q) for j, a in enumerate(w[1:], 1)) for q in k for w in (FORNBERG[order],))


def test_options_are_checked():
    for call, words in ((lambda: stencils.wave(dims=4), "dims: expected 1, 2 or 3, found 4"),
                        (lambda: stencils.wave(order=6), "order: expected 2, 4 or 8, found 6"),
                        (lambda: stencils.advection("leapfrog"), "scheme: expected upwind or lax-wendroff, found 'leapfrog'")):
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(TypeError, match="damped: expected True or False, found 1"):
        stencils.wave(2, 4, 1)
    assert stencils.heat(2) is stencils.heat(2)


@pytest.mark.parametrize("dims", [1, 2, 3])
def test_heat_of_a_mode_decays(dims):
    u, k = mode(SIZES[dims], (2, 3, 1))
    found = dwell.run(stencils.heat(dims), u=u, k=0.7, r=0.15, steps=40, boundary="periodic")["u"]
    assert np.allclose(found, u * (1 - 0.15 * 0.7 * symbol(k))**40, rtol=0, atol=1e-13)


def test_heat_kernel():
    y, x = np.mgrid[:81, :91] - np.array([40, 45])[:, None, None]
    r, steps, variance = 0.2, 100, 16.0
    u = np.exp(-(x**2 + y**2) / (2 * variance)) / variance
    after = variance + 2 * r * steps
    found = dwell.run(stencils.heat(), u=u, k=1.0, r=r, steps=steps, boundary="constant:0")["u"]
    assert np.abs(found - np.exp(-(x**2 + y**2) / (2 * after)) / after).max() <= 0.01 * found.max()


def test_heat_through_layers_is_steady():
    k = np.repeat([[1.0, 0.1, 0.5]], 9, axis=0).repeat(7, axis=1)
    resistance = (1 / k[:, :-1] + 1 / k[:, 1:]) / 2
    u = np.concatenate((np.zeros((9, 1)), resistance.cumsum(axis=1)), axis=1)
    found = dwell.run(stencils.heat(), u=u, k=k, steps=200, boundary=("reflect", "fixed"))["u"]
    assert np.abs(found - u).max() <= 1e-12 * u.max()


def test_insulating_cells_lose_nothing():
    u, k = np.zeros((11, 12)), np.ones((11, 12))
    k[3:8, 3:8] = 0
    k[4:7, 4:7] = 1
    u[4:7, 4:7] = np.arange(9).reshape(3, 3)
    found = dwell.run(stencils.heat(), u=u, k=k, steps=300, boundary="reflect")["u"]
    assert abs(found[4:7, 4:7].sum() - 36) < 1e-12 and np.isfinite(found).all() and found[:3].max() == 0


@pytest.mark.parametrize("dims,order", [(d, o) for d in (1, 2, 3) for o in (2, 4, 8)])
def test_a_plane_wave_travels_and_is_damped(dims, order):
    size = {1: (64,), 2: (32, 24), 3: (12, 16, 10)}[dims]
    u, k = mode(size, (2, 1, 1))
    c2, d, steps = 0.6 / dims * 0.9, 0.01, 50
    root = np.roots([1 + d, -(2 - c2 * symbol(k, order)), 1 - d])[0]
    phase = np.exp(1j * (sum(a * b for a, b in zip(k, np.meshgrid(*map(np.arange, size), indexing="ij"))) + 0.3))
    before = (phase / root).real
    found = dwell.run(stencils.wave(dims, order), u=u, v=before, c2=c2, d=d, steps=steps, boundary="periodic")
    assert np.allclose(found["u"], (phase * root**steps).real, atol=1e-11)
    assert np.allclose(found["v"], (phase * root**(steps - 1)).real, atol=1e-11)


def test_higher_orders_follow_the_equation_better():
    size, errors = (48,), []
    u, k = mode(size, (4,))
    steps, c2 = 200, 0.01
    for order in (2, 4, 8):
        w = k[0] * np.sqrt(c2)
        x = np.arange(48) * k[0] + 0.3
        found = dwell.run(stencils.wave(1, order), u=np.cos(x), v=np.cos(x + w), c2=c2, steps=steps, boundary="periodic")["u"]
        errors.append(np.abs(found - np.cos(x - w * steps)).max())
    assert errors[0] > 5 * errors[1] > 5 * errors[2]


@pytest.mark.parametrize("dims,order", [(d, o) for d in (1, 2, 3) for o in (2, 4, 8)])
def test_errors_in_space_have_their_order(dims, order):
    errors = []
    for cells in (12, 24):  # a wave that goes across all axes
        u, k = mode((cells,) * dims, (1,) * dims)
        after = dwell.run(stencils.wave(dims, order), u=u, v=u, c2=1.0, steps=1, boundary="periodic")["u"]
        laplacian_of_u = after - u
        errors.append(np.abs(laplacian_of_u / sum(q * q for q in k) + u).max())
    assert abs(np.log2(errors[0] / errors[1]) - order) < 0.3


def energy(ez, hx, hy, before, cb, ch):
    """What Yee's scheme keeps: E at a step, and H half a step before and after it."""
    return (ez**2).sum() / cb + (hx * before[0] + hy * before[1]).sum() / ch


def test_fdtd_keeps_its_energy_between_conductors():
    random = np.random.default_rng(2)
    ez = random.standard_normal((21, 17))
    ez[0] = ez[:, 0] = 0
    runner = dwell.FieldRunner(stencils.fdtd(), ez=ez, hx=0, hy=0, cb=0.6, ch=0.7)
    energies = []
    for _ in range(300):
        ez, before = runner.field("ez"), (runner.field("hx"), runner.field("hy"))
        runner.run(1)
        energies.append(energy(ez, runner.field("hx"), runner.field("hy"), before, 0.6, 0.7))
    assert np.ptp(energies) <= 1e-12 * energies[0]
    ez = runner.field("ez")
    assert np.abs(ez[0]).max() == 0 and np.abs(ez[:, 0]).max() == 0


def test_fdtd_resonates_as_a_box_does():
    ny, nx, c = 20, 30, 0.5
    y, x = np.mgrid[:ny, :nx]
    ez = np.sin(np.pi * 2 * y / ny) * np.sin(np.pi * 3 * x / nx)
    w = 2 * np.arcsin(c * np.hypot(np.sin(np.pi * 2 / (2 * ny)), np.sin(np.pi * 3 / (2 * nx))))
    # H half a step before E, of a standing wave whose E is largest now
    hx = dwell.run(stencils.fdtd(), ez=ez, hx=0, hy=0, cb=c, ch=c, steps=1)
    found = dwell.run(stencils.fdtd(), ez=ez, hx=-hx["hx"] / 2, hy=-hx["hy"] / 2, cb=c, ch=c, steps=100)["ez"]
    assert np.allclose(found, ez * np.cos(w * 100), atol=1e-11)


def test_gray_scott_without_v_is_diffusion():
    u, k = mode((12, 16), (2, 3))
    found = dwell.run(stencils.gray_scott(), u=1 + 0.1 * u, v=0, steps=60, boundary="periodic")
    assert np.allclose(found["u"], 1 + 0.1 * u * (1 - 0.16 * symbol(k) - 0.035)**60, atol=1e-13) and not found["v"].any()


@pytest.mark.parametrize("scheme", ["upwind", "lax-wendroff"])
def test_advection_of_a_mode(scheme):
    size, (cy, cx), steps = (32, 48), (0.2, 0.3), 40
    _, (ky, kx) = mode(size, (1, 2))
    y, x = np.mgrid[:32, :48]
    wave = np.exp(1j * (ky * y + kx * x))
    if scheme == "upwind":
        g = 1 - cx * (1 - np.exp(-1j * kx)) - cy * (1 - np.exp(-1j * ky))
    else:
        g = (1 - 1j * (cx * np.sin(kx) + cy * np.sin(ky)) - cx**2 * (1 - np.cos(kx)) - cy**2 * (1 - np.cos(ky))
             - cx * cy * np.sin(kx) * np.sin(ky))
    found = dwell.run(stencils.advection(scheme), u=wave.real, cx=cx, cy=cy, steps=steps, boundary="periodic")["u"]
    assert np.allclose(found, (wave * g**steps).real, atol=1e-13)
    exact = np.exp(1j * (ky * (y - cy * steps) + kx * (x - cx * steps))).real
    assert np.abs(found - exact).max() < (0.5 if scheme == "upwind" else 0.06)


def test_upwind_by_whole_cells_is_exact():
    u = np.random.default_rng(3).standard_normal((9, 11))
    for (cx, cy), (axis, by) in {(1.0, 0.0): (1, 6), (-1.0, 0.0): (1, -6), (0.0, 1.0): (0, 6), (0.0, -1.0): (0, -6)}.items():
        found = dwell.run(stencils.advection(), u=u, cx=cx, cy=cy, steps=6, boundary="periodic")["u"]
        assert np.allclose(found, np.roll(u, by, axis), atol=1e-14)


def test_shallow_water_keeps_its_volume_and_rests():
    random = np.random.default_rng(4)
    h = random.uniform(1, 2, (17, 23))
    found = dwell.run(stencils.shallow_water(), h=h, hu=0, hv=0, r=0.05, steps=200)
    assert abs(found["h"].sum() - h.sum()) <= 1e-12 * h.sum() and np.abs(found["hu"]).max() > 1e-6
    still = dwell.run(stencils.shallow_water(), h=1.5 + 0 * h, hu=0, hv=0, steps=50)
    assert np.ptp(still["h"]) == 0 and not still["hu"].any()


def test_a_dam_breaks_as_stoker_says():
    """Stoker 1957: a rarefaction, a plateau and a bore."""
    n, g, left, right = 800, 9.81, 2.0, 1.0
    x = np.arange(n) - n / 2 + 0.5
    h = np.broadcast_to(np.where(x < 0, left, right), (3, n)).copy()
    r, steps = 0.05, 600
    t = r * steps
    found = dwell.run(stencils.shallow_water(), h=h, hu=0, hv=0, r=r, steps=steps)["h"][1]
    lower, upper = right, left
    for _ in range(200):  # the plateau's depth by bisection
        middle = (lower + upper) / 2
        speed = 2 * (np.sqrt(g * left) - np.sqrt(g * middle))
        behind = (middle - right) * np.sqrt(g * (middle + right) / (2 * middle * right))
        lower, upper = (middle, upper) if speed > behind else (lower, middle)
    bore = middle * speed / (middle - right)
    fan = (2 * np.sqrt(g * left) - x / t)**2 / (9 * g)
    exact = np.where(x < -np.sqrt(g * left) * t, left, np.where(x < (speed - np.sqrt(g * middle)) * t, fan,
                                                               np.where(x < bore * t, middle, right)))
    assert np.abs(found - exact).mean() < 0.01 and abs(found[n // 2 + 20] - middle) < 0.01


def test_a_mixture_separates_at_the_rate_of_its_modes():
    c, k = mode((32, 36), (3, 2))
    s = symbol(k)
    found = dwell.run(stencils.cahn_hilliard(), c=1e-6 * c, steps=300, boundary="periodic")["c"]
    assert np.allclose(found, 1e-6 * c * (1 + 0.02 * s * (1 - 0.5 * s))**300, rtol=1e-6, atol=1e-11)
    c = np.random.default_rng(5).uniform(-0.1, 0.1, (21, 25))
    for boundary in ("periodic", "reflect"):
        found = dwell.run(stencils.cahn_hilliard(), c=c, dt=0.03, steps=3000, boundary=boundary)["c"]
        assert abs(found.sum() - c.sum()) < 1e-10 and 0.8 < np.abs(found).max() < 1.1


def test_phases_have_a_border_that_moves_by_its_curvature():
    x = np.arange(60) - 29.5
    p = dwell.run(stencils.allen_cahn(1), p=np.sign(x), steps=2000, boundary="nearest")["p"]
    assert np.abs(p - np.tanh(x / 2)).max() < 0.02  # sqrt(2 kappa) = 2
    y, x = np.mgrid[:96, :96] - 47.5
    disk = np.tanh((30 - np.hypot(x, y)) / 2)
    runner = dwell.FieldRunner(stencils.allen_cahn(), p=disk, boundary="nearest")
    areas = []
    for _ in range(2):
        runner.run(2000)  # t = 100
        areas.append((runner.field("p") > 0).sum() / np.pi)
    assert abs((areas[0] - areas[1]) / 100 - 2 * 2) < 0.4


LIMITS = {  # what a run at so much of the limit is given; and at how much it grows, where the limit is sharp
    **{f"heat{d}": (lambda f, d=d: {"k": 1.0, "r": f / (2 * d)}, 1.06) for d in (1, 2, 3)},
    **{f"wave{d}-{o}": (lambda f, d=d, m=m: {"c2": f * m / d}, 1.06)
       for d in (1, 2, 3) for o, m in ((2, 1), (4, 0.75), (8, 0.615))},
    **{f"gray_scott{d}": (lambda f, d=d: {"du": f / (2 * d), "dv": f / (2 * d), "feed": 0.0, "kill": 0.0}, 1.06) for d in (1, 2, 3)},
    **{f"allen_cahn{d}": (lambda f, d=d: {"kappa": 2.0, "dt": f * 2 / (4 * d * 2 + 2)}, None) for d in (1, 2, 3)},
    "wave2-2-undamped": (lambda f: {"c2": f / 2}, 1.06),
    "advection-upwind": (lambda f: {"cx": f * 0.5, "cy": f * 0.5}, 1.06),
    "advection-lax-wendroff": (lambda f: {"cx": f**1.5 / 8**0.5, "cy": f**1.5 / 8**0.5}, 1.3),
    "cahn_hilliard": (lambda f: {"kappa": 0.5, "dt": f / (8 * 3)}, None),
    "fdtd": (lambda f: {"ch": f * 0.5 / 0.8, "cb": 0.8}, 1.06),
    "shallow_water": (lambda f: {"r": f * 0.5 / (9.81 * 1.1)**0.5}, None),
}


@pytest.mark.parametrize("label", ALL)
def test_the_limit_of_stability_is_what_the_docstring_says(label):
    definition = made(label)
    given, too_much = LIMITS[label]
    random = np.random.default_rng(6)
    size = {1: (32,), 2: (16, 16), 3: (8, 8, 8)}[definition.dims]  # even: the fastest mode fits

    def grown(fraction):
        starts = {f: random.uniform(-0.5, 0.5, size) for f in definition.fields}
        if label == "shallow_water":
            starts = {"h": random.uniform(0.9, 1.1, size), "hu": 0.0, "hv": 0.0}
        if label.startswith("gray_scott"):
            starts["v"] = 0.0
        with np.errstate(all="ignore"):
            out = dwell.run(definition, steps=600, boundary="periodic", **starts, **given(fraction))
        return max(np.abs(a).max() for a in out)

    # A wave's mean may grow with the steps, since its speed is not 0; nothing else grows.
    assert grown(0.98) < (1200 if label.startswith("wave") else 30)
    if too_much:
        assert not grown(too_much) < 1e4
