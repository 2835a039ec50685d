// SPDX-License-Identifier: MIT
// Matrices whose rows are divided among ranks: shares, orders of rows, rows generated in place, and
// rows that are malformed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "battery.hpp"
#include "divided_answer.hpp"
#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/divide.hpp"

namespace dwell::test {
namespace {

TEST(distributed_matrix_, knows_its_neighbours) {
  const csr<double> a = generate("poisson2d:10x12");
  run_as_ranks(3, [&](std::shared_ptr<communicator> comm) {
    const distributed_matrix<double> d(comm, a.view(), equal_rows(a.rows, 3));
    const rank_share share = d.share();
    EXPECT_EQ(share.rows, 40);
    const bool middle = comm->rank() == 1;
    EXPECT_EQ(share.ghosts, middle ? 20 : 10);
    EXPECT_EQ(share.sent, middle ? 20 : 10);
    EXPECT_EQ(share.neighbours, middle ? 2 : 1);
    EXPECT_EQ(share.interior_rows, middle ? 20 : 30);
    EXPECT_EQ(d.all_rows(), 120);
    EXPECT_EQ(d.all_nonzeros(), a.view().nonzeros());
    EXPECT_EQ(d.shares().size(), 3u);
    EXPECT_EQ(d.ghosts()[0], comm->rank() == 0 ? 40 : comm->rank() == 1 ? 30 : 70);
  });
}

TEST(distributed_matrix_, is_made_of_rows_with_global_columns) {
  for (const char* kind : {"poisson3d:6x5x7", "poisson2d:9x11"}) {
    const csr<double> a = generate(kind);
    const std::vector<double> b = random_vector(a.rows, 5);
    const auto wanted = solve_whole(a, b, {});
    run_as_ranks(3, [&](std::shared_ptr<communicator> comm) {
      const generated_rows mine = generate_rows(kind, comm->rank(), comm->size());
      distributed_matrix<double> d(
          comm, global_rows<double>{mine.all_rows, mine.row_ptr, mine.col, mine.val});
      const std::vector<double> rhs = d.scatter(b);
      const distributed_matrix<double> scattered(comm, a.view(), d.first_rows());
      const auto same = [](const csr_view<double>& x, const csr_view<double>& y) {
        return x.rows == y.rows && x.cols == y.cols && x.nonzeros() == y.nonzeros() &&
               std::equal(x.row_ptr, x.row_ptr + x.rows + 1, y.row_ptr) &&
               std::equal(x.col, x.col + x.nonzeros(), y.col) &&
               std::equal(x.val, x.val + x.nonzeros(), y.val);
      };
      EXPECT_TRUE(same(d.local(), scattered.local()));
      const std::int64_t from = d.first_row();
      std::vector<double> x(rhs.size(), 0.0);
      distributed_solver<double> solver(device::cpu(1), std::move(d));
      const auto report = solver.solve(rhs, x);
      EXPECT_NEAR(report.iterations, wanted.report.iterations, 2);
      for (std::size_t k = 0; k < x.size(); ++k)
        EXPECT_NEAR(x[k], wanted.x[static_cast<std::size_t>(from) + k], 1e-6);
    });
  }
}

TEST(rows_in_parts, may_be_of_matrices_that_no_machine_has) {
  const generated_rows last =
      generate_rows("poisson3d:100000x100000x100000", 999999999, 1000000000);
  EXPECT_EQ(last.all_rows, 1000000000000000);
  EXPECT_EQ(last.row_ptr.size(), 1000001u);
  EXPECT_EQ(last.col.back(), 999999999999999);
  EXPECT_THROW(generate_rows("poisson3d:100000x100000x100000", 0, 2), input_error);
  EXPECT_THROW(generate_rows("poisson2d:3x3", 2, 2), input_error);
  EXPECT_THROW(generate_rows("poisson2d:3", 0, 1), input_error);
  EXPECT_THROW(generate_rows("trefethen:20", 0, 1), input_error);
  EXPECT_THROW(generate_rows("no_such:20", 0, 1), input_error);
}

TEST(balanced_rows, share_rows_and_nonzeros) {
  const csr<double> a = generate("poisson2d:100x100");
  const auto first = balanced_first_rows(a.row_ptr, 7);
  ASSERT_EQ(first.size(), 8u);
  EXPECT_EQ(first.front(), 0);
  EXPECT_EQ(first.back(), a.rows);
  for (int r = 0; r < 7; ++r) {
    const std::int64_t rows =
        first[static_cast<std::size_t>(r) + 1] - first[static_cast<std::size_t>(r)];
    EXPECT_NEAR(static_cast<double>(rows), a.rows / 7.0, 30);
  }
  EXPECT_EQ(balanced_first_rows(std::vector<index>{0}, 3), (std::vector<std::int64_t>{0, 0, 0, 0}));
  EXPECT_THROW(balanced_first_rows(a.row_ptr, 0), input_error);
}

// Parts in no order at all: the rows of a rank that read no others come first.
TEST(divided_by_parts, has_interior_rows_first) {
  const csr<double> a = generate("poisson2d:20x17");
  const std::vector<double> b = random_vector(a.rows, 11);
  std::vector<int> parts;
  for (index i = 0; i < a.rows; ++i) parts.push_back(i % 20 / 7);  // columns of the grid
  const row_division by = divide_by_parts(a.view(), parts, 4);     // the last rank has none
  EXPECT_EQ(by.first_rows, (std::vector<std::int64_t>{0, 119, 238, 340, 340}));
  const csr<double> renumbered = in_order(a.view(), by.order);
  const std::vector<double> rhs = in_order(std::span<const double>(b), by.order);
  EXPECT_EQ(from_order(std::span<const double>(rhs), by.order), b);
  run_as_ranks(4, [&](std::shared_ptr<communicator> comm) {
    const distributed_matrix<double> d(comm, renumbered.view(), by.first_rows);
    EXPECT_EQ(d.halo().interior_begin, 0);
    EXPECT_EQ(d.halo().interior_end, d.share().interior_rows);
    EXPECT_EQ(d.share().interior_rows, comm->rank() == 3   ? 0
                                       : comm->rank() == 1 ? 5 * 17
                                                           : (comm->rank() == 0 ? 6 : 5) * 17);
  });
  const auto wanted = solve_whole(a, b, {});
  auto got = solve_divided(renumbered, rhs, by.first_rows, {});
  got.x = from_order(std::span<const double>(got.x), by.order);
  expect_alike(got, wanted, a, b, 1e-8);
  EXPECT_THROW(divide_by_parts(a.view(), parts, 2), input_error);
  parts.pop_back();
  EXPECT_THROW(divide_by_parts(a.view(), parts, 4), input_error);
}

TEST(divided_refusals, are_of_rows_that_are_malformed) {
  run_as_ranks(2, [&](std::shared_ptr<communicator> comm) {
    using numbers = std::vector<std::int64_t>;
    const std::vector<double> ones(2, 1.0);
    const auto make = [&](std::int64_t all, const numbers& row_ptr, const numbers& col) {
      distributed_matrix<double> d(comm, global_rows<double>{all, row_ptr, col, ones});
    };
    const bool first = comm->rank() == 0;
    make(2, first ? numbers{0, 2} : numbers{0, 2}, {0, 1});
    EXPECT_THROW(make(3, {0, 2}, {0, 1}), input_error) << "3 rows wanted, 2 given";
    EXPECT_THROW(make(first ? 2 : 3, {0, 2}, {0, 1}), input_error);
    EXPECT_THROW(make(2, {0, 2}, first ? numbers{0, 1} : numbers{1, 0}), input_error);
    EXPECT_THROW(make(2, {0, 2}, first ? numbers{0, 1} : numbers{0, 2}), input_error);
    EXPECT_THROW(make(2, first ? numbers{0, 2} : numbers{1, 2}, {0, 1}), input_error);
    EXPECT_THROW(make(2, first ? numbers{0, 2} : numbers{0, 3}, {0, 1}), input_error);
    const csr<double> a = generate("poisson2d:3x3");
    EXPECT_THROW(distributed_matrix<double>(comm, a.view(), numbers{0, 9}), input_error);
    EXPECT_THROW(distributed_matrix<double>(comm, a.view(), numbers{0, 5, 8}), input_error);
    EXPECT_THROW(distributed_matrix<double>(comm, a.view(), numbers{0, 5, 4, 9}), input_error);
  });
}

}  // namespace
}  // namespace dwell::test
