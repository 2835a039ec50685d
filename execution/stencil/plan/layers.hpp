// SPDX-License-Identifier: MIT
// Where the layers of a subdomain go, which engines share: in scratch as far as it may and fits,
// the others stream, in some order. Pure host code.
#pragma once
#include <cstddef>

#include "dwell/execution/stencil/engine.hpp"

namespace dwell {

/// The part of L2 that the layers which stream in a step may fill, to be there still in the next.
inline constexpr double l2_holds = 0.8;

/// A plan of so many subdomains that caches nothing yet.
stencil_candidate begin_layout(const tiling_request& asked);

/// What a subdomain takes of others must come from those next to it.
constexpr bool too_thin(int cells, int parts, int taken) {
  return parts > 1 && cells / parts < taken;
}

/// The layers of one config's subdomains that are not in registers.
class layer_layout {
 public:
  /// fetched: layers from memory that are under way together, in scratch. aside: bytes that a layer
  /// in scratch takes besides.
  layer_layout(const engine_shape& shape, const layout_problem& on, int fetched = 0,
               std::size_t aside = 0)
      : shape_(shape), on_(on), fetched_(fetched), aside_(aside) {}

  /// `rest` layers. False if there is too little scratch even for those that stream.
  bool place(stencil_plan& p, int rest, const tiling_request& asked) const;
  /// Places layers with an order for those that stream.
  bool place_in_order(stencil_plan& p, int rest, const tiling_request& asked) const;

 private:
  std::size_t scratch_limit(int teams) const;
  std::size_t layer_bytes() const;

  const engine_shape& shape_;
  const layout_problem& on_;
  int fetched_;
  std::size_t aside_;
};

/// Along each axis so many subdomains, and the cells of the largest one; the halo of the plan's
/// depth.
subdomain_facts subdomains_along(const stencil_plan& p, const stencil_problem& problem);

/// "1 step", "3 steps".
std::string steps_text(int n);
/// "4 in registers, 3 in shared memory, 0 streamed".
std::string cached_text(const stencil_plan& p, int register_rows, const std::string& scratch);

}  // namespace dwell
