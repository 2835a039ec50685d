// SPDX-License-Identifier: MIT
// Solvers of linear systems by dwell/dwell.h, which its tests prepare.
#pragma once
#include <gtest/gtest.h>

#include <type_traits>

#include "c_handles.hpp"
#include "dwell/dwell.h"
#include "dwell/formats/csr.hpp"

namespace dwell::test {

template <class T>
csr<T> converted(const csr<double>& a) {
  return {a.rows, a.cols, a.row_ptr, a.col, {a.val.begin(), a.val.end()}};
}

template <class T>
dwell_csr matrix_of(const csr<T>& a) {
  return {std::is_same_v<T, double> ? DWELL_F64 : DWELL_F32,
          DWELL_HOST,
          a.rows,
          a.cols,
          0,
          a.row_ptr.data(),
          a.col.data(),
          a.val.data()};
}
inline owned<dwell_options> cg_options_of() {
  dwell_options* o = nullptr;
  EXPECT_EQ(dwell_cg_options_create(&o), DWELL_SUCCESS);
  return owned<dwell_options>(o);
}
template <class T>
owned<dwell_cg> prepare(const csr<T>& a, const dwell_options* o = nullptr) {
  dwell_cg* solver = nullptr;
  const dwell_csr view = matrix_of(a);
  EXPECT_EQ(dwell_cg_create(&solver, &two_threads, &view, o), DWELL_SUCCESS) << dwell_last_error();
  return owned<dwell_cg>(solver);
}
}  // namespace dwell::test
