// SPDX-License-Identifier: MIT
// What executors of CPUs and of GPUs share.
#include "dwell/solvers/stencil/fields/field_executor.hpp"

#include <fmt/format.h>

#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"

namespace dwell {

std::size_t bytes_per_step(const field_domain& domain, std::size_t value_bytes) {
  std::size_t arrays = 0;
  for (const field_stage& stage : domain.definition().stages()) {
    std::vector<int> read;
    for (const row_tap& r : stage.rows)
      if (std::ranges::find(read, r.array) == read.end()) read.push_back(r.array);
    arrays += read.size() + stage.computed.size();
  }
  return arrays * static_cast<std::size_t>(domain.size().cells()) * value_bytes;
}

void check_field_options(const field_options& options,
                         std::span<const std::string_view> executors) {
  if (std::ranges::find(executors, options.executor) == executors.end()) {
    std::string list;
    for (std::size_t i = 0; i < executors.size(); ++i)
      list += fmt::format("{}{}",
                          i == 0                     ? ""
                          : i + 1 < executors.size() ? ", "
                                                     : " or ",
                          executors[i]);
    throw input_error(fmt::format("executor: expected {}, found {}", list,
                                  found_word(options.executor, executors)));
  }
  if (options.depth < 0)
    throw input_error(fmt::format("depth: expected at least 0 steps, found {}", options.depth));
  if (options.depth > 0 && options.executor != "temporal")
    throw input_error(fmt::format("depth: executor {} has no passes of several steps, temporal has",
                                  options.executor));
  if (!(options.progress_interval >= 0))
    throw input_error(fmt::format("progress_interval: expected at least 0 seconds, found {}",
                                  options.progress_interval));
}

}  // namespace dwell
