// SPDX-License-Identifier: MIT
// Where the tests of a solver run. The same test files are linked into one executable for the CPU
// (place_cpu.cpp) and one for the GPU (gpu/place_cuda.cpp); each defines the members of `place`.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "dwell/device/device.hpp"
#include "dwell/execution/device/executors.hpp"
#include "sanitized.hpp"

namespace dwell::test {

/// How the work is cut: what may change the bits of an answer (teams, config), and what may not.
struct cut {
  int teams = 0;    ///< 0: as planned
  int config = -1;  ///< -1: as planned
  bool reverse_lanes = false;
};

struct place {
  static backend on();
  /// Why nothing can run here; empty if it can.
  static std::string absent();
  static device where();
  /// All that exist here.
  static std::vector<std::string> executors();
  /// Executors of the table that run Programs on this backend.
  static std::vector<std::string> executors_on(backend b) {
    std::vector<std::string> names;
    for (const executor_info& e : executors::all)
      if (e.programs && e.runs_on(b)) names.emplace_back(e.name);
    return names;
  }
  /// Executors that share a list of configs, and so give the same bits for the same cut.
  static std::string family(const std::string& executor) {
    return has_policies(executor) ? executor : "plain";
  }
  /// For the small matrices of the battery, and for those with many nonzeros.
  static const std::vector<cut>& cuts();
  static const std::vector<cut>& few_cuts();
  /// Configs of perks that take any plan. The ones after them take only plans that cache
  /// everything: with ghosts, whole, and whole with columns of 32 bits.
  static int perks_configs() { return 1; }
  static int all_perks_configs() { return 4; }
  /// The config of a cut, whose number is one of those that cache nothing; perks has one that takes
  /// any plan.
  static int config_for(const std::string& executor, const cut& c) {
    return has_policies(executor) ? std::min(c.config, 0) : c.config;
  }
  /// More teams than anything has a use for.
  static int many_teams();
};

}  // namespace dwell::test
