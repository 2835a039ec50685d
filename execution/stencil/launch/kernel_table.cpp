// SPDX-License-Identifier: MIT
// Look-ups in a table of compiled stencils.
#include "dwell/execution/stencil/launch/kernel_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <string>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"

namespace dwell {

const stencil_kernel& find_kernel(std::span<const stencil_kernel> table, std::string_view shape,
                                  std::string_view executor, precision type, backend on) {
  std::set<std::string> shapes, here, elsewhere;
  for (const auto& v : table) {
    shapes.insert(v.shape.name);
    if (v.shape.name != shape || v.type != type) continue;
    if (v.on == on && v.executor == executor) return v;
    if (v.on == on)
      here.insert(v.executor);
    else if (v.executor == executor)
      elsewhere.insert(to_string(v.on));
  }
  if (!shapes.contains(std::string(shape)))
    throw unsupported_error(fmt::format("expected a stencil ({}), found {}",
                                        fmt::join(shapes, ", "), found_word(shape, shapes)));
  const auto names = fmt::format("{}", fmt::join(here, ", "));
  if (!elsewhere.empty())
    throw unsupported_error(
        fmt::format("executor '{}' is not available on {} (it needs {}); available there: {}",
                    executor, to_string(on), *elsewhere.begin(), names));
  throw unsupported_error(fmt::format("expected an executor for '{}' on {} ({}), found {}", shape,
                                      to_string(on), names.empty() ? "none is built" : names,
                                      found_word(executor, here)));
}

void add_needed(std::vector<stencil_kernel>& table) {
  const auto same = [](const stencil_kernel& a, const stencil_kernel& b) {
    return std::string_view(a.shape.name) == b.shape.name && a.type == b.type && a.on == b.on &&
           std::string_view(a.executor) == b.executor;
  };
  const std::size_t ahead = table.size();
  for (const stencil_kernel& planned : planned_stencil_kernels())
    if (std::none_of(table.begin(), table.begin() + static_cast<std::ptrdiff_t>(ahead),
                     [&](const stencil_kernel& v) { return same(v, planned); }))
      table.push_back(planned);
}

std::vector<compiled_shape> shapes_of(std::span<const stencil_kernel> table) {
  std::vector<compiled_shape> all;
  for (const auto& v : table)
    if (std::none_of(all.begin(), all.end(),
                     [&](const auto& s) { return std::string_view(s.name) == v.shape.name; }))
      all.push_back(v.shape);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::string_view(a.name) < std::string_view(b.name);
  });
  return all;
}

}  // namespace dwell
