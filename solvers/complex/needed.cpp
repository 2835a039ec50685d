// SPDX-License-Identifier: MIT
#include "dwell/solvers/complex/needed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/small_kernels.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "dwell/execution/krylov/launch/needed_rows.hpp"
#include "dwell/solvers/bicgstab/complex.hpp"
#include "dwell/solvers/bicgstab/preconditioned.hpp"
#include "dwell/solvers/cg/complex.hpp"
#include "dwell/solvers/gmres/textbook.hpp"

namespace dwell {
namespace {

/// Of a method, the plain one first.
std::vector<std::string_view> programs_of(std::string_view method) {
  std::vector<std::string_view> programs;
  for (const auto& [name, program] :
       std::array{std::pair(complex_cg::method, complex_cg::name),
                  std::pair(complex_bicgstab::method, complex_bicgstab::name),
                  std::pair(complex_preconditioned_bicgstab::method,
                            complex_preconditioned_bicgstab::name),
                  std::pair(complex_gmres::method, complex_gmres::name)})
    if (name == method) programs.emplace_back(program);
  if (!programs.empty()) return programs;
  throw unsupported_error(
      fmt::format("method: expected cg, bicgstab or gmres for a complex matrix, found {}", method));
}

}  // namespace

std::vector<kernel_source> needed_complex_sources(const std::string& method,
                                                  const std::string& executor, precision type) {
  const std::vector<std::string_view> programs = programs_of(method);
  if (executor != automatic)
    (void)find_kernel_among(planned_complex_kernels(), programs.front(), executor, type,
                            backend::cuda);
  std::vector<program_kernel> rows;
  for (const program_kernel& v : planned_complex_kernels())
    if (std::ranges::find(programs, v.problem) != programs.end()) rows.push_back(v);
  std::vector<kernel_source> all = needed_of_rows(rows, complex_kernels(), executor, type);
  for (kernel_source& unit : small_kernels_of_complex_solves(type)) all.push_back(std::move(unit));
  return all;
}

}  // namespace dwell
