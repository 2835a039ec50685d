// SPDX-License-Identifier: MIT
// The executor of a run on a CPU, and why.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "dwell/base/error.hpp"
#include "dwell/base/number_text.hpp"
#include "dwell/execution/device/threads/threads_worth.hpp"
#include "dwell/execution/stencil/fields/operation_costs.hpp"
#include "dwell/solvers/stencil/fields/field_schedule.hpp"

namespace dwell {
namespace {

constexpr std::array<std::string_view, 4> cpu_executors{"auto", "naive", "persistent", "temporal"};
/// Bytes of a core's cache where its size is not known.
constexpr std::size_t usual_core_cache = std::size_t{1} << 20;
/// What a thread counts on of the last-level cache, which others use as well: a virtual machine
/// says how much all of them have (docs/results/fields.md).
constexpr std::size_t most_of_last_level = std::size_t{32} << 20;

/// Whether single steps find their arrays in memory.
bool is_large(const field_bytes& bytes, const device_facts& device, int threads) {
  return bytes.memory >
         std::min<std::size_t>(device.l2, most_of_last_level * static_cast<std::size_t>(threads));
}

}  // namespace

cpu_schedule cpu_schedule_of(const field_domain& domain, const field_bytes& bytes,
                             const field_options& options, const device_facts& device,
                             const std::optional<std::string>& refusal) {
  check_field_options(options, cpu_executors);
  const std::string& wanted = options.executor;
  if (wanted == "naive") return {{wanted, "as asked for", 1, 0}, {}};
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
    const std::string parts =
        flat ? fmt::format("by blocks of {} cells", p.front)
             : fmt::format("in {} tile{}", p.across.parts, p.across.parts == 1 ? "" : "s");
    return fmt::format("{}; passes of {} step{} {}", worth.why, p.depth, p.depth == 1 ? "" : "s",
                       parts);
  };
  if (wanted == "temporal") {
    if (refusal) throw input_error("executor temporal: " + *refusal);
    const field_pass p = pass();
    if (p.depth == 0)
      throw input_error("executor temporal: the field is too small for passes of several steps");
    return {{wanted, passes(p), worth.threads, p.depth}, p};
  }
  field_schedule steps{"persistent", worth.why, worth.threads, 0};
  if (wanted == "persistent") return {steps, {}};
  const bool large = is_large(bytes, device, worth.threads);
  if (refusal && large) steps.reason += "; no passes of several steps: " + *refusal;
  if (!large)
    steps.reason += fmt::format("; {} are not more than the last-level cache has",
                                byte_text(static_cast<double>(bytes.memory)));
  if (refusal || !large) return {steps, {}};
  const field_pass p = pass();
  if (p.depth == 0) return {steps, {}};
  return {{"temporal", passes(p), worth.threads, p.depth}, p};
}

std::optional<double> cpu_step_seconds(const field_domain& domain, std::size_t value,
                                       const field_options& options, const device_facts& device,
                                       double division) {
  // One core, by measurements on an AMD EPYC and an Intel Xeon (docs/results/fields.md): an
  // operation in vectors, a byte that is in a cache for most steps, and one that is not.
  const double operation = value == sizeof(double) ? 0.05e-9 : 0.025e-9;
  constexpr double cached_byte = 0.03e-9, byte_of_memory = 0.1e-9;
  const stencil_definition& definition = domain.definition();
  double divisions = 0, operations = 0;
  for (const field_stage& stage : definition.stages())
    for (const int node : stage.nodes) {
      const cell_op op = definition.tape().nodes[static_cast<std::size_t>(node)].op;
      if (op == cell_op::div || op == cell_op::sqrt)
        ++divisions;
      else
        operations += operation_cost(op, static_cast<int>(value));
    }
  const field_bytes bytes = bytes_of(domain, value);
  field_schedule how;
  try {
    how = cpu_schedule_of(domain, bytes, options, device, std::nullopt).how;
  } catch (const input_error&) {
    return std::nullopt;  // the plan of steps as given says why
  }
  const bool cached = how.executor == "temporal" || !is_large(bytes, device, how.threads);
  const double cells = static_cast<double>(domain.size().cells());
  return std::max({cells * divisions * division, cells * operations * operation,
                   static_cast<double>(bytes.step) * (cached ? cached_byte : byte_of_memory)});
}

}  // namespace dwell
