// SPDX-License-Identifier: MIT
// One row of a comparison, whatever it compares: what was to be run, its outcome, its times; and
// the repetitions that measure it.
#pragma once
#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/columns.hpp"
#include "report/execution.hpp"

namespace dwell::app {

/// What a peer by command (--peer) said in its last run.
struct peer_figure {
  std::string command = {};  ///< words that were run; empty: this is no such peer
  double figure = 0;         ///< in its unit, as it was printed; 0: none was
  std::string unit = {};
  double cells = 0;  ///< cells that a rate counts
  std::optional<double> residual = {};
};

struct measured_run {
  enum class state { measured, unsupported, failed };
  execution how;
  bool peer = false;
  int ranks = 0;  ///< threads of this process among which it was divided; 0: not divided

  state outcome = state::measured;
  std::string why = {};         ///< unless it was measured, one line
  std::vector<double> us = {};  ///< per iteration or step, one of each repetition, ascending
  peer_figure said = {};

  measured_run() = default;
  /// One that is asked for: `variant` and `policy` are empty where there is nothing to choose.
  measured_run(const std::string& executor, const std::string& variant, const std::string& policy);

  bool measured() const { return outcome == state::measured; }
  double median_us() const;
  const std::string& executor() const { return how.ran.executor; }
};

const char* to_string(measured_run::state s);

/// How often, and who is told or may end it.
struct repetition {
  int count = 5;  ///< after one run that is not counted
  const std::atomic<bool>* interrupt = nullptr;
  /// Told what comes next, before each run.
  std::function<void(const std::string&)> say;
  std::function<void()> between = {};  ///< called after each run, outside of its time
};

/// One run that is not counted, then the counted ones: calls once(), which returns microseconds per
/// iteration, and sorts what it got into run.us. False if interrupted meanwhile. An
/// unsupported_error, a device_error or too little memory becomes the row's outcome.
bool repeat(const repetition& how, measured_run& run, const std::function<double()>& once);

/// How many times faster than `base` by the medians; 0 where one of them has none.
double speed_up_over(const measured_run& base, const measured_run& run);

/// repeat() where the problem is divided among ranks, which may refuse it: an input_error becomes
/// the row's outcome, too.
bool repeat_on_ranks(const repetition& how, measured_run& run, const std::function<double()>& once);

/// "executor policy", the variant and the order unless they are the usual ones (auto, and of
/// variants where there is no policy the textbook's), and the ranks.
std::string label(const measured_run& r);

// The columns of a row that all comparisons share.

/// What a peer by command printed, for programs only.
columns<measured_run> peer_columns();
/// What people read of it, one line; empty unless `r` is one that was measured.
std::string peer_remark(const measured_run& r);
/// What ran, where and how; and whether it did.
columns<measured_run> run_columns(bool variants);
/// Among how many ranks it was divided; shown: people see it.
columns<measured_run> ranks_column(bool shown);
/// What that column means.
inline constexpr const char* ranks_legend =
    "ranks: threads of this process that divide the work, each with --threads threads; - is not "
    "divided.";
/// The times of an iteration or step, under the key `time`; `head` is that of the median for
/// people, empty if they do not see it here. A row without times shows its outcome there.
columns<measured_run> time_columns(const std::string& time, const std::string& head);
/// The median and the spread for people, of the times multiplied by `scale` of the row.
columns<measured_run> scaled_time_columns(const std::string& head,
                                          std::function<double(const measured_run&)> scale);

}  // namespace dwell::app
