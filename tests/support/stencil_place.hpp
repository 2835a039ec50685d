// SPDX-License-Identifier: MIT
// Where the tests of stencils run: linked once with the CPU's definitions and once with the GPU's,
// so that one set of tests serves both.
#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "dwell/device/device.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell::test {

/// One way to run: every one of them must give the bits of the loops.
struct stencil_way {
  std::string executor, policy;
  int teams = 0;
  bool reversed = false;
  int depth = 0;
  std::string blocking = "spatial";  ///< blocking of perks, where there are streams
  std::string engine = "auto";
  friend std::ostream& operator<<(std::ostream& out, const stencil_way& w);
  void apply(stencil_options& o) const;
};

struct stencil_place {
  /// "" if the device is there, else why not.
  static std::string absent();
  /// "" if a build has kernels of the shape here: some have them on CPUs only.
  static std::string absent(const std::string& shape);
  /// "" if a build has the executor for the shape: on CPUs it caches few shapes.
  static std::string absent(const std::string& shape, const std::string& executor);
  /// Those whose kernels this build has here.
  static std::vector<std::string> shapes();
  static device where();
  static std::vector<stencil_way> ways();
  /// Those whose executor and engine this build has for the shape.
  static std::vector<stencil_way> ways(const std::string& shape);
};

}  // namespace dwell::test
