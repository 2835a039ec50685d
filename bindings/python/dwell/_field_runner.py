# SPDX-License-Identifier: MIT
"""Several fields that change together and stay prepared between runs."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from . import _core, _gpu
from ._arrays import FLOATS, HOST, Place, dtype_of, float_dtype, host_array, is_one, like, place_of, readable, require_writable
from ._boundary import sides_of_fields
from ._checks import finite, held, number, whole, word
from ._define import Definition, require_definition
from ._device import resolve
from ._field_report import FieldReport
from ._points import Points, receivers_of, sources_of
from ._progress import OnInterrupt, Progress, check_on_interrupt, heard
from ._reductions import Reduction, reductions_of, table_of
from ._stencil_report import Outcome
from ._turn import Turn


_WHOLE = ("steps done", "step limit")  # how a piece ends that does all its steps


class FieldMoment:
    """The fields between two pieces of a run, for callbacks."""

    def __init__(self, step: int, runner: FieldRunner) -> None:
        self.step = step  #: done since the run began
        self._runner = runner

    def field(self, name: str, out: Any = None) -> Any:
        """A copy of a field, or `out` with it; as ``FieldRunner.field``."""
        return self._runner._read(name, out)

    def __repr__(self) -> str:
        return f"<dwell.FieldMoment: {self._runner.definition.name}, step {self.step}>"


class FieldRunner(_gpu.StreamUser):
    """The fields of a definition while a program steps through time.

    Checks, kernels and memory are paid once. ``run(a)`` and then ``run(b)`` leave the bits of ``run(a + b)``, under every
    executor, kernel and number of threads.

    Parameters
    ----------
    definition : Definition
    boundary : str, tuple or dict, optional
        What lies beyond the border, by default what the definition says, else "fixed". A word for all sides; or a tuple with
        an entry for each axis, the slowest first, that is a word or a pair (low, high) of words; or a dict that has one of
        these for every field. Words, for the cells ``a b c d`` of an axis: "fixed" (the outermost cells, `radius` of them, keep
        their values), "constant:V" (V beyond the border), "reflect" (b a | a b c d | d c), "mirror" (c b | a b c d | c b),
        "antisymmetric" (-b -a | a b c d | -d -c), "nearest" (a a | a b c d | d d), "periodic" (c d | a b c d | a b). Coefficients
        are periodic where the axis is, else nearest.
    sources : dict, optional
        {field: (cells, series)}: cells of shape (n, dims), or (dims,) for one, and series of shape (steps, n), or (steps,), which
        are added to the field after each step.
    receivers : dict, optional
        {field: cells}: where the field is recorded after each step and its sources.
    reductions : dict, optional
        {field: quantities}: numbers of all cells of a field, to watch a run: a word or a list of "sum", "min", "max", "norm1"
        (sum of magnitudes), "norm2" (Euclidean), "norm-max" (largest magnitude), each of which may stand behind "change-":
        "change-norm2" is that of what the last step changed. Numbers are those of ``dwell.reduce``, the same bits under every
        executor, kernel and number of threads.
    reduce_every : int
        Steps between two reductions. Each passes over the fields once more, and passes of several steps end there.
    until : dict, optional
        {field: {quantity: number}}: a run ends when the quantity is no more than the number, or is NaN. It is reduced with
        the others.
    device : str, optional
        "cpu", "cuda", "cuda:N"; by default the GPU of the arrays that are on one, else the first GPU that can be used, else
        the CPU; the CPU if `threads` is given.
    executor : str
        "auto", or on a CPU "naive" (one thread), "persistent" (threads that have a part of the rows each), "temporal" (several
        steps while rows are in a core's cache); on a GPU "naive" (every cell by itself), "host-loop" (a launch for every
        stage), "graph" (many of these in one launch), "persistent" (many steps in one kernel), "temporal" (several steps in a
        launch while rows are on the chip), "perks" (fields that fit the chip stay there for all steps of a run).
    kernel : {"auto", "compiled", "interpreted"}
        Compiled when first needed and kept in a cache on the disk (DWELL_CACHE_DIR, else ~/.cache/dwell), on a CPU by the
        system's compiler, on a GPU by NVRTC; or, on a CPU, interpreted, without a compiler, several times slower. The bits are
        equal.
    depth : int
        Steps of a pass of executor "temporal"; of "perks" those between two exchanges of halos; 0: as planned.
    hoist : {"auto", "always", "never"}
        Values of coefficients alone, such as a mean of two conductivities, are the same in every step: computed once, in arrays
        that steps read as they read coefficients, or in every step. "auto": once where a step is projected to take at most
        1 / 1.1 of its time then, on a CPU 1 / 1.25, by what a division costs this one. The bits are equal.
    threads : int
        Of a CPU; 0: as many as are worth it.
    progress_interval : float
        Seconds between two calls of a progress function.
    **values
        Every field, an array of the definition's number of axes, or a number for all its cells; every coefficient likewise;
        every parameter, a number, or a sequence with one for each step. What has a default may be left out. Arrays
        are copied; NumPy's (or what NumPy makes an array of), CuPy's, PyTorch's, JAX's, or of a library with DLPack.
        float32 and float64 as they are, other real numbers become float64; all have the dtype of the first field that is an
        array. Arrays of a GPU must be of one of the two and in C order; they are copied there, without the host, and work goes to
        the current stream of the first one's library.

    Raises
    ------
    ValueError
        A size, a name, an option or a value cannot be used.
    TypeError
        Not an array of real numbers, or not of the fields' dtype.
    UnsupportedError
        A kernel or an executor that there is not here; a GPU without NVRTC.
    DeviceError
        The device is absent, fails or has too little memory.

    Notes
    -----
    Series, and sequences for a parameter, begin with the first step after they were set, and go on from run to run.
    Threads may share a runner: they take turns.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> u = np.zeros((50, 40)); u[25, 20] = 1
    >>> runner = dwell.FieldRunner(dwell.stencils.heat(), u=u, k=1.0, boundary="reflect")
    >>> runner.run(10, every=5, callback=lambda now: print(now.step)).stopped
    5
    10
    'steps done'
    >>> bool(abs(runner.field("u").sum() - 1) < 1e-12)
    True
    """

    def __init__(
        self, definition: Definition, *, boundary: Any = None, sources: Mapping[str, Any] | None = None,
        receivers: Mapping[str, Any] | None = None, reductions: Mapping[str, Any] | None = None, reduce_every: int = 100,
        until: Mapping[str, Any] | None = None, device: str | None = None, executor: str = "auto", kernel: str = "auto",
        depth: int = 0, hoist: str = "auto", threads: int = 0, progress_interval: float = 0.1, **values: Any,
    ) -> None:
        self.definition = require_definition(definition)
        values = {**definition.defaults, **values}
        _check_names(definition, values)
        self._places: dict[str, Place] = {}
        self._originals: dict[str, Any] = {}
        arrays = {name: self._given(values[name], name) for name in definition.fields + definition.coefficients}
        self.shape = _shape_of(arrays, definition)
        self.dtype = _dtype_of(arrays, definition)
        there = next((p for p in map(place_of, arrays.values()) if p.gpu is not None), HOST)
        self._take_stream(there)
        sides = sides_of_fields(definition.boundary if boundary is None else boundary, definition.fields, definition.dims)
        self._native: Any = _core.FieldRunner(definition._native, list(self.shape), self.dtype.name, sides,
                                         word(kernel, "kernel"), word(executor, "executor"), resolve(device, threads, there.gpu, self._stream),
                                         number(progress_interval, "progress_interval"), whole(depth, "depth"),
                                         word(hoist, "hoist"))
        self._turn = Turn("run")
        self._left: dict[str, int] = {}  # rows of parameters that have a value per step, and of sources
        self._receivers: list[Points] = []
        self._reductions: list[Reduction] = []
        for name, array in arrays.items():
            self._set_array(name, array)
        for name in definition.parameters:
            self._set_parameter(name, values[name])
        self.set_points(sources, receivers)
        self.set_reductions(reductions, reduce_every, until)

    def __repr__(self) -> str:
        size = " x ".join(map(str, self.shape))
        return f"<dwell.FieldRunner: {self.definition.name}, {size}, {self.dtype}>"

    @property
    def report(self) -> FieldReport:
        """How the fields are computed and why, and the last run."""
        return FieldReport.of(self._native.report())

    def set(self, **values: Any) -> None:
        """Other fields, coefficients or parameters, from the next run on. Raises as the constructor does."""
        names = self.definition.fields + self.definition.coefficients + self.definition.parameters
        with self._turn:
            for name, value in values.items():
                if name not in names:
                    raise ValueError(f"expected {', '.join(names)}, found '{name}'")
                if name in self.definition.parameters:
                    self._set_parameter(name, value)
                else:
                    self._set_array(name, self._given(value, name))

    def set_points(self, sources: Mapping[str, Any] | None = None, receivers: Mapping[str, Any] | None = None) -> None:
        """Other sources and receivers in place of those that there are, from the next run on."""
        with self._turn:
            added = sources_of(sources, self.definition.fields, self.shape, self.dtype)
            heard = receivers_of(receivers, self.definition.fields, self.shape)
            self._native.clear_points()
            self._left = {name: rows for name, rows in self._left.items() if name in self.definition.parameters}
            for one in added:
                self._native.set_sources(one.field, one.cells, one.series)
                self._left[f"sources of {one.name}"] = len(one.series)
            self._receivers = heard
            for one in heard:
                one.number = self._native.set_receivers(one.field, one.cells)
            self._records = [np.empty((0, len(one.cells)), self.dtype) for one in heard]

    def set_reductions(self, reductions: Mapping[str, Any] | None = None, reduce_every: int = 100,
                       until: Mapping[str, Any] | None = None) -> None:
        """Other reductions in place of those that there are, and a new table, from the next run on. None: none."""
        with self._turn:
            wanted = reductions_of(reductions, until, self.definition.fields)
            self._native.set_reductions([(r.field, r.quantity, r.until) for r in wanted], whole(reduce_every, "reduce_every"))
            self._reductions = wanted

    def field(self, name: str, out: Any = None) -> Any:
        """A copy of a field, of the kind and on the device of the array that was given for it; where that was a number, of
        the first field that was an array.

        Parameters
        ----------
        name : str
        out : array of the fields' shape and dtype in C order, optional
            Where the field goes instead.

        Returns
        -------
        array
        """
        with self._turn:
            return self._read(name, out)

    @property
    def records(self) -> dict[str, np.ndarray[Any, Any]]:
        """What the receivers of each field recorded in the last run: (steps, n), or (steps,) where one cell was given."""
        with self._turn:
            return {one.name: rows[:, 0] if one.is_one else rows for one, rows in zip(self._receivers, self._records)}

    @property
    def reductions(self) -> np.ndarray[Any, Any]:
        """What was reduced since the reductions were set: a structured array with a row for each time, and the columns "step",
        steps done by this runner, and "sum(u)", ..."""
        with self._turn:
            steps, values = self._native.reductions()
            return table_of(self._reductions, steps, values)

    def run(
        self, steps: int, *, every: int | None = None, callback: Callable[[FieldMoment], Any] | None = None,
        progress: Progress = None, on_interrupt: OnInterrupt = "raise",
    ) -> Outcome:
        """Do steps.

        Parameters
        ----------
        steps : int
        every : int, optional
            With `callback`: after every so many steps and after the last one.
        callback : callable, optional
            Called with a ``FieldMoment``. If it returns False, the run ends there; what it raises ends it, too, and the
            fields stay.
        progress : bool or callable, optional
            True: a bar of tqdm. A function is called with (step, seconds) now and then; if it returns False, the run ends.
        on_interrupt : {"raise", "return"}
            At Ctrl-C: raise KeyboardInterrupt, or return; the fields are those of the steps done.

        Returns
        -------
        Outcome
        """
        if (every is None) != (callback is None):
            raise ValueError("every and callback: expected both or none, found one of them")
        steps = whole(steps, "steps")
        if steps < 0:
            raise ValueError(f"steps: expected at least 0, found {steps}")
        piece = steps if every is None else whole(every, "every")
        if piece < 1 and steps > 0:
            raise ValueError(f"every: expected at least 1, found {piece}")
        if callback is not None and not callable(callback):
            raise TypeError(f"callback: expected a function, found {type(callback).__name__}")
        check_on_interrupt(on_interrupt)
        with self._turn, heard(progress, "step", lambda *_: "") as listener:
            for what, left in self._left.items():
                if left < steps:
                    raise ValueError(f"{what}: expected a value for each of {steps} steps, found {left}")
            outcome = Outcome(0, "steps done", None, 0.0)
            before = [len(self._native.record(one.number)) for one in self._receivers]
            while outcome.steps < steps and outcome.stopped in _WHOLE:
                one = self._piece(min(piece, steps - outcome.steps), outcome.steps, listener)
                outcome = Outcome(outcome.steps + one.steps, one.stopped, None, outcome.solve_s + one.solve_s)
                self._records = [self._native.record(r.number)[rows:] for r, rows in zip(self._receivers, before)]
                try:
                    self._native.raise_pending()
                except KeyboardInterrupt:
                    if on_interrupt == "raise":
                        raise
                if callback is not None and one.stopped in _WHOLE and callback(FieldMoment(outcome.steps, self)) is False:
                    outcome = outcome._replace(stopped="interrupted" if outcome.steps < steps else outcome.stopped)
            return outcome

    # What follows is private.

    def _piece(self, steps: int, before: int, listener: Callable[..., Any] | None) -> Outcome:
        def hear(step: int, *rest: Any) -> Any:
            assert listener is not None
            return listener(before + step, *rest)

        done, stopped, seconds = self._native.run(steps, None if listener is None else hear)
        outcome = Outcome(done, stopped, None, seconds)
        self._left = {what: left - outcome.steps for what, left in self._left.items()}
        return outcome

    def _given(self, value: Any, name: str) -> Any:
        """An array of the host or of a GPU, or a float."""
        if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
            return number(value, name)
        place = place_of(value)
        if place.gpu is not None and dtype_of(value) not in FLOATS:
            raise TypeError(f"{name}: expected float32 or float64 (arrays of a GPU are not converted), found {dtype_of(value)}")
        if name in self.definition.fields:
            self._places[name] = place
            self._originals[name] = value if place.kind == "dlpack" else None
        return host_array(value, name) if place.gpu is None else value

    def _there(self, a: Any, place: Place, what: str) -> Any:
        """What the extension takes of an array of a GPU, once it is ready."""
        _gpu.check(a, self.dtype, what)
        if tuple(a.shape) != self.shape or _gpu.order(a, place) != "C":
            raise ValueError(f"{what}: expected shape {self.shape} in C order, found {tuple(a.shape)}")
        self._order_after(a, place)
        return _gpu.capsule(a, place)

    def _set_array(self, name: str, value: Any) -> None:
        fields, native = self.definition.fields, self._native
        is_field = name in fields
        i = fields.index(name) if is_field else self.definition.coefficients.index(name)
        place = HOST if isinstance(value, float) else place_of(value)
        if place.gpu is not None:
            (native.set_field_cuda if is_field else native.set_coefficient_cuda)(i, self._there(value, place, name))
            self._finish_for(place)
            return
        if isinstance(value, float):
            array = np.full(self.shape, held(value, self.dtype, name), self.dtype)
        else:
            array = readable(value, self.dtype, name)
            if array.shape != self.shape:
                raise ValueError(f"{name}: expected shape {self.shape}, found {array.shape}")
            finite(array, name)
        (native.set_field if is_field else native.set_coefficient)(i, array)

    def _set_parameter(self, name: str, value: Any) -> None:
        if is_one(value, name):
            one = held(number(value, name), self.dtype, name)
            self._left.pop(name, None)
            self._native.set_parameter(self.definition.parameters.index(name), one)
            return
        table = readable(host_array(value, name), np.dtype(np.float64), name)
        if table.ndim != 1:
            raise ValueError(f"{name}: expected a number, or a sequence with one for each step, found {table.ndim} axes")
        with np.errstate(over="ignore"):
            finite(table.astype(self.dtype), name)
        self._native.set_parameter(self.definition.parameters.index(name), table)
        self._left[name] = len(table)

    def _read(self, name: str, out: Any) -> Any:
        fields = self.definition.fields
        if name not in fields:
            raise ValueError(f"field: expected {', '.join(fields)}, found {name!r}")
        of = name if name in self._places else next((f for f in fields if f in self._places), name)
        place = self._places.get(of, HOST) if out is None else place_of(out)
        if place.gpu is not None:
            if out is None:
                out = _gpu.empty(self.shape, self.dtype, place)
            elif place.kind == "jax":
                raise ValueError("out: arrays of JAX cannot be written")
            self._native.field_cuda(fields.index(name), self._there(out, place, "out"))
            self._finish_for(place)
            return out
        if out is None:
            host = np.empty(self.shape, self.dtype)
        else:
            host = host_array(out, "out")
            require_writable(host, self.dtype, self.shape, "out")
            if not host.flags.c_contiguous:
                raise ValueError("out: expected an array in C order")
        self._native.field(fields.index(name), host)
        return out if out is not None else like(host, place, self._originals.get(of))


def _check_names(definition: Definition, values: dict[str, Any]) -> None:
    names = definition.fields + definition.coefficients + definition.parameters
    for name in values:
        if name not in names:
            raise ValueError(f"{definition.name}: expected {', '.join(names)}, found '{name}'")
    for name in names:
        if name not in values:
            kind = "a number" if name in definition.parameters else "an array or a number"
            raise ValueError(f"{definition.name}: expected {name}, {kind}, found none")


def _shape_of(arrays: dict[str, Any], definition: Definition) -> tuple[int, ...]:
    for name, array in arrays.items():
        if not isinstance(array, float):
            axes = len(array.shape)  # some arrays with __cuda_array_interface__ have no ndim
            if axes != definition.dims:
                raise ValueError(f"{name}: expected {definition.dims} {'axis' if definition.dims == 1 else 'axes'}, "
                                 f"found {axes}")
            return tuple(array.shape)
    raise ValueError(f"{definition.name}: expected an array for {' or '.join(arrays)}, found numbers")


def _dtype_of(arrays: dict[str, Any], definition: Definition) -> np.dtype[Any]:
    for name in definition.fields:
        if not isinstance(arrays[name], float):
            return float_dtype(dtype_of(arrays[name]), name)
    return next(float_dtype(dtype_of(a), name) for name, a in arrays.items() if not isinstance(a, float))
