// SPDX-License-Identifier: MIT
// See measured_run.hpp.
#include "measured_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "comparison_layout.hpp"

#include "dwell/formats/error.hpp"

namespace dwell::app {

double measured_run::median_us() const {
  if (us.empty()) return 0;
  const std::size_t half = us.size() / 2;
  return us.size() % 2 ? us[half] : 0.5 * (us[half - 1] + us[half]);
}

const char* to_string(measured_run::state s) {
  using state = measured_run::state;
  return s == state::measured ? "measured" : s == state::unsupported ? "unsupported" : "failed";
}

bool repeat(const repetition& how, measured_run& run, const std::function<double()>& once) {
  const auto fails = [&](measured_run::state outcome, const char* why) {
    run.outcome = outcome;
    run.why = why;
    run.us.clear();
  };
  try {
    for (int k = 0; k <= how.count; ++k) {
      how.say(fmt::format("{}, run {} of {}", label(run), k + 1, how.count + 1));
      if (*how.interrupt) return false;
      const double us = once();
      if (*how.interrupt) return false;
      if (k > 0) run.us.push_back(us);
    }
  } catch (const unsupported_error& e) {
    fails(measured_run::state::unsupported, e.what());
  } catch (const device_error& e) {
    fails(measured_run::state::failed, e.what());
  } catch (const std::bad_alloc&) {
    fails(measured_run::state::failed, "too little memory");
  }
  std::sort(run.us.begin(), run.us.end());
  return true;
}

double speed_up_over(const measured_run& base, const measured_run& run) {
  const double a = base.median_us(), b = run.median_us();
  return a > 0 && b > 0 ? a / b : 0;
}

namespace {

/// "auto (what it stood for)".
std::string choice_cell(const std::string& asked, const std::string& stood_for) {
  if (asked.empty()) return "-";
  return stood_for.empty() || stood_for == asked ? asked : fmt::format("{} ({})", asked, stood_for);
}

}  // namespace

std::string label(const measured_run& r) {
  std::string text = r.policy.empty() ? r.executor : r.executor + " " + r.policy;
  const char* usual = r.policy.empty() ? "textbook" : "auto";
  if (!r.variant.empty() && r.variant != usual) text += ", " + r.variant;
  return text;
}

std::string policy_cell(const measured_run& r) { return choice_cell(r.policy, r.plan_policy); }
std::string variant_cell(const measured_run& r) { return choice_cell(r.variant, r.plan_variant); }

std::string csv_run_fields(const measured_run& r) {
  return fmt::format("{},{},{},{},{},{},{},{}", csv_text(r.device), r.executor, r.policy,
                     r.plan_policy, to_string(r.outcome), csv_number(r.median_us()),
                     r.us.empty() ? "" : csv_number(r.us.front()),
                     r.us.empty() ? "" : csv_number(r.us.back()));
}

json json_of_run(const measured_run& r, const char* times) {
  return {{"executor", r.executor},
          {"policy", text_or_null(r.policy)},
          {"plan_policy", text_or_null(r.plan_policy)},
          {"peer", r.peer},
          {"device", text_or_null(r.device)},
          {"detail", text_or_null(r.detail)},
          {"outcome", to_string(r.outcome)},
          {"why", text_or_null(r.why)},
          {times, r.us.empty() ? json(nullptr)
                               : json{{"median", r.median_us()},
                                      {"min", r.us.front()},
                                      {"max", r.us.back()},
                                      {"all", r.us}}}};
}

}  // namespace dwell::app
