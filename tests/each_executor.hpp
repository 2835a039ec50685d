// SPDX-License-Identifier: MIT
// The fixture of tests that run once for each executor of this place.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cg_runner.hpp"

namespace dwell::test {

class each_executor : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }

  cg_options options(double rtol = 1e-10) const {
    cg_options o;
    o.executor = GetParam();
    o.rtol = rtol;
    return o;
  }
  template <class T = double>
  static linear_system<T> system(const char* name) {
    return make_system<T>(battery_at(name));
  }
};

/// The parameter as the name of a test.
inline std::string executor_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

}  // namespace dwell::test
