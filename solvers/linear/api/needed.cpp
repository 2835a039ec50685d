// SPDX-License-Identifier: MIT
// The kernels of methods, as texts.
#include "dwell/solvers/linear/api/needed.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/small_kernels.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "dwell/solvers/linear/choose/variant.hpp"

namespace dwell {
namespace {

bool is_form_of(std::string_view method, std::string_view program) {
  for (const auto table : {solver_variants(), column_variants()})
    for (const solver_variant& f : table)
      if (f.method == method && f.program == program) return true;
  return false;
}

bool is_compiled_ahead(const program_kernel& planned) {
  for (const auto table : {program_kernels(), batch_kernels()})
    for (const program_kernel& v : table)
      if (v.on == planned.on && v.type == planned.type &&
          std::string_view(v.problem) == planned.problem &&
          std::string_view(v.executor) == planned.executor)
        return v.compiled_ahead();
  return false;
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
  std::vector<program_kernel> rows;
  for (const auto table : {planned_program_kernels(), planned_batch_kernels()})
    for (const program_kernel& v : table)
      if (is_form_of(method, v.problem)) rows.push_back(v);
  if (executor != automatic)
    (void)find_kernel_among(planned_program_kernels(), solver_variants(method).front().program,
                            executor, type, backend::cuda);
  std::vector<kernel_source> all;
  std::set<std::string> names;
  for (const program_kernel& v : rows) {
    if (v.type != type || (executor != automatic && v.executor != executor)) continue;
    if (is_compiled_ahead(v)) continue;
    for (int config = 0; config < static_cast<int>(v.configs.size()); ++config)
      for (kernel_source& one : sources_of(v.needed, type, config))
        if (names.insert(one.kernel).second) all.push_back(std::move(one));
  }
  for (kernel_source& unit : small_kernels_of_solves(type)) all.push_back(std::move(unit));
  return all;
}

}  // namespace dwell
