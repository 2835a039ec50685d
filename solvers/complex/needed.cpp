// SPDX-License-Identifier: MIT
#include "dwell/solvers/complex/needed.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/small_kernels.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "dwell/execution/krylov/launch/needed_rows.hpp"
#include "dwell/solvers/bicgstab/complex.hpp"
#include "dwell/solvers/cg/complex.hpp"
#include "dwell/solvers/gmres/textbook.hpp"

namespace dwell {
namespace {

std::string_view program_of(std::string_view method) {
  for (const auto& [name, program] :
       std::array{std::pair(complex_cg::method, complex_cg::name),
                  std::pair(complex_bicgstab::method, complex_bicgstab::name),
                  std::pair(complex_gmres::method, complex_gmres::name)})
    if (name == method) return program;
  throw unsupported_error(
      fmt::format("method: expected cg, bicgstab or gmres for a complex matrix, found {}", method));
}

}  // namespace

std::vector<kernel_source> needed_complex_sources(const std::string& method,
                                                  const std::string& executor, precision type) {
  const std::string_view program = program_of(method);
  if (executor != automatic)
    (void)find_kernel_among(planned_complex_kernels(), program, executor, type, backend::cuda);
  std::vector<program_kernel> rows;
  for (const program_kernel& v : planned_complex_kernels())
    if (v.problem == program) rows.push_back(v);
  std::vector<kernel_source> all = needed_of_rows(rows, complex_kernels(), executor, type);
  for (kernel_source& unit : small_kernels_of_complex_solves(type)) all.push_back(std::move(unit));
  return all;
}

}  // namespace dwell
