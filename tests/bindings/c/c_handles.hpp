// SPDX-License-Identifier: MIT
// What tests of dwell/dwell.h share: owners of handles, values of reports, refusals.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "dwell/dwell.h"

namespace dwell::test {

struct destroy {
  void operator()(dwell_options* p) const { dwell_options_destroy(p); }
  void operator()(dwell_report* p) const { dwell_report_destroy(p); }
  void operator()(dwell_cg* p) const { dwell_cg_destroy(p); }
  void operator()(dwell_stencil* p) const { dwell_stencil_destroy(p); }
  void operator()(dwell_convolution* p) const { dwell_convolution_destroy(p); }
  void operator()(dwell_grid_solver* p) const { dwell_grid_solver_destroy(p); }
};
template <class T>
using owned = std::unique_ptr<T, destroy>;

inline constexpr dwell_device two_threads{DWELL_HOST, 2, nullptr};
/// No GPU has this number.
inline constexpr dwell_device no_gpu{DWELL_CUDA, 4711, nullptr};

inline owned<dwell_options> stencil_options_of() {
  dwell_options* o = nullptr;
  EXPECT_EQ(dwell_stencil_options_create(&o), DWELL_SUCCESS);
  return owned<dwell_options>(o);
}

using precisions = testing::Types<double, float>;

inline long long whole(const dwell_report* r, const char* name) {
  long long v = -1;
  EXPECT_EQ(dwell_report_int(r, name, &v), DWELL_SUCCESS) << dwell_last_error();
  return v;
}
inline double number(const dwell_report* r, const char* name) {
  double v = -1;
  EXPECT_EQ(dwell_report_double(r, name, &v), DWELL_SUCCESS) << dwell_last_error();
  return v;
}
inline std::string text(const dwell_report* r, const char* name) {
  const char* v = "";
  EXPECT_EQ(dwell_report_text(r, name, &v), DWELL_SUCCESS) << dwell_last_error();
  return v;
}
/// The call is refused in one line that contains `words`.
inline void expect_refused(int status, const std::string& words, int with = DWELL_INPUT_ERROR) {
  EXPECT_EQ(status, with);
  const std::string said = dwell_last_error();
  EXPECT_NE(said.find(words), std::string::npos) << said;
  EXPECT_EQ(said.find('\n'), std::string::npos) << said;
}

}  // namespace dwell::test
