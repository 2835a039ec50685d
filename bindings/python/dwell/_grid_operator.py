# SPDX-License-Identifier: MIT
"""The operator of systems on grids, -div(k grad u) + s u, without a matrix."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse

from ._arrays import like
from ._grid_problem import Problem
from ._matrices import csr_of
from ._turn import Turn


class GridOperator:
    """``A u = -div(k grad u) + s u`` on a box of one to three dimensions, without a matrix: what ``GridSolver`` solves with.

    Parameters
    ----------
    shape, k, s, spacing, boundary, boundary_values, centring, mean, k_axes, k_faces, dtype, device, threads
        As of ``GridSolver``; arrays are the host's.

    Raises
    ------
    ValueError, TypeError, UnsupportedError
        As ``GridSolver``.

    Notes
    -----
    An element of A u is what leaves a cell, over the volume of a whole cell. A is symmetric. Results have the same bits
    whatever the number of threads.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> A = dwell.GridOperator((30, 40), boundary="x: dirichlet 1, y: neumann")
    >>> u = np.random.default_rng(1).random((30, 40))
    >>> M = A.to_matrix()
    >>> bool(np.allclose(A @ u, (M @ u.ravel()).reshape(30, 40)))
    True
    """

    def __init__(
        self, shape: Any = None, *, k: Any = 1.0, s: Any = 0.0, spacing: Any = 1.0, boundary: str = "dirichlet",
        boundary_values: Mapping[str, Any] | None = None, centring: str = "cell", mean: str = "harmonic", k_axes: Any = None,
        k_faces: Mapping[str, Any] | None = None, dtype: Any = None, device: str | None = None, threads: int = 0,
    ) -> None:
        self._problem = p = Problem(shape, k, s, spacing, boundary, boundary_values, centring, mean, k_axes, k_faces, dtype)
        p.require_host()
        self._native: Any = p.native("GridOperator")(*p.place(device, threads), p.coefficients())
        self._turn = Turn("operator")

    @property
    def shape(self) -> tuple[int, ...]:
        """Unknowns along each axis, the slowest first."""
        return self._problem.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64, of all arrays."""
        return self._problem.dtype

    @property
    def singular(self) -> bool:
        """Constants are in the null space: nothing holds u."""
        return bool(self._native.singular)

    def apply(self, u: Any, out: Any = None) -> Any:
        """A u.

        Parameters
        ----------
        u : array of shape `shape`
        out : array of shape `shape`, optional
            Where the result goes: of u's library, of `dtype`, in C order, writable, and not u's memory.

        Returns
        -------
        array of shape `shape`, of u's library
            `out` if that was given.

        Raises
        ------
        ValueError
            A shape does not fit, or `out` cannot be written.
        TypeError
            A dtype cannot be used: complex, or float64 where the operator has float32.
        """
        return self._made(u, "u", out, self._native.apply)

    def __matmul__(self, u: Any) -> Any:
        return self.apply(u)

    def rhs(self, f: Any = 0.0, out: Any = None) -> Any:
        """b of A u = b for ``-div(k grad u) + s u = f``: f, of each unknown's part of a cell, and what the sides give.

        Parameters
        ----------
        f : float or array of shape `shape`
        out : array of shape `shape`, optional
            As of ``apply``.

        Returns
        -------
        array of shape `shape`, of f's library
            `out` if that was given.

        Raises
        ------
        ValueError, TypeError
            As ``apply``.
        """
        return self._made(f, "f", out, self._native.rhs)

    def to_matrix(self) -> scipy.sparse.csr_array:
        """A as a matrix, whose rows are the unknowns in C order.

        Returns
        -------
        csr_array of `dtype` and int32

        Raises
        ------
        ValueError
            It has more elements than 32-bit indices count.
        """
        return csr_of(self._native.to_matrix())

    def __repr__(self) -> str:
        return f"<dwell.GridOperator: {' x '.join(map(str, self.shape))}, {self.dtype}>"

    def _made(self, given: Any, what: str, out: Any, into: Any) -> Any:
        a, place = self._problem.vector(given, what)
        made = self._problem.answer(out, a, what)
        with self._turn:
            into(a.reshape(-1), made.reshape(-1))
        if out is not None:
            return out
        return made if place.kind == "numpy" else like(made, place, given)
