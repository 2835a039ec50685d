// SPDX-License-Identifier: MIT
// Small matrices for the tests of preconditioners that are sequences.
#pragma once
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "dwell/datasets/generators.hpp"
#include "symmetric.hpp"

namespace dwell::test {

struct named_matrix {
  std::string name;
  csr<double> a;
};

/// Neighbours anywhere, weights from 1e-3 to 1, of both signs; with nodes of so many unknowns, all
/// of which have the same columns.
inline csr<double> random_graph(index nodes, index unknowns, unsigned seed) {
  symmetric m(nodes * unknowns);
  std::uint64_t state = seed;
  const auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<unsigned>(state >> 33);
  };
  const auto couple = [&](index i, index j) {
    for (index p = 0; p < unknowns; ++p)
      for (index q = 0; q < unknowns; ++q) {
        if (i == j && q >= p) continue;
        const double size = std::pow(10.0, -3.0 * (next() % 1000) / 1000.0);
        m.add(i * unknowns + p, j * unknowns + q, next() % 3 == 0 ? size : -size);
      }
  };
  for (index i = 0; i < nodes; ++i) {
    couple(i, i);
    for (int k = 0; i > 0 && k < 3; ++k) {
      const index j = static_cast<index>(next() % static_cast<unsigned>(i));
      if (!m.has(i * unknowns, j * unknowns)) couple(i, j);
    }
  }
  return m.dominant([](index i) { return i % 7 == 0 ? 0.1 : 1e-3; });
}
inline std::vector<named_matrix> definite_matrices() {
  return {{"grid", generate("poisson2d:19x11")},
          {"cube", generate("poisson3d:6x5x4")},
          {"nodes of three", random_graph(60, 3, 5)},
          {"random", random_graph(170, 1, 6)},
          {"trefethen", generate("trefethen:150")}};
}

}  // namespace dwell::test
