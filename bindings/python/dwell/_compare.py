# SPDX-License-Identifier: MIT
"""Executors, forms of the iteration and policies side by side, measured on one system."""
from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
import scipy.sparse.linalg

from ._arrays import host_array, readable
from ._checks import whole, word
from ._core import DeviceError, UnsupportedError
from ._csr import as_csr, to_host
from ._options import Options
from ._report import seconds
from ._solver import Solver

if TYPE_CHECKING:
    import matplotlib.axes
    import pandas

EXECUTORS = ("host-loop", "graph", "persistent", "perks")
_SHOWN = ("executor", "variant", "policy", "outcome", "time", "speed-up", "iterations", "residual")


class Comparison(list[dict[str, Any]]):
    """A row for each run, the baseline first.

    Each row has: executor, variant, policy ("" where there is nothing to choose), outcome ("measured", "unsupported" or
    "failed"), why (unless it was measured), per_iteration_us, per_iteration_us_min, per_iteration_us_max (None unless
    measured), speed_up (over the first row), iterations, residual, setup_s, reason.
    """

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a pandas.DataFrame; ImportError where there is no pandas."""
        import pandas

        return pandas.DataFrame(list(self))

    def plot(self, ax: matplotlib.axes.Axes | None = None) -> matplotlib.axes.Axes:
        """Bars of the median time per iteration, the spread as whiskers; ImportError where there is no matplotlib.

        Parameters
        ----------
        ax : matplotlib.axes.Axes, optional
            Where to draw; by default a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        rows = [row for row in self if row["outcome"] == "measured"]
        if not rows:
            raise ValueError("plot: expected a row that was measured, found none")
        if ax is None:
            import matplotlib.pyplot as pyplot

            ax = pyplot.subplots(figsize=(7.5, 0.9 + 0.38 * len(rows)), layout="constrained")[1]
        at = np.arange(len(rows))
        median = np.array([row["per_iteration_us"] for row in rows])
        low = median - [row["per_iteration_us_min"] for row in rows]
        high = [row["per_iteration_us_max"] for row in rows] - median
        ax.barh(at, median, xerr=(low, high), height=0.7, color="#4a7fb5", ecolor="#333333", capsize=2)
        end = float((median + high).max())
        for k, row in enumerate(rows):
            ax.text(median[k] + high[k] + 0.015 * end, k, f"{median[k]:.3g} us, {row['speed_up']:.2f} x", va="center")
        ax.set_yticks(at, [_name(row) for row in rows])
        ax.invert_yaxis()
        ax.set_xlim(0, 1.35 * end)  # room for the words behind the longest bar
        ax.set_xlabel("microseconds per iteration")
        ax.spines[["top", "right"]].set_visible(False)
        return ax

    def __repr__(self) -> str:
        cells = [list(_SHOWN)]
        for row in self:
            measured = row["outcome"] == "measured"
            cells.append([row["executor"], row["variant"], row["policy"], row["outcome"],
                          seconds(1e-6 * row["per_iteration_us"]) if measured else "",
                          f"{row['speed_up']:.2f}" if measured else "",
                          str(row["iterations"]) if measured else "",
                          f"{row['residual']:.1e}" if measured else row["why"]])
        widths = [max(len(line[k]) for line in cells) for k in range(len(_SHOWN) - 1)] + [0]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells)


