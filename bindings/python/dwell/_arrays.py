# SPDX-License-Identifier: MIT
"""Arrays of other libraries at the border: where they are, views of them without a copy, and answers of their kind."""
from __future__ import annotations

from typing import Any, NamedTuple, cast

import numpy as np

from ._checks import shown
from ._warnings import RoundingWarning, warn

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))
COMPLEX = (np.dtype(np.complex64), np.dtype(np.complex128))
_CUDA_DEVICES = (2, 13)  # DLPack's: CUDA's memory, CUDA's managed memory
_LIBRARIES = {"numpy": "numpy", "torch": "torch", "cupy": "cupy", "jax": "jax", "jaxlib": "jax"}


class Place(NamedTuple):
    """Whose array it is, and where."""

    kind: str  #: "numpy" (all that NumPy can read too), "torch", "cupy", "jax", "dlpack" or "cuda"
    gpu: int | None  #: number of the CUDA device; None: the host's memory


HOST = Place("numpy", None)


def asked_dtype(given: Any, what: str) -> np.dtype[Any]:
    """float32 or float64, asked for by an argument."""
    try:
        dtype: np.dtype[Any] | None = np.dtype(given).newbyteorder("=")
    except (TypeError, ValueError, SyntaxError):
        dtype = None
    if dtype is None or dtype not in FLOATS or given is None:
        raise TypeError(f"{what}: expected float32 or float64, found {shown(given) if dtype is None else dtype}")
    return dtype


def place_of(a: Any) -> Place:
    """Throws TypeError for what is no array yet, a tracer of JAX."""
    if type(a) is np.ndarray:
        return HOST
    kind = _LIBRARIES.get(type(a).__module__.partition(".")[0])
    if kind == "torch":
        return Place("torch", a.device.index if a.is_cuda else None)
    if kind == "cupy":
        return Place("cupy", a.device.id)
    if kind == "jax":
        import jax

        if isinstance(a, jax.core.Tracer):
            raise TypeError("expected an array, found a tracer of JAX: under jit and grad use dwell.jax.cg")
        where = next(iter(a.devices()))
        return Place("jax", where.id if where.platform in ("gpu", "cuda") else None)
    if kind is None and hasattr(a, "__dlpack_device__"):
        kind_of_memory, number = a.__dlpack_device__()
        return Place("dlpack", number if kind_of_memory in _CUDA_DEVICES else None)
    if hasattr(a, "__cuda_array_interface__"):
        return Place("cuda", 0)
    return HOST


def host_array(a: Any, what: str) -> np.ndarray[Any, Any]:
    """A NumPy array of the same memory where that is possible; `a` is on the host."""
    if type(a) is np.ndarray:
        if a.dtype == object:
            raise TypeError(f"{what}: expected an array of numbers, found objects")
        return a
    if isinstance(a, np.ma.MaskedArray):
        raise TypeError(f"{what}: expected an array without a mask, found a masked one (filled() makes one without)")
    kind = place_of(a).kind
    if kind == "torch":
        out = a.detach()
        out = (out.resolve_neg() if hasattr(out, "resolve_neg") else out).numpy()
    elif kind == "dlpack":
        out = np.from_dlpack(a)
    else:
        try:
            out = np.asarray(a)
        except (TypeError, ValueError):  # lists of several lengths, say
            raise TypeError(f"{what}: expected an array of numbers, found {type(a).__name__}") from None
    if out.dtype == object:
        raise TypeError(f"{what}: expected an array of numbers, found {type(a).__name__}")
    return cast("np.ndarray[Any, Any]", out)


def is_one(a: Any, what: str) -> bool:
    """Has `a`, of the host, no axes?"""
    try:
        return np.ndim(a) == 0
    except (TypeError, ValueError):  # lists of several lengths, say
        raise TypeError(f"{what}: expected an array of numbers, found {type(a).__name__}") from None


def float_dtype(dtype: np.dtype[Any], what: str) -> np.dtype[Any]:
    """What SciPy computes in: float32 and float64 as they are, other real numbers in float64."""
    dtype = np.dtype(dtype).newbyteorder("=")
    if dtype in FLOATS:
        return dtype
    if dtype.kind not in "biuf":
        raise TypeError(f"{what}: expected real numbers, found {dtype}")
    return np.dtype(np.float64)


