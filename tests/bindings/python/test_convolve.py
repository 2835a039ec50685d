# SPDX-License-Identifier: MIT
"""Convolutions beside SciPy's, scans beside NumPy's."""
import numpy as np
import pytest
import scipy.ndimage

import dwell

RANDOM = np.random.default_rng(1)
BORDERS = {"reflect": "reflect", "zero": "constant", "replicate": "nearest", "periodic": "wrap"}


def close(a, b, dtype):
    return np.abs(a - b).max() <= 100 * np.finfo(dtype).eps * max(1, np.abs(b).max())


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("correlate", [False, True])
@pytest.mark.parametrize("taps", [(3, 3), (4, 6), (1, 5), (7, 2), (31, 31)])
def test_as_scipy(border, dtype, correlate, taps):
    image = RANDOM.standard_normal((37, 53)).astype(dtype)
    kernel = RANDOM.standard_normal(taps)
    scipys = scipy.ndimage.correlate if correlate else scipy.ndimage.convolve
    wanted = scipys(image.astype(np.float64), kernel, mode=BORDERS[border])
    found = dwell.convolve(image, kernel, border=border, correlate=correlate)
    assert found.dtype == dtype and close(found, wanted, dtype)


@pytest.mark.parametrize("taps", [1, 2, 5, 8])
def test_signals_and_volumes(taps):
    signal, volume = RANDOM.standard_normal(100), RANDOM.standard_normal((9, 10, 11))
    kernel = RANDOM.standard_normal(taps)
    assert close(dwell.convolve(signal, kernel), scipy.ndimage.convolve(signal, kernel), float)
    cube = RANDOM.standard_normal((2, 3, taps))
    assert close(dwell.convolve(volume, cube), scipy.ndimage.convolve(volume, cube), float)


def test_leading_axes_count_images():
    images = RANDOM.standard_normal((2, 3, 20, 30)).astype(np.float32)
    found = dwell.convolve(images, "gaussian:5")
    for i in range(2):
        for j in range(3):
            assert np.array_equal(found[i, j], dwell.convolve(images[i, j], "gaussian:5"))
    signals = RANDOM.standard_normal((4, 50))
    assert np.array_equal(dwell.convolve(signals, [1, 2, 3])[2], dwell.convolve(signals[2], [1, 2, 3]))


@pytest.mark.parametrize("algorithm", ["systolic", "window", "shared", "direct"])
def test_ways_have_the_same_bits(algorithm):
    image = RANDOM.standard_normal((70, 150))
    kernel = RANDOM.standard_normal((6, 5))
    found, report = dwell.convolve(image, kernel, algorithm=algorithm, return_report=True, device="cpu")
    assert np.array_equal(found, dwell.convolve(image, kernel, device="cpu"))
    assert report.algorithm == algorithm and report.kernel == (6, 5) and "taps" in repr(report)


def test_products():
    image = RANDOM.standard_normal((40, 60))
    down, across = RANDOM.standard_normal(9), RANDOM.standard_normal(11)
    found, report = dwell.convolve(image, (down, across), passes="each-axis", return_report=True)
    assert report.passes == 2 and report.taps == 20
    assert close(found, scipy.ndimage.convolve(image, np.outer(down, across)), float)
    assert dwell.convolve(image, np.outer(np.ones(15), np.arange(15)), return_report=True)[1].passes == 2


def rounded(sums, dtype):
    return np.clip(np.rint(sums), 0, 255).astype(np.uint8) if dtype == np.uint8 else sums.astype(dtype)


@pytest.mark.parametrize("border", BORDERS)
@pytest.mark.parametrize("dtype", [np.uint8, np.float16])
@pytest.mark.parametrize("kernel", ["box:3", "gaussian:15", "sobel-x"])
def test_narrow_images_have_the_bits_of_wide_ones(border, dtype, kernel):
    image = (RANDOM.random((37, 53)) * 255).astype(dtype)
    sums = dwell.convolve(image.astype(np.float32), kernel, border=border)
    found, report = dwell.convolve(image, kernel, border=border, return_report=True)
    assert found.dtype == dtype and np.array_equal(found, rounded(sums, dtype))
    name = "u8" if dtype == np.uint8 else "f16"
    assert (report.cells, report.precision, report.result) == (name, "f32", name)
    assert f"{name}, summed in f32 and rounded" in repr(report)
    wide = dwell.convolve(image, kernel, border=border, dtype=np.float32)
    assert wide.dtype == np.float32 and np.array_equal(wide, sums)
    out = np.empty(image.shape, np.float32)
    assert dwell.convolve(image, kernel, border=border, out=out) is out and np.array_equal(out, sums)


