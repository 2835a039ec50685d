// SPDX-License-Identifier: MIT
// CG's residual goes up and down, so the slope is a least-squares line over the later half of what
// was seen: the first iterations say little about the last ones.
#include "cli/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "cli/output.hpp"
#include "dwell/base/printable.hpp"
#include "report/units.hpp"

namespace dwell::app {

void iteration_forecast::add(int iteration, double relative_residual) {
  if (relative_residual > 0 && std::isfinite(relative_residual))
    samples_.push_back({static_cast<double>(iteration), std::log(relative_residual)});
}

iteration_forecast::answer iteration_forecast::left(double target) const {
  const double done = samples_.empty() ? 0 : samples_.back().iteration;
  const answer by_limit = {std::max(0.0, limit_ - done), true};
  if (samples_.size() < 3 || !(target > 0)) return by_limit;

  const auto first = samples_.begin() + static_cast<std::ptrdiff_t>((samples_.size() - 1) / 2);
  const auto n = static_cast<double>(samples_.end() - first);
  double mean_i = 0, mean_r = 0, covariance = 0, variance = 0;
  for (auto s = first; s != samples_.end(); ++s)
    mean_i += s->iteration / n, mean_r += s->log_residual / n;
  for (auto s = first; s != samples_.end(); ++s) {
    covariance += (s->iteration - mean_i) * (s->log_residual - mean_r);
    variance += (s->iteration - mean_i) * (s->iteration - mean_i);
  }
  const double to_fall = samples_.back().log_residual - std::log(target);
  if (!(variance > 0) || !(covariance < 0)) return by_limit;
  const answer by_slope = {std::max(0.0, to_fall * variance / -covariance), false};
  return by_slope.iterations < by_limit.iterations ? by_slope : by_limit;
}

progress_line::progress_line(bool wanted)
    : shown_(wanted && ::isatty(2) == 1), compiling_([this](const file_origin&) {
        show(fmt::format("compiling {} (once)", format_plural(++compiled_, "kernel")));
      }) {}

void progress_line::show(const std::string& text) {
  if (!shown_) return;
  winsize size = {};
  const std::size_t width =
      ::ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80u;
  write_stderr(fmt::format("\r\033[K{}", printable(text).substr(0, width - 1)));
  dirty_ = true;
}

void progress_line::erase() {
  if (dirty_) write_stderr("\r\033[K");
  dirty_ = false;
}

std::string describe(const solve_progress& now, const iteration_forecast& forecast) {
  const double rate = now.seconds > 0 ? now.iteration / now.seconds : 0;
  const auto ahead = forecast.left(now.target);
  return fmt::format("iteration {}   residual {}, to reach {}   {} iterations/s   {} {} left",
                     format_count(now.iteration), format_residual(now.relative_residual),
                     format_residual(now.target), format_count(std::llround(rate)),
                     ahead.by_limit ? "at most" : "about",
                     rate > 0 ? format_seconds(ahead.iterations / rate) : "?");
}

std::string describe(const stencil_progress& now, const stencil_options& options) {
  const double rate = now.seconds > 0 ? now.step / now.seconds : 0;
  std::string text = "step " + format_count(now.step);
  if (!options.until) text += " of " + format_count(options.steps);
  if (options.until && now.change)
    text += fmt::format("   change {}, to reach {}", format_residual(*now.change),
                        format_residual(*options.until));
  return text + fmt::format("   {} steps/s   {} {} left", format_count(std::llround(rate)),
                            options.until ? "at most" : "about",
                            rate > 0 ? format_seconds((options.steps - now.step) / rate) : "?");
}

}  // namespace dwell::app
