// SPDX-License-Identifier: MIT
// The kernels of plans, as texts.
#include "dwell/solvers/stencil/api/needed.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/small_kernels.hpp"
#include "dwell/solvers/stencil/api/decide.hpp"

namespace dwell {

std::vector<kernel_source> needed_sources(const device_facts& device, precision type,
                                          const stencil_options& options,
                                          const std::optional<extents>& size) {
  const auto table = planned_stencil_kernels();
  if (options.executor != automatic)
    (void)find_kernel(table, options.shape, options.executor, type, backend::cuda);
  std::vector<kernel_source> all;
  std::set<std::string> names;
  const auto add = [&](const stencil_kernel& v, const stencil_plan& how, bool source) {
    for (kernel_source& one : v.needs(how, source).sources)
      if (names.insert(one.kernel).second) all.push_back(std::move(one));
  };
  const auto add_small = [&] {
    for (kernel_source& unit : small_kernels_of_stencils(type)) all.push_back(std::move(unit));
  };
  if (size) {
    plan_target target;
    target.facts = device;
    const stencil_problem problem = problem_of(find_stencil_shape(options.shape), *size,
                                               type == precision::f64 ? 8 : 4, options.edge, false);
    const stencil_decision made = decide({table, type, target, problem}, options);
    add(*made.kernel, made.plans.front().plan, false);
    if (!made.kernel->cooperative) add_small();
    return all;
  }
  for (const stencil_kernel& v : table) {
    if (v.shape.name != options.shape || v.type != type) continue;
    if (options.executor != automatic && v.executor != options.executor) continue;
    stencil_plan how;
    for (how.config = 0; how.config < static_cast<int>(v.engines.size()); ++how.config)
      if (v.assume(device, how.config).max_teams > 0)
        for (const bool source : {false, true}) add(v, how, source);
  }
  add_small();
  return all;
}

bool is_compiled_ahead(const std::string& shape) {
  const auto table = stencil_kernels();
  return std::any_of(table.begin(), table.end(), [&](const stencil_kernel& v) {
    return v.on == backend::cuda && v.shape.name == shape && v.compiled_ahead();
  });
}

}  // namespace dwell
