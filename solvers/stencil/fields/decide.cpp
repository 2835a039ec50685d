// SPDX-License-Identifier: MIT
// The executor of a run, and why.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/base/number_text.hpp"
#include "dwell/execution/device/threads/threads_worth.hpp"
#include "dwell/execution/stencil/fields/field_memory.hpp"
#include "dwell/solvers/stencil/fields/field_schedule.hpp"
#include "dwell/solvers/stencil/fields/field_session.hpp"

namespace dwell {
namespace {

constexpr std::array<std::string_view, 4> executors{"auto", "naive", "persistent", "temporal"};
/// Bytes of a core's cache where its size is not known.
constexpr std::size_t usual_core_cache = std::size_t{1} << 20;

void check(const field_options& options) {
  if (std::ranges::find(executors, options.executor) == executors.end())
    throw input_error("executor: expected auto, naive, persistent or temporal, found " +
                      found_word(options.executor, executors));
  if (options.depth < 0)
    throw input_error(fmt::format("depth: expected at least 0 steps, found {}", options.depth));
  if (options.depth > 0 && options.executor != "temporal")
    throw input_error(fmt::format("depth: executor {} has no passes of several steps, temporal has",
                                  options.executor));
  if (!(options.progress_interval >= 0))
    throw input_error(fmt::format("progress_interval: expected at least 0 seconds, found {}",
                                  options.progress_interval));
}

}  // namespace

std::size_t cell_bytes_of(const field_stage& stage, std::size_t value) {
  std::vector<int> read;
  for (const row_tap& r : stage.rows)
    if (std::ranges::find(read, r.array) == read.end()) read.push_back(r.array);
  return (read.size() + stage.computed.size()) * value;
}

field_bytes bytes_of(const field_domain& domain, std::size_t value) {
  const auto cells = static_cast<std::size_t>(domain.size().cells());
  field_bytes b;
  for (const field_stage& stage : domain.definition().stages())
    b.step += cell_bytes_of(stage, value) * cells;
  b.cell = static_cast<std::size_t>(arrays_of(domain.definition())) * value;
  b.memory = b.cell * cells;
  return b;
}

field_schedule schedule_of(const field_domain& domain, const field_bytes& bytes,
                           const field_options& options, const device_facts& device,
                           const std::optional<std::string>& refusal) {
  check(options);
  const std::string& wanted = options.executor;
  if (wanted == "naive") return {wanted, "as asked for", 1, {}};
  const bool flat = domain.size().dims == 1;
  const auto worth =
      threads_worth(static_cast<double>(bytes.step),
                    flat ? domain.size().n[2] : domain.size().rows(), "step", device);
  const std::size_t cache = device.core_cache > 0 ? device.core_cache : usual_core_cache;
  const auto pass = [&] {
    return plan_pass(domain, worth.threads, options.depth, static_cast<std::int64_t>(bytes.cell),
                     static_cast<std::int64_t>(cache / 2));
  };
  const auto passes = [&](const field_pass& p) {
    return fmt::format("{}; passes of {} step{} in {} tile{}", worth.why, p.depth,
                       p.depth == 1 ? "" : "s", p.across.parts, p.across.parts == 1 ? "" : "s");
  };
  if (wanted == "temporal") {
    if (refusal) throw input_error("executor temporal: " + *refusal);
    const field_pass p = pass();
    if (p.depth == 0)
      throw input_error("executor temporal: the field is too small for passes of several steps");
    return {wanted, passes(p), worth.threads, p};
  }
  field_schedule steps{"persistent", worth.why, worth.threads, {}};
  if (wanted == "persistent") return steps;
  const bool large = bytes.memory > device.l2;
  if (refusal && large) steps.reason += "; no passes of several steps: " + *refusal;
  if (!large)
    steps.reason += fmt::format("; {} are not more than the last-level cache has",
                                byte_text(static_cast<double>(bytes.memory)));
  if (refusal || !large) return steps;
  const field_pass p = pass();
  if (p.depth == 0) return steps;
  return {"temporal", passes(p), worth.threads, p};
}

template <class T>
std::optional<std::string> field_session<T>::refuses_temporal(bool fixed_cells_differ) const {
  if (auto why = refuses_passes(domain_)) return why;
  if (fixed_cells_differ)
    return "fields that exchange their memory have different values in fixed cells";
  const auto& last = definition().stages().back().computed;
  for (const source_list<T>& list : points_.sources)
    if (std::ranges::none_of(last, [&](const auto& o) { return o.field == list.field; }))
      return fmt::format("field '{}' has sources, and the last stage does not compute it",
                         definition().tape().fields[static_cast<std::size_t>(list.field)]);
  return std::nullopt;
}

template std::optional<std::string> field_session<double>::refuses_temporal(bool) const;
template std::optional<std::string> field_session<float>::refuses_temporal(bool) const;

}  // namespace dwell
