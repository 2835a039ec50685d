// SPDX-License-Identifier: MIT
// A block of right-hand sides solved by ranks that are threads of this process, and by one solver.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "battery.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/linear/distributed_solver.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "oracle.hpp"
#include "plain_options.hpp"

namespace dwell::test {

inline solve_options asking(int at_once, preconditioner by = preconditioner::jacobi) {
  solve_options o = plain_options();
  o.columns_at_once = at_once;
  o.preconditioner = by;
  return o;
}

template <class T>
using column_list = std::vector<std::vector<T>>;  ///< one vector per column

template <class T>
column_list<T> random_columns(index rows, int count) {
  column_list<T> all;
  for (int k = 0; k < count; ++k) {
    const std::vector<double> one = random_vector(rows, 900u + static_cast<unsigned>(k));
    all.emplace_back(one.begin(), one.end());
  }
  return all;
}

template <class T>
struct column_answers {
  column_list<T> x;
  std::vector<solve_report> reports;
};

/// What a rank has of a block: columns `gap` elements apart, each after the other.
template <class T>
struct rank_block {
  std::size_t rows, distance;
  std::vector<T> all;
  rank_block(const distributed_matrix<T>& a, const column_list<T>& whole, std::size_t gap)
      : rows(static_cast<std::size_t>(a.rows())), distance(rows + gap) {
    for (const std::vector<T>& one : whole) {
      const std::vector<T> mine = a.scatter(one);
      all.insert(all.end(), mine.begin(), mine.end());
      all.resize(all.size() + gap, T(-42));
    }
  }
  std::span<T> column(int k) {
    return std::span<T>(all).subspan(static_cast<std::size_t>(k) * distance, rows);
  }
};

/// Solves with a solver of this rank; the first rank gets the answers, and all compare what reports
/// say of the whole system.
template <class T>
column_answers<T> solve_columns_of_rank(communicator& comm, const distributed_matrix<T>& a,
                                        distributed_solver<T>& solver, const column_list<T>& b,
                                        const column_list<T>& start) {
  rank_block<T> mine(a, b, 3), x(a, start, 1);
  const int count = static_cast<int>(b.size());
  column_answers<T> got;
  got.reports = solver.solve(std::span<const T>(mine.all), mine.distance, std::span<T>(x.all),
                             x.distance, count);
  EXPECT_EQ(got.reports.size(), b.size());
  for (int k = 0; k < count; ++k) {
    const solve_report& r = got.reports[static_cast<std::size_t>(k)];
    struct facts {
      int iterations, together, stopped, refinements;
      double residual, condition;
      bool operator==(const facts&) const = default;
    };
    const facts here{r.iterations,  r.columns_together,       static_cast<int>(r.stopped),
                     r.refinements, r.residual_relative_true, r.condition_estimate};
    EXPECT_EQ(value_of_rank(comm, 0, here), here) << "as on the first rank, column " << k;
    got.x.push_back(a.gather(x.column(k)));
  }
  return got;
}

/// on(rank): where. Vectors of the options are whole.
template <class T, class On>
column_answers<T> solve_columns_divided_on(On&& on, const csr<T>& a, const column_list<T>& b,
                                           const std::vector<std::int64_t>& first_rows,
                                           const solve_options& o,
                                           gpu_transport by = gpu_transport::automatic) {
  column_answers<T> got;
  run_as_ranks(static_cast<int>(first_rows.size()) - 1, [&](std::shared_ptr<communicator> comm) {
    const distributed_matrix<T> divided(comm, a.view(), first_rows);
    solve_options here = o;
    here.null_vectors = divided.scatter_columns(o.null_vectors);
    distributed_solver<T> solver(on(comm->rank()), divided, here, by);
    const column_list<T> zeros(b.size(), std::vector<T>(static_cast<std::size_t>(a.rows)));
    column_answers<T> mine = solve_columns_of_rank(*comm, divided, solver, b, zeros);
    if (comm->rank() == 0) got = std::move(mine);
  });
  return got;
}
template <class T>
column_answers<T> solve_columns_divided(const csr<T>& a, const column_list<T>& b,
                                        const std::vector<std::int64_t>& first_rows,
                                        const solve_options& o, int threads = 1) {
  return solve_columns_divided_on([&](int) { return device::cpu(threads); }, a, b, first_rows, o);
}

template <class T>
column_answers<T> solve_columns_whole_on(const device& where, const csr<T>& a,
                                         const column_list<T>& b, const solve_options& o) {
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<T> all, x(n * b.size());
  for (const std::vector<T>& one : b) all.insert(all.end(), one.begin(), one.end());
  linear_solver<T> solver(where, a.view(), o);
  column_answers<T> got;
  got.reports =
      solver.solve(std::span<const T>(all), n, std::span<T>(x), n, static_cast<int>(b.size()));
  for (std::size_t k = 0; k < b.size(); ++k)
    got.x.emplace_back(x.begin() + static_cast<std::ptrdiff_t>(k * n),
                       x.begin() + static_cast<std::ptrdiff_t>((k + 1) * n));
  return got;
}

}  // namespace dwell::test
