// SPDX-License-Identifier: MIT
// The place of the tests of Sweeps on the CPU, where lanes can also run in reverse order.
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

std::string sweep_place::absent() { return {}; }
device sweep_place::where() { return device::cpu(2); }
std::vector<sweep_way> sweep_place::ways() {
  return {{"host-loop", "none", 0, false},  {"host-loop", "none", 5, true},
          {"persistent", "none", 1, false}, {"persistent", "none", 0, false},
          {"persistent", "none", 7, false}, {"persistent", "none", 3, true}};
}

}  // namespace dwell::test
