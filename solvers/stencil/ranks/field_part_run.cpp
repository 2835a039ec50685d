// SPDX-License-Identifier: MIT
// Divides the axes, counts steps between exchanges, and does both.
#include "dwell/solvers/stencil/ranks/field_part_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/execution/comm/kernel_exchange.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/stencil/partition/grid_division.hpp"
#include "dwell/solvers/stencil/api/needed.hpp"

namespace dwell {
namespace {

/// Steps of a rank that is alone, which exchanges nothing, between two looks at whether to go on.
constexpr int most_steps_alone = 64;
/// Between two exchanges; GPUs make up to 24 in a pass.
constexpr int most_steps(bool on_gpus) { return on_gpus ? 48 : 16; }

model::division_request request_for(const extents& all, int ranks, bool on_gpus) {
  const int axes = all.dims == 3 && all.z > 1 ? 3 : 2;
  return {.cells = {{all.z, all.y, all.x}}, .ranks = ranks, .cut_axes = on_gpus ? axes - 1 : axes};
}

/// Ranks along the axes, as asked or as planned.
extents ranks_along_axes(const std::optional<extents>& asked, const extents& all, int ranks,
                         int radius, bool on_gpus) {
  extents along = all;
  if (asked) {
    if (asked->dims != all.dims || asked->z < 1 || asked->y < 1 || asked->x < 1 ||
        asked->cells() != static_cast<std::size_t>(ranks))
      throw input_error(
          fmt::format("ranks along the axes: expected {} numbers whose product is {}, found {}",
                      all.dims, ranks, to_string(*asked)));
    along = *asked;
  } else {
    const auto plan =
        model::plan_division(request_for(all, ranks, on_gpus), radius, most_steps(on_gpus));
    for (int axis = 0; axis < 3; ++axis)
      along[axis] =
          plan ? static_cast<int>(plan->division.parts[static_cast<std::size_t>(axis)]) : 1;
    if (!plan) along[all.dims == 3 ? 0 : 1] = ranks;  // which is too many, as is said below
  }
  return along;
}

/// Steps that add a tenth.
int planned_steps(const divided_field& field, int radius, bool on_gpus) {
  const extents &n = field.all, &ranks = field.ranks;
  const model::grid_division division{{ranks.z, ranks.y, ranks.x}, {ranks.z, ranks.y, ranks.x}};
  const auto request = request_for(n, field.size(), on_gpus);
  return model::steps_that_add_a_tenth(least_cells(request, division), division, radius,
                                       most_steps(on_gpus));
}

}  // namespace

template <class T>
field_part_run<T>::field_part_run(const device& where, std::shared_ptr<communicator> of,
                                  const extents& all, const stencil_options& o,
                                  const field_division& division, bool has_source)
    : comm_(std::move(of)), options_(o) {
  whole_.all = all;
  whole_.edge = o.edge;
  require_one_backend(*comm_, where);
  if (where.on() == backend::cuda) {
    together(*comm_, [&] { queue_.emplace(where); });
    gpus_ = connect_gpus(comm_, queue_->where(), division.by);
  }
  together(*comm_, [&] { plan(division); });
  const device& there = queue_ ? queue_->where() : where;
  stencil_options local = options_;
  local.interrupt = nullptr;  // ranks end together
  local.progress = {};
  const auto make_runner = [&] {
    runner_.reset();
    runner_.emplace(there, part_.size(), local, has_source);
    if (!gpus_ || local.executor != "auto" || !passes_are_too_short(runner_->report())) return;
    local.executor = "graph";
    runner_.reset();
    runner_.emplace(there, part_.size(), local, has_source);
  };
  if (gpus_) exchange_kernels_for(there, local);
  together(*comm_, make_runner);
  const int pass = value_of_rank(*comm_, 0, runner_->report().pass_steps);
  alone_ = ((most_steps_alone - 1) / pass + 1) * pass;
  if (division.steps_per_exchange == 0 && model::whole_passes(between_, pass) < between_) {
    between_ = model::whole_passes(between_, pass);
    set_ghosts();
    together(*comm_, make_runner);
  }
  const std::vector<ghost_round> rounds = ghost_rounds(whole_, comm_->rank(), part_);
  exchange_.emplace(*comm_, rounds);
  if (gpus_ && comm_->size() > 1) exchange_there_.emplace(*comm_, *gpus_, there, rounds);
}

/// One rank compiles what all of them need, as far as that is known before their plans are.
template <class T>
void field_part_run<T>::exchange_kernels_for(const device& there, const stencil_options& local) {
  const auto wanted = together(*comm_, [&]() -> std::vector<kernel_source> {
    if (is_compiled_ahead(local.shape)) return {};
    try {
      return needed_sources(there.facts(), precision_of<T>, local, part_.size());
    } catch (const error&) {
      return {};  // the runner says what cannot be
    }
  });
  exchange_kernels(*comm_, wanted, target_of_rank(there));
}

template <class T>
void field_part_run<T>::plan(const field_division& division) {
  check_extents(whole_.all);
  radius_ = find_stencil_shape(options_.shape).radius;
  const int ranks = comm_->size(), steps = division.steps_per_exchange;
  const bool on_gpus = queue_.has_value();
  if (steps < 0)
    throw input_error(fmt::format("steps_per_exchange: expected at least 0, found {}", steps));
  whole_.ranks = ranks_along_axes(division.ranks, whole_.all, ranks, radius_, on_gpus);
  between_ = ranks == 1 ? 0 : steps > 0 ? steps : planned_steps(whole_, radius_, on_gpus);
  const std::int64_t needed = std::int64_t{between_} * radius_;
  for (int axis = 0; axis < 3; ++axis)
    if (whole_.ranks[axis] > 1 && whole_.all[axis] / whole_.ranks[axis] < needed)
      throw input_error(fmt::format(
          "size: expected at least {} layers on each rank ({} steps between exchanges, radius {}), "
          "found {} along {} on {} ranks",
          needed, between_, radius_, whole_.all[axis], "zyx"[axis], whole_.ranks[axis]));
  set_ghosts();
}

/// Between two exchanges there are fewer steps than a pass makes. On an H100 a pass of 2d5pt takes
/// as long as 24 steps of it, or two plain ones, however few steps it makes, and one of 3d7pt that
/// is not whole longer than plain steps.
template <class T>
bool field_part_run<T>::passes_are_too_short(const stencil_report& plan) const {
  if (between_ == 0 || between_ >= plan.pass_steps) return false;
  return whole_.all.dims == 3 || 12 * between_ < plan.pass_steps;
}

template <class T>
void field_part_run<T>::exchange() {
  if (comm_->size() == 1) return;
  if (exchange_there_) return exchange_there_->run(*runner_);
  exchange_->run(
      [&](const grid_offset& first, grid_view<T> to) { runner_->box(first, to); },
      [&](const grid_offset& first, grid_view<const T> from) { runner_->set_box(first, from); });
}

template <class T>
void field_part_run<T>::connect() {
  if (!exchange_there_ || std::exchange(connected_, true)) return;
  exchange();
  memory_of(queue_->where().on()).finish(queue_->where());
}

template <class T>
grid<T> field_part_run<T>::with_ghosts(grid_view<const T> mine) {
  grid<T> cells(part_.size());
  copy_to_box(mine, cells.view(), part_.before);
  if (comm_->size() == 1) return cells;
  exchange_->run([&](const grid_offset& first,
                     grid_view<T> to) { copy_box(std::as_const(cells).view(), first, to); },
                 [&](const grid_offset& first, grid_view<const T> from) {
                   copy_to_box(from, cells.view(), first);
                 });
  return cells;
}

/// Has any rank asked for the end?
template <class T>
bool field_part_run<T>::is_interrupted(int step, std::optional<double> change) {
  bool here = options_.interrupt && options_.interrupt->load();
  const double now = seconds_on_host();
  if (options_.progress && now - published_ >= options_.progress_interval) {
    published_ = now;
    here = !options_.progress({step, change, now - began_}) || here;
  }
  return any_of_ranks(*comm_, here);
}

/// The host waits only after so many pieces that it can tell and hear often enough.
template <class T>
int field_part_run<T>::advance_on_gpus(int steps) {
  const double begin = seconds_on_host();
  int made = 0, done = 0;
  for (; done < pieces_ && made < steps; ++done) {
    const int piece = std::min(steps - made, between_);
    exchange();
    runner_->run_async(piece);
    made += piece;
  }
  runner_->wait();
  struct pace {
    double patience, took;
  };
  const double patience = options_.progress ? std::min(0.05, options_.progress_interval) : 0.05;
  const auto paces = values_of_ranks(*comm_, pace{patience, seconds_on_host() - begin});
  double least = paces.front().patience;
  for (const pace& one : paces) least = std::min(least, one.patience);
  const double fit = done * least / std::max(paces.front().took, 1e-6);
  pieces_ = static_cast<int>(std::clamp(fit, 1.0, std::min(8.0 * done, 4096.0)));
  return made;
}

template <class T>
int field_part_run<T>::advance(int steps, int done, std::optional<double> change,
                               stencil_stop& stopped) {
  int made = 0;
  while (made < steps) {
    if (is_interrupted(done + made, change)) {
      stopped = stencil_stop::interrupted;
      break;
    }
    if (exchange_there_) {
      made += advance_on_gpus(steps - made);
      continue;
    }
    const int piece = std::min(steps - made, comm_->size() == 1 ? alone_ : between_);
    exchange();
    runner_->run(piece);
    made += piece;
  }
  return made;
}

template <class T>
double field_part_run<T>::change_of_step() {
  grid<T> before(part_.own.size), after(before.size());
  exchange();
  runner_->box(part_.before, before.view());
  runner_->run(1);
  runner_->box(part_.before, after.view());
  double most = 0;
  for (std::size_t k = 0; k < after.cells().size(); ++k) {
    const double change =
        std::abs(static_cast<double>(after.cells()[k]) - static_cast<double>(before.cells()[k]));
    most = change > most || !(change == change) ? change : most;
    if (!(most == most)) break;
  }
  for (const double one : values_of_ranks(*comm_, most))
    if (!(one <= most)) most = !(one == one) || !(most == most) ? std::nan("") : one;
  return most;
}

template class field_part_run<double>;
template class field_part_run<float>;

}  // namespace dwell
