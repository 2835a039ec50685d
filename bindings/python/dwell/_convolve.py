# SPDX-License-Identifier: MIT
"""Convolution and correlation of images."""
from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core, _gpu
from ._arrays import Place, dtype_of, float_dtype, host_array, like, place_of, readable, require_writable
from ._checks import assign, boolean, word
from ._device import resolve
from ._explain_convolution import text_of
from ._report import Document, of_table
from ._turn import Turn

_NARROW = (np.dtype(np.uint8), np.dtype(np.float16))
_NAMES = {"uint8": "u8", "float16": "f16", "float32": "f32", "float64": "f64"}
_NATIVE: dict[tuple[str, str], Any] = {
    ("float64", "float64"): _core.ConvolutionRunnerF64, ("float32", "float32"): _core.ConvolutionRunnerF32,
    ("uint8", "uint8"): _core.ConvolutionRunnerU8, ("uint8", "float32"): _core.ConvolutionRunnerU8F32,
    ("float16", "float16"): _core.ConvolutionRunnerF16, ("float16", "float32"): _core.ConvolutionRunnerF16F32}


@of_table(_core.convolution_report_table())
@dataclasses.dataclass(frozen=True, repr=False)
class ConvolutionReport(Document):
    """A convolution. The fields are those of the library's ``convolution_report``."""

    size: tuple[int, ...]
    images: int
    precision: str
    cells: str
    result: str
    kernel: tuple[int, ...]
    border: str
    correlation: bool
    device: str
    backend: str
    threads: int
    algorithm: str
    reason: str
    compiler: str
    passes: int
    taps: int
    bytes: int
    setup_s: float
    compile_s: float
    run_s: float
    cells_per_second: float

    def rows(self) -> list[tuple[str, str]]:
        say = self._say
        return [
            ("images", say("{images} of {size} cells, " + self._cells() + ", border {border}")),
            ("kernel", say("{kernel} taps, {correlation}" + ("" if self.correlation else "convolution"))),
            ("device", say("{device} ({backend})")),
            ("algorithm", say("{algorithm}: {reason}")),
            ("time", say("set-up {setup_s}, run {run_s}, {cells_per_second} cells per second")),
        ]

    def _cells(self) -> str:
        if self.cells == self.precision:
            return self.cells
        return f"{self.cells}, summed in {self.precision}" + ("" if self.result == self.precision else " and rounded")


def _filter_of(kernel: Any) -> tuple[_core.Filter, int]:
    """The filter and the number of its axes."""
    if isinstance(kernel, str):
        return _core.Filter.named(kernel), 2
    if isinstance(kernel, tuple):
        factors = [_weights(one, 1).tolist() for one in kernel]
        if len(factors) not in (2, 3):
            raise ValueError(f"kernel: expected a tuple of 2 or 3 arrays, found {len(factors)}")
        return _core.Filter.product(*factors), len(factors)
    weights = _weights(kernel, None)
    shape = weights.shape if weights.ndim > 1 else (1, *weights.shape)
    return _core.Filter.of(shape, weights.ravel().tolist()), weights.ndim


def _weights(given: Any, axes: int | None) -> np.ndarray[Any, Any]:
    weights = host_array(given, "kernel")
    float_dtype(weights.dtype, "kernel")
    if axes is not None and weights.ndim != axes:
        raise ValueError(f"kernel: expected arrays of 1 axis in a tuple, found {weights.ndim}")
    if not 1 <= weights.ndim <= 3:
        raise ValueError(f"kernel: expected 1 to 3 axes, found {weights.ndim}")
    return readable(weights, np.dtype(np.float64), "kernel")


def _image_dtype(dtype: np.dtype[Any], what: str) -> np.dtype[Any]:
    """uint8, float16, float32 and float64 as they are, other real numbers in float64."""
    dtype = np.dtype(dtype).newbyteorder("=")
    return dtype if dtype in _NARROW else float_dtype(dtype, what)


