# SPDX-License-Identifier: MIT
"""A field of a stencil that stays on the device."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core, _gpu
from ._arrays import Place, dtype_of, float_dtype, host_array, like, place_of, readable, require_writable
from ._checks import number, whole
from ._device import resolve
from ._progress import OnInterrupt, Progress, check_on_interrupt, heard
from ._stencil_options import StencilOptions, check_names, native_stencil_options, takes_stencil_options
from ._stencil_report import Outcome, StencilReport, StencilSetup
from ._turn import Turn
from ._warnings import warn

if TYPE_CHECKING:
    from typing_extensions import Unpack

_NATIVE: dict[str, type[_core.StencilRunnerF64] | type[_core.StencilRunnerF32]] = {
    "float64": _core.StencilRunnerF64, "float32": _core.StencilRunnerF32}


class Moment:
    """The field between two pieces of a run, for callbacks."""

    def __init__(self, step: int, runner: Runner) -> None:
        self.step = step  #: done since the run began
        self._runner = runner

    def field(self, out: Any = None) -> Any:
        """A copy of the field, or `out` with it; as ``Runner.field``."""
        return self._runner._read(out)


@takes_stencil_options()
class Runner(_gpu.StreamUser):
    """A field that stays on a device while a program steps through time.

    Checks, plan, kernels and memory are paid once. ``run(a)`` and then ``run(b)`` leave the bits of ``run(a + b)``,
    under every executor and plan.

    Parameters
    ----------
    u : array of shape (y, x) or (z, y, x)
        The field at the start, copied. NumPy's (or what NumPy makes an array of), CuPy's, PyTorch's, JAX's, or of a
        library with DLPack. float32 and float64 as they are, other real numbers become float64; an array of a GPU must
        be of one of the two and in C order.
    shape : str
        The stencil: a name of ``shapes()``.
    source : array of u's shape, optional
        Added to every changing cell in every step.
    device, threads
        As of ``Solver``.
    {options}

    Raises
    ------
    ValueError
        A size, an option or a value cannot be used.
    TypeError
        `u` is no array of real numbers.
    UnsupportedError
        This build or this device has no such shape or executor.
    DeviceError
        The device is absent, fails or has too little memory.

    Notes
    -----
    Threads may share a runner: they take turns.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> u = np.zeros((50, 40)); u[25, 20] = 1
    >>> runner = dwell.Runner(u, "2d5pt", boundary="periodic")
    >>> runner.run(10, every=5, callback=lambda now: print(now.step)).stopped
    5
    10
    'steps done'
    >>> bool(abs(runner.field().sum() - 1) < 1e-12)
    True
    """

    def __init__(
        self, u: Any, shape: str, *, source: Any = None, device: str | None = None, threads: int = 0,
        **options: Unpack[StencilOptions],
    ) -> None:
        self._place = place_of(u)
        if self._place.gpu is None:
            u = host_array(u, "u")
            self.dtype = float_dtype(u.dtype, "u")
        else:
            self.dtype = dtype_of(u)
            if self.dtype.name not in _NATIVE:
                raise TypeError(f"u: expected float32 or float64, found {self.dtype}")
        self.shape: tuple[int, ...] = tuple(u.shape)
        check_names(options, "Runner")
        native = native_stencil_options(shape, options, _weights(options.get("weights")))
        if same := _core.policy_replacement(native.policy):
            warn(f"policy: the next minor version removes '{native.policy}'; '{same}' is the same", DeprecationWarning)
        self._take_stream(self._place)
        where = resolve(device, threads, self._place.gpu, self._stream)
        self._native = _NATIVE[self.dtype.name](where, self.shape, native, source is not None)
        self._turn = Turn("run")
        self._original = u if self._place.kind == "dlpack" else None
        self.set_field(u)
        if source is not None:
            self.set_source(source)

    @property
    def report(self) -> StencilReport:
        """The plan and why, what set-up took, and the last run."""
        fields = self._native.report()
        return StencilReport(**{**fields, "setup": StencilSetup(**fields["setup"])})

    def set_field(self, u: Any) -> None:
        """Copy another field of the same shape to the device. Raises as the constructor does."""
        with self._turn:
            given = self._given(u, "u")
            (self._native.set_field if isinstance(given, np.ndarray) else self._native.set_field_cuda)(given)
            self._finish_for_given(u)

    def set_source(self, source: Any) -> None:
        """Copy another source; ValueError if the runner was made without one."""
        with self._turn:
            given = self._given(source, "source")
            (self._native.set_source if isinstance(given, np.ndarray) else self._native.set_source_cuda)(given)
            self._finish_for_given(source)

    def set_weights(self, weights: Any = None) -> None:
        """Sets the weights of the shape's taps in their order, from the next run on; None: the shape's defaults."""
        with self._turn:
            self._native.set_weights(_weights(weights))

    def field(self, out: Any = None) -> Any:
        """A copy of the field, of the kind and on the device that `u` of the constructor was.

        Parameters
        ----------
        out : array of u's shape and dtype in C order, optional
            Where the field goes instead.

        Returns
        -------
        array of u's shape
        """
        with self._turn:
            return self._read(out)

    def run(
        self, steps: int, *, every: int | None = None, callback: Callable[[Moment], Any] | None = None,
        progress: Progress = None, on_interrupt: OnInterrupt = "raise",
    ) -> Outcome:
        """Do steps.

        Parameters
        ----------
        steps : int
        every : int, optional
            With `callback`: after every so many steps and after the last one.
        callback : callable, optional
            Called with a ``Moment``. If it returns False, the run ends there; what it raises ends it, too, and the
            field stays.
        progress : bool or callable, optional
            True: a bar of tqdm. A function is called with (step, largest change or None, seconds) now and then; if it
            returns False, the run ends.
        on_interrupt : {"raise", "return"}
            At Ctrl-C: raise KeyboardInterrupt, or return; the field is that of the steps done.

        Returns
        -------
        Outcome
        """
        if (every is None) != (callback is None):
            raise ValueError("every and callback: expected both or none, found one of them")
        steps = whole(steps, "steps")
        if callback is None:
            return self._go(progress, on_interrupt, lambda native, hear: native.run(steps, hear))

        every = whole(every, "every")
        if not callable(callback):
            raise TypeError(f"callback: expected a function, found {type(callback).__name__}")

        def call(step: int) -> Any:
            return callback(Moment(step, self))

        return self._go(progress, on_interrupt, lambda native, hear: native.run_pieces(steps, every, call, hear))

    def run_until(
        self, tolerance: float, max_steps: int, check_every: int = 100, *, progress: Progress = None,
        on_interrupt: OnInterrupt = "raise",
    ) -> Outcome:
        """Steps until no cell changes by more than `tolerance` in one, tested every `check_every` and at the end."""
        limits = number(tolerance, "tolerance"), whole(max_steps, "max_steps"), whole(check_every, "check_every")
        return self._go(progress, on_interrupt, lambda native, hear: native.run_until(*limits, hear))

    # What follows is private.

    def _go(self, progress: Progress, on_interrupt: OnInterrupt, run: Callable[[Any, Any], Any]) -> Outcome:
        check_on_interrupt(on_interrupt)
        with self._turn, heard(progress, "step", _words) as listener:
            outcome = Outcome(*run(self._native, listener))
            try:
                self._native.raise_pending()
            except KeyboardInterrupt:
                if on_interrupt == "raise":
                    raise
            return outcome

    def _given(self, a: Any, what: str) -> Any:
        place = place_of(a)
        if place.gpu is None:
            host = readable(host_array(a, what), self.dtype, what)
            if host.shape != self.shape:
                raise ValueError(f"{what}: expected shape {self.shape}, found {host.shape}")
            return host
        self._check_there(a, place, what)
        return _gpu.capsule(a, place)

    def _finish_for_given(self, a: Any) -> None:
        if (place := place_of(a)).gpu is not None:
            self._finish_for(place)

    def _check_there(self, a: Any, place: Place, what: str) -> None:
        _gpu.check(a, self.dtype, what)
        if tuple(a.shape) != self.shape or _gpu.order(a, place) != "C":
            raise ValueError(f"{what}: expected shape {self.shape} in C order, found {tuple(a.shape)}")
        self._order_after(a, place)

    def _read(self, out: Any) -> Any:
        place = self._place if out is None else place_of(out)
        if place.gpu is None:
            if out is None:
                host = np.empty(self.shape, self.dtype)
            else:
                host = host_array(out, "out")
                require_writable(host, self.dtype, self.shape, "out")
                if not host.flags.c_contiguous:
                    raise ValueError("out: expected an array in C order")
            self._native.field(host)
            return out if out is not None else like(host, place, self._original)
        if out is None:
            out = _gpu.empty(self.shape, self.dtype, place)
        elif place.kind == "jax":
            raise ValueError("out: arrays of JAX cannot be written")
        self._check_there(out, place, "out")
        self._native.field_cuda(_gpu.capsule(out, place))
        self._finish_for(place)
        return out


def _weights(weights: Any) -> list[float]:
    if weights is None:
        return []
    given = host_array(weights, "weights")
    if given.ndim != 1:
        raise ValueError(f"weights: expected 1 axis, found {given.ndim}")
    out: list[float] = readable(given, np.dtype(np.float64), "weights").tolist()
    return out


def _words(change: float | None, _seconds: float) -> str:
    return "" if change is None else f"largest change {change:.1e}"
