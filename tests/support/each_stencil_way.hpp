// SPDX-License-Identifier: MIT
// A fixture for tests that run stencils in every way that this place has.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "stencil_place.hpp"

namespace dwell::test {

class each_stencil_way : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = stencil_place::absent(); !why.empty()) GTEST_SKIP() << why;
  }
  /// f(options) for each of them.
  template <class F>
  static void each_way(F&& f) {
    each_way("2d5pt", f);
  }
  template <class F>
  static void each_way(const std::string& shape, F&& f) {
    for (const auto& way : stencil_place::ways(shape)) {
      SCOPED_TRACE(testing::PrintToString(way));
      stencil_options o;
      o.shape = shape;
      way.apply(o);
      f(o);
    }
  }
};

}  // namespace dwell::test
