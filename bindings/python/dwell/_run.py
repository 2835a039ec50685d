# SPDX-License-Identifier: MIT
"""The one call that runs a definition."""
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ._define import Definition
from ._field_report import FieldReport
from ._field_runner import FieldRunner
from ._progress import OnInterrupt, Progress
from ._warnings import SolveWarning, counted, warn


class FieldResult:
    """What a run left: ``result["u"]`` is a field, ``u, v = result`` are all.

    Attributes
    ----------
    fields : dict of str to array
        In the definition's order, each of the kind that was given for it.
    records : dict of str to array
        What the receivers of a field recorded: (steps, n), or (steps,) where one cell was given.
    reductions : numpy.ndarray
        A row for each time that fields were reduced, with the columns "step" and, say, "sum(u)".
    report : FieldReport
    """

    def __init__(self, fields: dict[str, Any], records: dict[str, Any], reductions: Any, report: FieldReport) -> None:
        self.fields, self.records, self.reductions, self.report = fields, records, reductions, report

    def __getitem__(self, name: str) -> Any:
        if name not in self.fields:
            raise KeyError(f"expected {', '.join(self.fields)}, found {name!r}")
        return self.fields[name]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.fields.values())

    def __len__(self) -> int:
        return len(self.fields)

    def __repr__(self) -> str:
        return repr(self.report)


def run(
    definition: Definition, *, steps: int, boundary: Any = None, sources: Mapping[str, Any] | None = None,
    receivers: Mapping[str, Any] | None = None, reductions: Mapping[str, Any] | None = None, reduce_every: int = 100,
    until: Mapping[str, Any] | None = None, device: str | None = None, executor: str = "auto", kernel: str = "auto",
    depth: int = 0, hoist: str = "auto", threads: int = 0, progress: Progress = None, on_interrupt: OnInterrupt = "raise", **values: Any,
) -> FieldResult:
    """Do steps of a definition on fields.

    Parameters
    ----------
    definition : Definition
        Of ``dwell.define``, or of ``dwell.stencils``.
    steps : int
    boundary, sources, receivers, reductions, reduce_every, until, device, executor, kernel, depth, hoist, threads, **values
        As of ``FieldRunner``: fields, coefficients and parameters by their names. Fields stay as they are; the answer has
        new ones.
    progress, on_interrupt
        As of ``FieldRunner.run``.

    Returns
    -------
    FieldResult
        The fields by name, what receivers recorded, and a report.

    Warns
    -----
    SolveWarning
        With `until`: `steps` were done, and no quantity had become so small. Or values are not finite.

    Raises
    ------
    ValueError, TypeError, UnsupportedError, KeyboardInterrupt
        As ``FieldRunner`` does.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> @dwell.define(fields="u", parameters="r")
    ... def diffusion(u, r=0.2):
    ...     return u + r * (u[-1] - 2 * u + u[1])
    >>> u = np.zeros(50); u[25] = 1
    >>> result = dwell.run(diffusion, u=u, steps=100, boundary="reflect", receivers={"u": (25,)})
    >>> bool(abs(result["u"].sum() - 1) < 1e-12), result.records["u"].shape
    (True, (100,))

    Until a step changes no cell by more than 1e-3:

    >>> result = dwell.run(diffusion, u=u, steps=1000, boundary="reflect", until={"u": {"change-norm-max": 1e-3}}, reduce_every=10)
    >>> result.report.stopped, len(result.reductions) == result.report.steps // 10
    ('converged', True)
    """
    runner = FieldRunner(definition, boundary=boundary, sources=sources, receivers=receivers, reductions=reductions,
                         reduce_every=reduce_every, until=until, device=device, executor=executor, kernel=kernel, depth=depth,
                         hoist=hoist, threads=threads, **values)
    runner.run(steps, progress=progress, on_interrupt=on_interrupt)
    result = FieldResult({name: runner.field(name) for name in definition.fields}, runner.records, runner.reductions, runner.report)
    _warn_of(result.report)
    return result


def _warn_of(report: FieldReport) -> None:
    if report.stopped == "step limit":
        found = [f"{name} {'not computed' if report.reductions[name] is None else format(report.reductions[name], '.2e')}, "
                 f"wanted {wanted:.2e}" for name, wanted in report.until.items()]
        warn(f"step limit after {counted(report.steps, 'step')}: {'; '.join(found)}", SolveWarning)
    elif report.stopped == "not finite" or not report.finite:
        warn(f"values are not finite after {counted(report.steps, 'step')}", SolveWarning)
