# SPDX-License-Identifier: MIT
"""Arrays in a GPU's memory: handed over by DLPack where they are, in the order of the caller's current stream."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._arrays import Place, dtype_of
from ._device import resolve


def current_stream(place: Place) -> int:
    """The caller's current stream as a number; 0: the default one, or not known."""
    if place.kind == "torch":
        import torch

        return int(torch.cuda.current_stream(place.gpu).cuda_stream)
    if place.kind == "cupy":
        import cupy

        return int(cupy.cuda.get_current_stream().ptr)
    return 0


class StreamUser:
    """What works in a stream of the caller's: keeps it as long as it has anything in `_native`, and lets go of that
    first. Who destroys an object in a stream that is gone crashes."""

    _native: Any
    _stream = 0  #: its number; 0: none of the caller's
    _stream_object: Any = None

    def _take_stream(self, place: Place) -> None:
        if place.gpu is None:
            return
        self._stream = current_stream(place)
        if place.kind == "torch":
            import torch

            self._stream_object = torch.cuda.current_stream(place.gpu)
        elif place.kind == "cupy":
            import cupy

            self._stream_object = cupy.cuda.get_current_stream()

    def _order_after(self, a: Any, place: Place) -> None:
        """Work that is given now comes after what computes `a`: in the same stream, or by waiting."""
        if self._is_elsewhere(place):
            wait_for(a, place)

    def _finish_for(self, place: Place) -> None:
        """Returns when the work given so far is done, if it reads or writes an array of another stream's: whose library
        may use the memory at once. Without a stream of the caller's it is done."""
        if self._stream and self._is_elsewhere(place):
            self._stream_object.synchronize()

    def _is_elsewhere(self, place: Place) -> bool:
        stream = current_stream(place)
        return not stream or stream != self._stream

    def __del__(self) -> None:
        self.__dict__.pop("_native", None)


def wait_for(a: Any, place: Place) -> None:
    """Returns when what computes `a` is done: for solvers that do not work in the caller's current stream."""
    if place.kind == "torch":
        import torch

        torch.cuda.current_stream(place.gpu).synchronize()
    elif place.kind == "cupy":
        import cupy

        cupy.cuda.get_current_stream().synchronize()
    elif place.kind == "jax":
        a.block_until_ready()
    elif place.kind == "cuda" and a.__cuda_array_interface__.get("stream"):
        raise ValueError("expected an array that is ready, found one that a stream is computing: use its DLPack form")


def device_of(a: Any, place: Place, device: str | None, threads: int) -> _core.Device:
    """That of the array, in the order of the caller's current stream, or after what computes `a`."""
    stream = current_stream(place)
    if not stream:
        wait_for(a, place)
    return resolve(device, threads, place.gpu, stream)


def capsule(a: Any, place: Place) -> Any:
    """What the extension takes: the memory of `a`, which is not waited for (but for JAX's)."""
    if place.kind == "torch":
        return a.detach().__dlpack__(stream=-1)
    if place.kind == "jax":  # which takes -1 for a stream
        return a.block_until_ready().__dlpack__()
    if hasattr(a, "__dlpack__"):
        return a.__dlpack__(stream=-1)
    import cupy  # the one library that reads __cuda_array_interface__ and writes DLPack

    return cupy.asarray(a).__dlpack__(stream=-1)


def check(a: Any, dtype: np.dtype[Any], what: str) -> None:
    found = dtype_of(a)
    if found != dtype:
        raise TypeError(f"{what}: expected {dtype} (arrays of a GPU are not converted), found {found}")


def as_index(a: Any, place: Place, what: str) -> Any:
    """`a` as int32, a copy on its device where it is of other integers, as CuPy and PyTorch often make them."""
    found = dtype_of(a)
    if found == np.int32:
        return a
    if found.kind not in "iu":
        raise TypeError(f"{what}: expected integers, found {found}")
    if place.kind != "torch" and not hasattr(a, "astype"):
        raise TypeError(f"{what}: expected int32 (arrays of {type(a).__name__} cannot be converted), found {found}")
    if int(a.shape[0]) > 0:
        require_index_range(int(a.min()), int(a.max()), what)
    if place.kind == "torch":
        import torch

        return a.to(torch.int32)
    return a.astype("int32")


def require_index_range(least: int, most: int, what: str) -> None:
    """Refuses indices that would wrap round as int32."""
    limit = 2**31 - 1
    if most > limit or least < -limit - 1:
        raise ValueError(f"{what}: expected 0 to {limit}, found {most if most > limit else least}")


def _order_of(strides: tuple[int, ...], shape: tuple[int, ...]) -> str:
    """"C", "F" or ""; strides in elements."""
    def follows(axes: range) -> bool:
        step = 1
        for axis in axes:
            if shape[axis] != 1 and strides[axis] != step:
                return False
            step *= shape[axis]
        return True

    if follows(range(len(shape) - 1, -1, -1)):
        return "C"
    return "F" if follows(range(len(shape))) else ""


def order(a: Any, place: Place) -> str:
    """"C", "F" or "" (neither)."""
    shape = tuple(int(n) for n in a.shape)
    if place.kind == "torch":
        return _order_of(tuple(a.stride()), shape)
    if place.kind == "jax":
        return "C"
    strides = a.__cuda_array_interface__.get("strides") if hasattr(a, "__cuda_array_interface__") else None
    if strides is None:
        return "C"
    return _order_of(tuple(s // dtype_of(a).itemsize for s in strides), shape)


def answer(a: Any, place: Place, start: Any | None, out: Any | None) -> Any:
    """Where an answer goes that begins with `start`, or zeros: `out`, or a new array like `a`."""
    if out is None:
        return fresh(a, place, start)
    if start is not out:
        out[...] = 0 if start is None else start
    return out


def fresh(a: Any, place: Place, start: Any | None) -> Any:
    """A new array of the shape, kind and device of `a`: zeros, or a copy of `start`."""
    if place.kind == "torch":
        import torch

        return torch.zeros_like(a) if start is None else start.detach().clone()
    if place.kind == "jax":
        import jax.numpy

        # Its memory is written before anybody else sees the array.
        made = jax.numpy.array(jax.numpy.zeros_like(a) if start is None else start, copy=True)
        return made.block_until_ready()
    import cupy

    if start is not None:
        return cupy.array(start, copy=True)
    return cupy.zeros(a.shape, dtype_of(a), "C" if "C" in order(a, place) else "F")


def empty(shape: tuple[int, ...], dtype: np.dtype[Any], place: Place) -> Any:
    """A new array on the device of `place`, of its kind."""
    if place.kind == "torch":
        import torch

        return torch.empty(shape, dtype=getattr(torch, dtype.name), device=f"cuda:{place.gpu}")
    if place.kind == "jax":
        import jax

        where = jax.devices("gpu")[place.gpu or 0]
        return jax.device_put(np.zeros(shape, dtype), where).block_until_ready()
    import cupy

    with cupy.cuda.Device(place.gpu):
        return cupy.empty(shape, dtype)
