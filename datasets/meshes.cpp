// SPDX-License-Identifier: MIT
// The edges of each mesh, listed from one end.
#include "dwell/datasets/meshes.hpp"

#include <algorithm>

namespace dwell::detail {

namespace {

std::uint64_t mix_edge(std::uint64_t seed, index i, index j) {
  const auto [a, b] = std::minmax(i, j);
  return mix(seed, static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b));
}

}  // namespace

node_graph quadrilaterals(index width, index height, int threads) {
  return graph_from(width * height, threads, [=](index i, auto&& emit) {
    if (i % width + 1 < width) emit(i + 1);
    if (i / width + 1 < height) emit(i + width);
  });
}

node_graph triangles(index width, index height, unsigned flipped, std::uint64_t seed, int threads) {
  return graph_from(width * height, threads, [=](index i, auto&& emit) {
    const bool right = i % width + 1 < width, above = i / width + 1 < height;
    if (right) emit(i + 1);
    if (above) emit(i + width);
    if (right && above && mix(seed, static_cast<std::uint64_t>(i)) % 256 >= flipped)
      emit(i + width + 1);
    // The diagonal of the square to the left, if that one is flipped.
    if (i % width > 0 && above && mix(seed, static_cast<std::uint64_t>(i - 1)) % 256 < flipped)
      emit(i + width - 1);
  });
}

node_graph layers(box_mesh m, unsigned second, std::uint64_t seed, int threads) {
  return graph_from(m.nodes(), threads, [=](index i, auto&& emit) {
    const index x = i % m.width, y = i / m.width % m.height, z = i / (m.width * m.height);
    if (x + 1 < m.width) emit(i + 1);
    if (y + 1 < m.height) emit(i + m.width);
    if (z + 1 == m.depth) return;
    const auto reach = [&](std::uint64_t h) {  // 0: straight up, 1 to 8: one step aside
      const auto d = static_cast<index>(h % 9);
      const index u = std::clamp(x + d % 3 - 1, 0, m.width - 1);
      const index v = std::clamp(y + d / 3 - 1, 0, m.height - 1);
      emit(m.node(u, v, z + 1));
    };
    const std::uint64_t h = mix(seed, static_cast<std::uint64_t>(i));
    reach(h >> 8);
    if (h % 256 < second) reach(h >> 32);
  });
}

node_graph bricks(box_mesh m, brick_options options, std::uint64_t seed, int threads) {
  return graph_from(m.nodes(), threads, [=](index i, auto&& emit) {
    const index x = i % m.width, y = i / m.width % m.height, z = i / (m.width * m.height);
    for (index dz = 0; dz <= 1; ++dz)
      for (index dy = dz ? -1 : 0; dy <= 1; ++dy)
        for (index dx = dz || dy ? -1 : 1; dx <= 1; ++dx) {
          index u = x + dx, v = y + dy, w = z + dz;
          if (options.ring) v = (v + m.height) % m.height;
          if (u < 0 || u >= m.width || v < 0 || v >= m.height || w >= m.depth) continue;
          const index j = m.node(u, v, w);
          const bool along_axis = (dx != 0) + (dy != 0) + (dz != 0) == 1;
          if (along_axis || mix_edge(seed, i, j) % 1024 >= options.dropped) emit(j);
        }
  });
}

node_graph quadratic_bricks(box_mesh m, int threads) {
  // Along an axis, elements share their even nodes: an even node meets those up to 2 away, an odd
  // one those up to 1 away.
  return graph_from(m.nodes(), threads, [=](index i, auto&& emit) {
    const index x = i % m.width, y = i / m.width % m.height, z = i / (m.width * m.height);
    const auto to = [](index c, index n) { return std::min(c + 2 - c % 2, n - 1); };
    const auto from = [](index c) { return std::max(c - 2 + c % 2, 0); };
    for (index w = z; w <= to(z, m.depth); ++w)
      for (index v = from(y); v <= to(y, m.height); ++v)
        for (index u = from(x); u <= to(x, m.width); ++u)
          if (const index j = m.node(u, v, w); j > i) emit(j);
  });
}

node_graph with_bundles(const node_graph& g, const std::vector<bundle>& bundles, int threads) {
  std::vector<std::vector<edge>> lists(1);
  auto& list = lists[0];
  for (index i = 0; i < g.nodes; ++i)
    for (auto k = static_cast<std::size_t>(g.first[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(g.first[static_cast<std::size_t>(i) + 1]); ++k)
      if (g.adjacent[k] > i) list.push_back({i, g.adjacent[k]});
  for (const auto [first, size, patch] : bundles) {
    const index end = std::min(first + size, g.nodes), hub = first + size / 2;
    for (index i = first; i < end; ++i) {
      if (!patch) list.push_back({hub, i});
      for (index j = i + 1; patch && j < end; ++j) list.push_back({i, j});
    }
  }
  return graph_of(g.nodes, lists, threads);
}

node_graph copies(const node_graph& g, index count, int threads) {
  return graph_from(g.nodes * count, threads, [&, count](index i, auto&& emit) {
    const auto node = static_cast<std::size_t>(i / count);
    for (auto k = static_cast<std::size_t>(g.first[node]);
         k < static_cast<std::size_t>(g.first[node + 1]); ++k)
      if (const index j = g.adjacent[k] * count + i % count; j > i) emit(j);
  });
}

node_graph stages(const scenario_tree& t, std::uint64_t seed, int threads) {
  return graph_from(t.scenarios * t.size, threads, [=](index i, auto&& emit) {
    const index scenario = i / t.size, first = scenario * t.size, at = i - first;
    for (index step = 1; step <= 2; ++step)
      if (at + step < t.size) emit(i + step);
    for (index k = at; k < t.spread; k += t.size)
      emit(first + static_cast<index>(
                       mix(seed, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(k)) %
                       static_cast<std::uint64_t>(t.size)));
    if (at < t.budget) emit(first + t.size / 2);
    if (at == 0 && scenario > 0) emit((scenario - 1) / 2 * t.size + t.size - 1);
  });
}

}  // namespace dwell::detail