def compare(
    A: Any, b: Any = None, *, executors: Sequence[str] = EXECUTORS, variants: Sequence[str] | None = None,
    policies: Sequence[str] = ("none", "auto"), preconditioner: str = "none", device: str | None = None,
    threads: int = 0, iterations: int = 200, rtol: float | None = None, maxiter: int | None = None,
    repetitions: int = 5, peers: Sequence[str] = ("scipy",),
) -> Comparison:
    """Measure the solves of a system by every executor, form of the iteration and policy.

    Parameters
    ----------
    A : sparse matrix of shape (n, n)
        What ``Solver`` takes, on the host.
    b : array of shape (n,), optional
        By default ones.
    executors, policies : sequence of str
        `policies` are for ``perks``; the other executors have none.
    variants : sequence of str, optional
        By default "textbook", and "auto" for ``perks``.
    iterations : int
        Of every run, whatever the residual, unless `rtol` is given.
    rtol : float, optional
        Run until the residual is so small instead, at most `maxiter` iterations.
    repetitions : int
        Counted runs of each, after one that is not.
    peers : sequence of str
        "scipy": ``scipy.sparse.linalg.cg``.
    preconditioner, device, threads
        As of ``Solver``.

    Returns
    -------
    Comparison
        A list of dicts. What this build or device does not have has a row that says why.

    Raises
    ------
    ValueError
        The system or an option cannot be used.

    Examples
    --------
    >>> import dwell
    >>> rows = dwell.compare(dwell.generate("poisson2d:20x20"), executors=["persistent"], iterations=20, repetitions=1,
    ...                      device="cpu", peers=[])
    >>> rows[0]["executor"], rows[0]["iterations"]
    ('persistent', 20)
    """
    for name, value in (("repetitions", repetitions), ("iterations", iterations)):
        if whole(value, name) < 1:
            raise ValueError(f"{name}: expected at least 1, found {value}")
    for peer in peers:
        if peer != "scipy":
            raise ValueError(f"peers: expected 'scipy', found {peer!r}")
    for name, words in (("executors", executors), ("policies", policies), ("variants", variants or ())):
        if isinstance(words, str):
            raise TypeError(f"{name}: expected a list of words, found {words!r}")
        for one in words:
            word(one, name)
    given = None if b is None else host_array(b, "b")
    a = to_host(as_csr(A, None if given is None else given.dtype))
    rhs = np.ones(a.rows, a.dtype) if given is None else readable(given, a.dtype, "b")
    if rhs.shape != (a.rows,):
        raise ValueError(f"b: expected shape ({a.rows},), found {rhs.shape}")
    options: Options = {"preconditioner": preconditioner, "fixed_iterations": rtol is None,
                        "maxiter": iterations if rtol is None else maxiter}
    if rtol is not None:
        options["rtol"] = rtol
    out = Comparison()
    for executor, variant, policy in _choices(executors, variants, policies):
        row: dict[str, Any] = {"executor": executor, "variant": variant, "policy": policy}
        try:
            solver = Solver._of(a, device, threads, {**options, "executor": executor, "variant": variant,
                                                     "policy": policy or "none"})
            row |= _measured(solver, rhs, repetitions)
        except UnsupportedError as error:
            row |= _lost("unsupported", error)
        except DeviceError as error:
            row |= _lost("failed", error)
        out.append(row)
    if "scipy" in peers:
        count = iterations if rtol is None else maxiter or 10 * a.rows
        out.append({"executor": "scipy", "variant": "textbook", "policy": ""}
                   | _scipy(a, rhs, preconditioner, 0.0 if rtol is None else rtol, count, repetitions))
    base = next((row["per_iteration_us"] for row in out if row["outcome"] == "measured"), 0.0)
    for row in out:
        us = row["per_iteration_us"]
        row["speed_up"] = base / us if us else None
    return out


def _name(row: dict[str, Any]) -> str:
    """"executor policy", and the form unless it is the usual one."""
    usual = "auto" if row["executor"] == "perks" else "textbook"
    words = [row["executor"], row["policy"], row["variant"] if row["variant"] != usual else ""]
    return " ".join(word for word in words if word)


def _choices(executors: Iterable[str], variants: Sequence[str] | None,
             policies: Sequence[str]) -> Iterable[tuple[str, str, str]]:
    for executor in executors:
        caches = executor == "perks"
        for variant in variants or (["auto"] if caches else ["textbook"]):
            for policy in policies if caches else [""]:
                yield executor, variant, policy


def _row(us: list[float], **rest: Any) -> dict[str, Any]:
    return {"outcome": "measured", "why": "", "per_iteration_us": statistics.median(us), "per_iteration_us_min": min(us),
            "per_iteration_us_max": max(us), **rest}


def _measured(solver: Solver, b: Any, repetitions: int) -> dict[str, Any]:
    x = np.empty_like(b)
    us = []
    for _ in range(repetitions + 1):
        solver.solve(b, out=x)
        us.append(solver.report.per_iteration_us)
    report = solver.report
    return _row(us[1:], iterations=report.iterations, residual=report.residual_relative_true,
                setup_s=solver.setup.total_s, reason=report.reason)


def _lost(outcome: str, error: Exception) -> dict[str, Any]:
    return {"outcome": outcome, "why": str(error), "per_iteration_us": None, "per_iteration_us_min": None,
            "per_iteration_us_max": None, "iterations": None, "residual": None, "setup_s": None, "reason": ""}


def _scipy(a: Any, b: Any, preconditioner: str, rtol: float, count: int, repetitions: int) -> dict[str, Any]:
    matrix = scipy.sparse.csr_array((a.data, a.indices, a.indptr), shape=(a.rows, a.cols))
    inverse = scipy.sparse.diags_array(1 / matrix.diagonal()) if preconditioner == "jacobi" else None
    us, done = [], 0
    for _ in range(repetitions + 1):
        done = 0

        def count_one(_: Any) -> None:
            nonlocal done
            done += 1

        begun = time.perf_counter()
        x, _info = scipy.sparse.linalg.cg(matrix, b, rtol=rtol, atol=0, maxiter=count, M=inverse, callback=count_one)
        us.append(1e6 * (time.perf_counter() - begun) / max(done, 1))
    norm = float(np.linalg.norm(b)) or 1.0
    return _row(us[1:], iterations=done, residual=float(np.linalg.norm(b - matrix @ x)) / norm, setup_s=0.0,
                reason="scipy.sparse.linalg.cg, one thread")
