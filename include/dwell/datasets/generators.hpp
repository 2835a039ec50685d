// SPDX-License-Identifier: MIT
// Matrices made on the spot: exact members of well-known families, and stand-ins ("like:NAME") of
// the size and structure class of SuiteSparse matrices that are too large to ship.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/formats/row_source.hpp"

namespace dwell {

/// Does `kind` look like something generate() takes ("trefethen:2000")? Only the word before the
/// colon decides, so that a wrong size gets generate()'s message and not "no such file".
DWELL_API bool is_generated(std::string_view kind);

/// For the end of a message about what is neither a file nor a kind: "; did you mean
/// 'trefethen:2000'?", or nothing where no kind is near.
DWELL_API std::string suggested_kind(std::string_view kind);

/// The matrix of a kind:
///   trefethen:N        the first N primes on the diagonal, ones where |i - j| is a power of 2
///   poisson2d:WxH      5-point Laplacian (4 on the diagonal, -1 beside it), Dirichlet boundary
///   poisson3d:WxHxD    7-point Laplacian (6, -1)
///   neumann2d:WxH      5-point Laplacian with Neumann boundaries: singular, row sums of zero
///   neumann3d:WxHxD    7-point Laplacian likewise
///   convection2d:WxH:P 5-point Laplacian and convection along W with Peclet number P, upwind: not
///                      symmetric
///   helmholtz2d:WxH:K  5-point Laplacian less the square of a wave number, K waves along W: not
///                      definite
///   anisotropic2d:WxH:E  5-point Laplacian with couplings E instead of 1 along H
///   jumps2d:WxH:R      diffusion with coefficients 1 and R in turn in squares of 50 x 50 cells
///   elasticity2d:NXxNY[:NU]  linear elasticity (plane strain) of NX x NY squares by bilinear
///   finite
///                      elements, E = 1, Poisson ratio NU (0.3), the face x = 0 clamped: two rows
///                      for each of the NX (NY + 1) free nodes
///   elasticity3d:NXxNYxNZ[:NU]  the same of NX x NY x NZ cubes by trilinear elements: three rows
///   box3d:N            27-point box of N^3 points (26.5, -1): strictly diagonally dominant
///   like:NAME          a symmetric positive definite stand-in; names in stand_ins()
/// Throws input_error saying what was expected. The same kind gives the same bits on every machine.
DWELL_API csr<double> generate(std::string_view kind);

/// Are rows of this kind made without the others: is it one that generate_by_rows() takes? Only the
/// word before the colon decides.
DWELL_API bool is_made_by_rows(std::string_view kind);
/// A generated matrix that may be too large for one machine, of which any rows are made on the
/// spot, with the bits of generate(). Of poisson2d, poisson3d, neumann2d, neumann3d, convection2d,
/// helmholtz2d, anisotropic2d, jumps2d and box3d, with up to 2^31 - 1 points along each axis.
/// Throws input_error for another kind.
DWELL_API std::unique_ptr<row_source> generate_by_rows(std::string_view kind);

/// Rows of a generated matrix, for distributed_matrix.
using generated_rows = matrix_rows;
/// The rows of part `part` of `parts`, all but one as long: from all_rows * part / parts on. Throws
/// input_error as generate_by_rows() does, for a part that is none, or more than 2^31 - 1 rows in
/// it.
DWELL_API generated_rows generate_rows(std::string_view kind, int part, int parts);

/// Coordinates of the nodes of a generated matrix.
struct generated_nodes {
  int dimension = 0;           ///< 2 or 3
  std::vector<double> values;  ///< x and y, or x, y and z of each node, in the order of the rows
};
/// Coordinates of the free nodes of elasticity2d and elasticity3d, with edges of length 1. Throws
/// input_error for another kind.
DWELL_API generated_nodes generate_coordinates(std::string_view kind);

/// One line of help for every kind, in order: {"trefethen:N", "what it is"}.
struct kind_help {
  std::string kind;  ///< argument of generate(), with letters for numbers
  std::string what;  ///< in one line
};
/// All kinds.
DWELL_API std::vector<kind_help> generated_kinds();

/// Muu, crystm02, finan512, cbuckle, ecology2, tmt_sym, thermomech_dM, consph, crankseg_1,
/// bmwcra_1, hood, BenElechi1, crankseg_2, af_1_k101.
DWELL_API std::vector<std::string> stand_ins();

}  // namespace dwell
