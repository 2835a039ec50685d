// SPDX-License-Identifier: MIT
// Runs each case in a process of its own, with a limit of time.
#include "studies/measure/barrier_cases.hpp"

#include <fmt/format.h>

#include <atomic>
#include <charconv>

#include "compare/peers/child_process.hpp"
#include "studies/measure/probe.hpp"

#include "dwell/base/error.hpp"

namespace dwell::app {

namespace {

[[noreturn]] void refuse(const std::string& answer) {
  throw input_error(
      fmt::format("barrier case: expected an outcome and two numbers, found '{}'", answer));
}

double number_of(std::string_view text, const std::string& answer) {
  double value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc{} || end.ptr != text.data() + text.size()) refuse(answer);
  return value;
}

barrier_behaviour behaviour_in_child(const barrier_case& which, const measuring& m) {
  static const std::atomic<bool> never = false;
  const auto& asked = m.request();
  const auto child = run_child("/proc/self/exe",
                               {"measure", "--device", fmt::format("cuda:{}", asked.here.ordinal),
                                "--barrier-case", which.name},
                               asked.interrupt ? *asked.interrupt : never);
  if (child.code == 0) return behaviour_of(which, child.out);
  const auto why = child.err.substr(0, child.err.find('\n'));
  return {which.barrier, which.meeting,
          "failed: " + (why.empty() ? fmt::format("exit code {}", child.code) : why)};
}

void add_cases(measuring& m, bool divergent) {
  for (const barrier_case& c : barrier_cases())
    if (c.divergent == divergent && c.least_capability <= m.request().here.compute_capability)
      m.add(c.barrier + ", " + c.meeting, [&] { return behaviour_in_child(c, m); });
}

}  // namespace

std::string answer_of(const barrier_behaviour& found) {
  return fmt::format("{};{};{}\n", found.outcome, found.arrivals, found.departure);
}

barrier_behaviour behaviour_of(const barrier_case& which, const std::string& answer) {
  const std::string_view text(answer);
  const auto first = text.find(';'), second = text.find(';', first + 1);
  if (second == std::string_view::npos || !text.ends_with('\n') || first == 0) refuse(answer);
  const auto between = [&](std::size_t from, std::size_t until) {
    return number_of(text.substr(from + 1, until - from - 1), answer);
  };
  return {which.barrier, which.meeting, std::string(text.substr(0, first)), between(first, second),
          between(second, text.size() - 1)};
}

void measure_divergent_barriers(measuring& m) { add_cases(m, true); }
void measure_partial_barriers(measuring& m) { add_cases(m, false); }

#if !DWELL_HAS_CUDA_PROBES
std::vector<barrier_case> barrier_cases() { return {}; }
void answer_barrier_case(std::string_view, const device_facts&) {
  throw unsupported_error("--barrier-case: no probes for GPUs in this build");
}
#endif

}  // namespace dwell::app
