# SPDX-License-Identifier: MIT
"""Symmetric positive definite systems for multigrid, as SciPy matrices, and other numberings of them.

SYSTEMS has for each name a function of the least number of rows wanted that returns the matrix and the shape of
its grid (None: no grid). All rows are numbered along the last axis first."""
import struct
import zlib

import numpy as np
import scipy.sparse as sp
import scipy.spatial


def mesh(shape, faces, border):
    """Diffusion on a grid, Dirichlet boundary: faces[d], coefficients between cells along axis d; border[d], those of
    the first and the last cell there."""
    n, at = int(np.prod(shape)), np.arange(np.prod(shape)).reshape(shape)
    diagonal, rows, cols, values = np.zeros(shape), [], [], []
    for d in range(len(shape)):
        low = tuple(slice(None, -1) if k == d else slice(None) for k in range(len(shape)))
        high = tuple(slice(1, None) if k == d else slice(None) for k in range(len(shape)))
        c = np.broadcast_to(faces[d], at[low].shape)
        diagonal[low] += c
        diagonal[high] += c
        first, last = (tuple(slice(*b) if k == d else slice(None) for k in range(len(shape)))
                       for b in ((0, 1), (-1, None)))
        diagonal[first] += border[d][0]
        diagonal[last] += border[d][1]
        rows += [at[low].ravel(), at[high].ravel()]
        cols += [at[high].ravel(), at[low].ravel()]
        values += [-c.ravel(), -c.ravel()]
    rows.append(at.ravel())
    cols.append(at.ravel())
    values.append(diagonal.ravel())
    return sp.csr_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(cols))), shape=(n, n))


def constant(shape, weights):
    return mesh(shape, weights, [(w, w) for w in weights]), shape


def side(rows, dimensions):
    return int(np.ceil(rows ** (1 / dimensions) - 1e-9))


def anisotropic(*weights):
    return lambda rows: constant((side(rows, len(weights)),) * len(weights), weights)


def cells(k):
    """Diffusion with a coefficient per cell: harmonic means between cells, the cell's own at the boundary."""
    faces = []
    for d in range(k.ndim):
        a, b = np.take(k, range(k.shape[d] - 1), d), np.take(k, range(1, k.shape[d]), d)
        faces.append(2 * a * b / (a + b))
    border = [(np.take(k, [0], d), np.take(k, [-1], d)) for d in range(k.ndim)]
    return mesh(k.shape, faces, border), k.shape


def jumps(ratio, block=25):
    def make(rows):
        c = np.arange(side(rows, 2)) // block
        return cells(np.where((c[:, None] + c[None, :]) % 2 == 0, 1.0, ratio))
    return make


def random_field(deviation, length=8.0):
    """Log-normal coefficients: white noise, smoothed over `length` cells, of a deviation of the logarithm."""
    def make(rows):
        n = side(rows, 2)
        noise = np.fft.rfft2(np.random.default_rng(7).standard_normal((n, n)))
        k2 = np.fft.fftfreq(n)[:, None] ** 2 + np.fft.rfftfreq(n)[None, :] ** 2
        field = np.fft.irfft2(noise * np.exp(-2 * (np.pi * length) ** 2 * k2), (n, n))
        return cells(np.exp(deviation * field / field.std()))
    return make


def rotated(degrees, weak):
    """Bilinear finite elements of -div(K grad u), K = diag(1, weak) turned by an angle, Dirichlet boundary."""
    def make(rows):
        n, t = side(rows, 2), np.radians(degrees)
        turn = np.array([[np.cos(t), -np.sin(t)], [np.sin(t), np.cos(t)]])
        k = turn @ np.diag([1.0, weak]) @ turn.T
        mass, stiff, mixed = (np.array(m) for m in ([[2, 1], [1, 2]], [[1, -1], [-1, 1]], [[-.5, -.5], [.5, .5]]))
        element = k[0, 0] * np.kron(mass / 6, stiff) + k[1, 1] * np.kron(stiff, mass / 6)
        cross = np.kron(mixed, mixed.T)
        element = element + k[0, 1] * (cross + cross.T)
        at = np.arange((n + 2) ** 2).reshape(n + 2, n + 2)
        corners = np.stack([at[:-1, :-1], at[:-1, 1:], at[1:, :-1], at[1:, 1:]]).reshape(4, -1)
        i, j = np.meshgrid(range(4), range(4), indexing="ij")
        a = sp.csr_array((np.repeat(element.ravel(), corners.shape[1]),
                          (corners[i.ravel()].ravel(), corners[j.ravel()].ravel())), shape=((n + 2) ** 2,) * 2)
        inner = at[1:-1, 1:-1].ravel()
        return a[inner][:, inner].tocsr(), (n, n)
    return make