def _result_dtype(cells: np.dtype[Any], asked: Any, out: Any) -> np.dtype[Any]:
    """The type of the outcome: as asked, else as `out` has it, else that of the image."""
    allowed = [cells, np.dtype(np.float32)] if cells in _NARROW else [cells]
    if asked is None and out is None:
        return cells
    try:
        dtype = np.dtype(asked) if asked is not None else dtype_of(out)
    except TypeError:
        raise TypeError(f"dtype: expected {' or '.join(map(str, allowed))}, found {type(asked).__name__}") from None
    if dtype not in allowed:
        if asked is None:
            raise TypeError(f"out: expected an array of {' or '.join(map(str, allowed))}, found {dtype}")
        raise TypeError(f"dtype: expected {' or '.join(map(str, allowed))} of an image of {cells}, found {dtype}")
    return dtype


def _options_of(border: str, correlate: bool, algorithm: str, passes: str) -> _core.ConvolutionOptions:
    options = _core.ConvolutionOptions()
    for name, value in (("border", border), ("correlate", correlate), ("algorithm", algorithm)):
        assign(options, name, value)
    options.set_passes(word(passes, "passes"))
    return options


def _image_shape(shape: tuple[int, ...], axes: int) -> tuple[int, ...]:
    """The shape of one image, in two axes or three."""
    if len(shape) < axes:
        raise ValueError(f"image: expected {axes} axes or more, as the kernel has, found {len(shape)}")
    if math.prod(shape) == 0:
        raise ValueError(f"image: expected at least one cell along each axis, found shape {shape}")
    last = shape[len(shape) - axes:]
    return last if axes > 1 else (1, *last)


def _on_host(a: Any, what: str) -> np.ndarray[Any, Any]:
    if place_of(a).gpu is not None:
        raise TypeError(f"{what}: expected an array in the host's memory, found one of a GPU")
    return host_array(a, what)


def _host_result(shape: tuple[int, ...], dtype: np.dtype[Any], out: np.ndarray[Any, Any] | None) -> np.ndarray[Any, Any]:
    if out is None:
        return np.empty(shape, dtype)
    require_writable(out, dtype, shape, "out")
    if not out.flags.c_contiguous:
        raise ValueError("out: expected an array in C order")
    return out


def convolve(
    image: Any, kernel: str | Sequence[Any] | Any, *, border: str = "reflect", correlate: bool = False,
    algorithm: str = "auto", passes: str = "auto", dtype: Any = None, out: Any = None, device: str | None = None,
    threads: int = 0, return_report: bool = False,
) -> Any:
    """Convolve images with a kernel, as ``scipy.ndimage.convolve`` does.

    Parameters
    ----------
    image : array
        Of as many axes as the kernel; with more, the last ones are an image and those before count images. uint8,
        float16, float32 and float64 as they are, other real numbers become float64.
    kernel : array of 1 to 3 axes, tuple of arrays, or str
        Of 1 to 31 taps along each axis; a tuple of 2 or 3 arrays of one axis stands for their outer product; a string
        is a filter of two axes: "gaussian:N", "gaussian:N:SIGMA", "box:N", "sobel-x", "sobel-y", "laplacian",
        "sharpen".
    border : {"reflect", "zero", "replicate", "periodic"}
        Beyond the image: its mirror, the outermost cells included (SciPy's "reflect"), zeros ("constant"), the
        outermost cells ("nearest"), its other end ("wrap").
    correlate : bool
        Do not turn the kernel round, as ``scipy.ndimage.correlate`` and ``cv2.filter2D``.
    algorithm : {"auto", "systolic", "window", "shared", "direct"}
        How a pass is computed; the bits are the same.
    passes : {"auto", "one", "each-axis"}
        A kernel that is a product may be taken along each axis by itself, which is less work for large ones. Sums are
        then rounded in between.
    dtype : dtype, optional
        Of the outcome: by default that of `image`, as SciPy has it. Of images of uint8 and float16 also float32, in
        which they are summed; else sums are rounded to the nearest number, of two as near the even one, and to uint8
        cut off at 0 and 255.
    out : array of image's shape, optional
        Where the outcome goes, in C order; not `image`. Its dtype is one that `dtype` may be.
    device, threads
        As of ``Solver``. A GPU gets a copy.
    return_report : bool
        Return also a ``ConvolutionReport``.

    Returns
    -------
    convolved : array of image's shape and library
    report : ConvolutionReport
        Only with `return_report`.

    Raises
    ------
    ValueError
        A size, an option or a weight cannot be used.
    TypeError
        `image` or `kernel` is no array of real numbers, or in a GPU's memory.
    UnsupportedError
        This device cannot do it so.
    DeviceError
        The device is absent, fails or has too little memory.

    Notes
    -----
    Sums are chains of fused multiply-adds in the dtype of the image, of uint8 and float16 in float32, column after
    column of the kernel, with the same bits on every device (Chen et al., SC 2019, for the algorithm "systolic").

    Examples
    --------
    >>> import dwell, numpy as np
    >>> image = np.zeros((5, 7)); image[2, 3] = 1
    >>> dwell.convolve(image, "box:3").round(2)[1]
    array([0.  , 0.  , 0.11, 0.11, 0.11, 0.  , 0.  ])
    >>> dwell.convolve(np.arange(6.0), [1, 0, -1], border="replicate")
    array([1., 2., 2., 2., 2., 1.])
    """
    place = place_of(image)
    values = _on_host(image, "image")
    cells = _image_dtype(values.dtype, "image")
    values = readable(values, cells, "image")
    filter_, axes = _filter_of(kernel)
    shape = _image_shape(values.shape, axes)
    options = _options_of(border, correlate, algorithm, passes)
    to_host = None if out is None else _on_host(out, "out")
    result_dtype = _result_dtype(cells, dtype, to_host)
    result = _host_result(values.shape, result_dtype, to_host)
    return_report = boolean(return_report, "return_report")
    report = _core.convolve(resolve(device, threads, None, 0), shape, values, result, filter_, options)
    answer = like(result, place, image) if out is None else out
    return (answer, ConvolutionReport(**report)) if return_report else answer


