// SPDX-License-Identifier: MIT
// Private to datasets: the undirected graph of a mesh (which nodes are coupled), and the integer
// hash from which every irregularity of a stand-in comes.
#pragma once
#include <cstdint>
#include <vector>

#include "dwell/base/interruption.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell::detail {

/// splitmix64's finaliser (Steele, Lea and Flood, OOPSLA 2014) over a seed and two numbers.
constexpr std::uint64_t mix(std::uint64_t seed, std::uint64_t a, std::uint64_t b = 0) {
  std::uint64_t z = seed + 0x9e3779b97f4a7c15u * (a + 1) + 0xd1b54a32d192ed03u * (b + 1);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

struct edge {
  index a, b;
};

/// The neighbours of node i are adjacent[k], first[i] <= k < first[i + 1]: ascending, without i.
struct node_graph {
  index nodes = 0;
  std::vector<index> first;
  std::vector<index> adjacent;
};

/// From lists of edges in any order and direction; loops and repetitions are dropped.
node_graph graph_of(index nodes, const std::vector<std::vector<edge>>& lists, int threads);

/// `edges_of(i, emit)` calls `emit(j)` for edges between i and j; each edge from at least one end.
template <class EdgesOf>
node_graph graph_from(index nodes, int threads, EdgesOf&& edges_of) {
  std::vector<std::vector<edge>> lists(static_cast<std::size_t>(threads));
  for_parts(threads, [&](int part) {
    auto& list = lists[static_cast<std::size_t>(part)];
    const auto [from, to] = piece(nodes, part, threads);
    for (index i = from; i < to; ++i) {
      poll_interruption_at(i);
      edges_of(i, [&](index j) { list.push_back({i, j}); });
    }
  });
  return graph_of(nodes, lists, threads);
}

}  // namespace dwell::detail
