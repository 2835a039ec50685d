# SPDX-License-Identifier: MIT
"""Convolution and correlation of images."""
from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core
from ._arrays import float_dtype, host_array, like, place_of, readable, require_writable
from ._device import resolve
from ._report import Document, seconds


@dataclasses.dataclass(frozen=True, repr=False)
class ConvolutionReport(Document):
    """A convolution. The fields are those of the library's ``convolution_report``."""

    way: str  #: never "auto"
    reason: str  #: why this way and these passes
    passes: int  #: over the images
    device: str
    backend: str  #: "cpu" or "cuda"
    threads: int  #: on a CPU
    precision: str  #: "f64" or "f32"
    size: tuple[int, ...]  #: of an image
    images: int
    kernel: tuple[int, ...]  #: taps along each axis
    border: str
    correlation: bool
    taps: int  #: multiply-adds per cell of all passes
    bytes: int  #: a load and a store of every cell, once
    setup_s: float
    run_s: float
    cells_per_second: float

    def rows(self) -> list[tuple[str, str]]:
        size = "x".join(map(str, self.size))
        kernel = "x".join(map(str, self.kernel))
        return [
            ("images", f"{self.images} of {size} cells, {self.precision}, border {self.border}"),
            ("kernel", f"{kernel} taps, {'correlation' if self.correlation else 'convolution'}"),
            ("device", f"{self.device} ({self.backend})"),
            ("way", f"{self.way}: {self.reason}"),
            ("time", f"set-up {seconds(self.setup_s)}, run {seconds(self.run_s)}, {self.cells_per_second:.3g} cells per "
                     "second"),
        ]


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
    return np.ascontiguousarray(weights, np.float64)


def _on_host(a: Any, what: str) -> np.ndarray[Any, Any]:
    if place_of(a).gpu is not None:
        raise TypeError(f"{what}: expected an array in the host's memory, found one of a GPU")
    return host_array(a, what)


def convolve(
    image: Any, kernel: str | Sequence[Any] | Any, *, border: str = "reflect", correlate: bool = False,
    way: str = "auto", passes: str = "auto", out: Any = None, device: str | None = None, threads: int = 0,
    return_report: bool = False,
) -> Any:
    """Convolve images with a kernel, as ``scipy.ndimage.convolve`` does.

    Parameters
    ----------
    image : array
        Of as many axes as the kernel; with more, the last ones are an image and those before count images. float32 and
        float64 as they are, other real numbers become float64.
    kernel : array of 1 to 3 axes, tuple of arrays, or str
        Of 1 to 31 taps along each axis; a tuple of 2 or 3 arrays of one axis stands for their outer product; a string
        is a filter of two axes: "gaussian:N", "gaussian:N:SIGMA", "box:N", "sobel-x", "sobel-y", "laplacian",
        "sharpen".
    border : {"reflect", "zero", "replicate", "periodic"}
        Beyond the image: its mirror, the outermost cells included (SciPy's "reflect"), zeros ("constant"), the
        outermost cells ("nearest"), its other end ("wrap").
    correlate : bool
        Do not turn the kernel round, as ``scipy.ndimage.correlate`` and ``cv2.filter2D``.
    way : {"auto", "systolic", "window", "shared", "direct"}
        How a pass is computed; the bits are the same.
    passes : {"auto", "one", "each-axis"}
        A kernel that is a product may be taken along each axis by itself, which is less work for large ones. Sums are
        then rounded in between.
    out : array of image's shape and of the dtype that is computed in, optional
        Where the outcome goes, in C order; not `image`.
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
    Sums are chains of fused multiply-adds in the dtype of the image, column after column of the kernel, with the same
    bits on every device (Chen et al., SC 2019, for the way "systolic").

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
    dtype = float_dtype(values.dtype, "image")
    values = readable(values, dtype, "image")
    filter_, axes = _filter_of(kernel)
    if values.ndim < axes:
        raise ValueError(f"image: expected {axes} axes or more, as the kernel has, found {values.ndim}")
    options = _core.ConvolutionOptions()
    options.border = border
    options.correlate = correlate
    options.way = way
    options.set_passes(passes)
    result = np.empty(values.shape, dtype) if out is None else _on_host(out, "out")
    if out is not None:
        require_writable(result, dtype, values.shape, "out")
        if not result.flags.c_contiguous:
            raise ValueError("out: expected an array in C order")
    shape = values.shape[values.ndim - axes:]
    if math.prod(values.shape) == 0:
        raise ValueError(f"image: expected at least one cell along each axis, found shape {values.shape}")
    report = _core.convolve(resolve(device, threads, None, 0), shape if axes > 1 else (1, *shape), values, result,
                            filter_, options)
    answer = like(result, place, image) if out is None else out
    return (answer, ConvolutionReport(**report)) if return_report else answer
