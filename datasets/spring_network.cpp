// SPDX-License-Identifier: MIT
// Assembly of a spring network, row by row in parallel. In units of 2^ground_log2 everything is an
// integer; the unit is multiplied in when a value is stored.
#include "dwell/datasets/spring_network.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "dwell/datasets/row_builder.hpp"

namespace dwell::detail {

namespace {

constexpr int most_dofs = 8;
using integer_row = std::array<std::int64_t, most_dofs>;

struct material_model {
  const spring_network& s;

  std::int64_t stiffness_of(index node) const {
    const auto region = static_cast<std::uint64_t>(node / s.region);
    return std::int64_t{1} << (mix(s.seed ^ 0x6d61, region) %
                               static_cast<unsigned>(s.contrast + 1));
  }

  /// Row `dof` of K of the edge i-j, in units of the ground spring: the same from both ends.
  integer_row coupling(index i, index j, int dof) const {
    const auto [a, b] = std::minmax(i, j);
    const std::uint64_t h =
        mix(s.seed, static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
    const auto w =
        (std::min(stiffness_of(a), stiffness_of(b)) * (1 + static_cast<std::int64_t>(h % 8)))
        << -s.ground_log2;
    return block_row(w, h >> 8, dof, s.transverse);
  }

  /// Row `dof` of w (round I + n n'), n made of odd numbers from `bits`: no entry beside the
  /// diagonal is zero.
  integer_row block_row(std::int64_t w, std::uint64_t bits, int dof, int round) const {
    integer_row n{}, k{};
    if (s.dofs == 1) {
      k[0] = w;
      return k;
    }
    for (int e = 0; e < s.dofs; ++e, bits >>= 2)
      n[static_cast<std::size_t>(e)] = 2 * static_cast<std::int64_t>(bits & 3) - 3;
    const auto d = static_cast<std::size_t>(dof);
    for (std::size_t e = 0; e < static_cast<std::size_t>(s.dofs); ++e)
      k[e] = w * (n[d] * n[e] + (d == e ? round : 0));
    return k;
  }

  /// Row `dof` of the block that holds `node` to the ground. Its entries are odd and all that
  /// springs add is even, so that no entry of a diagonal block can cancel to zero.
  integer_row ground(index node, int dof) const {
    const std::uint64_t h = mix(s.seed ^ 0x6772, static_cast<std::uint64_t>(node));
    const bool anchored = h % static_cast<std::uint64_t>(s.anchor_every) == 0;
    const std::int64_t g = 1 + (anchored ? std::int64_t{1} << (s.anchor_log2 - s.ground_log2) : 0);
    return block_row(g, h >> 32, dof, 2);
  }
};

}  // namespace

csr<double> assemble(const node_graph& g, const spring_network& s, int threads) {
  const material_model model{s};
  const double unit = std::ldexp(1.0, s.ground_log2);
  return build_rows(s.rows, s.rows, threads, [&](index row, auto&& sink) {
    const index i = row / s.dofs;
    const int dof = row % s.dofs;
    const auto from = g.adjacent.begin() + g.first[static_cast<std::size_t>(i)];
    const auto to = g.adjacent.begin() + g.first[static_cast<std::size_t>(i) + 1];

    integer_row own = model.ground(i, dof);
    for (auto j = from; j != to; ++j) {
      const integer_row k = model.coupling(i, *j, dof);
      for (std::size_t e = 0; e < most_dofs; ++e) own[e] += k[e];
    }
    const auto block = [&](index j, const integer_row& k, double sign) {
      for (int e = 0; e < s.dofs; ++e)
        if (const index column = j * s.dofs + e; column < s.rows)
          sink(column, sign * (unit * static_cast<double>(k[static_cast<std::size_t>(e)])));
    };
    auto j = from;
    for (; j != to && *j < i; ++j) block(*j, model.coupling(i, *j, dof), -1.0);
    block(i, own, 1.0);
    for (; j != to; ++j) block(*j, model.coupling(i, *j, dof), -1.0);
  });
}

}  // namespace dwell::detail
