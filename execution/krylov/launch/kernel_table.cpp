// SPDX-License-Identifier: MIT
// Look-ups in the table of compiled kernels.
#include "dwell/execution/krylov/launch/kernel_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <string>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"

namespace dwell {

const program_kernel& find_kernel(std::string_view problem, std::string_view executor,
                                  precision type, backend on) {
  return find_kernel_among(program_kernels(), problem, executor, type, on);
}

const program_kernel& find_kernel_among(std::span<const program_kernel> rows,
                                        std::string_view problem, std::string_view executor,
                                        precision type, backend on) {
  std::set<std::string> here, elsewhere;
  for (const auto& v : rows) {
    if (v.problem != problem || v.type != type) continue;
    if (v.on == on && v.executor == executor) return v;
    if (v.on == on)
      here.insert(v.executor);
    else if (v.executor == executor)
      elsewhere.insert(to_string(v.on));
  }
  const auto names = fmt::format("{}", fmt::join(here, ", "));
  if (!elsewhere.empty())
    throw unsupported_error(
        fmt::format("executor '{}' is not available on {} (it needs {}); available there: {}",
                    executor, to_string(on), *elsewhere.begin(), names));
  throw unsupported_error(fmt::format("expected an executor for '{}' on {} ({}), found {}", problem,
                                      to_string(on), names.empty() ? "none is built" : names,
                                      found_word(executor, here)));
}

const program_kernel& find_batch_kernel(std::string_view problem, precision type, backend on) {
  for (const auto& v : batch_kernels())
    if (v.problem == problem && v.type == type && v.on == on) return v;
  throw unsupported_error(
      fmt::format("this build has no kernel for batches of '{}' on {}", problem, to_string(on)));
}

}  // namespace dwell
