// SPDX-License-Identifier: MIT
// One row of a comparison, whatever it compares: what was to be run, its outcome, its times; and
// the repetitions that measure it.
#pragma once
#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "output.hpp"

namespace dwell::app {

struct measured_run {
  enum class state { measured, unsupported, failed };
  std::string executor;
  std::string policy;             ///< as asked for; empty where there is nothing to choose
  std::string plan_policy;        ///< what "auto" stood for
  std::string variant = {};       ///< form of the solver, as asked for; empty where there is one
  std::string plan_variant = {};  ///< what "auto" stood for
  std::string device = {};        ///< that it ran on
  std::string detail = {};        ///< what else there is to know of it, one line
  bool peer = false;

  state outcome = state::measured;
  std::string why = {};         ///< unless it was measured, one line
  std::vector<double> us = {};  ///< per iteration or step, one of each repetition, ascending

  bool measured() const { return outcome == state::measured; }
  double median_us() const;
};

const char* to_string(measured_run::state s);

/// How often, and who is told or may end it.
struct repetition {
  int count = 5;  ///< after one run that is not counted
  const std::atomic<bool>* interrupt = nullptr;
  /// Told what comes next, before each run.
  std::function<void(const std::string&)> say;
};

/// One run that is not counted, then the counted ones: calls once(), which returns microseconds per
/// iteration, and sorts what it got into run.us. False if interrupted meanwhile. An
/// unsupported_error, a device_error or too little memory becomes the row's outcome.
bool repeat(const repetition& how, measured_run& run, const std::function<double()>& once);

/// How many times faster than `base` by the medians; 0 where one of them has none.
double speed_up_over(const measured_run& base, const measured_run& run);

// The forms of a row that all comparisons share.

/// "auto (model)", "greedy", "-".
std::string policy_cell(const measured_run& r);
/// Likewise, of the variant.
std::string variant_cell(const measured_run& r);
/// "executor policy", and the variant unless it is the usual one: the textbook's and, where there
/// is a policy, auto.
std::string label(const measured_run& r);
/// device,executor,policy,plan_policy,outcome,median_us,min_us,max_us
inline constexpr const char* csv_run_heads =
    "device,executor,policy,plan_policy,outcome,median_us,min_us,max_us";
std::string csv_run_fields(const measured_run& r);
/// Executor to times; these stand under the key `times`.
json json_of_run(const measured_run& r, const char* times);

}  // namespace dwell::app
