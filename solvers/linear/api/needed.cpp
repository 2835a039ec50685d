// SPDX-License-Identifier: MIT
// The kernels of methods, as texts.
#include "dwell/solvers/linear/api/needed.hpp"

#include <span>
#include <string_view>
#include <utility>

#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/small_kernels.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "dwell/execution/krylov/launch/needed_rows.hpp"
#include "dwell/solvers/linear/choose/variant.hpp"

namespace dwell {
namespace {

bool is_form_of(std::string_view method, std::string_view program) {
  for (const auto table : {solver_variants(), column_variants()})
    for (const solver_variant& f : table)
      if (f.method == method && f.program == program) return true;
  return false;
}

/// Those of them that are of the method.
std::vector<program_kernel> rows_of(std::string_view method,
                                    std::span<const program_kernel> planned) {
  std::vector<program_kernel> rows;
  for (const program_kernel& v : planned)
    if (is_form_of(method, v.problem)) rows.push_back(v);
  return rows;
}

}  // namespace

std::vector<std::string> methods_with_kernels() {
  std::vector<std::string> names;
  for (const solver_variant& f : solver_variants())
    if (names.empty() || names.back() != f.method) names.emplace_back(f.method);
  return names;
}

std::vector<kernel_source> needed_sources(const std::string& method, const std::string& executor,
                                          precision type) {
  if (executor != automatic)
    (void)find_kernel_among(planned_program_kernels(), solver_variants(method).front().program,
                            executor, type, backend::cuda);
  std::vector<kernel_source> all =
      needed_of_rows(rows_of(method, planned_program_kernels()), program_kernels(), executor, type);
  for (kernel_source& one :
       needed_of_rows(rows_of(method, planned_batch_kernels()), batch_kernels(), executor, type))
    all.push_back(std::move(one));
  for (kernel_source& unit : small_kernels_of_solves(type)) all.push_back(std::move(unit));
  return all;
}

}  // namespace dwell
