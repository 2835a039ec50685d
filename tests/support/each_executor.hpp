// SPDX-License-Identifier: MIT
// The fixture of tests that run once for each executor of this place, and for the other variants of
// CG under one of them: "persistent", "persistent/pipelined".
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "cg_runner.hpp"
#include "plain_options.hpp"

namespace dwell::test {

class each_executor : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }

  solve_options options(double rtol = 1e-10) const {
    solve_options o = plain_options();
    const std::string form = GetParam();
    const std::size_t slash = form.find('/');
    o.executor = form.substr(0, slash);
    o.variant = slash == std::string::npos ? textbook() : form.substr(slash + 1);
    o.rtol = rtol;
    o.refine = false;  // what one attempt does is judged
    return o;
  }
  template <class T = double>
  static linear_system<T> system(const char* name) {
    return make_system<T>(battery_at(name));
  }
};

/// All executors with the textbook's variant, and both others in one launch and in many.
inline std::vector<std::string> executors_and_variants() {
  std::vector<std::string> all = place::executors();
  for (const std::string& variant : other_variants())
    for (const executor_info& executor : {executors::host_loop, executors::perks})
      all.push_back(executor.name + ("/" + variant));
  return all;
}

/// The parameter as the name of a test.
inline std::string executor_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '-' || c == '/'; }, '_');
  return name;
}

}  // namespace dwell::test
