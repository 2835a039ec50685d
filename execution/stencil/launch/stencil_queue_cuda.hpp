// SPDX-License-Identifier: MIT
// The single launches of stencils on a GPU: a queue that steps, comparisons and polls go to, one
// after the other or recorded in graphs, which it keeps for runs that come again. Included by
// launch_cuda.hpp.
#pragma once
#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/kernel_cuda.cuh"
#include "dwell/execution/device/queue_cuda.cuh"
#include "dwell/execution/stencil/args.hpp"
#include "dwell/execution/stencil/launch/single_steps_cuda.hpp"

namespace dwell::cuda {

/// The time from the first run since the last wait to the end of the last one.
class clock_of_runs : public run_clock {
 public:
  using run_clock::run_clock;
  void start() {
    if (!std::exchange(runs_, true)) begin();
  }
  void stop() {
    start();
    end();
    runs_ = false;
  }
  void forget() { runs_ = false; }

 private:
  bool runs_ = false;
};

/// The queue of executors whose time loop runs on the host. It keeps the graphs of two runs, since
/// the copies of the field change their roles between runs of an odd number of launches. Steps:
/// launches steps, see single_steps.
template <class S, class T, class Steps>
class stencil_queue : public host_queue<stencil_state> {
 public:
  stencil_queue(clock_of_runs& clock, const stencil_state* state, const Steps& steps)
      : host_queue(state, clock.stream()),
        clock_(clock),
        steps_(steps),
        compare_(kernel_in<poll_kernels<T>, compare_kernel_of<T>>(clock.ordinal())),
        poll_(kernel_in<poll_kernels<T>, poll_kernel_of<T>>(clock.ordinal())) {
    loaded(compare_);
    loaded(poll_);
  }
  /// For the next run; it must stay until its last launch.
  void take(const stencil_call<S, T>& a) {
    a_ = &a;
    copy_ = 0;
  }

  void begin() { clock_.start(); }
  /// So many steps, at most plan.depth, in one launch.
  void step(int steps) {
    steps_.launch(target(), *a_, copy_, steps);
    DWELL_CUDA(cudaGetLastError());
    copy_ ^= 1;
  }
  void compare(int steps) {
    launch_apart(compare_, a_->plan.teams, plain_lanes, plain_scratch, target(), args(), steps,
                 copy_);
  }
  void poll(int steps) {
    launch_apart(poll_, 1, plain_lanes, plain_scratch, target(), args(), steps, copy_, again(),
                 round_);
  }
  /// All steps of the run, without a poll; from a graph if the same run was there lately.
  void steps(bool records) {
    const auto all = [&] {
      for (int done = 0; done < a_->steps; done += a_->plan.depth)
        step(std::min(a_->plan.depth, a_->steps - done));
    };
    if (!records || a_->steps < least_recorded || !repeats()) {
      begin();
      return all();
    }
    const executable_graph& graph = graph_of(false, 0, all);
    begin();
    launch_graph(graph);
  }

  /// Launches a graph of body(): again and again until the device says stop, or until fewer than
  /// `round` steps are left. Its launches are an even number.
  template <class Body>
  stencil_state repeat_while_running(int round, Body&& body) {
    const executable_graph& graph = graph_of(true, round, body);
    begin();
    launch_graph(graph);
    record_outcome(0);
    return outcome(0);
  }
  /// Launches a graph of body() `times` times, or until somebody wants an end. Likewise.
  template <class Body>
  stencil_state replay(int times, Body&& body) {
    const executable_graph& graph = graph_of(false, 0, body);
    begin();
    for (int k = 0; k < times; ++k) {
      launch_graph(graph);
      record_outcome(k % 2);
      if (k > 0 && outcome((k + 1) % 2).stop != stencil_status::running) times = k + 1;
    }
    return outcome((times - 1) % 2);
  }

 private:
  /// What kernels between steps get.
  const stencil_args<T>& args() const { return *a_; }

  struct kept_graph {
    stencil_call<S, T> of;
    bool repeated = false;
    executable_graph ready;
  };
  static constexpr int least_recorded = 3;  ///< a launch of a graph costs what two of a kernel do

  static bool same(const stencil_call<S, T>& a, const stencil_call<S, T>& b) {
    return static_cast<const stencil_args<T>&>(a) == static_cast<const stencil_args<T>&>(b) &&
           std::memcmp(a.w, b.w, sizeof a.w) == 0;  // zeros of both signs differ
  }
  /// Was the present run one of the last two?
  bool repeats() {
    if (seen_[0] && same(*seen_[0], *a_)) return true;
    const bool found = seen_[1] && same(*seen_[1], *a_);
    std::swap(seen_[0], seen_[1]);
    seen_[0] = *a_;
    return found;
  }
  template <class Body>
  const executable_graph& graph_of(bool repeated, int round, Body&& body) {
    for (const auto& k : kept_)
      if (k && k->repeated == repeated && same(k->of, *a_)) return k->ready;
    std::optional<kept_graph>& slot = kept_[next_];
    next_ ^= 1;
    if (slot) DWELL_CUDA(cudaStreamSynchronize(clock_.stream()));  // it may be running
    slot.reset();
    round_ = round;
    executable_graph& ready = slot.emplace().ready;
    try {
      make_graph(repeated, body, ready);
    } catch (...) {
      slot.reset();
      throw;
    }
    round_ = 0;
    slot->of = *a_;
    slot->repeated = repeated;
    return ready;
  }

  clock_of_runs& clock_;
  Steps steps_;
  const void *compare_, *poll_;            ///< kernels
  const stencil_call<S, T>* a_ = nullptr;  ///< call of the present run
  std::optional<kept_graph> kept_[2];
  std::optional<stencil_call<S, T>> seen_[2];
  int next_ = 0;
  int copy_ = 0;   ///< copy of the field that the next launch reads
  int round_ = 0;  ///< while a graph that repeats is recorded
};

}  // namespace dwell::cuda
