// SPDX-License-Identifier: MIT
// The library refuses preconditioners and methods; here are the options of the command line.
#include "linear/large_problem.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "linear/vectors.hpp"

#include "dwell/base/error.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"

namespace dwell::app {

void check_large(const solve_arguments& args, std::int64_t nonzeros) {
  const auto refuse = [&](const char* option) {
    throw unsupported_error(fmt::format(
        "{}: not with a matrix of more than 2^31 - 1 nonzeros, found {}", option, nonzeros));
  };
  check_nonzeros(nonzeros, demand_of(args.options));
  if (args.ranks.any()) refuse("--ranks and --distributed with --partition or null vectors");
  if (args.rhs_count != 1) refuse("--rhs-count");
  if (args.near_null.any()) refuse("--near-null and --coordinates");
  if (parse_rhs(args.rhs).what == rhs_source::kind::companion) refuse("--rhs companion");
}

std::vector<double> row_sums(const large_csr<double>& a) {
  std::vector<double> sums(static_cast<std::size_t>(a.rows));
  for (std::size_t i = 0; i < sums.size(); ++i)
    for (std::int64_t k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      sums[i] += a.val[static_cast<std::size_t>(k)];
  return sums;
}

solve_report solve_large_in(const std::string& precision, const device& where,
                            const large_csr<double>& a, const std::vector<double>& b,
                            std::vector<double>& x, const solve_options& options) {
  if (precision != "f32") return solve(where, a.view(), b, x, options);
  const auto values = to_single(a.val, "matrix");
  const auto b_single = rhs_to_single(b);
  auto x_single = to_single(x, "start vector");
  const large_csr_view<float> single{a.rows, a.cols, a.row_ptr.data(), a.col.data(), values.data()};
  const auto report = solve(where, single, b_single, x_single, options);
  std::copy(x_single.begin(), x_single.end(), x.begin());
  return report;
}

}  // namespace dwell::app
