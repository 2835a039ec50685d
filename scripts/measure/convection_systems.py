# SPDX-License-Identifier: MIT
"""Systems of convection and diffusion, as SciPy matrices: not symmetric, M-matrices.

SYSTEMS has for each name a function of the least number of rows wanted that returns the matrix and the shape of its
grid. First-order upwind differences on square cells, Dirichlet boundaries, times the square of the spacing: between two
cells 1 + the cell Peclet number downstream, 1 upstream."""
import numpy as np
import scipy.sparse as sp

from multigrid_systems import side


def upwind(shape, winds):
    """winds[d]: cell Peclet number at the faces across axis d, of shape[d] + 1 there, positive along the axis."""
    n = int(np.prod(shape))
    at = np.arange(n).reshape(shape)
    diagonal, rows, cols, values = np.zeros(shape), [], [], []
    for d, wind in enumerate(winds):
        faces = np.broadcast_to(wind, [s + (k == d) for k, s in enumerate(shape)])
        m = shape[d]
        into_next = 1 + np.maximum(np.take(faces, range(m), d), 0)  # each cell, through the face before it
        into_last = 1 + np.maximum(-np.take(faces, range(1, m + 1), d), 0)  # through the face behind it
        diagonal += into_next + into_last
        low, high = np.take(at, range(m - 1), d), np.take(at, range(1, m), d)
        rows += [high.ravel(), low.ravel()]
        cols += [low.ravel(), high.ravel()]
        values += [-np.take(into_next, range(1, m), d).ravel(), -np.take(into_last, range(m - 1), d).ravel()]
    rows.append(at.ravel())
    cols.append(at.ravel())
    values.append(diagonal.ravel())
    return sp.csr_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))), shape=(n, n))


def straight(peclet, *direction):
    """A wind of one direction and size."""
    def make(rows):
        shape = (side(rows, len(direction)),) * len(direction)
        size = np.linalg.norm(direction)
        return upwind(shape, [np.asarray(peclet * c / size) for c in direction]), shape
    return make


def circling(peclet, dimensions):
    """Closed stream lines around the middle, in the plane of the last two axes; the largest wind is `peclet`."""
    def make(rows):
        n = side(rows, dimensions)
        edge, middle = np.linspace(-1, 1, n + 1), np.linspace(-1, 1, 2 * n + 1)[1::2]
        bump = 1 - middle ** 2
        along_y, along_x = -np.outer(1 - edge ** 2, middle), np.outer(middle, 1 - edge ** 2)
        largest = max(abs(along_x).max(), abs(bump).max())
        winds = [peclet / largest * along_y, peclet / largest * along_x]
        shape = (n,) * dimensions
        return upwind(shape, winds if dimensions == 2 else [np.zeros(1), *(w[None] for w in winds)]), shape
    return make


PECLET = {"0.01": 0.01, "1": 1, "10": 10, "100": 100, "1000": 1000}
SYSTEMS = {}
for _name, _p in PECLET.items():
    SYSTEMS[f"plane, along the rows, {_name}"] = straight(_p, 0, 1)
    SYSTEMS[f"plane, at 30 degrees, {_name}"] = straight(_p, 1, np.sqrt(3))
    SYSTEMS[f"plane, circling, {_name}"] = circling(_p, 2)
    SYSTEMS[f"space, along the rows, {_name}"] = straight(_p, 0, 0, 1)
    SYSTEMS[f"space, against all axes, {_name}"] = straight(_p, -1, -1, -1)
    SYSTEMS[f"space, circling, {_name}"] = circling(_p, 3)
