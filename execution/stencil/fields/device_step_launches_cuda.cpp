// SPDX-License-Identifier: MIT
// Launches and graphs of steps.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "dwell/execution/stencil/fields/steps_on_gpu_cuda.hpp"

namespace dwell::cuda {
namespace {

bool alike(const field_places& a, const field_places& b) {
  return a.of_field == b.of_field && a.free_arrays == b.free_arrays &&
         std::equal(a.free.begin(), a.free.begin() + a.free_arrays, b.free.begin());
}

}  // namespace

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

template void steps_on_gpu<double>::advance(turn&);
template void steps_on_gpu<float>::advance(turn&);

}  // namespace dwell::cuda
