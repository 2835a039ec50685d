# SPDX-License-Identifier: MIT
"""Further symmetric positive definite systems, of kinds by which no rule of preconditioner auto was made; to judge it.

SYSTEMS is that of multigrid_systems.py: a function of the least number of rows for each name."""
import numpy as np
import scipy.sparse as sp

import multigrid_systems as systems


def with_random_weights(make, deviation, seed):
    """Couplings times log-normal numbers; row sums stay."""
    def of(rows):
        a, random = sp.coo_array(make(rows)[0]), np.random.default_rng(seed)
        above = a.row < a.col
        i, j = a.row[above], a.col[above]
        w = np.abs(a.data[above]) * np.exp(deviation * random.standard_normal(len(i)))
        g = sp.csr_array((np.tile(-w, 2), (np.append(i, j), np.append(j, i))), shape=a.shape)
        ground = np.maximum(a.sum(axis=1), 0) + 1e-12
        return sp.csr_array(g + sp.diags_array(ground - g.sum(axis=1))), None
    return of


def hexagons(rows):
    """A grid without every other of its vertical links."""
    n = systems.side(rows, 2)
    at, even = np.arange(n * n).reshape(n, n), np.add.outer(np.arange(n - 1), np.arange(n)) % 2 == 0
    along = np.stack([at[:, :-1].ravel(), at[:, 1:].ravel()], axis=1)
    across = np.stack([at[:-1][even], at[1:][even]], axis=1)
    return systems.laplacian(np.concatenate([along, across]), n * n, np.random.default_rng(3))


def checkerboard3d(ratio, block=6):
    def make(rows):
        c = np.arange(systems.side(rows, 3)) // block
        return systems.cells(np.where((c[:, None, None] + c[None, :, None] + c) % 2 == 0, 1.0, ratio))
    return make


def ring_of_cliques(rows, size=8):
    first = size * np.arange(rows // size)[:, None]
    i, j = np.tril_indices(size, -1)
    inside = np.stack([(first + i).ravel(), (first + j).ravel()], axis=1)
    between = np.concatenate([first + size - 1, (first + size) % (size * len(first))], axis=1)
    return systems.laplacian(np.concatenate([inside, between]), size * len(first), np.random.default_rng(5))


def corner(rows):
    """A square without a quarter."""
    n = systems.side(4 * rows / 3, 2)
    kept = np.ones((n, n), bool)
    kept[n // 2:, n // 2:] = False
    at = np.flatnonzero(kept)
    return sp.csr_array(systems.constant((n, n), (1, 1))[0])[at][:, at], None


def layers(ratio, thick=3):
    def make(rows):
        n = systems.side(rows, 2)
        return systems.cells(np.tile(np.where(np.arange(n)[:, None] // thick % 2 == 0, 1.0, ratio), (1, n)))
    return make


def plate(rows, thick=5):
    n = systems.side(rows / thick, 2)
    return systems.constant((n, n, thick), (1, 1, 1))


def nine_points(rows):
    """Bilinear finite elements of -Laplace."""
    n = systems.side(rows, 2)
    mass = sp.diags_array([1 / 6, 4 / 6, 1 / 6], offsets=[-1, 0, 1], shape=(n, n))
    stiff = sp.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    return sp.csr_array(sp.kron(stiff, mass) + sp.kron(mass, stiff)), (n, n)


def nearly_singular(rows):
    """Neumann boundaries and a little reaction."""
    n = systems.side(rows, 2)
    return sp.csr_array(systems.mesh((n, n), (1, 1), [(0, 0), (0, 0)]) + 1e-4 * sp.eye_array(n * n)), (n, n)


SYSTEMS = {
    "anisotropic2d 3e-2": systems.anisotropic(3e-2, 1),
    "anisotropic3d one weak 1e-3": systems.anisotropic(1e-3, 1, 1),
    "rotated 60, 3e-3": systems.rotated(60, 3e-3),
    "jumps 1e3, small blocks": systems.jumps(1e3, 7),
    "random field 1, smooth": systems.random_field(1.0, 20.0),
    "hexagons": hexagons,
    "checkerboard3d 1e3": checkerboard3d(1e3),
    "ring of cliques": ring_of_cliques,
    "square without a quarter": corner,
    "layers 1e3": layers(1e3),
    "plate": plate,
    "nine points": nine_points,
    "nearly singular": nearly_singular,
    "delaunay, random weights": with_random_weights(systems.delaunay, 1.5, 7),
    "grid, random weights": with_random_weights(systems.anisotropic(1, 1), 2.0, 8),
    "cube, random weights": with_random_weights(systems.anisotropic(1, 1, 1), 1.5, 9),
    "chain, random weights": with_random_weights(systems.anisotropic(1), 1.0, 10),
}
