# SPDX-License-Identifier: MIT
"""Devices: which there are, and the one that a word of the user's means."""
from __future__ import annotations

import dataclasses

from . import _core
from ._checks import whole


@dataclasses.dataclass(frozen=True)
class DeviceInfo:
    """What is known of a device. Sizes are in bytes; 0 where there is no such thing."""

    name: str
    backend: str  #: "cpu" or "cuda"
    ordinal: int  #: number of the CUDA device
    units: int  #: multiprocessors, or threads
    compute_capability: int  #: 90 for 9.0
    memory: int
    memory_free: int
    cache: int  #: last-level cache


def devices() -> list[DeviceInfo]:
    """The devices that ``device=`` can name: the CPU first, then the CUDA devices by their number.

    Returns
    -------
    list of DeviceInfo

    Examples
    --------
    >>> import dwell
    >>> dwell.devices()[0].backend
    'cpu'
    """
    count, _ = _core.cuda_devices()
    found = [_core.Device.cpu(0), *(_core.Device.cuda(k) for k in range(count))]
    return [DeviceInfo(**one.facts()) for one in found]


def resolve(device: str | None, threads: int, gpu: int | None, stream: int) -> _core.Device:
    """The device that the user's words mean, for arrays on GPU number `gpu` (None: on the host).

    `stream` is the caller's current stream there, 0 for the default one, which a solver cannot
    record graphs in: it then has a stream of its own.
    """
    chosen = _named(device, threads, gpu)
    if gpu is not None and (chosen.backend != "cuda" or chosen.ordinal != gpu):
        raise ValueError(f"device: expected 'cuda:{gpu}', where the arrays are, found {device!r}")
    return chosen.on_stream(stream) if stream and gpu is not None else chosen


def _named(device: str | None, threads: int, gpu: int | None) -> _core.Device:
    threads = whole(threads, "threads")
    if device is None and gpu is None and not threads:
        return _core.Device.best()
    if device is None:
        device = "cpu" if gpu is None else f"cuda:{gpu}"
    if not isinstance(device, str):
        raise TypeError(f"device: expected 'cpu', 'cuda', 'cuda:N' or None, found {device!r}")
    if device == "cpu":
        return _core.Device.cpu(threads)
    word, _, number = device.partition(":")
    if word != "cuda" or not (number.isdecimal() or device == "cuda"):
        raise ValueError(f"device: expected 'cpu', 'cuda' or 'cuda:N', found {device!r}")
    if threads:
        raise ValueError(f"threads: only device 'cpu' has them, found threads={threads} and device={device!r}")
    return _core.Device.cuda(min(int(number or 0), 2**31 - 1))
