# SPDX-License-Identifier: MIT
"""Reductions beside NumPy's and math's."""
import math

import numpy as np
import pytest

import dwell

RANDOM = np.random.default_rng(7)
NUMPYS = {
    "sum": lambda v: math.fsum(v),
    "min": np.min,
    "max": np.max,
    "norm1": lambda v: math.fsum(np.abs(v)),
    "norm2": lambda v: math.sqrt(math.fsum(v * v)),
    "norm-max": lambda v: np.max(np.abs(v)),
}


@pytest.mark.parametrize("operation", NUMPYS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n", [1, 3, 1000, 1025, 300_000])
def test_as_numpy(operation, dtype, n):
    v = RANDOM.standard_normal(n).astype(dtype)
    found = dwell.reduce(v, operation, device="cpu")
    assert type(found) is float
    assert found == pytest.approx(NUMPYS[operation](v.astype(np.float64)), rel=1e-13, abs=1e-11)


def test_bits_do_not_depend_on_threads():
    v = RANDOM.standard_normal(3_000_000) * 10.0 ** RANDOM.integers(-9, 9, 3_000_000)
    assert len({dwell.reduce(v, device="cpu", threads=t).hex() for t in (1, 2, 3, 2, 1)}) == 1
    assert len({dwell.dot(v, v[::-1], device="cpu", threads=t).hex() for t in (1, 2, 3)}) == 1


def test_dot():
    x, y = RANDOM.standard_normal((2, 40, 50))
    assert dwell.dot(x, y) == pytest.approx(math.fsum((x * y).ravel()), rel=1e-12)
    assert dwell.dot(x.T, y.T) == pytest.approx(math.fsum((x * y).ravel()), rel=1e-12)
    half = x.astype(np.float32)
    assert dwell.dot(half, y) == pytest.approx(math.fsum((half.astype(np.float64) * y).ravel()), rel=1e-12)
    assert dwell.dot([1, 2], [3, 4]) == 11.0


def test_any_array_of_numbers():
    assert dwell.reduce([3, 1, 4]) == 8.0
    assert dwell.reduce(np.array([True, False, True])) == 2.0
    assert dwell.reduce(np.arange(20).reshape(4, 5)[::2, 1::2], "max") == 13.0
    assert dwell.reduce(np.array(5.0)) == 5.0
    assert dwell.reduce(np.array([1e300, 1e300]), "norm2") == pytest.approx(math.sqrt(2) * 1e300)
    assert math.isnan(dwell.reduce(np.array([1.0, np.nan, 2.0]), "min"))


def test_of_nothing():
    for operation in ("sum", "norm1", "norm2", "norm-max"):
        assert dwell.reduce(np.zeros(0), operation) == 0.0
    for operation in ("min", "max"):
        with pytest.raises(ValueError, match=f"{operation}: expected at least one element, found none"):
            dwell.reduce(np.zeros(0), operation)


def test_refusals():
    with pytest.raises(ValueError, match="reduction: expected one of sum, min, max, .* found 'mean'"):
        dwell.reduce(np.zeros(3), "mean")
    with pytest.raises(TypeError, match="values: expected real numbers, found complex128"):
        dwell.reduce(np.zeros(3, complex))
    with pytest.raises(ValueError, match=r"y: expected shape \(3,\) as x has, found \(4,\)"):
        dwell.dot(np.zeros(3), np.zeros(4))


def test_other_libraries():
    torch = pytest.importorskip("torch", reason="no PyTorch")
    v = torch.arange(6, dtype=torch.float64).reshape(2, 3)
    assert dwell.reduce(v) == 15.0
    assert dwell.dot(v, v) == 55.0


@pytest.mark.gpu
def test_arrays_of_a_gpu():
    cupy = pytest.importorskip("cupy", reason="no CuPy")
    v = RANDOM.standard_normal((300, 1000))
    for dtype in (np.float64, np.float32):
        here, there = v.astype(dtype), cupy.asarray(v, dtype)
        for operation in NUMPYS:
            assert dwell.reduce(there, operation) == dwell.reduce(here, operation, device="cpu")
        assert dwell.dot(there, there) == dwell.dot(here, here, device="cpu")
        with cupy.cuda.Stream(non_blocking=True):
            twice = there * 2
            assert dwell.reduce(twice, "max") == 2 * dwell.reduce(here, "max", device="cpu")
    with pytest.raises(ValueError, match="values: expected a contiguous array"):
        dwell.reduce(there[:, ::2])
    with pytest.raises(TypeError, match="values: expected float32 or float64"):
        dwell.reduce(cupy.arange(3))
    with pytest.raises(ValueError, match="y: expected an array on cuda:0, where x is, found one of the host"):
        dwell.dot(there, here)
    with pytest.raises(ValueError, match="device: expected 'cuda:0'"):
        dwell.reduce(there, device="cpu")
