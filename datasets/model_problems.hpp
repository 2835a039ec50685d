// SPDX-License-Identifier: MIT
// Private to datasets: the families of generate() that are exact by definition. The sizes have been
// checked by the caller: the rows and nonzeros of a family fit a 32-bit index only if its
// *_nonzeros() does.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "dwell/formats/csr.hpp"

namespace dwell::detail {

/// The first n primes, ascending.
std::vector<index> first_primes(index n);

/// n >= 1.
std::int64_t trefethen_nonzeros(std::int64_t n);
csr<double> trefethen(index n, int threads);

/// width, height, depth >= 1, each below 2^31. Saturates at 2^63 - 1.
std::int64_t poisson_nonzeros(std::int64_t width, std::int64_t height, std::int64_t depth);
/// `diagonal` on the diagonal and -1 for each of the up to six neighbours; x runs fastest.
csr<double> poisson(index width, index height, index depth, double diagonal, int threads);

/// Neumann boundaries in place of those of poisson(): the diagonal has the number of neighbours, so
/// that rows have sums of zero. A single point has a stored zero.
csr<double> neumann(index width, index height, index depth, int threads);

/// The Peclet number times the spacing: what convection() adds to the diagonal.
double upwind_of(double peclet, std::int64_t width);
/// -laplace(u) + peclet du/dx on a domain of width 1, times the square of the spacing 1 / (width +
/// 1); convection by first-order upwind differences. As many nonzeros as poisson().
csr<double> convection(index width, index height, double peclet, int threads);

/// poisson() in two dimensions with `across` instead of 1 between neighbours along the height: weak
/// couplings where it is small. The diagonal is the negative sum of a row without a boundary.
csr<double> anisotropic(index width, index height, double across, int threads);

/// -div(k grad u) on a grid of cells, k being 1 and `ratio` in turn in squares of jump_block cells
/// (grid_rows.hpp), as on a chessboard; harmonic means between two cells, k of the cell at the
/// boundary.
csr<double> jumps(index width, index height, double ratio, int threads);

/// n >= 1, below 2^31. Saturates at 2^63 - 1.
std::int64_t box_nonzeros(std::int64_t n);
csr<double> box(index n, int threads);

/// Displacements of a grid of nx x ny squares or nx x ny x nz cubes, `dims` rows of each free node:
/// 2 or 3. Sizes at least 1, below 2^31. Saturates at 2^63 - 1.
std::int64_t elasticity_nonzeros(int dims, std::int64_t nx, std::int64_t ny, std::int64_t nz);
/// Blocks of dims x dims elements for each pair of nodes that share a square or a cube, zeros among
/// them, as finite-element programs store them. elements[2] is 0 in two dimensions; 0 <= poisson <
/// 0.5. Symmetric bit for bit.
csr<double> elasticity(int dims, std::array<index, 3> elements, double poisson, int threads);
/// Coordinates of its free nodes, in the order of the rows.
std::vector<double> elasticity_coordinates(int dims, std::array<index, 3> elements);

}  // namespace dwell::detail
