// SPDX-License-Identifier: MIT
// Tries plans of a Program: runs a few iterations on copies of the caller's vectors and says how
// long one took. The solve itself starts afresh afterwards: nothing of a trial is kept.
#pragma once
#include <algorithm>
#include <atomic>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "dwell/execution/device/work_queue.hpp"
#include "dwell/execution/krylov/launch/run.hpp"
#include "dwell/execution/krylov/launch/trial_time.hpp"

namespace dwell {

/// P::scalars has `fixed` and `max_steps`: so many iterations, whatever happens.
template <class P, class T>
class program_trial {
 public:
  /// load(run) uploads what a run starts from. `where` is that of the cut, with its stream. `v`
  /// must stay valid, *interrupt too; it may be null. compile_s, or null: gets the seconds that
  /// compiling kernels took.
  program_trial(const device& where, const program_kernel& v, const typename P::scalars& start,
                std::function<void(program_run<P, T>&)> load, const std::atomic<bool>* interrupt,
                const owned_sequence* sequence = nullptr, int basis = 0,
                double* compile_s = nullptr)
      : queue_(where),
        variant_(v),
        start_(start),
        load_(std::move(load)),
        sequence_(sequence),
        basis_(basis),
        compile_s_(compile_s) {
    start_.fixed = true;
    control_.interrupt = interrupt;
  }

  /// Seconds per iteration, by the least of a few runs of two lengths; nothing once interrupted.
  /// Plans after the first must be of the same cut.
  std::optional<double> operator()(const planned<T>& made) {
    if (run_)
      run_->follow(made.how);
    else
      run_.emplace(queue_.where(), variant_, made, run_records{}, sequence_, basis_);
    run_->ready();
    if (compile_s_) *compile_s_ += run_->making().seconds;
    // The first run loads the kernel and warms caches; the next one says how many iterations make
    // the long runs long, and short to wait for. What all iterations of a run cost together, its
    // start, the filling of what it caches and its end, is not of an iteration: a difference.
    constexpr double long_enough = 2e-3;
    constexpr int few = 3, least_more = 12, most_more = 200, counted = 3, most_counted = 9;
    constexpr double apart = 1.2;  // else other work may be all that is seen, and more are counted
    if (!seconds_of(few)) return std::nullopt;
    std::optional<double> once = seconds_of(few);
    if (!once) return once;
    const int more = std::clamp(
        static_cast<int>(std::min<double>(most_more, few * long_enough / std::max(*once, 1e-9))),
        least_more, most_more);
    double shorter = *once, longer = std::numeric_limits<double>::infinity();
    for (int k = 0; k < counted || (k < most_counted && longer < apart * shorter); ++k) {
      if (!(once = seconds_of(few))) return once;
      shorter = std::min(shorter, *once);
      if (!(once = seconds_of(few + more))) return once;
      longer = std::min(longer, *once);
    }
    return seconds_of_iteration(shorter, longer, few, more);
  }

 private:
  bool interrupted() const { return control_.interrupt && control_.interrupt->load(); }

  std::optional<double> seconds_of(int steps) {
    if (interrupted()) return std::nullopt;
    load_(*run_);
    start_.max_steps = steps;
    const double seconds = run_->run(start_, control_);
    if (interrupted()) return std::nullopt;
    return seconds;
  }

  work_queue queue_;
  const program_kernel& variant_;
  typename P::scalars start_;
  std::function<void(program_run<P, T>&)> load_;
  const owned_sequence* sequence_;
  int basis_;
  double* compile_s_;
  run_control control_;
  std::optional<program_run<P, T>> run_;
};

}  // namespace dwell
