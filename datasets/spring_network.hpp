// SPDX-License-Identifier: MIT
// Private to datasets: a symmetric positive definite matrix on a node graph, definite for certain.
//
// Every edge (i, j) is a spring with a stiffness block K = w (s I + n n'), d x d, w > 0, s > 0: it
// adds K to the diagonal blocks of i and j and -K beside them, a positive semidefinite
// contribution. A positive definite block of the same form holds every node to the ground, which
// makes the sum definite. Keeping the leading `rows` rows and columns keeps it definite. All values
// are integers (below 2^53) times one power of two, so every sum is exact and this proof is about
// the stored numbers, not up to rounding.
#pragma once
#include <cstdint>

#include "dwell/datasets/node_graph.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell::detail {

struct spring_network {
  std::uint64_t seed = 0;
  int dofs = 1;               ///< degrees of freedom of a node, at most 8
  index rows = 0;             ///< rows kept, at most nodes * dofs
  int transverse = 2;         ///< s: small means long thin ellipsoids K, a harder system
  index region = 1;           ///< consecutive nodes of one material
  int contrast = 0;           ///< materials are 2^0 .. 2^contrast times as stiff
  index anchor_every = 1000;  ///< about one node in so many is held firmly ...
  int anchor_log2 = 4;        ///< ... by 2^anchor_log2 times the weakest edge spring,
  int ground_log2 = -16;      ///< and every node by 2^ground_log2 times it. At least -24.
};

csr<double> assemble(const node_graph& g, const spring_network& s, int threads);

}  // namespace dwell::detail
