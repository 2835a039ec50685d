// SPDX-License-Identifier: MIT
// What schedules of CPUs and of GPUs share.
#include "dwell/solvers/stencil/fields/field_schedule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/execution/stencil/fields/field_memory.hpp"

namespace dwell {

std::size_t cell_bytes_of(const field_stage& stage, std::size_t value) {
  std::vector<int> read;
  for (const row_tap& r : stage.rows)
    if (std::ranges::find(read, r.array) == read.end()) read.push_back(r.array);
  return (read.size() + stage.computed.size()) * value;
}

field_bytes bytes_of(const field_domain& domain, std::size_t value) {
  const auto cells = static_cast<std::size_t>(domain.size().cells());
  field_bytes b;
  b.value = static_cast<int>(value);
  for (const field_stage& stage : domain.definition().stages())
    b.step += cell_bytes_of(stage, value) * cells;
  b.cell = static_cast<std::size_t>(arrays_of(domain.definition())) * value;
  b.memory = b.cell * cells;
  return b;
}

void check_field_options(const field_options& options,
                         std::span<const std::string_view> executors) {
  if (std::ranges::find(executors, options.executor) == executors.end()) {
    const std::vector<std::string> words(executors.begin(), executors.end());
    throw input_error(fmt::format("executor: expected {}, found {}", or_list(words),
                                  found_word(options.executor, executors)));
  }
  if (options.depth < 0)
    throw input_error(fmt::format("depth: expected at least 0 steps, found {}", options.depth));
  const bool has_tiles = std::ranges::find(executors, "perks") != executors.end();
  if (options.depth > 0 && options.executor != "temporal" &&
      !(has_tiles && options.executor == "perks"))
    throw input_error(fmt::format("depth: executor {} has no passes of several steps, temporal {}",
                                  options.executor, has_tiles ? "and perks have" : "has"));
  if (!(options.progress_interval >= 0))
    throw input_error(fmt::format("progress_interval: expected at least 0 seconds, found {}",
                                  options.progress_interval));
}

}  // namespace dwell