@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32, np.float64, np.int16])
def test_prepared_kernels(dtype):
    frames = (RANDOM.random((4, 2, 21, 33)) * 255).astype(dtype)
    runner = dwell.ConvolutionRunner(frames[0], "gaussian:11", border="periodic", device="cpu")
    assert runner.shape == (2, 21, 33) and runner.report.images == 2 and runner.report.run_s == 0
    for frame in frames:
        wanted = dwell.convolve(frame, "gaussian:11", border="periodic", device="cpu")
        found = runner.run(frame)
        assert found.dtype == wanted.dtype == runner.dtype and np.array_equal(found, wanted)
        out = np.empty_like(wanted)
        assert runner.run(frame, out) is out and np.array_equal(out, wanted)
    runner.wait()
    assert runner.report.run_s > 0
    volume = dwell.ConvolutionRunner(frames[0], np.ones((2, 3, 3)), dtype=runner.dtype)
    assert np.array_equal(volume.run(frames[1]), dwell.convolve(frames[1], np.ones((2, 3, 3))))


def test_prepared_kernels_keep_sums_and_refuse_other_images():
    image = RANDOM.integers(0, 255, (20, 30), dtype=np.uint8)
    runner = dwell.ConvolutionRunner(image, "box:5", dtype=np.float32)
    assert np.array_equal(runner.run(image), dwell.convolve(image, "box:5", dtype="float32"))
    for call, what in [
        (lambda: runner.run(image[1:]), r"image: expected shape \(20, 30\), found \(19, 30\)"),
        (lambda: runner.run(image, np.empty((19, 30), np.float32)), r"out: expected shape \(20, 30\)"),
        (lambda: runner.run(image, wait=False), "wait: expected True for arrays of the host"),
        (lambda: dwell.ConvolutionRunner(image, "box"), "filter: expected box:N"),
        (lambda: dwell.ConvolutionRunner(image[0], "box:3"), "image: expected 2 axes or more"),
    ]:
        with pytest.raises(ValueError, match=what):
            call()
    for call, what in [
        (lambda: runner.run(image.astype(float)), "image: expected uint8, found float64"),
        (lambda: runner.run(image.astype(np.int32)), "image: expected uint8, found int32"),
        (lambda: runner.run(image, np.empty_like(image)), "out: expected an array of float32, found uint8"),
        (lambda: dwell.ConvolutionRunner(image, "box:3", dtype=float),
         "dtype: expected uint8 or float32 of an image of uint8, found float64"),
        (lambda: dwell.convolve(image.astype(float), "box:3", dtype="float32"),
         "dtype: expected float64 of an image of float64, found float32"),
    ]:
        with pytest.raises(TypeError, match=what):
            call()


def test_prepared_kernels_are_explained():
    image = np.zeros((4096, 4100), np.float32)  # its rows share sets of no processor's cache
    here = dwell.ConvolutionRunner(image, "box:9", passes="one", device="cpu")
    assert "no model of CPUs" in here.explain() and "window *" in here.explain()
    there = here.explain("h100")
    assert "C = N + P - 1 = 9 + 8 - 1 = 16 rows of 128 columns" in there and "systolic *" in there
    assert "time" in there and "direct" in there
    apart = dwell.ConvolutionRunner(image, "gaussian:31", device="cpu").explain("h200")
    assert "1x31 taps" in apart and "31x1 taps" in apart
    with pytest.raises(ValueError, match="h200"):
        here.explain("h900")


def test_out_and_other_numbers():
    image = RANDOM.integers(0, 255, (20, 30), dtype=np.int16)
    out = np.empty(image.shape)
    assert dwell.convolve(image, "box:3", out=out) is out
    assert close(out, scipy.ndimage.uniform_filter(image.astype(float), 3), float)
    assert np.array_equal(dwell.convolve(np.asfortranarray(image), "box:3"), out)
    with pytest.raises(TypeError, match="out: expected an array of float64, found float32"):
        dwell.convolve(image, "box:3", out=np.empty(image.shape, np.float32))
    same = image.astype(float)
    with pytest.raises(ValueError, match="out: expected memory of its own"):
        dwell.convolve(same, "box:3", out=same)


