// SPDX-License-Identifier: MIT
// Kernels of steps, and runs.
#include <cuda_runtime_api.h>

#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "dwell/execution/stencil/fields/steps_on_gpu_cuda.hpp"

namespace dwell::cuda {

template <class T>
void steps_on_gpu<T>::load(const std::vector<kernel_source>& wanted) {
  std::vector<kernel_source> missing;
  for (const kernel_source& source : wanted)
    if (!kernels_.contains(source.kernel)) missing.push_back(source);
  if (missing.empty()) return;
  const compiled_kernels made = compile_kernels(missing, target_);
  const current_device here = clock_.use_device();
  for (std::size_t k = 0; k < missing.size(); ++k)
    kernels_.emplace(missing[k].kernel, &lasting(made.codes[k]));
  cost_.compiler = made.compiler;
  cost_.seconds += made.seconds;
}

template <class T>
void steps_on_gpu<T>::prepare(const device_step_plan& plan) {
  const bool has_pass = !plan.pass || (pass_ && pass_->numbers.config == *plan.pass &&
                                       pass_->demands == plan.demands);
  const bool has_columns =
      !plan.columns ||
      (columns_ && columns_->numbers.config == *plan.columns && columns_->demands == plan.demands);
  const bool has_resident = !plan.resident || (resident_ && resident_->plan() == *plan.resident &&
                                               resident_->demands() == plan.demands);
  const bool has_stages = !stages_.empty() && stages_are_naive_ == plan.naive;
  const bool has_together = plan.together == 0 || together_;
  if (has_stages && has_together && has_pass && has_columns && has_resident) return;
  const auto stage_source = [&](std::size_t s) {
    const int number = static_cast<int>(s);
    return plan.naive ? sources_.naive_stage(number) : sources_.stage(number);
  };
  const auto stages = domain_.definition().stages();
  std::vector<kernel_source> wanted;
  for (std::size_t s = 0; s < stages.size(); ++s)
    if (!stages[s].computed.empty()) wanted.push_back(stage_source(s));
  if (plan.together > 0) wanted.push_back(sources_.steps());
  if (plan.pass) wanted.push_back(sources_.pass(*plan.pass, plan.demands));
  if (plan.columns) wanted.push_back(sources_.pass(*plan.columns, plan.demands));
  if (plan.resident) wanted.push_back(sources_.resident(plan.resident->config, plan.demands));
  load(wanted);
  stages_.resize(stages.size());
  stages_are_naive_ = plan.naive;
  std::int64_t pieces = 1;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (stages[s].computed.empty()) continue;
    const std::size_t taps = taps_of(domain_.definition().tape(), stages[s]).size();
    const int rows = rows_for_taps(std::max<std::size_t>(taps, 1));
    stages_[s] = {&kernel_of(stage_source(s)), plan.naive ? 1 : rows};
    const loaded_kernel& kernel = *stages_[s].kernel;
    note_facts(kernel.code(), kernel.handle(), cell_block.x * cell_block.y, 0, where_);
    pieces = std::max(pieces, pieces_of_stage(blank_, rows).all());
  }
  if (plan.together > 0 && !together_) {
    together_.emplace(where_, kernel_of(sources_.steps()), pieces);
    cost_.spilled_bytes = together_->spilled_bytes();
  }
  constexpr int value = sizeof(T);
  if (plan.pass) {
    pass_ = {&kernel_of(sources_.pass(*plan.pass, plan.demands)),
             {chain_of(domain_), *plan.pass, value},
             plan.demands};
    allow(*pass_->kernel, pass_->numbers.lanes(), pass_->numbers.scratch_bytes());
  }
  if (plan.columns) {
    columns_ = {&kernel_of(sources_.pass(*plan.columns, plan.demands)),
                {columns_of(domain_), *plan.columns, value},
                plan.demands};
    allow(*columns_->kernel, columns_->numbers.lanes(), columns_->numbers.scratch_bytes());
  }
  if (plan.resident) {
    const current_device here = clock_.use_device();
    resident_.emplace(
        where_, kernel_of(sources_.resident(plan.resident->config, plan.demands)), *plan.resident,
        resident_numbers{resident_shape_of_domain(domain_), plan.resident->config, value},
        plan.demands);
    cost_.spilled_bytes = resident_->spilled_bytes();
  }
}

template <class T>
void steps_on_gpu<T>::allow(const loaded_kernel& pass, int lanes, std::size_t scratch) {
  const current_device here = clock_.use_device();
  note_facts(pass.code(), pass.handle(), lanes, scratch, where_);
  cost_.spilled_bytes = static_cast<int>(loaded(pass.handle()).localSizeBytes);
}

