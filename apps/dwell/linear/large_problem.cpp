// SPDX-License-Identifier: MIT
// The library refuses preconditioners and methods; here are the options of the command line.
#include "linear/large_problem.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "linear/vectors.hpp"
#include "report/units.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/device/host_memory.hpp"
#include "dwell/solvers/linear/check/solve_memory.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"

namespace dwell::app {

namespace {

void require_bytes(double bytes, std::size_t free, const row_source& of, const std::string& on) {
  if (free == 0 || bytes <= static_cast<double>(free)) return;  // 0: the system does not say
  throw device_error(fmt::format(
      "too little memory{}: {} nonzeros in {} rows and the solve take {} or more, {} are free", on,
      format_count(of.nonzeros()), format_count(of.rows()), format_bytes(bytes),
      format_bytes(static_cast<double>(free))));
}

/// The matrix as it is read, b and x; in f32 a copy of all of them.
double bytes_of_system(const row_source& of, bool single) {
  const auto rows = static_cast<double>(of.rows()), nonzeros = static_cast<double>(of.nonzeros());
  const auto in = [&](double scalar) {
    return nonzeros * (sizeof(index) + scalar) + rows * (sizeof(std::int64_t) + 2 * scalar);
  };
  return in(sizeof(double)) + (single ? in(sizeof(float)) : 0.0);
}

void require_memory(const solve_arguments& args, const device& where, const row_source& of) {
  const bool single = args.precision == "f32", on_cpu = where.on() == backend::cpu;
  const double system = bytes_of_system(of, single),
               solve = least_solve_bytes(of.rows(), of.nonzeros(), args.options,
                                         single ? sizeof(float) : sizeof(double), where.on());
  require_bytes(on_cpu ? system + solve : system, host_memory_free(), of, "");
  if (!on_cpu) {
    const device_facts facts = where.facts();
    require_bytes(solve, facts.memory_free, of, " on " + facts.name);
  }
}

}  // namespace

void check_large(const solve_arguments& args, const device& where, const row_source& of) {
  const std::int64_t nonzeros = of.nonzeros();
  const auto refuse = [&](const char* option) {
    throw unsupported_error(fmt::format(
        "{}: not with a matrix of more than 2^31 - 1 nonzeros, found {}", option, nonzeros));
  };
  check_nonzeros(nonzeros, demand_of(args.options));
  if (args.ranks.any()) refuse("--ranks and --distributed with --partition or null vectors");
  if (args.rhs_count != 1) refuse("--rhs-count");
  if (args.near_null.any()) refuse("--near-null and --coordinates");
  if (parse_rhs(args.rhs).what == rhs_source::kind::companion) refuse("--rhs companion");
  require_memory(args, where, of);
}

}  // namespace dwell::app