class ConvolutionRunner(_gpu.StreamUser):
    """A kernel that is prepared once for a device and a shape of images, and then run over as many as come.

    What ``convolve`` pays in every call, checks, the plan, the weights on the device and memory between passes, is
    paid once; a run is launches. Results have the bits of ``convolve``.

    Parameters
    ----------
    image : array
        Of the shape, the dtype and, of a GPU, the device of the images to come, which are as ``convolve`` takes them;
        its values are not read. NumPy's (or what NumPy makes an array of), CuPy's, PyTorch's, JAX's, or of a library
        with DLPack or ``__cuda_array_interface__``. Of a GPU: uint8, float16, float32 or float64.
    kernel, border, correlate, algorithm, passes
        As of ``convolve``.
    dtype : dtype, optional
        Of the outcomes, as of ``convolve``.
    device, threads
        As of ``Solver``.

    Raises
    ------
    ValueError
        A size, an option or a weight cannot be used.
    TypeError
        `image` or `kernel` is no array of real numbers.
    UnsupportedError
        This device cannot do it so.
    DeviceError
        The device is absent, fails or has too little memory.

    Notes
    -----
    With arrays of CuPy or PyTorch work goes to the stream that is current when the runner is made. Threads may share a
    runner: they take turns.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> frames = np.arange(60, dtype=np.uint8).reshape(3, 4, 5)
    >>> blur = dwell.ConvolutionRunner(frames[0], "box:3")
    >>> [int(blur.run(frame)[1, 1]) for frame in frames]
    [6, 26, 46]
    """

    def __init__(
        self, image: Any, kernel: str | Sequence[Any] | Any, *, border: str = "reflect", correlate: bool = False,
        algorithm: str = "auto", passes: str = "auto", dtype: Any = None, device: str | None = None, threads: int = 0,
    ) -> None:
        self._place = place_of(image)
        if self._place.gpu is None:
            image = host_array(image, "image")
            self._cells = _image_dtype(image.dtype, "image")
        else:
            self._cells = dtype_of(image)
            if (self._cells.name, self._cells.name) not in _NATIVE:
                raise TypeError(f"image: expected uint8, float16, float32 or float64, found {self._cells}")
        self.shape: tuple[int, ...] = tuple(int(n) for n in image.shape)  #: of the images and outcomes
        self._filter, axes = _filter_of(kernel)
        self._size = _image_shape(self.shape, axes)
        self._images = math.prod(self.shape) // math.prod(self._size)
        self.dtype = _result_dtype(self._cells, dtype, None)  #: of the outcomes
        self._take_stream(self._place)
        self._options = _options_of(border, correlate, algorithm, passes)
        self._device = resolve(device, threads, self._place.gpu, self._stream)
        self._native = _NATIVE[self._cells.name, self.dtype.name](
            self._device, self._size, self._filter, self._options, self._images)
        self._turn = Turn("run")

    @property
    def report(self) -> ConvolutionReport:
        """The plan and why, what set-up took, and the last run that was waited for."""
        return ConvolutionReport(**self._native.report())

    def run(self, image: Any, out: Any = None, *, wait: bool = True) -> Any:
        """Convolve images.

        Parameters
        ----------
        image : array
            Of the constructor's shape and dtype, on the host or on the runner's GPU.
        out : array of image's shape and of the runner's dtype, in C order, optional
            Where the outcome goes; in the same memory as `image`, but not `image`.
        wait : bool
            False, with arrays of a GPU: return when the work is in the runner's stream. `image` and `out` must stay
            until ``wait`` or until that stream has come so far.

        Returns
        -------
        array of image's shape, and of its kind and device where `out` is not given

        Raises
        ------
        ValueError
            A shape, an order or a memory is not as expected.
        TypeError
            A dtype is not as expected.
        """
        with self._turn:
            place = place_of(image)
            if place.gpu is None:
                return self._run_here(image, out, place, wait)
            self._check_there(image, self._cells, place, "image")
            there = place if out is None else place_of(out)
            if there.gpu is None:
                raise ValueError("out: expected an array of the GPU as image is, found one of the host")
            if out is None:
                out = _gpu.empty(self.shape, self.dtype, place)
            elif there.kind == "jax":
                raise ValueError("out: arrays of JAX cannot be written")
            if there.kind == "jax" and not wait:
                raise ValueError("wait: expected True for arrays of JAX, which nobody waits for, found False")
            self._check_there(out, self.dtype, there, "out")
            go = self._native.run_cuda if wait else self._native.start_cuda
            go(_gpu.capsule(image, place), _gpu.capsule(out, there))
            return out

    def wait(self) -> None:
        """Return when all that was run with ``wait=False`` is done."""
        with self._turn:
            self._native.wait()

    def explain(self, device_facts: str | None = None) -> str:
        """Which algorithm the images are convolved in, and why: passes, and the projected times of every algorithm, in text.

        Parameters
        ----------
        device_facts : {"v100", "a100", "h100", "h200", "b200"}, optional
            A GPU that need not be here; by default the runner's device.

        Raises
        ------
        ValueError
            There are no facts of such a device.
        """
        if device_facts is not None:
            word(device_facts, "device_facts")
        return text_of(_core.explain_convolution(
            self._device, device_facts, self._size, self._images, self._filter, self._options,
            _NAMES[self._cells.name], _NAMES[self.dtype.name]))

    # What follows is private.

    def _run_here(self, image: Any, out: Any, place: Place, wait: bool) -> Any:
        if not boolean(wait, "wait"):
            raise ValueError("wait: expected True for arrays of the host, found False")
        values = host_array(image, "image")
        if self._cells in _NARROW and values.dtype.newbyteorder("=") != self._cells:
            raise TypeError(f"image: expected {self._cells}, found {values.dtype}")
        values = readable(values, self._cells, "image")
        if values.shape != self.shape:
            raise ValueError(f"image: expected shape {self.shape}, found {values.shape}")
        result = _host_result(self.shape, self.dtype, None if out is None else _on_host(out, "out"))
        self._native.run(values, result)
        return like(result, place, image) if out is None else out

    def _check_there(self, a: Any, dtype: np.dtype[Any], place: Place, what: str) -> None:
        _gpu.check(a, dtype, what)
        if tuple(a.shape) != self.shape or _gpu.order(a, place) != "C":
            raise ValueError(f"{what}: expected shape {self.shape} in C order, found {tuple(a.shape)}")
        self._order_after(a, place)
