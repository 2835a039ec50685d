// SPDX-License-Identifier: MIT
// Kernels, launches, graphs.
#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/kernel_cuda.cuh"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/device/progress_publisher.hpp"
#include "dwell/execution/stencil/engines/column_fields3d/args.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/args.hpp"
#include "dwell/execution/stencil/fields/columns_plan.hpp"
#include "dwell/execution/stencil/fields/device_kernels.hpp"
#include "dwell/execution/stencil/fields/device_points_cuda.hpp"
#include "dwell/execution/stencil/fields/device_resident_cuda.hpp"
#include "dwell/execution/stencil/fields/device_single_launch_cuda.hpp"
#include "dwell/execution/stencil/fields/device_steps.hpp"
#include "dwell/execution/stencil/fields/device_text.hpp"
#include "dwell/execution/stencil/fields/plain_step.hpp"
#include "dwell/execution/stencil/partition/strips.hpp"

namespace dwell::cuda {
namespace {

constexpr dim3 cell_block{64, 4};
constexpr unsigned most_blocks = 65535;  ///< along the second and third index of a grid

template <class T>
class steps_on_gpu final : public device_steps<T> {
 public:
  steps_on_gpu(const device& where, const field_domain& domain, const field_memory<T>& memory)
      : where_(where),
        clock_(where),
        target_(target_of(where)),
        units_(where.facts().units),
        domain_(domain),
        memory_(memory),
        sources_(domain),
        blank_(without_arrays()) {
    for (const std::int64_t n : domain.size().n)
      if (n > std::int64_t{1} << 30)
        throw unsupported_error(
            fmt::format("fields on a GPU: expected at most 2^30 cells along an axis, found {}", n));
  }

  void prepare(const device_step_plan& plan) override;
  compile_cost cost() const override { return cost_; }

  bool fixed_cells_differ(const field_places& places) override {
    if (!domain_.has_fixed_cells()) return false;
    std::vector<std::array<const T*, 2>> pairs;
    for (const field_stage& stage : domain_.definition().stages())
      for (const renamed_output& r : stage.renamed)
        pairs.push_back({memory_.field(places, r.field), memory_.field(places, r.from)});
    return !pairs.empty() && found(sources_.differ(), pairs);
  }
  bool finite(const field_places& places) override {
    std::vector<std::array<const T*, 2>> fields;
    for (int f = 0; f < domain_.definition().fields(); ++f)
      fields.push_back({memory_.field(places, f), nullptr});
    return !found(field_kernel_sources<T>::finite(), fields);
  }

  void subtract(T* from, const T* cells, std::size_t n) override {
    const current_device here = clock_.use_device();
    constexpr unsigned block = 256;
    const auto count = static_cast<std::int64_t>(n);
    launch_apart(kernel_of(field_kernel_sources<T>::subtract()).handle(),
                 std::min(blocks_of(count, block), most_blocks), block, 0, stream(), from, cells,
                 count);
  }

  field_run_end run(const device_step_plan& plan, field_run<T>& r, const field_places& places,
                    const run_control& control) override;

 private:
  /// What is the same for all launches of a run.
  struct turn {
    const device_step_plan& plan;
    field_run<T>& run;
    std::vector<buffer<T>> fixed;         ///< fixed cells that have to be given again
    const loaded_kernel* keep = nullptr;  ///< that gives them
    const loaded_kernel *add = nullptr, *record = nullptr;  ///< sources and receivers
    buffer<T> table;                                        ///< parameters of every step
    int done = 0;
    field_places places;
  };

