# SPDX-License-Identifier: MIT
"""Executors, forms of the iteration and policies side by side, measured on one system."""
from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
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

#: ``peer(A, b, rtol, maxiter)`` returns x, or x and how many iterations it made.
Peer = Callable[[Any, Any, float, int], Any]

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
    repetitions: int = 5, peers: Sequence[str | Peer] | Mapping[str, Peer] = ("scipy",),
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
    peers : sequence of str and callables, or dict of name to callable
        "scipy": ``scipy.sparse.linalg.cg``. A callable is a peer of your own, by JAX, CuPy, PyTorch, Numba or whatever
        else: ``peer(A, b, rtol, maxiter)`` gets a ``scipy.sparse.csr_array`` and an array of shape (n,), starts from
        x = 0 and returns x, or (x, iterations). `rtol` is 0.0 where `maxiter` iterations are to be made; else the
        iterations must be returned. x is what ``numpy.asarray`` takes, and the time of a call ends when it has taken
        it. Its calls, the first of which is not counted, are spread over the runs of ours. Its row has the residual of
        its x; one that raises an exception, or returns no such x, has a row that says so.
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
    own = _own_peers(peers)
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
    choices = list(_choices(executors, variants, policies))
    matrix = scipy.sparse.csr_array((a.data, a.indices, a.indptr), shape=(a.rows, a.cols))
    limit = iterations if rtol is None else maxiter or 10 * a.rows
    turns = _Turns(own, matrix, rhs, 0.0 if rtol is None else rtol, limit, repetitions, len(choices))
    for executor, variant, policy in choices:
        row: dict[str, Any] = {"executor": executor, "variant": variant, "policy": policy}
        try:
            solver = Solver._of(a, device, threads, {**options, "executor": executor, "variant": variant,
                                                     "policy": policy or "none"})
            row |= _measured(solver, rhs, repetitions, turns)
        except UnsupportedError as error:
            row |= _lost("unsupported", error)
        except DeviceError as error:
            row |= _lost("failed", error)
        out.append(row)
    out.extend(turns.rows())
    if "scipy" in peers and "scipy" not in own:
        out.append({"executor": "scipy", "variant": "textbook", "policy": ""}
                   | _scipy(matrix, rhs, preconditioner, 0.0 if rtol is None else rtol, limit, repetitions))
    base = next((row["per_iteration_us"] for row in out if row["outcome"] == "measured"), 0.0)
    for row in out:
        us = row["per_iteration_us"]
        row["speed_up"] = base / us if us else None
    return out


def _own_peers(peers: Sequence[str | Peer] | Mapping[str, Peer]) -> dict[str, Peer]:
    """Callables by their names."""
    own: dict[str, Peer] = {}
    if isinstance(peers, str):
        raise TypeError(f"peers: expected a list of 'scipy' and callables, found {peers!r}")
    pairs: list[tuple[Any, Any]] = list(peers.items()) if isinstance(peers, Mapping) else [
        (getattr(peer, "__name__", type(peer).__name__), peer) for peer in peers]
    for name, peer in pairs:
        if isinstance(peer, str):
            if peer != "scipy":
                raise ValueError(f"peers: expected 'scipy' or a callable, found {peer!r}")
            continue
        if not callable(peer):
            raise TypeError(f"peers: expected 'scipy' or a callable, found {type(peer).__name__}")
        if name in own or not isinstance(name, str):
            raise ValueError(f"peers: expected each name once, a text, found {name!r}; a dict gives them names")
        own[name] = peer
    return own


class _Turns:
    """Calls of peers, spread evenly over runs of ours: one that is not counted, then `repetitions`."""

    def __init__(self, peers: dict[str, Peer], matrix: Any, b: Any, rtol: float, limit: int, repetitions: int,
                 choices: int) -> None:
        self._peers, self._matrix, self._b, self._rtol, self._limit = peers, matrix, b, rtol, limit
        self._rounds = repetitions + 1
        self._ours = max(1, choices * self._rounds)
        self._made = self._done = 0
        self._us: dict[str, list[float]] = {name: [] for name in peers}
        self._rows: dict[str, dict[str, Any]] = {}

    def between(self) -> None:
        """After a run of ours."""
        self._made += 1
        while self._done < self._rounds and self._done * self._ours < self._made * self._rounds:
            self._round()

    def rows(self) -> list[dict[str, Any]]:
        """A row for each peer, after what is left of its calls."""
        while self._peers and self._done < self._rounds:
            self._round()
        return [{"executor": name, "variant": "", "policy": ""} | self._rows[name] for name in self._peers]

    def _round(self) -> None:
        for name, peer in self._peers.items():
            if self._rows.get(name, {}).get("outcome") == "failed":
                continue
            try:
                us, x, iterations = self._call(peer)
            except Exception as error:  # whatever others raise is said in their row
                self._rows[name] = _lost("failed", f"{type(error).__name__}: {error}".split("\n")[0])
                continue
            if self._done > 0:
                self._us[name].append(us)
                norm = float(np.linalg.norm(self._b)) or 1.0
                residual = float(np.linalg.norm(self._b - self._matrix @ x)) / norm
                self._rows[name] = _row(self._us[name], iterations=iterations, residual=residual, setup_s=0.0,
                                        reason="a peer of your own")
        self._done += 1

    def _call(self, peer: Peer) -> tuple[float, Any, int]:
        """Microseconds per iteration, x and the iterations."""
        begun = time.perf_counter()
        found = peer(self._matrix, self._b, self._rtol, self._limit)
        x, iterations = found if isinstance(found, tuple) and len(found) == 2 else (found, None)
        x = np.asarray(x)
        us = 1e6 * (time.perf_counter() - begun)
        if x.shape != self._b.shape or not np.issubdtype(x.dtype, np.floating):
            raise ValueError(f"expected x of shape {self._b.shape}, numbers, found {x.dtype} of shape {x.shape}")
        if iterations is None:
            if self._rtol > 0:
                raise ValueError("expected x and its iterations where there is an rtol, found x alone")
            iterations = self._limit
        count = int(iterations)
        if count < 1:
            raise ValueError(f"expected at least 1 iteration, found {count}")
        return us / count, x, count


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


def _measured(solver: Solver, b: Any, repetitions: int, turns: _Turns) -> dict[str, Any]:
    x = np.empty_like(b)
    us = []
    for _ in range(repetitions + 1):
        solver._answer(b, None, x, None)  # rows say what came of it
        us.append(solver.report.per_iteration_us)
        turns.between()
    report = solver.report
    return _row(us[1:], iterations=report.iterations, residual=report.residual_relative_true,
                setup_s=solver.setup.total_s, reason=report.reason)


def _lost(outcome: str, error: object) -> dict[str, Any]:
    return {"outcome": outcome, "why": str(error), "per_iteration_us": None, "per_iteration_us_min": None,
            "per_iteration_us_max": None, "iterations": None, "residual": None, "setup_s": None, "reason": ""}


def _scipy(matrix: Any, b: Any, preconditioner: str, rtol: float, count: int, repetitions: int) -> dict[str, Any]:
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
