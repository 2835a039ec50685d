// SPDX-License-Identifier: MIT
// The library refuses preconditioners and methods; here are the options of the command line.
#include "linear/large_problem.hpp"

#include <fmt/format.h>

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

}  // namespace dwell::app
