// SPDX-License-Identifier: MIT
// What a way to run stencils means, at every place.
#include <ostream>

#include "stencil_place.hpp"

namespace dwell::test {

std::ostream& operator<<(std::ostream& out, const stencil_way& w) {
  return out << w.executor << '/' << w.policy << ", teams " << w.teams << ", depth " << w.depth
             << ", " << w.blocking << (w.reversed ? ", lanes reversed" : "");
}
void stencil_way::apply(stencil_options& o) const {
  o.executor = executor;
  o.policy = policy;
  o.depth = depth;
  const auto shape = find_stencil_shape(o.shape);
  const bool streams = shape.linear && (shape.dims == 2 || shape.radius <= 2);
  if (executor == "perks" && streams) o.blocking = blocking;
  o.teams = teams;
  o.reverse_lanes = reversed;
}

}  // namespace dwell::test
