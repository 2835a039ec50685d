// SPDX-License-Identifier: MIT
// The kernels of plans, as texts.
#include "dwell/solvers/arrays/convolution/needed.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "dwell/arrays/explain_convolution.hpp"
#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/solvers/arrays/convolution/kernels.hpp"

namespace dwell {
namespace {

/// f.operator()<In, Out>(). The names are those of an explanation.
template <class F>
void with_cells(std::string_view cells, std::string_view result, F&& f) {
  if (cells == "f64") return f.template operator()<double, double>();
  if (cells == "f32") return f.template operator()<float, float>();
  const bool sums = result == "f32";
  if (cells == "f16")
    return sums ? f.template operator()<half, float>() : f.template operator()<half, half>();
  sums ? f.template operator()<std::uint8_t, float>()
       : f.template operator()<std::uint8_t, std::uint8_t>();
}

const convolution_kernel* row_of(std::span<const convolution_kernel> table,
                                 std::string_view algorithm) {
  const auto found = std::find_if(table.begin(), table.end(), [&](const auto& row) {
    return row.on == backend::cuda && row.algorithm == algorithm;
  });
  return found == table.end() ? nullptr : &*found;
}

/// The kernel of a pass, if it is neither in the library nor there already.
template <class Pass>
void add_kernel(std::string_view algorithm, const extents& taps, std::vector<kernel_source>& all) {
  const convolution_kernel* const here = row_of(convolution_kernels(), algorithm);
  if (here && here->functions_of<Pass>().compiled) return;
  Pass a;
  a.filter = taps;
  kernel_source one =
      row_of(planned_convolution_kernels(), algorithm)->functions_of<Pass>().needs(a);
  if (std::none_of(all.begin(), all.end(),
                   [&](const kernel_source& other) { return other.kernel == one.kernel; }))
    all.push_back(std::move(one));
}

}  // namespace

std::vector<kernel_source> needed_sources(const device_facts& device, const extents& size,
                                          std::int64_t images, const convolution_filter& filter,
                                          const convolution_options& options,
                                          std::string_view cells, std::string_view result) {
  const convolution_explanation plan =
      explain(size, images, filter, device, options, cells, result);
  if (!plan.chosen().refusal.empty())
    throw unsupported_error("convolution: " + plan.chosen().refusal);
  std::vector<kernel_source> all;
  with_cells(plan.cells, plan.result, [&]<class In, class Out>() {
    for (std::size_t k = 0; k < plan.passes.size(); ++k)
      convolution_types<In, Out>::with_kind(k, plan.passes.size(), [&]<class Pass>() {
        add_kernel<Pass>(plan.algorithm, plan.passes[k].taps, all);
      });
  });
  return all;
}

std::vector<kernel_source> needed_sources(std::string_view cells, std::string_view result,
                                          std::string_view algorithm) {
  std::vector<kernel_source> all;
  with_cells(cells, result.empty() ? cells : result, [&]<class In, class Out>() {
    for (const convolution_kernel& row : planned_convolution_kernels()) {
      if (algorithm != automatic && algorithm != row.algorithm) continue;
      for (std::size_t k = 0; k < 3; ++k)
        for (int rows = 1; rows <= most_taps; ++rows)
          convolution_types<In, Out>::with_kind(
              k, 3, [&]<class Pass>() { add_kernel<Pass>(row.algorithm, extents(rows, 1), all); });
    }
  });
  return all;
}

}  // namespace dwell