template <class T>
fields_stage_args<T> steps_on_gpu<T>::without_arrays() const {
  fields_stage_args<T> a;
  a.pitch = memory_.pitch();
  const stencil_definition& d = domain_.definition();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    a.n[axis] = static_cast<int>(domain_.size().n[static_cast<std::size_t>(kernel_axes[axis])]);
    for (int array = 0; array < d.fields() + d.coefficients(); ++array)
      for (int high = 0; high < 2; ++high)
        a.outside[array][axis][high] =
            static_cast<T>(domain_.side(array, kernel_axes[axis], high).value);
  }
  return a;
}

template <class T>
bool steps_on_gpu<T>::found(const kernel_source& source,
                            const std::vector<std::array<const T*, 2>>& arrays) {
  const current_device here = clock_.use_device();
  buffer<int> word(where_, 1);
  for (const auto& [first, second] : arrays) {
    fields_stage_args<T> a = blank_;
    a.in[0] = first;
    a.in[1] = second;
    launch_cells(kernel_of(source), a, word.data(), stream());
  }
  int there = 0;
  word.download({&there, 1});
  return there != 0;
}

template <class T>
field_run_end steps_on_gpu<T>::run(const device_step_plan& plan, field_run<T>& r,
                                   const field_places& places, const run_control& control) {
  const current_device here = clock_.use_device();
  prepare(plan);
  turn t{plan, r, {}, nullptr, nullptr, nullptr, {}, 0, places};
  if ((plan.pass || plan.columns || plan.resident) && r.parameters_change)
    t.table = buffer<T>::copy_of(where_, r.parameters);
  if (r.points.empty()) {
    points_.reset();
  } else {
    if (!points_ || points_->revision() != r.points.revision)
      points_.emplace(where_, memory_.pitch(), r.points);
    points_->begin(r.first_step, r.steps);
    t.add = &kernel_of(field_kernel_sources<T>::add());
    t.record = &kernel_of(field_kernel_sources<T>::record());
  }
  if (!r.fixed_cells.empty()) {
    t.fixed.resize(r.fixed_cells.size());
    t.keep = &kernel_of(sources_.keep());
    for (std::size_t f = 0; f < r.fixed_cells.size(); ++f) {
      if (r.fixed_cells[f].empty()) continue;
      t.fixed[f] =
          buffer<T>(where_, static_cast<std::size_t>(domain_.size().rows() * memory_.pitch()));
      t.fixed[f].upload_rows(r.fixed_cells[f], static_cast<std::size_t>(domain_.size().n[2]),
                             static_cast<std::size_t>(memory_.pitch()), 0);
    }
  }

  // The host keeps one chunk of launches ahead of the device, so that it can end the run between.
  event marks[2];
  for (event& m : marks) DWELL_CUDA(cudaEventCreateWithFlags(m.out(), cudaEventDisableTiming));
  progress_publisher publisher(control);
  const auto stopped = [&] {
    return publisher.stopped() || (control.interrupt && control.interrupt->load());
  };
  int marked[2] = {0, 0}, completed = 0;
  const auto wait_for = [&](int mark) {
    for (;;) {
      const cudaError_t status = cudaEventQuery(marks[mark]);
      if (status == cudaSuccess) completed = marked[mark];
      if (publisher.due()) publisher.publish(completed, 0.0);
      if (status == cudaSuccess) return;
      if (status != cudaErrorNotReady) check(status, "waiting for steps");
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  };
  clock_.begin();
  int chunk = 1, mark = 0;
  bool waiting = false;
  using clock = std::chrono::steady_clock;
  auto last = clock::now();
  while (t.done < r.steps && !stopped()) {
    for (int k = 0; k < chunk && t.done < r.steps; ++k) advance(t);
    DWELL_CUDA(cudaEventRecord(marks[mark], stream()));
    marked[mark] = t.done;
    if (waiting) wait_for(mark ^ 1);
    const auto now = clock::now();
    if (waiting && now - last < std::chrono::milliseconds(5) && chunk < 4096) chunk *= 2;
    last = now;
    waiting = true;
    mark ^= 1;
  }
  clock_.end();
  if (waiting) wait_for(mark ^ 1);
  DWELL_CUDA(cudaEventSynchronize(clock_.ended()));
  if (points_) points_->download(r.points, t.done);
  publisher.rethrow();
  return {t.done, clock_.seconds(), t.places};
}

namespace {

template <class T>
std::unique_ptr<device_steps<T>> make_steps(const device& where, const field_domain& domain,
                                            const field_memory<T>& memory) {
  return std::make_unique<steps_on_gpu<T>>(where, domain, memory);
}

}  // namespace
}  // namespace dwell::cuda

namespace dwell {

template <>
const device_step_functions<double>& cuda_backend() {
  static constexpr device_step_functions<double> table{&cuda::make_steps<double>};
  return table;
}
template <>
const device_step_functions<float>& cuda_backend() {
  static constexpr device_step_functions<float> table{&cuda::make_steps<float>};
  return table;
}

}  // namespace dwell