@pytest.mark.parametrize("call, what", [
    (lambda u: dwell.convolve(u, "box"), "filter: expected box:N"),
    (lambda u: dwell.convolve(u, np.ones((32, 1))), "1 to 31 taps"),
    (lambda u: dwell.convolve(u, np.ones((2, 2, 2))), "image: expected 3 axes or more"),
    (lambda u: dwell.convolve(u, "box:3", border="mirror"), "border: expected zero"),
    (lambda u: dwell.convolve(u, "box:3", passes="two"), "passes: expected"),
    (lambda u: dwell.convolve(u, "laplacian", passes="each-axis"), "expected a product"),
    (lambda u: dwell.convolve(u, "box:3", algorithm="fast"), "algorithm: expected auto"),
    (lambda u: dwell.convolve(u[:0], "box:3"), "at least one cell"),
    (lambda u: dwell.convolve(u, [np.nan]), "finite weights"),
    (lambda u: dwell.scan(u), "values: expected 1 axis"),
    (lambda u: dwell.scan(u[0], "min"), "operation: expected"),
    (lambda u: dwell.summed_area_table(u[0]), "image: expected 2 axes"),
    (lambda u: dwell.box_mean(u, 0), "window: expected 1"),
])
def test_refusals(call, what):
    with pytest.raises(ValueError, match=what):
        call(np.ones((5, 6)))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int32, np.int64, np.int16, np.bool_])
@pytest.mark.parametrize("n", [0, 1, 1000, 100_003])
def test_scan_as_numpy(dtype, n):
    values = RANDOM.integers(0, 2 if dtype is np.bool_ else 9, n).astype(dtype)
    wide = values.astype(np.int64) if dtype in (np.int32, np.int16, np.bool_) else values
    assert np.array_equal(dwell.scan(values), np.cumsum(wide, dtype=wide.dtype))
    assert dwell.scan(values).dtype == wide.dtype
    largest = values if dtype is np.int32 else wide
    assert np.array_equal(dwell.scan(values, "max"), np.maximum.accumulate(largest))
    assert dwell.scan(values, "max").dtype == largest.dtype
    assert np.array_equal(dwell.scan(values, exclusive=True)[1:], np.cumsum(wide, dtype=wide.dtype)[:-1])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32])
def test_sums_of_whole_numbers_do_not_wrap_round(dtype):
    values = np.full(5000, np.iinfo(dtype).max)
    assert np.array_equal(dwell.scan(values), np.cumsum(values, dtype=np.int64))


@pytest.mark.parametrize("value", [1e20, 9.969209968386869e36, 65535.0, -9999.0, np.inf, np.nan])
def test_means_of_windows_without_a_cell_do_not_depend_on_it(value):
    image = RANDOM.random((40, 50)) + 0.5
    for dtype in (np.float64, np.float32):
        without = dwell.box_mean(image.astype(dtype), (3, 5))
        filled = image.astype(dtype)
        filled[7, 9] = value
        found = dwell.box_mean(filled, (3, 5))
        found[6:9, 7:12] = without[6:9, 7:12]
        assert np.array_equal(found, without)


def test_tables_and_means():
    image = RANDOM.integers(-9, 9, (130, 257)).astype(float)
    assert np.array_equal(dwell.summed_area_table(image), image.cumsum(0).cumsum(1))
    ones = scipy.ndimage.uniform_filter(np.ones(image.shape), (4, 9), mode="constant")
    wanted = scipy.ndimage.uniform_filter(image, (4, 9), mode="constant") / ones
    assert np.abs(dwell.box_mean(image, (4, 9)) - wanted).max() < 1e-12


@pytest.mark.parametrize("type_of_gpu", ["<f8", "<f4", "<i8", "<i4"])
def test_scans_of_nothing_on_a_gpu_refuse_operations(type_of_gpu):
    class Nothing:
        shape = (0,)
        __cuda_array_interface__ = {"shape": (0,), "typestr": type_of_gpu, "data": (0, False), "version": 3}

    for operation in ("product", "min", ""):
        with pytest.raises(ValueError, match="^operation: expected 'sum' or 'max', found"):
            dwell.scan(Nothing(), operation)
    with pytest.raises(TypeError, match="^operation: "):
        dwell.scan(Nothing(), 3)
    if not any(d.backend == "cuda" for d in dwell.devices()):
        with pytest.raises(dwell.DeviceError):
            dwell.scan(Nothing(), "max")
