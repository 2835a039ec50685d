// SPDX-License-Identifier: MIT
// How a GPU runs stencils, whoever compiled their kernels.
#pragma once
#include <cstddef>
#include <new>
#include <optional>

#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/kernel_cuda.cuh"
#include "dwell/execution/device/watch_cuda.hpp"
#include "dwell/execution/stencil/launch/call_of.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/execution/stencil/launch/rows_cuda.hpp"
#include "dwell/execution/stencil/launch/single_steps_cuda.hpp"
#include "dwell/execution/stencil/launch/stencil_queue_cuda.hpp"

namespace dwell::cuda {

/// What the runs of a kernel have in common. Loop: how they are launched, see below.
template <class S, class T, class Loop>
class launcher : public stencil_launcher {
 public:
  template <class... Args>
  explicit launcher(const device& where, const Args&... args)
      : clock_(where), loop_(clock_, args...) {
    DWELL_CUDA(cudaMallocHost(reinterpret_cast<void**>(&end_), sizeof(stencil_state)));
  }
  ~launcher() override {
    const current_device here(clock_.ordinal(), std::nothrow);
    cudaStreamSynchronize(clock_.stream());
    cudaFreeHost(end_);
  }

  std::optional<stencil_state> start(const stencil_start& run, const run_control& control) final {
    const current_device here = clock_.use_device();
    if (watch_) {  // a run has failed
      watch_.reset();
      clock_.forget();
    }
    call_ = call_of<S, T>(run.args, run.weights);
    const std::optional<stencil_state> known = loop_.foresee(call_, control);
    if (!known || Loop::has_barriers)
      DWELL_CUDA(cudaMemsetAsync(run.flags.data(), 0, run.flags.size(), clock_.stream()));
    if (known) {
      loop_.launch(call_);
      return *end_ = *known;
    }
    loop_.launch(call_, watch_.emplace(control, call_.watch, clock_.stream()));
    DWELL_CUDA(
        cudaMemcpyAsync(end_, call_.state, sizeof *end_, cudaMemcpyDeviceToHost, clock_.stream()));
    return std::nullopt;
  }

  stencil_end wait(const run_control&) final {
    const current_device here = clock_.use_device();
    clock_.stop();
    if (watch_) {
      watch_->wait_for(clock_.ended());
      watch_->finish();
      watch_.reset();
    } else {
      DWELL_CUDA(cudaEventSynchronize(clock_.ended()));
    }
    return {*end_, clock_.seconds()};
  }

 private:
  clock_of_runs clock_;
  stencil_call<S, T> call_{};  ///< call of the last run
  std::optional<watcher> watch_;
  stencil_state* end_ = nullptr;  ///< pinned
  Loop loop_;
};

/// Nobody looks at the run while it lasts.
inline bool unwatched(const run_control& control) {
  return !control.interrupt && !control.progress;
}

/// Executors with a `drive`. Steps: see stencil_queue.
template <class S, class T, class E, class Steps = single_steps<S, T>>
class driven_loop {
 public:
  static constexpr bool has_barriers = false;
  driven_loop(clock_of_runs& clock, const stencil_args<T>& a, const Steps& steps)
      : clock_(clock), queue_(clock, a.state, steps) {}

  /// So few steps are never polled while they run; nor does a poll at the end say anything new.
  std::optional<stencil_state> foresee(const stencil_call<S, T>& a, const run_control& control) {
    if (a.until || control.progress || a.steps > a.poll_every) return std::nullopt;
    return stencil_state{a.steps, stencil_status::steps_done, 0, a.launches(a.steps) % 2};
  }
  void launch(const stencil_call<S, T>& a) {
    queue_.take(a);
    queue_.steps(records);
  }
  void launch(const stencil_call<S, T>& a, watcher& watch) {
    queue_.take(a);
    queue_.run_with(watch, clock_);
    E::template drive<T>(queue_, a);
  }

 private:
  static constexpr bool records = requires { requires E::records; };
  clock_of_runs& clock_;
  stencil_queue<S, T, Steps> queue_;
};

/// A kernel whose teams are all on the device together, for the whole run.
template <class T>
struct whole_kernel {
  const void* kernel;  ///< its address or handle; it takes a stencil_call
  int lanes;
  std::size_t scratch;
  int (*last_copy)(const stencil_args<T>&);  ///< copy of the field, if nothing ends the run early
};
template <class... Args>
const void* address_of(void (*kernel)(Args...)) {
  return reinterpret_cast<const void*>(kernel);
}
/// Copy of the field after steps of the whole field.
template <class T>
int copy_after_steps(const stencil_args<T>& a) {
  return a.steps % 2;
}

template <class S, class T>
class whole_loop {
 public:
  static constexpr bool has_barriers = true;
  whole_loop(clock_of_runs& clock, const whole_kernel<T>& k) : clock_(clock), k_(k) {
    allow_scratch(k.kernel, k.scratch);
    loaded(k.kernel);
  }

  std::optional<stencil_state> foresee(const stencil_call<S, T>& a, const run_control& control) {
    if (a.until || !unwatched(control)) return std::nullopt;
    return stencil_state{a.steps, stencil_status::steps_done, 0, k_.last_copy(a)};
  }
  void launch(const stencil_call<S, T>& a) {
    clock_.start();
    launch_together(k_.kernel, a.plan.teams, k_.lanes, k_.scratch, clock_.stream(), false, a);
  }
  void launch(const stencil_call<S, T>& a, watcher&) { launch(a); }

 private:
  clock_of_runs& clock_;
  whole_kernel<T> k_;
};

template <class Kernel>
engine_facts facts_of(Kernel kernel, const stencil_engine& engine, std::size_t scratch,
                      const device& where) {
  const kernel_limits l = limits_of_kernel(kernel, engine.shape().lanes, scratch, where);
  return {&engine, l.registers, l.spill_bytes, l.max_teams, scratch};
}

}  // namespace dwell::cuda