  void load(const std::vector<kernel_source>& wanted);
  const loaded_kernel& kernel_of(const kernel_source& source) {
    if (!kernels_.contains(source.kernel)) load({source});
    return *kernels_.at(source.kernel);
  }
  /// A pass's kernel gets its scratch.
  void allow(const loaded_kernel& pass, int lanes, std::size_t scratch);
  cudaStream_t stream() const { return clock_.stream(); }
  fields_stage_args<T> without_arrays() const;
  fields_stage_args<T> args_of(const field_stage& stage, const stage_memory<T>& memory,
                               const T* p) const;
  /// Blocks of a kernel that goes over all cells, a lane over so many rows.
  dim3 grid(int rows) const {
    const auto& n = domain_.size().n;
    const unsigned of_block = cell_block.y * static_cast<unsigned>(rows);
    return {blocks_of(n[2], cell_block.x), std::min(blocks_of(n[1], of_block), most_blocks),
            std::min(static_cast<unsigned>(n[0]), most_blocks)};
  }
  void launch_cells(const loaded_kernel& kernel, const fields_stage_args<T>& a, int* found,
                    cudaStream_t on, int rows = 1) const {
    if (found)
      launch_apart(kernel.handle(), grid(rows), cell_block, 0, on, a, found);
    else
      launch_apart(kernel.handle(), grid(rows), cell_block, 0, on, a);
  }
  bool found(const kernel_source& source, const std::vector<std::array<const T*, 2>>& arrays);

  /// Launches the next steps of a run: as many as one launch or graph has, or one.
  void advance(turn& t);
  void single_step(turn& t, cudaStream_t on);
  void pass(turn& t, int warps);
  void columns_pass(turn& t);
  template <class Args>
  void give_arrays(turn& t, Args& a) const;
  bool graph(turn& t);
  void steps_together(turn& t);
  /// The places from which steps go, until they are `first` again.
  std::vector<field_places> cycle_from(const field_places& first) const;

  device where_;
  run_clock clock_;
  kernel_target target_;
  int units_;
  const field_domain& domain_;
  const field_memory<T>& memory_;
  field_kernel_sources<T> sources_;
  std::map<std::string, const loaded_kernel*> kernels_;  ///< by their names
  compile_cost cost_;
  const fields_stage_args<T> blank_;  ///< arguments of a stage without arrays

  /// A stage's, and the rows of a lane; null where it computes nothing.
  struct stage_kernel {
    const loaded_kernel* kernel = nullptr;
    int rows = 1;
  };
  std::vector<stage_kernel> stages_;
  bool stages_are_naive_ = false;
  /// The pass that was prepared last.
  struct pass_kernel {
    const loaded_kernel* kernel;
    chain_numbers numbers;
    pass_demands demands;
  };
  std::optional<pass_kernel> pass_;
  struct columns_kernel {
    const loaded_kernel* kernel;
    columns_numbers numbers;
    pass_demands demands;
  };
  std::optional<columns_kernel> columns_;
  std::optional<resident_launches<T>> resident_;  ///< launches of the plan that was prepared last

