// SPDX-License-Identifier: MIT
// Private to datasets: the meshes of the stand-ins. Nodes of a box are numbered x first, then y,
// then z; give the smallest side first and the bandwidth is small. Every irregularity comes from
// mix().
#pragma once
#include <cstdint>
#include <vector>

#include "dwell/datasets/node_graph.hpp"

namespace dwell::detail {

struct box_mesh {
  index width, height, depth;

  index nodes() const { return width * height * depth; }
  index node(index x, index y, index z) const { return (z * height + y) * width + x; }
};

/// 4 neighbours: a 5-point mesh.
node_graph quadrilaterals(index width, index height, int threads);

/// Squares cut by a diagonal: 6 neighbours. A share `flipped`/256 of them is cut the other way.
node_graph triangles(index width, index height, unsigned flipped, std::uint64_t seed, int threads);

/// 4 neighbours within a layer; each node reaches one node of the next layer, straight above it or
/// one step aside, and a share `second`/256 of them one more: 6 neighbours on average, 3 to
/// about 10.
node_graph layers(box_mesh m, unsigned second, std::uint64_t seed, int threads);

/// 26 neighbours: trilinear bricks. The second axis may be closed to a ring; a share `dropped`/1024
/// of the couplings that are not along an axis is left out.
struct brick_options {
  bool ring = false;
  unsigned dropped = 0;
};
node_graph bricks(box_mesh m, brick_options options, std::uint64_t seed, int threads);

/// Triquadratic 27-node bricks, elements of 3 x 3 x 3 nodes: 26 to 124 neighbours.
node_graph quadratic_bricks(box_mesh m, int threads);

/// `size` consecutive nodes from `first` on are coupled, all with the one in their middle (a hub: a
/// rigid link) or all with each other (a patch: a condensed part).
struct bundle {
  index first, size;
  bool patch;
};
node_graph with_bundles(const node_graph& g, const std::vector<bundle>& bundles, int threads);

/// Makes copies of a graph that are not coupled: node i of copy c is node i * count + c. A mass
/// matrix couples a displacement with the same one of other nodes only.
node_graph copies(const node_graph& g, index count, int threads);

/// A program over stages: scenarios of `size` consecutive nodes, coupled along a tree, in which
/// scenario s hangs on (s - 1) / 2. Within a scenario a node is coupled with the next two, `spread`
/// couplings lead from its nodes, in turn, to one at random, and one node (a budget) is coupled
/// with `budget` others.
struct scenario_tree {
  index scenarios, size, spread, budget;
};
node_graph stages(const scenario_tree& tree, std::uint64_t seed, int threads);

}  // namespace dwell::detail
