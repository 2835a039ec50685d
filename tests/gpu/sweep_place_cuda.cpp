// SPDX-License-Identifier: MIT
// The place of the tests of Sweeps on the first GPU.
#include <ostream>

#include "sweep_place.hpp"

namespace dwell::test {

std::ostream& operator<<(std::ostream& out, const sweep_way& w) {
  return out << w.executor << '/' << w.policy << ", teams " << w.teams
             << (w.reversed ? ", lanes reversed" : "");
}
void sweep_way::apply(stencil_options& o) const {
  o.executor = executor;
  o.teams = teams;
  o.reverse_lanes = reversed;
}

std::string sweep_place::absent() { return find_cuda().devices > 0 ? "" : find_cuda().reason; }
device sweep_place::where() { return device::cuda(0); }
std::vector<sweep_way> sweep_place::ways() {
  return {
      {"host-loop", "none"}, {"graph", "none"}, {"persistent", "none"}, {"persistent", "none", 3}};
}

}  // namespace dwell::test
