// SPDX-License-Identifier: MIT
// A system solved by ranks that are threads of this process, and by one solver; the methods and
// preconditioners that are tried.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dwell/comm/agreement.hpp"
#include "dwell/linear/distributed_solver.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "oracle.hpp"
#include "plain_options.hpp"

namespace dwell::test {

template <class T>
struct divided_answer {
  std::vector<T> x;
  solve_report report;
  std::string transport{};
};

inline std::vector<std::int64_t> equal_rows(index rows, int ranks) {
  std::vector<std::int64_t> first;
  for (int r = 0; r <= ranks; ++r) first.push_back(static_cast<std::int64_t>(rows) * r / ranks);
  return first;
}

/// In two halves, with ranks that have one row or none, and in many pieces.
inline std::vector<std::vector<std::int64_t>> odd_divisions(std::int64_t n) {
  return {{0, n / 2, n}, {0, 0, 1, n}, {0, n, n}, {0, 1, n / 3, n / 3, n}};
}

struct way {
  std::string method, variant;
  preconditioner by;
};
inline std::string name_of(const way& w) {
  std::string name = w.method + "_" + w.variant + "_" + to_string(w.by);
  std::erase(name, '-');
  return name;
}
inline std::vector<way> ways() {
  using p = preconditioner;
  return {{"cg", "textbook", p::none},
          {"cg", "textbook", p::jacobi},
          {"cg", "single-reduction", p::none},
          {"cg", "single-reduction", p::jacobi},
          {"cg", "pipelined", p::none},
          {"cg", "pipelined", p::jacobi},
          {"cg", "auto", p::amg},
          {"cg", "auto", p::chebyshev},
          {"cg", "auto", p::block_jacobi},
          {"cg", "auto", p::fsai},
          {"minres", "auto", p::none},
          {"minres", "auto", p::jacobi},
          {"bicgstab", "auto", p::none},
          {"bicgstab", "auto", p::ilu0},
          {"bicgstab", "pipelined", p::none},
          {"bicgstab", "pipelined", p::jacobi},
          {"gmres", "auto", p::none},
          {"gmres", "auto", p::jacobi}};
}
inline solve_options options_of(const way& w) {
  solve_options o = plain_options();
  o.method = w.method;
  o.variant = w.variant;
  o.preconditioner = w.by;
  return o;
}
/// Are the iterations of several ranks those of one, within rounding?
inline bool is_the_same_divided(preconditioner by) {
  return by == preconditioner::none || by == preconditioner::jacobi;
}

template <class T>
struct divided_case {
  csr<T> a;
  std::vector<T> b;
  std::vector<std::int64_t> first_rows;
  solve_options o = plain_options();
};

/// Solves one after the other, by ranks that are threads of this process; on(rank): where. All are
/// divided among as many ranks; vectors of the options are whole.
template <class T, class On>
std::vector<divided_answer<T>> solve_all_divided_on(On&& on,
                                                    const std::vector<divided_case<T>>& cases,
                                                    gpu_transport by = gpu_transport::automatic) {
  std::vector<divided_answer<T>> got(cases.size());
  const int ranks = static_cast<int>(cases.front().first_rows.size()) - 1;
  run_as_ranks(ranks, [&](std::shared_ptr<communicator> comm) {
    for (std::size_t k = 0; k < cases.size(); ++k) {
      const divided_case<T>& c = cases[k];
      const csr<T> none;
      const bool root = comm->rank() == 0;
      distributed_matrix<T> divided(comm, root ? c.a.view() : none.view(), c.first_rows);
      const std::vector<T> mine =
          divided.scatter(root ? std::span<const T>(c.b) : std::span<const T>());
      std::vector<T> x(mine.size(), T(0));
      solve_options o = c.o;
      o.null_vectors = divided.scatter_columns(c.o.null_vectors);
      o.preconditioning.near_null = divided.scatter_columns(c.o.preconditioning.near_null);
      distributed_solver<T> solver(on(comm->rank()), divided, o, by);
      const solve_report report = solver.solve(mine, x);
      const auto reports = values_of_ranks(*comm, report.iterations);
      for (const int iterations : reports) EXPECT_EQ(iterations, report.iterations);
      const std::vector<T> whole = divided.gather(x);
      if (root) got[k] = {whole, report, solver.transport()};
    }
  });
  return got;
}
template <class T, class On>
divided_answer<T> solve_divided_on(On&& on, const csr<T>& a, const std::vector<T>& b,
                                   const std::vector<std::int64_t>& first_rows,
                                   const solve_options& o,
                                   gpu_transport by = gpu_transport::automatic) {
  return solve_all_divided_on<T>(on, {{a, b, first_rows, o}}, by).front();
}
template <class T>
divided_answer<T> solve_divided(const csr<T>& a, const std::vector<T>& b,
                                const std::vector<std::int64_t>& first_rows, const solve_options& o,
                                int threads = 1) {
  return solve_divided_on([&](int) { return device::cpu(threads); }, a, b, first_rows, o);
}

template <class T>
divided_answer<T> solve_whole_on(const device& where, const csr<T>& a, const std::vector<T>& b,
                                 const solve_options& o) {
  divided_answer<T> got{std::vector<T>(b.size(), T(0)), {}};
  linear_solver<T> solver(where, a.view(), o);
  got.report = solver.solve(b, got.x);
  return got;
}
template <class T>
divided_answer<T> solve_whole(const csr<T>& a, const std::vector<T>& b, solve_options o,
                              int threads = 1) {
  o.executor = "host-loop";
  return solve_whole_on(device::cpu(threads), a, b, o);
}

/// Iterations differ by 1 / part at most.
inline void expect_alike(const divided_answer<double>& got, const divided_answer<double>& wanted,
                         const csr<double>& a, const std::vector<double>& b, double rtol,
                         int part = 50) {
  EXPECT_EQ(got.report.stopped, stop_reason::converged) << to_string(got.report.stopped);
  const int slack = std::max(2, wanted.report.iterations / part);
  EXPECT_NEAR(got.report.iterations, wanted.report.iterations, slack);
  const double norm = norm2(b);
  const double residual =
      residual_norm(a.view(), std::span<const double>(b), std::span<const double>(got.x)) / norm;
  EXPECT_LE(residual, 1.01 * rtol);
  EXPECT_NEAR(got.report.residual_relative_true, residual, 1e-3 * residual) << "it is honest";
}

}  // namespace dwell::test
