// SPDX-License-Identifier: MIT
// The tests' place on the CPU. Config 1 is the GPU's lane protocol, run by CPU threads: there the
// lanes can also run in reverse order.
#include "place.hpp"

namespace dwell::test {

backend place::on() { return backend::cpu; }
std::string place::absent() { return {}; }
device place::where() { return device::cpu(2); }
std::vector<std::string> place::executors() { return executors_on(backend::cpu); }

const std::vector<cut>& place::cuts() {
  static const std::vector<cut> all = [] {
    std::vector<cut> c = {{0, -1, false}};
    for (const int teams : {1, 2, 3, 7, 16})
      for (const int config : {-1, 1}) c.push_back({teams, config, false});
    for (const int teams : {1, 3, 7}) c.push_back({teams, 1, true});
    return c;
  }();
  return sanitized ? few_cuts() : all;
}

const std::vector<cut>& place::few_cuts() {
  static const std::vector<cut> few = {{7, -1, false}, {1, -1, false}, {3, 1, false}, {3, 1, true}};
  return few;
}

int place::many_teams() { return sanitized ? 24 : 64; }

}  // namespace dwell::test
