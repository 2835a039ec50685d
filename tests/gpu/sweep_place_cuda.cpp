// SPDX-License-Identifier: MIT
// The place of the tests of Sweeps on the first GPU.
#include "sweep_place.hpp"

namespace dwell::test {

std::string sweep_place::absent() { return find_cuda().devices > 0 ? "" : find_cuda().reason; }
device sweep_place::where() { return device::cuda(0); }
std::vector<sweep_way> sweep_place::ways() {
  std::vector<sweep_way> all = {
      {"host-loop", "none"}, {"graph", "none"}, {"persistent", "none"}, {"persistent", "none", 3}};
  const std::vector<sweep_way> keeping = {{"perks", "auto", 0, false, 0, "auto"},
                                          {"perks", "none", 3},
                                          {"perks", "shared", 4},
                                          {"perks", "registers", 6},
                                          {"perks", "both", 9},
                                          {"perks", "model", 5, false, 1},
                                          {"perks", "none", 3, false, 0, "temporal"},
                                          {"perks", "shared", 0, false, 0, "temporal"},
                                          {"perks", "model", 9, false, 1, "temporal"}};
  all.insert(all.end(), keeping.begin(), keeping.end());
  return all;
}

}  // namespace dwell::test