  /// The steps that are recorded, and from where.
  struct recorded {
    executable_graph ready;
    int steps = 0;
    field_places from;
    std::vector<T> parameters;
  };
  std::unique_ptr<recorded> graph_;
  /// Launches of many single steps, and from where, once they were given their stages.
  std::optional<single_launches<T>> together_;
  struct given_stages {
    field_places from;
    std::vector<T> parameters;
    int cycle = 1;
  };
  std::optional<given_stages> given_;
  std::optional<device_points<T>> points_;  ///< those that the last run had
};

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

/// p: parameters.
template <class T>
fields_stage_args<T> steps_on_gpu<T>::args_of(const field_stage& stage,
                                              const stage_memory<T>& memory, const T* p) const {
  const stencil_definition& d = domain_.definition();
  fields_stage_args<T> a = blank_;
  std::copy_n(memory.in, d.fields() + d.coefficients(), a.in);
  for (std::size_t k = 0; k < stage.computed.size(); ++k)
    a.out[stage.computed[k].field] = memory.out[k];
  std::copy_n(p, d.parameters(), a.p);
  return a;
}

template <class T>
void steps_on_gpu<T>::single_step(turn& t, cudaStream_t on) {
  const stencil_definition& d = domain_.definition();
  for (std::size_t s = 0; s < d.stages().size(); ++s) {
    const field_stage& stage = d.stages()[s];
    const stage_memory<T> memory = memory_.next(stage, t.places);
    if (stages_[s].kernel)
      launch_cells(*stages_[s].kernel,
                   args_of(stage, memory, t.run.parameters_of(t.done, d.parameters())), nullptr, on,
                   stages_[s].rows);
    if (t.fixed.empty()) continue;
    for (const renamed_output& renamed : stage.renamed) {
      fields_stage_args<T> a = blank_;
      a.in[0] = t.fixed[static_cast<std::size_t>(renamed.field)].data();
      a.out[0] = memory_.field(t.places, renamed.field);
      launch_cells(*t.keep, a, nullptr, on);
    }
  }
  if (points_)
    points_->apply(
        *t.add, *t.record, t.done, [&](int field) { return memory_.field(t.places, field); }, on);
  ++t.done;
}

/// Fields of a pass go to free arrays. And what else arguments of passes have alike.
template <class T>
template <class Args>
void steps_on_gpu<T>::give_arrays(turn& t, Args& a) const {
  const stencil_definition& d = domain_.definition();
  const field_places before = t.places;
  for (int f = 0; f < d.fields(); ++f) {
    const int to = t.places.free[static_cast<std::size_t>(--t.places.free_arrays)];
    t.places.of_field[static_cast<std::size_t>(f)] = to;
    a.from[f] = memory_.field(before, f);
    a.to[f] = memory_.field(t.places, f);
  }
  for (int f = 0; f < d.fields(); ++f)
    t.places.free[static_cast<std::size_t>(t.places.free_arrays++)] =
        before.of_field[static_cast<std::size_t>(f)];
  for (int c = 0; c < d.coefficients(); ++c) a.from[d.fields() + c] = memory_.coefficient(c);
  for (int array = 0; array < d.fields() + d.coefficients(); ++array)
    for (std::size_t axis = 0; axis < std::size(a.outside[array]); ++axis)
      std::copy_n(blank_.outside[array][axis], 2, a.outside[array][axis]);
  std::copy_n(t.run.parameters_of(t.done, d.parameters()), d.parameters(), a.p);
}

template <class T>
void steps_on_gpu<T>::columns_pass(turn& t) {
  const columns_numbers& n = columns_->numbers;
  fields_columns<T> a;
  std::copy_n(blank_.n, 3, a.n);
  a.pitch = memory_.pitch();
  give_arrays(t, a);
  const columns_division division = divide_columns(domain_, n, units_);
  a.teams = division.teams;
  const columns_tiles tiles = tiles_of(domain_, n);
  tiles.divide(a);
  if (t.run.parameters_change)
    a.table = t.table.data() + std::int64_t{t.done} * domain_.definition().parameters();
  if (points_) a.points = points_->of_columns(t.done, tiles, a.n[2], n.config.rows);
  launch_apart(columns_->kernel->handle(), static_cast<unsigned>(division.teams),
               static_cast<unsigned>(n.lanes()), n.scratch_bytes(), stream(), a);
  t.done += n.config.steps;
}

template <class T>
void steps_on_gpu<T>::pass(turn& t, int warps) {
  const chain_numbers& n = pass_->numbers;
  fields_pass<T> a;
  a.nx = static_cast<int>(domain_.size().n[2]);
  a.ny = static_cast<int>(domain_.size().n[1]);
  a.pitch = static_cast<int>(memory_.pitch());
  give_arrays(t, a);
  a.warps = warps;
  const overlapping_strips strips{n.width(), n.halo(), a.nx, domain_.is_periodic(2)};
  const std::int64_t rows = std::int64_t{strips.count()} * a.ny;
  const int teams =
      static_cast<int>(std::min<std::int64_t>(rows, std::min(units_, pass_runs::most_teams)));
  for (int k = 0; k <= teams; ++k) a.runs.cut[k] = static_cast<int>(rows * k / teams);
  if (t.run.parameters_change)
    a.table = t.table.data() + std::int64_t{t.done} * domain_.definition().parameters();
  if (points_) a.points = points_->of_pass(t.done, strips, a.ny, n.config.across);
  launch_apart(pass_->kernel->handle(), static_cast<unsigned>(teams),
               static_cast<unsigned>(n.lanes()), n.scratch_bytes(), stream(), a);
  t.done += warps * t.plan.pass->steps;
}

bool alike(const field_places& a, const field_places& b) {
  return a.of_field == b.of_field && a.free_arrays == b.free_arrays &&
         std::equal(a.free.begin(), a.free.begin() + a.free_arrays, b.free.begin());
}

template <class T>
std::vector<field_places> steps_on_gpu<T>::cycle_from(const field_places& first) const {
  std::vector<field_places> cycle;
  field_places at = first;
  do {
    cycle.push_back(at);
    for (const field_stage& stage : domain_.definition().stages()) memory_.next(stage, at);
  } while (!alike(at, first));
  return cycle;
}

template <class T>
void steps_on_gpu<T>::steps_together(turn& t) {
  const stencil_definition& d = domain_.definition();
  if (!given_ || !alike(given_->from, t.places) || given_->parameters != t.run.parameters) {
    std::vector<fields_stage_args<T>> stages;
    const std::vector<field_places> cycle = cycle_from(t.places);
    for (field_places at : cycle)
      for (const field_stage& stage : d.stages())
        stages.push_back(args_of(stage, memory_.next(stage, at), t.run.parameters_of(0, 0)));
    together_->give(std::move(stages), static_cast<int>(cycle.size()));
    given_ = given_stages{t.places, t.run.parameters, static_cast<int>(cycle.size())};
  }
  // Whole cycles, so that the next launch has the same list.
  const int whole = std::max(t.plan.together / given_->cycle, 1) * given_->cycle;
  const int steps = std::min(whole, t.run.steps - t.done);
  together_->queue(steps, stream());
  for (int s = 0; s < steps % given_->cycle; ++s)
    for (const field_stage& stage : d.stages()) memory_.next(stage, t.places);
  t.done += steps;
}

/// Launches a graph if enough steps are left; records it if there is none from these arrays on.
template <class T>
bool steps_on_gpu<T>::graph(turn& t) {
  if (!t.plan.graph || t.run.parameters_change || !t.run.points.empty() || !t.fixed.empty())
    return false;
  if (!graph_ || !alike(graph_->from, t.places) || graph_->parameters != t.run.parameters) {
    // Steps after which all fields are in the same arrays again, several times over.
    constexpr int least = 32;
    const auto cycle = static_cast<int>(cycle_from(t.places).size());
    const int steps = (least + cycle - 1) / cycle * cycle;
    if (t.run.steps - t.done < steps) return false;
    auto fresh = std::make_unique<recorded>();
    fresh->steps = steps;
    fresh->from = t.places;
    fresh->parameters = t.run.parameters;
    cuda::stream recorder;
    DWELL_CUDA(cudaStreamCreateWithFlags(recorder.out(), cudaStreamNonBlocking));
    DWELL_CUDA(cudaStreamBeginCapture(recorder, cudaStreamCaptureModeThreadLocal));
    const int done = t.done;
    for (int s = 0; s < steps; ++s) single_step(t, recorder);
    t.done = done;
    recorded_graph whole;
    DWELL_CUDA(cudaStreamEndCapture(recorder, whole.out()));
    DWELL_CUDA(cudaGraphInstantiate(fresh->ready.out(), whole, 0));
    DWELL_CUDA(cudaGraphUpload(fresh->ready, stream()));
    graph_ = std::move(fresh);
  }
  if (t.run.steps - t.done < graph_->steps) return false;
  DWELL_CUDA(cudaGraphLaunch(graph_->ready, stream()));
  t.done += graph_->steps;
  return true;
}

template <class T>
void steps_on_gpu<T>::advance(turn& t) {
  if (t.plan.resident) {
    const int steps = std::min(resident_->steps_of_launch(), t.run.steps - t.done);
    const int parameters = domain_.definition().parameters();
    typename resident_launches<T>::inputs in{t.run.parameters_of(t.done, parameters), nullptr, {}};
    if (t.run.parameters_change) in.table = t.table.data() + std::int64_t{t.done} * parameters;
    if (points_)
      in.points = points_->of_tiles(t.done, resident_->plan(), resident_->numbers(), blank_.n);
    resident_->queue(domain_.definition(), memory_, t.places, blank_, in, steps, stream());
    t.done += steps;
    return;
  }
  if (t.plan.pass) {
    const int steps = t.plan.pass->steps;
    const int warps = std::min(t.plan.depth, t.run.steps - t.done) / steps;
    if (warps > 0) return pass(t, warps);
  }
  if (t.plan.columns && t.run.steps - t.done >= t.plan.columns->steps) return columns_pass(t);
  if (t.plan.together > 0) return steps_together(t);
  if (!graph(t)) single_step(t, stream());
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
