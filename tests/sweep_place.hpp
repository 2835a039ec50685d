// SPDX-License-Identifier: MIT
// Where the tests of Sweeps run: linked once with the CPU's definitions and once with the GPU's, so
// that one set of tests serves both.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "dwell/execution/core/device.hpp"
#include "dwell/solvers/stencil/stencil.hpp"

namespace dwell::test {

/// One way to run: every one of them must give the bits of the loops.
struct sweep_way {
  std::string executor, policy;
  int teams = 0;
  bool reversed = false;
  int depth = 0;
  std::string blocking = "spatial";  ///< of perks, where there are waves
  friend std::ostream& operator<<(std::ostream& out, const sweep_way& w);
  void apply(stencil_options& o) const;
};

struct sweep_place {
  /// "" if the device is there, else why not.
  static std::string absent();
  static device where();
  static std::vector<sweep_way> ways();
};

}  // namespace dwell::test
