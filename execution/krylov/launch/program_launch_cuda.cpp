// SPDX-License-Identifier: MIT
// Launches of kernels that were compiled ahead or when they were needed: the same code for all.
#include "dwell/execution/krylov/launch/program_launch_cuda.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/device/kernel_cuda.cuh"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/device/queue_cuda.cuh"
#include "dwell/execution/device/watch_cuda.hpp"
#include "dwell/execution/krylov/launch/continue_cuda.hpp"
#include "dwell/execution/krylov/loops/graph.hpp"
#include "dwell/execution/krylov/loops/host_loop.hpp"

namespace dwell {
namespace cuda {
namespace {

/// Arguments of a kernel are copied from there, as many bytes as the kernel takes.
const std::byte& first_byte(const launched_program& p) {
  return *static_cast<const std::byte*>(p.args);
}

/// The queue of executors that launch phase by phase. The stop flag is what it reads of the device.
class phase_queue : public host_queue<int> {
 public:
  /// again: continue_kernel_on(), where graphs are recorded.
  phase_queue(const launched_program& p, const program_handles& k, int teams, std::size_t scratch,
              cudaStream_t stream, const void* again)
      : host_queue<int>(p.stop, stream),
        p_(p),
        k_(k),
        teams_(teams),
        scratch_(scratch),
        continue_(again) {}

  void launch(int phase, int parity, int time) {
    const auto at = static_cast<std::size_t>(phase);
    launch_apart(k_.kernels[at], static_cast<unsigned>(teams_), static_cast<unsigned>(k_.lanes),
                 scratch_, target(), first_byte(p_), parity, time);
    if (p_.behind && time + 1 == p_.times[at])
      p_.behind->phase_launched(has_sums(p_.outputs[at]), has_elements(p_.outputs[at]), target());
  }
  bool has_stopped(int mark) { return outcome(mark) != 0; }

  /// Launches a graph, made at the first call: body() again and again until the scalars say stop.
  template <class Body>
  void repeat_while_running(Body&& body) {
    const bool repeats = !p_.behind;  // messages cannot be in a conditional node
    if (!has_graph())
      make_graph(repeats, [&] {
        body();
        if (repeats) launch_continue(continue_, p_.stop, again(), target());
      });
    begin();
    repeats ? launch_graph() : relaunch_while_running();
  }

 private:
  /// The host looks at the outcome of a round while the next one runs. All ranks find the same, and
  /// launch as many.
  void relaunch_while_running() {
    for (int round = 0;; ++round) {
      launch_graph();
      record_outcome(round % 2);
      if (round > 0 && has_stopped((round + 1) % 2)) return;
    }
  }

  const launched_program& p_;
  const program_handles& k_;
  int teams_;
  std::size_t scratch_;
  const void* continue_;
};

class launch final : public program_launch {
 public:
  launch(const device& where, int teams, launch_kind kind, const program_handles& handles,
         launched_program (*launched)(const void*), const void* args)
      : launched_(launched),
        p_(launched(args)),
        handles_(handles),
        kind_(kind),
        teams_(teams),
        scratch_(handles.scratch + p_.cached_bytes),
        clock_(where) {
    for (const void* kernel : handles_.kernels) {
      allow_scratch(kernel, scratch_);
      loaded(kernel);
    }
    if (kind == launch_kind::phases || kind == launch_kind::recorded)
      queue_.emplace(p_, handles_, teams_, scratch_, clock_.stream(),
                     kind == launch_kind::recorded ? continue_kernel_on(where) : nullptr);
  }

  void start(const run_control& control) override {
    const current_device here = clock_.use_device();
    p_ = launched_(p_.args);
    watch_.emplace(control, p_.watch, clock_.stream());
    watch_->poll();  // an interrupt may be there already
    if (queue_) queue_->run_with(*watch_, clock_);
    switch (kind_) {
      case launch_kind::phases:
        clock_.begin();
        host_loop::drive(*queue_, p_.times);
        break;
      case launch_kind::recorded:
        graph::drive(*queue_, p_.times);  // the clock starts once the graph is ready
        break;
      case launch_kind::apart:
        clock_.begin();
        launch_apart(handles_.kernels[0], static_cast<unsigned>(teams_),
                     static_cast<unsigned>(handles_.lanes), scratch_, clock_.stream(),
                     first_byte(p_));
        break;
      case launch_kind::together:
        clock_.begin();
        launch_together(handles_.kernels[0], teams_, handles_.lanes, scratch_, clock_.stream(),
                        p_.in_cluster, first_byte(p_));
        break;
    }
    clock_.end();
  }
  double finish() override {
    const current_device here = clock_.use_device();
    watch_->wait_for(clock_.ended());
    watch_->finish();
    watch_.reset();
    return clock_.seconds();
  }

 private:
  launched_program (*launched_)(const void*);
  launched_program p_;
  program_handles handles_;
  launch_kind kind_;
  int teams_;
  std::size_t scratch_;
  run_clock clock_;
  std::optional<phase_queue> queue_;
  std::optional<watcher> watch_;
};

compiled_kernels compiled(const program_kernel& v, int config, const device& where) {
  return compile_kernels(sources_of(v.needed, v.type, config), target_of(where));
}

}  // namespace

std::unique_ptr<program_launch> make_launch(const device& where, int teams, launch_kind kind,
                                            const program_handles& handles,
                                            launched_program (*launched)(const void*),
                                            const void* args) {
  const current_device here(where.ordinal());
  return std::make_unique<launch>(where, teams, kind, handles, launched, args);
}

config_facts facts_of_kernels(const program_handles& handles, const config_facts& assumed,
                              const device& where) {
  config_facts worst = assumed;
  worst.max_teams = 1 << 30;
  for (const void* kernel : handles.kernels) {
    const kernel_limits l = limits_of_kernel(kernel, handles.lanes, handles.scratch, where);
    worst.registers = std::max(worst.registers, l.registers);
    worst.spill_bytes = std::max(worst.spill_bytes, l.spill_bytes);
    worst.max_teams = std::min(worst.max_teams, l.max_teams);
  }
  return worst;
}

}  // namespace cuda

kernel_making make_needed(const program_kernel& v, int config, const device& where) {
  const compiled_kernels all = cuda::compiled(v, config, where);
  return {all.compiler, all.seconds};
}

std::unique_ptr<program_launch> prepare_needed(const program_kernel& v, const void* args,
                                               const device& where, const plan& how) {
  const cuda::current_device here(where.ordinal());
  const config_facts assumed = v.assume(where.facts(), how.config);
  cuda::program_handles handles;
  handles.lanes = assumed.shape.lanes;
  handles.scratch = assumed.scratch_bytes;
  for (const auto& code : cuda::compiled(v, how.config, where).codes) {
    handles.kernels.push_back(cuda::lasting(code).handle());
    cuda::note_facts(*code, handles.kernels.back(), handles.lanes, handles.scratch, where);
  }
  if (v.cooperative && !how.in_cluster) {
    const config_facts found = cuda::facts_of_kernels(handles, assumed, where);
    if (how.teams > found.max_teams)
      throw unsupported_error(fmt::format(
          "executor '{}' needs all its {} blocks on the device together, but {} of {} threads and "
          "{} registers each are the most that fit",
          v.executor, how.teams, found.max_teams, handles.lanes, found.registers));
  }
  const auto kind = cuda::kind_of_launch(
      v.needed.phases > 0, std::string_view(v.executor) == executors::graph.name, v.alone);
  return cuda::make_launch(where, how.teams, kind, handles, v.launched, args);
}

}  // namespace dwell
