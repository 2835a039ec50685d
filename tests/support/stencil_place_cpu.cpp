// SPDX-License-Identifier: MIT
// The place of the tests of stencils on the CPU, where lanes can also run in reverse order.
#include "place.hpp"
#include "stencil_place.hpp"

namespace dwell::test {

std::string stencil_place::absent() { return {}; }
device stencil_place::where() { return device::cpu(2); }
std::vector<stencil_way> stencil_place::ways() {
  if (sanitized)  // one of each kind of meeting
    return {{"naive", "none", 3, true},
            {"host-loop", "none", 5, true},
            {"persistent", "none", 3, true},
            {"perks", "shared", 4, true},
            {"perks", "both", 9, true},
            {"perks", "model", 5, false, 1},
            {"perks", "shared", 6, true, 0, "temporal"},
            {"temporal", "none", 3, true},
            {"temporal", "none", 3, true, 0, "spatial", "ring2d"},
            {"temporal", "none", 3, true, 0, "spatial", "column3d"}};
  std::vector<stencil_way> all = {
      {"naive", "none", 0, false},      {"naive", "none", 5, true},
      {"host-loop", "none", 0, false},  {"host-loop", "none", 5, true},
      {"persistent", "none", 1, false}, {"persistent", "none", 0, false},
      {"persistent", "none", 7, false}, {"persistent", "none", 3, true}};
  const std::vector<stencil_way> caching = {
      {"perks", "auto", 0, false, 0, "auto"},
      {"perks", "none", 3, false, 1},
      {"perks", "shared", 4, true},
      {"perks", "registers", 6, false},
      {"perks", "both", 9, true},
      {"perks", "model", 5, false, 1},
      {"perks", "none", 3, false, 0, "temporal"},
      {"perks", "shared", 4, true, 0, "temporal"},
      {"perks", "model", 9, false, 1, "temporal"},
      {"temporal", "none", 0, false},
      {"temporal", "none", 5, true},
      {"temporal", "none", 3, false, 1},
      {"temporal", "none", 0, false, 0, "spatial", "ring2d"},
      {"temporal", "none", 5, true, 0, "spatial", "ring2d"},
      {"temporal", "none", 3, false, 1, "spatial", "ring2d"},
      {"temporal", "none", 0, false, 0, "spatial", "column3d"},
      {"temporal", "none", 5, true, 0, "spatial", "column3d"},
      {"temporal", "none", 3, false, 1, "spatial", "column3d"}};
  all.insert(all.end(), caching.begin(), caching.end());
  return all;
}

}  // namespace dwell::test