def delaunay(rows):
    """Linear finite elements on the Delaunay triangles of random points; those of the convex hull are fixed."""
    points = np.random.default_rng(11).random((rows, 2))
    mesh_ = scipy.spatial.Delaunay(points)
    triangles = mesh_.simplices
    x = points[triangles]
    edges = np.stack([x[:, 2] - x[:, 1], x[:, 0] - x[:, 2], x[:, 1] - x[:, 0]], axis=1)
    area = 0.5 * abs(edges[:, 0, 0] * edges[:, 1, 1] - edges[:, 0, 1] * edges[:, 1, 0])
    local = np.einsum("tid,tjd->tij", edges, edges) / (4 * np.maximum(area, 1e-14))[:, None, None]
    i, j = np.meshgrid(range(3), range(3), indexing="ij")
    a = sp.csr_array((local[:, i.ravel(), j.ravel()].ravel(),
                      (triangles[:, i.ravel()].ravel(), triangles[:, j.ravel()].ravel())), shape=(rows, rows))
    inner = np.setdiff1d(np.arange(rows), np.unique(mesh_.convex_hull))
    return a[inner][:, inner].tocsr(), None


def laplacian(edges, rows, random):
    """Keeps the largest component of a graph; one node of 500 is grounded."""
    ones = np.ones(len(edges))
    g = sp.coo_array((ones, (edges[:, 0], edges[:, 1])), shape=(rows, rows)).tocsr()
    g = ((g + g.T) > 0).astype(float)
    _, part = sp.csgraph.connected_components(g)
    kept = np.flatnonzero(part == np.argmax(np.bincount(part)))
    g = g[kept][:, kept]
    ground = np.zeros(len(kept))
    ground[random.choice(len(kept), max(1, len(kept) // 500), replace=False)] = 1.0
    return (sp.diags_array(g.sum(axis=1) + ground) - g).tocsr(), None


def geometric(rows):
    random = np.random.default_rng(13)
    points = random.random((rows, 2))
    radius = np.sqrt(8 / (np.pi * rows))
    return laplacian(scipy.spatial.cKDTree(points).query_pairs(radius, output_type="ndarray"), rows, random)


def power_law(rows, links=3):
    """By preferential attachment (Barabasi and Albert): new nodes link to ends of earlier links."""
    random = np.random.default_rng(17)
    ends, edges = list(range(links)), []
    for node in range(links, rows):
        for other in {ends[k] for k in random.integers(0, len(ends), links)}:
            edges.append((node, other))
            ends += [node, other]
    return laplacian(np.array(edges), rows, random)


SYSTEMS = {
    "poisson2d": anisotropic(1, 1),
    "poisson3d": anisotropic(1, 1, 1),
    "anisotropic2d 1e-1": anisotropic(1e-1, 1),
    "anisotropic2d 1e-2": anisotropic(1e-2, 1),
    "anisotropic2d 1e-3": anisotropic(1e-3, 1),
    "anisotropic2d 1e-4": anisotropic(1e-4, 1),
    "anisotropic3d one weak 1e-2": anisotropic(1e-2, 1, 1),
    "anisotropic3d two weak 1e-2": anisotropic(1e-2, 1e-2, 1),
    "rotated 15, 1e-2": rotated(15, 1e-2),
    "rotated 30, 1e-2": rotated(30, 1e-2),
    "rotated 45, 1e-2": rotated(45, 1e-2),
    "rotated 30, 1e-3": rotated(30, 1e-3),
    "jumps 1e2": jumps(1e2),
    "jumps 1e4": jumps(1e4),
    "jumps 1e6": jumps(1e6),
    "jumps 1e8": jumps(1e8),
    "random field 2": random_field(2.0),
    "random field 4": random_field(4.0, 3.0),
    "delaunay": delaunay,
    "geometric graph": geometric,
    "power-law graph": power_law,
}


def numberings(shape, rows, seeds):
    """Names and permutations: what stands in row i of the other numbering is row p[i]."""
    at = np.arange(rows)
    yield "given", at
    if shape is not None:
        grid = at.reshape(shape)
        yield "transposed", np.ascontiguousarray(grid.T).ravel()
        for d in range(len(shape)):
            yield f"mirrored along axis {d}", np.flip(grid, d).ravel()
    yield "backwards", at[::-1]
    for seed in seeds:
        yield f"random {seed}", np.random.default_rng(seed).permutation(rows)


def renumbered(a, p):
    b = sp.csr_array(a)[p][:, p].tocsr()
    b.sort_indices()
    return b


def write(path, a):
    """Writes a .dwell file (docs/reference/binary-matrix.md)."""
    def padded(array):
        data = array.tobytes()
        return data + bytes(-len(data) % 8)

    parts = [padded(a.indptr.astype("<i8")), padded(a.indices.astype("<i4")), padded(a.data.astype("<f8"))]
    head = b"\x89DWELL\r\n" + struct.pack("<IIqqqII", 1, 8, *a.shape, a.nnz, 4, 1) + bytes(12)
    sums = [zlib.crc32(part[k:k + 65536]) for part in parts for k in range(0, len(part), 65536)]
    with open(path, "wb") as out:
        out.write(head + struct.pack("<I", zlib.crc32(head)) + b"".join(parts) + struct.pack(f"<{len(sums)}I", *sums))