def number_dtype(dtype: np.dtype[Any], what: str) -> np.dtype[Any]:
    """What ``float_dtype`` says, where complex64 and complex128 are taken too."""
    dtype = np.dtype(dtype).newbyteorder("=")
    if dtype.kind == "c" and dtype not in COMPLEX:
        raise TypeError(f"{what}: expected complex64 or complex128, found {dtype}")
    return dtype if dtype in COMPLEX else float_dtype(dtype, what)


def _part_bytes(dtype: np.dtype[Any]) -> int:
    """Bytes of a number, or of a part of a complex one."""
    return dtype.itemsize // 2 if dtype.kind == "c" else dtype.itemsize


def warn_of_rounding(a: np.ndarray[Any, Any], dtype: np.dtype[Any], what: str) -> None:
    """Before real numbers become float32 or float64: says so where digits are lost."""
    count = _inexact(a, dtype)
    if count:
        warn(f"{what}: {count} of {a.size} values of {a.dtype.newbyteorder('=')} have more digits than {dtype}, and are "
             "rounded", RoundingWarning)


def _inexact(a: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> int:
    """So many of `a` are no numbers of `dtype`."""
    if a.size == 0 or a.dtype.kind not in "iuf" or (a.dtype.kind == "f" and a.dtype.itemsize <= dtype.itemsize):
        return 0
    with np.errstate(over="ignore", invalid="ignore"):
        if a.dtype.kind == "f":
            return int(np.count_nonzero((a.astype(dtype) != a) & ~np.isnan(a)))
        exact = 2**(1 + np.finfo(dtype).nmant)
        if int(a.max()) <= exact and int(a.min()) >= -exact:
            return 0
        rounded = a.astype(dtype).astype(np.float64)
        wide, beyond = (np.int64, 2.0**63) if a.dtype.kind == "i" else (np.uint64, 2.0**64)
        return int(np.count_nonzero((rounded >= beyond) | (np.where(rounded >= beyond, 0, rounded).astype(wide) != a)))


def readable(a: np.ndarray[Any, Any], dtype: np.dtype[Any], what: str) -> np.ndarray[Any, Any]:
    """The array in `dtype`, C order, aligned: itself, or a copy."""
    if a.dtype == dtype:
        flags = a.flags
        if flags.c_contiguous and flags.aligned:
            return a
    else:
        require_convertible(a, dtype, what)
    return np.require(a, dtype, ("C", "A"))


def require_convertible(a: np.ndarray[Any, Any], dtype: np.dtype[Any], what: str) -> None:
    """TypeError for what is not real (where real numbers are computed in), and for double precision where single is
    computed in; a warning where other numbers lose digits."""
    own = (number_dtype if dtype.kind == "c" else float_dtype)(a.dtype, what)
    if own == a.dtype.newbyteorder("=") and _part_bytes(own) > _part_bytes(dtype):
        raise TypeError(f"{what}: expected {dtype}, found {a.dtype.newbyteorder('=')}")
    warn_of_rounding(a, dtype, what)


def require_writable(out: np.ndarray[Any, Any], dtype: np.dtype[Any], shape: tuple[int, ...], what: str) -> None:
    if out.dtype != dtype:
        raise TypeError(f"{what}: expected an array of {dtype}, found {out.dtype}")
    if out.shape != shape:
        raise ValueError(f"{what}: expected shape {shape}, found {out.shape}")
    if not out.flags.writeable or not out.flags.aligned:
        raise ValueError(f"{what}: expected an array that can be written, found a read-only one")


def like(x: np.ndarray[Any, Any], place: Place, original: Any) -> Any:
    """A result of the host as an array of the kind that the user's was, without a copy where its library can."""
    if place.kind == "torch":
        import torch

        return torch.from_numpy(x)
    if place.kind == "jax":
        import jax.numpy

        return jax.numpy.asarray(x)
    if place.kind == "dlpack" and hasattr(original, "__array_namespace__"):
        return original.__array_namespace__().from_dlpack(x)
    return x


def dtype_of(a: Any) -> np.dtype[Any]:
    """NumPy's name for the dtype of any library's array."""
    if isinstance(a, np.ndarray):
        return np.dtype(a.dtype)
    if place_of(a).kind == "cuda":
        return np.dtype(str(a.__cuda_array_interface__["typestr"]))
    name: str = str(a.dtype).rpartition(".")[2]  # torch.float64
    return np.dtype(name)
