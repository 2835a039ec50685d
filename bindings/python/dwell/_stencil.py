# SPDX-License-Identifier: MIT
"""The one call that does steps of a stencil."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ._checks import boolean, number, whole
from ._progress import OnInterrupt, Progress, check_on_interrupt
from ._reduce import reduce
from ._runner import Runner
from ._stencil_options import StencilOptions, check_names, takes_stencil_options
from ._warnings import SolveWarning, counted, warn

if TYPE_CHECKING:
    from typing_extensions import Unpack


@takes_stencil_options("Runner")
def stencil(
    u: Any, shape: str, steps: int, *, source: Any = None, until: float | None = None, check_every: int = 100,
    out: Any = None, device: str | None = None, threads: int = 0, progress: Progress = None,
    on_interrupt: OnInterrupt = "raise", return_report: bool = False, **options: Unpack[StencilOptions],
) -> Any:
    """Do steps of an iterative stencil on a field.

    Parameters
    ----------
    u : array of shape (y, x) or (z, y, x)
        The field, which stays as it is unless it is also `out`.
    shape : str
        The stencil: a name of ``shapes()``.
    steps : int
        To do, or allowed where `until` is given.
    until : float, optional
        End when no cell changes by more than this in one step, tested every `check_every` steps and after the last.
    out : array of u's shape, optional
        Where the field goes; may be `u`. In C order, of the dtype that is computed in. At Ctrl-C it has the field so
        far.
    return_report : bool
        Return also a ``StencilReport``.
    source, device, threads
        As of ``Runner``.
    {options}
    progress, on_interrupt
        As of ``Runner.run``.

    Returns
    -------
    field : array of u's shape, library and device
        `out` if that was given.
    report : StencilReport
        Only with `return_report`.

    Warns
    -----
    SolveWarning
        With `until`: `steps` were done, and cells still changed by more. Or values are not finite.

    Raises
    ------
    ValueError, TypeError, UnsupportedError, DeviceError, KeyboardInterrupt
        As ``Runner`` does.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> u = np.zeros((50, 40)); u[25, 20] = 1
    >>> v = dwell.stencil(u, "2d5pt", 100, boundary="reflect")
    >>> bool(abs(v.sum() - 1) < 1e-12)
    True
    """
    steps, return_report = whole(steps, "steps"), boolean(return_report, "return_report")
    if until is not None:
        until, check_every = number(until, "until"), whole(check_every, "check_every")
    check_on_interrupt(on_interrupt)
    check_names(options, "stencil")
    runner = Runner(u, shape, source=source, device=device, threads=threads, **options)
    try:
        if until is None:
            outcome = runner.run(steps, progress=progress, on_interrupt=on_interrupt)
        else:
            outcome = runner.run_until(until, steps, check_every, progress=progress, on_interrupt=on_interrupt)
    except KeyboardInterrupt:
        if out is not None:
            runner.field(out)
        raise
    field = runner.field(out)
    if outcome.stopped == "step limit":
        change = "not computed" if outcome.change is None else f"{outcome.change:.2e}"
        warn(f"step limit after {counted(outcome.steps, 'step')}: largest change {change}, wanted {until:.2e}", SolveWarning)
    elif outcome.stopped == "not finite" or not math.isfinite(reduce(field, "norm-max") if math.prod(field.shape) else 0.0):
        warn(f"values are not finite after {counted(outcome.steps, 'step')}", SolveWarning)
    return (field, runner.report) if return_report else field
