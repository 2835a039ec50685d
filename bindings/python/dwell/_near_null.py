# SPDX-License-Identifier: MIT
"""Near-null vectors of elasticity, for preconditioner "amg"."""
from __future__ import annotations

from typing import Any

import numpy as np

from . import _core
from ._arrays import float_dtype, host_array, place_of, readable
from ._checks import boolean


def rigid_body_modes(coords: Any, rotations: bool = False) -> np.ndarray[Any, Any]:
    """The rigid-body modes of a body: what ``Solver(preconditioner="amg", near_null=...)`` takes for elasticity.

    Parameters
    ----------
    coords : array of shape (nodes, 2) or (nodes, 3)
        Coordinates of the nodes, in the order of the matrix's rows.
    rotations : bool
        The rotations of a node are unknowns too, behind its displacements, as in frames and shells.

    Returns
    -------
    modes : array of float64, shape (rows, 3) in the plane and (rows, 6) in space, in Fortran order
        The translations, then the rotations about the mean of all nodes. A node has as many rows as coordinates; with
        `rotations` 3 or 6.

    Raises
    ------
    ValueError
        The shape is another one, or a value is not finite.

    Examples
    --------
    >>> import dwell, numpy as np
    >>> A = dwell.generate("elasticity2d:30x20")
    >>> B = dwell.rigid_body_modes(dwell.generated_coordinates("elasticity2d:30x20"))
    >>> B.shape
    (1260, 3)
    >>> solver = dwell.Solver(A, preconditioner="amg", near_null=B, block_size=2)
    >>> x = solver.solve(np.ones(1260))
    >>> solver.report.stopped
    'converged'
    """
    at = readable(_real(coords, "coords"), np.dtype(np.float64), "coords")
    if at.ndim != 2 or at.shape[1] not in (2, 3) or at.shape[0] == 0:
        raise ValueError(f"coords: expected shape (nodes, 2) or (nodes, 3), found {tuple(at.shape)}")
    modes = _core.rigid_body_modes(at.reshape(-1), at.shape[1], boolean(rotations, "rotations"))
    out: np.ndarray[Any, Any] = modes.reshape(3 if at.shape[1] == 2 else 6, -1).T
    return out


def flat_vectors(vectors: Any, rows: int, name: str) -> np.ndarray[Any, Any]:
    """One after the other, as the library takes them; none for None. `name`: of the argument."""
    if vectors is None:
        return np.empty(0)
    given = _real(vectors, name)
    if given.ndim == 1:
        given = given[:, np.newaxis]
    if given.ndim != 2 or given.shape[0] != rows or given.shape[1] == 0:
        raise ValueError(f"{name}: expected shape ({rows},) or ({rows}, k), found {np.shape(vectors)}")
    return readable(given, np.dtype(np.float64), name).reshape(-1, order="F")


def _real(given: Any, name: str) -> np.ndarray[Any, Any]:
    if place_of(given).gpu is not None:
        raise TypeError(f"{name}: expected an array in the host's memory, found one of a GPU")
    out = host_array(given, name)
    float_dtype(out.dtype, name)
    return out
