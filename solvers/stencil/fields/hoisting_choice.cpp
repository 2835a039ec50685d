// SPDX-License-Identifier: MIT
#include "dwell/solvers/stencil/fields/hoisting_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/execution/device/threads/division_cpu.hpp"
#include "dwell/solvers/stencil/fields/field_schedule.hpp"

namespace dwell {
namespace {

/// All arrays, those that were given, and what computes the values, at most.
double bytes_with(const hoisting& h, const field_domain& domain, std::size_t value) {
  const auto array = static_cast<double>(value) * static_cast<double>(domain.size().cells());
  std::size_t at_once = 0;
  for (const hoisted_values_definition& v : h.values)
    at_once =
        std::max(at_once, static_cast<std::size_t>(v.definition.fields()) + v.reads.size() + 1);
  return static_cast<double>(bytes_of(domain, value).memory) +
         array * (static_cast<double>(at_once) + h.kept());
}

}  // namespace

hoisting_choice choose_hoisting(const stencil_definition& definition, const field_size& size,
                                std::size_t value, const field_options& options,
                                const device_facts& device, bool is_built, double division) {
  constexpr std::array<std::string_view, 3> words{"auto", "always", "never"};
  if (std::ranges::find(words, options.hoist) == words.end())
    throw input_error(fmt::format("hoist: expected auto, always or never, found {}",
                                  found_word(options.hoist, words)));
  const bool on_cpu = device.on == backend::cpu;
  if (options.hoist == "always") {
    if (is_built && on_cpu)
      throw input_error(
          "hoist: kernels that are compiled with the program compute all that is in it, found "
          "always");
    return {hoisted(definition, hoistable_nodes(definition, false))};
  }
  if (options.hoist == "never" || (is_built && on_cpu)) return {};
  // A CPU divides vectors while it waits for memory: whether that takes longer than to read the
  // additional arrays depends on the processor, and is known less well than what a GPU does.
  const double least_gain = on_cpu ? 1.25 : 1.1;
  const auto seconds = [&](const field_domain& domain) -> std::optional<double> {
    if (on_cpu) return cpu_step_seconds(domain, value, options, device, division);
    return gpu_step_seconds(domain, value, options, device);
  };
  hoisting_choice choice;
  // Sums and products alone are not worth it, whatever is projected for so little.
  const std::vector<int> dear = hoistable_nodes(definition, true);
  if (dear.empty()) return choice;
  if (on_cpu && division == 0) division = division_seconds(static_cast<int>(value));
  const auto given = seconds({definition, size, options.boundaries});
  if (!given) return choice;
  choice.given_seconds = *given;
  double least = *given / least_gain;
  const std::vector<int> all = hoistable_nodes(definition, false);
  for (const auto* nodes : {&dear, &all}) {
    if (nodes == &all && dear == all) continue;
    auto made = hoisted(definition, *nodes);
    if (!made) continue;
    const field_domain domain(made->steps, size, options.boundaries);
    const auto projected = seconds(domain);
    if (!projected || *projected >= least ||
        bytes_with(*made, domain, value) > static_cast<double>(device.memory))
      continue;
    least = choice.made_seconds = *projected;
    choice.made = std::move(made);
  }
  // What was compared leaves out what does not depend on it: no projection of steps.
  if (on_cpu) choice.given_seconds = choice.made_seconds = 0;
  return choice;
}

}  // namespace dwell
