// SPDX-License-Identifier: MIT
// Edge lists to sorted adjacency: count, place, then sort and deduplicate each node's neighbours.
#include "dwell/datasets/node_graph.hpp"

#include <algorithm>

#include "dwell/base/interruption.hpp"

namespace dwell::detail {

node_graph graph_of(index nodes, const std::vector<std::vector<edge>>& lists, int threads) {
  const auto n = static_cast<std::size_t>(nodes);
  std::vector<index> start(n + 1, 0);
  for (const auto& list : lists)
    for (const auto [a, b] : list) {
      if (a == b) continue;
      ++start[static_cast<std::size_t>(a) + 1];
      ++start[static_cast<std::size_t>(b) + 1];
    }
  for (std::size_t i = 0; i < n; ++i) start[i + 1] += start[i];

  std::vector<index> all(static_cast<std::size_t>(start[n]));
  std::vector<index> end(start.begin(), start.end() - 1);
  const auto place = [&](index at, index neighbour) {
    all[static_cast<std::size_t>(end[static_cast<std::size_t>(at)]++)] = neighbour;
  };
  for (const auto& list : lists)
    for (const auto [a, b] : list) {
      if (a == b) continue;
      place(a, b);
      place(b, a);
    }
  for_parts(threads, [&](int part) {
    const auto [from, to] = piece(nodes, part, threads);
    for (auto i = static_cast<std::size_t>(from); i < static_cast<std::size_t>(to); ++i) {
      poll_interruption_at(i);
      const auto low = all.begin() + start[i], high = all.begin() + end[i];
      std::sort(low, high);
      end[i] = static_cast<index>(std::unique(low, high) - all.begin());
    }
  });

  node_graph g;
  g.nodes = nodes;
  g.first.assign(1, 0);
  g.first.reserve(n + 1);
  for (std::size_t i = 0; i < n; ++i) g.first.push_back(g.first.back() + end[i] - start[i]);
  g.adjacent.resize(static_cast<std::size_t>(g.first.back()));
  for (std::size_t i = 0; i < n; ++i)
    std::copy(all.begin() + start[i], all.begin() + end[i], g.adjacent.begin() + g.first[i]);
  return g;
}

}  // namespace dwell::detail
