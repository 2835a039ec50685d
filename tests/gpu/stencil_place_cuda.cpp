// SPDX-License-Identifier: MIT
// The place of the tests of stencils on the first GPU.
#include "stencil_place.hpp"

namespace dwell::test {

std::string stencil_place::absent() { return find_cuda().devices > 0 ? "" : find_cuda().reason; }
device stencil_place::where() { return device::cuda(0); }
std::vector<stencil_way> stencil_place::ways() {
  std::vector<stencil_way> all = {{"naive", "none"},      {"naive", "none", 3},
                                  {"host-loop", "none"},  {"graph", "none"},
                                  {"persistent", "none"}, {"persistent", "none", 3}};
  const std::vector<stencil_way> caching = {{"perks", "auto", 0, false, 0, "auto"},
                                            {"perks", "none", 3},
                                            {"perks", "shared", 4},
                                            {"perks", "registers", 6},
                                            {"perks", "both", 9},
                                            {"perks", "model", 5, false, 1},
                                            {"perks", "none", 3, false, 0, "temporal"},
                                            {"perks", "shared", 0, false, 0, "temporal"},
                                            {"perks", "model", 9, false, 1, "temporal"},
                                            {"temporal", "none"},
                                            {"temporal", "none", 3},
                                            {"temporal", "none", 7, false, 1}};
  all.insert(all.end(), caching.begin(), caching.end());
  return all;
}

}  // namespace dwell::test
