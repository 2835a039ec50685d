// SPDX-License-Identifier: MIT
// Kinds whose rows are made one by one: any rows have the bits of the whole matrix.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"

namespace dwell::test {
namespace {

const std::vector<std::string> kinds = {"poisson2d:1x1",
                                        "poisson2d:1x7",
                                        "poisson2d:7x1",
                                        "poisson2d:13x9",
                                        "poisson3d:1x1x1",
                                        "poisson3d:5x4x3",
                                        "poisson3d:1x6x5",
                                        "poisson3d:6x1x5",
                                        "poisson3d:6x5x1",
                                        "poisson3d:2x2x2",
                                        "neumann2d:8x5",
                                        "neumann2d:1x1",
                                        "neumann3d:3x4x5",
                                        "convection2d:9x6:4",
                                        "convection2d:9x6:0",
                                        "helmholtz2d:9x7:2.5",
                                        "anisotropic2d:8x9:0.001",
                                        "jumps2d:120x60:1000",
                                        "jumps2d:51x3:0.1",
                                        "box3d:1",
                                        "box3d:2",
                                        "box3d:3",
                                        "box3d:6"};

TEST(rows_by_kind, are_those_of_the_whole_matrix) {
  for (const std::string& kind : kinds) {
    SCOPED_TRACE(kind);
    const csr<double> whole = generate(kind);
    const auto source = generate_by_rows(kind);
    ASSERT_EQ(source->rows(), whole.rows);
    ASSERT_EQ(source->cols(), whole.cols);
    ASSERT_EQ(source->nonzeros(), whole.nonzeros());
    for (index i = 0; i <= whole.rows; ++i) ASSERT_EQ(source->row_ptr(i), whole.row_ptr[i]) << i;
    for (const auto& [first, last] : {std::pair<index, index>{0, whole.rows},
                                      {whole.rows / 3, whole.rows / 3 * 2},
                                      {whole.rows, whole.rows},
                                      {whole.rows / 2, whole.rows}}) {
      const matrix_rows got = source->part(first, last, 2);
      const index from = whole.row_ptr[first], end = whole.row_ptr[last];
      EXPECT_EQ(got.all_rows, whole.rows);
      ASSERT_EQ(got.row_ptr.size(), static_cast<std::size_t>(last - first) + 1);
      for (index i = first; i <= last; ++i)
        ASSERT_EQ(got.row_ptr[i - first], whole.row_ptr[i] - from);
      EXPECT_TRUE(std::equal(got.col.begin(), got.col.end(), whole.col.begin() + from,
                             whole.col.begin() + end));
      ASSERT_EQ(got.val.size(), static_cast<std::size_t>(end - from));
      EXPECT_TRUE(got.val.empty() || std::memcmp(got.val.data(), whole.val.data() + from,
                                                 got.val.size() * sizeof(double)) == 0);
    }
  }
}

TEST(rows_by_kind, are_made_by_several_threads) {
  const auto source = generate_by_rows("poisson3d:70x71x73");
  const auto one = source->part(1000, 360000, 1), three = source->part(1000, 360000, 3);
  EXPECT_EQ(one.row_ptr, three.row_ptr);
  EXPECT_EQ(one.col, three.col);
  EXPECT_EQ(one.val, three.val);
}

TEST(rows_by_kind, are_the_whole_matrix_together) {
  std::vector<std::string> all = kinds;
  all.emplace_back("poisson3d:61x70x43");  // more than a thread makes at once
  for (const std::string& kind : all)
    for (const int threads : {0, 1, 3}) {
      SCOPED_TRACE(kind);
      const csr<double> want = generate(kind);
      const large_csr<double> got = whole_matrix(*generate_by_rows(kind), threads);
      EXPECT_EQ(got.rows, want.rows);
      EXPECT_EQ(got.cols, want.cols);
      ASSERT_EQ(got.row_ptr.size(), want.row_ptr.size());
      EXPECT_TRUE(std::equal(got.row_ptr.begin(), got.row_ptr.end(), want.row_ptr.begin()));
      EXPECT_EQ(got.col, want.col);
      EXPECT_EQ(got.val, want.val);
    }
  try {
    whole_matrix(*generate_by_rows("box3d:300000"));
    ADD_FAILURE() << "accepted";
  } catch (const input_error& e) {
    EXPECT_STREQ(e.what(),
                 "matrix: expected at most 2147483647 rows and columns, found 27000000000000000 x "
                 "27000000000000000");
  }
}

TEST(rows_by_kind, know_if_they_are_symmetric) {
  EXPECT_TRUE(generate_by_rows("helmholtz2d:9x9:3")->symmetric());
  EXPECT_TRUE(generate_by_rows("convection2d:9x9:0")->symmetric());
  EXPECT_FALSE(generate_by_rows("convection2d:9x9:3")->symmetric());
}

TEST(rows_by_kind, may_be_of_matrices_that_no_machine_has) {
  const auto source = generate_by_rows("box3d:300000");
  EXPECT_EQ(source->rows(), 27000000000000000);
  const auto last = source->part(source->rows() - 2, source->rows(), 1);
  EXPECT_EQ(last.col.back(), source->rows() - 1);
  EXPECT_EQ(source->row_ptr(source->rows()) - source->row_ptr(source->rows() - 2), 12 + 8);
}

TEST(rows_by_kind, are_refused_where_there_are_none) {
  for (const char* kind : {"trefethen:20", "elasticity2d:3x3", "like:hood", "no_such:3", "A.mtx"}) {
    EXPECT_FALSE(is_made_by_rows(kind)) << kind;
    EXPECT_THROW(generate_by_rows(kind), input_error) << kind;
  }
  for (const char* kind :
       {"poisson2d:3", "poisson3d:3x3", "box3d:0", "jumps2d:3x3:0", "neumann3d:1x1x0",
        "helmholtz2d:3x3:-1", "poisson3d:2147483647x2147483647x2147483647"}) {
    EXPECT_TRUE(is_made_by_rows(kind)) << kind;
    EXPECT_THROW(generate_by_rows(kind), input_error) << kind;
  }
  const auto source = generate_by_rows("poisson2d:3x3");
  EXPECT_THROW(source->part(0, 10, 1), input_error);
  EXPECT_THROW(source->part(-1, 2, 1), input_error);
  EXPECT_THROW(source->row_ptr(10), input_error);
}

}  // namespace
}  // namespace dwell::test
