// SPDX-License-Identifier: MIT
// The one call that prepares and solves, and the names of values.
#include "dwell/linear/solve.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/solvers/linear/check/memory_check.hpp"
#include "dwell/solvers/linear/check/system_check.hpp"
#include "dwell/solvers/preconditioners/list.hpp"

namespace dwell {

std::string to_string(preconditioner p) { return kind_of(p).name; }

std::vector<preconditioner> preconditioners() {
  std::vector<preconditioner> all;
  for (const preconditioner_kind& one : preconditioner_kinds()) all.push_back(one.is);
  return all;
}

preconditioner parse_preconditioner(std::string_view name) {
  std::vector<std::string> names;
  for (const preconditioner_kind& one : preconditioner_kinds()) {
    if (one.name == name) return one.is;
    names.push_back(one.name);
  }
  throw input_error(fmt::format("preconditioner: expected one of {}, found {}",
                                fmt::join(names, ", "), found_word(name, names)));
}

std::string to_string(stop_reason r) {
  switch (r) {
    case stop_reason::converged:
      return "converged";
    case stop_reason::iteration_limit:
      return "iteration limit";
    case stop_reason::breakdown:
      return "breakdown";
    case stop_reason::not_finite:
      return "not finite";
    case stop_reason::interrupted:
      return "interrupted";
    case stop_reason::accuracy_limit:
      return "accuracy limit";
  }
  return "unknown";
}

namespace {

/// Prepare and solve.
template <class T, class Offset>
solve_report solve_once(const device& where, const csr_view<T, Offset>& a, std::span<const T> b,
                        std::span<T> x, const solve_options& options) {
  check_options(options);
  check_memory(a, b, std::span<const T>(x));
  linear_solver<T> solver(where, a, options);
  const double prepared = solver.setup().total();
  solve_report report = solver.solve(b, x);
  report.setup = solver.setup();
  report.setup_s += prepared;
  return report;
}

}  // namespace

solve_report solve(const device& where, const csr_view<double>& a, std::span<const double> b,
                   std::span<double> x, const solve_options& options) {
  return solve_once(where, a, b, x, options);
}

solve_report solve(const device& where, const csr_view<float>& a, std::span<const float> b,
                   std::span<float> x, const solve_options& options) {
  return solve_once(where, a, b, x, options);
}

solve_report solve(const device& where, const large_csr_view<double>& a, std::span<const double> b,
                   std::span<double> x, const solve_options& options) {
  return solve_once(where, a, b, x, options);
}

solve_report solve(const device& where, const large_csr_view<float>& a, std::span<const float> b,
                   std::span<float> x, const solve_options& options) {
  return solve_once(where, a, b, x, options);
}

}  // namespace dwell
