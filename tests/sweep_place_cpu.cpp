// SPDX-License-Identifier: MIT
// The place of the tests of Sweeps on the CPU, where lanes can also run in reverse order.
#include "place.hpp"
#include "sweep_place.hpp"

namespace dwell::test {

std::string sweep_place::absent() { return {}; }
device sweep_place::where() { return device::cpu(2); }
std::vector<sweep_way> sweep_place::ways() {
  if (sanitized)  // one of each kind of meeting
    return {{"host-loop", "none", 5, true},  {"persistent", "none", 3, true},
            {"perks", "shared", 4, true},    {"perks", "both", 9, true},
            {"perks", "model", 5, false, 1}, {"perks", "shared", 6, true, 0, "temporal"}};
  std::vector<sweep_way> all = {{"host-loop", "none", 0, false},  {"host-loop", "none", 5, true},
                                {"persistent", "none", 1, false}, {"persistent", "none", 0, false},
                                {"persistent", "none", 7, false}, {"persistent", "none", 3, true}};
  const std::vector<sweep_way> keeping = {{"perks", "auto", 0, false, 0, "auto"},
                                          {"perks", "none", 3, false, 1},
                                          {"perks", "shared", 4, true},
                                          {"perks", "registers", 6, false},
                                          {"perks", "both", 9, true},
                                          {"perks", "model", 5, false, 1},
                                          {"perks", "none", 3, false, 0, "temporal"},
                                          {"perks", "shared", 4, true, 0, "temporal"},
                                          {"perks", "model", 9, false, 1, "temporal"}};
  all.insert(all.end(), keeping.begin(), keeping.end());
  return all;
}

}  // namespace dwell::test
