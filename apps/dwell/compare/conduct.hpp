// SPDX-License-Identifier: MIT
// How every comparison goes from one subject to the next: progress, Ctrl-C, and the result, which
// is handed over in the end whatever happened.
#pragma once
#include <fmt/format.h>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/signals.hpp"
#include "compare/layout.hpp"
#include "compare/measured_run.hpp"
#include "compare/options.hpp"

#include "dwell/base/error.hpp"

namespace dwell::app {

/// What measure() below may ask for.
class compared_subject {
 public:
  compared_subject(progress_line& progress, std::optional<graceful_stop>& on_signal,
                   std::string place)
      : progress_(progress), on_signal_(on_signal), place_(std::move(place)) {}
  void show(const std::string& what) const { progress_.show(place_ + what); }
  /// From here on the first Ctrl-C ends the run under way, and there is something to hand over.
  void heed_signals() const {
    if (!on_signal_) on_signal_.emplace();
  }

 private:
  progress_line& progress_;
  std::optional<graceful_stop>& on_signal_;
  std::string place_;
};

/// Adds measure(k, compared_subject) of every subject to `rows`, which are those of `result`, and
/// hands the result over. `runs` must be what measure() goes by.
template <class Comparison, class Rows, class Measure>
void compare_subjects(const std::vector<std::string>& titles, const compare_options& args,
                      repetition& runs, Comparison& result, Rows& rows, Measure&& measure) {
  runs.count = args.repetitions;
  runs.interrupt = &graceful_stop::requested();
  progress_line progress(true);
  std::optional<graceful_stop> on_signal;
  for (std::size_t k = 0; k < titles.size() && !*runs.interrupt; ++k) {
    const compared_subject subject(progress, on_signal,
                                   fmt::format("{} ({} of {}): ", titles[k], k + 1, titles.size()));
    runs.say = [&](const std::string& what) { subject.show(what); };
    try {
      rows.push_back(measure(k, subject));
    } catch (const interrupted_error&) {  // before its first row
    }
  }
  result.interrupted = *runs.interrupt;
  progress.erase();
  hand_over(result, args);
  if (result.interrupted) say(interrupted_words(rows_of(result)));
}

}  // namespace dwell::app
